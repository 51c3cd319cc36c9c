"""`Pivot`: two translators, one after the other, through a language between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt_files.base.documents import Document, Sentence, SentenceWarning
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.requests import SourceDocument, TranslationRequest
from docmt_nmt.translators.term_uses import find_uses
from docmt_nmt.translators.translator import (
    Feature,
    Journal,
    Plan,
    ProgressCallback,
    SearchBatch,
    Translator,
    digest_of_translation,
    request_of,
)


@dataclass(frozen=True)
class Pivot(Translator):
    """Translates into a language between, and from there into the target language, one sentence for
    one. Words of a glossary are written in the target language at once and then kept, as protected
    words are.

    Attributes:
        first: translates into the language between.
        second: translates from it.

    Raises:
        InputError: the translators do not meet in one language, or one of them does not translate
            sentence by sentence.
    """

    first: Translator
    second: Translator

    def __post_init__(self) -> None:
        if self.first.languages[1] != self.second.languages[0]:
            raise InputError(
                f"{' → '.join(self.first.languages)} and {' → '.join(self.second.languages)} do "
                "not meet in one language",
                cure="Choose two translators with a language between",
            )

    @property
    def languages(self) -> tuple[str, str]:
        return self.first.languages[0], self.second.languages[1]

    @property
    def gives(self) -> frozenset[Feature]:
        both = self.first.gives & self.second.gives
        return both & frozenset[Feature]({"sentences", "words"})

    @property
    def stages(self) -> tuple[Translator, ...]:
        return *self.first.stages, *self.second.stages

    def with_last_stage(self, translator: Translator) -> Pivot:
        return replace(self, second=self.second.with_last_stage(translator))

    def searching_by(self, search_batch: SearchBatch) -> Pivot:
        both = (each.searching_by(search_batch) for each in (self.first, self.second))
        return Pivot(*both)

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        return self.first.can_keep(sentence, words) and self.second.can_keep(" ".join(words), words)

    def normalize(self, text: str) -> str:
        return self.first.normalize(text)

    def fingerprint(self, request: TranslationRequest) -> str | None:
        first = self.first.fingerprint(request)
        second = self.second.fingerprint(TranslationRequest(request.plain_documents))
        if first is None or second is None:
            return None
        return digest_of_translation(["pivot", first, second], request.plain_documents)

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        del request, translations
        between = self.first.languages[1]
        return [f"translated through {between}: into {between} first, and from there"]

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        wanted = request_of(request)
        self.plan(wanted)

        def half(begin: int) -> ProgressCallback | None:
            if progress is None:
                return None
            return lambda done, total: progress((begin * total + done) // 2, total)

        between = translate(self.first, wanted, progress=half(0), journal=journal)
        second = self._second_request(wanted, between)
        after = translate(self.second, second, progress=half(1), journal=journal)
        return [
            other.with_sentences(map(_through, one.sentences, other.sentences))
            for one, other in zip(between, after, strict=True)
        ]

    def _second_request(
        self, request: TranslationRequest, between: Sequence[Translation]
    ) -> TranslationRequest:
        """The request for the translations so far, with the words that are kept in them."""

        def translated(source: Sentence, text: str) -> Sentence:
            words = tuple(word for word in _kept_words(request, source) if word in text)
            kept = words if self.second.can_keep(text, words) else ()
            return Sentence(text, protected=kept, heading=source.heading)

        return TranslationRequest(
            [
                SourceDocument(
                    document.id, tuple(map(translated, document.sentences, translation.target))
                )
                for document, translation in zip(request.sources, between, strict=True)
            ]
        )


def _kept_words(request: TranslationRequest, sentence: Sentence) -> list[str]:
    """The words that the second translator keeps: protected words, and terms of the glossary in the
    target language."""
    protected = list(sentence.protected)
    if request.glossary is None:
        return protected
    uses = find_uses(request.glossary, sentence.text, protected)
    return [*protected, *(form for use in uses for form in use.forms)]


def _through(first: TranslatedSentence, second: TranslatedSentence) -> TranslatedSentence:
    """The translation of a sentence by both translators."""
    warnings: dict[str, SentenceWarning] = {}
    for warning in (*first.warnings, *second.warnings):
        warnings.setdefault(warning.kind, warning)
    return TranslatedSentence(
        first.source,
        second.target,
        (first.log_probability + second.log_probability) / 2,
        truncated=first.truncated or second.truncated,
        warnings=tuple(warnings.values()),
    )
