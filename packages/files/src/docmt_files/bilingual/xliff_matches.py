"""Matches of a translation memory in a translated XLIFF file.

A target taken from the memory has a state of a person's translation, and is kept when the file is
translated again. A sentence of the memory that differs is written as `<alt-trans>` (1.2) or as a
translation candidate (2.x), for the person who reviews the target.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docmt_files.base.documents import SentenceMatch
from docmt_files.bilingual.xliff_segments import Segment, is_version_2, segments
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.skeleton import FileRules
from docmt_files.core.xml_events import raw_name
from docmt_files.storage.characters import escape_attribute, escape_text
from docmt_files.strings.xml_strings import XmlText, set_attributes

_Matched = tuple[int, Segment, Sequence[SentenceMatch | None]]
"""The index of a segment, the segment, and the match of each sentence."""

CANDIDATES = "urn:oasis:names:tc:xliff:matches:2.0"
"""The namespace of translation candidates."""


@dataclass(frozen=True, slots=True)
class XliffMatches(FileRules):
    """The rules for a filled file.

    Attributes:
        segments: the index of the segment of each block.
        original: the file before targets were put in.
        matches: by the indices of blocks with a match, the match of each sentence.
    """

    segments: Sequence[int]
    original: XmlText
    matches: Mapping[int, Sequence[SentenceMatch | None]] = field(default_factory=dict)

    def finish(self, text: str) -> str:
        return text

    def with_matches(self, matches: Mapping[int, Sequence[SentenceMatch | None]]) -> XliffMatches:
        return replace(self, matches=matches)

    def leave(self, text: str, blocks: Collection[int]) -> str:
        """A finished file with the matches of translated segments, and with segments without a
        translated block as they were, without the source as their target."""
        if blocks:
            text = self._with_original_segments(text, blocks)
        if not self.matches:
            return text
        by_segment: dict[int, list[SentenceMatch | None]] = {}
        for block, segment in enumerate(self.segments):
            by_segment.setdefault(segment, []).extend(self.matches.get(block, [None]))
        left = {self.segments[block] for block in blocks}
        file = XmlText.read(text, "-")
        matched = [
            (index, segment, by_segment[index])
            for index, segment in enumerate(segments(file))
            if index in by_segment and index not in left
        ]
        write = _written_2 if is_version_2(file) else _written_1
        return apply_patches(text, sorted(write(file, matched)))

    def _with_original_segments(self, text: str, blocks: Collection[int]) -> str:
        translated = {each for index, each in enumerate(self.segments) if index not in blocks}
        left = {self.segments[block] for block in blocks} - translated
        finished = XmlText.read(text, "-")
        patches: list[Patch] = []
        both = zip(segments(self.original), segments(finished), strict=True)
        for index, (before, after) in enumerate(both):
            if index in left:
                old = self.original.events[before.holder].start, self.original.end(before.holder)
                new = finished.events[after.holder].start, finished.end(after.holder)
                patches.append((*new, self.original.text[slice(*old)]))
        return apply_patches(text, patches)


def _is_final(matches: Sequence[SentenceMatch | None]) -> bool:
    """Return whether a target is a person's translation as it is."""
    return all(match is not None and match.is_final for match in matches)


def _written_1(file: XmlText, matched: Sequence[_Matched]) -> Iterator[Patch]:
    """The patches of a file of version 1.2."""
    for _, segment, matches in matched:
        if _is_final(matches):
            states = {"state": "translated", "state-qualifier": "exact-match"}
            yield from set_attributes(file, segment.target, states)
            continue
        prefix, end = _prefix(file, segment), file.end(segment.target)
        for match in _shown(matches):
            alternative = candidate_1(match, prefix)
            if alternative not in file.text[end : file.end(segment.holder)]:
                yield end, end, file.indent(segment.target) + alternative


def _written_2(file: XmlText, matched: Sequence[_Matched]) -> Iterator[Patch]:
    """The patches of a file of version 2.x."""
    candidates: dict[int, str] = {}
    for index, segment, matches in matched:
        if _is_final(matches):
            states = {"state": "translated", "subState": "docmt:memory"}
            yield from set_attributes(file, segment.holder, states)
            continue
        prefix = _prefix(file, segment)
        name = file.events[segment.holder].attributes.get("id") or f"docmt-{index}"
        shown = "".join(candidate_2(match, name, prefix) for match in _shown(matches))
        unit = _unit(file, segment)
        if shown and shown not in file.text[slice(*file.content(unit))]:
            candidates[unit] = candidates.get(unit, "") + shown
            yield from set_attributes(file, segment.holder, {"id": name})
    for unit, shown in candidates.items():
        start, _ = file.content(unit)
        first = next(file.children(unit))
        event = file.events[first]
        if (event.namespace, event.local_name) != (CANDIDATES, "matches"):
            yield start, start, f'<mtc:matches xmlns:mtc="{CANDIDATES}">{shown}</mtc:matches>'
        elif raw_name(file.text, event) == "mtc:matches" and file.end(first) > event.end:
            yield event.end, event.end, shown


def _unit(file: XmlText, segment: Segment) -> int:
    """The `<unit>` of a segment."""
    return max(
        index
        for index in range(segment.holder)
        if file.events[index].local_name == "unit" and file.partners[index] > segment.holder
    )


def candidate_1(match: SentenceMatch, prefix: str = "") -> str:
    """A match as an element of 1.2, with a prefix of names."""
    quality = f'match-quality="{match.percent}%"'
    texts = _texts(match, prefix)
    return f"<{prefix}alt-trans {quality}{_origin(match)}>{texts}</{prefix}alt-trans>"


def candidate_2(match: SentenceMatch, segment: str, prefix: str = "") -> str:
    """A match of the segment with an id as an element of 2.x, with a prefix of names."""
    quality = f'type="tm" matchQuality="{match.percent}"'
    texts = _texts(match, prefix)
    start = f'<mtc:match ref="#{escape_attribute(segment)}" {quality}{_origin(match)}>'
    return f"{start}{texts}</mtc:match>"


def _shown(matches: Sequence[SentenceMatch | None]) -> Iterator[SentenceMatch]:
    """The matches that differ from their sentences."""
    return (m for m in matches if m is not None and m.kind in ("fuzzy", "adapted"))


def _prefix(file: XmlText, segment: Segment) -> str:
    prefix, colon, _ = raw_name(file.text, file.events[segment.source]).rpartition(":")
    return prefix + colon


def _origin(match: SentenceMatch) -> str:
    return f' origin="{escape_attribute(match.origin)}"' if match.origin else ""


def _texts(match: SentenceMatch, prefix: str) -> str:
    """The two sides of a match."""
    sides = ("source", match.source), ("target", match.target)
    return "".join(f"<{prefix}{n}>{escape_text(text)}</{prefix}{n}>" for n, text in sides)
