"""Line ends of plain text: the end of a unit, such as a term, a verse or a line of an address, or a
place where a line of prose was wrapped.

Wrapped prose fills its lines: the next word did not fit. So a line with room for the next word is
**short**, and all other lines are **full**. The lines of prose have the ends of sentences within
them, and some lines go on in lower case. Lines without these signs are units. Scripts without
capitals have no sign in the first letter of a line; the widths and the punctuation decide.

Columns of a line have gaps between them: a tab, several spaces, a bar or a row of dots. A line with
a gap is no prose.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from docmt_files.base.languages import primary_language
from docmt_files.core.line_joining import (
    MAX_COLUMNS,
    MIN_COLUMNS,
    QUOTES,
    USUAL_COLUMNS,
    columns_of,
    first_word,
    has_label,
)

_STOPS = ".!?…。！？．؟۔։።॥।"
_CLOSING = "'\"’”»)]』」"
_GOES_ON = re.compile(rf"\w[{_STOPS}][{re.escape(_CLOSING)}]*\s+\S|[。！？]\w")
"""The end of a sentence within a line."""

_DOTS = r"\s+(?:\.\s*){5,}|(?:\.\s*){8,}|(?:\.\s*){5,}(?=\d)"
_GAP = re.compile(rf"(?<=\S)(?:{_DOTS}|\s+[|│]\s+|\s*[|│]$|\s*\t\s*| {{3,}}|\u3000{{2,}})(?!\s)")
_SPACES = re.compile(r"(?<=\S) +(?=\S)")

_WITH_CAPITAL_NOUNS = frozenset({"de", "lb", "nds"})
"""Languages in which many lines of prose begin with a capital."""

_PART_FILLED = 2 / 3
"""The part of the width that most lines of prose fill where an author wrapped them by hand."""


class _Line(NamedTuple):
    """A line.

    Attributes:
        text: the text without white space around it.
        columns: the width, with the indentation.
        word: the width of the first word.
        has_gap: whether it has columns.
    """

    text: str
    columns: int
    word: int
    has_gap: bool

    @property
    def is_capital(self) -> bool:
        """True if it begins with a capital or a digit, and is not in capitals throughout."""
        first = self.text.lstrip(QUOTES)[:1]
        return first.isdigit() or (first.isupper() and not self.text.isupper())

    @property
    def ends_sentence(self) -> bool:
        """True if it ends with the punctuation of a sentence."""
        return self.text.rstrip(_CLOSING).endswith((*_STOPS, ":", "："))

    def is_full(self, after: _Line, width: int) -> bool:
        """Return whether the first word of the next line has no room in the line."""
        return self.columns + 1 + after.word > width


def line_ends(lines: Sequence[str], language: str, lead: int = 0) -> list[bool]:
    """For each line of a paragraph except the last, whether its end is the end of a unit.

    Args:
        lines: the lines, each with a word, with their indentation.
        language: the code of the language.
        lead: the number of characters before the text of a list item, or before the last column.

    >>> line_ends(["apple", "bread"], "en")
    [True]
    >>> line_ends(["The monks of the old monastery were taught", "by Ananda."], "en")
    [False]
    """
    has_nouns = primary_language(language) in _WITH_CAPITAL_NOUNS
    margin = columns_of(lines[0][:lead].expandtabs())
    measured = [_measured(line) for line in (" " * margin + lines[0][lead:], *lines[1:])]
    ends = _clear_ends(measured)
    is_hanging = lead > 0 and all(indentation(line) >= margin for line in lines[1:])
    first = 0
    for stop in [*(index + 1 for index, end in enumerate(ends) if end), len(measured)]:
        run = measured[first:stop]
        goes_on = has_nouns or any(not line.is_capital for line in run[1:])
        if not _is_prose(run, goes_on=goes_on, is_hanging=is_hanging):
            ends[first : stop - 1] = [True] * (stop - 1 - first)
        first = stop
    return ends


def clear_ends(lines: Sequence[str]) -> list[bool]:
    """For each line of a paragraph except the last, whether it is plainly the end of a unit: the
    line is short and ends a sentence or fills less than half of the width, or a label follows."""
    return _clear_ends([_measured(line) for line in lines])


def column_gaps(line: str) -> list[tuple[int, int]]:
    """The ranges of the gaps between the columns of a line. Three spaces are no gap after the end
    of a sentence, nor between words two or three spaces apart, as in justified prose.

    >>> column_gaps("-o FILE     write to FILE"), column_gaps("Two words.  Three more words.")
    ([(7, 12)], [])
    """
    widths = [len(spaces[0]) for spaces in _SPACES.finditer(line)]
    is_justified = len(widths) > 1 and set(widths) <= {2, 3}
    gaps = []
    for gap in _GAP.finditer(line.rstrip()):
        ends_sentence = line[gap.start() - 1] in f"{_STOPS}:{_CLOSING}"
        if gap[0] != "   " or not (is_justified or ends_sentence):
            gaps.append(gap.span())
    return gaps


def indentation(line: str) -> int:
    """The columns before the text of a line."""
    shown = line.expandtabs()
    return len(shown) - len(shown.lstrip())


def _measured(line: str) -> _Line:
    shown = line.expandtabs().rstrip()
    text = shown.strip()
    has_gap = bool(column_gaps(line.strip()))
    return _Line(text, columns_of(shown), columns_of(first_word(text)), has_gap)


def _clear_ends(lines: Sequence[_Line]) -> list[bool]:
    """`clear_ends` of lines that are measured."""
    width = max(MIN_COLUMNS, *(line.columns for line in lines))
    labeled = has_label(lines[0].text)
    ends = []
    for index, (line, after) in enumerate(pairwise(lines)):
        is_short = not line.is_full(after, width)
        is_label = has_label(after.text) and (labeled or (is_short and after.is_capital))
        # The first line of a letter names the reader.
        is_salutation = not index and line.columns <= MIN_COLUMNS and line.text[-1:] in ",，"
        is_clear = 2 * line.columns <= width or line.ends_sentence or is_salutation
        has_gap = line.has_gap or after.has_gap
        ends.append(has_gap or is_label or (is_short and is_clear))
    return ends


def _is_prose(lines: Sequence[_Line], *, goes_on: bool, is_hanging: bool) -> bool:
    """Return whether lines without a clear end between them are wrapped prose.

    Args:
        lines: the lines.
        goes_on: whether the first letters allow the lines to go on: one is not a capital.
        is_hanging: whether they are a list item with a hanging indent, which need not have the
            punctuation of a sentence.
    """
    breaks = list(pairwise(lines))
    if not goes_on and all(unicodedata.category(line.text[-1])[0] == "P" for line, _ in breaks):
        return False  # Verse.
    least = MIN_COLUMNS if goes_on else USUAL_COLUMNS
    width = max(least, *(line.columns for line in lines))
    full = sum(line.is_full(after, width) for line, after in breaks)
    if width > MAX_COLUMNS:
        # The widest line is always full.
        return full == len(breaks) > 1
    has_sentences = (
        is_hanging
        or lines[-1].ends_sentence
        or lines[-1].text.endswith((";", "；"))
        or any(_GOES_ON.search(line.text) for line in lines)
    )
    is_lower = all(line.text[0].islower() for line in lines[1:])
    if is_hanging and is_lower and lines[0].columns >= MIN_COLUMNS:
        return True
    if full == len(breaks):
        is_terms = is_lower and lines[0].text[0].islower()
        return has_sentences or (goes_on and width >= USUAL_COLUMNS and not is_terms)
    if not has_sentences or width > max(line.columns for line in lines):
        return False
    filled = sum(
        line.is_full(after, width) or line.columns > _PART_FILLED * width for line, after in breaks
    )
    # One line of several begins with a capital by chance.
    return width >= USUAL_COLUMNS and 2 * filled >= len(breaks) and (goes_on or len(breaks) == 1)
