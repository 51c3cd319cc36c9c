"""Speech in a cue: the text in segments, one for each speaker, sound or line of a song, with tags
as inline codes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from docmt_files.core.inline import Code, Part, Text, has_word
from docmt_files.core.placement.breaks import UNSPACED
from docmt_files.subtitles.cue_forms import Cue, CueFile, is_closing, override_switch, tag_name

MUSIC = "♪♫♬♩🎵🎶"
"""Signs of a song."""

_DASH = re.compile(
    r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]*"
    r"(?:[-‐‑‒–—―]+[ \t\u00a0]*(?![-‐‑‒–—―\d\s])|[-‐‑‒–—―][ \t\u00a0]+(?=\d))"
)
"""The dash of a speaker, after marks of direction."""
_CHANGE = re.compile(r"(?:>>+|(?:&gt;){2,})\s*")
_SONG = re.compile(rf"[{MUSIC}]+\s*|#(?=\s)\s*")
_SPACE = re.compile(r"[^\S\r\n]+")
_POSITION = re.compile(r"\{[^{}\r\n]*\\(?:an?\d+|(?:pos|move)\([^{}()]*\))[^{}\r\n]*\}")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?(?:[ \t]([^<>\r\n]*))?>")
_LABEL = re.compile(r"([^\W\d_][\w .'’-]{0,40}):(?=[ \t]|$)", re.MULTILINE)
_CAPITAL_LABEL = re.compile(r"[^\W\da-z_][^\Wa-z_]*(?:[ .'’#-]+[^\Wa-z_]+){0,4}:(?=\s|$)")
_NAME = r"[^\W\da-z_][\w.'’-]{0,20}"
_SPEAKER = re.compile(
    rf"{_NAME}(?: {_NAME}){{0,2}}(?: ?[\[(][^\])\r\n]{{1,30}}[\])])?:(?=[ \t]+\S)"
)
"""A name before speech, also with a remark: `LEO [ON THE PHONE]: …`."""
_SENTENCE_END = re.compile(r"[.!?…。！？｡؟۔।][\"'”’»)\]」』]*\s*$")
_BRACKETS = {"[": "]", "(": ")", "（": "）", "［": "］"}
OVERRIDES = 1 << 120
"""The least number of a pair that ends with its cue, whatever follows."""
_MAX_SOUND = 200
"""The most characters of the description of a sound."""


@dataclass(slots=True)
class Segment:
    """A unit of text in a cue.

    Attributes:
        cue: the index of the cue.
        begins: whether the text before is separate: another speaker, or a sound.
        voice: the name of the speaker, if the file says it.
        alone: whether it is the description of a sound or a line of a song, never continued.
        raised: whether it stands in another position than usual.
        parts: adjacent text and codes; pairs have numbers for the names of tags.
    """

    cue: int
    begins: bool
    voice: str = ""
    alone: bool = False
    raised: bool = False
    parts: list[Part] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text without codes."""
        return "".join(part.text for part in self.parts).strip()

    @property
    def end(self) -> str:
        """The end of the text."""
        return next((text for part in reversed(self.parts) if (text := part.text.strip())), "")


def speaker_labels(file: CueFile) -> frozenset[str]:
    """The names of speakers in a transcript with a name at the beginning of most cues, as in `Ann:
    Yes.`"""
    counts = Counter(
        match[1]
        for cue in file.cues
        if cue.lines and (match := _LABEL.match(file.text, *cue.lines[0]))
    )
    names = {name for name, count in counts.items() if count >= 3}
    often = sum(counts[name] for name in names) * 2 >= len(file.cues)
    return frozenset(names) if often else frozenset()


def ends_sentence(text: str) -> bool:
    """Return whether a text ends with the punctuation of a sentence."""
    return _SENTENCE_END.search(text[-20:]) is not None


def has_sign(file: CueFile, start: int, end: int, labels: frozenset[str]) -> bool:
    """Return whether a range of a line begins with a sign of another speaker or of a song."""
    return _Lead(file, start, end, labels, "").has_sign


