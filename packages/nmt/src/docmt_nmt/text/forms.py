"""`FormTable`: forms of a language, such as pronouns, that only the context may decide, and their
exchange (`forms.toml`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from docmt_files.base.languages import primary_subtag
from docmt_files.base.packaged_tables import read_table
from docmt_nmt.text.word_exchange import Rule, exchange_words, split_words, word_lists


@dataclass(frozen=True)
class FormTable:
    """The forms of a language.

    Attributes:
        groups: the forms of each person or thing, by name.
        exchanges: the rules of each exchange.
    """

    groups: Mapping[str, frozenset[str]]
    exchanges: tuple[tuple[Rule, ...], ...]

    @classmethod
    def of(cls, language: str) -> Self | None:
        """The table of a language; None if there is none.

        >>> FormTable.of("en").exchanged("He is on the table.")
        ['She is on the table.', 'It is on the table.']
        """
        table = read_table("docmt_nmt.text", "forms.toml").get(primary_subtag(language))
        if table is None:
            return None
        rules = tuple(
            tuple(Rule.parse(text, {}) for text in exchange) for exchange in table["exchanges"]
        )
        return cls(word_lists(table["groups"]), rules)

    @property
    def identity(self) -> list[object]:
        """The forms and rules as plain values, in the same order in every process."""
        groups = [[name, sorted(forms)] for name, forms in self.groups.items()]
        rules = [
            [[sorted(word) for word in rule.pattern.words], rule.pattern[1:], rule.replacement]
            for exchange in self.exchanges
            for rule in exchange
        ]
        return [groups, rules]

    def exchanged(self, sentence: str) -> list[str]:
        """A sentence with all forms of one group exchanged for another, in each possible way."""
        words = split_words(sentence)
        found = (exchange_words(sentence, words, rules) for rules in self.exchanges)
        return [text for text in dict.fromkeys(found) if text is not None and text != sentence]

    def groups_in(self, sentence: str) -> frozenset[str]:
        """The names of the groups with a form in a sentence."""
        words = {word.text for word in split_words(sentence)}
        return frozenset(name for name, forms in self.groups.items() if forms & words)
