"""Exchange of pronouns in a sentence, with the words in agreement with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docmt_research.suites.pronoun_table import Pattern, PronounTable

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
        text: in lower case, with a straight apostrophe; one of the table's `not_pronouns` as it is.
        begin, end: the offsets in the sentence.
        begins_clause, ends_clause: whether a mark, or the beginning or end of the sentence, is next
            to it.
    """

    text: str
    begin: int
    end: int
    begins_clause: bool
    ends_clause: bool


def split_words(sentence: str, table: PronounTable) -> list[Word]:
    """The words of a sentence of the target language."""
    kept = table.target.not_pronouns
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


def pronouns_of(words: Sequence[Word], table: PronounTable) -> list[str]:
    """The names of the pronouns of the target among words, in their order."""
    return [
        name
        for word in words
        for part in word.text.split("-")
        for name, forms in table.target_forms.items()
        if part in forms
    ]


def exchanged(sentence: str, table: PronounTable, pair: tuple[str, str]) -> str | None:
    """A sentence with each form of the first pronoun of a pair exchanged for a form of the second.

    Returns:
        The sentence. None where a form fits no rule and may be another word, where the sentence has
        words that rule it out, or where it would become a sentence that no one says.
    """
    words = split_words(sentence, table)
    if _has_any(words, table.left_out):
        return None
    new: dict[int, str] = {}
    index = 0
    while index < len(words):
        rule = next((rule for rule in table.rules[pair] if _fits(rule.pattern, words, index)), None)
        if rule is None:
            if table.target_forms[pair[0]] & set(words[index].text.split("-")):
                return None
            index += 1
            continue
        new |= {index + i: word for i, word in enumerate(rule.replacement) if word is not None}
        index += len(rule.replacement)
    if not new:
        return None
    candidate = _rewritten(sentence, words, new)
    new_words = split_words(candidate, table)
    # A stammer (`y-you`) that becomes a compound (`y-I`) is no longer two words.
    is_stammered = len(new_words) != len(words)
    return None if is_stammered or _has_any(new_words, table.ungrammatical) else candidate


def _has_any(words: Sequence[Word], patterns: Sequence[Pattern]) -> bool:
    """Return whether a pattern fits words anywhere."""
    return any(_fits(one, words, index) for one in patterns for index in range(len(words)))


def _fits(pattern: Pattern, words: Sequence[Word], index: int) -> bool:
    """Return whether a pattern fits the words from an index on, within one clause."""
    found = words[index : index + len(pattern.words)]
    return (
        len(found) == len(pattern.words)
        and all(word.text in allowed for word, allowed in zip(found, pattern.words, strict=True))
        and not any(word.ends_clause for word in found[:-1])
        and (not pattern.at_start or found[0].begins_clause)
        and (not pattern.at_end or found[-1].ends_clause)
    )


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
