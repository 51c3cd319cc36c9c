"""Completion of pronouns: the noun that a pronoun stands for is put in its place, translated, and
the pronoun of the target language is put in the place of the noun's translation.
"""

from __future__ import annotations

import re

_PORTUGUESE = re.compile(r"\b[Ee]l[ea]\b")
_ARTICLES = r"(?:the|a|an|this|that|my|your|his|her|our|their)"


def with_noun(sentence: str, noun: str, gender: str) -> str | None:
    """A Portuguese sentence with a noun in the place of its only *ele* or *ela*; None if it has
    none or several.

    Args:
        sentence: the sentence.
        noun: the noun, without an article.
        gender: `m` or `f`.

    >>> with_noun("Ela caiu.", "chave", "f")
    'A chave caiu.'
    """
    matches = list(_PORTUGUESE.finditer(sentence))
    if len(matches) != 1:
        return None
    (match,) = matches
    article = "a" if gender == "f" else "o"
    if match[0][0].isupper():
        article = article.upper()
    return f"{sentence[: match.start()]}{article} {noun}{sentence[match.end() :]}"


def with_pronoun(translation: str, noun: str, pronoun: str = "it") -> str | None:
    """An English translation with a pronoun in the place of the only noun phrase of this noun; None
    if the noun is not there once.

    >>> with_pronoun("The key fell.", "key")
    'It fell.'
    """
    phrase = re.compile(rf"\b{_ARTICLES}\s+{re.escape(noun)}\b", re.IGNORECASE)
    matches = list(phrase.finditer(translation))
    if len(matches) != 1:
        return None
    (match,) = matches
    written = pronoun.capitalize() if match[0][0].isupper() else pronoun
    return f"{translation[: match.start()]}{written}{translation[match.end() :]}"
