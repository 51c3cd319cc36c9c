"""`CueFile`: a file of subtitles as cues, texts with times of display, in any of the forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import NamedTuple

_NAME = re.compile(r"[<{](/?)([A-Za-z_]+(?::[\w-]+)?)")
_OVERRIDE = re.compile(r"\{\\([ibus])([01])\}")
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
"""A character reference."""
_NEVER = re.compile(r"(?!)")


class CueForm(NamedTuple):
    """How texts of cues are written.

    Attributes:
        tag: matches a tag, or a moment in WebVTT.
        unit: matches an escape.
        meaning: the characters of an escape.
        escape: writes a text of a cue.
        line_end: matches the end of a line.
        line_break: written between lines; "" for a line end as in the cue.
    """

    tag: re.Pattern[str]
    unit: re.Pattern[str] = _NEVER
    meaning: Callable[[str], str] = unescape
    escape: Callable[[str], str] = str
    line_end: re.Pattern[str] = re.compile(r"\r\n|\r|\n")
    line_break: str = ""


class Cue(NamedTuple):
    """A text on display for a while.

    Attributes:
        name: the identifier or else the position in the file, for messages.
        start: the time of appearance, in milliseconds, or -1 if it is not known.
        end: the time of disappearance, in milliseconds.
        place: the offset in the file at which the text begins, also if there is none.
        lines: the ranges of the file of the lines of text, in order and without blank ones.
        voice: the speaker and the style, if the file has them beside the text.
        keeps_lines: whether the text has as many lines in a translation, as a sign has.
    """

    name: str
    start: int
    end: int
    place: int
    lines: tuple[tuple[int, int], ...]
    voice: str = ""
    keeps_lines: bool = False

    def text_range(self) -> tuple[int, int]:
        """The range of the file of all text of the cue."""
        return (self.lines[0][0], self.lines[-1][1]) if self.lines else (self.place, self.place)


class CueFile(NamedTuple):
    """A file of subtitles.

    Attributes:
        text: the file.
        form: how texts of cues are written.
        cues: the cues. Text after a blank line in a cue of SubRip is a further cue with the same
            times.
        kept: notes on possible text left untranslated.
    """

    text: str
    form: CueForm
    cues: list[Cue]
    kept: tuple[str, ...] = ()

    @property
    def tag(self) -> re.Pattern[str]:
        """Return the pattern of a tag, or of a moment in WebVTT."""
        return self.form.tag

    def visible(self, start: int, end: int) -> str:
        """Return the visible text of a range of the file, without tags."""
        shown = self.text[start:end]
        if self.form.line_break:
            shown = self.form.line_end.sub(" ", shown)
        shown = self.tag.sub("", shown)
        return self.form.unit.sub(lambda match: self.form.meaning(match[0]), shown)


def tag_name(tag: str) -> str:
    """The name of a tag of a pair, with its prefix in XML; or nothing."""
    match = _NAME.match(tag)
    return match[2].lower() if match and not tag.endswith("/>") else ""


def is_closing(tag: str) -> bool:
    """Return whether a tag ends a pair."""
    return tag[1:2] == "/"


def closing_of(tag: str) -> str:
    """The end of a pair, given its beginning."""
    match = _NAME.match(tag)
    name = match[2] if match and ":" in match[2] else tag_name(tag)
    return f"{{/{name}}}" if tag.startswith("{") else f"</{name}>"


def override_switch(tag: str) -> tuple[str, bool] | None:
    r"""The style that an override of SubStation Alpha switches, and whether on: `{\i1}` is italic
    text up to `{\i0}` or the end of the cue. None for another tag."""
    match = _OVERRIDE.fullmatch(tag)
    return None if match is None else (match[1], match[2] == "1")
