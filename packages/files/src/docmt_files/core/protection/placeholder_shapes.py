"""Placeholders in strings of programs by their shape: a name between marks other than punctuation,
whatever the marks (`%name%`, `##name##`, `$[key]`, `[[button]]`, `<@user>`), or a name behind a
mark that begins no word of a text (`@user`, `$name`, `%name`).

Marks of emphasis in Markdown (`*`, `_`) and single brackets are not among the marks, because
strings have words to translate between them.
"""

from __future__ import annotations

_NAME = r"[A-Za-z_](?:[\w.:-]{0,62}\w)?"
_LONG_NAME = r"[A-Za-z_](?:[\w.:-]{0,62}\w)"
"""A name of two characters or more: `%s%` is a `%s` before a percent sign."""
_START = r"(?<![\w%@#$^])"
_WORD = r"[A-Za-z0-9_](?:[\w.:-]{0,62}\w)?"

SHAPES = (
    # Marks on both sides, the same or not.
    rf"{_START}[%#$@^]{{1,3}}{_LONG_NAME}[%#$@^]{{1,3}}(?!\w)",
    rf"{_START}(?P<mark>[#$@^]{{1,3}}|%%|%(?=\d)){_WORD}(?P=mark)(?!\w)",
    # Marks that are also signs between words and numbers.
    rf"(?<![\w\])}}>~|=+&])(?P<sign>[~|=+&]{{1,3}}){_NAME}(?P=sign)(?![\w~|=+&])",
    # Brackets with a mark, or doubled.
    rf"{_START}[%#$@^]{{1,3}}\[{_NAME}\][%#$@^]{{0,3}}",
    rf"{_START}[%#$@^]{{1,3}}\({_NAME}\)[%#$@^]{{0,3}}",
    rf"(?<!\w)(?:\[\[{_NAME}\]\]|\(\({_NAME}\)\)|<<{_NAME}>>)(?!\w)",
    rf"{_START}%<{_NAME}>[-+#0]?\d{{0,3}}(?:\.\d{{1,3}})?[a-zA-Z](?!\w)",  # Ruby
    rf"(?<!\w)<[%#$@^!]{{1,3}}{_NAME}[%#$@^!]{{0,3}}>",
    rf"(?<![\w:])::{_NAME}::(?![\w:])",
    rf"(?<![\w!])!!{_NAME}!!(?![\w!])",
    # A mark before the name alone.
    rf"{_START}@{_NAME}(?:/{_NAME}){{0,4}}",
    rf"{_START}\$[A-Za-z_]\w{{0,63}}",
    rf"{_START}%[A-Za-z_]\w{{2,63}}",
)
"""Regular expressions for placeholders, the longer ones first."""
