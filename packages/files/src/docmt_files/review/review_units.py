"""`Review`: a translated file as units that a person edits, whatever the file of the review.

A unit is a block of the file and a segment is a sentence. Both sides of a segment have the inline
codes of the block as `Tag`s, so a person moves codes with the words. XLIFF, JSON and the page hold
the same values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from docmt_files.base.documents import SentenceMatch

MAX_REVIEW = 40_000_000
"""The most characters of a review; it has several times those of the file."""

TagKind = Literal["open", "close", "alone"]


class Tag(NamedTuple):
    """An inline code in a text.

    Attributes:
        id: the same for the two ends of a pair, and else unique in the unit.
        kind: an end of a pair, or a code alone.
        shown: the code as the file has it, for a reader.
    """

    id: str
    kind: TagKind
    shown: str = ""

    @property
    def key(self) -> tuple[str, TagKind]:
        """The tag without the look."""
        return self.id, self.kind


TaggedText = tuple[str | Tag, ...]
"""A text with tags, as texts and tags in order."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence.

    Attributes:
        id: unique in the unit.
        source: the source.
        target: the translation; None for none.
        notes: warnings and other notes for the person.
        match: the match of the source in a translation memory.
        approved: whether a person has approved the translation.
        line: the line in the file of the review; 0 if it is not known.
    """

    id: str
    source: TaggedText
    target: TaggedText | None
    notes: tuple[str, ...] = ()
    match: SentenceMatch | None = None
    approved: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """A block of the file.

    Attributes:
        id: unique in the file.
        segments: the sentences.
        heading: the level of the heading, from 1; 0 for other text.
    """

    id: str
    segments: tuple[Segment, ...]
    heading: int = 0


@dataclass(frozen=True, slots=True)
class Review:
    """A translated file for a person.

    Attributes:
        original: the name of the translated file, without folders.
        languages: the codes of the source and the target language.
        units: the units, in the order of the file.
        sha256: the digest of the translated file; "" if it is not known.
        reading: the settings with which the file was read, as of `Input`.
        final: the ids of units whose targets all are a person's, as a memory has them.
        written: by the id of a unit, a digest of each target as it was written, "" for none. They
            tell which units are missing, and which targets a person has changed. Empty if not
            known.
    """

    original: str
    languages: tuple[str, str]
    units: tuple[Unit, ...]
    sha256: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    final: frozenset[str] = frozenset()
    written: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_SPACES = re.compile(r"\s*[\t\r\n\u2028\x85]\s*")


def plain(text: Iterable[str | Tag]) -> str:
    """A text without tags."""
    return "".join(part for part in text if isinstance(part, str))


def tidied(text: Iterable[str | Tag]) -> TaggedText:
    """A text on one line, without white space at the edges and without adjacent or empty parts."""
    parts: list[str | Tag] = []
    for part in text:
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    parts = [_SPACES.sub(" ", part) if isinstance(part, str) else part for part in parts]
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return tuple(part for part in parts if part)


def digest(text: TaggedText | None) -> str:
    """A digest of a target without regard to white space; "" for none."""
    if text is None:
        return ""
    parts = [" ".join(p.split()) if isinstance(p, str) else f"\0{p.id} {p.kind}" for p in text]
    return sha256("\1".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def digests(units: Iterable[Unit]) -> dict[str, tuple[str, ...]]:
    """The digests of the targets of units, as `Review.written`."""
    return {unit.id: tuple(digest(segment.target) for segment in unit.segments) for unit in units}
