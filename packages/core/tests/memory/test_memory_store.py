"""A translation memory finds what it has, at once and among others, and stays whole."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.memory import TranslationMemory, Unit
from docmt.memory.similarity import similarity, tokenize
from docmt_files.base.errors import InputError

LANGUAGES = ("en", "de")


@pytest.fixture
def memory(tmp_path):
    with TranslationMemory(tmp_path / "m.db", LANGUAGES, create=True) as opened:
        yield opened


def _targets(memory, source, **keys):
    return [match.unit.target for match in memory.look_up(source, **keys)]


def test_exact_matches_in_context_come_first(memory):
    memory.add(
        [
            Unit("Open it.", "Öffnen Sie es.", "Close it.", "Save it."),
            Unit("Open it.", "Öffne sie.", "Here is the file.", "Save it."),
        ]
    )
    found = memory.look_up("Open  it.", before="Here is the file.", after="Save it.")
    assert [match.unit.target for match in found] == ["Öffne sie.", "Öffnen Sie es."]
    assert [match.in_context for match in found] == [True, False]
    memory.add([Unit("Open it.", "Auf!", key="open")])
    assert memory.look_up("Open it.", key="open")[0].unit.target == "Auf!"


def test_fuzzy_matches_are_ranked_by_the_words_that_differ(memory):
    memory.add(
        [
            Unit("Select the red file in the list.", "a"),
            Unit("Select the red file in the long list.", "b"),
            Unit("Nothing is alike.", "c"),
        ]
    )
    (first, second) = memory.look_up("Select the blue file in the list.")
    assert (first.unit.target, second.unit.target) == ("a", "b")
    assert first.rate == pytest.approx(7 / 8)  # one of eight words, the full stop is one
    assert _targets(memory, "Select the blue file in the list.", threshold=0.9) == []


def test_numbers_that_differ_are_told(memory):
    memory.add([Unit("Wait 20 seconds.", "Warten Sie 20 Sekunden.")])
    (match,) = memory.look_up("Wait 1.5 seconds.", threshold=1.0)
    assert (match.rate, match.values_differ) == (1.0, True)


def test_a_unit_in_the_same_place_gets_the_new_translation(memory):
    assert memory.add([Unit("a b", "1", "x", "y"), Unit("a b", "2", "x", "z")]) == 2
    assert memory.add([Unit("a b", "3", "x", "y"), Unit("a b", "2", "x", "z")]) == 1
    assert sorted(unit.target for unit in memory.units()) == ["2", "3"]


def test_many_small_additions_become_one_batch_and_are_found(memory):
    for number in range(70):
        memory.add([Unit(f"the word{number} is here now", str(number))])
    assert _targets(memory, "the word3 is here today") == ["3"]
    (batches,) = sqlite3.connect(memory.path).execute("SELECT count(*) FROM batches").fetchone()
    assert batches < 70


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h"]), min_size=1, max_size=9)


@given(st.lists(WORDS, min_size=1, max_size=20), WORDS)
def test_no_match_above_the_threshold_is_missed(sentences, wanted):
    with TranslationMemory(None, LANGUAGES) as memory:
        memory.add(Unit(" ".join(words), "t", key=str(i)) for i, words in enumerate(sentences))
        found = {match.unit.key for match in memory.look_up(" ".join(wanted), most=100)}
    rates = {str(i): similarity(wanted, words) for i, words in enumerate(sentences)}
    exact = {key for key, rate in rates.items() if rate == 1}
    assert found == (exact or {key for key, rate in rates.items() if rate >= 0.75})


def test_words_of_scripts_without_spaces_are_characters():
    assert tokenize("打开文件3。").words == ("打", "开", "文", "件", "#", "。")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"not a memory", "is not a translation memory"), (b"", "is not a translation memory")],
)
def test_what_is_no_memory_is_refused(tmp_path, content, message):
    (tmp_path / "m.db").write_bytes(content)
    with pytest.raises(InputError, match=message):
        TranslationMemory(tmp_path / "m.db")


def test_a_memory_of_other_languages_or_none_is_refused(tmp_path, memory):
    with pytest.raises(InputError, match="is of en → de, not of en → fr"):
        TranslationMemory(memory.path, ("en", "fr"))
    with pytest.raises(InputError, match="no such file"):
        TranslationMemory(tmp_path / "no.db", LANGUAGES)
    with pytest.raises(InputError, match="a new memory needs its languages"):
        TranslationMemory(tmp_path / "no.db", create=True)
    TranslationMemory(memory.path, ("en-US", "de-AT")).close()


def test_two_that_add_at_once_lose_nothing(tmp_path):
    path = tmp_path / "m.db"
    TranslationMemory(path, LANGUAGES, create=True).close()

    def work(name):
        with TranslationMemory(path) as memory:
            for number in range(20):
                memory.add([Unit(f"{name} {number}", "t")])

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with TranslationMemory(path) as memory:
        assert len(memory) == 60


def test_a_memory_is_whole_after_a_kill(tmp_path):
    path = tmp_path / "m.db"
    TranslationMemory(path, LANGUAGES, create=True).close()
    program = (
        "import sys; from docmt.memory import *\n"
        "m = TranslationMemory(sys.argv[1])\n"
        "for i in range(10**6): m.add([Unit(f'w{i} a b', str(i))]); print(i, flush=True)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True
    )
    for _ in range(5):
        last = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.1)
    with TranslationMemory(path) as memory:
        assert len(memory) > last
        for number in range(last + 1):
            assert _targets(memory, f"w{number} a b") == [str(number)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE units SET codes = '[1'",
        "UPDATE units SET codes = '7'",
        "UPDATE units SET words = x'010203'",
        "UPDATE postings SET list = x'ffffffff0400ff'",
        "DELETE FROM about WHERE name = 'source'",
        "DROP TABLE postings",
        "ALTER TABLE units RENAME COLUMN key TO other",
        "UPDATE about SET value = '1' WHERE name = 'version'",
    ],
)
def test_a_damaged_memory_is_refused_or_gives_nothing(memory, change):
    memory.add([Unit("Open the red file.", "a", codes=((1,), (2,)))])
    base = sqlite3.connect(memory.path)
    base.execute(change)
    base.commit()
    try:
        with TranslationMemory(memory.path) as opened:
            opened.look_up("Open the red file.")
            opened.look_up("Open the blue file.")
            list(opened.units())
    except InputError as error:
        assert "memory" in str(error) or "cannot be used" in str(error)


def test_a_file_that_breaks_adds_nothing(memory, monkeypatch):
    monkeypatch.setattr("docmt.memory.memory_store._BATCH", 2)
    monkeypatch.setattr("docmt.memory.memory_store._INDEXED", 4)

    def broken():
        yield from (Unit(f"a word{number} b c d", "t") for number in range(9))
        raise InputError("is broken")

    with pytest.raises(InputError, match="is broken"):
        memory.add(broken())
    assert len(memory) == 0
    assert memory.add(Unit(f"a word{number} b c d", str(number)) for number in range(9)) == 9
    for number in range(9):
        assert str(number) in _targets(memory, f"a word{number} b c e", most=20)
