"""`SentenceWriter`: a target sentence in the form of the file, with the codes of the source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from docmt.formats.core.inline import Block, Code, InlineSentence, Shortcut, WordWeights
from docmt.formats.core.kept_words import place_with_words
from docmt.formats.core.literals import has_lone_surrogate
from docmt.formats.core.shortcuts import with_mark
from docmt.formats.core.skeleton import NOT_TEXT


class TargetSentence(NamedTuple):
    """A target sentence.

    Attributes:
        position: the index of the sentence in the document.
        text: the sentence, on one line.
        weights: how much each target word looks at each source word; None without an alignment.
    """

    position: int
    text: str
    weights: WordWeights | None = None


@dataclass(frozen=True, slots=True)
class SentenceWriter:
    """Writes sentences of a block.

    Attributes:
        text: the file.
        block: the block.
        code_text: gives the replacement of a code.
        around: whether codes go around sentences, not between their words.
    """

    text: str
    block: Block
    code_text: Callable[[Code], str]
    around: bool

    def write(
        self, sentence: InlineSentence, target: str, weights: WordWeights | None
    ) -> tuple[str, bool]:
        """A target sentence with codes, and whether the codes are between words.

        Args:
            sentence: the source sentence.
            target: the translation, on one line.
            weights: how much each target word looks at each source word; None without an alignment.
        """
        from docmt.formats.core.placing import place_codes

        place = _place_around if self.around else place_codes
        parts, between = place_with_words(sentence, target, weights, place)
        for part in self.block.parts:
            if isinstance(part, Shortcut) and sentence.start <= part.start < sentence.end:
                parts = with_mark(parts, part)
        return self._spell(parts), between

    def _spell(self, parts: Sequence[str | Code]) -> str:
        """Texts and codes as they stand in the file."""
        written: list[str] = []
        opened: dict[int, tuple[int, int, int]] = {}
        begins = True
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
                size += len(new)
                if part.kind == "open":
                    opened[part.pair] = part.end, len(written), size
            elif part:
                written.append(self.block.escape(part, begins))
                size += len(written[-1])
                begins = False
        return "".join(written)


def can_hold(block: Block, text: str) -> bool:
    """Return whether a file can hold the characters of a text. Escapes write U+FFFD for characters
    XML cannot hold, and an unchanged NUL where the format has no escape for it."""
    written = block.escape(text, True)
    is_replaced = written.count("\ufffd") > text.count("\ufffd")
    return not (is_replaced or NOT_TEXT.search(written) or has_lone_surrogate(text))


def _place_around(
    sentence: InlineSentence, target: str, _: WordWeights | None
) -> tuple[list[str | Code], bool]:
    """A target sentence with all codes around it."""
    from docmt.formats.core.placing import place_codes_around

    return place_codes_around(sentence, target), not sentence.codes
