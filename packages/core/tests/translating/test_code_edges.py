"""Ends, punctuation and spaces around codes are as in the source."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docmt
from docmt.translating.text_repairs.code_edges import CodeEdges, with_edges
from docmt_files.base.documents import Sentence, SentenceMatch
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators import SourceDocument, TranslationRequest, Translator, planned


@pytest.mark.parametrize(
    ("source", "target", "mended"),
    [
        ("Saved to {0}.", "Salvo em {0}", "Salvo em {0}."),
        ("The total is {0}. Close it.", "O total é {0} Feche.", "O total é {0}. Feche."),
        ("It failed. {0}", "Falhou {0}", "Falhou. {0}"),
        ("Error: {0}", "Erro {0}", "Erro: {0}"),
        ("(parent limit: {0})", "(limite dos pais: {0}", "(limite dos pais: {0})"),
        ("Limit ({0}) reached", "Limite {0}) atingido", "Limite ({0}) atingido"),
        ("{0} was not found", " {0} não foi encontrado", "{0} não foi encontrado"),
        ("Option {0} is on", "A opção  {0} está ativa", "A opção {0} está ativa"),
        ("guide of the {0}", "guia do{0}", "guia do {0}"),
        ("See ({0}).", "Veja ( {0} ) .", "Veja ({0})."),
        ("Is {0} on?", "{0} está ativa", "{0} está ativa?"),
        ("Open {0}.", "Abra-o {0}…", "Abra-o {0}…"),
        ("In {0}. More", "Em {0} e mais.", "Em {0} e mais."),
        ("Open {0}", "Abra {0}.", "Abra {0}."),
        ("Open {0}.", "Abra.", "Abra."),
        ("Count: {0}% of {1}.", "Número: {0}% de {1}", "Número: {0}% de {1}."),
    ],
)
def test_marks_and_spaces_are_those_of_the_source(source, target, mended):
    assert with_edges(source, target, ["{0}", "{1}"], "pt") == mended


@pytest.mark.parametrize(
    ("target", "language"), [("{0} を開く", "ja"), ("Ouvrir : {0} !", "fr"), ("افتح {0}", "ar")]
)
def test_other_scripts_and_spaces_stay(target, language):
    assert with_edges("Open: {0}!", target, ["{0}"], language) == target


@given(
    st.lists(st.sampled_from(["{0}", "{1}", " ", "a", "B", ".", ":", "(", ")", "'", "?"])),
    st.lists(st.sampled_from(["{0}", "{1}", " ", "a", "B", ".", ":", "(", ")", "'", "?"])),
)
def test_codes_and_words_stay_and_a_second_time_changes_nothing(source, target):
    texts = "".join(source).strip(), "".join(target).strip()
    mended = with_edges(*texts, ["{0}", "{1}"], "de")
    for piece in ("{0}", "{1}", "a", "B"):
        assert mended.count(piece) == texts[1].count(piece)
    assert with_edges(texts[0], mended, ["{0}", "{1}"], "de") == mended


@dataclass(frozen=True)
class Fixed(Translator):
    """Gives one translation."""

    target: str
    match: SentenceMatch | None = None
    gives = frozenset({"sentences", "words", "revisions"})
    languages = ("en", "pt")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = planned(self, request).request
        return [
            Translation(
                document.id,
                tuple(
                    TranslatedSentence(each.text, self.target, match=self.match)
                    for each in document.sentences
                ),
                (len(document),),
            )
            for document in request.sources
        ]


def test_the_words_of_people_stay():
    document = SourceDocument("d", (Sentence("Saved to {0}.", protected=("{0}",)),))
    request = TranslationRequest([document])
    (mended,) = docmt.translate(Fixed("Salvo em {0}"), request, [CodeEdges()])
    assert mended.target == ("Salvo em {0}.",)
    person = SentenceMatch("exact", 1.0, "Saved to {0}.", "Salvo em {0}")
    (kept,) = docmt.translate(Fixed("Salvo em {0}", person), request, [CodeEdges()])
    assert kept.target == ("Salvo em {0}",)
