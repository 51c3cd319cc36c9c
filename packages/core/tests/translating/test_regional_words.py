"""Words of Brazil and of Europe, and the spellings of English."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from docmt.translating.regional_words import regions_note, with_region, words_of
from docmt_files.base.documents import Document, Sentence
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.requests import SourceDocument, TranslationRequest
from docmt_nmt.translators.translator import Translator, request_of


@dataclass(frozen=True)
class Table(Translator):
    """Translates by a table."""

    table: dict[str, str]
    pair: tuple[str, str] = ("en", "pt")
    codes: tuple[int, ...] = ()

    @property
    def languages(self) -> tuple[str, str]:
        return self.pair

    def translate(self, request, *, progress=None, journal=None):
        del progress, journal
        return [
            Translation.of(document.id, document.source, [""] * len(document)).with_sentences(
                TranslatedSentence(text, self.table[text], codes=self.codes)
                for text in document.source
            )
            for document in request_of(request).sources
        ]


def translated(source: str, target: str, language: str, **settings) -> str:
    """A translation, with the words of the region of a language."""
    pair = settings.pop("pair", ("en", "pt"))
    request = TranslationRequest(
        [SourceDocument("a", (Sentence(source, protected=settings.pop("protected", ())),))],
        **settings,
    )
    translator = with_region(Table({source: target}, pair), language)
    return translator.translate(request)[0].sentences[0].target


@pytest.mark.parametrize(
    ("source", "given", "language", "expected"),
    [
        ("Open the file.", "Abra o arquivo.", "pt-PT", "Abra o ficheiro."),
        ("Open the file.", "Abra o ficheiro.", "pt-BR", "Abra o arquivo."),
        ("Open the file.", "Abra o ficheiro.", "pt_br", "Abra o arquivo."),
        ("Open the file.", "Abra o ficheiro.", "pt", "Abra o ficheiro."),
        ("FILES of Users", "FICHEIROS dos Utilizadores", "pt-BR", "ARQUIVOS dos Usuários"),
        ("The city archive.", "O arquivo da cidade.", "pt-PT", "O arquivo da cidade."),
        ("The mouse eats.", "O rato come.", "pt-BR", "O rato come."),
        (
            "See file /ficheiro/a.",
            "Veja ficheiro /ficheiro/a.",
            "pt-BR",
            "Veja arquivo /ficheiro/a.",
        ),
        ("The screen.", "O ecrã.", "pt-BR", "O ecrã."),
        ("The current action.", "A acção actual.", "pt-BR", "A ação atual."),
        ("The action.", "A ação.", "pt-PT", "A ação."),
        ("The spreadsheet.", "A planilha.", "pt-PT", "A folha de cálculo."),
    ],
)
def test_words_of_another_region_are_replaced_where_they_are_meant(
    source, given, language, expected
):
    assert translated(source, given, language) == expected


def test_terms_and_protected_words_stay():
    source, target = "Open the user's file.", "Abra o ficheiro do utilizador."
    glossary = Glossary([Term(("file",), ("ficheiro",))])
    assert translated(source, target, "pt-BR", glossary=glossary) == ("Abra o ficheiro do usuário.")
    assert translated(source, target, "pt-BR", protected=("utilizador",)) == (
        "Abra o arquivo do utilizador."
    )


def test_a_word_with_several_senses_stays_where_the_source_cannot_tell():
    assert translated("Abre.", "O arquivo.", "pt-PT", pair=("es", "pt")) == "O arquivo."
    assert translated("Abre.", "O usuário.", "pt-PT", pair=("es", "pt")) == "O utilizador."


def test_codes_stay_at_their_words():
    source, target = "The user opens it.", "O utilizador abre."
    begin = target.index("abre")
    table = Table({source: target}, codes=(2, begin, len(target)))
    (translation,) = with_region(table, "pt-BR").translate([Document("a", (source,))])
    (sentence,) = translation.sentences
    assert sentence.target == "O usuário abre."
    assert sentence.codes == (2, sentence.target.index("abre"), len(sentence.target))


def test_another_language_is_left_alone():
    table = Table({}, ("en", "de"))
    assert with_region(table, "de-AT") is table
    english = Table({}, ("de", "en"))
    assert with_region(english, "en-GB") is english


def notes(pairs: Sequence[tuple[str, str]], languages: tuple[str, str]) -> list[str]:
    """The notes on translations."""
    sentences = [TranslatedSentence(*pair) for pair in pairs]
    sources = [source for source, _ in pairs]
    translation = Translation.of("a", sources, [""] * len(pairs)).with_sentences(sentences)
    return list(map(str, regions_note(languages, [translation])))


def test_a_text_with_words_of_two_regions_is_told():
    mixed = [("The file.", "O ficheiro."), ("The user's file.", "O arquivo do usuário.")]
    assert notes(mixed, ("en", "pt")) == [
        "words of two regions: of Brazil (arquivo 1, usuário 1), and of Europe (ficheiro 1); `to` "
        "pt-BR or pt-PT writes those of one of both"
    ]
    assert notes(mixed[:1], ("en", "pt")) == []
    # Both regions say these words.
    assert notes([("The user.", "O usuário."), ("Action!", "Ação!")], ("en", "pt")) == []
    english = [("Die Farbe.", "The colour."), ("Die Mitte.", "The center.")]
    assert notes(english, ("de", "en")) == [
        "words of two regions: of Britain (colour 1), and of the United States (center 1)"
    ]
    assert notes(mixed, ("en", "de")) == []


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_forms_of_an_entry_belong_to_each_other(language):
    words = words_of(language)
    for form, word in words.items():
        for region, other in word.others.items():
            assert other.lower() != form
            back = words[other.lower()]
            assert back.region == region
            assert back.others[word.region].lower() == form
