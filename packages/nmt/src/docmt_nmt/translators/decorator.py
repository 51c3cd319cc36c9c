"""`TranslatorDecorator`: a translator that stands over another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from docmt_files import WordWeights
from docmt_files.base.documents import Document
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.language_set import LanguageSet
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import (
    CostMeter,
    Feature,
    Journal,
    Plan,
    ProgressCallback,
    SearchBatch,
    Translator,
)


@dataclass(frozen=True)
class TranslatorDecorator(Translator):
    """Passes everything on to another translator. A subclass overrides what it does otherwise.

    Attributes:
        translator: the other translator.
    """

    translator: Translator

    @property
    def languages(self) -> tuple[str, str]:
        return self.translator.languages

    @property
    def language_set(self) -> LanguageSet:
        return self.translator.language_set

    def between(self, source: str, target: str) -> Self:
        return replace(self, translator=self.translator.between(source, target))

    @property
    def gives(self) -> frozenset[Feature]:
        return self.translator.gives

    @property
    def meter(self) -> CostMeter | None:
        return self.translator.meter

    def plan(self, request: TranslationRequest) -> Plan:
        return self.translator.plan(request)

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        return self.translator.translate(request, progress=progress, journal=journal)

    def align(
        self, document: Document, words: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> list[WordWeights] | None:
        return self.translator.align(document, words)

    @property
    def stages(self) -> tuple[Translator, ...]:
        inner = self.translator.stages
        return inner if len(inner) > 1 else (self,)

    def with_last_stage(self, translator: Translator) -> Translator:
        if len(self.translator.stages) == 1:
            return translator
        return replace(self, translator=self.translator.with_last_stage(translator))

    def searching_by(self, search_batch: SearchBatch) -> Self:
        return replace(self, translator=self.translator.searching_by(search_batch))

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        return self.translator.can_keep(sentence, words)

    def normalize(self, text: str) -> str:
        return self.translator.normalize(text)

    def fingerprint(self, request: TranslationRequest) -> str | None:
        return self.translator.fingerprint(request)

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        return self.translator.notes(request, translations)


def undecorated(translator: Translator) -> Translator:
    """The innermost translator below all decorators."""
    while isinstance(translator, TranslatorDecorator):
        translator = translator.translator
    return translator
