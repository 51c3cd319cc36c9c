"""The words of documents, their translations and references, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.evaluation.segments import ParallelDocuments, check_same_documents, target_sentences
from docmt_nmt.text.word_splitting import split_words


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the translation.

    Attributes:
        document: the id of the sentence's document.
        number: the number in the document, from 1.
        source, hypothesis, reference: the words of the source, of the translation and of the
            reference; empty where there is none.
    """

    document: str
    number: int
    source: Sequence[str]
    hypothesis: Sequence[str]
    reference: Sequence[str]


@dataclass(frozen=True, slots=True)
class Text:
    """Documents split into words.

    Attributes:
        sentences: the sentences of all documents in order.
        documents: the number of documents.
        source_language, target_language: their codes.
        splitting: how words were found, for signatures: `docmt` or `spaces`.
    """

    sentences: Sequence[Sentence]
    documents: int
    source_language: str
    target_language: str
    splitting: str

    @property
    def document_ids(self) -> list[str]:
        """The ids of the documents, in order."""
        return list(dict.fromkeys(sentence.document for sentence in self.sentences))

    @classmethod
    def of(
        cls,
        source: Sequence[Document],
        hypothesis: Sequence[Document],
        reference: Sequence[Document] | None,
        *,
        languages: tuple[str, str],
        tokenized: bool = False,
        name: str = "the translation",
    ) -> Text:
        """Split documents into words.

        Args:
            source: the documents, of which the source sides are taken.
            hypothesis: their translations, the target sides.
            reference: their reference translations, the target sides, if they are needed.
            languages: the codes of the source and of the target language.
            tokenized: whether the words are already divided by spaces; else see `split_words`.
            name: name of the translation in error messages.

        Raises:
            InputError: the documents do not have the same sentences, a reference sentence is empty,
                or text cannot be split into words.
        """
        if any(document.joined is not None for document in hypothesis):
            raise InputError(
                "the translation has one text for each instance (instances.join_sentences), whose "
                "sentences are not aligned with those of the source",
                cure="Score it by d-bleu or d-chrf with `docmt evaluate`",
            )
        check_same_documents(source, hypothesis, ("the source", name))
        if reference is not None:
            ParallelDocuments.of(hypothesis, reference, name=name)
        sentences = []
        side_languages = (languages[0], languages[1], languages[1])
        for number, document in enumerate(source):
            ours = target_sentences(hypothesis[number])
            theirs = target_sentences(reference[number]) if reference else ("",) * len(document)
            for i, sides in enumerate(zip(document.source, ours, theirs, strict=True), 1):
                words = [
                    split_words(side, language, tokenized=tokenized)
                    for side, language in zip(sides, side_languages, strict=True)
                ]
                sentences.append(Sentence(document.id, i, *words))
        return cls(sentences, len(source), *languages, splitting="spaces" if tokenized else "docmt")
