"""Keys of endpoints: where they come from, and that they go nowhere else."""

from __future__ import annotations

import copy
import logging
import pickle
from base64 import b64encode

import pytest

from docmt_files.base.errors import InputError
from docmt_llm.endpoints.endpoint_keys import EndpointKey, find_key
from language_models.endpoints import ask, endpoint
from language_models.scripted_server import Reply, chat, failure, serving

KEY = 'sk-5e"c/r\\et+42'
"""A key with characters that JSON and URLs write otherwise."""


@pytest.fixture
def key_file(tmp_path, monkeypatch):
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    path.chmod(0o600)
    monkeypatch.setenv("DOCMT_API_KEY_FILE", str(path))
    return path


def test_without_a_key_none_is_sent(monkeypatch):
    assert find_key("DOCMT_API_KEY") is None
    monkeypatch.setenv("DOCMT_API_KEY", "")
    assert find_key("DOCMT_API_KEY") is None


def test_the_key_of_the_environment_is_sent(monkeypatch):
    monkeypatch.setenv("DOCMT_OTHER_KEY", f" {KEY}\n")
    with serving([chat("Ja.")]) as server:
        ask(endpoint(server.url, key_variable="DOCMT_OTHER_KEY"))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_key_of_a_file_is_sent(key_file):
    with serving([chat("Ja.")]) as server:
        ask(endpoint(server.url))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o601])
def test_a_key_file_that_others_may_use_is_refused(key_file, mode):
    key_file.chmod(mode)
    with pytest.raises(InputError, match=f"others may read it .mode {mode:o}.*chmod 600"):
        find_key("DOCMT_API_KEY")


def test_a_key_file_of_another_user_is_refused(key_file, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: key_file.stat().st_uid + 1)
    with pytest.raises(InputError, match="belongs to another user"):
        find_key("DOCMT_API_KEY")


@pytest.mark.parametrize("content", [b"", b"two words", b"k\xc3\xa9y", b"one\ntwo", b"a\x00b"])
def test_what_is_not_a_key_is_refused_without_being_shown(key_file, content):
    key_file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        find_key("DOCMT_API_KEY")
    assert not content or content.decode() not in str(caught.value)


def test_a_folder_or_a_missing_file_is_not_a_key_file(key_file, tmp_path, monkeypatch):
    for path in (tmp_path, tmp_path / "missing"):
        monkeypatch.setenv("DOCMT_API_KEY_FILE", str(path))
        with pytest.raises(InputError):
            find_key("DOCMT_API_KEY")


def test_two_keys_are_refused(key_file, monkeypatch):
    monkeypatch.setenv("DOCMT_API_KEY", "other")
    with pytest.raises(InputError, match="are both set"):
        find_key("DOCMT_API_KEY")


def test_a_recipe_can_name_no_variable_that_is_not_for_docmt():
    with pytest.raises(InputError, match="key_variable"):
        endpoint("http://a.test/v1", key_variable="AWS_SECRET_ACCESS_KEY")


def test_a_key_is_not_shown_and_not_copied():
    key = EndpointKey(KEY, "a test")
    assert KEY not in repr(key) + str(key) + f"{key!r:>50}"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            leak(key)


@pytest.mark.parametrize(
    "reply",
    [
        failure(401, f"Incorrect key: Bearer {KEY}"),
        failure(403, f"{KEY} may not"),
        Reply(f"no {KEY}".encode(), 401),
        failure(400, f"bad {KEY}"),
        failure(503, f"{KEY} is busy"),
        failure(404, f"model of sk-5e%22c%2Fr%5Cet%2B42 and {KEY}"),
        Reply(b"", 302, {"Location": "http://b.test/?key=sk-5e%22c%2Fr%5Cet%2B42"}),
        Reply({"detail": [{"msg": KEY}]}, 422),
    ],
)
def test_a_key_that_the_endpoint_says_is_in_no_message_and_no_log(monkeypatch, caplog, reply):
    monkeypatch.setenv("DOCMT_API_KEY", KEY)
    caplog.set_level(logging.INFO)
    with serving([reply]) as server, pytest.raises(InputError) as caught:
        ask(endpoint(server.url, retries=1))
    error = caught.value
    seen = [str(error), repr(error), repr(error.args), error.problem, str(error.cure), caplog.text]
    for form in (KEY, "sk-5e%22c", 'sk-5e\\\\"c', "et+42"):
        assert not any(form in text for text in seen)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    while error.__context__ is not None and not error.__suppress_context__:
        error = error.__context__
        assert KEY not in repr(error)


def test_a_refused_key_is_named_by_where_it_comes_from(monkeypatch):
    monkeypatch.setenv("DOCMT_API_KEY", KEY)
    with serving([failure(401, "Wrong")]) as server, pytest.raises(InputError) as caught:
        ask(endpoint(server.url))
    assert "refuses the key in the environment variable DOCMT_API_KEY (Wrong)" in str(caught.value)
    assert "Correct the key" in str(caught.value)


SECRET = "sk-4fQ81zTn0bWc7Ld2"


@pytest.mark.parametrize(
    "text",
    [
        f'"Der Schlüssel ist {SECRET}."',
        f'"{SECRET[:5]}\u200b{SECRET[5:]}"',
        f'"{SECRET[::-1]}"',
        f'"{b64encode(SECRET.encode()).decode()}"',
        '"' + "".join(f"\\u{ord(character):04x}" for character in SECRET) + '"',
    ],
)
def test_a_key_in_an_answer_is_withheld(monkeypatch, text):
    monkeypatch.setenv("DOCMT_API_KEY", SECRET)
    with serving([chat(text), failure(400, text)]) as server:
        opened = endpoint(server.url)
        (answer,) = ask(opened)
        with pytest.raises(InputError) as caught:
            ask(opened)
    assert (answer.text, answer.finish_reason) == ("", "filter")
    assert SECRET not in str(caught.value) and text not in str(caught.value)


def test_a_word_that_is_a_key_may_be_in_an_answer(monkeypatch):
    monkeypatch.setenv("DOCMT_API_KEY", "ollama")
    with serving([chat('"Starten Sie ollama."')]) as server:
        (answer,) = ask(endpoint(server.url))
    assert answer.text == '"Starten Sie ollama."'
