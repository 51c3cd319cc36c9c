"""A review as XLIFF 2.0 or 1.2.

A block is a `<unit>` with a `<segment>` for each sentence (1.2: a `<group>` of `<trans-unit>`s).
Inline codes are `<pc>` and `<ph>` (1.2: `<g>` and `<x/>`), and pairs with an end in another
sentence `<sc>` and `<ec>` (1.2: `<bx/>` and `<ex/>`). What merging needs stands as JSON in the
`<skeleton>` (1.2: `<skl>`), the place for it, which tools keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docmt_files.base.languages import language_tag
from docmt_files.bilingual.xliff_matches import CANDIDATES, candidate_1, candidate_2
from docmt_files.bilingual.xliff_segments import SUBSTATE
from docmt_files.core.tool import TOOL, tool_version
from docmt_files.review.review_json import manifest
from docmt_files.review.review_units import Review, Segment, Tag, TaggedText, Unit
from docmt_files.storage.characters import escape_attribute, escape_text

_FIXED = 'canCopy="no" canDelete="no"'


def write_xliff(review: Review, version_of_xliff: str = "2.0") -> str:
    """The text of an XLIFF file in UTF-8.

    Args:
        review: the review.
        version_of_xliff: `2.0` or `1.2`.
    """
    lines = _lines_1(review) if version_of_xliff == "1.2" else _lines_2(review)
    return "".join(f"{line}\n" for line in lines)


def _lines_2(review: Review) -> Iterator[str]:
    source, target = (escape_attribute(language_tag(code)) for code in review.languages)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" '
        f'srcLang="{source}" trgLang="{target}">'
    )
    yield f'<file id="f1" original="{escape_attribute(review.original)}" canResegment="no">'
    yield f'<skeleton><review xmlns="urn:docmt:review">{_manifest(review)}</review></skeleton>'
    for unit in review.units:
        yield f'<unit id="{unit.id}" xml:space="preserve">'
        shown = "".join(
            candidate_2(each.match, each.id) for each in unit.segments if each.match is not None
        )
        if shown:
            yield f'<mtc:matches xmlns:mtc="{CANDIDATES}">{shown}</mtc:matches>'
        if notes := list(_notes(unit)):
            yield "<notes>"
            for category, note, segment in notes:
                place = f"{segment.id}: " if len(unit.segments) > 1 and segment else ""
                yield f'<note category="{category}">{escape_text(place + note)}</note>'
            yield "</notes>"
        tags = _tags(unit)
        if tags:
            yield "<originalData>"
            for tag in tags:
                yield f'<data id="{_data_id(tag)}">{escape_text(tag.shown)}</data>'
            yield "</originalData>"
        for segment in unit.segments:
            yield f'<segment id="{segment.id}" {_state_2(segment)}>'
            yield f"<source>{_content_2(segment.source)}</source>"
            if segment.target is not None:
                yield f"<target>{_content_2(segment.target)}</target>"
            yield "</segment>"
        yield "</unit>"
    yield "</file>"
    yield "</xliff>"


def _lines_1(review: Review) -> Iterator[str]:
    source, target = (escape_attribute(language_tag(code)) for code in review.languages)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">'
    yield (
        f'<file original="{escape_attribute(review.original)}" source-language="{source}" '
        f'target-language="{target}" datatype="plaintext">'
    )
    yield "<header>"
    yield f"<skl><internal-file>{_manifest(review)}</internal-file></skl>"
    yield f'<tool tool-id="docmt" tool-name="{TOOL}" tool-version="{tool_version()}"/>'
    yield "</header>"
    yield "<body>"
    for unit in review.units:
        yield f'<group id="{unit.id}">'
        for segment in unit.segments:
            yield f'<trans-unit id="{unit.id}-{segment.id}" xml:space="preserve">'
            yield f"<source>{_content_1(segment.source)}</source>"
            if segment.target is not None:
                yield f"<target {_state_1(segment)}>{_content_1(segment.target)}</target>"
            if segment.match is not None:
                yield candidate_1(segment.match)
            for note in segment.notes:
                yield f'<note from="docmt">{escape_text(note)}</note>'
            yield "</trans-unit>"
        yield "</group>"
    yield "</body>"
    yield "</file>"
    yield "</xliff>"


def _state_2(segment: Segment) -> str:
    """The state of a segment."""
    if segment.target is None:
        return 'state="initial"'
    is_final = segment.match is not None and segment.match.is_final
    return f'state="translated" subState="{"docmt:memory" if is_final else SUBSTATE}"'


def _state_1(segment: Segment) -> str:
    """The state of a target."""
    if segment.match is not None and segment.match.is_final:
        return 'state="translated" state-qualifier="exact-match"'
    return 'state="needs-review-translation" state-qualifier="leveraged-mt"'


def _manifest(review: Review) -> str:
    return escape_text(manifest(review))


def _notes(unit: Unit) -> Iterator[tuple[str, str, Segment | None]]:
    """The category, the text and the segment of each note of a unit."""
    if unit.heading:
        yield "context", f"heading of level {unit.heading}", None
    for segment in unit.segments:
        for note in segment.notes:
            yield "warning", note, segment


def _tags(unit: Unit) -> list[Tag]:
    """The tags of a unit, in order."""
    texts = (side for each in unit.segments for side in (each.source, each.target or ()))
    found = {part.key: part for text in texts for part in text if isinstance(part, Tag)}
    return list(found.values())


def _data_id(tag: Tag) -> str:
    return f"d{tag.id}{'e' if tag.kind == 'close' else ''}"


def _partners(text: Sequence[str | Tag]) -> dict[int, int]:
    """The indices of the two ends of pairs of a text that can be one element: opened before they
    are closed, in each other."""
    partners: dict[int, int] = {}
    waiting: list[int] = []
    for index, part in enumerate(text):
        if isinstance(part, str) or part.kind == "alone":
            continue
        if part.kind == "open":
            waiting.append(index)
            continue
        opened = [i for i in waiting if isinstance(tag := text[i], Tag) and tag.id == part.id]
        if opened:
            partners[index], partners[opened[-1]] = opened[-1], index
            # What was opened in between ends elsewhere.
            del waiting[waiting.index(opened[-1]) :]
    return partners


def _content_2(text: TaggedText) -> str:
    partners, made = _partners(text), []
    for index, part in enumerate(text):
        if isinstance(part, str):
            made.append(escape_text(part))
            continue
        data, shown = _data_id(part), escape_attribute(part.shown)
        if part.kind == "alone":
            made.append(f'<ph id="{part.id}" {_FIXED} disp="{shown}" dataRef="{data}"/>')
        elif index not in partners:
            name, key = ("sc", "id") if part.kind == "open" else ("ec", "startRef")
            made.append(f'<{name} {key}="{part.id}" {_FIXED} dataRef="{data}"/>')
        elif part.kind == "open":
            ends = f'dataRefStart="d{part.id}" dataRefEnd="d{part.id}e"'
            made.append(f'<pc id="{part.id}" {_FIXED} {ends}>')
        else:
            made.append("</pc>")
    return "".join(made)


def _content_1(text: TaggedText) -> str:
    partners, made = _partners(text), []
    for index, part in enumerate(text):
        if isinstance(part, str):
            made.append(escape_text(part))
        elif part.kind == "alone":
            made.append(f'<x id="{part.id}" equiv-text="{escape_attribute(part.shown)}"/>')
        elif index not in partners:
            name, end = ("bx", "") if part.kind == "open" else ("ex", "e")
            made.append(f'<{name} id="{part.id}{end}" rid="{part.id}"/>')
        elif part.kind == "open":
            made.append(f'<g id="{part.id}">')
        else:
            made.append("</g>")
    return "".join(made)
