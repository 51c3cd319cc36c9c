"""`BlockText`: what a file says in a block, to be held beside the same block of its translation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docmt.formats.core.blocks import BlockSkeleton
from docmt.formats.core.inline import Block, Code, InlineSentence
from docmt.formats.core.kept_words import with_words
from docmt.formats.core.protected import words_of
from docmt.formats.core.scopes import Scope, place_of

_TAG = re.compile(r"<\s*([\w:.-]+)")
_IDENTITY = re.compile(
    r"\s(?:id|rid|startRef|href|src|xlink:href)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')"
)
_TITLE = re.compile(r"\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\))(?=\)\Z)")
_OFFICE = re.compile("\x02([a-z])([0-9a-f]*)\x03")
_WITHOUT_PLACE = ("element", "style", "note", "hidden", "page", "part")
"""Scopes with several blocks in them."""
_SHOWN = 60
"""The most characters of a code."""


class BlockText(NamedTuple):
    """A block as text.

    Attributes:
        place: where a person finds it.
        sentences: the sentences, with placeholders in them.
        codes: the inline codes that a translation must have too, each in short.
        heading: the level of the heading, or 0.
        scope: where it stands; None if the file does not say.
    """

    place: str
    sentences: tuple[str, ...]
    codes: tuple[str, ...] = ()
    heading: int = 0
    scope: Scope | None = None


def block_texts(skeleton: BlockSkeleton) -> Iterator[BlockText]:
    """The blocks of a file, in order. Places are as `place_of` gives them, with the lines of text
    files and the numbers of paragraphs of packages."""
    text = skeleton.text
    is_package = "\x1e" in text or "\0" in text
    line, position = 1, 0
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
        yield BlockText(
            place, sentence_texts(sentences, text), codes_of(block, text), block.heading, scope
        )


def sentence_texts(sentences: Sequence[InlineSentence], text: str) -> tuple[str, ...]:
    """Sentences with the words of placeholders in them."""
    return tuple(with_words(each, text, lambda *_: True).text for each in sentences)


def codes_of(block: Block, text: str) -> tuple[str, ...]:
    """The codes of a block that show, without those parts that a translation may change."""
    codes = (part for part in block.parts if isinstance(part, Code))
    heads = (_head(text[c.start : c.end], c) for c in codes if c.shows and not c.text)
    return tuple(head for head in heads if head)


def _head(raw: str, code: Code) -> str:
    """A code in short; empty for the end of a pair, which goes with its beginning."""
    if code.kind == "protected":
        return code.words or words_of(raw) or raw[:_SHOWN]
    if office := _OFFICE.match(raw):
        kinds = {"f": "formatting", "c": "link or field", "e": ""}
        return kinds.get(office[1], "object") if code.kind != "close" else ""
    if tag := _TAG.match(raw):
        identity = _IDENTITY.search(raw)
        return f"<{tag[1]}{f' {identity[1] or identity[2]}' if identity else ''}>"[:_SHOWN]
    if code.kind == "close" and not raw.startswith("]"):
        return ""
    return _TITLE.sub("", raw)[:_SHOWN]
