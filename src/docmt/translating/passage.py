"""`Passage`: a file or a text to translate. It is read, words in inline codes are kept, sentences
are translated, codes are aligned, and the file is filled.

A request translates one passage or several: each as documents of its own, or several texts as one
document. `Layout` maps the sentences of passages to the sentences of the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docmt.formats.core.inline import AlignSentences
from docmt.formats.core.skeleton import FileSkeleton
from docmt.formats.leaving_rules import LeavingRules
from docmt.ground.documents import Document
from docmt.ground.translations import Translation
from docmt.translating.capitals import Capitals, capitals_of
from docmt.translating.codes_in_place import CodesInPlace
from docmt.translating.foreign_blocks import without_foreign_blocks
from docmt.translators.requests import SentenceIndex, TranslationRequest
from docmt.translators.translator import Translator


@dataclass(frozen=True, slots=True)
class Passage:
    """Documents, and the file or text to fill with their translations.

    Attributes:
        documents: the documents with their source sentences. Only a file without codes has several.
        skeleton: the file without its sentences.
        lowered: for sentences of the file in capitals, the sentences to translate.
        capitals: writes translations in capitals; None without such sentences.
    """

    documents: tuple[Document, ...]
    skeleton: FileSkeleton
    lowered: Mapping[str, str] = field(default_factory=dict)
    capitals: Capitals | None = None

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        skeleton: FileSkeleton,
        translator: Translator,
        *,
        every_language: bool = False,
        rules: LeavingRules | None = None,
    ) -> Passage:
        """A passage from a file. Words in inline codes stay in the sentences where the translator
        can keep them, sentences in capitals are in lower case where the translator does not know
        capitals, and blocks in another language are left out: with `every_language`, only those in
        a language named by rules."""
        documents, skeleton = without_foreign_blocks(
            documents, skeleton, translator.languages[0], every_language=every_language, rules=rules
        )
        if "words" in translator.gives:
            documents, skeleton = skeleton.keep_words(list(documents), translator.can_keep)
        kept = skeleton.kept_words
        capitals = capitals_of(translator, documents, kept)
        if capitals is None:
            return cls(tuple(documents), skeleton)
        texts = {text for document in documents for text in document.source}
        lowered = {text: capitals.lowered(text, kept.get(text, ())) for text in texts}
        lowered |= {text: capitals.lowered(text) for text in skeleton.without_words.values()}
        return cls(tuple(documents), skeleton, lowered, capitals)

    def given(self, text: str) -> str:
        """The sentence to translate for a sentence of the file."""
        return self.lowered.get(text, text)

    @property
    def to_translate(self) -> tuple[Document, ...]:
        """The documents with the sentences to translate."""
        return tuple(
            replace(document, source=tuple(map(self.given, document.source)))
            for document in self.documents
        )

    def filled_by(
        self, translations: Sequence[Translation], align: AlignSentences | None
    ) -> FilledPassage:
        """The passage with the translations of its documents.

        Args:
            translations: the translations. Words taken out of sentences by a repair
                (`TranslationRequest.without_words`) are put back as codes.
            align: aligns the words of sentences with codes.
        """
        skeleton, reduced = self.skeleton, self.skeleton.without_words
        kept = skeleton.kept_words
        changed: set[int] = set()
        restored = []
        for document, translation in zip(self.documents, translations, strict=True):
            sources = list(document.source)
            if not translation.is_joined:
                for index, text in enumerate(translation.source):
                    without = reduced.get(sources[index])
                    if without is not None and text == self.given(without):
                        sources[index] = without
                        changed.add(index)
            if (capitals := self.capitals) is not None:
                translation = translation.with_sentences(
                    capitals.restored(sentence, source, kept.get(source, ()))
                    for sentence, source in zip(translation.sentences, sources, strict=True)
                )
            restored.append(translation)
        if changed:
            _, skeleton = skeleton.take_out_words(list(self.documents), changed)
        if self.capitals is not None and align is not None:
            align = self.capitals.aligning(align, self.lowered)
        if len(restored) == 1 and restored[0].matches:
            skeleton = skeleton.with_matches(restored[0].matches)
        made = tuple(restored)
        if (origins := skeleton.origins) is not None and not made[0].is_joined:
            made = (made[0].with_origins(origins),)
        if codes := skeleton.inline_codes:
            align = CodesInPlace(codes, made[0].sentences, align)
        return FilledPassage(skeleton, made, align)


@dataclass(frozen=True, slots=True)
class FilledPassage:
    """A passage with the translations of its documents.

    Attributes:
        skeleton: the file without sentences.
        translations: the translations of the documents; equal blocks have equal translations.
        align: aligns the words of sentences with codes.
    """

    skeleton: FileSkeleton
    translations: tuple[Translation, ...]
    align: AlignSentences | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The documents of a request for passages.

    Attributes:
        passages: the passages.
        documents: the documents.
        starts: for each document of each passage, the index of its first sentence in the request.
    """

    passages: tuple[Passage, ...]
    documents: tuple[Document, ...]
    starts: tuple[tuple[SentenceIndex, ...], ...]

    @classmethod
    def of_file(cls, passage: Passage) -> Layout:
        """The documents of one passage."""
        starts = tuple((owner, 0) for owner in range(len(passage.documents)))
        return cls((passage,), passage.to_translate, (starts,))

    @classmethod
    def of_texts(
        cls, passages: Mapping[str, Passage], before: Sequence[str] = (), *, together: bool = False
    ) -> Layout:
        """A document for each text, or one document of all.

        Args:
            passages: the texts, of one document each, by document id.
            before: context sentences before each document.
            together: whether the texts are one document.
        """
        several = tuple(passages.values())
        sources = {name: passage.to_translate[0].source for name, passage in passages.items()}
        if not together:
            documents = tuple(Document(n, (*before, *source)) for n, source in sources.items())
            starts = tuple(((owner, len(before)),) for owner in range(len(sources)))
            return cls(several, documents, starts)
        sentences = list(before)
        firsts: list[tuple[SentenceIndex, ...]] = []
        for source in sources.values():
            firsts.append(((0, len(sentences)),))
            sentences += source
        return cls(several, (Document("text", tuple(sentences)),), tuple(firsts))

    def request(self, **how: Any) -> TranslationRequest:
        """The request for the documents, with the kept words, headings and codes of the passages.

        Args:
            how: further fields of `TranslationRequest`.
        """
        protected: dict[str, Sequence[str]] = {}
        without_words: dict[str, str] = {}
        for passage in self.passages:
            given, skeleton = passage.given, passage.skeleton
            protected |= {given(text): words for text, words in skeleton.kept_words.items()}
            reduced = skeleton.without_words.items()
            without_words |= {given(text): given(without) for text, without in reduced}
        return TranslationRequest(
            self.documents,
            protected=protected,
            without_words=without_words,
            headings=dict(self._headings()),
            codes=dict(self._codes()),
            keys=dict(self._keys()),
            **how,
        )

    def parts(self, translations: Sequence[Translation]) -> Iterator[list[Translation]]:
        """The translations of the documents of each passage, from the translations of the
        request."""
        for passage, starts in zip(self.passages, self.starts, strict=True):
            yield [
                translations[owner].part(document.id, first, len(document))
                for document, (owner, first) in zip(passage.documents, starts, strict=True)
            ]

    def _headings(self) -> Iterator[tuple[SentenceIndex, int]]:
        """The levels of sentences that are headings."""
        for passage, starts in zip(self.passages, self.starts, strict=True):
            for document, (owner, first) in zip(passage.documents, starts, strict=True):
                for level, size in passage.skeleton.block_sizes(len(document)):
                    if level:
                        yield from (((owner, first + index), level) for index in range(size))
                    first += size

    def _keys(self) -> Iterator[tuple[SentenceIndex, str]]:
        """The keys of sentences."""
        for passage, starts in zip(self.passages, self.starts, strict=True):
            for index, key in passage.skeleton.keys.items():
                owner, first = starts[0]
                yield (owner, first + index), key

    def descriptions(self) -> dict[SentenceIndex, str]:
        """The notes for translators that files have on sentences."""
        return {
            (owner, first + index): text
            for passage, ((owner, first), *_) in zip(self.passages, self.starts, strict=True)
            for index, text in passage.skeleton.descriptions.items()
        }

    def _codes(self) -> Iterator[tuple[SentenceIndex, Any]]:
        """The inline codes of sentences."""
        for passage, starts in zip(self.passages, self.starts, strict=True):
            for index, codes in passage.skeleton.inline_codes.items():
                owner, first = starts[0]
                yield (owner, first + index), codes
