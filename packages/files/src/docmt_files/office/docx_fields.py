"""Fields of Word: the result of a field is either words of the document or stands for words.

A complex field is a sequence of runs: beginning, instruction, separator, result and end.
Instructions are never translated, nor are results computed again by Word, such as page numbers,
dates and citations. The result of a link or a table of contents is translated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from docmt_files.core.inline import has_word
from docmt_files.office.office_names import name_list
from docmt_files.office.office_runs import Atom, Item, ItemKind

_WORDS = name_list("docx", "fields_with_words")
"""Fields with words of the document as results."""


def has_words(instruction: str) -> bool:
    """Return whether the result of a field with this instruction is translated."""
    words = instruction.split(maxsplit=1)
    return bool(words) and words[0].upper() in _WORDS


@dataclass(slots=True)
class _Field:
    """An open field: its beginning in the items of the paragraph, the number of elements open
    there, the instruction, and the beginning of the result."""

    begin: int
    depth: int
    instruction: list[str] = field(default_factory=list)
    result: int | None = None
    in_result: bool = False

    @property
    def kept(self) -> bool:
        """True if the present content of the field is not translated."""
        return not (self.in_result and has_words("".join(self.instruction)))


class Fields:
    """The open fields of a text. One may begin and end in different paragraphs."""

    def __init__(self) -> None:
        self._open: list[_Field] = []

    @property
    def kept(self) -> bool:
        """True if text is not translated here."""
        return any(open_field.kept for open_field in self._open)

    def add_instruction(self, text: str) -> None:
        """A part of the instruction of the last field."""
        if self._open and not self._open[-1].in_result:
            self._open[-1].instruction.append(text)

    def begin(self, items: list[Item], atom: Atom, depth: int) -> None:
        """A field begins."""
        self._open.append(_Field(len(items), depth))
        items.append(Item("void", atoms=(atom,)))

    def separate(self, items: list[Item], atom: Atom, depth: int) -> None:
        """The result of the last field begins."""
        items.append(Item("void", atoms=(atom,)))
        if not self._open:
            return
        last = self._open[-1]
        last.in_result = True
        if last.begin >= 0 and last.depth == depth and _is_whole(items[last.begin :]):
            items[last.begin :] = [Item("void", atoms=_atoms(items[last.begin :]))]
            last.result = len(items)

    def end(self, items: list[Item], atom: Atom, depth: int) -> None:
        """End the last field. Within one paragraph the field becomes one code, or a pair around the
        result."""
        items.append(Item("void", atoms=(atom,)))
        if not self._open:
            return
        last = self._open.pop()
        if last.begin < 0 or last.depth != depth or not _is_whole(items[last.begin :]):
            items[-1] = items[-1]._replace(kind="end")
            _end_at(items, last.begin)
            return
        result = items[last.begin if last.result is None else last.result : -1]
        has_text = any(item.kind == "text" and has_word(item.text) for item in result)
        if last.result is not None and has_text and not last.kept:
            items[last.result - 1] = items[last.result - 1]._replace(kind="open")
            items[-1] = items[-1]._replace(kind="close")
            return
        kind: ItemKind = "protected" if last.in_result else "void"
        items[last.begin :] = [Item(kind, atoms=_atoms(items[last.begin :]))]

    def end_paragraph(self, items: list[Item]) -> None:
        """End the paragraph; open fields go on in the next one."""
        for open_field in self._open:
            _end_at(items, open_field.begin)
            open_field.begin, open_field.result = -1, None


def _end_at(items: list[Item], index: int) -> None:
    """Let a code end a block, so it stays between its neighbors."""
    if index >= 0:
        items[index] = items[index]._replace(kind="end")


def _is_whole(items: Sequence[Item]) -> bool:
    """Return whether all elements opened in these items are closed in them."""
    depth = 0
    for item in items:
        depth += (item.kind == "open") - (item.kind == "close")
        if depth < 0 or item.kind == "end":
            return False
    return depth == 0


def _atoms(items: Sequence[Item]) -> tuple[Atom, ...]:
    return tuple(atom for item in items for atom in item.atoms)
