"""Ways to put the tags of a source sentence into its translation, to be compared: docmt's, and four
others in our own words.

All take a `Case` and give the tags' positions: for each tag its runs of target words, from one to
before another; a tag without words has an empty run. A way that repeats an element gives several
runs, one that loses it none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from docmt_files import Block, Code, InlineSentence, Text, WordWeights, place_codes, word_spans
from docmt_files.core.inline import CodeKind, paired
from docmt_files.core.sentence_cutting import whole_sentence

TAG = re.compile(r'<(/?)(\w+)(?:\s+id="(\d+)")?\s*(/?)>')
"""A tag of XLIFF: `<g id="1">`, `</g>`, `<x id="2"/>`."""

Runs = dict[str, list[tuple[int, int]]]
"""For each tag its runs of target words."""


class Tagged(NamedTuple):
    """A sentence with tags.

    Attributes:
        line: as it is written.
        sentence: its text and its codes.
        tags: for each tag the words that it is around, from one to before another.
    """

    line: str
    sentence: InlineSentence
    tags: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """A sentence pair with tags on both sides, and what ways to place them need.

    Attributes:
        source, target: both sides.
        weights: how much target words look at source words, by the choice for docmt, and by the
            last layer at the step whose output is the target token.
        parts: the translations of the text of each tag, alone.
    """

    source: Tagged
    target: Tagged
    weights: NDArray[np.float32] | None = None
    last_layer: NDArray[np.float32] | None = None
    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The translation."""
        return self.target.sentence.text

    @property
    def target_words(self) -> int:
        """Its number of words."""
        return len(word_spans(self.text))


def read_tagged(line: str) -> Tagged:
    """A line with tags."""
    parts: list[Text | Code] = []
    at = 0
    for match in TAG.finditer(line):
        if at < match.start():
            parts.append(Text(at, match.start(), line[at : match.start()]))
        kind: CodeKind = "void" if match[4] else "close" if match[1] else "open"
        # A name is a number to all of its pairs.
        parts.append(Code(*match.span(), kind, int.from_bytes(match[2].encode()[:4])))
        at = match.end()
    if at < len(line):
        parts.append(Text(at, len(line), line[at:]))
    sentence = whole_sentence(Block(tuple(paired(parts)), lambda text, _: text))
    return Tagged(line, sentence, tag_positions(line))


def tag_positions(line: str) -> dict[str, tuple[int, int]]:
    """For each tag of a line the words that it is around. A tag in a word counts as before it."""
    text = TAG.sub("", line)
    ends = [len(re.sub(r"\s", "", text[:end])) for _, end in word_spans(text)]
    positions: dict[str, tuple[int, int]] = {}
    opened: list[tuple[str, int]] = []
    seen = at = 0
    for match in TAG.finditer(line):
        seen += len(re.sub(r"\s", "", line[at : match.start()]))
        at = match.end()
        word = int(np.searchsorted(ends, seen, "right"))
        if match[4]:
            positions[f"{match[2]} {match[3]}"] = word, word
        elif not match[1]:
            opened.append((f"{match[2]} {match[3]}", word))
        elif opened:
            name, begin = opened.pop()
            positions[name] = begin, word
    return positions


def by_docmt(case: Case) -> Runs:
    """docmt: `docmt_files.core.placement.placing`, with the attention of the run."""
    return _placed(case, case.weights)


def by_order(case: Case) -> Runs:
    """docmt without attention: words are linked by their order and spelling."""
    return _placed(case, None)


def _placed(case: Case, weights: WordWeights | None) -> Runs:
    parts = place_codes(case.source.sentence, case.text, weights).parts
    line = case.source.line
    written = (part if isinstance(part, str) else line[part.start : part.end] for part in parts)
    return {name: [run] for name, run in tag_positions("".join(written)).items()}


def at_the_end(case: Case) -> Runs:
    """All tags at the end of the translation, as OPUS-CAT can put them."""
    return {name: [(case.target_words, case.target_words)] for name in case.source.tags}


def in_proportion(case: Case) -> Runs:
    """Each tag at its share of the words of the source."""
    words = max(1, len(word_spans(case.source.sentence.text)))
    return {
        name: [(round(a * case.target_words / words), round(b * case.target_words / words))]
        for name, (a, b) in case.source.tags.items()
    }


def by_translated_parts(case: Case) -> Runs:
    """Argos Translate: what is in each tag is translated alone and looked up in the translation of
    the whole. If one is not found, it would translate all parts alone, and no tag has a place in
    this translation."""
    spans = word_spans(case.text)
    runs: Runs = {}
    for name in case.source.tags:
        part = case.parts.get(name, "")
        start = case.text.find(part)
        if start < 0:
            return {}
        end = start + len(part)
        runs[name] = [
            (
                sum(last <= start for _, last in spans),
                sum(first < end for first, _ in spans)
                if part
                else sum(last <= start for _, last in spans),
            )
        ]
    return runs


def by_tag_stacks(case: Case) -> Runs:
    """Bergamot: each target word has the tags of the source word that it looks at most, so that an
    element is repeated where its words are apart; a tag without words comes before the first target
    word that looks at a source word after it."""
    weights = case.last_layer
    source_words = len(word_spans(case.source.sentence.text))
    if weights is None or not weights.size:
        return {}
    looked = weights.argmax(0)
    runs: Runs = {}
    for name, (start, end) in case.source.tags.items():
        if start == end:
            after = np.flatnonzero(looked >= start)
            place = int(after[0]) if start < source_words and len(after) else case.target_words
            runs[name] = [(place, place)]
        else:
            runs[name] = _runs((looked >= start) & (looked < end))
    return runs


def _runs(inside: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The runs of words that are inside."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]])))
    return [(low, high) for low, high in edges.reshape(-1, 2).tolist()]


WAYS: dict[str, Callable[[Case], Runs]] = {
    "docmt": by_docmt,
    "order and spelling": by_order,
    "tags at the end": at_the_end,
    "proportional position": in_proportion,
    "parts translated alone": by_translated_parts,
    "stack of the most attended word": by_tag_stacks,
}
"""The ways that are compared."""


@dataclass
class Score:
    """How tags were placed.

    Attributes:
        exact, near: tags around exactly the right words, and with each end at most one word off.
        placed, expected: how many there are, and how many there should be.
        valid, sentences: sentences with every tag once and nested, and all.
    """

    exact: int = 0
    near: int = 0
    placed: int = 0
    expected: int = 0
    valid: int = 0
    sentences: int = 0

    def add(self, case: Case, runs: Runs, names: Sequence[str]) -> None:
        """Count the tags of these names."""
        for name in names:
            start, end = case.target.tags[name]
            found = runs.get(name, [])
            off = [max(abs(a - start), abs(b - end)) for a, b in found]
            self.exact += 0 in off
            self.near += any(distance <= 1 for distance in off)
            self.placed += len(found)
            self.expected += 1
        self.sentences += 1
        self.valid += _is_valid(case, runs)

    def f1(self, right: int) -> float:
        """The F1 of tags."""
        return 2 * right / max(1, self.placed + self.expected)


def _is_valid(case: Case, runs: Runs) -> bool:
    """Whether each tag is there once and no two cross."""
    if any(len(runs.get(name, [])) != 1 for name in case.source.tags):
        return False
    spans = [own[0] for own in runs.values()]
    return not any(a < c < b < d for a, b in spans for c, d in spans)
