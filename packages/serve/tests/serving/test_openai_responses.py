"""The responses API translates the last message of the user."""

from __future__ import annotations

import json

import pytest

from docmt_files.base.errors import UnavailableError
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_serve.models.models import Model, Models
from scripted_model import ScriptedModel, honest

OPENED = "Öffnen Sie die Datei."
CLOSED = "Schließen Sie sie."


def _post(client, **values):
    return client.post("/v1/responses", json={"model": "en-de", "input": "Open the file."} | values)


def _text(answer):
    (message,) = answer["output"]
    (content,) = message["content"]
    return content["text"]


def _events(answer):
    """The data of the events of a stream; each is named by its type."""
    events = []
    for block in answer.text.strip().split("\n\n"):
        name, data = block.split("\n")
        events.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {events[-1]['type']}"
    return events


@pytest.mark.parametrize(
    "asked",
    [
        "Open the file.",
        [{"role": "user", "content": "Open the file."}],
        [
            {"role": "developer", "content": "Translate into German."},
            {"type": "message", "role": "user", "content": "Close it."},
            {"type": "message", "role": "assistant", "content": []},
            {"role": "user", "content": [{"type": "input_text", "text": "Open the file."}]},
        ],
    ],
)
def test_the_last_message_of_the_user_is_translated(client, asked):
    body = _post(client, input=asked).json()
    assert (body["object"], body["status"], _text(body)) == ("response", "completed", OPENED)
    assert body["output"][0]["role"] == "assistant"
    assert body["usage"]["input_tokens"] == 3 and body["usage"]["total_tokens"] == 7


def test_options_of_sampling_have_no_effect(client):
    options = {"instructions": "Be kind.", "temperature": 0.3, "max_output_tokens": 5}
    body = _post(client, store=True, text={"format": {"type": "text"}}, **options).json()
    assert _text(body) == OPENED and body["store"] is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tools", [{}]),
        ("previous_response_id", "resp_1"),
        ("background", True),
        ("text", {"format": {"type": "json_schema"}}),
        ("include", ["message.output_text.logprobs"]),
    ],
)
def test_an_option_that_is_not_honored_is_refused_by_name(client, name, value):
    answer = _post(client, **{name: value})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(name)


@pytest.mark.parametrize(
    "values",
    [
        {"model": "other"},
        {"input": None},
        {"input": []},
        {"input": [{"role": "user", "content": [{"type": "input_image"}]}]},
    ],
)
def test_what_is_wrong_is_told_as_the_api_does(client, values):
    answer = _post(client, **values)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_a_stream_has_a_delta_for_each_sentence_and_ends_with_the_response(client):
    events = _events(_post(client, input="Open the file. Close it.", stream=True))
    kinds = [each["type"].removeprefix("response.") for each in events]
    assert kinds == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [each["sequence_number"] for each in events] == list(range(len(events)))
    assert [each["delta"] for each in events[4:6]] == [f"{OPENED} ", CLOSED]
    assert _text(events[-1]["response"]) == f"{OPENED} {CLOSED}"


def test_an_error_before_the_first_sentence_is_an_answer_and_a_later_one_an_event(client_of):
    def fail(sentences, request):
        if "Close it." in sentences.values():
            raise UnavailableError("the endpoint is gone", cure="Start it")
        return honest(sentences, request)

    model = LanguageModelTranslator.of(ScriptedModel(fail), ("en", "de"))
    client = client_of(Models([Model("en-de", model)]))
    assert _post(client, input="Close it. Open it.", stream=True).status_code == 503
    *_, end = _events(_post(client, input="Open it. Close it.", stream=True))
    assert end["type"] == "response.failed" and end["response"]["status"] == "failed"
    assert end["response"]["error"]["code"] == "server_error"
