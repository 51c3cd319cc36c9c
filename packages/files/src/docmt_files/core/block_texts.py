"""`BlockText`: what a file says in a block, to be held beside the same block of its translation."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import unescape
from typing import NamedTuple

from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import Block, Code, InlineSentence, Shortcut
from docmt_files.core.protection.placeholders import placeholder_words
from docmt_files.core.scopes import Scope, key_path, place_of

_TAG = re.compile(r"<\s*([\w:.-]+)")
_IDENTITY = re.compile(
    r"\s(?:id|rid|startRef|href|src|xlink:href)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')"
)
_TITLE = re.compile(r"\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\))(?=\)\Z)")
_OFFICE = re.compile("\x02([a-z])([0-9a-f]*)\x03")
_WITHOUT_PLACE = ("element", "style", "note", "hidden", "page", "part")
"""Scopes with several blocks in them."""
_WRAPPED = re.compile(r"\"[ \t]*[\r\n]+[ \t]*\"")
STAND_IN = " ʹ "
"""The letter in place of a code, which belongs to no script."""
_LONGEST = 300
"""The most characters of a code."""


class BlockText(NamedTuple):
    """A block as text.

    Attributes:
        place: where a person finds it.
        sentences: the sentences, with the words of placeholders and other protected codes.
        plain: the same with a letter in place of these words, and of void codes.
        codes: the inline codes that a translation must have too, each in short: tags, placeholders,
            marks of shortcuts.
        heading: the level of the heading, or 0.
        scope: where it stands; None if the file does not say.
        raw: the string with all tags, spaces and line breaks, in files of strings; empty in others.
    """

    place: str
    sentences: tuple[str, ...]
    plain: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    heading: int = 0
    scope: Scope | None = None
    raw: str = ""


def block_texts(skeleton: BlockSkeleton) -> Iterator[BlockText]:
    """The blocks of a file, in order. Places are as `place_of` gives them, with the lines of text
    files and the numbers of paragraphs of packages."""
    text = skeleton.text
    is_package = "\x1e" in text or "\0" in text
    line, position = 1, 0
    last, last_end = "", 0
    starts = [block.parts[0].start if block.parts else 0 for block in skeleton.found.blocks]
    for number, (block, sentences) in enumerate(
        zip(skeleton.found.blocks, skeleton.sentences, strict=True)
    ):
        start = starts[number]
        if start < position:
            line, position = 1, 0
        line, position = line + text.count("\n", position, start), start
        scope = block.scopes[0] if block.scopes else None
        place = place_of(scope)
        own = "" if is_package else f"line {line:,}"
        if is_package and (scope is None or scope.kind in _WITHOUT_PLACE):
            own = f"paragraph {number + 1:,}"
        place = ", ".join(filter(None, (place, own)))
        key = "" if scope is None or is_package else key_path(scope)
        raw = ""
        if key and block.parts:
            raw = text[last_end if key == last else start : block.parts[-1].end]
            last, last_end = key, block.parts[-1].end
        yield BlockText(
            place,
            sentence_texts(block, sentences, text),
            sentence_texts(block, sentences, text, stand_in=STAND_IN),
            codes_of(block, text),
            block.heading,
            scope,
            raw,
        )


def sentence_texts(
    block: Block, sentences: Sequence[InlineSentence], text: str, *, stand_in: str = ""
) -> tuple[str, ...]:
    """The sentences of a block with the words of protected codes, also between sentences; or with
    a stand-in for the words of each code."""
    if not sentences:
        return ()
    ends = [sentence.end for sentence in sentences[:-1]]
    pieces: list[list[str]] = [[] for _ in sentences]
    for part in block.parts:
        index = bisect_right(ends, part.start)
        if isinstance(part, Code):
            raw = _unwrapped(text[part.start : part.end])
            words = stand_in or part.words or placeholder_words(raw) or ""
            if part.kind == "void" and part.shows and not part.text:
                pieces[index].append(stand_in)
            else:
                pieces[index].append(words if part.kind == "protected" else part.text)
        elif len(part.text) != part.end - part.start:
            pieces[index].append(part.text)
        else:
            for position, own in enumerate(pieces[index:], start=index):
                first = ends[position - 1] if position > index else part.start
                last = ends[position] if position < len(ends) else part.end
                own.append(part.text[max(0, first - part.start) : last - part.start])
                if last >= part.end:
                    break
    return tuple(" ".join("".join(own).split()) for own in pieces)


def codes_of(block: Block, text: str) -> tuple[str, ...]:
    """The codes of a block that show, without those parts that a translation may change."""
    codes = (part.mark if isinstance(part, Shortcut) else part for part in block.parts)
    heads = (
        _head(text[c.start : c.end], c)
        for c in codes
        if isinstance(c, Code) and c.shows and not c.text
    )
    return tuple(head for head in heads if head)


def _unwrapped(raw: str) -> str:
    """A code without the line breaks of a PO file."""
    return _WRAPPED.sub("", raw)


def _head(raw: str, code: Code) -> str:
    """A code in short; empty for the end of a pair, which goes with its beginning."""
    if code.kind == "protected":
        raw = _unwrapped(raw)
        return code.words or placeholder_words(raw) or raw[:_LONGEST]
    raw = unescape(raw) if raw.startswith("&lt;") else raw
    if office := _OFFICE.match(raw):
        kinds = {"f": "formatting", "c": "link or field", "e": ""}
        return kinds.get(office[1], "object") if code.kind != "close" else ""
    if tag := _TAG.match(raw):
        identity = _IDENTITY.search(raw)
        return f"<{tag[1]}{f' {identity[1] or identity[2]}' if identity else ''}>"[:_LONGEST]
    if code.kind == "close" and not raw.startswith("]"):
        return ""
    return _TITLE.sub("", raw)[:_LONGEST]
