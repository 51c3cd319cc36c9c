"""`Placeholders`: words of a sentence that must come out as they go in, such as `{0}` or a name of
a function, as `⟦1⟧`, `⟦2⟧` and so on, which a large language model has no reason to change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from docmt.formats.core.codes_for_words import any_of

_PLACEHOLDER = re.compile(r"⟦\s?(\d{1,6})\s?⟧")
_BRACKETS = "⟦⟧"
_GONE = "\0"
_AROUND_GONE = re.compile(f" {_GONE}+ ")

_MIN_LETTERS = 4
"""The fewest letters of a word of letters alone that can be told from the rest of a sentence."""


@dataclass(frozen=True, slots=True)
class Placeholders:
    """A sentence with placeholders.

    Attributes:
        text: the sentence as the model reads it.
        words: for each placeholder in it, in order, what it stands for.
        source: the sentence.
    """

    text: str
    words: Mapping[str, str]
    source: str

    @classmethod
    def of(cls, source: str, words: Sequence[str] = ()) -> Placeholders:
        """A sentence with placeholders for some of its words, each as often as it is given.

        >>> Placeholders.of("Copy {0} to {1}.", ["{0}", "{1}"]).text
        'Copy ⟦1⟧ to ⟦2⟧.'
        """
        if not words:
            return cls(source, {}, source)
        left = Counter(words)
        literal = set(_PLACEHOLDER.findall(source))
        made: dict[str, str] = {}
        number = 0

        def replaced(match: re.Match[str]) -> str:
            nonlocal number
            if not left[match[0]]:
                return match[0]
            left[match[0]] -= 1
            number += 1
            while str(number) in literal:
                number += 1
            made[f"⟦{number}⟧"] = match[0]
            return f"⟦{number}⟧"

        text = any_of(words).sub(replaced, source)
        return cls(text, made, source)

    def restore(self, target: str) -> str:
        """A translation with the words in the place of placeholders. Placeholders that the sentence
        does not have, and what is left of some, go."""

        def word(match: re.Match[str]) -> str:
            placeholder = f"⟦{match[1]}⟧"
            known = placeholder in self.source or placeholder in self.text
            return self.words.get(placeholder, match[0] if known else _GONE)

        text = _PLACEHOLDER.sub(word, target)
        for bracket in _BRACKETS:
            if bracket not in self.source:
                text = text.replace(bracket, _GONE)
        return _AROUND_GONE.sub(" ", text).replace(_GONE, "")

    def faults(self, target: str) -> Iterator[str]:
        """What is wrong about the placeholders of a translation, as it was answered. One may also
        be written as the word that it stands for."""
        for number in dict.fromkeys(_PLACEHOLDER.findall(target)):
            if f"⟦{number}⟧" not in self.text:
                yield f"⟦{number}⟧ is not in the sentence"
        rest = _PLACEHOLDER.sub("", target)
        if any(bracket in rest and bracket not in self.source for bracket in _BRACKETS):
            yield "a placeholder is damaged"
        if not self.words:
            return
        pattern = any_of(self.words.values())
        wanted = Counter(pattern.findall(self.source))
        found = Counter(pattern.findall(self.restore(target)))
        for placeholder, word in self.words.items():
            if found[word] < wanted[word] and placeholder not in target:
                yield f"{placeholder} is missing"
            elif found[word] > wanted[word]:
                yield f"{placeholder} occurs too often"


def can_be_placeholders(words: Sequence[str]) -> bool:
    """Return whether words can be told from the others of a sentence and of its translation."""
    return all(not word.isalpha() or len(word) >= _MIN_LETTERS for word in words)
