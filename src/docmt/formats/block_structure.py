"""Whether a block that is read again has the codes that it had."""

from __future__ import annotations

from collections import Counter

from docmt.formats.inline import Block, Code, Text

_Codes = Counter[tuple[str, str]]


def same_codes(block: Block, text: str, other: Block, other_text: str) -> bool:
    """Whether two blocks have the same codes.

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
        own = text[code.start : code.end] if code.written is None else code.written
        return own[: None if code.kind == "protected" else 2]

    codes = (part for part in block.parts if isinstance(part, Code))
    # A line break may lose its white space, and an attribute its words.
    return Counter(
        (code.kind, head(code))
        for code in codes if code.shows and not code.text
    )  # fmt: skip


def _joined(block: Block) -> int:
    """How often a pair goes on with another that looks the same."""
    return sum(
        isinstance(part, Text) and not part.text and part.start < part.end for part in block.parts
    )


def _count(codes: _Codes, kind: str) -> int:
    return sum(count for (own, _), count in codes.items() if own == kind)


def _others(codes: _Codes) -> _Codes:
    """The codes that are no ends of pairs."""
    return Counter(
        {code: count for code, count in codes.items() if code[0] not in ("open", "close")}
    )
