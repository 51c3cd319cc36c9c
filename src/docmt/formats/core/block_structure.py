"""A check that the blocks of a filled file, which is read again, are those that it had, each with
the codes that it had.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from docmt.formats.core.inline import Block, Code, Text
from docmt.formats.core.patches import Patch

_Codes = Counter[tuple[str, str]]


def changed_blocks(
    blocks: Sequence[Block],
    text: str,
    others: Sequence[Block],
    other_text: str,
    patches: Sequence[Patch],
) -> list[int]:
    """The blocks that are not in a filled file as they were: with the same blocks in their codes,
    and with the same codes. Where a block has become two, or none, those around it are still told
    apart, as the patches say where each of them is now.

    Args:
        blocks: the blocks of a file.
        text: the file.
        others: the blocks of the filled file.
        other_text: the filled file.
        patches: what has been written in the file, in order.
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
            same_codes(blocks[old], text, new, other_text)
            for old, new in zip(group, theirs, strict=True)
        )
        for index in group
    )


def _outermost(blocks: Sequence[Block]) -> list[list[int]]:
    """The indices of blocks in the order of the file, each with those in its codes behind it."""
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


def same_codes(block: Block, text: str, other: Block, other_text: str) -> bool:
    """Return whether two blocks have the same codes.

    Args:
        block: a block.
        text: the text that it is in.
        other: what it has become.
        other_text: the text that this is in.
    """
    mine, theirs = _codes(block, text), _codes(other, other_text)
    joined, joined_then = _joined(block), _joined(other)
    if not joined and not joined_then:
        return mine == theirs
    # Pairs that look the same are one if nothing is between them, which a translation may change.
    for kind in ("open", "close"):
        least = _count(mine, kind)
        if not least <= _count(theirs, kind) + joined_then <= least + joined:
            return False
    return _others(mine) == _others(theirs)


def _codes(block: Block, text: str) -> _Codes:
    """The codes of a block, each by its kind and what it begins with."""

    def head(code: Code) -> str:
        written = text[code.start : code.end] if code.written is None else code.written
        return written[: None if code.kind == "protected" else 2]

    codes = (part for part in block.parts if isinstance(part, Code))
    # A line break may lose its white space, and an attribute its words.
    return Counter((code.kind, head(code)) for code in codes if code.shows and not code.text)


def _joined(block: Block) -> int:
    """Number of times that a pair goes on with another that looks the same."""
    return sum(
        isinstance(part, Text) and not part.text and part.start < part.end for part in block.parts
    )


def _count(codes: _Codes, kind: str) -> int:
    return sum(count for (kind_of_code, _), count in codes.items() if kind_of_code == kind)


def _others(codes: _Codes) -> _Codes:
    """The codes that are not ends of pairs."""
    return Counter(
        {code: count for code, count in codes.items() if code[0] not in ("open", "close")}
    )
