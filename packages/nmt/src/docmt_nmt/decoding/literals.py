"""Literals: words that stand in a translation as they stand in the source. They are placeholders
and names of functions (`Sentence.protected`), and words with characters that the source vocabulary
lacks, such as `£25` and `André`.

The free translation is the measure. A system that must write a literal pays with the words around,
and one that reads an unknown character translates another sentence. So each literal is written to
the system as a *stand-in* that systems copy, such as `%1`, and search is free. A translation with
each stand-in as often as the source is done. Else the sentence is searched again, with the lost
stand-ins alone as constraints (`docmt_nmt.translators.lost_words`). Literals that are lost after
that too are put in by the order of words, or left to the caller, who has the alignment of the codes
that they stand for; a warning marks the sentence.

Names that a system spells in bytes are translated as they are first: some are learned with the
names around them. No stand-in is ever left in a translation.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import regex

from docmt_files import has_word, mask
from docmt_files.base.documents import WarningKind
from docmt_nmt.base.translations import DocumentWarning
from docmt_nmt.text.spellings import Span

MISSING: WarningKind = "missing-characters"
LOST: WarningKind = "lost-words"
"""The kinds of the warnings."""

PLACEHOLDERS = (*(f"%{number}" for number in range(1, 10)), "{0}", "{1}", "{2}", "{3}")
NAMES = ("X", "Y", "Z", "Q")
"""Stand-ins to try, in this order."""

_IN_WORDS = "–-/"
"""Marks allowed between the parts of a word in a translation."""

_DAMAGED = "\ufffd"
"""The replacement character, for bytes outside the encoding."""

DASHES, DOTS = ("–", "-"), ("...",)
"""Stand-ins for dashes and for an ellipsis."""

_FOREIGN = frozenset((*PLACEHOLDERS, *NAMES))
"""Stand-ins that no translation has by itself."""

_NATURAL = frozenset((*DASHES, *DOTS, "/"))
"""Stand-ins that a translation may have besides."""


@dataclass(frozen=True)
class Literals:
    """A sentence with literals.

    Attributes:
        source: the sentence.
        text: the sentence to translate, with a stand-in for each literal, or without the literals.
        spans: the ranges of the literals in the source.
        stand_ins: one for each literal, perhaps the literal itself; empty if the literals are taken
            out.
        protected: literals that the caller puts in if the translation has lost them.
        marked: message of a warning known before translation; empty for none.
        copied: True if the sentence is not translated at all.
        forced: stand-ins that search must write, each as often as it is given.
    """

    source: str
    text: str
    spans: tuple[Span, ...]
    stand_ins: tuple[str, ...] = ()
    protected: frozenset[str] = frozenset()
    marked: str = ""
    copied: bool = False
    forced: tuple[str, ...] = ()

    @cached_property
    def words(self) -> list[str]:
        """The literals."""
        return [self.source[start:end] for start, end in self.spans]

    def forced_in(self, known: str) -> Literals:
        """The sentence with the literals forced that a known translation has lost; all, if it has
        each of them somewhere."""
        counts = Counter(self.words)
        lost = {word for word, count in counts.items() if known.count(word) < count}
        pairs = zip(self.stand_ins, self.words, strict=False)
        chosen = [s for s, word in pairs if not lost or word in lost]
        return replace(self, forced=tuple(chosen))

    def restore(self, target: str) -> tuple[str, list[str]]:
        """Return a translation of `source` made from one of `text`, with no stand-in that the
        source lacks, and without the lost literals among `protected`; and the literals that it has
        lost or had too often."""
        if self.copied:
            return self.source, []
        restored, lost, faulty = self._put_back(target)
        others = [span for span in lost if self.source[slice(*span)] not in self.protected]
        if others:
            from docmt_files import place_codes  # it has many modules

            parts = place_codes(mask(self.source, others), " ".join(restored.split())).parts
            written = (p if isinstance(p, str) else self.source[p.start : p.end] for p in parts)
            restored = "".join(written)
        return restored, faulty

    def _put_back(self, target: str) -> tuple[str, list[Span], list[str]]:
        """A translation with literals in place of the stand-ins, equal ones in the order of the
        source; the ranges of the lost literals; and all that are lost or too often there."""
        waiting: dict[str, deque[Span]] = defaultdict(deque)
        for stand_in, span in zip(self.stand_ins or self.words, self.spans, strict=True):
            waiting[stand_in].append(span)
        literal_of = dict(zip(self.stand_ins, self.words, strict=False))
        made: list[str] = []
        faulty: list[str] = []
        position = 0
        for match in self._pattern.finditer(target) if self.stand_ins else ():
            made.append(target[position : match.start()])
            position = match.end()
            literal = literal_of[match[0]]
            if waiting[match[0]]:
                waiting[match[0]].popleft()
            elif match[0] not in _NATURAL:
                faulty.append(literal)
                literal = ""
            else:
                literal = match[0]
            made.append(literal)
        made.append(target[position:])
        rest = sorted(chain.from_iterable(waiting.values()))
        lost = [span for span in rest if not _is_dash(self.source[slice(*span)])]
        faulty += [self.source[slice(*span)] for span in lost]
        foreign = [s for s in _FOREIGN.intersection(self.stand_ins) if s not in self.words]
        if not _FOREIGN.isdisjoint(self.stand_ins):
            # A system that has read one placeholder may write the next ones, too.
            foreign += [s for s in PLACEHOLDERS if s not in self.source and s not in foreign]
        patterns = {stand_in: _left_over(stand_in) for stand_in in foreign}
        leaked = [
            literal_of.get(stand_in, stand_in)
            for stand_in, pattern in patterns.items()
            if any(map(pattern.search, made[::2]))
        ]
        if not faulty and not leaked:
            return "".join(made), [], []
        made[::2] = [_without(text, patterns.values()) for text in made[::2]]
        text = re.sub(r"\s+(?=[.,;:!?](?:\s|$))", "", " ".join("".join(made).split()))
        return text, lost, faulty or leaked

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        """Pattern that finds the stand-ins in a translation, as words of their own."""
        longest_first = sorted(dict.fromkeys(self.stand_ins), key=lambda each: -len(each))
        return regex.compile(
            "|".join(
                _pattern_of(each) if each in self.words else self._whole(each)
                for each in longest_first
            )
        )

    def _whole(self, stand_in: str) -> str:
        """Pattern that finds a stand-in that is not part of another word or number."""
        if stand_in[0] == "{":
            return re.escape(stand_in)
        if has_word(stand_in):
            # In `%1mo` a literal is part of a word, as in the source.
            left, right = (
                r"\p{N}" if regex.search(pattern, self.text) else r"\p{L}\p{N}"
                for pattern in (rf"\p{{L}}{stand_in}", rf"{stand_in}\p{{L}}")
            )
            return rf"(?<![{left}]|\d[.,]){re.escape(stand_in)}(?![{right}]|[.,]\d)"
        spaced = stand_in in _IN_WORDS and f" {stand_in} " in f" {self.text} "
        escaped = re.escape(stand_in)
        return rf"(?<!\S){escaped}(?!\S)" if spaced else escaped


class Restoring:
    """Restores the literals of a document in its translations, and marks what was lost.

    Args:
        literals: the literals of each sentence, if there are some.
    """

    def __init__(self, literals: Sequence[Literals | None]) -> None:
        self._literals = literals
        self._damaged: set[tuple[int, str]] = set()
        self._faulty: dict[tuple[int, str], list[str]] = {}

    def is_copied(self, index: int) -> bool:
        """Return whether a sentence is not translated."""
        literals = self._literals[index]
        return literals is not None and literals.copied

    def text(self, index: int, written: str) -> str:
        """A translation of a sentence, from what the system has written."""
        literals = self._literals[index]
        is_damaged = _DAMAGED in written
        if is_damaged:
            written = " ".join(written.replace(_DAMAGED, "").split())
        faulty: list[str] = []
        if literals is not None and literals.spans:
            written, faulty = literals.restore(written)
        if is_damaged and not self.is_copied(index):
            self._damaged.add((index, written))
        if faulty:
            self._faulty[index, written] = faulty
        return written

    def warnings(self, target: Sequence[str]) -> Iterator[DocumentWarning]:
        """Yield the warnings about the translations of all sentences."""
        for index, (literals, text) in enumerate(zip(self._literals, target, strict=True)):
            damaged = "bytes left out" if (index, text) in self._damaged else ""
            marks = [literals.marked if literals else "", damaged]
            if detail := "; ".join(filter(None, marks)):
                yield DocumentWarning(index, MISSING, detail)
            if faulty := self._faulty.get((index, text)):
                yield DocumentWarning(index, LOST, ", ".join(dict.fromkeys(faulty)))


def _is_dash(word: str) -> bool:
    """Return whether a word is a dash. Dashes differ between languages."""
    return all(unicodedata.category(character) == "Pd" for character in word)


def _left_over(stand_in: str) -> re.Pattern[str]:
    """Pattern that finds a stand-in where it is left over: a placeholder anywhere, a letter in a
    word of hardly more, as `X` begins words of the language, too."""
    escaped = re.escape(stand_in)
    return re.compile(rf"\b\w?{escaped}+\w?\b" if stand_in in NAMES else escaped)


def _without(text: str, patterns: Collection[re.Pattern[str]]) -> str:
    """A text without what any of some patterns finds."""
    while any(pattern.search(text) for pattern in patterns):
        for pattern in patterns:
            text = pattern.sub("", text)
    return text


def _pattern_of(word: str) -> str:
    """Pattern that finds a word, but no number in a longer one."""
    begin = r"(?<!\d)(?<!\d[.,])" if word[0].isdigit() else ""
    end = r"(?![.,]?\d)" if word[-1].isdigit() else ""
    return f"{begin}{re.escape(word)}{end}"
