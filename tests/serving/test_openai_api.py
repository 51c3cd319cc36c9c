"""The chat-completions API translates the last message of the user."""

from __future__ import annotations

import json

import pytest

MESSAGES = [
    {"role": "system", "content": "Translate into German."},
    {"role": "user", "content": "Open the file."},
]
OPENED = "Öffnen Sie die Datei."


def _post(client, **values):
    return client.post(
        "/v1/chat/completions", json={"model": "en-de", "messages": MESSAGES} | values
    )


def test_the_last_message_of_the_user_is_translated(client):
    body = _post(client).json()
    choice = body["choices"][0]
    assert choice["message"] == {"role": "assistant", "content": OPENED}
    assert (body["object"], choice["finish_reason"]) == ("chat.completion", "stop")
    parts = [{"type": "text", "text": "Open the file."}]
    asked = [{"role": "user", "content": parts}, {"role": "assistant", "content": "…"}]
    assert _post(client, messages=asked).json()["choices"][0]["message"]["content"] == OPENED


def test_each_line_is_translated_by_itself(client):
    asked = [{"role": "user", "content": "Open the file.\nOpen the file.\nopen the file."}]
    text = _post(client, messages=asked).json()["choices"][0]["message"]["content"]
    assert text.split("\n")[:2] == [OPENED, OPENED]
    assert len(text.split("\n")) == 3


def test_options_of_sampling_have_no_effect(client):
    body = _post(
        client, temperature=0.3, max_tokens=5, n=1, response_format={"type": "text"}
    ).json()
    assert body["choices"][0]["message"]["content"] == OPENED


@pytest.mark.parametrize(
    ("name", "value"),
    [("tools", [{}]), ("n", 2), ("response_format", {"type": "json_object"}), ("logprobs", True)],
)
def test_an_option_that_is_not_honored_is_refused_by_name(client, name, value):
    answer = _post(client, **{name: value})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(name)


def test_a_stream_has_the_same_text_and_an_end(client):
    lines = [line for line in _post(client, stream=True).text.split("\n") if line]
    assert lines[-1] == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "".join(delta.get("content", "") for delta in deltas) == OPENED
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    "values",
    [
        {"model": None},
        {"model": "other"},
        {"messages": "text"},
        {"messages": []},
        {"messages": [{"role": "system", "content": "text"}]},
        {"messages": [{"role": "user", "content": 5}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
    ],
)
def test_what_is_wrong_is_told_as_the_api_does(client, values):
    answer = _post(client, **values)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_models_are_listed(client):
    assert [each["id"] for each in client.get("/v1/models").json()["data"]] == ["en-de"]