def begins_line(file: CueFile, start: int, end: int, labels: frozenset[str]) -> bool:
    """Return whether a range of a line begins with a mark of a new line: a speaker, a sound or a
    song."""
    lead = _Lead(file, start, end, labels, "")
    return lead.begins or file.text[lead.at : lead.at + 1] in ("[", "（", "［")


def names_speaker(line: str, before: str) -> bool:
    """Return whether a line begins with the name of a speaker, after the end of a sentence."""
    return bool(before) and ends_sentence(before) and _SPEAKER.match(line) is not None


def segments_of(file: CueFile, index: int, labels: frozenset[str]) -> Iterator[Segment]:
    """The segments of a cue, in order.

    Args:
        file: the file.
        index: the index of the cue.
        labels: the names of speakers before their speech.
    """
    for segment in _segments(file, index, file.cues[index], labels):
        if any(isinstance(part, Text) and part.text.strip() for part in segment.parts):
            segment.parts = list(_with_moments(segment.parts))
            segment.voice = segment.voice or file.cues[index].voice
            yield segment


class _Lead:
    """The beginning of a line, before the text.

    Attributes:
        position: the start of the text.
        begins: whether a new segment begins with it.
        has_sign: whether the sign of a new segment is a dash, a sign of a song or `>>`.
        is_song: whether there is a sign of a song.
        voice: the name of the speaker.
        raised: whether it has a position of its own.
    """

    def __init__(
        self, file: CueFile, start: int, end: int, labels: frozenset[str], before: str
    ) -> None:
        self.at = position = start
        self.begins = self.has_sign = self.is_song = self.raised = False
        self.voice = ""
        text = file.text
        while position < end:
            tag = file.tag.match(text, position, end)
            if match := _SPACE.match(text, position, end):
                position = match.end()
            elif match := _VOICE.match(text, position, end):
                self.voice = (match[1] or "").strip()
                self.at = position = match.end()
            elif match := _POSITION.match(text, position, end):
                self.raised = True
                self.at = position = match.end()
            elif tag is not None:
                position = tag.end()
            elif match := _sign(text, position, end, before):
                self.begins = self.has_sign = True
                self.is_song |= match.re is _SONG
                self.at = position = match.end()
            elif labels and (match := _LABEL.match(text, position, end)) and match[1] in labels:
                self.voice = match[1]
                self.at = position = match.end()
            else:
                self.begins |= _CAPITAL_LABEL.match(text, position, end) is not None
                self.begins |= names_speaker(text[position:end], before)
                break
        if self.at > start and (match := _SPACE.match(text, self.at, end)):
            self.at = match.end()


def _sign(text: str, position: int, end: int, before: str) -> re.Match[str] | None:
    """The sign of another speaker or of a song, if there is one."""
    for pattern in (_SONG, _CHANGE):
        if match := pattern.match(text, position, end):
            return match
    match = _DASH.match(text, position, end)
    # After a dash a sentence may go on.
    goes_on = before and not ends_sentence(before)
    return None if match and goes_on and text[match.end() : end][:1].islower() else match


def _segments(file: CueFile, index: int, cue: Cue, labels: frozenset[str]) -> Iterator[Segment]:
    text = file.text
    stop = cue.lines[-1][1] if cue.lines else 0
    current: Segment | None = None
    end = resume = 0
    forced = False
    for start, last in cue.lines:
        position = max(start, resume)
        last -= len(text[position:last]) - len(text[position:last].rstrip())
        while position < last:
            before = current.end if current is not None else ""
            lead = _Lead(file, position, last, labels, before)
            position = lead.at
            closing = _sound_end(text, position, stop, before if not lead.begins else "")
            if closing is not None:
                if current is not None:
                    yield current
                sound = Segment(index, True, lead.voice, alone=True, raised=lead.raised)
                for first, after in _lines_within(cue, position + 1, closing):
                    _extend(file, sound, first, after, sound.parts[-1].end if sound.parts else -1)
                yield sound
                current, forced = None, True
                position = resume = closing + 1
                continue
            if current is None or lead.begins or (lead.voice and lead.voice != current.voice):
                if current is not None:
                    yield current
                begins = lead.begins or forced
                current = Segment(index, begins, lead.voice, lead.is_song, lead.raised)
                end = -1
            forced = False
            _extend(file, current, position, last, end)
            end = position = last
    if current is not None:
        yield current


