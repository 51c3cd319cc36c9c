"""The front matter of a Markdown file: the values with text for readers.

Sites show the title and the description of a page, so these are translated; dates, layouts and
addresses are not. A value is on a separate line at the top level, in quotes or without, as in YAML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from docmt_files.core.inline import Block, Code, Text, has_word
from docmt_files.core.protection.placeholders import protect

KEYS = ("title", "subtitle", "description", "summary", "excerpt", "linkTitle", "sidebar_label")
"""The keys of values to translate."""

_VALUE = re.compile(
    rf"^(?:{'|'.join(KEYS)}):[ \t]++(?:"
    r'"(?P<double>(?:[^"\\\r\n]|\\["\\])++)"|'
    r"'(?P<single>(?:[^'\r\n]|'')++)'|"
    r"(?P<plain>[^ \t\r\n\-?:,\[\]{}#&*!|>'\"%@`]"
    r"(?:[^ \t\r\n:#]|[ \t]++(?=[^ \t\r\n#])|:(?=[^ \t\r\n])|(?<=[^ \t])#)*+)"
    # A value without quotes goes on in indented lines.
    r")[ \t]*+(?!\r?\n[ \t]+[^ \t\r\n])(?=\r?\n|\Z)",
    re.MULTILINE,
)
_TOML_VALUE = re.compile(
    rf"^(?:{'|'.join(KEYS)})[ \t]*+=[ \t]*+"
    r'"(?P<double>(?:[^"\\\r\n]|\\["\\])++)"[ \t]*+(?=#|\r?\n|\Z)',
    re.MULTILINE,
)
_TOML_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_UNITS = {
    "plain": re.compile("[^\n]+"),
    "single": re.compile("''|[^']+"),
    "double": re.compile(r"\\.|[^\\]+"),
}
"""Parts of values: escapes, with the last character as their meaning, and other text."""
_NOT_TEXT = re.compile(r"(?i:true|false|yes|no|on|off|null|~)|[-+.\d][-+.\d\w:]*")
"""Plain values read by YAML as something else than text."""
_MARK = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@`]")
"""Characters at the beginning of something else than text."""
_SPACE = "\u00a0"


def find_values(text: str, start: int, end: int, *, is_toml: bool = False) -> Iterator[Block]:
    """The values to translate, as a block each. In TOML these are strings in double quotes before
    the first table.

    Args:
        text: the file.
        start: the start of the front matter, in characters.
        end: the end of the front matter.
        is_toml: whether it is in TOML.
    """
    if is_toml and (table := _TOML_TABLE.search(text, start, end)):
        end = table.start()
    yield from _blocks((_TOML_VALUE if is_toml else _VALUE).finditer(text, start, end))


def _blocks(matches: Iterable[re.Match[str]]) -> Iterator[Block]:
    """The values found, but for values without text."""
    for match in matches:
        style = match.lastgroup or ""
        first = match.start(style)
        value = match[style]
        if not has_word(value) or (style == "plain" and _NOT_TEXT.fullmatch(value)):
            continue
        parts = [
            Text(first + unit.start(), first + unit.end(), _meant(unit[0], style))
            for unit in _UNITS[style].finditer(value)
        ]
        protected = tuple(protect(parts))
        # A placeholder at the beginning of a translation would need quotes.
        if style != "plain" or not any(isinstance(part, Code) for part in protected):
            yield Block(protected, _ESCAPES[style])


def _meant(unit: str, style: str) -> str:
    """Return the characters of a unit of a value."""
    return unit[-1] if style != "plain" and unit[0] in "'\\" else unit


def _without_quotes(text: str, begins: bool) -> str:  # noqa: ARG001
    """Text in a form read as nothing else without quotes. Spaces taken by YAML for letters keep a
    colon from ending a key, a number sign from beginning a comment, and the first characters from
    being a mark, a number or a truth value."""
    text = re.sub(r"(?<=:)(?: |\Z)|(?: |\A)(?=#)", _SPACE, text)
    return _SPACE + text if _MARK.match(text) or _NOT_TEXT.fullmatch(text) else text


def _in_double_quotes(text: str, begins: bool) -> str:  # noqa: ARG001
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _in_single_quotes(text: str, begins: bool) -> str:  # noqa: ARG001
    return text.replace("'", "''")


_ESCAPES: dict[str, Callable[[str, bool], str]] = {
    "plain": _without_quotes,
    "double": _in_double_quotes,
    "single": _in_single_quotes,
}
