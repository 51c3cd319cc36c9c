"""The chat-completions API translates the last message of the user."""

from __future__ import annotations

import json
import re
import threading

import pytest

from docmt_files.base.errors import UnavailableError
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_serve.models.models import Model, Models
from scripted_model import ScriptedModel, honest, translate

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


def _events(answer):
    """The data of the events of a stream, without the end."""
    *events, end = [line for line in answer.text.split("\n") if line]
    assert end == "data: [DONE]"
    return [json.loads(event.removeprefix("data: ")) for event in events]


def _contents(chunks):
    """The parts of a text in the chunks of a stream."""
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    return [delta["content"] for delta in deltas if "content" in delta]


def test_a_stream_has_a_chunk_for_each_sentence_and_an_end(client):
    asked = [{"role": "user", "content": "Open the file. Close it.\n\n- Close it.\n"}]
    whole = _post(client, messages=asked).json()["choices"][0]["message"]["content"]
    chunks = _events(_post(client, messages=asked, stream=True))
    assert _contents(chunks) == [f"{OPENED} ", "Schließen Sie sie.\n\n- ", "Schließen Sie sie.\n"]
    assert "".join(_contents(chunks)) == whole
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert len({chunk["id"] for chunk in chunks}) == 1


@pytest.mark.parametrize("text", ["12", "See https://a.org/b. Open it."])
def test_a_text_with_codes_or_without_words_is_one_chunk(client, text):
    asked = [{"role": "user", "content": text}]
    whole = _post(client, messages=asked).json()["choices"][0]["message"]["content"]
    assert _contents(_events(_post(client, messages=asked, stream=True))) == [whole]


def _model_of(client_of, behavior):
    model = LanguageModelTranslator.of(ScriptedModel(behavior), ("en", "de"))
    return client_of(Models([Model("en-de", model)]))


def test_sentences_of_a_language_model_come_as_they_are_ready(client_of):
    told, seen = threading.Event(), []

    def wait_for_the_first(sentences, request):
        if "Close it." in sentences.values():
            seen.append(told.wait(20))
        return honest(sentences, request)

    client = _model_of(client_of, wait_for_the_first)
    asked = {"model": "en-de", "stream": True}
    asked["messages"] = [{"role": "user", "content": "Open the file. Close it."}]
    with client.stream("POST", "/v1/chat/completions", json=asked) as answer:
        for line in answer.iter_lines():
            if translate("Open") in line:
                told.set()
    assert seen == [True]


def test_an_error_before_the_first_sentence_is_an_answer_and_a_later_one_an_event(client_of):
    def fail(sentences, request):
        if "Close it." in sentences.values():
            raise UnavailableError("the endpoint is gone", cure="Start it")
        return honest(sentences, request)

    client = _model_of(client_of, fail)
    asked = [{"role": "user", "content": "Close it. Open it."}]
    assert _post(client, messages=asked, stream=True).status_code == 503
    asked = [{"role": "user", "content": "Open it. Close it."}]
    answer = _post(client, messages=asked, stream=True)
    assert answer.status_code == 200
    *_, first, error = [line for line in answer.text.split("\n") if line]
    assert translate("Open it.") in first
    assert json.loads(error.removeprefix("data: "))["error"]["type"] == "server_error"


def test_a_stream_counts_its_characters_once(client_of):
    client = client_of()
    asked = [{"role": "user", "content": "Open the file. Close it."}]
    _post(client, messages=asked, stream=True)
    counted = re.search(r"\ndocmt_characters_total (\S+)", client.get("/metrics").text)
    assert float(counted[1]) == len(asked[0]["content"])


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
