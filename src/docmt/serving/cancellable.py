"""`CancellableTranslator`: any translator, until a request is given up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docmt.ground.documents import Document, Translation
from docmt.serving.scheduler import CancelledError, ScheduledRequest
from docmt.translators.decorator import TranslatorDecorator
from docmt.translators.requests import TranslationRequest
from docmt.translators.translator import Journal, Plan, ProgressCallback


@dataclass(frozen=True)
class CancellableTranslator(TranslatorDecorator):
    """Translates as another translator does, until the request is given up: then it ends when the
    other translator next shows its progress.

    Attributes:
        translator: the other translator.
        scheduled: the request of the scheduler.
    """

    scheduled: ScheduledRequest

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        """Translate as the other translator does.

        Raises:
            CancelledError: the request was given up.
            InputError: the request cannot be met.
        """

        def watched(done: int, total: int) -> None:
            if self.scheduled.cancelled.is_set():
                raise CancelledError
            if progress is not None:
                progress(done, total)

        return self.translator.translate(request, progress=watched, journal=journal)
