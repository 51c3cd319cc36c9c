"""What a new candidate for the translation of a sentence loses that the known translation has:
sentences, numbers, symbols, names.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from docmt_nmt.translators.checks.content_checks import differing_content

_ENDS = regex.compile(r"[.!?…。！？]+(?=[\s\"'”’)\]»-]|$)")
_CAPITALIZED = regex.compile(r"\b\p{Lu}[\p{L}\p{M}\p{N}'’-]{2,}")


def losses(source: str, known: str, candidate: str) -> Iterator[str]:
    """Yield in words what a candidate loses, or has twice, compared with the known translation.

    Args:
        source: the source sentence; it may be several sentences of a reader.
        known: the known translation.
        candidate: another translation.

    >>> list(losses("Did he? Ask Emma.", "Ele sabia? Pergunte a Emma.", "Ele sabia?"))
    ['sentences: 1 instead of 2', 'names: Emma']
    """
    before, after = (len(_ENDS.findall(text)) for text in (known, candidate))
    if before != after:
        yield f"sentences: {after} instead of {before}"
    old = dict(differing_content(source, known))
    for kind, details in differing_content(source, candidate):
        if old.get(kind) != details:
            yield f"{kind}: {details}"
    names = dict.fromkeys(_CAPITALIZED.findall(source))
    if lost := [name for name in names if name in known and name not in candidate]:
        yield f"names: {', '.join(lost)}"
