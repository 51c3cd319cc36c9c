"""`MatchPenalties`: what a match of a memory costs beside how alike the sentences are."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

from docmt.memory.units import MemoryMatch
from docmt_files.base.documents import Sentence
from docmt_files.base.errors import InputError
from docmt_files.base.wording import did_you_mean


@dataclass(frozen=True, slots=True)
class MatchPenalties:
    """What is taken off the rate of a match, from 0 to 1. A match with a penalty is not exact: its
    sentence is translated anew, and the match is shown beside it.

    Attributes:
        case: the sentences differ in capitals.
        tags: their inline codes stand at other places.
        machine: no person has approved the translation.
        other: the memory is not the first one.
    """

    case: float = 0.01
    tags: float = 0.0
    machine: float = 0.0
    other: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read penalties in percent: `case=1,machine=5`. Those left out are the default ones.

        Raises:
            InputError: a name is unknown, or a number is none from 0 to 100.
        """
        names = [each.name for each in fields(cls)]
        values: dict[str, float] = {}
        for part in filter(None, (each.strip() for each in text.split(","))):
            name, _, number = (each.strip() for each in part.partition("="))
            if name not in names:
                maybe = did_you_mean(name, names)
                problem = f"{name!r} is not a penalty" + (f": {maybe}" if maybe else "")
                raise _error(problem)
            try:
                percent = float(number.removesuffix("%"))
            except ValueError:
                percent = -1.0
            if not 0 <= percent <= 100:
                raise _error(f"{number!r} is not a number from 0 to 100")
            values[name] = percent / 100
        return cls(**values)

    def of(self, match: MemoryMatch, sentence: Sentence, *, is_first: bool) -> float:
        """The penalty of a match for a sentence.

        Args:
            match: the match.
            sentence: the sentence.
            is_first: whether the match is of the first memory.
        """
        unit, text = match.unit, sentence.written or sentence.text
        is_recased = text.lower() == unit.source.lower() and text != unit.source
        penalty = self.case if is_recased else 0.0
        if tuple(code.offset for code in sentence.codes) != unit.codes[0]:
            penalty += self.tags
        penalty += 0.0 if unit.is_reviewed else self.machine
        return penalty + (0.0 if is_first else self.other)


def _error(problem: str) -> InputError:
    return InputError(
        problem,
        cure="Write `memory_penalties` as case=1,tags=2,machine=5,other=3, in percent",
        parameters=("memory_penalties",),
    )
