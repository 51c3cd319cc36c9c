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

from docmt.decoding.scheduler import BatchScheduler, CancelledError, Lane
from docmt.decoding.translator import BeamSearchTranslator
from docmt.requests import Translator
from docmt.serving.models import Model
from docmt.serving.service_errors import busy
from docmt.serving.text_translation import TextRequest, TranslatedText, translate_texts

_THREADS = 64
"""Requests that are translated at a time. Threads mostly wait for the scheduler."""


@dataclass(eq=False, slots=True)
class _Flight:
    """A translation that some requests wait for."""

    task: asyncio.Future[Any]
    lane: Lane
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
    _flights: dict[Hashable, _Flight] = field(default_factory=dict)
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_THREADS, thread_name_prefix="docmt-request")
    )

    @property
    def in_flight(self) -> int:
        """The number of translations that have begun or wait."""
        return len(self._flights)

    def close(self) -> None:
        """Give up all translations."""
        for flight in self._flights.values():
            flight.lane.cancelled.set()
        self._threads.shutdown(cancel_futures=True)

    async def translate(
        self, request: Request, model: Model, texts: TextRequest, account: str = ""
    ) -> list[TranslatedText]:
        """Translate the texts of a request, whose body has been read.

        Args:
            request: the request; if its client goes, nothing waits for the translation any more.
            model: translates them.
            texts: what is translated.
            account: whose request it is; only requests of the same account share a translation.

        Raises:
            ServiceError: too many translations wait.
            CancelledError: the client has gone.
            InputError: the model cannot do what is asked for.
        """

        def work(lane: Lane) -> list[TranslatedText]:
            return translate_texts(through(model.translator, lane), texts)

        return await self._share((account, model.name, texts), work, request)  # type: ignore[no-any-return]

    async def _share(self, key: Hashable, work: Callable[[Lane], Any], request: Request) -> Any:
        """The result of a function that runs once for all requests with this key."""
        flight = self._flights.get(key)
        if flight is None:
            if len(self._flights) >= self.queue_limit:
                raise busy()
            lane = Lane(self.scheduler)
            loop = asyncio.get_running_loop()
            flight = _Flight(loop.run_in_executor(self._threads, work, lane), lane)
            self._flights[key] = flight
            flight.task.add_done_callback(lambda _: self._flights.pop(key, None))
        flight.waiting += 1
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait({flight.task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not flight.task.done():
                raise CancelledError
            return flight.task.result()
        finally:
            flight.waiting -= 1
            if flight.waiting == 0 and not flight.task.done():
                flight.lane.cancelled.set()
                # A later request must not share what is given up, nor its error go unread.
                self._flights.pop(key, None)
                flight.task.add_done_callback(lambda task: task.cancelled() or task.exception())
            gone.cancel()
            with suppress(asyncio.CancelledError):
                await gone


def through(translator: Translator, lane: Lane) -> Translator:
    """The translator as it works for a request: one for systems of docmt has its batches searched
    with those of others."""
    if isinstance(translator, BeamSearchTranslator):
        return translator.searching_by(lane.search_batch)
    return translator


async def _disconnected(request: Request) -> None:
    """Wait until the client of a request, whose body has been read, has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
