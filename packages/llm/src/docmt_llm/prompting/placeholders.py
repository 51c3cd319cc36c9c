"""`Placeholders`: a sentence with placeholders `⟦1⟧`, `⟦2⟧` and so on, for parts to keep unchanged:
`{0}`, the name of a function, or the beginning and end of bold text. A large language model has no
reason to change a placeholder.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from docmt_files import apply_patches, words_pattern
from docmt_files.base.documents import InlineCode

_PLACEHOLDER = re.compile(r"⟦\s?(\d{1,6})\s?⟧")
_BRACKETS = "⟦⟧"
_AFTER_WORDS = ".,)"
_GONE = "\0"
_AROUND_GONE = re.compile(f" {_GONE}+ ")
_MARK = re.compile("\1(\\d+)\1")
"""A code while a translation is restored; control characters never occur in answers."""

_MIN_LETTERS = 4
"""Minimum number of letters of a protected word of letters alone, to tell it from other words."""


@dataclass(frozen=True, slots=True)
class Placeholders:
    """A sentence with placeholders.

    Attributes:
        text: the sentence in the request.
        words: the protected words by their placeholders, in order.
        source: the original sentence.
        meanings: a description of each inline code by its placeholder, in order.
    """

    text: str
    words: Mapping[str, str]
    source: str
    meanings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, source: str, words: Sequence[str] = (), codes: Sequence[InlineCode] = ()
    ) -> Placeholders:
        """A sentence with placeholders for inline codes and protected words, each word as often as
        it is given.

        >>> Placeholders.of("Copy {0} to {1}.", ["{0}", "{1}"]).text
        'Copy ⟦1⟧ to ⟦2⟧.'
        >>> Placeholders.of("Select OK.", codes=[InlineCode(7, 1), InlineCode(9, 0)]).text
        'Select ⟦1⟧OK⟦2⟧.'
        """
        taken = set(_PLACEHOLDER.findall(source))
        names = (f"⟦{number}⟧" for number in count(1) if str(number) not in taken)
        kept = list(_occurrences(source, words))
        spans = sorted([*kept, *((offset, offset) for offset in _before_words(codes, kept))])
        patches = [(start, end, next(names)) for start, end in spans]
        made = {name: source[start:end] for start, end, name in patches}
        of_codes = (name for name, word in made.items() if not word)
        return cls(
            apply_patches(source, patches),
            {name: word for name, word in made.items() if word},
            source,
            {name: _meaning(i, codes[i].partner) for i, name in enumerate(of_codes)},
        )

    def restore(self, target: str) -> tuple[str, tuple[int, ...] | None]:
        """A translation with the protected words in place of placeholders. Unknown and damaged
        placeholders are removed.

        Returns:
            The translation, and the offset of each inline code, or None unless each code occurs
            once and paired codes are in order.
        """
        indices = {name: index for index, name in enumerate(self.meanings)}

        def word(match: re.Match[str]) -> str:
            placeholder = f"⟦{match[1]}⟧"
            if placeholder in indices:
                return f"\1{indices[placeholder]}\1"
            known = placeholder in self.source or placeholder in self.text
            return self.words.get(placeholder, match[0] if known else _GONE)

        text = _PLACEHOLDER.sub(word, target)
        for bracket in _BRACKETS:
            if bracket not in self.source:
                text = text.replace(bracket, _GONE)
        text = _AROUND_GONE.sub(" ", text).replace(_GONE, "").strip()
        return self._without_marks(text)

    def _without_marks(self, text: str) -> tuple[str, tuple[int, ...] | None]:
        """A text without the marks of codes, and the offsets of the marks."""
        first, *rest = _MARK.split(text)
        indices, texts = rest[::2], rest[1::2]
        made = first.lstrip()
        offsets: dict[int, int] = {}
        for index, following in zip(map(int, indices), texts, strict=True):
            made, following = self._without_gap(made, following)
            offsets = {other: min(offset, len(made)) for other, offset in offsets.items()}
            offsets[index] = len(made)
            made += following
        made = made.rstrip()
        if not self.meanings or not len(self.meanings) == len(offsets) == len(indices):
            return made, None
        return made, tuple(min(offsets[index], len(made)) for index in range(len(offsets)))

    def _without_gap(self, left: str, right: str) -> tuple[str, str]:
        """Two texts to join where a mark was: with one space at most, and none before punctuation
        without a space in the source."""
        if left and not left.endswith(" "):
            return left, right
        if not left or right.startswith(" "):
            return left, right.lstrip()
        is_loose = right[:1] in tuple(_AFTER_WORDS) and f" {right[:1]}" not in self.source
        return (left[:-1] if is_loose else left), right

    def marked(self, target: str, offsets: Sequence[int]) -> str:
        """A translation with the placeholders of the inline codes.

        Args:
            target: the translation, without placeholders.
            offsets: the offset of each code, in order; none if they are not known.
        """
        places = list(zip(offsets, self.meanings, strict=False))
        for _, offset, name in sorted(((i, o, n) for i, (o, n) in enumerate(places)), reverse=True):
            target = target[:offset] + name + target[offset:]
        return target

    def faults(self, target: str) -> Iterator[str]:
        """The faults of an answer regarding protected words. A word may also be written out in
        place of its placeholder. Missing inline codes are not faults, because they are placed in
        another way."""
        for number in dict.fromkeys(_PLACEHOLDER.findall(target)):
            if f"⟦{number}⟧" not in self.text:
                yield f"⟦{number}⟧ is not in the sentence"
        rest = _PLACEHOLDER.sub("", target)
        if any(bracket in rest and bracket not in self.source for bracket in _BRACKETS):
            yield "a placeholder is damaged"
        if not self.words:
            return
        pattern = words_pattern(self.words.values())
        wanted = Counter(pattern.findall(self.source))
        found = Counter(pattern.findall(self.restore(target)[0]))
        for placeholder, word in self.words.items():
            if found[word] < wanted[word] and placeholder not in target:
                yield f"{placeholder} is missing"
            elif found[word] > wanted[word]:
                yield f"{placeholder} occurs too often"


def _occurrences(source: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The ranges of words in a sentence, each as often as it is given."""
    if not words:
        return
    left = Counter(words)
    for match in words_pattern(words).finditer(source):
        if left[match[0]]:
            left[match[0]] -= 1
            yield match.span()


def _before_words(codes: Sequence[InlineCode], kept: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The offsets of inline codes: of one within a word that stays, the start of the word."""
    starts = [start for start, _ in kept]
    for offset, _ in codes:
        start, end = kept[bisect_left(starts, offset) - 1] if kept else (0, 0)
        yield start if start < offset < end else offset


def _meaning(index: int, partner: int | None) -> str:
    """A description of an inline code for the model."""
    if partner is None:
        return "a mark"
    return "begin of formatting" if partner > index else "end of formatting"


def can_be_placeholders(words: Sequence[str]) -> bool:
    """Return whether words can be told from the other words of a sentence and its translation."""
    return all(not word.isalpha() or len(word) >= _MIN_LETTERS for word in words)
