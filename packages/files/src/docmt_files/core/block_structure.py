"""A check of a filled file, read again: the blocks and their codes are the same as before."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

from docmt_files.core.inline import Block, Code, Text
from docmt_files.core.patches import Patch, apply_patches

_Codes = Counter[tuple[str, str]]


def changed_blocks(
    blocks: Sequence[Block],
    text: str,
    others: Sequence[Block],
    other_text: str,
    patches: Sequence[Patch],
) -> list[int]:
    """The blocks not found unchanged in a filled file: with the same blocks in their codes, and
    with the same codes. Patches give the new place of each block, so a block that became two, or
    none, does not hide the blocks around it.

    Args:
        blocks: the blocks of a file.
        text: the file.
        others: the blocks of the filled file.
        other_text: the filled file.
        patches: the patches written in the file, in order.
    """
    groups = _outermost(blocks)
    starts = [blocks[group[0]].parts[0].start for group in groups]
    ends = [patch[1] for patch in patches]
    growth = [0, *accumulate(len(new) - (end - start) for start, end, new in patches)]
    now = [start + growth[bisect_right(ends, start)] for start in starts]
    changed: list[list[Block]] = [[] for _ in groups]
    for other in others:
        if other.parts and groups:
            changed[max(0, bisect_right(now, other.parts[0].start) - 1)].append(other)
    return sorted(
        index
        for group, theirs in zip(groups, changed, strict=True)
        if len(group) != len(theirs)
        or not all(
            same_codes(blocks[old], text, new, other_text, nested)
            for nested in [(_nested(blocks[index] for index in group), _nested(theirs))]
            for old, new in zip(group, theirs, strict=True)
        )
        for index in group
    )


def _outermost(blocks: Sequence[Block]) -> list[list[int]]:
    """The indices of blocks in the order of the file, each followed by the blocks in its codes."""
    groups: list[list[int]] = []
    end = -1
    for index in sorted(
        (index for index, block in enumerate(blocks) if block.parts),
        key=lambda index: (blocks[index].parts[0].start, -blocks[index].parts[-1].end),
    ):
        if blocks[index].parts[0].start >= end:
            groups.append([])
            end = blocks[index].parts[-1].end
        groups[-1].append(index)
    return [[group[0], *sorted(group[1:])] for group in groups]


_Ranges = Sequence[tuple[int, int]]


def _nested(blocks: Iterable[Block]) -> _Ranges:
    """The ranges of blocks in the codes of others, in order, outer ones first."""
    ranges = ((b.parts[0].start, b.parts[-1].end) for b in blocks if b.parts and b.nested)
    return sorted(ranges, key=lambda of: (of[0], -of[1]))


def _without_blocks(text: str, start: int, end: int, nested: _Ranges) -> str:
    """A code without the blocks in it, whose text may change."""
    if not nested:
        return text[start:end]
    inner: list[Patch] = []
    for index in range(bisect_left(nested, (start, 0)), len(nested)):
        first, last = nested[index]
        if first >= end:
            break
        if last <= end and (not inner or first >= inner[-1][1]):
            inner.append((first, last, ""))
    return apply_patches(text, inner, start, end)


def same_codes(
    block: Block,
    text: str,
    other: Block,
    other_text: str,
    nested: tuple[_Ranges, _Ranges] = ((), ()),
) -> bool:
    """Return whether two blocks have the same codes.

    Args:
        block: a block.
        text: the file of the block.
        other: the same block in the filled file.
        other_text: the filled file.
        nested: for each file, the ranges of blocks in codes.
    """
    mine, theirs = _codes(block, text, nested[0]), _codes(other, other_text, nested[1])
    joined, joined_then = _joined(block), _joined(other)
    if not joined and not joined_then:
        return mine == theirs
    # Pairs of the same look with nothing between are one. A translation may change the gap.
    for kind in ("open", "close"):
        least = _count(mine, kind)
        if not least <= _count(theirs, kind) + joined_then <= least + joined:
            return False
    return _others(mine) == _others(theirs)


def _codes(block: Block, text: str, nested: _Ranges) -> _Codes:
    """The codes of a block, each by kind and beginning, without the blocks in it."""

    def head(code: Code) -> str:
        written = code.written
        if written is None:
            written = _without_blocks(text, code.start, code.end, nested)
        return code.name or written[: None if code.kind == "protected" else 2]

    codes = (part for part in block.parts if isinstance(part, Code))
    # A line break may lose white space, and an attribute words.
    return Counter((code.kind, head(code)) for code in codes if code.shows and not code.text)


def _joined(block: Block) -> int:
    """Number of times a pair is continued by another pair of the same look."""
    return sum(
        isinstance(part, Text) and not part.text and part.start < part.end for part in block.parts
    )


def _count(codes: _Codes, kind: str) -> int:
    return sum(count for (kind_of_code, _), count in codes.items() if kind_of_code == kind)


def _others(codes: _Codes) -> _Codes:
    """The codes other than ends of pairs."""
    return Counter(
        {code: count for code, count in codes.items() if code[0] not in ("open", "close")}
    )
