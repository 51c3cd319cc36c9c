"""A paragraph of an OpenDocument file during reading, and the blocks of the paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docmt_files.core.inline import Block, Code, Part, Text, has_letter, has_word, paired
from docmt_files.core.protection.placeholders import protect
from docmt_files.core.scopes import Scope
from docmt_files.core.xml_events import XmlEvent
from docmt_files.office.odf_names import RANGE_ENDS, RANGE_IDS, RANGES
from docmt_files.storage.characters import escape_text

Style = tuple[object, ...]
"""The look of a style of characters: the parent style, and the properties."""

NO_LOOK: Style = ("",)
"""The look of a style without visible effect, such as a style with only the time of writing."""

_WHITE_SPACE = re.compile(r"[ \t\r\n]{2,}|[\t\r\n]")


class Paragraph:
    """A paragraph during reading."""

    def __init__(self, *, in_index: bool, heading: int) -> None:
        self.in_index, self.heading = in_index, heading
        self.parts: list[Part] = []
        self.nested: list[Block] = []
        self.tabs: set[int] = set()
        self.pairs: list[int] = []
        """The numbers of the open pairs."""
        self.looks: dict[int, Style | None] = {}
        self.ranges: dict[tuple[str, str], tuple[int, int]] = {}
        """By range, the index in `parts` of the beginning, and the pair around the beginning."""
        self.numbers = 0

    def open_pair(self, event: XmlEvent, look: Style | None, scope: Scope | None = None) -> None:
        """Begin a pair, or go on with a pair of the same look, ended just before; `scope` is the
        style of the text in it."""
        last = self.parts[-1] if self.parts else None
        if (
            look is not None
            and isinstance(last, Code)
            and last.kind == "close"
            and self.looks.get(last.pair) == look
        ):
            self.parts[-1] = Text(last.start, event.end, "")
            self.pairs.append(last.pair)
            return
        number = self._number()
        self.looks[number] = look
        self.pairs.append(number)
        shows = look != NO_LOOK
        self.parts.append(Code(event.start, event.end, "open", number, shows=shows, scope=scope))

    def extend_pair(self, end: int) -> None:
        """Move the end of the code that begins the last pair."""
        last = self.parts[-1]
        self.parts[-1] = Code(last.start, end, "open", self.pairs[-1])

    def close_pair(self, start: int, end: int) -> None:
        """End the last pair; one with nothing in it is a void code."""
        number = self.pairs.pop()
        last = self.parts[-1]
        if isinstance(last, Code) and last.kind == "open" and last.pair == number:
            self.parts[-1] = Code(last.start, end, "void")
        else:
            shows = self.looks.get(number) != NO_LOOK
            self.parts.append(Code(start, end, "close", number, shows=shows))

    def add_range_end(self, event: XmlEvent) -> None:
        """Note the beginning of a range, or pair the end with the beginning if both are in the same
        pair."""
        within = self.pairs[-1] if self.pairs else -1
        key = next((event.attributes[k] for k in RANGE_IDS if k in event.attributes), "")
        if event.name in RANGES:
            self.ranges[event.name, key] = len(self.parts) - 1, within
            return
        index, other = self.ranges.pop((RANGE_ENDS[event.name], key), (-1, -2))
        if within == other:
            number = self._number()
            first, last = self.parts[index], self.parts[-1]
            self.parts[index] = Code(first.start, first.end, "open", number)
            self.parts[-1] = Code(last.start, last.end, "close", number)

    def blocks(
        self, headings: frozenset[str], scopes: tuple[Scope, ...], *, nested: bool
    ) -> list[Block]:
        """The blocks of the paragraph, nested blocks included.

        Args:
            headings: the texts of the headings.
            scopes: where the paragraph stands.
            nested: whether the paragraph is in a code of another paragraph.
        """
        blocks = []
        for parts in _divided(list(paired(self.parts)), self.tabs):
            own_parts = _without_number(parts, headings) if self.in_index else parts
            texts = [part.text for part in own_parts if isinstance(part, Text)]
            if self.in_index and not any(map(has_letter, texts)):
                continue
            if any(map(has_word, texts)):
                parts_of_block = tuple(protect(own_parts))
                blocks.append(Block(parts_of_block, escape_text, nested, self.heading, scopes))
        return blocks + self.nested

    def _number(self) -> int:
        self.numbers += 1
        return self.numbers - 1


def _divided(parts: list[Part], tabs: set[int]) -> Iterator[list[Part]]:
    """A paragraph divided at tabs outside of pairs around only a part of the text."""
    if not tabs:
        yield parts
        return
    low, high = _inside(parts)
    cuts = _cuts(parts, tabs, low, high)
    if not cuts:
        yield parts
        return
    start = low
    for first, last in cuts:
        yield parts[start:first]
        start = last
    yield parts[start:high]


def _inside(parts: Sequence[Part]) -> tuple[int, int]:
    """The range of parts within all pairs around the whole text."""

    def is_void(part: Part) -> bool:
        return part.kind == "void" if isinstance(part, Code) else not part.text.strip()

    low, high = 0, len(parts)
    while True:
        while low < high and is_void(parts[low]):
            low += 1
        while low < high and is_void(parts[high - 1]):
            high -= 1
        first, last = (parts[low], parts[high - 1]) if high - low > 1 else (None, None)
        if not (
            isinstance(first, Code)
            and isinstance(last, Code)
            and first.kind == "open"
            and last.kind == "close"
            and first.pair == last.pair
        ):
            return low, high
        low, high = low + 1, high - 1


def _cuts(parts: Sequence[Part], tabs: set[int], low: int, high: int) -> list[tuple[int, int]]:
    """Return the cuts between parts: before and after a tab outside of pairs, before pairs with a
    tab at the beginning, and after pairs with a tab at the end."""
    depths = [0]
    for part in parts[low:high]:
        kind = part.kind if isinstance(part, Code) else ""
        depths.append(depths[-1] + (kind == "open") - (kind == "close"))

    def at_edge(index: int, kind: str, step: int) -> int:
        """Go on over the ends of pairs."""
        while low <= index < high:
            part = parts[index]
            if not (isinstance(part, Code) and part.kind == kind):
                break
            index += step
        return index

    cuts = []
    for index in range(low, high):
        if not (isinstance(parts[index], Code) and parts[index].start in tabs):
            continue
        if depths[index - low] == 0:
            cuts.append((index, index + 1))
            continue
        before, after = at_edge(index - 1, "open", -1) + 1, at_edge(index + 1, "close", 1)
        if depths[before - low] == 0:
            cuts.append((before, before))
        elif depths[after - low] == 0:
            cuts.append((after, after))
    return cuts


def _without_number(parts: list[Part], headings: frozenset[str]) -> list[Part]:
    """An entry of a table of contents without the number of the heading."""
    whole = plain("".join(part.text for part in parts))
    number, _, rest = whole.partition(" ")
    if whole in headings or rest not in headings:
        return parts
    for index, part in enumerate(parts):
        if isinstance(part, Text) and part.text.strip():
            lead = len(part.text) - len(part.text.lstrip())
            is_number = (
                part.text[lead:].startswith(number) and len(part.text) == part.end - part.start
            )
            if (
                any(isinstance(p, Code) and p.kind != "void" for p in parts[:index])
                or not is_number
            ):
                return parts
            cut = lead + len(number)
            left = Text(part.start + cut, part.end, part.text[cut:])
            return [left, *parts[index + 1 :]] if left.text else parts[index + 1 :]
    return parts


def collapsed(text: str, event: XmlEvent) -> Iterator[Text]:
    """A piece of text with single spaces for white space."""
    start, end = event.start, event.end
    if len(event.text) != end - start:
        yield Text(start, end, event.text)
        return
    for match in _WHITE_SPACE.finditer(text, start, end):
        if start < match.start():
            yield Text(start, match.start(), text[start : match.start()])
        yield Text(*match.span(), " ")
        start = match.end()
    if start < end:
        yield Text(start, end, text[start:end])


def plain(text: str) -> str:
    """A text with single spaces, and none around it."""
    return " ".join(text.split())
