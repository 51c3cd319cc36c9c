"""A language model's translation that goes on: its journal, and what it depends on."""

from __future__ import annotations

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_nmt.translators.glossary import Glossary, Term
from language_models.stories import STORY, target, translator
from scripted_model import ListJournal, Misbehavior, ScriptedModel, Unreliable, translate


def test_an_interrupted_translation_asks_for_nothing_again():
    whole = ScriptedModel(Misbehavior(3, 0.5))
    (expected,) = translator(whole).translate([STORY])
    model = Unreliable(Misbehavior(3, 0.5), every=3)
    values, runs = [], 0
    while True:
        journal = ListJournal(values)
        runs += 1
        try:
            (translation,) = translator(model).translate([STORY], journal=journal)
            break
        except InputError:
            values = [*values, *journal.values]
    assert runs > 1
    assert target(translation) == target(expected)
    assert len(model.requests) == len(whole.requests)


def test_a_journal_of_something_else_is_discarded():
    model = ScriptedModel()
    journal = ListJournal([["x"], 3, "abc"])
    (translation,) = translator(model).translate([STORY], journal=journal)
    assert target(translation) == tuple(map(translate, STORY.source))


def test_the_fingerprint_changes_with_all_that_a_translation_depends_on():
    request = docmt_nmt.TranslationRequest([STORY])
    model = ScriptedModel()
    base = translator(model)
    same = translator(model, concurrency=9, timeout=3, retries=1)
    assert base.fingerprint(request) == same.fingerprint(request)
    glossary = Glossary([Term(("a",), ("b",))])
    others = {
        base.fingerprint(docmt_nmt.TranslationRequest([STORY], glossary=glossary)),
        base.fingerprint(docmt_nmt.TranslationRequest([docmt_nmt.Document("x", ("Hi.",))])),
        translator(model, shape="batch").fingerprint(request),
        translator(model, seed=1).fingerprint(request),
        translator(model, context={"sentences_before": 1}).fingerprint(request),
        LanguageModelTranslator.of(model, ("en", "fr")).fingerprint(request),
    }
    assert len(others) == 6 and base.fingerprint(request) not in others
