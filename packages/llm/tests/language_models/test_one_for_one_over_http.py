"""One target sentence for each source sentence over HTTP, where servers fail, too."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_llm.chat_model import ChatMessage, ContextTooLongError
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptSettings
from language_models.endpoints import endpoint
from language_models.scripted_server import GONE, Reply, chat, failure, serving
from language_models.test_one_for_one import check_one_for_one, draw_document
from scripted_model import Misbehavior, ScriptedModel, honest, sentences_of

_REASONS = {"stop": "stop", "length": "length", "filter": "content_filter"}
_TOO_LONG = failure(400, "too long", "context_length_exceeded")
_FAILURES = (
    failure(429, "slow down", retry_after="0.001"),
    failure(500),
    failure(503, "overloaded"),
    Reply(b"<html>\xff bad gateway", 502),
    Reply(b"{", 200),
    Reply({"choices": []}),
    Reply([1, 2]),
    Reply({"choices": [{"message": {"content": "x"}}]}, cut=5),
    GONE,
)


class Script:
    """Replies of a server by a seed: failures that pass, and the answers of a bad model."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._misbehavior = Misbehavior(seed)
        self.failures = 0
        self._in_a_row = 0
        # It keeps what was answered for each sentence.
        self.model = ScriptedModel()

    def __call__(self, received):
        if self._in_a_row < 3 and self._random.random() < 0.25:
            self.failures += 1
            self._in_a_row += 1
            return self._random.choice(_FAILURES)
        self._in_a_row = 0
        messages = [ChatMessage(**message) for message in received.body["messages"]]
        request = SimpleNamespace(messages=messages)
        sentences = sentences_of(request)
        try:
            answer = self._misbehavior(sentences, request)
        except ContextTooLongError:
            return _TOO_LONG
        text, reason = (
            (answer, "stop") if isinstance(answer, str) else (answer.text, answer.finish_reason)
        )
        self.model._note(sentences, text)
        return chat(text, _REASONS[reason])


def run_script(seed):
    rng = random.Random(seed)
    documents = [draw_document(rng, number) for number in range(rng.randint(1, 3))]
    request = docmt_nmt.TranslationRequest(documents)
    script = Script(seed)
    settings = PromptSettings(
        shape=rng.choice(("sentence", "batch")), concurrency=rng.randint(1, 4)
    )
    with serving(script) as server:
        model = endpoint(server.url, retries=20, wait=0.0001)
        made = LanguageModelTranslator.of(model, ("en", "de"), request=settings)
        translations = made.translate(request)
    for document, translation in zip(documents, translations, strict=True):
        check_one_for_one(document, translation, script.model)
    assert server.most_at_a_time <= settings.concurrency
    return script.failures


@pytest.mark.parametrize("seed", range(4))
def test_n_sentences_in_n_sentences_out(seed):
    run_script(seed)


@pytest.mark.slow
def test_n_sentences_in_n_sentences_out_by_some_hundred_scripts(record_property):
    failures = sum(run_script(seed) for seed in range(100, 500))
    record_property("failures", failures)
    assert failures > 400


def test_a_server_that_has_gone_ends_the_translation_and_it_goes_on_later():
    document = draw_document(random.Random(3), 0)
    replies = 0

    def goes(received):
        nonlocal replies
        replies += 1
        request = SimpleNamespace(messages=[ChatMessage(**m) for m in received.body["messages"]])
        return GONE if replies > 3 else chat(honest(sentences_of(request), request))

    with serving(goes) as server:
        made = LanguageModelTranslator.of(endpoint(server.url, retries=1), ("en", "de"))
        with pytest.raises(InputError, match="does not answer"):
            made.translate([document])
        replies = -1000
        (translation,) = made.translate([document])
    assert len(translation.document.target) == len(document)
