"""`BatchScheduler`: one thread searches the instances of several requests together.

The unit is the instance, not the request. Instances that arrive during a search wait; then as many
as fit into the limits of the search share the next batch: interactive requests before others, the
oldest first. Sentences and files are not searched together, as a batch takes as long as the longest
instance. Nor does a sentence wait for the batch of a book: between two steps of a long search, the
instances of interactive requests are searched. With a compiled system, a few instances of an
interactive request are searched at once in the thread of the request, one thread for each
processor; more requests than processors share batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition, Event, Semaphore, Thread
from time import monotonic
from typing import TYPE_CHECKING, Self

from docmt_files.base.system_calls import processor_count

if TYPE_CHECKING:
    # They need torch, and a service of language models does not.
    from docmt_nmt.decoding.beams import Hypothesis
    from docmt_nmt.decoding.instance_search import InstanceSearch, SearchedInstance, Tokens

Results = list[list["Hypothesis"]]
"""For each instance the hypotheses, best first."""

MAX_WAIT = 10.0
"""Seconds of waiting after which any request is as urgent as an interactive one."""


class CancelledError(Exception):
    """A translation was cancelled before it was done."""


@dataclass(eq=False, slots=True)
class _Work:
    """Instances of a request, for one search."""

    search: InstanceSearch
    searched: Sequence[SearchedInstance]
    given: Sequence[Tokens]
    interactive: bool
    cancelled: Event = field(default_factory=Event)
    results: Future[Results] = field(default_factory=Future)
    since: float = field(default_factory=monotonic)

    def is_urgent(self, now: float) -> bool:
        return self.interactive or now - self.since > MAX_WAIT


@dataclass(frozen=True, slots=True)
class ScheduledRequest:
    """A request of the scheduler: the priority, and the way to cancel.

    Attributes:
        scheduler: searches the instances of the request.
        interactive: whether somebody waits for the request.
        cancelled: set to give the request up.
    """

    scheduler: BatchScheduler
    interactive: bool = True
    cancelled: Event = field(default_factory=Event)

    def search_batch(
        self, search: InstanceSearch, searched: Sequence[SearchedInstance], given: Sequence[Tokens]
    ) -> Results:
        """Search instances, perhaps with other requests'; as `InstanceSearch.search_batch`.

        Raises:
            CancelledError: the request is cancelled.
        """
        if self.cancelled.is_set():
            raise CancelledError
        return self.scheduler.search_batch(search, searched, given, self)


class BatchScheduler:
    """Searches the instances of several requests together.

    Args:
        observe: called after each batch with the number of requests, of instances, and the seconds.
    """

    def __init__(self, observe: Callable[[int, int, float], None] | None = None) -> None:
        self._observe = observe
        self._changed = Condition()
        self._waiting: list[_Work] = []
        self._thread: Thread | None = None
        self._closed = False
        self._threads = Semaphore(processor_count())

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._run, name="docmt-scheduler", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Finish the current batch, and give up all waiting instances."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        assert self._thread is not None
        self._thread.join()

    @property
    def waiting(self) -> int:
        """The number of waiting instances."""
        with self._changed:
            return sum(len(work.searched) for work in self._waiting)

    @property
    def is_alive(self) -> bool:
        """True while the thread of the scheduler runs."""
        return self._thread is not None and self._thread.is_alive()

    def search_batch(
        self,
        search: InstanceSearch,
        searched: Sequence[SearchedInstance],
        given: Sequence[Tokens],
        scheduled: ScheduledRequest,
    ) -> Results:
        """Search instances together with other waiting ones; as `ScheduledRequest.search_batch`.

        Raises:
            CancelledError: the request is cancelled, or the scheduler ends.
            RuntimeError: the scheduler is not at work.
        """
        work = _Work(search, searched, given, scheduled.interactive, scheduled.cancelled)
        short = search.is_compiled(searched) and not search.takes_long(searched)
        if work.interactive and short and self._threads.acquire(blocking=False):
            return self._search_here(work)
        with self._changed:
            if self._closed:
                raise CancelledError
            if not self.is_alive:
                raise RuntimeError("the scheduler is not at work")
            self._waiting.append(work)
            self._changed.notify_all()
        while not scheduled.cancelled.is_set():
            try:
                return work.results.result(timeout=0.25)
            except TimeoutError:
                continue
        with self._changed:
            if work in self._waiting:
                self._waiting.remove(work)
        raise CancelledError

    def _search_here(self, work: _Work) -> Results:
        """Search a few instances by a compiled system in the thread of the request, while others
        search in theirs: together they would take longer, and none needs to wait for a batch."""
        from docmt_nmt.decoding.search_loop import calling_between_steps

        def check() -> None:
            if self._closed or work.cancelled.is_set():
                raise CancelledError

        start = monotonic()
        try:
            check()
            with calling_between_steps(check):
                results = work.search.search_batch(work.searched, work.given)
        finally:
            self._threads.release()
        if self._observe is not None:
            self._observe(1, len(work.searched), monotonic() - start)
        return results

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    abandoned, self._waiting = self._waiting, []
                    break
                try:
                    batch = next_batch(self._waiting, monotonic())
                except Exception:
                    batch = self._waiting[:1]  # The search will show the error.
                for work in batch:
                    self._waiting.remove(work)
            self._search(batch)
        for work in abandoned:
            work.results.set_exception(CancelledError())

    def _interrupt(self, batch: Sequence[_Work]) -> None:
        """Search the instances of interactive requests, in the middle of a long batch.

        Raises:
            CancelledError: all requests of the batch are cancelled.
        """
        with self._changed:
            if self._closed or all(work.cancelled.is_set() for work in batch):
                raise CancelledError
            waiting = [work for work in self._waiting if work.interactive]
            short = [work for work in waiting if not work.search.takes_long(work.searched)]
            chosen = next_batch(short, monotonic()) if short else []
            for work in chosen:
                self._waiting.remove(work)
        if chosen:
            self._search(chosen, nested=True)

    def _search(self, batch: Sequence[_Work], *, nested: bool = False) -> None:
        """Search a batch, perhaps between two steps of another one. After an error each request is
        tried alone, so one request fails alone."""
        from docmt_nmt.decoding.search_loop import calling_between_steps

        start = monotonic()
        searched = [one for work in batch for one in work.searched]
        given = [tokens for work in batch for tokens in work.given]
        search = batch[0].search
        is_long = not batch[0].interactive or search.takes_long(searched)

        def between_steps() -> None:
            if is_long and not nested:
                self._interrupt(batch)

        try:
            with calling_between_steps(between_steps):
                results = iter(search.search_batch(searched, given))
        except BaseException as error:
            if len(batch) > 1:
                for work in batch:
                    self._search([work], nested=nested)
            else:
                batch[0].results.set_exception(error)
            return
        for work in batch:
            work.results.set_result([next(results) for _ in work.searched])
        if self._observe is not None:
            self._observe(len(batch), len(searched), monotonic() - start)


def next_batch(waiting: Sequence[_Work], now: float) -> list[_Work]:
    """Choose the next batch: the first urgent work, or the first of all, with as many others as fit
    into the limits of the search.

    Args:
        waiting: the waiting work, in order of arrival; not empty.
        now: the time, in seconds, as `time.monotonic` gives it.
    """
    ordered = sorted(waiting, key=lambda work: not work.is_urgent(now))
    first, *others = ordered
    batch, searched = [first], list(first.searched)
    for work in others:
        alike = work.interactive == first.interactive
        if not alike or not first.search.shares_batches_with(work.search):
            continue
        together = [*searched, *work.searched]
        if first.search.fits_into_a_batch(together):
            batch.append(work)
            searched = together
    return batch
