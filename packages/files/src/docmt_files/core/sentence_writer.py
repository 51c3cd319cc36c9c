"""`SentenceWriter`: a target sentence in the form of the file, with the codes of the source."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from docmt_files.base.wording import counted
from docmt_files.core.inline import (
    Alignment,
    Block,
    Code,
    CodedText,
    InlineSentence,
    LineEnd,
    Piece,
    Shortcut,
)
from docmt_files.core.patches import Patch, patches_of_codes
from docmt_files.core.placement.placed_codes import PlacedCodes
from docmt_files.core.protection.placeholder_words import place_with_words
from docmt_files.core.shortcuts import with_mark
from docmt_files.core.skeleton import on_one_line, separator
from docmt_files.core.string_literals import has_lone_surrogate
from docmt_files.storage.characters import NOT_TEXT

_NOT_SPACE = re.compile(r"\S")

_MAX_LISTED = 3
"""Maximum number of words listed in a note."""


class CodeLevel(IntEnum):
    """Where codes go: within words if possible, between words, or around sentences."""

    WITHIN_WORDS = 0
    BETWEEN_WORDS = 1
    AROUND = 2


class TargetSentence(NamedTuple):
    """A target sentence.

    Attributes:
        position: the index of the sentence in the document.
        text: the sentence, on one line.
        alignment: the alignment of the words or codes, if there is one.
    """

    position: int
    text: str
    alignment: Alignment | None = None

    def changes(self, sentence: InlineSentence) -> bool:
        """Return whether the target differs from the source, or codes may have other places."""
        is_coded = isinstance(self.alignment, CodedText)
        return is_coded or self.text != on_one_line(sentence.text)


@dataclass(frozen=True)
class SentenceWriter:
    """Writes sentences of a block. Parts of the block are found by their offsets, as a transcript
    may be one block with thousands of sentences.

    Attributes:
        text: the file.
        block: the block.
        code_text: gives the replacement of a code.
        level: where codes go.
    """

    text: str
    block: Block
    code_text: Callable[[Code], str]
    level: CodeLevel

    def write_all(
        self, sentences: Sequence[InlineSentence], targets: Sequence[TargetSentence]
    ) -> tuple[list[Patch], dict[int, PlacedCodes]]:
        """The patches of the changed sentences of the block, and the codes of these sentences by
        their indices."""
        patches: list[Patch] = []
        placed: dict[int, PlacedCodes] = {}
        last, end, changed = "", -1, False
        for index, (sentence, target) in enumerate(zip(sentences, targets, strict=True)):
            changes = target.changes(sentence)
            gap = self.text[end : sentence.start]
            if end >= 0 and (changed or changes) and gap in ("", " "):
                patches.append((end, sentence.start, separator(last, target.text)))
            if changes:
                new, placed[index] = self.write(sentence, target.text, target.alignment)
                patches.append((sentence.start, sentence.end, new))
            last, end, changed = target.text or last, sentence.end, changes
        return [*patches, *patches_of_codes(self.block, patches)], placed

    def write(
        self, sentence: InlineSentence, target: str, alignment: Alignment | None
    ) -> tuple[str, PlacedCodes]:
        """A target sentence with codes, and the places of the codes.

        Args:
            sentence: the source sentence.
            target: the translation, on one line.
            alignment: the alignment of the words or codes, if there is one.
        """

        def place(
            sentence: InlineSentence, target: str, alignment: Alignment | None
        ) -> PlacedCodes:
            if not sentence.codes:
                return PlacedCodes([target])
            from docmt_files.core.placement.placing import place_codes, place_codes_around

            if self.level == CodeLevel.AROUND:
                return PlacedCodes(place_codes_around(sentence, target), not sentence.codes)
            within = self.level == CodeLevel.WITHIN_WORDS
            return place_codes(sentence, target, alignment, within_words=within)

        if isinstance(alignment, CodedText) and self.level != CodeLevel.AROUND:
            placed = PlacedCodes(list(alignment.parts))
        else:
            placed = place_with_words(sentence, target, alignment, place)
        written = joined_texts(placed.parts)
        starts = self._starts
        for index in range(bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)):
            if isinstance(part := self.block.parts[index], Shortcut):
                written = with_mark(written, part)
        pieces = self._spell(written, begins=self._begins_line(sentence.start))
        return self.block.join(pieces, *self._around(sentence)), placed

    def _around(self, sentence: InlineSentence) -> tuple[Piece, Piece]:
        """The codes of the file beside a sentence, or the characters if there are none."""
        start, end = sentence.start, sentence.end
        before, after = self._code_before.get(start), self._code_after.get(end)
        return (
            (self.text[before.start if before else max(0, start - 1) : start], before),
            (self.text[end : after.end if after else end + 1], after),
        )

    def _begins_line(self, start: int) -> bool:
        """Return whether a sentence begins the block, or a line of the block."""
        for index in reversed(range(bisect_left(self._starts, start))):
            part = self.block.parts[index]
            if isinstance(part, LineEnd) or part.text == "\n":
                return True
            if isinstance(part, Code) or _NOT_SPACE.search(
                self.text, part.start, min(part.end, start)
            ):
                return False
        return True

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets at which the parts of the block start."""
        return [part.start for part in self.block.parts]

    @cached_property
    def _code_before(self) -> dict[int, Code]:
        """By an offset, the first code that ends there."""
        return {code.end: code for code in reversed(self.block.parts) if isinstance(code, Code)}

    @cached_property
    def _code_after(self) -> dict[int, Code]:
        """By an offset, the first code that starts there."""
        return {code.start: code for code in reversed(self.block.parts) if isinstance(code, Code)}

    def _spell(self, parts: Sequence[str | Code], *, begins: bool) -> list[Piece]:
        """Texts and codes as they stand in the file."""
        written: list[str] = []
        codes: list[Code | None] = []
        opened: dict[int, tuple[int, int, int]] = {}
        size = 0
        for part in parts:
            if isinstance(part, Code):
                start, index, before = opened.get(part.pair, (-1, 0, 0))
                # Of a pair that began in another sentence, text may have changed there. Texts of
                # other lengths differ: what is within is put together only where it may be equal.
                same = part.written is None or (
                    start >= 0
                    and part.start - start == size - before
                    and self.text[start : part.start] == "".join(written[index:])
                )
                new = self.code_text(part) if same else str(part.written)
                written.append(new)
                codes.append(part)
                size += len(new)
                begins = part.text == "\n"
                if part.kind == "open":
                    opened[part.pair] = part.end, len(written), size
            elif part:
                written.append(self.block.escape(part, begins))
                codes.append(None)
                size += len(written[-1])
                begins = begins and part.isspace()
        return list(zip(written, codes, strict=True))


