"""Resource files of .NET (`.resx`, `.resw`): `<data name="…"><value>…</value></data>`.

Strings are translated as strings of a program. Other resources (`type`, `mimetype`), properties of
forms such as names and sizes (`>>button.Name`, `metadata`), the schema, headers and comments stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.scopes import Scope
from docmt_files.storage.files import PathLike
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.xml_strings import InlineElement, XmlText, read_xml, xml_string


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001 (a file does not name its language)
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_xml(path)
    file = XmlText.read(text, path)
    if file.events[0].name != "root":
        raise InputError(
            f"has <{file.events[0].name}> in the place of <root>, so it is not a resource file",
            path=path,
            cure="Name the format that it has with `file_format`",
            parameters=("file_format",),
        )
    return read_strings(path, text, partial(_strings, path=path), language, encode=encode)


def _strings(text: str, *, path: PathLike) -> list[FileString]:
    """The strings of a file, in order."""
    file = XmlText.read(text, path)
    return [
        # Visual Studio keeps the white space of values, also without xml:space.
        xml_string(file, value, _inline, preserve=True)._replace(scope=scope, is_text=None)
        for value, scope in _values(file)
    ]


def _values(file: XmlText) -> Iterator[tuple[int, Scope]]:
    """The `<value>` of each string, and the name of the string within the comment on it."""
    for data in file.children(0):
        attributes = file.events[data].attributes
        name = attributes.get("name", "")
        is_string = "type" not in attributes and "mimetype" not in attributes
        if file.events[data].name != "data" or not is_string or name.startswith(">>"):
            continue
        parts = {file.events[index].name: index for index in file.children(data)}
        if "value" in parts:
            comment = file.meaning(parts["comment"]).strip() if "comment" in parts else ""
            yield parts["value"], Scope("key", name, Scope("note", comment) if comment else None)


def _inline(_: XmlText, __: int) -> InlineElement:
    """Elements in a string have no meaning in this format, and stay."""
    return InlineElement("pair")
