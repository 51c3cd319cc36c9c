"""Files of strings of any syntax: the strings to translate, and their blocks.

A format finds the strings with the places of their characters (`FileString`); `read_strings` makes
blocks of strings with text. The choice is made once, by the source, so a translated file is
compared string by string, whatever the look of translations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted, first_few
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.inline import Block, Code
from docmt_files.core.patches import Patch
from docmt_files.core.skeleton import FileRules
from docmt_files.core.string_literals import has_lone_surrogate
from docmt_files.storage.files import PathLike
from docmt_files.strings.accelerators import find_accelerator, has_underscores
from docmt_files.strings.message_branches import count_kept, with_branches
from docmt_files.strings.message_format import has_message_quotes
from docmt_files.strings.plural_forms import missing_categories
from docmt_files.strings.string_blocks import (
    FileString,
    break_choices,
    count_attributes,
    message_blocks,
)
from docmt_files.strings.string_kinds import is_text

_MAX_EXAMPLES = 3
_MAX_EXAMPLE = 40
"""The most characters of a string in a note."""


_Choice = tuple[bool, ...] | None
"""For a string to translate, whether each line break is within a block; None for another string."""


def read_strings(
    path: PathLike,
    text: str,
    find: Callable[[str], Sequence[FileString]],
    language: str,
    *,
    patches: Sequence[Patch] = (),
    notes: Sequence[str] = (),
    encode: Callable[[str], bytes] | None = None,
    rules: FileRules | None = None,
    doubles_apostrophes: bool = False,
    message_language: str | None = None,
) -> tuple[list[Document], BlockSkeleton]:
    """A file of strings as one document, named after the file.

    Args:
        path: the file.
        text: the text of the file.
        find: the strings of such a text, in order.
        language: the code of the language whose rules split sentences.
        patches: changes to a translated file besides translations.
        notes: notes on possible text left untranslated.
        encode: the bytes of the file with another text. Default: the text in UTF-8.
        rules: further demands of the format on a filled file.
        doubles_apostrophes: whether messages with placeholders in braces double them, also if no
            string of the file shows it.
        message_language: if not None, texts in ICU messages are translated; the code of the
            language whose numbers stand for placeholders in them.

    Raises:
        InputError: the file has no text.
    """
    strings = with_accelerators(find(text))
    kept = _Kept(has_messages=message_language is not None)
    doubles = doubles_apostrophes or any(has_message_quotes(string.value) for string in strings)
    groups = _divided(strings, message_language)
    choices = [[_choice(string, kept, doubles) for string in group] for group in groups]
    blocks = [_blocks(*item, doubles) for item in zip(groups, choices, strict=True)]
    file_blocks = Blocks(
        list(chain.from_iterable(chain.from_iterable(blocks))),
        tuple(patches),
        (*kept.notes(), *notes),
    )
    counts = [[len(of_string) for of_string in group] for group in blocks]

    def again(text: str) -> Blocks:
        return _find_again(_divided(find(text), message_language), choices, counts, doubles)

    return read_document(path, text, file_blocks, language, again, encode, rules)


def with_accelerators(strings: Sequence[FileString]) -> list[FileString]:
    """Strings with the marks of their shortcuts."""
    is_usual = has_underscores(string.value for string in strings)
    return [
        string._replace(
            accelerator=find_accelerator(string.value, string.marker, is_usual=is_usual)
        )
        for string in strings
    ]


def _divided(strings: Iterable[FileString], language: str | None) -> list[list[FileString]]:
    """Each string with the branches of its messages, if these are translated."""
    if language is None:
        return [[string] for string in strings]
    return [with_branches(string, language) for string in strings]


def _find_again(
    groups: Sequence[Sequence[FileString]],
    choices: Sequence[Sequence[_Choice]],
    counts: Sequence[Sequence[int]],
    doubles: bool,
) -> Blocks:
    """The blocks of a filled file. A string with other blocks than before gets as many blocks
    equal to none, so the strings after it are compared with themselves."""
    blocks: list[Block] = []
    for group, choices_of_group, counts_of_group in zip(groups, choices, counts, strict=False):
        found = []
        if len(group) == len(counts_of_group):
            found = _blocks(group, choices_of_group, doubles)
        if list(map(len, found)) == list(counts_of_group):
            blocks += chain.from_iterable(found)
            continue
        start, end = group[0].offsets[0], group[0].offsets[-1]
        parts = Code(start, end, "moment"), Code(end, end, "moment")
        blocks += [Block(parts)] * sum(counts_of_group)
    return Blocks(blocks)


def _blocks(
    group: Sequence[FileString], choices: Sequence[_Choice], doubles: bool
) -> list[list[Block]]:
    """The blocks of each string of a group; none of one that is not translated."""
    return [
        [] if choice is None else list(message_blocks(string, choice, doubles_apostrophes=doubles))
        for string, choice in zip(group, choices, strict=True)
    ]


class _Kept:
    """Counts possible text left untranslated.

    Args:
        has_messages: whether texts in ICU messages are translated.
    """

    def __init__(self, *, has_messages: bool) -> None:
        self.has_messages = has_messages
        self.names: list[str] = []
        self.damaged = 0
        self.branches = 0
        self.attributes = 0

    def notes(self) -> Iterator[str]:
        """Return notes on the counts for the user."""
        if self.names:
            few = [_shortened(name) for name in self.names[:_MAX_EXAMPLES]]
            listed = first_few([*few, *self.names[_MAX_EXAMPLES:]], _MAX_EXAMPLES)
            yield (
                f"{counted(len(self.names), 'string')} taken for names in a program, and not "
                f"translated: {listed}"
            )
        if self.damaged:
            yield (
                f"{counted(self.damaged, 'string')} with half of a character (a lone surrogate) "
                "not translated"
            )
        if self.branches:
            yield (
                f"the texts in {counted(self.branches, 'ICU message')} (plural, select, choice) "
                "not translated: translate them by hand"
            )
        if self.attributes:
            yield (
                f"{counted(self.attributes, 'attribute')} in the tags of strings (such as title or "
                "alt) not translated"
            )


def _choice(string: FileString, kept: _Kept, doubles: bool) -> _Choice:
    """Return whether each line break of a string is within a block; None if the string is not
    translated."""
    if string.is_text is False:
        return None
    if has_lone_surrogate(string.value):
        kept.damaged += 1
        return None
    kept.branches += count_kept(string.value, all_kinds=not kept.has_messages)
    mark = string.accelerator
    readable = is_text(
        string.value if mark is None else string.value.replace(string.value[mark.sign], "", 1)
    )
    if readable is None and not string.is_text:
        kept.names.append(string.value)
        return None
    kept.attributes += count_attributes(string.value)
    if readable is False:
        return None
    return break_choices(string, doubles_apostrophes=doubles)


def _shortened(value: str) -> str:
    return repr(value if len(value) <= _MAX_EXAMPLE else f"{value[:_MAX_EXAMPLE]}…")


def plural_note(number: int, language: str, target_language: str | None) -> Iterator[str]:
    """The note on messages with plural forms, if the target language needs more than the source.

    Args:
        number: how many messages have plural forms.
        language: the code of the source language.
        target_language: the code of the target language, if it is known.
    """
    if number and target_language is not None:
        more = missing_categories(language, target_language)
        if more:
            yield (
                f"{counted(number, 'message')} with plural forms: the target language "
                f"({target_language}) also needs {', '.join(more)}; write them by hand"
            )
