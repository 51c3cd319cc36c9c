"""MediaWiki text: the pages of Wikipedia and of other wikis.

Templates, references, comments and what stands as it is (`<nowiki>`, `<pre>`) are codes; lines of
these alone are outside all blocks. The target of a link stays, and its label is translated.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from docmt_files.base.documents import Document
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.encodings import read_text
from docmt_files.core.inline import Block, Code, LineEnd, Part, Text, paired
from docmt_files.core.protection.placeholders import protect
from docmt_files.storage.files import PathLike

Span = tuple[int, int]

_OPAQUE_TAGS = "nowiki|pre|syntaxhighlight|source|math|ref|gallery|score|timeline"
_OPAQUE = re.compile(rf"<!--|\{{\{{|\}}\}}|<({_OPAQUE_TAGS})\b[^<>\n]{{0,500}}>", re.IGNORECASE)
_HEADING = re.compile(r"(={1,6})(.+?)(?<!=)(=+)[ \t]*$")
_ITEM = re.compile(r"[*#:;]+[ \t]*")
_NO_TEXT = re.compile(r"[ \t]|----|#REDIRECT|__[A-Z]+__\s*$|$", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"[^|\[\]{}<>\n]{0,500}=[^|\[\]{}<>\n]{0,500}\|(?!\|)")
_MEDIA = (
    r"\[\[ *(?:file|image|media|category|datei|bild|kategorie|fichier|catégorie|archivo|categoría)"
    r"[ ]*:[^\[\]\n]{0,500}(?:\[\[[^\[\]\n]{0,200}\]\][^\[\]\n]{0,500}){0,20}\]\]"
)
_INLINE = re.compile(
    rf"(?P<media>{_MEDIA})"
    r"|(?P<page>\[\[[^\[\]{}|\n]{1,300}\]\])"
    r"|(?P<link>\[\[[^\[\]{}|\n]{1,300}\|)|(?P<link_end>\]\])"
    r"|(?P<site>\[(?:https?:)?//[^\s\[\]]{1,2000} )|(?P<site_end>\])"
    r"|(?P<bare>\[(?:https?:)?//[^\s\[\]]{1,2000}\])"
    r"|(?P<marks>'{2,5})"
    r"|(?P<tag><(?P<slash>/?)(?P<name>[A-Za-z]\w{0,20})\b[^<>\n]{0,500}>)"
    r"|(?P<entity>&(?:\#\d{1,7}|\#x[0-9a-f]{1,6}|[a-z]\w{1,30});)|(?P<end>[ \t]*\r?\n[ \t]*)",
    re.IGNORECASE,
)
_LINK, _SITE, _BOLD, _ITALIC = range(4)
_MARKUP = re.compile(r"\[\[|\]\]|\{\{|\}\}|''+|\||<(?=[/!A-Za-z])|&(?=#?\w+;)|~~~|__|\[(?=\w*:?//)")
_AT_LINE_START = re.compile(r"[*#:;=!|{ ]|----")


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text = read_text(path)
    return read_document(path, text, find_blocks(text), language, find_blocks)


def find_blocks(text: str) -> Blocks:
    """The blocks of a page."""
    scanner = _Scanner(text, opaque_spans(text))
    scanner.read_page()
    return Blocks(scanner.blocks)


def opaque_spans(text: str) -> list[Span]:
    """The ranges of templates, comments, references and the like, none within another."""
    spans: list[Span] = []
    opened: list[int] = []
    lower = text.lower() if len(text.lower()) == len(text) else text
    unclosed: set[str] = set()
    position = 0
    while match := _OPAQUE.search(text, position):
        position = match.end()
        if match[0] == "{{":
            opened.append(match.start())
        elif match[0] == "}}":
            if opened:
                spans.append((opened.pop(), position))
        elif not match[0].endswith("/>"):
            closing = "-->" if match[1] is None else f"</{match[1].lower()}>"
            end = -1 if closing in unclosed else lower.find(closing, position)
            if end < 0:
                unclosed.add(closing)
                continue
            position = end + len(closing)
            spans.append((match.start(), position))
        else:
            spans.append(match.span())
    outer: list[Span] = []
    for start, end in sorted(spans):
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return outer


def escape(text: str, begins_line: bool) -> str:
    """Text without characters that would be markup, as references."""
    escaped = _MARKUP.sub(lambda match: _references(match[0]), text)
    if begins_line and _AT_LINE_START.match(escaped):
        escaped = _references(escaped[0]) + escaped[1:]
    return escaped


def _references(text: str) -> str:
    return "".join(f"&#{ord(character)};" for character in text)


@dataclass(slots=True)
class _Scanner:
    """Reads a page line by line.

    Attributes:
        text: the page.
        opaque: the ranges without text.
        blocks: the blocks found.
    """

    text: str
    opaque: Sequence[Span]
    blocks: list[Block] = field(default_factory=list)
    _paragraph: Span | None = None
    _next: int = 0

    def read_page(self) -> None:
        """Read all lines."""
        tables = 0
        for start, end in self._lines():
            line = self.text[start:end]
            if line.startswith("{|"):
                tables += 1
            elif tables and line.startswith("|}"):
                tables -= 1
            elif tables and line.startswith("|-"):
                pass
            elif tables and line[:1] in ("|", "!"):
                self._end_paragraph()
                self._cells(start, end)
                continue
            elif heading := _HEADING.match(line):
                self._end_paragraph()
                level = min(len(heading[1]), len(heading[3]))
                self._add(start + heading.start(2), start + heading.end(2), heading=level)
                continue
            elif item := _ITEM.match(line):
                self._end_paragraph()
                self._add(start + item.end(), end)
                continue
            elif not (_NO_TEXT.match(line) or self._is_opaque(start, end)):
                self._paragraph = (self._paragraph or (start, end))[0], end
                continue
            self._end_paragraph()
        self._end_paragraph()

    def _lines(self) -> Iterator[Span]:
        """The lines of the page; one that begins in a range without text goes on after it."""
        start = index = 0
        for match in re.finditer(r"\r?\n|\Z", self.text):
            while index < len(self.opaque) and self.opaque[index][1] <= match.start():
                index += 1
            if index < len(self.opaque) and self.opaque[index][0] < match.start():
                continue
            yield start, match.start()
            start = match.end()

    def _within(self, start: int, end: int) -> Iterator[Span]:
        """The ranges without text in a range; ranges are asked for in the order of the page."""
        while self._next < len(self.opaque) and self.opaque[self._next][1] <= start:
            self._next += 1
        index = self._next
        while index < len(self.opaque) and self.opaque[index][0] < end:
            yield self.opaque[index]
            index += 1

    def _is_opaque(self, start: int, end: int) -> bool:
        """Return whether a line has nothing but ranges without text."""
        for first, last in self._within(start, end):
            if self.text[start:first].strip():
                return False
            start = last
        return not self.text[start:end].strip()

    def _end_paragraph(self) -> None:
        if self._paragraph is not None:
            self._add(*self._paragraph)
        self._paragraph = None

    def _cells(self, start: int, end: int) -> None:
        """Add the cells of a line of a table."""
        divider = re.compile(r"\|\||!!" if self.text[start] == "!" else r"\|\|")
        start += 2 if self.text.startswith("|+", start) else 1
        opaque = list(self._within(start, end))
        edges = [match.span() for match in divider.finditer(self.text, start, end)]
        edges = [edge for edge in edges if not any(a <= edge[0] < b for a, b in opaque)]
        for edge in (*edges, (end, end)):
            attributes = _ATTRIBUTES.match(self.text, start, edge[0])
            self._add(attributes.end() if attributes else start, edge[0])
            start = edge[1]

    def _add(self, start: int, end: int, heading: int = 0) -> None:
        """Add the block of a range, without white space around it."""
        content = self.text[start:end]
        start += len(content) - len(content.lstrip())
        end -= len(content) - len(content.rstrip())
        if start < end:
            parts = tuple(protect(list(paired(list(self._parts(start, end))))))
            self.blocks.append(Block(parts, escape, heading=heading))

    def _parts(self, start: int, end: int) -> Iterator[Part]:
        """The texts and codes of a range."""
        marks = _Marks()
        for first, last in [*self._within(start, end), (end, end)]:
            yield from self._inline(start, first, marks)
            if first < last:
                yield Code(first, last, "void")
            start = last

    def _inline(self, start: int, end: int, marks: _Marks) -> Iterator[Part]:
        for match in _INLINE.finditer(self.text, start, end):
            parts = list(marks.parts(match))
            if parts and start < match.start():
                yield Text(start, match.start(), self.text[start : match.start()])
            yield from parts
            start = match.end() if parts else start
        if start < end:
            yield Text(start, end, self.text[start:end])


@dataclass(slots=True)
class _Marks:
    """The open bold and italic texts and links of a block."""

    opened: list[int] = field(default_factory=list)

    def parts(self, match: re.Match[str]) -> Iterator[Part]:
        """The parts of a match; none for text."""
        start, end = match.span()
        kind = match.lastgroup
        if kind == "end":
            yield LineEnd(start, end, " ")
        elif match["entity"]:
            meant = html.unescape(match[0])
            if meant != match[0]:
                yield Text(start, end, meant)
        elif match["media"] or match["bare"]:
            yield Code(start, end, "void")
        elif match["page"]:
            yield Code(start, end, "protected", words=match[0][2:-2])
        elif match["link"] or match["site"]:
            yield self._open(start, end, _LINK if match["link"] else _SITE)
        elif match["link_end"] or match["site_end"]:
            pair = _LINK if match["link_end"] else _SITE
            if pair in self.opened:
                yield self._close(start, end, pair)
        elif match["marks"]:
            yield from self._marks(start, end)
        else:
            pair = int.from_bytes(match["name"].lower().encode()) + 16
            is_void = match[0].endswith("/>") or match["name"].lower() in ("br", "hr", "wbr")
            yield Code(
                start, end, "void" if is_void else "close" if match["slash"] else "open", pair
            )

    def _marks(self, start: int, end: int) -> Iterator[Part]:
        """Bold and italic marks: two, three or five quotation marks."""
        if end - start == 4:
            yield Text(start, start + 1, "'")
            start += 1
        sizes = {2: [_ITALIC], 3: [_BOLD], 5: [_BOLD, _ITALIC]}[end - start]
        if len(sizes) == 2 and self.opened[-1:] == [_ITALIC]:
            sizes.reverse()
        for pair in sizes:
            last = start + (3 if pair == _BOLD else 2)
            is_open = pair in self.opened
            yield self._close(start, last, pair) if is_open else self._open(start, last, pair)
            start = last

    def _open(self, start: int, end: int, pair: int) -> Code:
        self.opened.append(pair)
        return Code(start, end, "open", pair)

    def _close(self, start: int, end: int, pair: int) -> Code:
        self.opened.remove(pair)
        return Code(start, end, "close", pair)
