"""`T5Translator`: documents in, translated documents out, sentence by sentence, by a T5 with
target-language tags."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Self

from docmt_files import has_word
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_llm.recipes.t5_recipe import T5Settings
from docmt_llm.t5.tagged_t5 import TaggedT5
from docmt_nmt.base.translations import (
    DocumentWarning,
    TranslatedSentence,
    Translation,
    warnings_by_sentence,
)
from docmt_nmt.translators.checks.translation_checks import CheckThresholds, check_translation
from docmt_nmt.translators.language_set import LanguageSet
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import (
    Feature,
    Journal,
    Plan,
    ProgressCallback,
    Translator,
    digest_of_translation,
    planned,
)

_STEP = 16
"""A batch has sentences of equal length after rounding up to a multiple of this number of tokens.
The maximum length of a translation follows from the rounded one, not from other sentences."""

_BATCH_TOKENS = 8192
"""Maximum source tokens of a batch, counted for each hypothesis. A longer sentence is alone."""

_MAX_TOKENS = 2000
"""Maximum source tokens of a sentence: memory grows with the square of the number."""

_MAX_LENGTH_FACTOR, _MAX_LENGTH_OFFSET = 3, 16
"""Maximum length of a translation: factor · source tokens + offset."""


@dataclass(frozen=True, eq=False)
class T5Translator(Translator):
    """Translates each sentence alone. It never changes; threads may share it.

    Attributes:
        model: the model.
        settings: the settings of the run.
        pair: the codes of the source and of the target language.
    """

    model: TaggedT5
    settings: T5Settings
    pair: tuple[str, str]

    @property
    def languages(self) -> tuple[str, str]:
        return self.pair

    @property
    def language_set(self) -> LanguageSet:
        tags = tuple(self.model.tokenizer.tags)
        return LanguageSet(tags, tags)

    def between(self, source: str, target: str) -> Self:
        return replace(self, pair=self.language_set.pair(source, target))

    @property
    def gives(self) -> frozenset[Feature]:
        return frozenset({"sentences", "revisions"})

    def fingerprint(self, request: TranslationRequest) -> str | None:
        wanted = request.revision and sorted(request.revision.sentences)
        values = [self.model.digest, self.settings.beam_size, self.pair, wanted]
        documents = [Document(each.id, each.source) for each in request.sources]
        return digest_of_translation(values, documents)

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        request = planned(self, request).request
        revision, wanted = request.revision, self._wanted(request)
        known = request.plain_documents if revision is None else revision.known
        targets = [list((revision and each.target) or each.source) for each in known]
        truncated: list[list[int]] = [[] for _ in targets]
        done = request.size - sum(map(len, wanted.values()))
        for texts, batch in self._batches(tuple(wanted)):
            for text, (target, is_whole) in zip(texts, self._search(batch, journal), strict=True):
                for owner, index in wanted[text]:
                    targets[owner][index] = target
                    truncated[owner] += [] if is_whole else [index]
                done += len(wanted[text])
            if progress is not None:
                progress(done, request.size)
        documents = request.plain_documents
        return [
            self._translation(document.translated(target), cut_off)
            for document, target, cut_off in zip(documents, targets, truncated, strict=True)
        ]

    def _wanted(self, request: TranslationRequest) -> dict[str, list[SentenceIndex]]:
        """The different sentences to translate, each with its indices. Sentences without words stay
        as they are."""
        wanted = defaultdict(list)
        only = None if request.revision is None else request.revision.sentences
        for owner, document in enumerate(request.sources):
            for index, text in enumerate(document.source):
                if has_word(text) and (only is None or (owner, index) in only):
                    wanted[text].append((owner, index))
        return wanted

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[str], list[list[int]]]]:
        """Sentences of similar lengths, with their token ids."""
        encoded = [(self.model.tokenizer.encode(text, self.pair[1]), text) for text in texts]
        for ids, text in encoded:
            if len(ids) > _MAX_TOKENS:
                raise InputError(
                    f"a sentence has {len(ids):,} tokens, more than {_MAX_TOKENS:,}: {text[:40]!r}",
                    cure="Divide it into sentences",
                )
        encoded.sort(key=lambda pair: len(pair[0]))
        for step, of_step in groupby(encoded, key=lambda pair: -(-len(pair[0]) // _STEP)):
            size = max(1, _BATCH_TOKENS // (step * _STEP * self.settings.beam_size))
            alike = list(of_step)
            for start in range(0, len(alike), size):
                batch = alike[start : start + size]
                yield [text for _, text in batch], [ids for ids, _ in batch]

    def _search(
        self, batch: Sequence[Sequence[int]], journal: Journal | None
    ) -> list[tuple[str, bool]]:
        """The translation of each sentence of a batch, and whether it is whole."""
        if journal is not None and (kept := journal.next()) is not None:
            if isinstance(kept, list) and len(kept) == len(batch):
                return [(str(text), bool(is_whole)) for text, is_whole in kept]
            journal.discard()
        tokens = -(-len(batch[0]) // _STEP) * _STEP
        longest = _MAX_LENGTH_FACTOR * tokens + _MAX_LENGTH_OFFSET
        written = self.model.generate(batch, self.settings.beam_size, longest)
        tokenizer = self.model.tokenizer
        found = [(tokenizer.decode(ids), tokenizer.eos_id in ids) for ids in written]
        if journal is not None:
            journal.add(found)
        return found

    def _translation(self, document: Document, truncated: Sequence[int]) -> Translation:
        thresholds = CheckThresholds.default(self.pair)
        warnings = [*check_translation(document, thresholds, self.pair, truncated=truncated)]
        for index, text in enumerate(document.source):
            if missing := self.model.tokenizer.missing(text):
                listed = ", ".join(dict.fromkeys(missing))
                warnings.append(DocumentWarning(index, "missing-characters", listed))
        by_sentence = warnings_by_sentence(warnings, len(document))
        sentences = (
            TranslatedSentence(
                source, target, truncated=index in truncated, warnings=tuple(by_sentence[index])
            )
            for index, (source, target) in enumerate(
                zip(document.source, document.target or (), strict=True)
            )
        )
        return Translation(document.id, tuple(sentences), chunks=(1,) * len(document))
