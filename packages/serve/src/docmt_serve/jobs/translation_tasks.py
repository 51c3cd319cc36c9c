"""`TranslationTasks`: translations in threads, for an event loop.

Equal requests share one translation, because clients repeat a request when an answer takes long. A
translation is cancelled when the last client disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from docmt.translating.streaming import TextPart, stream_text
from docmt.translating.texts import TextRequest, TranslatedText, translate_texts
from docmt_files.base.documents import Document
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.decorator import TranslatorDecorator
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Journal, Plan, ProgressCallback, Translator
from docmt_serve.models.models import Model
from docmt_serve.requests.service_errors import busy, stopping
from docmt_serve.scheduler import BatchScheduler, CancelledError, ScheduledRequest
from docmt_serve.stores.memory_store import MemoryUse

_THREADS = 64
"""Maximum number of translations at a time. Threads mostly wait for the scheduler."""


@dataclass(eq=False, slots=True)
class _SharedTranslation:
    """A translation, and the number of requests waiting for it."""

    task: asyncio.Future[Any]
    scheduled: ScheduledRequest
    waiting: int = 0


@dataclass(eq=False)
class TranslationTasks:
    """Translations in progress.

    Attributes:
        scheduler: searches the batches of all translations.
        queue_limit: maximum number of translations at a time; further requests are refused.
    """

    scheduler: BatchScheduler
    queue_limit: int
    _shared: dict[Hashable, _SharedTranslation] = field(default_factory=dict)
    _running: set[_SharedTranslation] = field(default_factory=set)
    _given_up: bool = False
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_THREADS, thread_name_prefix="docmt-request")
    )

    @property
    def in_flight(self) -> int:
        """Number of translations, the waiting included."""
        return len(self._running)

    def give_up(self) -> None:
        """Cancel all translations, and refuse further requests."""
        self._given_up = True
        for translation in tuple(self._running):
            translation.scheduled.cancelled.set()

    def close(self) -> None:
        """Cancel all translations, and wait for the threads to end."""
        self.give_up()
        self._threads.shutdown(cancel_futures=True)

    async def translate(
        self,
        request: Request,
        model: Model,
        texts: TextRequest,
        account: str = "",
        on_begin: Callable[[bool], None] = lambda _: None,
        memory: MemoryUse | None = None,
    ) -> list[TranslatedText]:
        """Translate the texts of a request.

        Args:
            request: the request, whose body has been read. If the client disconnects, the wait
                ends.
            model: translates the texts.
            texts: the texts.
            account: account of the request; requests of other accounts share no translation.
            on_begin: called with True if the request shares an earlier translation.
            memory: a translation memory.

        Raises:
            ServiceError: too many translations are waiting, or the service is stopping.
            CancelledError: the client has disconnected.
            InputError: the model cannot meet the request.
        """

        def work(scheduled: ScheduledRequest) -> list[TranslatedText]:
            if scheduled.cancelled.is_set():
                raise CancelledError
            translator = for_request(model.translator, scheduled)
            with nullcontext(translator) if memory is None else memory.over(translator) as used:
                return translate_texts(used, texts)

        key = account, model.name, texts, memory
        translation = self._shared.get(key)
        if translation is None:
            if len(self._running) >= self.queue_limit:
                raise busy()
            on_begin(False)
            translation = self._begin(key, work)
        else:
            on_begin(True)
        return await self._wait(key, translation, request)  # type: ignore[no-any-return]

    async def stream(
        self, request: Request, model: Model, text: str, on_begin: Callable[[], None]
    ) -> AsyncIterator[TextPart]:
        """Translate a text in parts, as they are ready.

        Args:
            request: the request, whose body has been read.
            model: translates the text.
            text: the text.
            on_begin: called before the translation begins.

        Raises:
            ServiceError, CancelledError, InputError: as `translate`.
        """
        parts: asyncio.Queue[TextPart | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def tell(part: TextPart | None) -> None:
            with suppress(RuntimeError):  # The loop may be closed.
                loop.call_soon_threadsafe(parts.put_nowait, part)

        def work(scheduled: ScheduledRequest) -> None:
            try:
                for part in stream_text(for_request(model.translator, scheduled), text):
                    if scheduled.cancelled.is_set():
                        raise CancelledError
                    tell(part)
            finally:
                tell(None)

        if len(self._running) >= self.queue_limit:
            raise busy()
        on_begin()
        key = object()
        waiting = asyncio.ensure_future(self._wait(key, self._begin(key, work), request))
        try:
            while not (waiting.done() and parts.empty()):
                part = await parts.get()
                if part is None:
                    break
                yield part
            await waiting
        finally:
            waiting.cancel()

    def _begin(self, key: Hashable, work: Callable[[ScheduledRequest], Any]) -> _SharedTranslation:
        """Begin a translation, shared by all requests with this key."""
        if self._given_up:
            raise stopping()
        scheduled = ScheduledRequest(self.scheduler)
        task = asyncio.get_running_loop().run_in_executor(self._threads, work, scheduled)
        translation = self._shared[key] = _SharedTranslation(task, scheduled)
        self._running.add(translation)

        def on_end(task: asyncio.Future[Any]) -> None:
            self._running.discard(translation)
            self._forget(key, translation)
            # Nobody may be left to read the error.
            task.cancelled() or task.exception()

        task.add_done_callback(on_end)
        return translation

    async def _wait(self, key: Hashable, translation: _SharedTranslation, request: Request) -> Any:
        """Wait for a translation on behalf of a request."""
        translation.waiting += 1
        gone = asyncio.ensure_future(disconnected(request))
        try:
            await asyncio.wait({translation.task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not translation.task.done():
                raise CancelledError
            return translation.task.result()
        except (CancelledError, asyncio.CancelledError):
            if self._given_up:
                raise stopping() from None
            raise
        finally:
            translation.waiting -= 1
            if translation.waiting == 0 and not translation.task.done():
                translation.scheduled.cancelled.set()
                self._forget(key, translation)  # No later request may share a cancelled one.
            gone.cancel()
            with suppress(asyncio.CancelledError):
                await gone

    def _forget(self, key: Hashable, translation: _SharedTranslation) -> None:
        """Stop sharing a translation with further requests."""
        if self._shared.get(key) is translation:
            del self._shared[key]


def for_request(translator: Translator, scheduled: ScheduledRequest) -> Translator:
    """The translator as it works for a request. Its batches are searched with the batches of other
    requests, where it has some, and it ends when it shows progress after the request was
    cancelled."""
    return _CancellableTranslator(translator.searching_by(scheduled.search_batch), scheduled)


@dataclass(frozen=True)
class _CancellableTranslator(TranslatorDecorator):
    """Translates as another translator does, until the request is given up: then it ends when the
    other translator next shows its progress."""

    scheduled: ScheduledRequest

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        def watched(done: int, total: int) -> None:
            if self.scheduled.cancelled.is_set():
                raise CancelledError
            if progress is not None:
                progress(done, total)

        return self.translator.translate(request, progress=watched, journal=journal)


async def disconnected(request: Request) -> None:
    """Wait until the client of a request disconnects. The body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
