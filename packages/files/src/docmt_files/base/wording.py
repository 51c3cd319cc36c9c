"""English for messages: numbers with their nouns, short lists, and suggestions for a misspelled
name.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with a noun: `1 sentence`, `2,000 sentences`.

    Args:
        noun: the counted noun, in the singular.
        plural: the plural. Default: with an `s`.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def megabytes(size: int) -> str:
    """A size in bytes for people: `17 MB`."""
    return f"{max(1, round(size / 1e6))} MB"


def first_few(items: Iterable[str], most: int = 3) -> str:
    """The first items and the number of further ones: `a, b, c and 4 more`."""
    items = list(items)
    rest = len(items) - most
    return ", ".join(items[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def as_sentence(text: str) -> str:
    """The text with a capital letter first: `Did you mean 'train'?`"""
    return text[:1].upper() + text[1:]


def dimensions(shape: Iterable[int]) -> str:
    """The shape of a tensor: `8000 × 512`."""
    return " × ".join(map(str, shape)) or "a scalar"


def nearest(name: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.5) -> list[str]:
    """The known names with a spelling similar to a name, the best first.

    Args:
        known: the names possibly meant.
        cutoff: how similar they must be, from 0 to 1; see `difflib.get_close_matches`.
    """
    return get_close_matches(name, list(known), n=most, cutoff=cutoff)


def did_you_mean(name: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.5) -> str:
    """The question whether one of the `nearest` names was meant, such as `did you mean 'train'?`;
    empty where no name is near."""
    near = nearest(name, known, most=most, cutoff=cutoff)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""
