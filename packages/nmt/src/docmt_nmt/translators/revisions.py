"""`merge_revision`: a translation with some sentences of a later one."""

from __future__ import annotations

from collections.abc import Collection

from docmt_nmt.base.translations import Translation


def merge_revision(old: Translation, new: Translation, sentences: Collection[int]) -> Translation:
    """A translation with some sentences, source and target, of another one of the same document.

    Args:
        old: the translation of all sentences.
        new: the later translation.
        sentences: the indices of the sentences that are taken from it.
    """
    return old.with_sentences(
        mine.revised(other) if index in sentences else mine
        for index, (mine, other) in enumerate(zip(old.sentences, new.sentences, strict=True))
    )
