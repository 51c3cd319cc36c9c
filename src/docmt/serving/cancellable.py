"""`CancellableTranslator`: any translator, which a request that was given up ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docmt.decoding.scheduler import CancelledError, Lane
from docmt.formats import Output
from docmt.ground.documents import Document, Translation
from docmt.translators.requests import (
    Journal,
    Plan,
    ProgressCallback,
    TranslationRequest,
    Translator,
)


@dataclass(frozen=True, slots=True)
class CancellableTranslator(Translator):
    """Translates as another translator does, until the request is given up: then it ends when the
    other one next shows its progress.

    Attributes:
        translator: the other one.
        lane: the way of the request.
    """

    translator: Translator
    lane: Lane

    @property
    def languages(self) -> tuple[str, str]:
        return self.translator.languages

    @property
    def requires_words(self) -> bool:
        return self.translator.requires_words

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        return self.translator.can_keep(sentence, words)

    def normalize(self, text: str) -> str:
        return self.translator.normalize(text)

    def plan(self, request: TranslationRequest) -> Plan:
        return self.translator.plan(request)

    def check_output(self, output: Output) -> None:
        self.translator.check_output(output)

    def fingerprint(self, request: TranslationRequest) -> str | None:
        return self.translator.fingerprint(request)

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        return self.translator.notes(request, translations)

    def translate(
        self,
        request: TranslationRequest | Sequence[Document],
        *,
        plan: Plan | None = None,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        """Translate as the other translator does.

        Raises:
            CancelledError: the request was given up.
            InputError: the request cannot be met.
        """

        def watched(done: int, total: int) -> None:
            if self.lane.cancelled.is_set():
                raise CancelledError
            if progress is not None:
                progress(done, total)

        return self.translator.translate(request, plan=plan, progress=watched, journal=journal)
