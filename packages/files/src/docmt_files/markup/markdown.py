"""Markdown: CommonMark with GitHub's tables and strikethrough, front matter, footnotes, and
additions of sites and note programs (`markdown_blocks`, `markdown_inline`).

Blocks are paragraphs, headings, table cells, the alternative texts and titles of images, titles and
the like in the front matter, and the blocks of embedded HTML. Code, definitions of links, the rest
of the front matter and modules of JSX stay unchanged. Inline codes are emphasis, links, code spans,
images, footnote references, HTML tags, the tags and expressions of JSX (`jsx`) and hard line
breaks. A line break within a sentence becomes a space. markdown-it-py parses; `PositionedInline`
notes the places of inline tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

from markdown_it.token import Token

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.encodings import read_text
from docmt_files.core.inline import Block, Code, LineEnd, Part, Text, has_word, paired, texts_of
from docmt_files.core.protection.placeholders import protect
from docmt_files.markup import html
from docmt_files.markup.front_matter import find_values
from docmt_files.markup.html_codes import joined_keys
from docmt_files.markup.html_elements import VOID
from docmt_files.markup.jsx import Jsx, find_jsx
from docmt_files.markup.markdown_escapes import escape, escape_in_cell, escape_title
from docmt_files.markup.markdown_inline import attributes_end
from docmt_files.markup.markdown_jsx import environment_of
from docmt_files.markup.markdown_parser import parser, span_of
from docmt_files.storage.files import PathLike

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)[^>]*?(/?)>", re.DOTALL)
_PLAIN_ALT = re.compile(r"[^\\`*_\[\]<>&!|\n]+")
_ROW_LEAD = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[\s>]*)*\|?[ \t]*")
_CELL_END = re.compile(r"[ \t]*(?:\||$)")
_TITLE = re.compile(
    r"\s(?:\"((?:[^\"\\]|\\.)+)\"|'((?:[^'\\]|\\.)+)'|\(((?:[^()\\]|\\.)+)\))\s*\)\Z"
)
_IN_TITLE = re.compile(r"\\[!-/:-@\[-`{-~]|&(?:#\w{1,8}|\w{1,32});")
_PAIRS = {"em": 0, "strong": 1, "s": 2, "link": 3, "wiki": 4}
_WITH_ATTRIBUTES = ("em_close", "strong_close", "s_close", "link_close", "code_inline", "image")
_CODE_SPAN = re.compile(r"(?<![`\\])(`+)(?!`)(.*?)(?<!`)\1(?!`)")
_ESCAPED_CODE = "\\{"
"""What shows that a page without JSX is read as MDX."""
_BAR = re.compile(r"(?<!\\)\|")


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats. A name with `.mdx` is MDX."""
    text = read_text(path)
    mdx = Path(path).name.lower().endswith(".mdx")
    find = partial(find_blocks, language=language, mdx=mdx)
    return read_document(path, text, find(text), language, find)


