"""Exchange of pronouns in a sentence, with the words in agreement with them."""

from __future__ import annotations

from collections.abc import Sequence

from docmt_nmt.text import word_exchange
from docmt_nmt.text.word_exchange import Word, exchange_words, has_any
from docmt_research.suites.pronoun_table import PronounTable


def split_words(sentence: str, table: PronounTable) -> list[Word]:
    """The words of a sentence of the target language; the table's `not_pronouns` as they are."""
    return word_exchange.split_words(sentence, table.target.not_pronouns)


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
    if has_any(words, table.left_out):
        return None
    candidate = exchange_words(sentence, words, table.rules[pair], table.target_forms[pair[0]])
    if candidate is None:
        return None
    new_words = split_words(candidate, table)
    # A stammer (`y-you`) that becomes a compound (`y-I`) is no longer two words.
    is_stammered = len(new_words) != len(words)
    return None if is_stammered or has_any(new_words, table.ungrammatical) else candidate
