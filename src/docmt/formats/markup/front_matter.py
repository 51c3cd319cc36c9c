"""The front matter of a Markdown file: which of its values are text for readers.

Sites show the title and the description of a page, so these are translated; dates, layouts and
addresses are not. A value is one on a line of its own at the top level, in quotes or without them,
as YAML has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from docmt.formats.core.inline import Block, Code, Text, has_word
from docmt.formats.core.protected import protect

KEYS = ("title", "subtitle", "description", "summary", "excerpt", "linkTitle", "sidebar_label")
"""The keys whose values are translated."""

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
"""Parts of values: escapes, of which the last character is meant, and other text."""
_NOT_TEXT = re.compile(r"(?i:true|false|yes|no|on|off|null|~)|[-+.\d][-+.\d\w:]*")
"""Plain values that YAML reads as something else than text."""
_MARK = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@`]")
"""Characters that begin something else than text."""
_SPACE = "\u00a0"


def find_values(text: str, start: int, end: int, *, is_toml: bool = False) -> Iterator[Block]:
    """The values to translate, as a block each. Of TOML these are strings in double quotes before
    the first table.

    Args:
        text: the file.
        start: where its front matter starts, in characters.
        end: where it ends.
        is_toml: whether it is in TOML.
    """
    if is_toml and (table := _TOML_TABLE.search(text, start, end)):
        end = table.start()
    yield from _blocks((_TOML_VALUE if is_toml else _VALUE).finditer(text, start, end))


def _blocks(matches: Iterable[re.Match[str]]) -> Iterator[Block]:
    """The values that were found, but for those that are not text."""
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
        # A placeholder that comes first in a translation would have to be in quotes.
        if style != "plain" or not any(isinstance(part, Code) for part in protected):
            yield Block(protected, _ESCAPES[style])


def _meant(unit: str, style: str) -> str:
    """Return what a unit of a value means."""
    return unit[-1] if style != "plain" and unit[0] in "'\\" else unit


def _without_quotes(text: str, begins: bool) -> str:  # noqa: ARG001
    """Text that is nothing else without quotes: spaces that YAML takes for letters keep a colon
    from ending a key, a number sign from beginning a comment, and what comes first from being a
    mark, a number or a truth value."""
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
