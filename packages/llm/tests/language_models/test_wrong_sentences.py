"""Wrong sentences of a model: each comes out marked, or not at all."""

from __future__ import annotations

import json
import time

import pytest

import docmt_nmt
from docmt_llm.chat_model import ChatAnswer
from language_models.stories import target, translator
from scripted_model import ScriptedModel

GERMAN = {
    "The printer is in the small room.": "Der Drucker steht im kleinen Zimmer.",
    "Please switch it off in the evening.": "Bitte schalten Sie ihn am Abend aus.",
    "Nobody has the key to it.": "Niemand hat den Schlüssel dazu.",
    "Thank you for your help.": "Vielen Dank für Ihre Hilfe.",
}
DOCUMENT = docmt_nmt.Document("printer", tuple(GERMAN))


def answering(answers):
    """A model with an answer for each sentence, whatever the context."""
    return ScriptedModel(
        lambda sentences, _: json.dumps({**GERMAN, **answers}[sentences[None]], ensure_ascii=False)
    )


def warned(translation):
    return {(warning.sentence, warning.kind) for warning in translation.warnings}


@pytest.mark.parametrize(
    "context",
    [{}, {"sentences_before": 0, "sentences_after": 0}, {"translations": False}],
    ids=["context", "without context", "at the same time"],
)
@pytest.mark.parametrize("other", [1, 3])
def test_the_translation_of_another_sentence_is_marked(context, other):
    second = DOCUMENT.source[other]
    model = answering({second: GERMAN[DOCUMENT.source[0]]})
    (translation,) = translator(model, context=context).translate([DOCUMENT])
    assert warned(translation) == {(0, "other-sentence"), (other, "other-sentence")}


def test_the_translation_of_another_sentence_is_asked_for_again():
    def once(sentences, request):
        model_context = "before" in request.messages[-1].content
        source = sentences[None]
        wrong = source == DOCUMENT.source[2] and model_context
        return json.dumps(GERMAN[DOCUMENT.source[1] if wrong else source])

    (translation,) = translator(ScriptedModel(once)).translate([DOCUMENT])
    assert target(translation) == tuple(GERMAN.values())
    assert not translation.warnings


def test_a_sentence_in_another_language_is_marked():
    model = answering({DOCUMENT.source[1]: "The sentence is not in the document."})
    (translation,) = translator(model).translate([DOCUMENT])
    assert warned(translation) == {(1, "other-language")}


@pytest.mark.parametrize("shape", ["sentence", "batch"])
@pytest.mark.parametrize(
    "text",
    [
        "{}" * 300_000,
        *(
            pytest.param(text, marks=pytest.mark.slow)
            for text in ["\\" * 500_000, "a" * 500_000, "ha " * 3000, '"' * 300_000, "[" * 99_999]
        ),
    ],
)
def test_an_endless_answer_costs_little_and_is_never_used(shape, text):
    model = ScriptedModel(
        lambda sentences, _: (
            ChatAnswer(json.dumps(dict.fromkeys(sentences, text)))
            if None not in sentences
            else ChatAnswer(text)
        )
    )
    started = time.process_time()
    (translation,) = translator(model, shape=shape).translate([DOCUMENT])
    assert time.process_time() - started < 0.3 * len(model.requests)
    assert target(translation) == DOCUMENT.source
    assert warned(translation) == {(index, "not-translated") for index in range(len(DOCUMENT))}
    assert all(len(m.content) < 10_000 for request in model.requests for m in request.messages)


@pytest.mark.parametrize(
    ("structured", "is_sent"), [("auto", True), ("schema", True), ("none", False)]
)
@pytest.mark.parametrize("shape", ["sentence", "batch"])
def test_a_schema_is_sent_in_both_shapes(structured, is_sent, shape):
    model = ScriptedModel()
    translator(model, shape=shape, structured=structured).translate([DOCUMENT])
    assert all((request.schema is not None) == is_sent for request in model.requests)
