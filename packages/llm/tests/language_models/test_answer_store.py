"""The file of answers: what is found again, and what damage does not matter."""

from __future__ import annotations

import json
import os
import stat
import threading

import pytest

from docmt_llm.answers.answer_store import AnswerStore, request_digest
from docmt_llm.chat_model import ChatAnswer, ChatMessage, TokenUsage
from language_models.endpoints import SCHEMA, request

ONE, TWO, THREE = (f"{number:064x}" for number in range(3))
ANSWER = ChatAnswer("Grüße\u2028\n„Ja“ \ud800", "length", TokenUsage(20, 8, 2))


def opened(path) -> AnswerStore:
    store = AnswerStore(path)
    assert store.problem is None
    return store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


def test_an_answer_is_found_again_by_its_digest_and_in_the_next_process(path):
    store = opened(path)
    assert store.find(ONE) is None
    store.add(ONE, ANSWER)
    assert (store.find(ONE), store.find(TWO)) == (ANSWER, None)
    assert opened(path).find(ONE) == ANSWER


def test_the_file_is_for_its_owner_and_has_a_line_of_json_for_each_answer(path):
    store = opened(path)
    store.add(ONE, ChatAnswer("Ja."))
    store.add(TWO, ChatAnswer("Nein."))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [json.loads(line)[:2] for line in path.read_text().splitlines()] == [
        [ONE, "Ja."],
        [TWO, "Nein."],
    ]


@pytest.mark.parametrize("left", range(1, 60, 7))
def test_a_damaged_last_line_loses_that_answer_alone(path, left):
    store = opened(path)
    store.add(ONE, ChatAnswer("Ja."))
    begin = path.stat().st_size
    store.add(TWO, ChatAnswer("Nein."))
    os.truncate(path, begin + left)
    again = opened(path)
    assert (again.find(ONE), again.find(TWO)) == (ChatAnswer("Ja."), None)
    again.add(THREE, ChatAnswer("Doch."))
    last = opened(path)
    assert (last.find(ONE), last.find(TWO)) == (ChatAnswer("Ja."), None)
    assert last.find(THREE) == ChatAnswer("Doch.")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        f'["{TWO}", "text"]'.encode(),
        f'["{TWO}", 5, "stop", [0, 0, 0]]'.encode(),
        f'["{TWO}", "text", "why", [0, 0, 0]]'.encode(),
        f'["{TWO}", "text", "stop", [0, 0]]'.encode(),
        f'["{TWO}", "text", "stop", [0, 0, "x"]]'.encode(),
        f'["{TWO}", "text", "stop", [0, 0, 1e999]]'.encode(),
        f'["{TWO[:-1]}g", "text", "stop", [0, 0, 0]]'.encode(),
        f'["{TWO}", '.encode() + b"[" * 100_000 + b"]",
    ],
)
def test_lines_that_are_not_answers_are_passed_over(path, line):
    opened(path).add(ONE, ChatAnswer("Ja."))
    with path.open("ab") as file:
        file.write(line + b"\n")
    store = opened(path)
    store.add(THREE, ChatAnswer("Doch."))
    assert store.find(ONE) == ChatAnswer("Ja.")
    assert store.find(TWO) is None
    assert store.find(THREE) == ChatAnswer("Doch.")


def test_processes_and_threads_share_the_file(path):
    stores = [opened(path) for _ in range(4)]

    def add(number):
        for index in range(50):
            stores[number].add(f"{number * 50 + index:064x}", ChatAnswer("x" * index))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = opened(path)
    assert len(again) == 200
    for number in range(200):
        answer = ChatAnswer("x" * (number % 50))
        assert again.find(f"{number:064x}") == answer
        assert stores[number // 50].find(f"{number:064x}") == answer


def refused(path):
    """Why a store cannot be kept at a path."""
    store = AnswerStore(path)
    store.add(ONE, ANSWER)
    assert store.find(ONE) is None
    return str(store.problem)


def test_a_link_a_folder_and_a_file_of_another_user_are_no_store(path, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").touch()
    path.symlink_to(tmp_path / "elsewhere")
    assert "cannot be opened" in refused(path)
    assert (tmp_path / "elsewhere").read_bytes() == b""
    path.unlink()
    path.mkdir()
    assert "cannot be opened" in refused(path)
    path.rmdir()
    os.mkfifo(path)
    assert "not a regular file" in refused(path)
    path.unlink()
    path.touch()
    monkeypatch.setattr("os.geteuid", lambda: path.stat().st_uid + 1)
    assert "not a regular file of this user" in refused(path)
    assert "cannot be opened" in refused(tmp_path / "missing" / "answers.jsonl")


def test_a_file_that_is_too_large_is_not_read(path):
    path.touch()
    os.truncate(path, 1 << 40)
    assert "larger than 1,024 MiB" in refused(path)


def test_looking_for_answers_makes_no_file(path):
    assert opened(path).find(ONE) is None
    assert not path.exists()


def test_on_a_full_disk_answers_are_not_kept_and_the_reason_is(path, monkeypatch):
    store = opened(path)
    store.add(ONE, ChatAnswer("Ja."))

    def write(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", write)
    store.add(TWO, ChatAnswer("Nein."))
    assert "No space left" in store.problem
    assert (store.find(ONE), store.find(TWO)) == (ChatAnswer("Ja."), None)


def test_the_digest_depends_on_all_that_an_answer_depends_on():
    identity = {"model": "m"}
    asked = request(schema=SCHEMA)
    others = [
        request("Good evening.", schema=SCHEMA),
        request(),
        request(schema=SCHEMA, seed=1),
        request(schema=SCHEMA, max_tokens=7),
        request(schema={**SCHEMA, "required": []}),
    ]
    digests = {request_digest(identity, each) for each in [asked, *others]}
    digests.add(request_digest({"model": "n"}, asked))
    assert len(digests) == 7
    assert request_digest(identity, request(schema=SCHEMA)) in digests
    joined = (ChatMessage("user", "a"), ChatMessage("user", "b"))
    assert request_digest(identity, type(asked)(joined, 5)) != request_digest(
        identity, type(asked)((ChatMessage("user", "ab"),), 5)
    )
