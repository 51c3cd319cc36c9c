"""Instances of several requests are searched together, and each request gets its own results."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import docmt_nmt
from docmt_nmt import Document, InputError
from docmt_serve.scheduler import BatchScheduler, CancelledError, ScheduledRequest, next_batch

SENTENCES = [
    "Open the file.",
    "Save the workbook in a library.",
    "You can't undo this.",
    "Select the Home tab, and then select Share.",
    "Delete the folder.",
]


@pytest.fixture(scope="module")
def translator():
    return docmt_nmt.load(beam_size=2)


class _Search:
    """A search that says how many instances it was given at once, and fails where it is told to."""

    def __init__(self, room=10, compiled=False):
        self.room, self.batches, self.compiled = room, [], compiled
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.may_end.set()

    def shares_batches_with(self, other):
        return self is other

    def fits_into_a_batch(self, searched):
        return len(searched) <= self.room

    def is_compiled(self, _searched):
        return self.compiled

    def takes_long(self, searched):
        return len(searched) > self.room

    def search_batch(self, searched, _given):
        self.begun.set()
        assert self.may_end.wait(10)
        self.batches.append(list(searched))
        if "bad" in searched:
            raise InputError("not finite")
        return [f"{one}!" for one in searched]


def _submit(pool, scheduler, search, *names, interactive=True, cancelled=None):
    scheduled = ScheduledRequest(scheduler, interactive, cancelled or threading.Event())
    return pool.submit(scheduled.search_batch, search, list(names), [()] * len(names))


def _wait_for(scheduler, waiting):
    end = time.monotonic() + 10
    while scheduler.waiting != waiting:
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.fixture
def busy():
    """A scheduler that is searching "first", and a pool of threads that wait for it."""
    search = _Search()
    search.may_end.clear()
    with BatchScheduler() as scheduler, ThreadPoolExecutor(16) as pool:
        first = _submit(pool, scheduler, search, "first")
        assert search.begun.wait(10)
        yield scheduler, pool, search, first
        search.may_end.set()


def test_what_waits_shares_the_next_batch_and_each_gets_its_own(busy):
    scheduler, pool, search, first = busy
    futures = [_submit(pool, scheduler, search, f"{i}a", f"{i}b") for i in range(4)]
    _wait_for(scheduler, 8)
    search.may_end.set()
    assert first.result() == ["first!"]
    assert [each.result() for each in futures] == [[f"{i}a!", f"{i}b!"] for i in range(4)]
    assert sorted(map(len, search.batches)) == [1, 8]


def test_interactive_requests_come_before_files_and_the_oldest_first(busy):
    scheduler, pool, search, _ = busy
    search.room = 1
    names = [("file", False), ("sentence 1", True), ("sentence 2", True)]
    futures = []
    for number, (name, interactive) in enumerate(names, start=1):
        futures.append(_submit(pool, scheduler, search, name, interactive=interactive))
        _wait_for(scheduler, number)
    search.may_end.set()
    for future in futures:
        future.result()
    assert search.batches == [["first"], ["sentence 1"], ["sentence 2"], ["file"]]


def test_a_sentence_is_searched_between_two_steps_of_a_file(translator):
    alone = (
        docmt_nmt.translate_text(translator, SENTENCES),
        docmt_nmt.translate_text(translator, [SENTENCES[0]]),
    )
    ended = []

    def translate(texts, interactive, scheduler):
        scheduled = ScheduledRequest(scheduler, interactive)
        result = docmt_nmt.translate_text(translator.searching_by(scheduled.search_batch), texts)
        ended.append(interactive)
        return result

    with BatchScheduler() as scheduler, ThreadPoolExecutor(2) as pool:
        steps = _Steps(scheduler, lambda: pool.submit(translate, SENTENCES[:1], True, scheduler))
        file = pool.submit(translate, SENTENCES, False, scheduler)
        results = file.result(), steps.sentence.result()
    assert ended == [True, False]
    assert results == alone


class _Steps:
    """Lets a sentence come in the middle of the batch that is searched first."""

    def __init__(self, scheduler, begin):
        self._interrupt, self._begin = scheduler._interrupt, begin
        self._scheduler, self.sentence, self._count = scheduler, None, 0
        scheduler._interrupt = self

    def __call__(self, batch):
        self._count += 1
        if self._count == 3:
            self.sentence = self._begin()
            _wait_for(self._scheduler, 1)
        self._interrupt(batch)


def test_a_file_that_was_cancelled_ends_between_two_steps(translator):
    cancelled, steps = threading.Event(), []
    with BatchScheduler() as scheduler:
        interrupt = scheduler._interrupt

        def count(batch):
            steps.append(batch)
            if len(steps) == 3:
                cancelled.set()
            interrupt(batch)

        scheduler._interrupt = count
        scheduled = ScheduledRequest(scheduler, interactive=False, cancelled=cancelled)
        with pytest.raises(CancelledError):
            docmt_nmt.translate_text(translator.searching_by(scheduled.search_batch), SENTENCES)
    assert len(steps) == 3


def test_a_file_that_waited_long_is_as_urgent_as_a_sentence():
    def work(name, since, interactive):
        return SimpleNamespace(
            search=_Search(room=1),
            searched=[name],
            interactive=interactive,
            is_urgent=lambda now: interactive or now - since > 10,
        )

    waiting = [work("file", 0, False), work("sentence", 5, True)]
    assert next_batch(waiting, 9)[0].searched == ["sentence"]
    assert next_batch(waiting, 11)[0].searched == ["file"]


def test_what_fails_in_a_shared_batch_fails_alone(busy):
    scheduler, pool, search, _ = busy
    good, bad = (_submit(pool, scheduler, search, name) for name in ("good", "bad"))
    _wait_for(scheduler, 2)
    search.may_end.set()
    assert good.result() == ["good!"]
    with pytest.raises(InputError):
        bad.result()


def test_a_cancelled_request_is_not_searched(busy):
    scheduler, pool, search, _ = busy
    cancelled = threading.Event()
    given_up = _submit(pool, scheduler, search, "given up", cancelled=cancelled)
    _wait_for(scheduler, 1)
    cancelled.set()
    with pytest.raises(CancelledError):
        given_up.result()
    search.may_end.set()
    _wait_for(scheduler, 0)
    assert ["given up"] not in search.batches


def test_closing_gives_up_what_waits():
    search = _Search()
    search.may_end.clear()
    with ThreadPoolExecutor(2) as pool:
        with BatchScheduler() as scheduler:
            first = _submit(pool, scheduler, search, "first")
            assert search.begun.wait(10)
            second = _submit(pool, scheduler, search, "second")
            _wait_for(scheduler, 1)
            threading.Timer(0.05, search.may_end.set).start()
        assert first.result() == ["first!"]
        with pytest.raises(CancelledError):
            second.result()


def test_translations_are_the_same_as_without_a_scheduler(translator):
    alone = [docmt_nmt.translate_text(translator, [sentence]) for sentence in SENTENCES]
    batches = []
    with BatchScheduler(lambda *counts: batches.append(counts)) as scheduler:
        shared = translator.searching_by(ScheduledRequest(scheduler).search_batch)
        with ThreadPoolExecutor(len(SENTENCES)) as pool:
            together = list(
                pool.map(lambda text: docmt_nmt.translate_text(shared, [text]), SENTENCES)
            )
    assert together == alone
    assert sum(requests for requests, _, _ in batches) == len(SENTENCES)


def test_glossaries_of_different_requests_are_not_mixed(translator):
    from docmt_nmt.translators.glossary import Glossary, Term

    def request(target):
        return docmt_nmt.TranslationRequest(
            [Document("d", ("Delete the folder.",))], Glossary([Term(("folder",), (target,))])
        )

    with BatchScheduler() as scheduler, ThreadPoolExecutor(2) as pool:
        shared = translator.searching_by(ScheduledRequest(scheduler).search_batch)
        one, other = pool.map(
            lambda word: shared.translate(request(word))[0].document.target[0],
            ("Mappe", "Verzeichnis"),
        )
    assert "Mappe" in one
    assert "Verzeichnis" in other


def test_a_sentence_of_a_compiled_run_does_not_wait_for_a_batch():
    with BatchScheduler() as scheduler, ThreadPoolExecutor(2) as pool:
        book, compiled = _Search(), _Search(compiled=True)
        book.may_end.clear()
        slow = _submit(pool, scheduler, book, "a", "b", interactive=False)
        assert book.begun.wait(10)
        assert _submit(pool, scheduler, compiled, "c").result(10) == ["c!"]
        assert not slow.done()
        book.may_end.set()
        assert slow.result(10) == ["a!", "b!"]


def test_a_cancelled_sentence_of_a_compiled_run_is_not_searched():
    cancelled = threading.Event()
    cancelled.set()
    with BatchScheduler() as scheduler, ThreadPoolExecutor(1) as pool:
        compiled = _Search(compiled=True)
        waiting = _submit(pool, scheduler, compiled, "c", cancelled=cancelled)
        with pytest.raises(CancelledError):
            waiting.result(10)
    assert compiled.batches == []


def test_sentences_of_a_compiled_run_share_a_batch_where_all_processors_search():
    processors = os.cpu_count() or 1
    with BatchScheduler() as scheduler, ThreadPoolExecutor(processors + 4) as pool:
        busy = [_Search(compiled=True) for _ in range(processors)]
        book, compiled = _Search(), _Search(compiled=True)
        for search in (*busy, book):
            search.may_end.clear()
        held = [_submit(pool, scheduler, search, "b") for search in busy]
        held.append(_submit(pool, scheduler, book, "a", interactive=False))
        assert all(search.begun.wait(10) for search in (*busy, book))
        waiting = [_submit(pool, scheduler, compiled, name) for name in "cde"]
        _wait_for(scheduler, 3)
        for search in (*busy, book):
            search.may_end.set()
        assert [each.result(10) for each in waiting] == [["c!"], ["d!"], ["e!"]]
        assert all(each.result(10) for each in held)
    assert len(compiled.batches) == 1
