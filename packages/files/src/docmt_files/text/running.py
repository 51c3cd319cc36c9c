"""Running text: paragraphs with blank lines between them, split into sentences.

Lines of wrapped prose go on in the next line, and other lines, such as terms, verse and addresses,
are units (`docmt_files.text.line_ends`). In the texts of requests each line is a unit, unless the
request says otherwise.

Blank lines, indentation, list markers, lines without a letter or digit, line breaks and other white
space between sentences, line ends and a byte order mark stay unchanged. A line break within a
sentence becomes a space, or nothing between characters of a script without spaces, and is not
restored in the translation. White space at such a line break is lost too, as are form feeds and
other separators within a sentence: text pipelines read them as spaces. Addresses and placeholders
are protected, and tags are codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import StringIO
from itertools import groupby, pairwise
from typing import NamedTuple

from docmt_files.base.documents import MARKER, Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.inline import Block, Code, LineEnd, Part, Text, has_letter, has_word, paired
from docmt_files.core.line_joining import columns_of
from docmt_files.core.protection.placeholders import protect
from docmt_files.core.sentence_cutting import Splitting
from docmt_files.core.skeleton import separator
from docmt_files.markup.tag_codes import plain_text_tags
from docmt_files.storage.files import PathLike
from docmt_files.text.line_ends import clear_ends, column_gaps, indentation, line_ends
from docmt_files.text.plain_text import PlainText, read_plain_text

_ITEM = re.compile(r"\s*(?:[-*+•‣◦–—]|\d{1,3}[.)]|\((?:\d{1,3}|[a-z])\)|[a-z]\))\s+(?=\S)")
_MARK = re.compile(r"[ \t]*(?:>[ \t]*|(?:#+|\|+|;+|//+)[ \t]+)+(?=\S)")
"""The mark of a quoted line, as in mail, or of a comment."""

_LINE_ENDS = (".", ":", ";", "!", "?", "。", "：", "；", "！", "？")
_TWO_SPACES = re.compile(r"(?<=\S)  (?=\S)")
_CUT_WORD = re.compile(r"\w(?:--?|‐)\n(?!(?:and|or|to|und|oder|bis|bzw)\b)[^\W\d_]")
"""A line end after a hyphen or a dash of hyphens without spaces, within a word as a rule. After `—`
some texts have a space and others have none."""

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{2}")
"""Two letters of Thai, Lao, Burmese or Khmer, which have spaces between clauses only."""


def read(
    path: PathLike, language: str, *, plain_text: bool = False
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file as one document, named after the file.

    Args:
        path: the file, or `-` for standard input.
        language: the code of the language whose rules split sentences.
        plain_text: whether to take the file for plain text whatever the name and contents.

    Raises:
        InputError: the file has no letter or digit, is not plain text, or is a line file with `<d>`
            lines.
    """
    plain = read_plain_text(path, force=plain_text, language=language)
    if not plain_text and plain.lines and plain.lines[0].strip() == MARKER:
        raise InputError(
            f"begins with a {MARKER} line, as files with one sentence per line do",
            path=path,
            line=1,
            cure="Add `segmented`",
            parameters=("segmented",),
        )
    return _read(path, plain, language)


def read_text(
    text: str, language: str, splitting: Splitting = "lines"
) -> tuple[list[Document], BlockSkeleton]:
    """Read a text of a request, whatever the look, as a document named `text`.

    Args:
        text: the text.
        language: the code of the language whose rules split sentences.
        splitting: the ends of sentences.

    Raises:
        InputError: the text has no letter or digit.

    >>> documents, skeleton = read_text("One. Two.\\nthree", "en")
    >>> documents[0].source
    ('One.', 'Two.', 'three')
    """
    plain = PlainText.of(list(StringIO(text, newline="\n")))
    return _read("text", plain, language, splitting)


