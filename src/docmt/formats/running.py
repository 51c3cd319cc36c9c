"""Running text: paragraphs with blank lines between them, split into sentences.

Blank lines, indentation, list markers, lines without a letter or digit, and line breaks between
sentences stay as they are. A line break inside a sentence is a space in the sentence, or nothing
between Chinese or Japanese characters, and so gone in the output; so are the white space at the
ends of lines where a sentence goes on and the number of spaces between two sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docmt.documents import Document
from docmt.files import PathLike, read_lines
from docmt.formats.skeleton import Skeleton, between, name_of, no_text
from docmt.text.sentences import sentence_spans

_ITEM = re.compile(r"\s*(?:[-*+•‣◦–—]|\d{1,3}[.)]|\((?:\d{1,3}|[a-z])\)|[a-z]\))\s+(?=\S)")
_LINE_ENDS = (".", ":", ";", "!", "?", "。", "：", "；", "！", "？")
_BREAK = re.compile(r"(?<=\S)\s*\n\s*(?=\S)")


def read(path: PathLike, language: str) -> tuple[list[Document], Skeleton]:
    """Read a file, `-` for standard input, as one document that is named after it.

    Args:
        language: the code of the language by whose rules sentences end.

    Raises:
        InputError: there is no word in it, or it is no plain text.
    """
    gaps: list[str | None] = []
    sentences: list[str] = []
    pending = ""
    for lead, text in blocks(read_lines(path)):
        pending += lead
        start = 0
        for first, last in sentence_spans(text, language):
            if not has_word(text[first:last]):
                continue
            gap = pending + text[start:first]
            flows = start > 0 and not gap.strip() and "\n" not in gap
            gaps.append(None if flows else gap)
            sentences.append(unbroken(text[first:last]))
            pending, start = "", last
        pending += text[start:] + "\n"
    if not sentences:
        raise no_text(path)
    document = Document(name_of(path), tuple(sentences))
    return [document], Skeleton((*gaps, pending), ((document.id, len(document)),))


def blocks(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The file as pairs of what is no text and lines of text that belong together, each pair
    with a line break after it.

    A block ends at a line without a word and where a list item opens: at a line that looks so and
    stands first, or after another item, or after a line that ends in a punctuation mark. Elsewhere
    it may be a dash or a date that the last line break happened to lead to.
    """
    lead = ""
    block: list[str] = []
    for line in lines:
        worded = has_word(line)
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


def has_word(text: str) -> bool:
    """Whether there is a letter or digit to translate."""
    return any(character.isalnum() for character in text)


def unbroken(sentence: str) -> str:
    """A sentence on one line."""
    return _BREAK.sub(
        lambda found: between(sentence[found.start() - 1], sentence[found.end()]), sentence
    )
