"""Stand-ins for words and codes of a sentence during translation.

The sentence is translated with a stand-in at each place. A translation with every stand-in as often
as the sentence has the words and codes put back, those of equal stand-ins in order. In any other
translation the places are found by alignment or by order, as for codes (`placing`).
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import TypeVar

import regex

from docmt_files.core.inline import Block, InlineSentence, Text
from docmt_files.core.protection.placeholders import with_codes
from docmt_files.core.sentence_cutting import whole_sentence

Span = tuple[int, int]

_Item = TypeVar("_Item")


def mask(sentence: str, spans: Sequence[Span]) -> InlineSentence:
    """A sentence with some ranges taken out of the text, as protected codes."""
    parts = with_codes(Text(0, len(sentence), sentence), spans)
    return whole_sentence(Block(tuple(parts)))


def unmask(
    texts: Iterable[str],
    pattern: re.Pattern[str] | regex.Pattern[str],
    stand_ins: Iterable[tuple[str, _Item]],
) -> list[list[str | _Item]] | None:
    """The parts of a translation, each with items in place of the stand-ins.

    Args:
        texts: the parts, in order.
        pattern: finds stand-ins.
        stand_ins: the stand-ins with their items, equal stand-ins in the order of the source.

    Returns:
        For each part, the texts and items in turn, beginning and ending with a text; None unless
        the translation has each stand-in as often as it is given.
    """
    waiting: dict[str, deque[_Item]] = defaultdict(deque)
    for stand_in, item in stand_ins:
        waiting[stand_in].append(item)
    divided: list[list[str | _Item]] = []
    for text in texts:
        made: list[str | _Item] = []
        position = 0
        for match in pattern.finditer(text):
            if not waiting[match[0]]:
                return None
            made += [text[position : match.start()], waiting[match[0]].popleft()]
            position = match.end()
        divided.append([*made, text[position:]])
    return None if any(waiting.values()) else divided
