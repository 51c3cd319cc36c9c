"""Checks of what is to be translated."""

from __future__ import annotations

from collections.abc import Sequence

from docmt.documents import Document
from docmt.errors import InputError
from docmt.text import EncodedDocument


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
