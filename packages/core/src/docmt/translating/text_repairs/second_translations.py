"""What repairs have in common that ask for a second translation: whether it is no worse than the
first, and the words with a capital within sentences, which are names."""

from __future__ import annotations

from collections import Counter

import regex

from docmt_nmt.base.translations import TranslatedSentence
from docmt_nmt.translators.checks.addition_checks import additions, without_added_brackets
from docmt_nmt.translators.requests import SourceDocument

_WITHIN = regex.compile(r"(?<=(?<![\p{L}])[\p{Ll}\p{N}]+[,;]?\s)\p{Lu}\p{Ll}{2,}")
"""A word with a capital after one in lower case."""
_MIN_LENGTH = 0.7
"""The least length of a second translation, as a share of the first."""


def is_no_worse(
    first: TranslatedSentence,
    second: TranslatedSentence,
    languages: tuple[str, str],
    max_loss: float,
) -> bool:
    """Return whether a second translation is about as probable and as long as the first, ends, and
    has added nothing more. Brackets at the end are the matter of `AddedWords`.

    Args:
        languages: the codes of the languages.
        max_loss: the most that it may be less probable, in mean natural log-probability per token.
    """
    target = without_added_brackets(first.source, second.target)
    known = set(additions(first.source, first.target, languages))
    return (
        second.log_probability >= first.log_probability - max_loss
        and len(second.target) >= _MIN_LENGTH * len(first.target)
        and not (second.truncated and not first.truncated)
        and known.issuperset(additions(first.source, target, languages))
    )


def capitals_within(document: SourceDocument) -> Counter[str]:
    """How often each word with a capital stands within sentences of a document."""
    return Counter(word for each in document.sentences for word in _WITHIN.findall(each.text))
