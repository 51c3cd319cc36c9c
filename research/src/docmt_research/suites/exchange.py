"""Exchange of pronouns in a sentence, with the words that agree with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docmt_research.suites.pronoun_table import PronounTable, Rule

_WORD = re.compile(r"[^\W\d_]+|['’][^\W\d_]+")
"""A word, or what is contracted with the word before: `I'm` has two."""

_CLAUSE_BORDER = re.compile(r"[^\w\s'’]")
"""A mark between clauses."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence.

    Attributes:
        text: in lower case, with a straight apostrophe.
        begin, end: its offsets in the sentence.
        begins_clause, ends_clause: whether a mark, or the beginning or end of the sentence, is next
            to it.
    """

    text: str
    begin: int
    end: int
    begins_clause: bool
    ends_clause: bool


def split_words(sentence: str) -> list[Word]:
    """The words of a sentence."""
    matches = list(_WORD.finditer(sentence))
    begins = [0, *(match.end() for match in matches)]
    ends = [*(match.start() for match in matches), len(sentence)]
    borders = [
        index in (0, len(matches)) or _CLAUSE_BORDER.search(sentence, begin, end) is not None
        for index, (begin, end) in enumerate(zip(begins, ends, strict=True))
    ]
    return [
        Word(
            match[0].lower().replace("’", "'"),
            match.start(),
            match.end(),
            borders[index],
            borders[index + 1],
        )
        for index, match in enumerate(matches)
    ]


def pronouns_of(words: Sequence[Word], table: PronounTable) -> set[str]:
    """The names of the pronouns of the target among words."""
    texts = {word.text for word in words}
    return {name for name, forms in table.target_forms.items() if forms & texts}


def exchanged(sentence: str, table: PronounTable, pair: tuple[str, str]) -> str | None:
    """A sentence with each form of the first pronoun of a pair exchanged for one of the second.

    Returns:
        The sentence; None where a form fits no rule, so that it may be another word, or where the
        sentence has words that rule it out.
    """
    words = split_words(sentence)
    texts = [word.text for word in words]
    if any(_has(texts, row) for row in table.left_out):
        return None
    new: dict[int, str] = {}
    index = 0
    while index < len(words):
        rule = next((rule for rule in table.rules[pair] if _fits(rule, words, index)), None)
        if rule is None:
            if texts[index] in table.target_forms[pair[0]]:
                return None
            index += 1
            continue
        new |= {index + i: word for i, word in enumerate(rule.replacement) if word is not None}
        index += len(rule.pattern)
    return _rewritten(sentence, words, new) if new else None


def _has(texts: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether words have others in a row."""
    size = len(row)
    return any(tuple(texts[i : i + size]) == tuple(row) for i in range(len(texts) - size + 1))


def _fits(rule: Rule, words: Sequence[Word], index: int) -> bool:
    """Return whether a rule fits the words from an index on."""
    found = words[index : index + len(rule.pattern)]
    return (
        len(found) == len(rule.pattern)
        and all(word.text in allowed for word, allowed in zip(found, rule.pattern, strict=True))
        and (not rule.at_start or found[0].begins_clause)
        and (not rule.at_end or found[-1].ends_clause)
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
    """Return whether a word that begins there begins a sentence."""
    before = sentence[:begin].rstrip(" \"'“‘-–—")
    return not before or before[-1] in ".?!…:"