def _read(
    path: PathLike, plain: PlainText, language: str, splitting: Splitting | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Split a text into sentences; without `splitting`, the look of lines decides which go on."""
    text = plain.mark + "".join(map("".join, zip(plain.lines, plain.ends, strict=True)))
    lines = list(_lines(plain))
    if splitting in (None, "lines"):
        found = _blocks(lines, language, is_request=splitting is not None)
    else:
        found = iter([[line for line in lines if line.text.strip()]])
    blocks = [Block(tuple(protect(list(paired(list(_parts(block))))))) for block in found if block]
    return read_document(path, text, Blocks(blocks, is_split=splitting != "none"), language, None)


class _Line(NamedTuple):
    """A line, or one of its columns.

    Attributes:
        start: the offset in the file at which it starts.
        text: the text, without the line end.
        ends: whether what is before it is the end of a unit.
        mark: the mark of a quoted line, before the text.
    """

    start: int
    text: str
    ends: bool = False
    mark: str = ""


def _lines(plain: PlainText) -> Iterator[_Line]:
    """The lines of a text. A carriage return alone is a line end."""
    start = len(plain.mark)
    for line, end in zip(plain.lines, plain.ends, strict=True):
        position = start
        for text in line.rstrip("\r").split("\r"):
            yield _Line(position, text)
            position += len(text) + 1
        start += len(line) + len(end)


def _blocks(lines: Iterable[_Line], language: str, *, is_request: bool) -> Iterator[list[_Line]]:
    """The lines of each block. A block ends at a line without a word or with another mark, and
    before a list item and a line with columns.

    Args:
        lines: the lines of the text.
        language: the code of the language.
        is_request: whether each line is a unit, as in requests to services.
    """
    unmarked = map(_without_mark, lines)
    for (has_words, _), group in groupby(unmarked, lambda line: (has_word(line.text), line.mark)):
        if not has_words:
            continue
        paragraph = list(group)
        texts = [line.text for line in paragraph]
        clear = [True] * (len(texts) - 1) if is_request else clear_ends(texts)
        kept = list(_kept(texts, clear))
        starts = [index for index, ranges in enumerate(kept) if ranges or not index]
        for first, stop in pairwise([*starts, len(texts)]):
            ends = clear[first : stop - 1]
            if not is_request:
                lead = _lead(texts[first:stop], kept[first])
                ends = line_ends(texts[first:stop], language, lead)
            rest = zip(paragraph[first + 1 : stop], ends, strict=True)
            yield [
                *_columns(paragraph[first], kept[first]),
                *(line._replace(ends=end) for line, end in rest),
            ]


def _without_mark(line: _Line) -> _Line:
    """A line without the mark of a quoted line."""
    mark = _MARK.match(line.text)
    if mark is None:
        return line
    return _Line(line.start + mark.end(), line.text[mark.end() :], mark="".join(mark[0].split()))


def _kept(lines: Sequence[str], clear: Sequence[bool]) -> Iterator[list[tuple[int, int]]]:
    """For each line of a paragraph, the ranges of a list marker and of the gaps between columns. A
    line with the look of an item is an item if it is the first line, or comes after another item, a
    line with punctuation at the end or a clear end. Elsewhere a line may begin with a dash or a
    date by chance. Two spaces are a gap above or below another gap."""
    after_item = False
    gaps = [column_gaps(line) for line in lines]
    columns = {end for each in gaps for _, end in each}
    for index, line in enumerate(lines):
        item = _ITEM.match(line)
        if item and index and not (after_item or clear[index - 1]):
            item = item if lines[index - 1].rstrip().endswith(_LINE_ENDS) else None
        after_item = after_item or item is not None
        marker = [item.span()] if item else []
        text = marker[0][1] if item else 0
        narrow = [gap.span() for gap in _TWO_SPACES.finditer(line) if gap.end() in columns]
        yield marker + sorted(gap for gap in {*gaps[index], *narrow} if gap[0] >= text)


def _lead(lines: Sequence[str], kept: Sequence[tuple[int, int]]) -> int:
    """The number of characters in the first line of a block before the text of an item or, if the
    next line begins below it, before the last column."""
    if not kept:
        return 0
    start, end = kept[-1]
    is_item = start == 0
    is_below = len(lines) > 1 and indentation(lines[1]) == columns_of(lines[0][:end].expandtabs())
    return end if is_item or is_below else 0


def _columns(line: _Line, kept: Sequence[tuple[int, int]]) -> list[_Line]:
    """The text of a line, without a list marker; of a line with columns, each column with letters
    or, if none has letters, the first one with digits or other characters."""
    stops = [*(start for start, _ in kept), len(line.text)]
    starts = [0, *(end for _, end in kept)]
    columns = [
        line._replace(start=line.start + start, text=line.text[start:stop], ends=True)
        for start, stop in zip(starts, stops, strict=True)
    ]
    if lettered := [column for column in columns if has_letter(column.text)]:
        return lettered
    columns = [column for column in columns if column.text.strip()]
    return [next((column for column in columns if has_word(column.text)), columns[0])]


def _parts(lines: Sequence[_Line]) -> Iterator[Part]:
    """The parts of a block. White space at a line break is a space, or nothing after a hyphen and
    between characters of a script without spaces."""
    before: Text | None = None
    texts = [line.text.strip() for line in lines]
    for line, text, tags in zip(lines, texts, plain_text_tags(texts), strict=True):
        first = line.start + line.text.index(text)
        if before is not None:
            is_inside = _UNSPACED.fullmatch(before.text[-1] + text[0])
            is_inside = is_inside or _CUT_WORD.search(f"{before.text[-3:]}\n{text[:8]}")
            between = "" if is_inside else separator(before.text, text)
            yield LineEnd(before.end, first, between, line.ends)
        before = Text(first, first + len(text), text)
        yield from _between(before, tags)


def _between(line: Text, tags: Sequence[Code]) -> Iterator[Part]:
    """A line as texts and the tags in it."""
    position = 0
    for tag in tags:
        if position < tag.start:
            text = line.text[position : tag.start]
            yield Text(line.start + position, line.start + tag.start, text)
        yield replace(tag, start=line.start + tag.start, end=line.start + tag.end)
        position = tag.end
    if position < len(line.text):
        yield Text(line.start + position, line.end, line.text[position:])
