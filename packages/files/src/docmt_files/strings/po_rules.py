"""Demands of gettext on a filled PO file: line breaks at both ends as in the source, placeholders
without numbers in the same order; and strings wrapped as in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docmt_files.base.documents import SentenceMatch
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.core.encodings import is_encodable
from docmt_files.core.inline import Block
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.skeleton import FileRules
from docmt_files.strings.po_entries import PoEntry, literal, po_entries, quoted
from docmt_files.strings.po_header import header_of, with_charset
from docmt_files.subtitles.subtitle_lines import width

_WIDTH = 79
_ORDERED = re.compile(
    r"(?<![\w%])%[-+#0]?(?:\d{1,3}|\*)?(?:\.(?:\d{1,3}|\*))?[hlqjztL]{0,2}"
    r"[diouxXeEfgGcrsa@](?!\w)"
)
_DIRECTIVE = re.compile(r"%(?:\(\w+\))?[^A-Za-z%()]*[A-Za-z%]?")
_PRINTF = re.compile(
    r"(?<!no-)\b(?:c|python|objc|php|perl|lua|awk|sh|tcl|gcc-internal|object-pascal)-format"
)
_LINE_END = re.compile(r"\r?\n?")
_MARKER = re.compile(r"X-Accelerator-Marker:[ \t]*([^\s\\])")


def accelerator_marker(text: str, header: PoEntry | None) -> str:
    """The mark before the letter of a shortcut, as named by the header, or nothing."""
    if header is None:
        return ""
    match = _MARKER.search(header.value(text, "msgstr"))
    return match[1] if match else ""


def is_format_string(text: str, entry: PoEntry) -> bool:
    """Return whether an entry is marked as a format string: all `%s` are placeholders."""
    return any(_PRINTF.search(text, *line) for line in entry.flags)


@dataclass(frozen=True, slots=True)
class PoRules(FileRules):
    """The rules for the filled forms of a file.

    Attributes:
        original: the file.
        text: the prepared file, with sources as translations.
        blocks: the blocks of the file.
        chosen: the indices of the entries to translate.
        codec: the encoding of the file.
        matches: by the indices of blocks with a match in a translation memory, the match of each
            sentence.
    """

    original: str
    text: str
    blocks: Sequence[Block]
    chosen: Sequence[int]
    codec: str
    matches: Mapping[int, Sequence[SentenceMatch | None]] = field(default_factory=dict)

    def with_matches(self, matches: Mapping[int, Sequence[SentenceMatch | None]]) -> PoRules:
        return replace(self, matches=matches)

    def finish(self, text: str) -> str:
        """A filled file with changed strings wrapped anew."""
        try:
            before, after = po_entries(self.text, "-"), po_entries(text, "-")
        except InputError:
            return text
        if len(before) != len(after):
            return text
        most = self._line_width(before)
        patches: list[Patch] = []
        for old, new in zip(before, after, strict=True):
            for key, (start, end) in new.strings.items():
                raw = text[start:end]
                if key not in old.strings or raw == self.text[slice(*old.strings[key])]:
                    continue
                value = literal(text, start, end).value
                newline = "\r\n" if "\r\n" in text[max(0, start - 200) : end + 2] else "\n"
                patches.append((start, end, wrapped(value, most, len(key) + 1, newline)))
        return apply_patches(text, patches)

    def leave(self, text: str, blocks: Collection[int]) -> str:
        """A file with the entries of untranslated blocks as they were, without the mark fuzzy in
        entries that a person has translated, and in UTF-8 by its header if its encoding lacks a
        character."""
        if blocks:
            text = self._with_original_translations(
                text, {self.blocks[i].parts[0].start for i in blocks}
            )
        if taken := self._taken_entries(blocks):
            text = _without_fuzzy(text, taken)
        if is_encodable(text, self.codec):
            return text
        return with_charset(text, header_of(text, po_entries(text, "-")), "UTF-8")

    def encode(self, text: str) -> bytes:
        """A file in its encoding or, if that lacks a character, in UTF-8."""
        return text.encode(self.codec if is_encodable(text, self.codec) else "utf-8")

    def _with_original_translations(self, text: str, starts: Collection[int]) -> str:
        """A file in which entries with blocks at these offsets have no translation or, if they had
        one to be reviewed, that one."""
        patches = []
        places = sorted(starts)
        for original, prepared, new in self._entries(text):
            ranges = [prepared.strings[key] for key in prepared.translations]
            if any(bisect_left(places, start) < bisect_left(places, end) for start, end in ranges):
                flags = self.original[original.first : original.start]
                patches.append((new.first, new.start, flags))
                for key in new.translations:
                    kept = original.strings.get(key) if original.is_fuzzy else None
                    value = self.original[slice(*kept)] if kept else '""'
                    patches.append((*new.strings[key], value))
        return apply_patches(text, sorted(patches))

    def _taken_entries(self, left: Collection[int]) -> set[int]:
        """The indices of the entries whose translations are all a person's, as they are."""
        if not self.matches:
            return set()
        entries = po_entries(self.text, "-")
        ends = [entry.end for entry in entries]
        of_blocks = [bisect_right(ends, block.parts[0].start) for block in self.blocks]
        others = {
            entry
            for block, entry in enumerate(of_blocks)
            if block in left
            or not all(m is not None and m.is_final for m in self.matches.get(block, [None]))
        }
        return set(of_blocks) - others

    def _entries(self, text: str) -> Iterator[tuple[PoEntry, PoEntry, PoEntry]]:
        """Each entry in the file, in the prepared file and in a finished file."""
        files = self.original, self.text, text
        return zip(*(po_entries(file, "-") for file in files), strict=True)

    def notes(self, text: str) -> Iterator[str]:
        """How many entries are translated, and how many are left."""
        entries = list(self._entries(text))
        taken = self._taken_entries(())
        # A translation that is left has the flags of the file, or no text.
        left = sum(
            not (new.is_fuzzy or index in taken)
            or original.values(self.original) == new.values(text)
            for index, (original, _, new) in ((index, entries[index]) for index in self.chosen)
        )
        if self.codec != "utf-8" and not is_encodable(text, self.codec):
            yield f"written in UTF-8, because {self.codec.upper()} lacks some of its characters"
        number = len(self.chosen) - left - len(taken)
        yield (
            f"{counted(number, 'entry', 'entries')} translated and marked as fuzzy, to be reviewed"
        )
        if taken:
            yield f"{counted(len(taken), 'entry', 'entries')} from the memory, not marked"
        if left:
            yield (
                f"{counted(left, 'entry', 'entries')} left without a new translation, because the "
                "translation has no words or other placeholders"
            )

    def _line_width(self, entries: Sequence[PoEntry]) -> int:
        """The width of lines: as by default or, in a file with wider ones, as wide as needed."""
        for entry in entries:
            for start, end in entry.strings.values():
                if any(width(line) > _WIDTH + 1 for line in self.text[start:end].splitlines()):
                    return 1_000_000
        return _WIDTH

    def faulty(self, text: str) -> list[int] | None:
        """The indices of blocks in strings with placeholders in other places, or None."""
        try:
            before, after = po_entries(self.text, "-"), po_entries(text, "-")
        except InputError:
            return list(range(len(self.blocks)))
        if [list(entry.strings) for entry in before] != [list(entry.strings) for entry in after]:
            return list(range(len(self.blocks)))
        starts = [block.parts[0].start for block in self.blocks]
        bad: list[int] = []
        for old, new in zip(before, after, strict=True):
            is_format = is_format_string(self.text, old)
            for key in old.translations:
                values = old.value(self.text, key), new.value(text, key)
                if values[0] != values[1] and not _has_same_placeholders(*values, is_format):
                    first, last = (bisect_left(starts, offset) for offset in old.strings[key])
                    bad.extend(range(first, last))
        return bad or None


