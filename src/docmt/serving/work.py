"""`Work`: translations in threads, for an event loop that answers requests.

Equal requests that are in flight share one translation, as clients send a request again that takes
long. A translation whose last client has gone is cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from docmt.decoding.scheduler import BatchScheduler, CancelledError, ScheduledRequest
from docmt.decoding.translator import BeamSearchTranslator
from docmt.serving.cancellable import CancellableTranslator
from docmt.serving.models import Model
from docmt.serving.service_errors import busy, stopping
from docmt.translating.texts import TextRequest, TranslatedText, translate_texts
from docmt.translators.translator import Translator

_THREADS = 64
"""Requests that are translated at a time. Threads mostly wait for the scheduler."""


@dataclass(eq=False, slots=True)
class _Flight:
    """A translation that some requests wait for."""

    task: asyncio.Future[Any]
    scheduled: ScheduledRequest
    waiting: int = 0


@dataclass(eq=False)
class Work:
    """Translations that the service is at.

    Attributes:
        scheduler: searches the batches of all.
        queue_limit: most translations at a time; each further one is refused.
    """

    scheduler: BatchScheduler
    queue_limit: int
    _shared: dict[Hashable, _Flight] = field(default_factory=dict)
    _flights: set[_Flight] = field(default_factory=set)
    _given_up: bool = False
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_THREADS, thread_name_prefix="docmt-request")
    )

    @property
    def in_flight(self) -> int:
        """The number of translations that have begun or wait."""
        return len(self._flights)

    def give_up(self) -> None:
        """Cancel all translations, and refuse further ones."""
        self._given_up = True
        for flight in tuple(self._flights):
            flight.scheduled.cancelled.set()

    def close(self) -> None:
        """Give up all translations, and wait until they have noticed."""
        self.give_up()
        self._threads.shutdown(cancel_futures=True)

    async def translate(
        self,
        request: Request,
        model: Model,
        texts: TextRequest,
        account: str = "",
        begin: Callable[[], None] = lambda: None,
    ) -> list[TranslatedText]:
        """Translate the texts of a request, whose body has been read.

        Args:
            request: the request; if its client goes, nothing waits for the translation any more.
            model: translates them.
            texts: what is translated.
            account: whose request it is; only requests of the same account share a translation.
            begin: called if the translation is not shared with a request that came before.

        Raises:
            ServiceError: too many translations wait, or the service ends.
            CancelledError: the client has gone.
            InputError: the model cannot do what is asked for.
        """

        def work(scheduled: ScheduledRequest) -> list[TranslatedText]:
            if scheduled.cancelled.is_set():
                raise CancelledError
            return translate_texts(through(model.translator, scheduled), texts)

        key = account, model.name, texts
        flight = self._shared.get(key)
        if flight is None:
            if len(self._flights) >= self.queue_limit:
                raise busy()
            begin()
            flight = self._take_off(key, work)
        return await self._wait(key, flight, request)  # type: ignore[no-any-return]

    def _take_off(self, key: Hashable, work: Callable[[ScheduledRequest], Any]) -> _Flight:
        """Begin a translation that requests with this key share."""
        if self._given_up:
            raise stopping()
        scheduled = ScheduledRequest(self.scheduler)
        task = asyncio.get_running_loop().run_in_executor(self._threads, work, scheduled)
        flight = self._shared[key] = _Flight(task, scheduled)
        self._flights.add(flight)

        def landed(task: asyncio.Future[Any]) -> None:
            self._flights.discard(flight)
            self._forget(key, flight)
            # Nobody may be left to read its error.
            task.cancelled() or task.exception()

        task.add_done_callback(landed)
        return flight

    async def _wait(self, key: Hashable, flight: _Flight, request: Request) -> Any:
        """The result of a translation, for a request that shares it."""
        flight.waiting += 1
        gone = asyncio.ensure_future(disconnected(request))
        try:
            await asyncio.wait({flight.task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not flight.task.done():
                raise CancelledError
            return flight.task.result()
        except (CancelledError, asyncio.CancelledError):
            if self._given_up:
                raise stopping() from None
            raise
        finally:
            flight.waiting -= 1
            if flight.waiting == 0 and not flight.task.done():
                flight.scheduled.cancelled.set()
                self._forget(key, flight)  # A later request must not share what is given up.
            gone.cancel()
            with suppress(asyncio.CancelledError):
                await gone

    def _forget(self, key: Hashable, flight: _Flight) -> None:
        """Let no further request share a translation."""
        if self._shared.get(key) is flight:
            del self._shared[key]


def through(translator: Translator, scheduled: ScheduledRequest) -> Translator:
    """The translator as it works for a request: one for systems of docmt has its batches searched
    with those of others; any other ends when it shows progress after the request was given up."""
    if isinstance(translator, BeamSearchTranslator):
        return translator.searching_by(scheduled.search_batch)
    return CancellableTranslator(translator, scheduled)


async def disconnected(request: Request) -> None:
    """Wait until the client of a request, whose body has been read, has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
