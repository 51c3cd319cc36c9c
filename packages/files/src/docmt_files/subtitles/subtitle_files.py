"""Subtitles: SubRip (`.srt`), WebVTT (`.vtt`), SubStation Alpha (`.ass`, `.ssa`) and TTML.

A block is the speech of one speaker without a pause: the text of a cue or, if a sentence goes on in
the next cue, of several. The boundary of two cues is a break in the block, so a sentence over
several cues is translated whole and then divided among the same cues. `subtitle_rules` breaks lines
anew and checks the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from docmt_files.base.documents import Document
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.encodings import Encode, decode, marked_codec, read_data
from docmt_files.core.inline import Block, Code, Part, Text, has_word, paired
from docmt_files.core.patches import Patch
from docmt_files.core.protection.placeholders import protect
from docmt_files.core.scopes import Scope
from docmt_files.core.xml_encodings import XML_HEAD, decode_xml, encode_xml
from docmt_files.storage.files import PathLike
from docmt_files.subtitles.cue_forms import CueFile
from docmt_files.subtitles.subtitle_cues import clock_time, read_cues
from docmt_files.subtitles.subtitle_rules import SubtitleRules
from docmt_files.subtitles.subtitle_segments import (
    MUSIC,
    OVERRIDES,
    Segment,
    ends_sentence,
    segments_of,
    speaker_labels,
)
from docmt_files.subtitles.ttml_cues import is_ttml, language_patches

_MAX_PAUSE = 3000
"""The longest pause in a sentence, in milliseconds."""

_MAX_CUES = 12
"""The most cues of a block."""

_MIN_STOPS = 0.08
"""The least share of segments with a full stop at the end, in a file with full stops after
sentences."""

_DOTS = re.compile(r"\s*(?:\.{2,}|…)\s*")
_FULL_STOP = re.compile(r"[.…。．｡۔।][\"'”’»)\]」』]*$")
_INTERRUPTED = re.compile(r"(?:--|—|–)\s*$")


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = _read_text(path)
    file = read_cues(text, path)
    labels = speaker_labels(file)
    segments = [s for index in range(len(file.cues)) for s in segments_of(file, index, labels)]
    groups = list(_groups(file, segments, language))
    cues = [range(group[0].cue, group[-1].cue + 1) for group in groups]
    patches: tuple[Patch, ...] = ()
    if target_language is not None and is_ttml(text):
        patches = tuple(language_patches(text, path, language, target_language))
    blocks = Blocks([_block(file, group) for group in groups], patches, file.kept, equal=False)
    rules = SubtitleRules(file, cues, labels, partial(read_cues, path=path))
    return read_document(path, text, blocks, language, None, encode, rules)


def _read_text(path: PathLike) -> tuple[str, Encode]:
    """The text of a file, in XML in its encoding, and an encoder of another text."""
    data = read_data(path)
    if data[:99].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<"):
        return decode_xml(data, path), partial(encode_xml, like=data[:XML_HEAD])
    codec = marked_codec(data) or "utf-8"
    return decode(data, codec, path), partial(str.encode, encoding=codec)


def _groups(file: CueFile, segments: Sequence[Segment], language: str) -> Iterator[list[Segment]]:
    """Segments grouped by block."""
    spoken = [segment for segment in segments if not segment.alone and has_word(segment.text)]
    stops = sum(_FULL_STOP.search(segment.text[-20:]) is not None for segment in spoken)
    has_stops = stops >= _MIN_STOPS * len(spoken)
    group: list[Segment] = []
    for segment in segments:
        if group and (
            len(group) >= _MAX_CUES
            or not has_stops
            or not _goes_on(file, group[-1], segment, language)
        ):
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def _goes_on(file: CueFile, segment: Segment, following: Segment, language: str) -> bool:
    """Return whether a sentence goes on in the segment after it."""
    if following.begins or segment.alone or following.cue != segment.cue + 1:
        return False
    if following.raised != segment.raised:
        return False
    if following.voice != segment.voice and (following.voice or not segment.voice):
        return False
    first, second = file.cues[segment.cue], file.cues[following.cue]
    # A cue on display together with another is a separate text.
    if second.start <= first.start or second.end <= first.end:
        return False
    if second.start - first.end > _MAX_PAUSE:
        return False
    text, after = segment.text, following.text
    starts_small = after.lstrip("\"'“„«([").removeprefix("...").removeprefix("…")[:1].islower()
    if _DOTS.search(text[-4:]) and ends_sentence(text):
        return starts_small or _DOTS.match(after) is not None
    if _INTERRUPTED.search(text):
        return starts_small
    return not ends_sentence(text) or not _is_split(text[-200:], after[:200], language)


def _is_split(text: str, after: str, language: str) -> bool:
    """Return whether a sentence ends with the first of two texts, not with an abbreviation."""
    # Splitting sentences takes long to load.
    from docmt_files.core.sentences import sentence_spans

    if not text.endswith("."):
        return True
    return any(end == len(text) for _, end in sentence_spans(f"{text} {after}", language))


def _block(file: CueFile, group: Sequence[Segment]) -> Block:
    """The block of segments of one cue each."""
    parts_of_cues = [list(segment.parts) for segment in group]
    for index, (before, after) in enumerate(pairwise(parts_of_cues)):
        _join_pairs(before, after)
        start, end = _trimmed(file, before, after)
        unspaced = file.text[start - 1 : start] >= "\u3000" and file.text[end : end + 1] >= "\u3000"
        parts_of_cues[index].append(Code(start, end, "break", text="" if unspaced else " "))
    parts: list[Part] = []
    for part_list in parts_of_cues:
        parts += part_list
    cue = file.cues[group[0].cue]
    scope = Scope("time", clock_time(cue.start))
    if group[0].alone:
        is_song = not set(MUSIC).isdisjoint(file.text[slice(*cue.text_range())])
        scope = Scope("style", "song" if is_song else "sound", scope)

    def escape(text: str, _: bool) -> str:
        return file.form.escape(text)

    return Block(tuple(protect(list(paired(parts)))), escape, scopes=(scope,))


def _trimmed(file: CueFile, before: list[Part], after: list[Part]) -> tuple[int, int]:
    """Return the start and end of a break, with the dots in both cues for a sentence that goes on.
    The dots are taken from the parts beside the break."""
    last, first = before[-1], after[0]
    start, end = last.end, first.start
    if isinstance(last, Text) and len(last.text) == last.end - last.start:
        match = _DOTS.search(last.text, max(0, len(last.text) - 6))
        if match and match.end() == len(last.text) and match.start():
            start = last.start + match.start()
            before[-1] = Text(last.start, start, file.text[last.start : start])
    if isinstance(first, Text) and len(first.text) == first.end - first.start:
        match = _DOTS.match(first.text)
        if match and match.end() < len(first.text):
            end = first.start + match.end()
            after[0] = Text(end, first.end, file.text[end : first.end])
    return start, end


def _join_pairs(before: list[Part], after: list[Part]) -> None:
    """Continue pairs ending with a cue and beginning again with the next: `<i>one</i>` and
    `<i>two</i>` are one pair with a break in it."""
    closing = 0
    while closing < len(before) and _is(before[-1 - closing], "close"):
        closing += 1
    opening = 0
    while opening < len(after) and _is(after[opening], "open"):
        opening += 1
    ends, begins = before[len(before) - closing :], after[:opening]
    numbers = [part.pair for part in ends if isinstance(part, Code)]
    if (
        numbers
        and max(numbers) < OVERRIDES
        and numbers[::-1] == [part.pair for part in begins if isinstance(part, Code)]
    ):
        before[len(before) - closing :] = [Text(part.start, part.end, "") for part in ends]
        after[:opening] = [Text(part.start, part.end, "") for part in begins]


def _is(part: Part, kind: str) -> bool:
    return isinstance(part, Code) and part.kind == kind
