"""Ellipsis of the verb in English: clauses that end in an auxiliary (*Yes, I did.* *Won't you?*),
and how they are completed.
"""

from __future__ import annotations

import re

from docmt_nmt.text.context_cues import has_cue

_PRONOUN = r"(?:I|you|he|she|it|we|they|who|everyone|everybody|nobody|somebody|someone)"
_ADVERB = r"(?:(?:really|still|always|all|just|also|never|definitely|certainly|sure|both)\s+)?"
_AUXILIARY = r"(?:do|does|did|will|would)"
_END = r"""(?=\s*(?:$|[.?!,;:…"”)-]|\b(?:and|but|too|either|as\swell|now)\b))"""

_STATEMENT = re.compile(
    rf"(?P<before>\w+\s+)?\b(?:(?P<subject>{_PRONOUN})\s+{_ADVERB}{_AUXILIARY}|\w+\s+{_ADVERB}"
    rf"(?:does|did))(?:n['’]t|\s+not)?{_END}",
    re.IGNORECASE,
)
"""*I did*, *my brother does not*; of nouns not *will*, which is a noun, too."""

_QUESTION = re.compile(
    rf"(?:^|[-,.!?]\s*){_AUXILIARY}(?:n['’]t)?\s+{_PRONOUN}{_END}", re.IGNORECASE
)
"""*Did you?*"""

_WONT = re.compile(rf"\bwo(?:n['’]t){_END}", re.IGNORECASE)

_OBJECTS = re.compile(
    r"(?:what|whatever|all|everything|than|as|how|to|can|could|so)\s+", re.IGNORECASE
)
"""Words before a subject and its auxiliary that leave out no verb: *what I did*, *as they do*."""

_NO_SUBJECTS = re.compile(
    r"(?:what|to|can|could|should|must|may|might|not|how|will|would|and|or|the|a|that|of|gonna|as|"
    r"than|so|neither|nor|be|do|does|did)\s",
    re.IGNORECASE,
)
"""Words before an auxiliary that are no subject of it: *what to do*."""


def complete_ellipsis(sentence: str, verb: str) -> str | None:
    """The sentence with a verb after the auxiliary that its last such clause ends in; None if no
    clause ends in *do*, *will* or a form of these.

    Args:
        sentence: an English sentence.
        verb: the base form of the verb.

    >>> complete_ellipsis("Yes, I did.", "know")
    'Yes, I did know.'
    >>> complete_ellipsis("Did you?", "see")
    'Did you see?'
    >>> complete_ellipsis("I know what to do.", "see")
    """
    end = _place(sentence)
    return None if end is None else f"{sentence[:end]} {verb}{sentence[end:]}"


def is_elliptical(sentence: str) -> bool:
    """Return whether `complete_ellipsis` finds a clause to complete."""
    return _place(sentence) is not None


def ends_in_auxiliary(sentence: str) -> bool:
    """Return whether a clause of an English sentence ends in any auxiliary: the cue for ellipsis.

    >>> ends_in_auxiliary("Yes, I am.")
    True
    >>> ends_in_auxiliary("I am here.")
    False
    """
    return has_cue(sentence, ["english-final-auxiliary"])


def _own(match: re.Match[str]) -> str:
    """The subject and what follows it."""
    return match[0][len(match["before"] or "") :]


def _place(sentence: str) -> int | None:
    """Return where the verb is missing."""
    statements = [
        match
        for match in _STATEMENT.finditer(sentence)
        if not (_OBJECTS.fullmatch(match["before"] or "") or _NO_SUBJECTS.match(_own(match)))
    ]
    for matches in (statements, [*_WONT.finditer(sentence)], [*_QUESTION.finditer(sentence)]):
        if matches:
            return matches[-1].end()
    return None
