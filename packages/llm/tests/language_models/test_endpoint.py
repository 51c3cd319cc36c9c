"""A language model behind an endpoint: what is sent, what is read, and what becomes of errors."""

from __future__ import annotations

import json

import pytest

from docmt_files.base.errors import InputError
from docmt_llm.chat_model import ChatAnswer, ContextTooLongError, TokenUsage
from language_models.endpoints import SCHEMA, ask, endpoint, request
from language_models.scripted_server import Reply, chat, failure, serving


def test_an_answer_has_its_text_its_end_and_its_tokens():
    with serving([chat("Guten Morgen.")]) as server:
        (answer,) = ask(endpoint(server.url))
    assert answer == ChatAnswer("Guten Morgen.", "stop", TokenUsage(20, 8, 2), 1)
    (received,) = server.requests
    assert (received.method, received.path) == ("POST", "/v1/chat/completions")
    assert received.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Translate into German."},
            {"role": "user", "content": "Good morning."},
        ],
        "max_tokens": 50,
        "temperature": 0.0,
        "seed": 0,
    }
    assert "authorization" not in received.headers


@pytest.mark.parametrize(
    ("reply", "text", "reason"),
    [
        (chat("Guten", "length"), "Guten", "length"),
        (chat("", "content_filter"), "", "filter"),
        (chat(None, "stop", refusal="I cannot."), "", "filter"),
        (chat(None), "", "stop"),
        (chat("Guten Tag.", "eos"), "Guten Tag.", "stop"),
        (chat("<think>\nShort.\n</think>\n\nGuten Tag."), "Guten Tag.", "stop"),
        (chat("<think>\nLong", "length"), "", "length"),
        (chat("Das <think> ist ein Wort."), "Das <think> ist ein Wort.", "stop"),
    ],
)
def test_why_an_answer_ends_and_what_was_only_thought(reply, text, reason):
    with serving([reply]) as server:
        (answer,) = ask(endpoint(server.url))
    assert (answer.text, answer.finish_reason) == (text, reason)


@pytest.mark.parametrize("usage", [None, {}, "x", {"prompt_tokens": "7", "completion_tokens": -1}])
def test_tokens_that_were_not_counted_are_none(usage):
    reply = chat("Ja.")
    with serving([Reply(reply.content | {"usage": usage})]) as server:
        (answer,) = ask(endpoint(server.url))
    assert (answer.text, answer.usage) == ("Ja.", TokenUsage())


@pytest.mark.parametrize(
    ("dialect", "sent"),
    [
        (
            "openai",
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
                }
            },
        ),
        (
            "vllm",
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
                },
                "chat_template_kwargs": {"enable_thinking": False},
            },
        ),
        (
            "llama.cpp",
            {
                "response_format": {"type": "json_object", "schema": SCHEMA},
                "chat_template_kwargs": {"enable_thinking": False},
                "repeat_penalty": 1.0,
            },
        ),
    ],
)
def test_a_schema_is_sent_as_the_dialect_has_it(dialect, sent):
    with serving([chat('{"s1": "Ja."}')]) as server:
        ask(endpoint(server.url, dialect), request(schema=SCHEMA))
    (body,) = server.bodies
    common = {"model", "messages", "max_tokens", "temperature", "seed"}
    assert {key: value for key, value in body.items() if key not in common} == sent


def test_a_text_is_asked_for_in_an_object_where_only_objects_are_taken():
    with serving([chat('{"answer": "Zitat: \\"Ja\\""}')]) as server:
        (answer,) = ask(endpoint(server.url), request(schema={"type": "string"}))
    schema = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"] == {"answer": {"type": "string"}}
    assert (schema["required"], schema["additionalProperties"]) == (["answer"], False)
    assert json.loads(answer.text) == 'Zitat: "Ja"'


def test_ollama_is_asked_by_its_own_interface_and_may_cut_nothing_off():
    content = {
        "message": {"role": "assistant", "content": '{"s1": "Ja."}'},
        "done_reason": "length",
        "prompt_eval_count": 11,
        "eval_count": 4,
    }
    with serving([Reply(content)]) as server:
        opened = endpoint(server.url, "ollama", max_context_tokens=4096, temperature=0.5)
        (answer,) = ask(opened, request(schema=SCHEMA, seed=7))
    assert answer == ChatAnswer('{"s1": "Ja."}', "length", TokenUsage(11, 0, 4), 1)
    (received,) = server.requests
    assert received.path == "/api/chat"
    assert received.body["format"] == SCHEMA
    assert (received.body["truncate"], received.body["stream"]) == (False, False)
    assert received.body["options"] == {
        "temperature": 0.5,
        "seed": 7,
        "num_predict": 50,
        "repeat_penalty": 1.0,
        "num_ctx": 4096,
    }


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
        (400, "The decoder prompt (length 5000) is longer than the maximum model length", None),
        (400, "the request exceeds the available context size, try increasing it", None),
        (500, "the request exceeds the available context size, try increasing it", None),
        (400, "Requested tokens (600) exceed context window of 512", None),
        (400, "input length exceeds the context length", None),
        (400, "The number of tokens to keep from the initial prompt is greater than the context "
         "length.", None),
        (400, "prompt is too long: 300000 tokens > 200000 maximum", None),
        (413, "Request Entity Too Large", None),
    ],
)  # fmt: skip
def test_a_request_that_is_too_long_is_recognized_in_the_words_of_each_server(
    status, message, code
):
    with serving([failure(status, message, code)]) as server, pytest.raises(ContextTooLongError):
        ask(endpoint(server.url), request(schema=SCHEMA))
    assert len(server.requests) == 1