def find_blocks(text: str, *, language: str, mdx: bool = False) -> Blocks:
    """The blocks of a Markdown text.

    Args:
        text: the text.
        language: the code of the language of the text. HTML elements in other languages are kept.
        mdx: whether the file is MDX; others have JSX if they import, export or use components.
    """
    mark = int(text.startswith("\ufeff"))
    jsx = find_jsx(text, is_mdx=mdx)
    lines = _Lines(jsx.masked, mark)
    blocks: list[Block] = []
    cells: list[Token] | None = None
    unmapped = heading = cut_rows = 0
    environment: dict[str, Any] = environment_of(jsx, mark)
    tokens = parser(is_mdx=jsx.is_mdx).parse(jsx.masked[mark:], environment)
    labels = frozenset(environment.get("references", ()))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            heading = int(token.tag[1]) if token.nesting > 0 else 0
        elif token.type == "front_matter" and token.map is not None:
            is_toml = token.markup == "+++"
            blocks += find_values(text, *lines.range_of(token.map), is_toml=is_toml)
        elif token.type == "kept_line":
            # As a block, for the check of a filled file.
            start, end = lines.marked(token)
            blocks.append(Block((Code(start, end, "protected"),), escape))
            blocks += jsx.values(text, start, end)
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            is_cut = lines.is_cut(cells)
            row = None if is_cut else lines.cells(cells)
            if row is None and any(has_word(cell.content) for cell in cells):
                cut_rows, unmapped = cut_rows + is_cut, unmapped + (not is_cut)
            for cell, cell_offsets in zip(cells, row or (), strict=row is not None):
                blocks += _block(text, jsx, cell, cell_offsets, language, labels, is_cell=True)
            cells = None
        elif token.type == "html_block":
            start, end = lines.html(token)
            if text[start:end].split() == token.content.split():
                found = html.find_blocks(text[start:end], language=language).blocks
                blocks += (block.moved(start) for block in found)
            else:  # It is in a quote.
                unmapped += len(html.find_blocks(token.content, language=language).blocks)
        elif token.type == "inline" and cells is not None:
            cells.append(token)
        elif token.type == "inline":
            offsets = lines.paragraph(token)
            if offsets is not None:
                marked = lines.marked(token) if "lead" in token.meta else None
                blocks += _block(
                    text, jsx, token, offsets, language, labels, heading=heading, marked=marked
                )
            else:
                unmapped += has_word(token.content)
    notes = {
        f"{counted(unmapped, 'block')} not translated, which tabs or marks of a quote interrupt": (
            unmapped
        ),
        f"{counted(cut_rows, 'table row')} not translated, with a bar in a code span, where GitHub "
        r"ends the cell; write \|": cut_rows,
    }
    return Blocks(blocks, (), tuple(note for note, count in notes.items() if count))