def _sound_end(text: str, position: int, stop: int, before: str) -> int | None:
    """Return the end of the description of a sound, by the closing bracket. The description begins
    at an offset; None if there is none."""
    bracket = text[position : position + 1]
    if bracket not in _BRACKETS or position >= stop:
        return None
    closing = text.find(_BRACKETS[bracket], position, min(stop, position + _MAX_SOUND))
    if closing < 0 or not has_word(text[position:closing]):
        return None
    if before and not ends_sentence(before) and bracket != "[":
        return None
    if bracket != "(" and text[closing + 1 : closing + 2] in ("\r", "\n"):
        return closing
    # What goes on in lower case is a remark in a sentence.
    after = text[closing + 1 : min(stop, closing + 9)].lstrip()[:1]
    return None if after.islower() or after in (",", ";") else closing


def _lines_within(cue: Cue, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a range on each line of a cue."""
    for first, last in cue.lines:
        if first < end and last > start:
            yield max(first, start), min(last, end)


def _extend(file: CueFile, segment: Segment, start: int, end: int, before: int) -> None:
    """Add a range of a line to a segment, after the line break at `before`, if not negative."""
    text = file.text
    if before >= 0:
        start += len(text[start:end]) - len(text[start:end].lstrip())
        unspaced = UNSPACED.match(text[before - 1]) and UNSPACED.match(text[start : start + 1])
        segment.parts.append(Text(before, start, "" if unspaced else " "))
    position = start
    for match in file.tag.finditer(text, start, end):
        segment.parts += _texts(file, position, match.start())
        segment.parts.append(_tag(match))
        position = match.end()
    segment.parts += _texts(file, position, end)


def _texts(file: CueFile, start: int, end: int) -> Iterator[Part]:
    """A range without tags, with the signs of songs as codes and escapes as their characters."""
    position = start
    for match, is_sign in _units(file, start, end):
        if position < match.start():
            yield Text(position, match.start(), file.text[position : match.start()])
        if is_sign:
            yield Code(match.start(), match.end(), "void")
        else:
            yield Text(match.start(), match.end(), file.form.meaning(match[0]))
        position = match.end()
    if position < end:
        yield Text(position, end, file.text[position:end])


def _units(file: CueFile, start: int, end: int) -> list[tuple[re.Match[str], bool]]:
    """The signs of songs and the escapes in a range, in order, each with whether it is a sign."""
    found = [(match, True) for match in _SIGNS.finditer(file.text, start, end)]
    found += [(match, False) for match in file.form.unit.finditer(file.text, start, end)]
    return sorted(found, key=lambda pair: pair[0].start())


_SIGNS = re.compile(rf"[{MUSIC}]+|(?<=\s)#(?=[\r\n])")


def _tag(match: re.Match[str]) -> Code:
    """A tag as an end of a pair with a number for the name, as a moment, or as void."""
    tag = match[0]
    if tag[1:2].isdigit():
        return Code(match.start(), match.end(), "moment")
    if (switch := override_switch(tag)) is not None:
        number = OVERRIDES + ord(switch[0])
        return Code(match.start(), match.end(), "open" if switch[1] else "close", number)
    name = tag_name(tag)
    if not name:
        return Code(match.start(), match.end(), "void")
    number = int.from_bytes(name[:12].encode(), "big")
    return Code(match.start(), match.end(), "close" if is_closing(tag) else "open", number)


def _with_moments(parts: Sequence[Part]) -> Iterator[Part]:
    """Parts with the tags directly beside a moment in the range of the moment, so the tags stay
    with it."""
    run: list[Code] = []
    for part in [*parts, None]:
        if isinstance(part, Code):
            run.append(part)
            continue
        if any(code.kind == "moment" for code in run):
            yield Code(run[0].start, run[-1].end, "moment")
        else:
            yield from run
        run = []
        if part is not None:
            yield part
