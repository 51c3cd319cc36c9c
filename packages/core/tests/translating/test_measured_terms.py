"""Forced terms are held beside the free translation, and put into it where it is better."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import docmt
from docmt.glossaries import Glossary, Term
from docmt.translating.text_repairs.measured_terms import MeasuredTerms, changed_words
from docmt.translating.text_repairs.placed_terms import placed_terms, with_capitals_of
from docmt_files import word_spans
from docmt_files.base.documents import Sentence
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators import SourceDocument, TranslationRequest, Translator, planned
from docmt_nmt.translators.term_uses import find_uses

TERMS = Glossary([Term(("screen", "screens"), ("ecrã", "ecrãs")), Term(("backup",), ("cópia",))])


@dataclass(frozen=True)
class Searching(Translator):
    """Gives a free translation, or a forced one where there is a glossary, and aligns the words in
    their order."""

    free: dict[str, str]
    forced: dict[str, str]
    probability: dict[str, float] = field(default_factory=dict)
    requests: list[TranslationRequest] = field(default_factory=list)
    aligns: bool = True
    gives = frozenset({"sentences", "words", "revisions"})
    languages = ("en", "pt")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = planned(self, request).request
        self.requests.append(request)
        texts = self.free if request.glossary is None else self.forced | {}
        made = [
            TranslatedSentence(each.text, text, self.probability.get(text, -0.2))
            for each in request.sources[0].sentences
            for text in [texts.get(each.text, self.free[each.text])]
        ]
        return [Translation("d", tuple(made), (len(made),))]

    def align(self, document, words):  # noqa: ARG002
        if not self.aligns:
            return [np.zeros((len(a), len(b))) for a, b in words]
        return [np.eye(len(a), len(b)) for a, b in words]


def translated(free, forced, **how):
    """The translation of one sentence with terms, and the translator."""
    (source,) = free
    translator = Searching(free, {source: forced}, **how)
    request = TranslationRequest([SourceDocument("d", (Sentence(source),))], TERMS)
    (translation,) = docmt.translate(translator, request, [MeasuredTerms()])
    return translation.sentences[0], translator


@pytest.mark.parametrize(
    "forced",
    [
        "fechar ecrã. A sua reserva.",
        "ecrã.",
        "Feche o ecrã agora (em inglês).",
        "Feche o ecrã agora agora.",
        "Desligue aquele ecrã imediatamente.",
    ],
)
def test_the_term_goes_into_a_better_free_translation(forced):
    sentence, _ = translated({"Close the screen now.": "Feche a tela agora."}, forced)
    assert sentence.target == "Feche a ecrã agora."
    assert sentence.warnings == ()


def test_a_forced_translation_that_loses_nothing_stays():
    sentence, made = translated(
        {"Close the screen now.": "Feche a tela agora."}, "Feche o ecrã agora."
    )
    assert (sentence.target, sentence.warnings) == ("Feche o ecrã agora.", ())
    assert [request.glossary is None for request in made.requests] == [False, True]


def test_an_improbable_translation_is_worse():
    forced = "Feche o ecrã agora."
    sentence, _ = translated(
        {"Close the screen now.": "Feche a tela agora."}, forced, probability={forced: -0.8}
    )
    assert sentence.target == "Feche a ecrã agora."


def test_a_sentence_that_stays_worse_is_marked():
    sentence, _ = translated(
        {"Close the screen now.": "Feche a tela agora."}, "Ecrã. A sua reserva.", aligns=False
    )
    assert sentence.target == "Ecrã. A sua reserva."
    assert [warning.kind for warning in sentence.warnings] == ["terms"]


def test_capitals_are_those_of_the_free_translation():
    assert translated({"Backup it.": "Backup isto."}, "cópia isto.")[0].target == "Cópia isto."
    assert with_capitals_of("novo ecrã aberto", "Nova Tela Aberta", ["ecrã"]) == "Novo Ecrã aberto"
    assert with_capitals_of("iPhone novo", "Telefone novo", ["iPhone"]) == "iPhone novo"


def test_of_several_forms_the_one_with_the_ending_of_the_words_is_placed():
    assert place("Two screens open", "Duas telas abertas").text == "Duas ecrãs abertas"
    assert place("One screen open", "Uma tela aberta").text == "Uma ecrã aberta"


def test_words_without_a_clear_place_are_not_replaced():
    weights = np.array([[0.5, 0.5], [0.5, 0.5]])
    assert place("screen list", "lista", np.array([[1.0], [0.9]])) is None
    assert place("screen list", "tela lista", np.zeros((1, 1))) is None
    assert place("screen list", "tela lista", weights) is None


def test_articles_around_a_term_stay():
    weights = np.array([[1.0, 0, 0, 0], [0, 1, 1, 0.2], [0, 0, 0, 1]])
    assert place("close screen now", "feche a tela já", weights).text == "feche a ecrã já"


def place(source, target, weights=None):
    """A free translation with the terms of its source."""
    if weights is None:
        weights = np.eye(len(word_spans(source)), len(word_spans(target)))
    return placed_terms(TERMS, find_uses(TERMS, source), source, target, weights)


def test_words_of_terms_do_not_count_as_changed():
    assert changed_words("Feche a tela agora", "Feche o ecrã agora", ["ecrã"]) == (1, 0)
