"""Characters that files cannot hold, and text as XML spells it."""

from __future__ import annotations

import regex

# `re` takes milliseconds to compile such classes.
NOT_TEXT = regex.compile("[\0\ud800-\udfff]")
"""Matches characters no text file can hold."""

NO_CHARACTER = regex.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters XML cannot hold, not even as references."""


def escape_text(text: str, _: bool = False) -> str:
    """Escaped text between tags. U+FFFD takes the place of characters XML cannot hold."""
    text = NO_CHARACTER.sub("\ufffd", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")


def escape_attribute(text: str, _: bool = False) -> str:
    """The value of an attribute, as it is written in quotation marks of either kind."""
    text = escape_text(text).replace('"', "&quot;").replace("'", "&apos;")
    return text.replace("\n", "&#10;").replace("\t", "&#9;")
