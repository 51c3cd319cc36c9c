"""Running text: paragraphs with blank lines between them, split into sentences.

Blank lines, indentation, list markers, lines without a letter or digit, line breaks and other white
space between sentences, line ends and a byte order mark stay unchanged. A line break within a
sentence becomes a space, or nothing between Chinese or Japanese characters, and is not restored in
the translation. White space at such a line break is lost too, as are form feeds and other
separators within a sentence: text pipelines read them as spaces. Addresses and placeholders are
protected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import StringIO

from docmt.formats.core.blocks import Blocks, BlockSkeleton, read_document
from docmt.formats.core.inline import Block, LineEnd, Part, Text, has_word
from docmt.formats.core.protected import protect
from docmt.formats.core.skeleton import separator
from docmt.formats.text.plain_text import PlainText, read_plain_text
from docmt.ground.documents import MARKER, Document
from docmt.ground.errors import InputError
from docmt.storage.files import PathLike

_ITEM = re.compile(r"\s*(?:[-*+•‣◦–—]|\d{1,3}[.)]|\((?:\d{1,3}|[a-z])\)|[a-z]\))\s+(?=\S)")
_LINE_ENDS = (".", ":", ";", "!", "?", "。", "：", "；", "！", "？")


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
    plain = read_plain_text(path, force=plain_text)
    if not plain_text and plain.lines and plain.lines[0].strip() == MARKER:
        raise InputError(
            f"begins with a {MARKER} line, as files with one sentence per line do",
            path=path,
            line=1,
            cure="Add `segmented`",
            parameters=("segmented",),
        )
    return _read(path, plain, language)


def read_text(text: str, language: str) -> tuple[list[Document], BlockSkeleton]:
    """Read a text like a file, whatever the look, as a document named `text`.

    Args:
        text: the text.
        language: the code of the language whose rules split sentences.

    Raises:
        InputError: the text has no letter or digit.

    >>> documents, skeleton = read_text("One. Two.\\n\\nThree.", "en")
    >>> documents[0].source
    ('One.', 'Two.', 'Three.')
    """
    return _read("text", PlainText.of(list(StringIO(text, newline="\n"))), language)


def _read(path: PathLike, plain: PlainText, language: str) -> tuple[list[Document], BlockSkeleton]:
    """Split a text into sentences."""
    text = plain.mark + "".join(map("".join, zip(plain.lines, plain.ends, strict=True)))
    blocks = [Block(tuple(protect(parts))) for parts in _blocks(plain)]
    return read_document(path, text, Blocks(blocks), language, None)


def _blocks(plain: PlainText) -> Iterator[tuple[Part, ...]]:
    """The lines of each block, with spaces for the breaks between them.

    A block ends at a line without a word, and before a list item. A line with the look of an item
    is an item if it is the first line, or comes after another item or after a line with punctuation
    at the end. Elsewhere a line may begin with a dash or a date by chance.
    """
    block: list[tuple[int, str]] = []
    start = len(plain.mark)
    is_item = False
    for line, end in zip(plain.lines, plain.ends, strict=True):
        worded = has_word(line)
        item = _ITEM.match(line) if worded else None
        if item and block and not is_item and not block[-1][1].rstrip().endswith(_LINE_ENDS):
            item = None
        if block and (item or not worded):
            yield _joined(block)
            block, is_item = [], False
        if worded:
            is_item = is_item or item is not None
            lead = item.end() if item else 0
            block.append((start + lead, line[lead:]))
        start += len(line) + len(end)
    if block:
        yield _joined(block)


def _joined(lines: Sequence[tuple[int, str]]) -> tuple[Part, ...]:
    """Lines, with the offsets of their starts, as parts of a block. White space at a line break is
    a space, or nothing between Chinese or Japanese characters."""
    parts: list[Part] = []
    for start, line in lines:
        text = line.strip()
        first = start + len(line) - len(line.lstrip())
        if parts:
            before = parts[-1]
            parts.append(LineEnd(before.end, first, separator(before.text, text)))
        parts.append(Text(first, first + len(text), text))
    return tuple(parts)
