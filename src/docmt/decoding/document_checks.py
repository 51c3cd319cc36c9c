"""Checks of what is to be translated."""

from __future__ import annotations

from collections.abc import Sequence

from docmt.documents import Document
from docmt.errors import InputError
from docmt.text import EncodedDocument, Pipeline


def check_documents(documents: Sequence[Document]) -> None:
    """Check the argument of `Translator.translate`, for which text is easily given.

    Raises:
        InputError: it is not a sequence of documents with sentences that are strings.
    """
    given: object = documents
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise _not_documents(given)
    for document in documents:
        if not isinstance(document, Document):
            raise _not_documents(document)
        if not document.source:
            raise InputError(
                f"document {document.id!r} has no sentences", cure="Leave it out or fill it"
            )
        if wrong := [sentence for sentence in document.source if not isinstance(sentence, str)]:
            raise InputError(
                f"document {document.id!r} has a sentence that is {_described(wrong[0])}",
                cure="Give each sentence as a string",
            )


def check_sentence_lengths(
    document: Document, encoded: EncodedDocument, numbers: Sequence[int], limit: int
) -> None:
    """Check that no sentence is so long that its translation would take hours.

    Args:
        document: the document.
        encoded: its sentences that are not empty, as token ids.
        numbers: the indices of these sentences.
        limit: the most tokens of one (`search.max_sentence_tokens`).

    Raises:
        InputError: one has more.
    """
    for number, ids in zip(numbers, encoded.source, strict=True):
        if len(ids) > limit:
            raise InputError(
                f"document {document.id!r}: sentence {number + 1:,} has {len(ids):,} tokens, "
                f"more than {limit:,} (search.max_sentence_tokens)",
                cure="If it is several sentences, put them on lines of their own; if it is "
                "data, take it out",
            )


def long_sentences(
    documents: Sequence[Document], pipeline: Pipeline, max_tokens: int
) -> list[tuple[str, int, int]]:
    """The sentences of more tokens than an instance should have, for example because a file has no
    full stops: the document's id, the sentence's number from 1 and its number of tokens.

    Args:
        documents: the documents.
        pipeline: encodes their sentences.
        max_tokens: the most tokens, special tokens included (`instances.max_tokens`).
    """
    found = []
    overhead = pipeline.special_tokens.source_overhead
    for document in documents:
        for number, sentence in enumerate(document.source, start=1):
            # A token has at least one byte.
            if len(sentence.encode()) + overhead > max_tokens:
                tokens = len(pipeline.encode_sentence(sentence)) + overhead
                if tokens > max_tokens:
                    found.append((document.id, number, tokens))
    return found


def _not_documents(value: object) -> InputError:
    """The error about something else than documents."""
    return InputError(
        f"translate takes a list of documents, not {_described(value)}",
        cure='Write translator.translate([docmt.Document("name", ("A sentence.", "Another."))])',
    )


def _described(value: object) -> str:
    """A value and its type, for messages."""
    return f"{type(value).__name__} {str(value)[:40]!r}"
