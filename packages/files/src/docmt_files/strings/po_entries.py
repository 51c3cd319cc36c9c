"""The entries of a PO file of GNU gettext, with the places of their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docmt_files.base.errors import InputError
from docmt_files.core.string_literals import CONTROLS, Literal, escape_controls, read_literal
from docmt_files.storage.files import PathLike

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_KEYWORD = re.compile(r"[ \t]*(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d{1,2})\])?)[ \t]*(?=\"|\Z)")
_QUOTED = re.compile(r'[ \t]*"(?:[^"\\]++|\\.)*+"[ \t]*')
_ESCAPE = re.compile(
    r'\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)|"[ \t]*(?:\r\n|\r|\n)[ \t]*"', re.DOTALL
)
_CURE = 'Write each entry as msgid "…" and msgstr "…", with \\" for a quotation mark in it'


@dataclass(slots=True)
class PoEntry:
    """An entry.

    Attributes:
        start: the start of the first keyword or of the comment on the previous text.
        end: the end of the last string.
        flags: the ranges of lines of flags (`#, fuzzy`).
        is_fuzzy: whether the translation is to be reviewed.
        strings: for each keyword (`msgctxt`, `msgid`, `msgid_plural`, `msgstr`, `msgstr[0]`, …) the
            range of the quoted strings, from the first quotation mark to the last.
        keywords: for each keyword the start of its line.
        notes: the lines of the programmer's notes (`#. …`).
    """

    start: int
    end: int = 0
    flags: tuple[tuple[int, int], ...] = ()
    is_fuzzy: bool = False
    strings: dict[str, tuple[int, int]] = field(default_factory=dict)
    keywords: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def translations(self) -> list[str]:
        """The keywords of translations, in order."""
        return [keyword for keyword in self.strings if keyword.startswith("msgstr")]

    @property
    def first(self) -> int:
        """The start of the entry or of its flags."""
        return min([self.start, *(start for start, _ in self.flags)])

    def values(self, text: str) -> list[str]:
        """The characters of the translations, in order."""
        return [self.value(text, keyword) for keyword in self.translations]

    def value(self, text: str, keyword: str) -> str:
        """Return the characters of a string."""
        return literal(text, *self.strings[keyword]).value


def literal(text: str, start: int, end: int) -> Literal:
    """Quoted strings, read as one string.

    Args:
        text: the file.
        start: the offset of the first quotation mark.
        end: the offset after the last.
    """
    return read_literal(text, start + 1, end - 1, _ESCAPE, _meaning)


def quoted(value: str) -> str:
    """A text as it stands between quotation marks."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    for letter, character in CONTROLS.items():
        escaped = escaped.replace(character, f"\\{letter}")
    return escape_controls(escaped, "\\{:03o}")


def _meaning(escaped: str) -> str:
    if escaped[0] == '"':
        return ""
    letter = escaped[1]
    if letter in "01234567":
        return chr(int(escaped[1:], 8))
    if letter == "x" and len(escaped) > 2:
        return chr(int(escaped[2:], 16))
    return CONTROLS.get(letter, letter)


def po_entries(text: str, path: PathLike) -> list[PoEntry]:
    """The entries of a file without obsolete ones, in order.

    Raises:
        InputError: a line does not belong in a PO file.
    """
    return list(_entries(text, path))


def _entries(text: str, path: PathLike) -> Iterator[PoEntry]:
    entry: PoEntry | None = None
    flags: tuple[tuple[int, int], ...] = ()
    notes: list[str] = []
    last = ""
    begins = -1
    for number, match in enumerate(_LINE.finditer(text, int(text.startswith("\ufeff"))), start=1):
        start, end = match.span(1)
        line = match[1]
        if not line.strip() or line.lstrip().startswith("#"):
            if entry is not None and entry.translations:
                yield entry
                entry = None
            stripped = line.lstrip()
            if not stripped or stripped.startswith("#~"):
                flags, begins, notes = (), -1, []
            elif stripped.startswith("#."):
                notes.append(stripped[2:].strip())
            elif stripped.startswith("#,"):
                flags = (*flags, (start + len(line) - len(stripped), end))
            elif stripped.startswith("#|") and begins < 0:
                begins = start
            last = last if entry is not None else ""
            continue
        keyword = _KEYWORD.match(text, start, end)
        first = keyword.end() if keyword is not None else start
        if _QUOTED.fullmatch(text, first, end) is None or (keyword is None and not last):
            raise _error(path, number, "the line is not one of a PO file")
        first = text.index('"', first)
        until = text.rindex('"', first, end) + 1
        if keyword is None:
            assert entry is not None
            entry.strings[last] = entry.strings[last][0], until
            entry.end = until
            continue
        name = keyword[1]
        if entry is not None and (name == "msgctxt" or name == "msgid") and entry.translations:
            yield entry
            entry = None
        if entry is None:
            if name.startswith("msgstr") or name == "msgid_plural":
                raise _error(path, number, f"{name} without a msgid before it")
            fuzzy = any("fuzzy" in re.split(r"[\s,]+", text[slice(*line)]) for line in flags)
            entry = PoEntry(begins if begins >= 0 else start, 0, flags, fuzzy, notes=notes)
            flags, begins, notes = (), -1, []
        if name in entry.strings or (name.startswith("msgstr") and "msgid" not in entry.strings):
            raise _error(path, number, f"{name} where another keyword is expected")
        entry.strings[name] = first, until
        entry.keywords[name] = start
        entry.end = until
        last = name
    if entry is not None:
        yield entry
        if not entry.translations:
            raise _error(path, text.count("\n", 0, entry.end) + 1, "msgid without a msgstr")


def _error(path: PathLike, line: int, problem: str) -> InputError:
    return InputError(problem, path=path, line=line, cure=_CURE)
