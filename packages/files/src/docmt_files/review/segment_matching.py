"""The targets of a unit for the sentences of its block, also where a tool has divided or joined the
segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from docmt_files.core.skeleton import separator
from docmt_files.review.review_units import Segment, TaggedText, plain, tidied


def targets_of_sentences(
    segments: Sequence[Segment], sources: Sequence[TaggedText]
) -> tuple[list[Segment], bool]:
    """A segment for each sentence, and whether the sources are those of the sentences.

    A divided sentence gets the targets of its segments. Of sentences in one segment, the first gets
    the target and the others an empty one.

    Args:
        segments: the segments of the unit.
        sources: the sentences of the block.
    """
    ids = [f"s{index + 1}" for index in range(len(sources))]
    by_id = {segment.id: segment for segment in segments}
    texts = [_letters(source) for source in sources]
    if len(by_id) == len(segments) and by_id.keys() <= set(ids):
        missing = Segment("", (), None)
        in_order = [by_id.get(name, missing) for name in ids]
        same = [
            _letters(segment.source) == text for segment, text in zip(in_order, texts, strict=True)
        ]
        if len(segments) == len(ids) or all(
            equal or segment is missing for equal, segment in zip(same, in_order, strict=True)
        ):
            return in_order, all(same) or len(segments) < len(ids)
    theirs = [_letters(segment.source) for segment in segments]
    is_same = "".join(theirs) == "".join(texts)
    groups = _groups(theirs, texts) if is_same else [(range(len(theirs)), range(len(texts)))]
    made: list[Segment] = []
    for group, sentences in groups:
        if not group:  # nothing but sentences without letters
            made += [Segment("", (), None) for _ in sentences]
            continue
        made.append(_joined([segments[index] for index in group]))
        made += [Segment("", (), ()) for _ in sentences[1:]]
    return made, is_same


def _letters(text: TaggedText) -> str:
    """A text without tags and white space."""
    return "".join(plain(text).split())


def _groups(theirs: Sequence[str], ours: Sequence[str]) -> Iterator[tuple[range, range]]:
    """The smallest groups of segments and of sentences with the same text, in order."""
    ends = [list(accumulate(map(len, side))) for side in (theirs, ours)]
    first, start = 0, 0
    for index, end in enumerate(ends[1]):
        if end not in ends[0][first:] and index + 1 < len(ours):
            continue
        last = len(theirs) if index + 1 == len(ours) else ends[0].index(end, first) + 1
        yield range(first, last), range(start, index + 1)
        first, start = last, index + 1


def _joined(segments: Sequence[Segment]) -> Segment:
    """Segments as one."""
    if len(segments) == 1:
        return segments[0]
    targets = [segment.target for segment in segments if segment.target is not None]
    parts: list[TaggedText] = []
    for target in targets:
        before = plain(parts[-1]) if parts else ""
        gap = separator(before, plain(target)) if before and not before[-1].isspace() else ""
        parts += [(gap,), target]
    return Segment(
        segments[0].id,
        tidied(part for segment in segments for part in (*segment.source, " ")),
        tidied(part for target in parts for part in target) if targets else None,
        approved=all(segment.approved for segment in segments),
        line=segments[0].line,
    )