class _Lines:
    """The lines of a file, and where in it the contents of blocks are."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.spans = [match.span(1) for match in _LINE.finditer(text, start)]

    def range_of(self, lines: Sequence[int]) -> tuple[int, int]:
        """The range of the file of lines from one to before another."""
        return self.spans[lines[0]][0], self.spans[lines[1] - 1][1]

    def html(self, token: Token) -> tuple[int, int]:
        """The range of the file of an HTML block, from the first character on."""
        assert token.map is not None
        start, end = self.spans[token.map[0]]
        first = self.text.rfind(token.content.split("\n", 1)[0].rstrip(), start, end)
        return max(first, start), self.spans[token.map[1] - 1][1]

    def marked(self, token: Token) -> tuple[int, int]:
        """The range of the file of lines with a mark, from the mark on."""
        assert token.map is not None
        start, end = self.range_of(token.map)
        return start + token.meta["lead"], end

    def paragraph(self, token: Token) -> list[int] | None:
        """For each character of a block, and the end, the offset in the file; None if the lines
        differ from the lines of the file."""
        assert token.map is not None
        offsets: list[int] = []
        for number, line in enumerate(token.content.split("\n"), start=token.map[0]):
            start, end = self.spans[number]
            column = token.meta.get("column")
            position = self.text.rfind(line, start, end) if column is None else start + column
            if position < 0:
                return None
            # The last offset belongs to the line feed.
            offsets += range(position, position + len(line) + 1)
        return offsets

    def is_cut(self, cells: Sequence[Token]) -> bool:
        """Return whether a bar in backticks ends a cell of a row of a table. Programs differ in
        what is code then."""
        assert cells[0].map is not None
        start, end = self.spans[cells[0].map[0]]
        return any(_BAR.search(span[2]) for span in _CODE_SPAN.finditer(self.text, start, end))

    def cells(self, cells: Sequence[Token]) -> list[list[int]] | None:
        """Blocks of the cells of a row of a table."""
        assert cells[0].map is not None
        start, end = self.spans[cells[0].map[0]]
        line = self.text[start:end]
        lead = _ROW_LEAD.match(line)
        assert lead is not None
        # What looks like a list item may be in the first cell.
        for begin in dict.fromkeys((lead.end(), len(line) - len(line.lstrip(" \t>|")))):
            offsets_of_cells = self._cells_from(cells, line, begin, start)
            if offsets_of_cells is not None:
                return offsets_of_cells
        return None

    def _cells_from(
        self, cells: Sequence[Token], line: str, position: int, start: int
    ) -> list[list[int]] | None:
        offsets_of_cells = []
        for cell in cells:
            while line[position : position + 1] in (" ", "\t"):
                position += 1
            offsets = []
            for character in cell.content:
                offsets.append(start + position)
                position += 2 if character == "|" and line.startswith("\\|", position) else 1
                if line[position - 1 : position] != character:
                    return None
            offsets_of_cells.append([*offsets, start + position])
            end = _CELL_END.match(line, position)
            if end is None:
                return None
            position = end.end()
        return offsets_of_cells


def _block(
    text: str,
    jsx: Jsx,
    token: Token,
    offsets: Sequence[int],
    language: str,
    labels: Set[str],
    *,
    is_cell: bool = False,
    heading: int = 0,
    marked: tuple[int, int] | None = None,
) -> Iterator[Block]:
    """The block of a token, and the blocks of the texts in its codes: of images and elements. For
    the title in a line with a mark, everything around the title in the range `marked` is codes."""
    found = list(paired(list(_parts(text, jsx, token, offsets))))
    with_elements = _with_elements(text, found, language)
    parts = joined_keys(text, with_elements)
    codes = {part.start for part in parts if isinstance(part, Code)}
    if marked is not None:
        parts.insert(0, Code(marked[0], offsets[0], "void"))
        if offsets[-1] < marked[1]:
            parts.append(Code(offsets[-1], marked[1], "void"))
    write = partial(
        escape_in_cell if is_cell else escape,
        labels=labels,
        is_jsx=bool(jsx.ranges) or _ESCAPED_CODE in text,
    )
    yield Block(tuple(protect(parts)), write, heading=heading)
    for child in token.children or ():
        span = span_of(child)
        if child.type == "image" and span is not None and offsets[span[0]] in codes:
            yield from _image(text, child, [offsets[i] for i in range(span[0], span[1])], write)
    yield from jsx.values(text, offsets[0], offsets[-1])


def _image(
    text: str, token: Token, offsets: Sequence[int], write: Callable[[str, bool], str]
) -> Iterator[Block]:
    """The blocks of the alternative text and of the title of an image, if without markup."""
    last = offsets[-1] + 1
    start, end = offsets[2], offsets[2] + len(token.content)
    if _PLAIN_ALT.fullmatch(token.content) and text[start:end] == token.content:
        inner: list[Part] = [Text(start, end, token.content)]
        if text[end : end + 2] != "](":
            reference = _reference(text[end:last], token.content)
            inner.insert(0, Code(start - 2, start, "open", 0))
            inner.append(Code(end, last, "close", 0, written=reference))
        yield Block(tuple(protect(inner)), write, nested=True)
    match = _TITLE.search(text, start, last)
    if match is not None:
        group = next(group for group in (1, 2, 3) if match[group] is not None)
        texts = list(texts_of(text, *match.span(group), _IN_TITLE, _meaning_in_title))
        title = "".join(each.text for each in texts)
        if title == token.attrs.get("title") and has_word(title) and "\n" not in title:
            write_title = partial(escape_title, text[match.start(group) - 1])
            yield Block(tuple(protect(texts)), write_title, nested=True)


def _meaning_in_title(match: re.Match[str]) -> str:
    return match[0][1:] if match[0][0] == "\\" else unescape(match[0])


def _with_elements(text: str, parts: Sequence[Part], language: str) -> Iterator[Part]:
    """Parts with one protected code for each HTML element with untranslated content."""
    ends = {part.pair: part for part in parts if isinstance(part, Code) and part.kind == "close"}
    end = -1
    for part in parts:
        if part.start < end:
            continue
        if isinstance(part, Code) and _opens_kept(text, part, language):
            end = ends[part.pair].end
            part = Code(part.start, end, "protected")
        yield part


def _opens_kept(text: str, code: Code, language: str) -> bool:
    """Return whether a code is the start tag of an element with untranslated content."""
    is_tag = code.kind == "open" and text[code.start] == "<"
    return is_tag and html.is_kept(text[code.start : code.end], language)


def _reference(end: str, label: str) -> str | None:
    """The end of a link or an image as the end of a full reference, if the label is equal to the
    text: `][label]` for `]` and `][]`. None for another end."""
    return f"][{' '.join(label.split())}]" if end in ("]", "][]") else None


def _parts(text: str, jsx: Jsx, token: Token, offsets: Sequence[int]) -> Iterator[Part]:
    """The parts of a block in order; the number of a pair stands for the kind of pair."""
    content = token.content
    position = label_start = 0
    names = dict(_PAIRS)
    children = [(span, child) for child in token.children or () if (span := span_of(child))]
    for (start, end), child in sorted(children, key=lambda item: item[0]):
        kind = child.type
        if kind == "text":
            continue
        if kind in ("hardbreak", "softbreak"):
            # The spaces before it are part of it, but for a space after a backslash.
            start = max(position, len(content[:start].rstrip(" ")))
        elif kind in ("strong_open", "em_open"):
            start = end - len(child.markup)
        elif kind in ("strong_close", "em_close"):
            end = start + len(child.markup)
        if start < position:  # In the attributes of the element before it.
            continue
        yield from _plain(jsx, names, content, offsets, position, start)
        first, bare = offsets[start], offsets[end]
        if kind in _WITH_ATTRIBUTES:
            end = attributes_end(content, end)
        last = offsets[end]
        position = end
        if kind == "softbreak":
            yield LineEnd(first, last, " ")
        elif kind == "hardbreak":
            yield Code(first, last, "void", text="\n")
        elif kind == "text_special":
            yield Text(first, last, child.content)
        elif kind == "html_inline":
            yield _tag(text, first, last, names)
        elif child.info == "auto" or kind in ("code_inline", "kept"):
            yield Code(first, last, "protected")
        elif kind.endswith("_open"):
            label_start = last if kind == "link_open" else label_start
            yield Code(first, last, "open", _PAIRS[kind.removesuffix("_open")])
        elif kind.endswith("_close"):
            name = kind.removesuffix("_close")
            label = text[label_start:first] if kind == "link_close" else ""
            reference = _reference(text[first:bare], label) if label else None
            reference = reference and reference + text[bare:last]
            yield Code(first, last, "close", _PAIRS[name], written=reference)
        else:
            yield Code(first, last, "void")
    yield from _plain(jsx, names, content, offsets, position, len(content))


def _plain(
    jsx: Jsx, names: dict[str, int], content: str, offsets: Sequence[int], start: int, end: int
) -> Iterator[Part]:
    """A range of the content of a block without other codes than those of JSX."""
    for mask in jsx.mask.finditer(content, start, end):
        yield from _texts(content, offsets, start, mask.start())
        start = mask.end()
        yield jsx.code(offsets[mask.start()], offsets[start - 1] + 1, names)
    yield from _texts(content, offsets, start, end)


def _texts(content: str, offsets: Sequence[int], start: int, end: int) -> Iterator[Text]:
    """A range of the content of a block without codes. A bar in a table cell is escaped."""
    bars = (i for i in range(start, end) if content[i] == "|" and offsets[i + 1] > offsets[i] + 1)
    for bar in list(bars):
        if start < bar:
            yield Text(offsets[start], offsets[bar], content[start:bar])
        yield Text(offsets[bar], offsets[bar + 1], "|")
        start = bar + 1
    if start < end:
        yield Text(offsets[start], offsets[end - 1] + 1, content[start:end])


def _tag(text: str, start: int, end: int, names: dict[str, int]) -> Code:
    """An HTML tag, as an end of a pair with the number of the tag's name."""
    match = _TAG.fullmatch(text, start, end)
    if match is None or match[3] or match[2].lower() in VOID:
        space = "\n" if match is not None and match[2].lower() == "br" else ""
        return Code(start, end, "void", text=space)
    number = names.setdefault("<" + match[2].lower(), len(names))
    return Code(start, end, "close" if match[1] else "open", number)
