"""Words of protected codes are written as they are."""

from __future__ import annotations

from typing import Any

from docmt_files.base.documents import Sentence
from docmt_nmt.decoding import BeamSearchTranslator, GlossaryTerms
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.requests import SourceDocument, TranslationRequest
from docmt_nmt.translators.term_uses import count_terms


def load(run, **search: Any) -> BeamSearchTranslator:
    return BeamSearchTranslator.load(run.directory, **{"beam_size": 3, **search})


def test_words_that_the_run_can_write_are_written(tiny_run) -> None:
    translator = load(tiny_run)
    sentences = (
        Sentence("one five two.", protected=("five",)),
        Sentence("three four six one six two.", protected=("six", "six")),
    )
    (found,) = translator.translate(TranslationRequest([SourceDocument("d", sentences)]))
    first, second = (sentence.split() for sentence in found.document.target or ())
    assert first.count("five") >= 1
    assert second.count("six") >= 2


def test_a_run_can_keep_what_its_vocabulary_has(tiny_run) -> None:
    terms = GlossaryTerms(Glossary(()), tiny_run.pipeline, SearchSettings())
    assert terms.can_keep("one five two", ["five"])
    assert not terms.can_keep("one zzz two", ["zzz"])
    assert not terms.can_keep("one", ["five"] * 20)


def test_terms_are_not_looked_for_in_words_that_are_protected(tiny_run) -> None:
    glossary = Glossary([Term(("five",), ("sieben",)), Term(("two",), ("null",))])
    translator = load(tiny_run)
    sentences = Sentence("one five two.", protected=("five",)), Sentence("five")
    request = TranslationRequest([SourceDocument("d", sentences)], glossary)
    (found,) = translator.translate(request)
    first, second = (sentence.split() for sentence in found.document.target or ())
    assert {"five", "null"} <= {word.strip(".") for word in first}
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
