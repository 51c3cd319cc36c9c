"""Exchange of words in a sentence for others, with the words in agreement, by rules.

A rule `you are = I am` exchanges the words on the left for the words on the right. `^` stands for
the beginning of a clause, `$` for the end of a clause, and `@name` for any word of the list of this
name, which stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

WordLists = Mapping[str, frozenset[str]]
"""Lists of words for rules, by name, in lower case."""

_BORDERS = ("^", "$")

_WORD = re.compile(r"([^\W\d_]+)(?:-(?!\1)[^\W\d_]+)*|(?<=[^\W\d_])['’][^\W\d_]+", re.IGNORECASE)
"""A word, or a contraction with the word before: `I'm` has two. A compound (`in-box`) is one word,
and a stammered word (`W-we`) two."""

_TAG = re.compile(r"</?\w[^<>]{0,40}>")
"""A tag, such as `<i>`."""

_CLAUSE_BORDER = re.compile(r"[^\w\s'’]")
"""A mark between clauses."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence.

    Attributes:
        text: in lower case, with a straight apostrophe; a kept word as it is.
        begin, end: the offsets in the sentence.
        begins_clause, ends_clause: whether a mark, or the beginning or end of the sentence, is next
            to it.
    """

    text: str
    begin: int
    end: int
    begins_clause: bool
    ends_clause: bool


class Pattern(NamedTuple):
    """Words in a row, within one clause.

    Attributes:
        words: for each word the set of matching words, in lower case.
        at_start, at_end: whether a clause must begin before them, or end after them.
    """

    words: tuple[frozenset[str], ...]
    at_start: bool
    at_end: bool

    @classmethod
    def parse(cls, text: str, lists: WordLists) -> Pattern:
        """Read words in a row.

        Raises:
            ValueError: there are none, or a list is missing.
        """
        row = text.split()
        words = [word.lower() for word in row if word not in _BORDERS]
        if not words:
            raise ValueError(f"{text!r} has no words")
        for word in words:
            if word.startswith("@") and word[1:] not in lists:
                raise ValueError(f"{text!r}: there is no list {word[1:]!r} in target.lists")
        return cls(
            tuple(lists[w[1:]] if w.startswith("@") else frozenset((w,)) for w in words),
            at_start=row[0] == "^",
            at_end=row[-1] == "$",
        )

    def fits(self, words: Sequence[Word], index: int) -> bool:
        """Return whether the pattern fits the words from an index on, within one clause."""
        found = words[index : index + len(self.words)]
        return (
            len(found) == len(self.words)
            and all(word.text in allowed for word, allowed in zip(found, self.words, strict=True))
            and not any(word.ends_clause for word in found[:-1])
            and (not self.at_start or found[0].begins_clause)
            and (not self.at_end or found[-1].ends_clause)
        )


class Rule(NamedTuple):
    """A rule of exchange.

    Attributes:
        pattern: the words to exchange.
        replacement: the replacement of each word; None for a word that stays.
    """

    pattern: Pattern
    replacement: tuple[str | None, ...]

    @classmethod
    def parse(cls, text: str, lists: WordLists) -> Rule:
        """Read a rule.

        Raises:
            ValueError: it is not one.
        """
        left, equals, right = text.partition("=")
        words, replacement = (
            [word for word in side.split() if word not in _BORDERS] for side in (left, right)
        )
        if not equals or not words or len(words) != len(replacement):
            raise ValueError(f"rule {text!r} needs as many words on both sides of =")
        if any(a != b and "@" in (a[0], b[0]) for a, b in zip(words, replacement, strict=True)):
            raise ValueError(f"rule {text!r} needs its lists at the same places on both sides of =")
        kept = tuple(None if word.startswith("@") else word for word in replacement)
        return cls(Pattern.parse(left, lists), kept)


def word_lists(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Lists of words between spaces, by name, in lower case."""
    return {name: frozenset(each.lower().split()) for name, each in words.items()}


def split_words(sentence: str, kept: Collection[str] = ()) -> list[Word]:
    """The words of a sentence.

    Args:
        sentence: the sentence.
        kept: words that keep their capitals, such as `US`, which is not *us*.
    """
    matches = list(_WORD.finditer(_TAG.sub(lambda tag: " " * len(tag[0]), sentence)))
    begins = [0, *(match.end() for match in matches)]
    ends = [*(match.start() for match in matches), len(sentence)]
    borders = [
        index in (0, len(matches)) or _CLAUSE_BORDER.search(sentence, begin, end) is not None
        for index, (begin, end) in enumerate(zip(begins, ends, strict=True))
    ]
    return [
        Word(
            match[0] if match[0] in kept else match[0].lower().replace("’", "'"),
            match.start(),
            match.end(),
            borders[index],
            borders[index + 1],
        )
        for index, match in enumerate(matches)
    ]


def has_any(words: Sequence[Word], patterns: Sequence[Pattern]) -> bool:
    """Return whether a pattern fits words anywhere."""
    return any(one.fits(words, index) for one in patterns for index in range(len(words)))


def exchange_words(
    sentence: str, words: Sequence[Word], rules: Sequence[Rule], forms: Collection[str] = ()
) -> str | None:
    """A sentence with the words that fit rules exchanged; of several rules, the first counts.

    Args:
        sentence: the sentence.
        words: its words.
        rules: the rules.
        forms: words that must fit a rule.

    Returns:
        The sentence; None where nothing fits a rule, or one of the forms does not.
    """
    new: dict[int, str] = {}
    index = 0
    while index < len(words):
        rule = next((rule for rule in rules if rule.pattern.fits(words, index)), None)
        if rule is None:
            if not set(words[index].text.split("-")).isdisjoint(forms):
                return None
            index += 1
            continue
        new |= {index + i: word for i, word in enumerate(rule.replacement) if word is not None}
        index += len(rule.replacement)
    return _rewritten(sentence, words, new) if new else None


def _rewritten(sentence: str, words: Sequence[Word], new: dict[int, str]) -> str:
    """A sentence with other words in some places, in capitals where these begin it."""
    parts, done = [], 0
    for index, replacement in sorted(new.items()):
        word = words[index]
        old = sentence[word.begin : word.end]
        text = replacement.replace("'", "’") if "’" in old else replacement
        is_capital = old[0].isupper() and (old != "I" or _begins_sentence(sentence, word.begin))
        parts += [sentence[done : word.begin], text[0].upper() + text[1:] if is_capital else text]
        done = word.end
    return "".join([*parts, sentence[done:]])


def _begins_sentence(sentence: str, begin: int) -> bool:
    """Return whether a word with this offset begins a sentence."""
    before = _TAG.sub("", sentence[:begin]).rstrip(" \"'“‘-–—")
    return not before or before[-1] in ".?!…:"