def test_a_schema_that_is_refused_is_left_out_from_then_on():
    def script(received):
        if "response_format" in received.body:
            return failure(400, "'response_format' of type 'json_schema' is not supported")
        return chat("Ja.")

    with serving(script) as server:
        opened = endpoint(server.url)
        answers = [ask(opened, request(schema=SCHEMA))[0] for _ in range(2)]
    assert [answer.text for answer in answers] == ["Ja.", "Ja."]
    assert [answer.attempts for answer in answers] == [2, 1]
    assert opened.adjustments == {"without schema"}


@pytest.mark.parametrize("status", [400, 422, 501])
def test_an_endpoint_may_refuse_a_schema_without_naming_it(status):
    def script(received):
        return (
            failure(status, "Bad request") if "response_format" in received.body else chat('"Ja."')
        )

    with serving(script) as server:
        opened = endpoint(server.url)
        answers = [ask(opened, request(schema=SCHEMA))[0] for _ in range(2)]
    assert [answer.attempts for answer in answers] == [2, 1]


def test_a_request_refused_for_another_reason_leaves_the_schema_of_others():
    def script(received):
        bad = "bad" in received.body["messages"][-1]["content"]
        return failure(400, "Content policy") if bad else chat('"Ja."')

    with serving(script) as server:
        opened = endpoint(server.url)
        with pytest.raises(InputError, match="Content policy"):
            ask(opened, request("bad", schema=SCHEMA))
        ask(opened, request(schema=SCHEMA))
    assert not opened.adjustments
    assert "response_format" in server.bodies[-1]


def test_an_answer_longer_than_its_tokens_can_be_is_cut_off():
    with serving([chat("a" * 500_000)]) as server:
        (answer,) = ask(endpoint(server.url), request(max_tokens=50))
    assert (len(answer.text), answer.finish_reason) == (1600, "length")


def test_a_schema_that_must_be_met_is_not_left_out():
    with serving([failure(400, "response_format is not supported")]) as server:
        opened = endpoint(server.url, structured="schema")
        with pytest.raises(InputError, match="response_format is not supported") as caught:
            ask(opened, request(schema=SCHEMA))
    assert "request.structured: auto" in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("message", "adjustment", "absent"),
    [
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
         "max_completion_tokens", "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0.0", "without temperature",
         "temperature"),
        ("Unknown parameter: 'seed'", "without seed", "seed"),
    ],
)  # fmt: skip
def test_a_parameter_that_a_model_does_not_take_is_left_out(message, adjustment, absent):
    def script(received):
        return failure(400, message) if absent in received.body else chat("Ja.")

    with serving(script) as server:
        opened = endpoint(server.url)
        assert ask(opened)[0].text == "Ja."
    assert opened.adjustments == {adjustment}
    assert absent not in server.bodies[-1]


@pytest.mark.parametrize("status", [400, 500])
def test_a_model_that_knows_no_system_messages_is_told_by_the_user(status):
    def script(received):
        if received.body["messages"][0]["role"] == "system":
            return failure(status, "System role not supported")
        return chat("Ja.")

    with serving(script) as server:
        ask(endpoint(server.url))
    assert server.bodies[-1]["messages"] == [
        {"role": "user", "content": "Translate into German.\n\nGood morning."}
    ]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "message", "cure"),
    [
        (failure(401, "No key"), "asks for a key (No key)", "DOCMT_API_KEY"),
        (failure(404, "The model `m` does not exist"), "has no model 'm'", "system.model"),
        (failure(404, "model 'm' not found, try pulling it first"), "has no model", "system"),
        (Reply(b"<html>Not Found</html>", 404), "has no chats at", "most often ends in /v1"),
        (failure(405, "Method Not Allowed"), "has no chats at", "most often ends in /v1"),
        (failure(402, "Insufficient balance"), "takes no more requests", "your account"),
        (failure(429, "Quota", "insufficient_quota"), "takes no more requests", "your account"),
        (failure(418, "teapot"), "refuses a request: HTTP status 418 (teapot)", ""),
        (Reply(b"", 302, {"Location": "http://other.test/v1"}), "redirects to http://other", "URL"),
    ],
)  # fmt: skip
def test_a_mistake_of_the_user_is_said_at_once_with_a_cure(reply, message, cure):
    with serving([reply]) as server, pytest.raises(InputError) as caught:
        ask(endpoint(server.url))
    assert message in str(caught.value) and cure in str(caught.value)
    assert server.host in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "content",
    [{"choices": []}, {"choices": [{"message": {"content": 5}}]}, [1], {"x": 1}, "text", 7],
)
def test_json_that_is_no_answer_is_asked_for_again_and_then_an_error(content):
    with serving([Reply(content), chat("Ja.")]) as server:
        (answer,) = ask(endpoint(server.url))
    assert (answer.text, answer.attempts) == ("Ja.", 2)
    with serving([Reply(content)]) as server, pytest.raises(InputError, match="does not answer as"):
        ask(endpoint(server.url))
    assert len(server.requests) <= 10


def test_an_endpoint_is_known_by_all_that_answers_depend_on_and_by_no_key(monkeypatch):
    monkeypatch.setenv("DOCMT_API_KEY", "sk-secret")
    one, other = endpoint("http://a.test/v1"), endpoint("http://a.test/v1", temperature=0.5)
    assert one.identity != other.identity
    assert one.identity == endpoint("http://a.test/v1/", concurrency=7, timeout=3).identity
    assert "secret" not in repr((one, one.identity, vars(one), one._client.key))


def test_log_probabilities_are_refused_where_there_are_none():
    opened = endpoint("http://a.test/v1")
    assert not opened.gives_log_probabilities
    with pytest.raises(InputError, match="does not give log-probabilities of given text") as caught:
        from docmt_llm.endpoints.event_loop import run

        run(opened.log_probabilities(request().messages, "Ja."))
    assert "dialect: transformers" in str(caught.value)
