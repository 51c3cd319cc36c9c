"""Files of subtitles as cues: SubRip (`.srt`) and WebVTT (`.vtt`) here, others by their modules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_files.subtitles.ass_cues import is_ass, read_ass
from docmt_files.subtitles.cue_forms import ENTITY, Cue, CueFile, CueForm
from docmt_files.subtitles.ttml_cues import is_ttml, read_ttml

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_TIME = r"(?:(\d{1,4}):)?(\d{1,3}):(\d{1,2})(?:[,.:](\d{1,3}))?"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_LIKE_TIMES = re.compile(r"\d\s*-->|-->\s*\d")
_NUMBER = re.compile(r"\s*\d+\s*")
_LIKE_TAG = re.compile(r"<(?=[/A-Za-z]|\Z)")
_NO_CUE = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_WEBVTT_TAG = r"</?[A-Za-z][^<>\r\n]*>|<\d[\d:.]*>"
_SUBRIP_TAG = (
    r"</?(?:b|i|u|s|c|v|em|font|rt|ruby|span|strong|su[bp])(?:[\s.=][^<>\r\n]*)?>"
    r"|\{\\[^{}\r\n]*\}|\{/?[biu]\}|\{[yYcC]:[^{}\r\n]*\}"
)


SUBRIP = CueForm(
    re.compile(_SUBRIP_TAG, re.IGNORECASE),
    # Nothing like times or a tag: the format has no escapes.
    escape=lambda text: _LIKE_TAG.sub("‹", text.replace("-->", "→")).replace("{\\", "(\\"),
)
WEBVTT = CueForm(
    re.compile(_WEBVTT_TAG, re.IGNORECASE),
    ENTITY,
    escape=lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
)


def read_cues(text: str, path: PathLike) -> CueFile:
    """The cues of a text in any of the formats. The first line tells the format.

    Args:
        text: the text.
        path: the file, for errors.

    Raises:
        InputError: a line with times cannot be read, there is text without times, or no cue at all.
    """
    suffix = Path(str(path).lower().removesuffix(".gz").removesuffix(".xz")).suffix
    if is_ttml(text):
        file = read_ttml(text, path)
    elif is_ass(text, suffix):
        file = read_ass(text, path)
    else:
        file = _read_lines(text, path, suffix)
    if not file.cues:
        raise InputError(
            "has no subtitles",
            path=path,
            cure="Use a file with lines such as 00:00:01,000 --> 00:00:03,500",
        )
    return file


def _read_lines(text: str, path: PathLike, suffix: str) -> CueFile:
    """The cues of SubRip or WebVTT."""
    start = int(text.startswith("\ufeff"))
    lines = [match.span(1) for match in _LINE.finditer(text, start)]
    webvtt = re.match(r"WEBVTT(?![^\s])", text[start : start + 7]) is not None
    if not webvtt and suffix == ".vtt":
        raise InputError(
            "does not begin with the line WEBVTT",
            path=path,
            line=1,
            cure="Add the line, and a blank line after it, or name the file .srt if it is SubRip",
        )
    find = _webvtt_cues if webvtt else _subrip_cues
    return CueFile(text, WEBVTT if webvtt else SUBRIP, list(find(text, lines, path)))


def clock_time(milliseconds: int) -> str:
    """A time as a clock shows it.

    >>> clock_time(83_500)
    '00:01:23.500'
    """
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:03}"


def _times(text: str, line: tuple[int, int], number: int, path: PathLike) -> tuple[int, int] | None:
    """The times on a line, in milliseconds, or None if it has none."""
    if text.find("-->", *line) < 0:
        return None
    match = _TIMES.fullmatch(text, *line)
    if match is None:
        if not _LIKE_TIMES.search(text, *line):
            return None
        raise InputError(
            "the times cannot be read",
            path=path,
            line=number,
            cure="Write them as 00:00:01,000 --> 00:00:03,500 (with a point in WebVTT)",
        )
    first, last = (
        ((int(h or 0) * 60 + int(m)) * 60 + int(s)) * 1000 + int((ms or "").ljust(3, "0"))
        for h, m, s, ms in (match.groups()[:4], match.groups()[4:])
    )
    return first, last


def _is_blank(text: str, line: tuple[int, int]) -> bool:
    return not text[slice(*line)].strip()


def _subrip_cues(text: str, lines: Sequence[tuple[int, int]], path: PathLike) -> Iterator[Cue]:
    """The cues of a SubRip file. Numbers may be missing."""
    cues = [
        (index, times)
        for index, line in enumerate(lines)
        if (times := _times(text, line, index + 1, path)) is not None
    ]
    for index in range(cues[0][0] if cues else len(lines)):
        if not _is_blank(text, lines[index]) and not _NUMBER.fullmatch(text, *lines[index]):
            raise InputError(
                "text without times",
                path=path,
                line=index + 1,
                cure="Put a line with times, such as 00:00:01,000 --> 00:00:03,500, above it",
            )
    for position, (index, (start, end)) in enumerate(cues):
        last = cues[position + 1][0] if position + 1 < len(cues) else len(lines)
        # The number of the next cue stands directly above the times.
        if last < len(lines) and last > index + 1 and _NUMBER.fullmatch(text, *lines[last - 1]):
            last -= 1
        lines_of_cue = lines[index + 1 : last]
        above = lines[index - 1] if index else (0, 0)
        has_number = index and _NUMBER.fullmatch(text, *above)
        name = text[slice(*above)].strip() if has_number else str(position + 1)
        place = lines[index + 1][0] if index + 1 < len(lines) else len(text)
        for paragraph in _paragraphs(text, lines_of_cue) or [[]]:
            yield Cue(name, start, end, place, tuple(paragraph))


def _paragraphs(text: str, lines: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Lines in runs without blank ones."""
    runs: list[list[tuple[int, int]]] = []
    open_run = False
    for line in lines:
        if _is_blank(text, line):
            open_run = False
            continue
        if not open_run:
            runs.append([])
        runs[-1].append(line)
        open_run = True
    return runs


def _webvtt_cues(text: str, lines: Sequence[tuple[int, int]], path: PathLike) -> Iterator[Cue]:
    """The cues of a WebVTT file, without header, styles, regions and comments."""
    numbers = {line[0]: number for number, line in enumerate(lines)}
    position = place = 0
    # Without a blank line after the first line a file begins with a cue.
    for block in _paragraphs(text, lines[1:]):
        if _NO_CUE.match(text, *block[0]):
            continue
        name = ""
        times: tuple[int, int] | None = None
        ranges: list[tuple[int, int]] = []
        for line in block:
            number = numbers[line[0]]
            times_of_line = _times(text, line, number + 1, path)
            if times_of_line is None and times is not None:
                ranges.append(line)
            elif times_of_line is None:
                name = text[slice(*line)].strip()
            else:
                if times is not None:
                    yield Cue(name or str(position), *times, place, tuple(ranges))
                    name, ranges = "", []
                position += 1
                times = times_of_line
                place = lines[number + 1][0] if number + 1 < len(lines) else len(text)
        if times is not None:
            yield Cue(name or str(position), *times, place, tuple(ranges))