def joined_texts(parts: Iterable[str | Code]) -> list[str | Code]:
    """Texts and codes with adjacent texts as one, and none empty."""
    made: list[str | Code] = []
    for part in parts:
        if isinstance(part, str) and made and isinstance(last := made[-1], str):
            made[-1] = last + part
        elif part:
            made.append(part)
    return made


def notes_on_codes(placed: Sequence[PlacedCodes]) -> Iterator[str]:
    """Notes on the sentences and words with codes in other places than in the source."""
    if around := sum(not codes.between for codes in placed):
        yield f"{counted(around, 'sentence')} with inline codes around instead of within"
    if words := [word for codes in placed for word in codes.whole]:
        listed = ", ".join(list(dict.fromkeys(words))[:_MAX_LISTED])
        yield (
            f"{counted(len(words), 'word')} with inline codes within, put around whole words: "
            f"{listed}"
        )


def can_hold(block: Block, text: str) -> bool:
    """Return whether a file can hold the characters of a text. Escapes write U+FFFD for characters
    XML cannot hold, and an unchanged NUL where the format has no escape for it."""
    written = block.escape(text, True)
    is_replaced = written.count("\ufffd") > text.count("\ufffd")
    return not (is_replaced or NOT_TEXT.search(written) or has_lone_surrogate(text))
