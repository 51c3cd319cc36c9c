"""Patches: replacements of ranges of a file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from docmt_files.core.inline import Block, Code

Patch = tuple[int, int, str]
"""A range of a file, and the replacement."""


def outside(patches: Sequence[Patch], others: Sequence[Patch]) -> Iterator[Patch]:
    """The patches outside all of the others. Both lists are in order."""
    starts = [start for start, _, _ in others]
    for patch in patches:
        index = bisect_right(starts, patch[0]) - 1
        if index < 0 or patch[0] >= others[index][1]:
            yield patch


def apply_patches(
    text: str, patches: Sequence[Patch], start: int = 0, end: int | None = None
) -> str:
    """A text, or a range of one, with patches applied. Patches are in order and do not overlap."""
    end = len(text) if end is None else end
    parts = []
    for index in range(bisect_left(patches, (start, -1, "")), len(patches)):
        first, last, new = patches[index]
        if last > end:
            break
        parts += [text[start:first], new]
        start = last
    return "".join([*parts, text[start:end]])


def patches_of_codes(block: Block, sentences: Sequence[Patch]) -> Iterator[Patch]:
    """Return the replacements of ends of pairs around changing text, outside of changing sentences.

    Args:
        block: the block.
        sentences: the patches of sentences, in order.
    """
    lows = [low for low, _, _ in sentences]
    starts: dict[int, int] = {}
    for part in block.parts:
        if isinstance(part, Code) and part.kind == "open":
            starts[part.pair] = part.end
        elif isinstance(part, Code) and part.written is not None:
            start = starts.get(part.pair, part.start)
            before = bisect_left(lows, part.start) - 1  # The last patch that begins before the end.
            changes = before >= 0 and start < sentences[before][1]
            around = bisect_right(lows, part.start) - 1
            if changes and not (around >= 0 and part.start < sentences[around][1]):
                yield part.start, part.end, part.written


def from_innermost(blocks: Sequence[Block]) -> list[list[int]]:
    """The indices of blocks, each before the block with the code around it, in groups of blocks
    outside of each other."""
    groups: list[list[int]] = [[]]
    ranges = [
        (block.parts[0].start, -block.parts[-1].end, index)
        for index, block in enumerate(blocks)
        if block.parts
    ]
    ends: list[int] = []
    for start, end, index in sorted(ranges):
        while ends and ends[-1] <= start:
            ends.pop()
        if len(ends) == len(groups):
            groups.append([])
        groups[len(ends)].append(index)
        ends.append(-end)
    return groups[::-1]
