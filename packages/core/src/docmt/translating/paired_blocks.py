"""The blocks and sentences of a file beside those of its translation.

Strings with the same key belong together. A translation by docmt has the blocks of the file, one
for one. After a person has added or removed some, blocks that look alike and like no other in both
files (`_look`: heading, inline codes, numbers) belong together, and between two of them as many
blocks on both sides. Other blocks are not paired: a wrong pair would be taken for the work of a
person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

_MAY_END = re.compile(r"[.!?…][\"'”’»)]*\s+(?=[^\W_a-zß-ÿ]|[\"'„“«(])")
"""A point that may end a sentence, with the space after it."""

_NUMBER = re.compile(r"\d+")

Sentence = tuple[str, tuple[int, ...]]
"""A sentence, and the offsets of the inline codes."""


class FileBlock(NamedTuple):
    """A block of a file: the level of the heading, 0 for none, the sentences, and the key in a file
    of strings, or ""."""

    level: int
    sentences: list[Sentence]
    key: str = ""


def pair_blocks(
    ours: Sequence[FileBlock], theirs: Sequence[FileBlock]
) -> list[tuple[FileBlock, FileBlock]]:
    """The blocks of a file and of its translation that belong together, in order."""
    sides = ours, theirs
    by_key = [{block.key: block for block in side} for side in sides]
    if all(len(by_key[i]) == len(side) and "" not in by_key[i] for i, side in enumerate(sides)):
        return [(block, by_key[1][key]) for key, block in by_key[0].items() if key in by_key[1]]
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    looks = [[_look(block) for block in side] for side in sides]
    counts = [Counter(side) for side in looks]
    single = {
        look for look in counts[0] if look != _PLAIN and counts[0][look] == counts[1][look] == 1
    }
    places = [[i for i, look in enumerate(side) if look in single] for side in looks]
    kept = [[looks[side][i] for i in places[side]] for side in (0, 1)]
    anchors = [(-1, -1)]
    for match in SequenceMatcher(None, kept[0], kept[1], autojunk=False).get_matching_blocks():
        anchors += [(places[0][match.a + i], places[1][match.b + i]) for i in range(match.size)]
    anchors.append((len(ours), len(theirs)))
    if len(anchors) == 2:
        return []
    pairs: list[tuple[FileBlock, FileBlock]] = []
    for (first, other), (end, other_end) in pairwise(anchors):
        if first >= 0:
            pairs.append((ours[first], theirs[other]))
        if end - first == other_end - other:
            pairs += zip(ours[first + 1 : end], theirs[other + 1 : other_end], strict=True)
    return pairs


_Look = tuple[int, int, tuple[str, ...]]
_PLAIN: _Look = (0, 0, ())


def _look(block: FileBlock) -> _Look:
    """The traits of a block that are the same in a translation: the level of a heading, the number
    of inline codes, and the numbers."""
    numbers = (number for text, _ in block.sentences for number in _NUMBER.findall(text))
    codes = sum(len(places) for _, places in block.sentences)
    return block.level, codes, tuple(sorted(numbers))


def pair_sentences(
    own: Sequence[Sentence], theirs: Sequence[Sentence]
) -> list[tuple[Sentence, Sentence]]:
    """The sentences of a block and of its translation that belong together: if both sides have as
    many, or have as many where sentences also end after possible abbreviations; or the only
    sentence of the block with all of the translation. Otherwise none.

    >>> pair_sentences([("One.", ())], [("Eins.", ()), ("Zwei.", ())])
    [(('One.', ()), ('Eins. Zwei.', ()))]
    """
    for one, other in ((own, theirs), (own, _split(theirs)), (_split(own), theirs)):
        if len(one) == len(other):
            return list(zip(one, other, strict=True))
    return [(own[0], _joined(theirs))] if len(own) == 1 and theirs else []


def _joined(sentences: Sequence[Sentence]) -> Sentence:
    """Several sentences as one."""
    text = ""
    codes: tuple[int, ...] = ()
    for sentence, own in sentences:
        start = len(text) + 1 if text else 0
        text = f"{text} {sentence}" if text else sentence
        codes = (*codes, *(start + place for place in own))
    return text, codes


def _split(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Sentences cut at every point that may end one."""
    parts = []
    for text, codes in sentences:
        ends = [0, *(match.end() for match in _MAY_END.finditer(text)), len(text)]
        for start, end in pairwise(ends):
            last = end == len(text)
            own = tuple(c - start for c in codes if start <= c < end or (last and c == end))
            parts.append((text[start:end].rstrip(), own))
    return parts
