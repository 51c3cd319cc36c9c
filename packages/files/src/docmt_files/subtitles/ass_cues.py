r"""SubStation Alpha (`.ass`, `.ssa`) as cues: the texts of its dialogue events.

Styles, comments, fonts and all other lines are no cues, and stay; neither are drawings (`{\p1}`),
and songs whose syllables have times of their own (karaoke, `{\k20}`). Overrides in braces are tags,
`\N` ends a line, and `\h` is a space that does not break.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import PathLike
from docmt_files.subtitles.cue_forms import Cue, CueFile, CueForm

_LINE = re.compile(r"[^\r\n]+")
_SECTION = re.compile(r"\s*\[([^\]\r\n]*)\]")
_EVENT = re.compile(r"\s*(Format|Dialogue)[ \t]*:[ \t]*", re.IGNORECASE)
_TIME = re.compile(r"\s*(\d{1,3}):(\d{1,2}):(\d{1,2})[.:,](\d{1,3})\s*")
_FORMAT = "layer, start, end, style, name, marginl, marginr, marginv, effect, text"
_TAG = (
    r"\{[^{}\r\n]*\\p[1-9][^{}\r\n]*\}(?:(?!\{[^{}\r\n]*\\p0)[^\r\n])*"  # a drawing
    r"|\{[^{}\r\n]*\}"
)
_TAG_OR_BREAK = re.compile(rf"(?:{_TAG})|(\\N)")
_KARAOKE = re.compile(r"\{[^{}\r\n]*\\[kK][fot]?\d")
_SIGN = re.compile(r"\{[^{}\r\n]*\\(?:pos|move)\(")
_WRITTEN = str.maketrans({"{": "(", "}": ")", "\\": "/", "\u00a0": "\\h"})

ASS = CueForm(
    tag=re.compile(_TAG),
    unit=re.compile(r"\\[hn]"),
    meaning=lambda unit: "\u00a0" if unit == "\\h" else " ",
    escape=lambda text: text.translate(_WRITTEN),
    line_end=re.compile(r"\\N"),
    line_break="\\N",
)


def is_ass(text: str, suffix: str) -> bool:
    """Return whether a text is SubStation Alpha, by the suffix of the file or the first section."""
    return suffix in (".ass", ".ssa") or text.lstrip("\ufeff \r\n")[:13].lower() == "[script info]"


def read_ass(text: str, path: PathLike) -> CueFile:
    """The cues of a text.

    Raises:
        InputError: a dialogue event lacks fields, or its times cannot be read.
    """
    sung = 0
    cues = []
    for cue in _events(text, path):
        if _KARAOKE.search(text, *cue.text_range()):
            sung += 1
        else:
            cues.append(cue)
    note = f"{counted(sung, 'line')} of karaoke not translated: their syllables have times"
    return CueFile(text, ASS, cues, (note,) if sung else ())


def _events(text: str, path: PathLike) -> Iterator[Cue]:
    """The dialogue events."""
    fields = _fields(_FORMAT)
    in_events = False
    for line in _LINE.finditer(text):
        if section := _SECTION.match(line[0].removeprefix("\ufeff")):
            in_events = section[1].strip().lower() == "events"
            continue
        event = _EVENT.match(line[0]) if in_events else None
        if event is None:
            continue
        if event[1].lower() == "format":
            fields = _fields(line[0][event.end() :])
            continue
        cue = _cue(text, line, line.start() + event.end(), fields)
        if cue is None:
            raise InputError(
                "the times of a dialogue event cannot be read",
                path=path,
                line=text.count("\n", 0, line.start()) + 1,
                cure=f"Write it with the fields of the line Format: {', '.join(fields)}",
            )
        yield cue


def _fields(line: str) -> list[str]:
    """The names of the fields of events; the text is the last one."""
    return [field.strip().lower() for field in line.split(",")]


def _cue(text: str, line: re.Match[str], start: int, fields: list[str]) -> Cue | None:
    """The cue of a dialogue event whose fields begin at an offset; None if it is damaged."""
    values = text[start : line.end()].split(",", len(fields) - 1)
    by_name = dict(zip(fields, values, strict=False))
    if len(values) < len(fields) or not {"start", "end"} <= by_name.keys():
        return None
    times = [_milliseconds(by_name[key]) for key in ("start", "end")]
    if times[0] is None or times[1] is None:
        return None
    place = line.end() - len(values[-1])
    voice = "\n".join(by_name.get(key, "").strip() for key in ("style", "name", "actor"))
    lines = tuple(_lines(text, place, line.end()))
    is_sign = _SIGN.search(text, place, line.end()) is not None
    return Cue(by_name["start"].strip(), times[0], times[1], place, lines, voice, is_sign)


def _milliseconds(time: str) -> int | None:
    match = _TIME.fullmatch(time)
    if match is None:
        return None
    hours, minutes, seconds = map(int, match.groups()[:3])
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(match[4].ljust(3, "0"))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a text, without blank ones."""
    position = start
    breaks = [match.span() for match in _TAG_OR_BREAK.finditer(text, start, end) if match[1]]
    for first, last in [*breaks, (end, end)]:
        if text[position:first].strip():
            yield position, first
        position = last
