"""Sentences that a term of a glossary has spoilt."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from docmt.translating.text_repairs.term_damage import TermDamage, term_damage
from docmt_files.base.documents import Document
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.term_uses import TermUse
from docmt_nmt.translators.translator import Translator, request_of


@pytest.mark.parametrize(
    ("source", "target", "written", "free", "fault"),
    [
        ("cat", "felino", "O felino do gato dorme.", "O gato dorme.", "beside"),
        ("cat", "felino", "O felino dorme.", "O gato dorme.", ""),
        ("cat", "gato", "O gato dorme.", "O gato dorme.", ""),
        ("backup", "cópia de segurança", "CÓPIA DE SEGURANÇA", "Backup falhou", "missing"),
        ("backup", "cópia de segurança", "A cópia de segurança falhou.", "O backup falhou.", ""),
        ("backup", "cópia de segurança", "Cópia de segurança", "Backup", ""),
        ("screen", "ecrã", "O ecrã. A sua reserva. Explorar no seu local.", "A tela.", "belong"),
        ("page", "página", "A página está aqui.", "A página está aqui.", ""),
    ],
)
def test_a_translation_with_a_term_is_compared_with_the_free_one(
    source, target, written, free, fault
):
    term = Term((source,), (target,))
    found = term_damage([TermUse(term, term.target, 1)], written, free)
    assert fault in found if fault else found == ""


@dataclass(frozen=True)
class Doubling(Translator):
    """Writes a term beside the usual translation."""

    @property
    def languages(self):
        return ("en", "pt")

    @property
    def gives(self):
        return frozenset({"sentences", "words", "revisions"})

    def translate(self, request, *, progress=None, journal=None):
        del progress, journal
        wanted = request_of(request)
        word = "felino do gato" if wanted.glossary is not None else "gato"
        return [
            Translation.of(d.id, d.source, [""] * len(d)).with_sentences(
                TranslatedSentence(text, text.replace("cat", word)) for text in d.source
            )
            for d in wanted.sources
        ]


def test_the_sentence_is_marked_with_the_free_translation_and_stays():
    documents = [Document("a", ("The cat sleeps.", "The dog barks."))]
    request = TranslationRequest(documents, glossary=Glossary([Term(("cat",), ("felino",))]))
    (translation,) = translate(Doubling(), request, (TermDamage(),))
    assert translation.document.target == ("The felino do gato sleeps.", "The dog barks.")
    (warning,) = translation.warnings
    assert (warning.sentence, warning.kind) == (0, "terms")
    assert warning.detail.endswith("without the glossary: The gato sleeps.")
    (free,) = translate(Doubling(), documents, (TermDamage(),))
    assert free.warnings == ()
