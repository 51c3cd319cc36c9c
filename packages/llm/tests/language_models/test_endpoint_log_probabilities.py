"""Log-probabilities of given text. What vLLM answers is written down from the documentation of its
interface, and not recorded."""

from __future__ import annotations

import math
import re

import pytest

from docmt_files.base.errors import InputError
from docmt_llm.chat_model import ChatMessage, ContextTooLongError
from docmt_llm.endpoints.event_loop import run
from language_models.endpoints import endpoint
from language_models.scripted_server import Reply, failure, serving

CHAT = (ChatMessage("user", "a b"),)


def tokens_of(text):
    """Tags, words and what is between them."""
    return re.findall(r"<\w+>|\w+|\s|.", text)


def log_probability(index):
    return -0.25 * index


def text_of(body):
    """The text of a chat that is to be tokenized."""
    text = "".join(f"<{each['role']}>{each['content']}<end>\n" for each in body["messages"])
    if body["add_generation_prompt"]:
        return f"{text}<assistant>"
    return text.removesuffix("<end>\n") if body["continue_final_message"] else text


class Vllm:
    """A server that gives token ids, and log-probabilities of prompts."""

    def __init__(self, changes=None):
        self.vocabulary = []
        self.changes = changes or {}

    def ids(self, text):
        found = tokens_of(text)
        self.vocabulary += [token for token in dict.fromkeys(found) if token not in self.vocabulary]
        return [self.vocabulary.index(token) for token in found]

    def __call__(self, received):
        if received.path in self.changes:
            return self.changes[received.path]
        if received.path == "/tokenize":
            return Reply({"tokens": self.ids(text_of(received.body)), "max_model_len": 100})
        assert received.path == "/v1/completions"
        assert received.body["prompt_logprobs"] == 0
        entries = [None]
        for index, token in enumerate(received.body["prompt"][1:], 1):
            given = {"logprob": log_probability(index), "decoded_token": self.vocabulary[token]}
            entries.append({str(token): given})
        return Reply({"choices": [{"prompt_logprobs": entries}]})


def decoded(script, answer="c d"):
    with serving(script) as server:
        opened = endpoint(server.url, "vllm")
        assert opened.gives_log_probabilities
        return run(opened.log_probabilities(CHAT, answer))


EXPECTED = [
    # Before the answer stand <user> a _ b <end> \n <assistant>.
    ("c", log_probability(7)),
    (" ", log_probability(8)),
    ("d", log_probability(9)),
    ("<end>", log_probability(10)),
]


def test_there_is_a_log_probability_for_each_token_of_the_answer_and_for_its_end():
    found = decoded(Vllm())
    assert [(one.token, one.log_probability) for one in found] == EXPECTED


def test_an_empty_answer_is_its_end():
    found = decoded(Vllm(), "")
    assert [(one.token, one.log_probability) for one in found] == [("<end>", log_probability(7))]


class Glueing(Vllm):
    """A server whose template ends in a part of a word."""

    def ids(self, text):
        return super().ids(text.replace("<assistant>", "it"))


def test_a_token_of_both_messages_and_answer_is_refused():
    with pytest.raises(InputError, match="does not separate the messages from the answer"):
        decoded(Glueing(), "c")
    assert decoded(Glueing(), " c")[0].token == " "


def test_a_template_that_does_not_end_answers_is_refused():
    class Endless(Vllm):
        def ids(self, text):
            return super().ids(text.replace("<end>\n", ""))

    with pytest.raises(InputError, match="does not end answers with a token"):
        decoded(Endless())


@pytest.mark.parametrize(
    "changes",
    [
        {"/tokenize": Reply({"count": 3})},
        {"/tokenize": Reply([1, 2])},
        {"/v1/completions": Reply({"choices": []})},
        {"/v1/completions": Reply({"choices": [{"prompt_logprobs": None}]})},
        {"/v1/completions": Reply({"choices": [{"prompt_logprobs": [None, {}]}]})},
    ],
)
def test_what_is_no_log_probability_is_refused_and_not_guessed(changes):
    with pytest.raises(InputError, match="does not give log-probabilities of given text"):
        decoded(Vllm(changes))


@pytest.mark.parametrize("bad", [None, "x", math.nan, -math.inf, 0.5])
def test_a_number_that_is_no_log_probability_is_refused(bad):
    class Bad(Vllm):
        def __call__(self, received):
            reply = super().__call__(received)
            if received.path == "/v1/completions":
                for entry in reply.content["choices"][0]["prompt_logprobs"][1:]:
                    next(iter(entry.values()))["logprob"] = bad
            return reply

    with pytest.raises(InputError, match="does not give log-probabilities of given text"):
        decoded(Bad())


def test_a_server_that_refuses_is_an_error():
    with pytest.raises(InputError, match="prompt_logprobs is not supported"):
        decoded(lambda _: failure(400, "prompt_logprobs is not supported"))


def test_a_chat_that_is_too_long_is_recognized():
    with pytest.raises(ContextTooLongError):
        decoded(lambda _: failure(400, "This model's maximum context length is 10 tokens"))
