"""Cues: what in a sentence may be decided by the sentences before it. A context adapter names the
cues that it was made for; sentences without any keep their translations.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from docmt_files.base.errors import InputError
from docmt_files.base.wording import nearest

_CLAUSE_END = r"""(?=\s*+(?:$|[.?!,;:…"”)\-]|\b(?:and|but|too|either|as\swell|now|so)\b))"""
_AUXILIARIES = (
    "do|does|did|will|would|am|is|are|was|were|have|has|had|can|could|should|must|may|might"
)

CUES: dict[str, regex.Pattern[str]] = {
    "english-final-auxiliary": regex.compile(
        rf"\b(?:(?:{_AUXILIARIES})(?:n['’]t|\s+not)?|won['’]t|can['’]?not|can['’]t)(?:\s++"
        rf"(?:I|you|he|she|it|we|they))?{_CLAUSE_END}",
        regex.IGNORECASE,
    ),
    "english-it": regex.compile(r"\bit(?:['’]s|self)?\b", regex.IGNORECASE),
    "portuguese-third-person": regex.compile(r"\b[ndeDEN]?[Ee]l[ea]s?\b"),
}
"""Patterns by name. `english-final-auxiliary`: a clause ends in an auxiliary, with or without a
pronoun after it (*Yes, I did.* *Won't you?*)."""


def check_cues(names: Iterable[str]) -> None:
    """Check the names of cues.

    Raises:
        InputError: docmt does not know one.
    """
    for name in names:
        if name not in CUES:
            similar = nearest(name, list(CUES), most=1) or list(CUES)
            raise InputError(
                f"there is no cue {name!r}", cure=f"Write one of {', '.join(similar)}, or none"
            )


def has_cue(sentence: str, names: Iterable[str]) -> bool:
    """Return whether a sentence has one of these cues.

    >>> has_cue("Yes, I did.", ["english-final-auxiliary"])
    True
    >>> has_cue("I did my homework.", ["english-final-auxiliary"])
    False
    """
    return any(CUES[name].search(sentence) for name in names)
