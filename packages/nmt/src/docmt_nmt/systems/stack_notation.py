"""The notation of Donato et al. 2021, section 2.2, for what a parallel stack attends to:

    Bs(p,c) => Bs(c,n) => Ps(3p,c,3n)

A block is ModelSide(Inputs): a letter for the model, `s` for the source language or `t` for the
target's, and which sentences the model reads: the current one (`c`), the previous (`p`, `3p` the
three before) and the next (`n`, `3n`). `=>` says in which order attention is paid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from docmt_files.base.errors import InputError

Side = Literal["source", "target"]

ARROW = re.compile("=>|⇒")
MODEL, SIDE, OPEN = re.compile("[A-Z]"), re.compile("[st]"), re.compile(r"\(")
INPUT, NEXT_OR_LAST = re.compile("[0-9]*[pcn]"), re.compile("[,)]")
ORDER = "pcn"
MOST = 9999
"""Sentences of a kind that a block may read."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a stack.

    Attributes:
        model: a capital letter.
        side: the language that the model reads.
        previous, following: how many sentences before and after the current one.
        current: whether the current one.
    """

    model: str
    side: Side
    previous: int
    current: bool
    following: int

    def __str__(self) -> str:
        inputs = (several(self.previous, "p"), "c" * self.current, several(self.following, "n"))
        return f"{self.model}{self.side[0]}({','.join(filter(None, inputs))})"

    def indices(self, sentence: int, sentences: int) -> list[int]:
        """The sentences of a document of so many that the model reads for one of them, in order."""
        first, end = max(sentence - self.previous, 0), sentence + self.following + 1
        return [
            position
            for position in range(first, min(end, sentences))
            if position != sentence or self.current
        ]


def several(count: int, letter: str) -> str:
    """`3p`, `p` or nothing."""
    return f"{count}{letter}" if count > 1 else letter * count


def parse(text: str) -> tuple[Block, ...]:
    """The blocks of a stack in their order; none of an empty text.

    Raises:
        InputError: pointing at the character where the text stops making sense.
    """
    if not text.strip():
        return ()
    reader = Reader(text)
    blocks = [reader.block()]
    while not reader.at_end():
        reader.take(ARROW, "`=>` or the end")
        blocks.append(reader.block())
    return tuple(blocks)


def written(blocks: tuple[Block, ...]) -> str:
    """Blocks in their notation; `parse` reads it."""
    return " => ".join(map(str, blocks))


class Reader:
    """Reads a text from left to right; white space between signs does not count."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0

    def block(self) -> Block:
        """One block."""
        model = self.take(MODEL, "a model, a capital letter such as B or P")
        self.skip()
        at_side = self.position
        side: Side = "source"
        if self.take(SIDE, "a side, `s` (source) or `t` (target)") == "t":
            side = "target"
        self.take(OPEN, "`(`")
        counts = self.inputs()
        if side == "target" and "c" in counts:
            self.position = at_side
            raise self.error("the current target sentence is what is written and cannot be read")
        return Block(model, side, counts.get("p", 0), "c" in counts, counts.get("n", 0))

    def inputs(self) -> dict[str, int]:
        """Number of sentences of each kind, up to the closing bracket."""
        counts: dict[str, int] = {}
        while True:
            self.skip()
            start = self.position
            text = self.take(INPUT, "an input, such as `c`, `p` or `3n`")
            number, letter = text[:-1], text[-1]
            if problem := fault(number, letter, counts):
                self.position = start
                raise self.error(problem)
            counts[letter] = int(number or 1)
            if self.take(NEXT_OR_LAST, "`,` or `)`") == ")":
                return counts

    def take(self, pattern: re.Pattern[str], wanted: str) -> str:
        """Return what the pattern fits here."""
        self.skip()
        match = pattern.match(self.text, self.position)
        if match is None:
            raise self.error(f"expected {wanted}")
        self.position = match.end()
        return match[0]

    def at_end(self) -> bool:
        """Return whether nothing is left."""
        self.skip()
        return self.position == len(self.text)

    def skip(self) -> None:
        """Pass over white space."""
        self.position += len(self.text[self.position :]) - len(self.text[self.position :].lstrip())

    def error(self, problem: str) -> InputError:
        """The error for what stands here; `▸` points at the character."""
        position = self.position
        there = f"at character {position + 1}" if position < len(self.text) else "at the end"
        return InputError(f"{problem}, {there}: {self.text[:position]}▸{self.text[position:]}")


def fault(number: str, letter: str, before: Iterable[str]) -> str:
    """Return what is wrong with an input after those before it; nothing where it is right."""
    if letter in before:
        return f"`{letter}` a second time"
    if any(ORDER.index(earlier) > ORDER.index(letter) for earlier in before):
        return "inputs stand in the order `p`, `c`, `n`"
    if letter == "c" and number:
        return "there is one current sentence, `c`"
    if number and not number.strip("0"):
        return f"`{number}{letter}` is not a sentence"
    # By its digits, as Python makes no number of thousands of them.
    return f"no more than {MOST} sentences can be read" if len(number) > len(str(MOST)) else ""
