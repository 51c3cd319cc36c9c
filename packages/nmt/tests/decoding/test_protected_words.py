"""Words of protected codes are written as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from docmt_files.base.documents import Sentence
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.requests import Revision, SourceDocument, TranslationRequest
from docmt_nmt.translators.term_uses import count_terms


def load(run, **search: Any) -> BeamSearchTranslator:
    return BeamSearchTranslator.load(run.directory, **{"beam_size": 3, **search})


def test_words_that_the_run_can_write_are_written_if_they_are_forced(tiny_run) -> None:
    translator = load(tiny_run)
    sentences = (
        Sentence("one five two.", protected=("five",)),
        Sentence("three four six one six two.", protected=("six", "six")),
    )
    request = TranslationRequest([SourceDocument("d", sentences)])
    (free,) = translator.translate(request)
    lost = {w.sentence: w.detail for w in free.warnings if w.kind == "lost-words"}
    assert lost == {0: "five", 1: "six"}
    known = (free.document,)
    revision = Revision(known, frozenset({(0, 0), (0, 1)}), forced_literals=True)
    (found,) = translator.translate(replace(request, revision=revision))
    first, second = (sentence.split() for sentence in found.document.target or ())
    assert first.count("five") == 1
    assert second.count("six") == 2
    assert "lost-words" not in {warning.kind for warning in found.warnings}


def test_a_run_can_keep_what_its_vocabulary_has(tiny_run) -> None:
    translator = load(tiny_run)
    assert translator.can_keep("one five two", ["five"])
    assert not translator.can_keep("one zzz two", ["zzz"])
    assert not translator.can_keep("one five or five", ["xyz"])


def test_terms_are_not_looked_for_in_words_that_are_protected(tiny_run) -> None:
    glossary = Glossary([Term(("five",), ("sieben",)), Term(("two",), ("null",))])
    translator = load(tiny_run)
    sentences = Sentence("one five two.", protected=("five",)), Sentence("five")
    request = TranslationRequest([SourceDocument("d", sentences)], glossary)
    (found,) = translator.translate(request)
    first, second = (sentence.split() for sentence in found.document.target or ())
    words = {word.strip(".") for word in first}
    assert "null" in words and "sieben" not in words
    assert "sieben" in second
    assert count_terms(glossary, sentences, found.target).required == 2


def test_what_other_protected_words_found_is_not_resumed(tiny_run) -> None:
    translator = load(tiny_run)
    documents = [
        SourceDocument("d", (Sentence("one", protected=words),))
        for words in ((), ("one",), ("one", "one"))
    ]
    fingerprints = {translator.fingerprint(TranslationRequest([each])) for each in documents}
    assert len(fingerprints) == 3
