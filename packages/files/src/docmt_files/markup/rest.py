"""reStructuredText, as docutils and Sphinx read it.

Blocks are paragraphs, titles, items and terms of lists, fields, lines of verse, footnotes, and the
texts of directives (`rest_directives.toml`). Literal blocks, comments, targets, doctests and tables
of characters stay; a note counts the tables and the directives of unknown names.
`rest_inline` has the inline codes. Lines under and over a title get its new length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import Block
from docmt_files.core.line_joining import columns_of
from docmt_files.markup.line_markup import OVER, UNDER, Span, content_of, lines_of, read_with_marks
from docmt_files.markup.rest_inline import TABLE, block_of, referenced_names
from docmt_files.storage.files import PathLike

_KINDS = {
    name: kind
    for kind in ("body", "title_and_body", "version_and_body", "lines_below", "kept")
    for name in TABLE[kind].split()
}
_KEPT_FIELDS = frozenset(TABLE["fields"].split())
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_DIRECTIVE = re.compile(
    r"\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?(?P<name>[A-Za-z][\w.:+-]*?)[ \t]?::(?:[ \t]+|$)"
)
_FOOTNOTE = re.compile(r"\.\.[ \t]+\[(?:\d{1,9}|[#*]?[\w.-]*)\](?:[ \t]+|$)")
_OPTION = re.compile(r":(?P<name>[\w-]+):(?:[ \t]+|$)")
_FIELD = re.compile(r":(?![: ])(?P<name>(?:\\.|[^:\\]|:(?![ `]|$)){1,120}):(?:[ \t]+|$)")
_ITEM = re.compile(
    r"(?:[-*+\u2022\u2023\u2043]|(?P<number>\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdmIVXLCDM]{1,9})[.)]))"
    r"(?:[ \t]+|$)"
)
_OPTION_ITEM = re.compile(
    r"(?:--?[A-Za-z][\w-]*(?:[ =](?:<[^>]+>|[A-Za-z][\w-]*))?|/[A-Z])"
    r"(?:, (?:--?[A-Za-z][\w-]*(?:[ =](?:<[^>]+>|[A-Za-z][\w-]*))?))*(?:[ ]{2,}|$)"
)
_VERSE = re.compile(r"\|(?:[ \t]+|$)")
_GRID = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE = re.compile(r"=+(?: +=+)+")
_MAX_DEPTH = 60
_MAX_LISTED = 5


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    return read_with_marks(path, language, Scanner)


class Scanner:
    """Goes through the lines of a file. Ranges of lines are given by their numbers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans = lines_of(text, int(text.startswith("\ufeff")))
        self.lines = [text[start:end].rstrip() for start, end in self.spans]
        self.indents = [_indent(line) for line in self.lines]
        self.blocks: list[Block] = []
        self.marks: list[tuple[int, str]] = []
        self.styles: list[str] = []
        """The lines of titles, by the level of the heading."""
        self.names = referenced_names(text)
        self.titles = self.tables = self.deep = 0
        self.unknown: Counter[str] = Counter()

    def notes(self) -> Iterator[str]:
        """Notes on text left untranslated."""
        if self.tables:
            yield f"{counted(self.tables, 'table')} drawn with characters kept"
        if self.titles:
            yield (
                f"references to {counted(self.titles, 'title')} by their words, which other words "
                "break: give these titles labels (.. _label:)"
            )
        if self.unknown:
            names = ", ".join(list(self.unknown)[:_MAX_LISTED])
            total = sum(self.unknown.values())
            yield f"{counted(total, 'directive')} of unknown names kept: {names}"
        if self.deep:
            yield f"{counted(self.deep, 'block')} nested too deeply, and kept"

    def read_file(self) -> None:
        """Read all lines."""
        self._body(0, len(self.lines), 0, 0)

    def _body(self, number: int, end: int, indent: int, depth: int) -> None:
        """Read the elements of a body: of the file, an item, a directive or a quotation."""
        if depth > _MAX_DEPTH:
            self.deep += 1
            return
        while number < end:
            if not self.lines[number]:
                number += 1
            elif self.indents[number] != indent:
                last = self._below(number, end, min(indent, self.indents[number] - 1))
                self._body(number, last, self.indents[number], depth + 1)
                number = last
            else:
                number = self._element(number, end, indent, depth)

    def _below(self, number: int, end: int, indent: int) -> int:
        """The number of the line behind those that are blank or have a larger indent."""
        last = number
        while number < end and (not self.lines[number] or self.indents[number] > indent):
            number += 1
            last = number if self.lines[number - 1] else last
        return last

    def _element(self, number: int, end: int, indent: int, depth: int) -> int:
        """Read an element; returns the number of the line behind it."""
        line = self.lines[number].lstrip()
        if line == ".." or line.startswith(".. "):
            return self._explicit(number, end, indent, depth)
        if line.startswith((">>> ", "__ ")):
            return self._until_blank(number, end)
        if _GRID.fullmatch(line) or _SIMPLE.fullmatch(line):
            return self._table(number, end, line)
        if not depth and (title := self._title(number, end)):
            return title
        if _VERSE.match(line):
            return self._verse(number, end, indent)
        if field := _FIELD.match(line):
            return self._field(number, end, field, depth)
        item = _ITEM.match(line)
        if item is not None and self._is_item(number, end, item):
            return self._item(number, end, item.end(), depth)
        if (option := _OPTION_ITEM.match(line)) is not None:
            return self._item(number, end, option.end(), depth)
        if _ADORNMENT.fullmatch(line.lstrip(UNDER + OVER)) and len(line) > 3:
            return number + 1
        return self._paragraph(number, end, indent, depth)

    def _until_blank(self, number: int, end: int) -> int:
        while number < end and self.lines[number]:
            number += 1
        return number

    def _table(self, number: int, end: int, border: str) -> int:
        """Leave a table; one with simple borders may have blank lines."""
        self.tables += 1
        if border.startswith("+"):
            return self._until_blank(number, end)
        last = number + 1
        borders = 0
        while last < end:
            line = self.lines[last].lstrip()
            borders += bool(_SIMPLE.fullmatch(line) or re.fullmatch("=+", line))
            last += 1
            if borders and _SIMPLE.fullmatch(line) and (last >= end or not self.lines[last]):
                break
        return last

    def _title(self, number: int, end: int) -> int | None:
        """Read a title with a line under it, and possibly one over it; returns None for none."""
        first = self.lines[number]
        if first.startswith(OVER) or (_ADORNMENT.fullmatch(first) and number + 2 < end):
            over, title, under = self.lines[number : number + 3]
            fits = first.startswith(OVER) or (
                over == under and len(over) >= columns_of(title) and _is_title(title)
            )
            if not fits:
                return None
            if not first.startswith(OVER):
                self.marks += [
                    (self.spans[number][0], OVER), (self.spans[number + 2][0], UNDER)
                ]  # fmt: skip
            self._heading(number + 1, over[-1] * 2)
            return number + 3
        under = self.lines[number + 1] if number + 1 < end else ""
        if not under.startswith(UNDER):
            if not (_ADORNMENT.fullmatch(under) and _is_title(first)):
                return None
            if len(under) < columns_of(first) and len(under) < 4:
                return None
            self.marks.append((self.spans[number + 1][0], UNDER))
        self._heading(number, under[-1])
        return number + 2

    def _heading(self, number: int, style: str) -> None:
        if style not in self.styles:
            self.styles.append(style)
        self.titles += " ".join(self.lines[number].split()).lower() in self.names
        self._add([self.spans[number]], heading=self.styles.index(style) + 1)

    def _add(self, spans: Sequence[Span], *, heading: int = 0, is_literal: bool = False) -> None:
        content = content_of(self.text, spans)
        block = block_of(content, self.names, heading=heading, is_literal=is_literal)
        if block is not None:
            self.blocks.append(block)

    def _verse(self, number: int, end: int, indent: int) -> int:
        """Read the lines of a verse or an address, each with those that go on with it."""
        while number < end and self.indents[number] == indent and self.lines[number]:
            mark = _VERSE.match(self.lines[number].lstrip())
            if mark is None:
                break
            last = number + 1
            while last < end and self.lines[last] and self.indents[last] > indent:
                last += 1
            self._add([self._from(number, mark.end()), *self.spans[number + 1 : last]])
            number = last
        return number

    def _field(self, number: int, end: int, field: re.Match[str], depth: int) -> int:
        name = field["name"].split(" ")[0].lower()
        if name in _KEPT_FIELDS:
            return self._below(number + 1, end, self.indents[number])
        return self._item(number, end, field.end(), depth)

    def _is_item(self, number: int, end: int, item: re.Match[str]) -> bool:
        """Return whether a line begins an item: behind a number, the next line must not go on
        without indentation."""
        if item["number"] is None or number + 1 >= end or not self.lines[number + 1]:
            return True
        following = self.lines[number + 1].lstrip()
        more = self.indents[number + 1] > self.indents[number]
        return more or _ITEM.match(following) is not None

    def _from(self, number: int, column: int) -> Span:
        """A line from a column behind its indentation on."""
        start, end = self.spans[number]
        line = self.text[start:end]
        return start + len(line) - len(line.lstrip()) + column, end

    def _item(self, number: int, end: int, column: int, depth: int) -> int:
        """Read what stands behind a mark, and the lines below with a larger indent."""
        last = self._below(number + 1, end, self.indents[number])
        self._within(number, last, column, depth)
        return last

    def _within(self, number: int, end: int, column: int, depth: int) -> None:
        """Read a body that begins at a column of a line, as if the mark before it were spaces."""
        line = self.lines[number].lstrip()
        rest = line[column:]
        if not rest:
            self._body(number + 1, end, self._first_indent(number + 1, end), depth + 1)
            return
        indent = self.indents[number] + columns_of(line[:column])
        below = number + 1
        if below < end and self.lines[below]:
            indent = self.indents[below] if not _ITEM.match(rest) else indent
        saved = self.lines[number], self.indents[number], self.spans[number]
        self.spans[number] = self._from(number, column)
        self.lines[number], self.indents[number] = rest, indent
        self._body(number, end, indent, depth + 1)
        self.lines[number], self.indents[number], self.spans[number] = saved

    def _first_indent(self, number: int, end: int) -> int:
        """The indent of the first line with text."""
        return next((self.indents[i] for i in range(number, end) if self.lines[i]), 0)

    def _paragraph(self, number: int, end: int, indent: int, depth: int) -> int:
        """Read a paragraph, a term with its definition, or text before a literal block."""
        last = number + 1
        while last < end and self.lines[last] and self.indents[last] == indent:
            last += 1
        is_literal = self.lines[last - 1].endswith("::")
        if last == number + 1 and last < end and self.lines[last] and not is_literal:
            below = self._below(last, end, indent)
            self._add([self.spans[number]])
            self._body(last, below, self.indents[last], depth + 1)
            return below
        self._add(self.spans[number:last], is_literal=is_literal)
        return self._literal(last, end, indent) if is_literal else last

    def _literal(self, number: int, end: int, indent: int) -> int:
        """Leave a literal block: indented, or with the same mark before each line."""
        last = self._below(number, end, indent)
        if last > number:
            return last
        while number < end and not self.lines[number]:
            number += 1
        mark = self.lines[number].lstrip()[:1] if number < end else ""
        while mark and not mark.isalnum() and number < end:
            if not self.lines[number].lstrip().startswith(mark):
                break
            number += 1
        return number

    def _explicit(self, number: int, end: int, indent: int, depth: int) -> int:
        """Read a directive or a footnote; comments and targets are left."""
        line = self.lines[number].lstrip()
        last = self._below(number + 1, end, indent)
        if note := _FOOTNOTE.match(line):
            self._within(number, last, note.end(), depth)
        elif directive := _DIRECTIVE.match(line):
            self._directive(number, last, directive, depth)
        return last

    def _directive(self, number: int, end: int, match: re.Match[str], depth: int) -> None:
        """Read a directive by what is text in it."""
        name = match["name"].lower()
        kind = _KINDS.get(name.rpartition(":")[2] if ":" in name else name)
        rest = self.lines[number].lstrip()[match.end() :]
        if name in ("replace", "title"):
            self._add([self._from(number, match.end()), *self.spans[number + 1 : end]])
            return
        if kind is None:
            self.unknown[name] += number + 1 < end
            kind = "kept"
        below = number + 1
        if (
            kind == "body"
            and rest
            and not (below < end and _OPTION.match(self.lines[below].lstrip()))
        ):
            self._within(number, end, match.end(), depth)
            return
        if rest and kind in ("body", "title_and_body"):
            self._add([self._from(number, match.end())])
        elif rest and kind == "version_and_body":
            version = re.match(r"\S+[ \t]*", rest)
            self._version(number, end, match.end() + (version.end() if version else 0), depth)
            return
        while below < end and (option := _OPTION.match(self.lines[below].lstrip())):
            if option["name"] in TABLE["options"].split():
                self._add([self._from(below, option.end())])
            below += 1
        if kind != "kept" and name == "glossary":
            self._glossary(below, end, depth)
        elif kind != "kept":
            self._body(below, end, self._first_indent(below, end), depth + 1)

    def _version(self, number: int, end: int, column: int, depth: int) -> None:
        """Read the text behind a version, which may go on in the lines below."""
        if column < len(self.lines[number].lstrip()):
            self._within(number, end, column, depth)
        else:
            self._body(number + 1, end, self._first_indent(number + 1, end), depth + 1)

    def _glossary(self, number: int, end: int, depth: int) -> None:
        """Read the definitions of a glossary. Its terms are the targets of references."""
        indent = self._first_indent(number, end)
        while number < end:
            if self.lines[number] and self.indents[number] > indent:
                last = self._below(number, end, indent)
                self._body(number, last, self.indents[number], depth + 1)
                number = last
            else:
                number += 1


def _indent(line: str) -> int:
    """The columns before the text of a line."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def _is_title(line: str) -> bool:
    """Return whether a line over an underline is a title."""
    return bool(line) and any(map(str.isalnum, line)) and not _ADORNMENT.fullmatch(line.strip())
