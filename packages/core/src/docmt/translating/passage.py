"""`Passage`: a file or a text to translate. It is read, words in inline codes are kept, sentences
are translated, codes are aligned, and the file is filled.

A request translates one passage or several: each as documents of its own, or several texts as one
document. `Layout` maps the sentences of passages to the sentences of the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from docmt.translating.capitals import Capitals, capitals_of
from docmt.translating.codes_in_place import CodesInPlace
from docmt.translating.foreign_blocks import without_foreign_blocks
from docmt_files import AlignSentences, ExclusionRules, FileSkeleton
from docmt_files.base.documents import Document, Sentence
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.requests import SentenceIndex, SourceDocument, TranslationRequest
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True, slots=True)
class Passage:
    """Documents, and the file or text to fill with their translations.

    Attributes:
        documents: the documents with their source sentences. Only a file without codes has several.
        skeleton: the file without its sentences.
        sentences: the sentences to translate of each document. Those in capitals are in lower case
            for a translator that does not know capitals.
        capitals: writes translations in capitals; None without such sentences.
    """

    documents: tuple[Document, ...]
    skeleton: FileSkeleton
    sentences: tuple[tuple[Sentence, ...], ...]
    capitals: Capitals | None = None

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        skeleton: FileSkeleton,
        translator: Translator,
        *,
        every_language: bool = False,
        rules: ExclusionRules | None = None,
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
        sentences = tuple(map(skeleton.sentences_of, documents))
        if "instructions" not in translator.gives:  # it cannot follow notes for translators
            sentences = tuple(tuple(replace(s, note="") for s in each) for each in sentences)
        capitals = capitals_of(translator, chain.from_iterable(sentences))
        if capitals is not None:
            lowered = capitals.lowered_sentence
            sentences = tuple(tuple(map(lowered, of_document)) for of_document in sentences)
        return cls(tuple(documents), skeleton, sentences, capitals)

    def filled_by(
        self, translations: Sequence[Translation], align: AlignSentences | None
    ) -> FilledPassage:
        """The passage with the translations of its documents.

        Args:
            translations: the translations.
            align: aligns the words of sentences with codes.
        """
        first, *_ = translations
        skeleton = self.skeleton
        originals = list(map(skeleton.sentences_of, self.documents))
        if (capitals := self.capitals) is not None:
            align = align and capitals.aligning(align, first.source)
            translations = [
                translation.with_sentences(map(capitals.restored, translation.sentences, sentences))
                for translation, sentences in zip(translations, originals, strict=True)
            ]
            first, *_ = translations
        if len(translations) == 1 and first.matches:
            skeleton = skeleton.with_matches(first.matches)
        if (origins := skeleton.origins) is not None and not first.is_joined:
            first = first.with_origins(origins)
            translations = [first]
        if any(sentence.codes for sentence in originals[0]):
            align = CodesInPlace(originals[0], first.sentences, align)
        return FilledPassage(skeleton, tuple(translations), align)


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
    documents: tuple[SourceDocument, ...]
    starts: tuple[tuple[SentenceIndex, ...], ...]

    @classmethod
    def of_file(cls, passage: Passage) -> Layout:
        """The documents of one passage."""
        starts = tuple((owner, 0) for owner in range(len(passage.documents)))
        pairs = zip(passage.documents, passage.sentences, strict=True)
        documents = tuple(SourceDocument(each.id, sentences) for each, sentences in pairs)
        return cls((passage,), documents, (starts,))

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
        several, context = tuple(passages.values()), tuple(map(Sentence, before))
        if not together:
            documents = tuple(
                SourceDocument(name, (*context, *passage.sentences[0]))
                for name, passage in passages.items()
            )
            starts = tuple(((owner, len(before)),) for owner in range(len(several)))
            return cls(several, documents, starts)
        sentences = list(context)
        firsts: list[tuple[SentenceIndex, ...]] = []
        for passage in several:
            firsts.append(((0, len(sentences)),))
            sentences += passage.sentences[0]
        return cls(several, (SourceDocument("text", tuple(sentences)),), tuple(firsts))

    def request(self, **how: Any) -> TranslationRequest:
        """The request for the documents.

        Args:
            how: further fields of `TranslationRequest`.
        """
        return TranslationRequest(self.documents, **how)

    def parts(self, translations: Sequence[Translation]) -> Iterator[list[Translation]]:
        """The translations of the documents of each passage, from the translations of the
        request."""
        for passage, starts in zip(self.passages, self.starts, strict=True):
            yield [
                translations[owner].part(document.id, first, len(document))
                for document, (owner, first) in zip(passage.documents, starts, strict=True)
            ]
