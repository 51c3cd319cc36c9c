"""Running text: paragraphs with blank lines between them, split into sentences.

Blank lines, indentation, list markers, lines without a letter or digit, line breaks and other white
space between sentences, line ends and a byte order mark stay as they are. A line break within a
sentence becomes a space, or nothing between Chinese or Japanese characters, and is not restored in
the output. Neither is white space at such a line break, nor are form feeds and other separators
within a sentence, which text pipelines read as spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docmt.documents import MARKER, Document
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.formats.plain_text import read_plain_text
from docmt.formats.skeleton import Skeleton, name_of, no_text, separator
from docmt.text.sentences import sentence_spans

_ITEM = re.compile(r"\s*(?:[-*+•‣◦–—]|\d{1,3}[.)]|\((?:\d{1,3}|[a-z])\)|[a-z]\))\s+(?=\S)")
_LINE_ENDS = (".", ":", ";", "!", "?", "。", "：", "；", "！", "？")
_BREAK = re.compile(r"(?<=\S)\s*\n\s*(?=\S)")


def read(
    path: PathLike, language: str, *, plain_text: bool = False
) -> tuple[list[Document], Skeleton]:
    """Read a file as one document that is named after it.

    Args:
        path: the file, or `-` for standard input.
        language: the code of the language whose rules split sentences.
        plain_text: whether to take the file for plain text whatever its name and contents.

    Raises:
        InputError: the file has no letter or digit, is not plain text, or is a line file with `<d>`
            lines.
    """
    plain = read_plain_text(path, force=plain_text)
    if not plain_text and plain.lines and plain.lines[0].strip() == MARKER:
        raise InputError(
            f"begins with a {MARKER} line, as files with one sentence per line do",
            path=name_of(path), line=1, cure="Add --segmented",
        )  # fmt: skip
    ends = iter(plain.ends)
    gaps: list[str | None] = []
    sentences: list[str] = []
    pending = plain.mark
    for lead, text in _blocks(plain.lines):
        pending += lead
        start = 0
        for first, last in sentence_spans(text, language):
            if not _has_word(text[first:last]):
                continue
            gap = pending + _with_ends(text[start:first], ends)
            # Translated into another script, the sentences may need no space, or one.
            gaps.append(None if start > 0 and gap in ("", " ") else gap)
            sentences.append(_unbroken(text[first:last]))
            _with_ends(text[first:last], ends)
            pending, start = "", last
        pending += _with_ends(text[start:] + "\n", ends)
    if not sentences:
        raise no_text(path)
    document = Document(name_of(path), tuple(sentences))
    return [document], Skeleton((*gaps, pending), ((document.id, len(document)),))


def _with_ends(text: str, ends: Iterator[str]) -> str:
    """A text with the next line ends of its file in place of its line feeds."""
    first, *others = text.split("\n")
    return first + "".join(next(ends) + other for other in others)


def _blocks(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The file as pairs of leading characters that are not text and lines of text that belong
    together; a line break follows each pair.

    A block ends at a line without a word, and before a list item: a line that looks like one and
    is the first, or comes after another item or after a line that ends in punctuation. Elsewhere a
    line may begin with a dash or a date by chance.
    """
    lead = ""
    block: list[str] = []
    for line in lines:
        worded = _has_word(line)
        item = _ITEM.match(line) if worded else None
        if item and block and not lead and not block[-1].rstrip().endswith(_LINE_ENDS):
            item = None
        if block and (item or not worded):
            yield lead, "\n".join(block)
            lead, block = "", []
        if not worded:
            yield line, ""
        elif item:
            lead, block = item[0], [line[item.end() :]]
        else:
            block.append(line)
    if block:
        yield lead, "\n".join(block)


def _has_word(text: str) -> bool:
    """Whether there is a letter or digit, so something to translate."""
    return any(character.isalnum() for character in text)


def _unbroken(sentence: str) -> str:
    """A sentence on one line."""
    return _BREAK.sub(
        lambda match: separator(sentence[match.start() - 1], sentence[match.end()]), sentence
    )