def _has_same_placeholders(source: str, target: str, is_format: bool) -> bool:
    """Return whether placeholders without numbers or names are in the same order and, in a format
    string, a translation has no others."""
    if not is_format:
        return _ORDERED.findall(source) == _ORDERED.findall(target)
    placeholders = [_DIRECTIVE.findall(text) for text in (source, target)]
    ordered = [
        [placeholder for placeholder in side if "(" not in placeholder and "$" not in placeholder]
        for side in placeholders
    ]
    return Counter(placeholders[0]) == Counter(placeholders[1]) and ordered[0] == ordered[1]


def _without_fuzzy(text: str, chosen: Collection[int]) -> str:
    """A file without the mark fuzzy in some entries."""
    patches = []
    for index, entry in enumerate(po_entries(text, "-")):
        for start, end in entry.flags if index in chosen else ():
            flags = [flag.strip() for flag in text[start + 2 : end].split(",")]
            others = [flag for flag in flags if flag not in ("", "fuzzy")]
            line_end = None if others else _LINE_END.match(text, end)
            after = end if line_end is None else line_end.end()
            patches.append((start, after, f"#, {', '.join(others)}" if others else ""))
    return apply_patches(text, patches)


def wrapped(value: str, most: int, lead: int, newline: str) -> str:
    """A text as quoted strings, on one line or, after an empty string, on several. A string ends
    with each line break, and none is wider than the others of the file.

    Args:
        value: the text.
        most: the largest width of a line.
        lead: the width of the text before the first string.
        newline: the line end of the file.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", value)
    if len(lines) <= 1 and lead + 2 + width(quoted(value)) <= most:
        return f'"{quoted(value)}"'
    rows = ['""']
    for line in lines:
        row = ""
        for word in re.findall(r"\s*\S+(?:[ \t]+(?=\S))?|\s+", line):
            if row and width(quoted(row)) + width(quoted(word)) + 2 > most:
                rows.append(f'"{quoted(row)}"')
                row = ""
            row += word
        rows.append(f'"{quoted(row)}"')
    return newline.join(rows)
