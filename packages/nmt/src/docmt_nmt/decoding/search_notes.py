"""Notes on how a search has translated documents, for a user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from docmt_files.base.messages import Message
from docmt_files.base.wording import counted
from docmt_nmt.base.translations import Translation
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding.literal_finder import QUOTES
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.text import Pipeline

_MAX_LISTED = 10
"""The maximum number of unknown words in a note."""


def search_notes(
    translations: Sequence[Translation],
    pipeline: Pipeline,
    instances: InstanceSettings,
    search: SearchSettings,
    truncated: Mapping[str, int],
) -> list[str]:
    """Notes about the chunks of documents, unknown words and truncated contexts.

    Args:
        truncated: for each context encoder, the number of truncated contexts.
    """
    chunks = [size for translation in translations for size in translation.chunks]
    text = (
        f"{counted(len(translations), 'document')}, {counted(sum(chunks), 'sentence')}, "
        f"translated in {_chunks_in_words(chunks, instances.window, search)}"
    )
    notes: list[str] = [Message(text, kind="counts")]
    for key, passages in truncated.items():
        notes.append(f"{key}: {counted(passages, 'context')} truncated to what the encoder reads")
    missing: Counter[str] = Counter()
    is_kept = pipeline.settings.subword != "words" and not instances.join_sentences
    for source in chain(*(translation.document.source for translation in translations)):
        missing.update(source[start:end] for start, end in pipeline.missing(source))
    if is_kept:
        # Quotation marks are read as straight ones, and the translation has its own.
        missing = Counter({text: n for text, n in missing.items() if not set(text) <= set(QUOTES)})
    if missing:
        listed = [f"{text} ({count})" for text, count in missing.most_common(_MAX_LISTED)]
        more = ", …" if len(missing) > _MAX_LISTED else ""
        then = "kept as they are" if is_kept else "read as <unk>"
        notes.append(f"not in the vocabulary and {then}: {', '.join(listed)}{more}")
    return notes


def _chunks_in_words(chunks: Sequence[int], window: int, search: SearchSettings) -> str:
    """Numbers and sizes of the chunks of documents."""
    if search.windows == "sliding":
        position = search.window_position or window
        size = counted(window, "sentence")
        return f"a sliding window of {size}, taken at position {position}"
    least = f"{min(chunks):,} to " if min(chunks) < max(chunks) else ""
    return f"{counted(len(chunks), 'chunk')} of {least}{counted(max(chunks), 'sentence')}"
