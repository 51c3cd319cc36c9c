"""AsciiDoc, as Asciidoctor reads it.

Blocks are paragraphs, titles, list items, terms, cells of tables, titles of blocks and the texts of
images. Listings, literals, passthroughs, comments, macros of whole lines and conditions stay.
`asciidoc_inline` has the inline codes. A title with an underline gets one of its new length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import Block
from docmt_files.markup.asciidoc_inline import attribute_texts, blocks_of
from docmt_files.markup.asciidoc_tables import cells_of
from docmt_files.markup.front_matter import find_values
from docmt_files.markup.line_markup import UNDER, Span, content_of, lines_of, read_with_marks
from docmt_files.storage.files import PathLike

_DELIMITER = re.compile(
    r"(?P<verbatim>-{4,}|\.{4,}|\+{4,}|/{4,}|```)(?:(?<=```)[\w+#.,-]*)?"
    r"|(?P<compound>--|={4,}|\*{4,}|_{4,}|\"\"|~{4,})|(?P<table>[|!,:])={3,}"
)
_DIRECTIVE = re.compile(r"(?:include|ifdef|ifndef|ifeval|endif)::\S*\[.*\]")
_MACRO = re.compile(r"(?P<name>\w[\w-]*)::(?P<target>\S*?)\[(?P<in>.*)\]")
_ATTRIBUTE = re.compile(r":(?P<name>!?\w[\w-]*!?):(?:[ \t]+(?P<value>.*))?")
_READ_ATTRIBUTE = re.compile(
    r"(?:doc|nav|toc-|part-|preface-|index-)?title|description|summary"
    r"|(?:appendix|example|figure|listing|table|note|tip|important|warning|caution)-caption"
    r"|(?:last-update|version|untitled)-label|(?:appendix|chapter|part|section)-(?:refsig|signifier)"
)
"""Attributes with text for readers."""
_BLOCK_ATTRIBUTES = re.compile(r"\[(?:|\[.*\]|[\w.#%\"',].*)\]")
_STYLE = re.compile(r"\[[\w-]")
_KEPT_STYLE = re.compile(
    r"\[(?:source|listing|literal|pass|stem|latexmath|asciimath|plantuml|mermaid|ditaa|graphviz|comment"
    r"|a2s|blockdiag|bytefield|d2|erd|nomnoml|pikchr|svgbob|vega|vegalite|wavedrom)\b"
)
_TITLE = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+(?P=marks))?")
_BLOCK_TITLE = re.compile(r"\.(?=[^\s.])")
_UNDERLINE = re.compile(r"(=+|-+|~+|\^+|\++)")
_RULE = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}|\+|- - -|\* \* \*")
_ITEM = re.compile(
    r"[ \t]*(?:(?:[*]{1,6}|-|\u2022|\.{1,6}|\d{1,9}\.|[A-Za-z]\.|[ivxIVX]{1,8}\)|<[\d.]{1,3}>)"
    r"[ \t]+(?:\[[ x*]\][ \t]+)?)(?=\S)"
)
_TERM = re.compile(r"[ \t]*(?P<term>(?!//|:{2,}(?:\s|$))\S.*?)(?P<marks>:{2,4}|;;)(?:[ \t]+|$)")
_ADMONITION = re.compile(r"(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+")
_BY_TITLE = re.compile(
    r"<<(?:_[\w-]{1,80}|[^<>,#.\n]{0,80}?[A-Z ][^<>,#.\n]{0,80})(?:,[^<>\n]{0,200})?>>"
    r"|\bxref:(?:[^\s#]{0,200}#)?_\w"
)
"""References to a title by its words, or by an id made of them."""
_QUOTED_BY = re.compile(r">?[ \t]*-- ")
_AUTHOR = re.compile(r"\w")
_FRONT = re.compile(r"---[ \t]*\r?\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
_MAX_DEPTH = 30


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    return read_with_marks(path, language, Scanner)


class Scanner:
    """Goes through the lines of a file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.marks: list[tuple[int, str]] = []
        self.tables = self.deep = 0

    def notes(self) -> Iterator[str]:
        """Notes on text left untranslated."""
        if self.tables:
            yield f"{counted(self.tables, 'table')} with comma- or colon-separated values kept"
        if count := sum(1 for _ in _BY_TITLE.finditer(self.text)):
            yield (
                f"{counted(count, 'reference')} to titles by their words or by ids made of them, "
                "which other words break: give these titles ids ([#id])"
            )
        if self.deep:
            yield f"{counted(self.deep, 'block')} nested too deeply, and kept"

    def read_file(self) -> None:
        """Read the front matter of a site, the header and the body."""
        start = int(self.text.startswith("\ufeff"))
        if front := _FRONT.match(self.text, start):
            self.blocks += find_values(self.text, *front.span())
            start = front.end()
        lines = lines_of(self.text, start)
        self.read(self._header(lines), 0)

    def _header(self, lines: Sequence[Span]) -> Sequence[Span]:
        """Read the title of the document, and leave out its authors and its version."""
        for number, span in enumerate(lines):
            line = self._line(span)
            if not line or line.startswith("//") or _ATTRIBUTE.fullmatch(line):
                continue
            if not line.startswith("= "):
                break
            kept = list(lines[: number + 1])
            rest = number + 1
            while rest < len(lines) and (line := self._line(lines[rest])):
                if _AUTHOR.match(line) and not _DIRECTIVE.fullmatch(line):
                    rest += 1
                    continue
                kept.append(lines[rest])
                rest += 1
            return [*kept, *lines[rest:]]
        return lines

    def _line(self, span: Span) -> str:
        """A line without the white space at its end."""
        return self.text[slice(*span)].rstrip()

    def _add(self, spans: Sequence[Span], *, heading: int = 0, cell: bool = False) -> None:
        content = content_of(self.text, spans)
        self.blocks += blocks_of(content, cell=cell, heading=heading)

    def read(self, lines: Sequence[Span], depth: int, *, cell: bool = False) -> None:
        """Read lines of a file, of a delimited block or of a cell."""
        if depth > _MAX_DEPTH:
            self.deep += 1
            return
        number = 0
        attributes = line = ""
        while number < len(lines):
            last, line = line, self._line(lines[number])
            if not line:
                number += 1
            elif delimiter := _DELIMITER.fullmatch(line):
                number = self._delimited(lines, number, delimiter, attributes, depth, cell)
                attributes = ""
            elif _BLOCK_ATTRIBUTES.fullmatch(line):
                start = lines[number][0]
                attributes = line if _STYLE.match(line) else attributes + line
                inner = start + 1, start + len(line) - 1
                self.blocks += attribute_texts(self.text, *inner, label=False)
                number += 1
            elif self._single(lines[number], line, cell):
                number += 1
            elif item := _ITEM.match(line) or self._term(lines[number], line, cell):
                number = self._item(lines, number, item.end(), cell)
                attributes = ""
            else:
                number = self._paragraph(lines, number, attributes, cell, in_list=last == "+")
                attributes = ""

    def _delimited(
        self,
        lines: Sequence[Span],
        number: int,
        delimiter: re.Match[str],
        attributes: str,
        depth: int,
        cell: bool,
    ) -> int:
        """Read a block between two equal lines; returns the number of the line after it."""
        closing = "```" if delimiter[0].startswith("```") else delimiter[0]
        end = number + 1
        while end < len(lines) and self._line(lines[end]) != closing:
            end += 1
        inner = lines[number + 1 : end]
        is_kept = delimiter["verbatim"] is not None or _KEPT_STYLE.match(attributes)
        if delimiter["table"] is not None:
            self._table(inner, delimiter["table"], attributes, depth)
        elif not is_kept:
            self.read(inner, depth + 1, cell=cell)
        return end + 1

    def _table(self, lines: Sequence[Span], separator: str, attributes: str, depth: int) -> None:
        if separator in ",:" or re.search(r"format=\"?(?:csv|tsv|dsv)|separator=", attributes):
            self.tables += 1
            return
        for spans in cells_of(self.text, lines, separator, attributes):
            self.read(spans, depth + 1, cell=True)

    def _single(self, span: Span, line: str, cell: bool) -> bool:
        """Read a line that is a block by itself, such as a title, a macro or an attribute; returns
        whether it is one."""
        start, _ = span
        if line.startswith(UNDER) or _RULE.fullmatch(line):
            return True
        if line.startswith("//"):
            return True
        if title := _TITLE.fullmatch(line):
            self._add([_moved(title, "title", start)], heading=len(title["marks"]), cell=cell)
        elif match := _ATTRIBUTE.fullmatch(line):
            if match["value"] and _READ_ATTRIBUTE.fullmatch(match["name"]):
                self._add([_moved(match, "value", start)])
        elif match := _MACRO.fullmatch(line):
            inner = _moved(match, "in", start)
            if match["name"] in ("ifdef", "ifndef") and match["in"]:
                if not self._single(inner, match["in"], cell):
                    self._add([inner])
            elif match["name"] not in ("include", "ifeval", "endif"):
                is_image = match["name"] in ("image", "video", "audio")
                self.blocks += attribute_texts(self.text, *inner, label=is_image)
        elif title := _BLOCK_TITLE.match(line):
            self._add([(start + 1, start + len(line))], cell=cell)
        else:
            return False
        return True

    def _term(self, span: Span, line: str, cell: bool) -> re.Match[str] | None:
        """Read the term of a description list; returns the match up to its description."""
        match = _TERM.match(line)
        if match is not None:
            self._add([_moved(match, "term", span[0])], cell=cell)
        return match

    def _item(self, lines: Sequence[Span], number: int, column: int, cell: bool) -> int:
        """Read the text of a list item from a column of its first line on; returns the number of
        the line after it. A description may begin in a later line."""
        start, end = lines[number]
        spans = [(start + column, end)] if self.text[start + column : end].strip() else []
        number += 1
        while not spans and number < len(lines) and not self._line(lines[number]):
            number += 1
        while number < len(lines) and not self._ends_paragraph(lines[number], in_list=True):
            spans.append(lines[number])
            number += 1
        admonition = _ADMONITION.match(self.text, spans[0][0]) if spans else None
        if admonition is not None:
            spans[0] = admonition.end(), spans[0][1]
        if spans:
            self._add(spans, cell=cell)
        return number

    def _paragraph(
        self, lines: Sequence[Span], number: int, attributes: str, cell: bool, *, in_list: bool
    ) -> int:
        """Read a paragraph, or a title with an underline; returns the number of the line after
        it."""
        first = lines[number]
        is_literal = self.text[first[0]] in " \t" and not cell
        is_kept = is_literal or _KEPT_STYLE.match(attributes) is not None
        if not is_kept and self._has_underline(lines, number):
            if not self.text.startswith(UNDER, lines[number + 1][0]):
                self.marks.append((lines[number + 1][0], UNDER))
            level = "=-~^+".index(self._line(lines[number + 1]).removeprefix(UNDER)[0]) + 1
            self._add([first], heading=level, cell=cell)
            return number + 2
        last = number + 1
        while last < len(lines) and not (
            not self._line(lines[last])
            if is_kept
            else self._ends_paragraph(lines[last], in_list=in_list)
        ):
            last += 1
        if not is_kept:
            start = first[0]
            if admonition := _ADMONITION.match(self.text, *first):
                start = admonition.end()
            self._add(self._quoted([(start, first[1]), *lines[number + 1 : last]]), cell=cell)
        return last

    def _quoted(self, spans: list[Span]) -> list[Span]:
        """The lines of a paragraph, without the marks of a quotation and its author."""
        if not self.text.startswith((">", '"'), spans[0][0]):
            return spans
        if len(spans) > 1 and _QUOTED_BY.match(self.text, spans[-1][0]):
            spans = spans[:-1]
        return [(start + self.text.startswith(">", start), end) for start, end in spans]

    def _has_underline(self, lines: Sequence[Span], number: int) -> bool:
        """Return whether a line is a title with an underline: marked, or about as long."""
        if number + 1 >= len(lines):
            return False
        title, line = (self._line(span) for span in lines[number : number + 2])
        return line.startswith(UNDER) or (
            _UNDERLINE.fullmatch(line) is not None
            and len(line) > 1
            and abs(len(line) - len(title)) < 2
            and any(map(str.isalnum, title))
        )

    def _ends_paragraph(self, span: Span, *, in_list: bool = False) -> bool:
        """Return whether a line does not go on with a paragraph or an item."""
        line = self._line(span)
        if not line or _DELIMITER.fullmatch(line) or _BLOCK_ATTRIBUTES.fullmatch(line):
            return True
        if line.startswith(("//", UNDER)) or _DIRECTIVE.fullmatch(line):
            return True
        if not in_list:
            return False
        return line == "+" or bool(
            _ITEM.match(line) or _TERM.match(line) or _BLOCK_TITLE.match(line)
        )


def _moved(match: re.Match[str], group: str, offset: int) -> Span:
    """The range of a group of a match in a line that starts at an offset of the file."""
    start, end = match.span(group)
    return start + offset, end + offset
