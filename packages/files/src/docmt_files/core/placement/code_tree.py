"""`CodeNode`: the codes of a sentence as a tree of pairs and single codes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from docmt_files.core.inline import Code, InlineSentence
from docmt_files.core.placement.projection import ConflictError

_MAX_DEPTH = 50
"""Pairs nested deeper than this are put around the sentence."""


@dataclass(slots=True)
class CodeNode:
    """A code, or a pair of codes with everything in it. One end may be in another sentence."""

    first: Code | None
    last: Code | None = None
    start: int = 0
    """The source word before which the pair begins, or before which a single code stands."""
    end: int = 0
    children: list[CodeNode] = field(default_factory=list)
    is_pair: bool = False
    low: int = 0
    """The target word before which the node begins."""
    high: int = 0
    needs: int = 0
    """Number of target words to take, so that each pair inside has one."""

    @property
    def has_words(self) -> bool:
        """True if it is a pair around words."""
        return self.is_pair and self.start < self.end

    @property
    def goes_on(self) -> bool:
        """True if one end of the pair is in another sentence."""
        return self.first is None or self.last is None


def code_tree(source: InlineSentence, spans: Sequence[tuple[int, int]]) -> list[CodeNode]:
    """The codes of a sentence as nodes with children."""
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    opened = {code.pair for _, code in source.codes if code.kind == "open"}
    top: list[CodeNode] = []
    stack: list[CodeNode] = []
    for offset, code in source.codes:
        nodes = stack[-1].children if stack else top
        if code.kind == "open":
            # A code in a word goes before the word, or after it.
            node = CodeNode(code, start=bisect_right(ends, offset), end=len(spans), is_pair=True)
            nodes.append(node)
            stack.append(node)
            if len(stack) > _MAX_DEPTH:
                raise ConflictError
        elif code.kind != "close":
            nodes.append(CodeNode(code, start=bisect_left(starts, offset)))
        elif code.pair in opened:
            stack[-1].last = code
            stack.pop().end = bisect_left(starts, offset)
        else:
            # The nodes before it are in a pair begun in an earlier sentence.
            end = bisect_left(starts, offset)
            top = [CodeNode(None, code, 0, end, children=top, is_pair=True)]
    return top


def count_needs(nodes: Sequence[CodeNode]) -> int:
    """Find how many target words nodes need, and all of them together."""
    for node in nodes:
        inner = count_needs(node.children)
        node.needs = max(1, inner) if node.has_words else inner
    return sum(node.needs for node in nodes)


def in_order(nodes: Sequence[CodeNode], low: int, high: int) -> Iterator[Code | int]:
    """Codes and the indices of target words, in order."""
    position = low
    ordered = sorted(enumerate(nodes), key=lambda item: (item[1].low, item[1].high, item[0]))
    for _, node in ordered:
        yield from range(position, node.low)
        if node.first is not None:
            yield node.first
        yield from in_order(node.children, node.low, node.high)
        if node.last is not None:
            yield node.last
        position = node.high
    yield from range(position, high)
