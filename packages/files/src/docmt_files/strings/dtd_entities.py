"""Mozilla's `.dtd` files of strings: `<!ENTITY key "value">`, as in SeaMonkey, older Firefox and
Thunderbird, and their extensions.

The values of general entities are translated as strings of a program. Comments, parameter entities,
entities in other files and everything else stay. References to entities (`&brandShortName;`) are
codes: they are never expanded, and other files never opened. White space in a value is a space, as
in XML, so the lines of a value are one paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from html import unescape
from html.entities import html5

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import Code, has_word
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import read_literal
from docmt_files.storage.characters import NO_CHARACTER
from docmt_files.storage.files import PathLike
from docmt_files.strings.character_references import REFERENCE
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.xml_strings import read_xml

_SPACE = r"[ \t\r\n]"
_DECLARATION = re.compile(
    # A comment or an instruction without an end goes to the end of the file, so each is read once.
    r"<!--(?s:.*?)(?:-->|\Z)|<\?(?s:.*?)(?:\?>|\Z)"
    rf"|<!ENTITY{_SPACE}++(?P<key>[^\s\"'<>%&;]++){_SPACE}++"
    rf"(?P<value>\"[^\"]*+\"|'[^']*+'){_SPACE}*+>"
)
_UNIT = re.compile(rf"{_SPACE}{{2,}}|[\t\r\n]|&#(?:\d{{1,7}}|[xX][0-9a-fA-F]{{1,6}});")
_CODE = re.compile(
    r"&(?P<name>[A-Za-z_:][\w:.-]*+;)|%[A-Za-z_:][\w:.-]*+;|(?:%|&#0?37;)(?:\d{1,2}\$)?S(?!\w)"
)
"""A reference to an entity, or a placeholder, in which a percent sign should be a reference."""
_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(?:#?\w{1,32};)?")
"""An ampersand, or a reference, other than those that every XML file may have."""
_NO_TEXT = re.compile(
    r"(?i:(?:\A|[._-])(?:key|keycode|shortcut|style)|(?:access|command)[._-]?key)\Z"
)
"""The ends of keys of values that are keys of the keyboard or sizes."""


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001 (a file does not name its language)
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_xml(path)
    notes = list(_notes(_strings(text)))
    return read_strings(path, text, _strings, language, notes=notes, encode=encode)


def _notes(strings: list[FileString]) -> Iterator[str]:
    """Notes on values that are not for people to read, by their keys."""
    keys = sum(string.is_text is False and has_word(string.value) for string in strings)
    if keys:
        yield f"{counted(keys, 'string')} with keys or sizes (such as accesskey) not translated"


def _strings(text: str) -> list[FileString]:
    """The values of a file, in order."""
    strings = []
    for match in _DECLARATION.finditer(text):
        key = match["key"]
        if key is None:
            continue
        start, end = match.span("value")
        literal = read_literal(text, start + 1, end - 1, _UNIT, _meaning)
        references = frozenset(REFERENCE.findall(literal.value))
        strings.append(
            FileString(
                *literal,
                partial(_escape, quote=text[start], references=references),
                is_text=False if _NO_TEXT.search(key) else None,
                codes=tuple(_codes(literal.value)),
                scope=Scope("key", key),
            )
        )
    return strings


def _meaning(unit: str) -> str:
    """Return a space for white space, and the character of a reference to one beyond ASCII. Others
    may be a part of the syntax, and stay."""
    if unit[0] != "&":
        return " "
    character = unescape(unit)
    return unit if character.isascii() else character


def _codes(value: str) -> Iterator[Code]:
    """The placeholders, and the references to entities of the program, which HTML does not know."""
    for match in _CODE.finditer(value):
        if match["name"] is None or match["name"] not in html5:
            yield Code(*match.span(), "protected")


def _escape(text: str, *, quote: str, references: frozenset[str]) -> str:
    """A text as a value has it.

    Args:
        text: the text. In a value with tags or references, `&` and `<` are references already.
        quote: the quotation mark around the value.
        references: the references in the value. Another one would be to an unknown entity.
    """

    def ampersand(match: re.Match[str]) -> str:
        return match[0] if match[0] in references else f"&amp;{match[0][1:]}"

    text = _AMPERSAND.sub(ampersand, NO_CHARACTER.sub("\ufffd", text))
    text = text.replace("<", "&lt;").replace("%", "&#37;")
    return text.replace(quote, "&quot;" if quote == '"' else "&apos;")
