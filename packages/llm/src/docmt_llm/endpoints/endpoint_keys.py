"""`EndpointKey`: the secret key of an endpoint. The key comes from the environment, or from a file
readable only by its owner, and is written only to the header of requests.
"""

from __future__ import annotations

import json
import os
import re
import stat
from base64 import b64encode
from urllib.parse import quote

from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import is_own, others_may
from docmt_files.storage.stored_files import open_stored

_MAX_CHARACTERS = 10_000

_MIN_SECRET = 12
"""Minimum number of characters of a key to look for in texts of the endpoint other than messages.
Endpoints on one's own machine take any word as a key."""

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")

_READABLE_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class EndpointKey:
    """A key. The text is never shown: neither by `repr`, nor in messages of the endpoint.

    Args:
        text: the key.
        origin: the source of the key, for messages.

    Raises:
        InputError: the key is empty, or has characters not allowed in a header.
    """

    __slots__ = ("_text", "origin")

    def __init__(self, text: str, origin: str) -> None:
        if not text.isascii() or not text.isprintable() or " " in text or not text:
            raise InputError(
                f"the key in {origin} is not one: it is empty, or has blanks or characters that "
                "are not ASCII",
                cure="Write the key, and nothing else, in one line",
            )
        if len(text) > _MAX_CHARACTERS:
            raise InputError(f"the key in {origin} has more than {_MAX_CHARACTERS:,} characters")
        self._text, self.origin = text, origin

    def __repr__(self) -> str:
        return f"EndpointKey({self.origin})"

    def __reduce__(self) -> str:
        raise TypeError("a key is not copied to other processes or into files")

    @property
    def header(self) -> str:
        """The value of the header `Authorization`."""
        return f"Bearer {self._text}"

    def is_in(self, text: str) -> bool:
        """Return whether a text of the endpoint has the key: as it is, escaped, with other
        characters in it, backwards, or in Base64. Short keys may be words, and are not found."""
        if len(self._text) < _MIN_SECRET:
            return False
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
        encoded = b64encode(self._text.encode()).decode()
        forms = map(_alphanumeric, (self._text, self._text[::-1], encoded))
        return any(form and form in _alphanumeric(text) for form in forms)

    def removed_from(self, text: str) -> str:
        """A text of the endpoint, such as a message about a wrong key, without the key."""
        forms = {self._text, json.dumps(self._text)[1:-1], quote(self._text, safe="")}
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, "[key]")
        return "[a text with the key]" if self.is_in(text) else text


def _alphanumeric(text: str) -> str:
    """The ASCII letters and digits of a text."""
    return re.sub("[^A-Za-z0-9]+", "", text)


def find_key(variable: str) -> EndpointKey | None:
    """The key of an endpoint, from the environment variable of this name, or from the file named by
    the variable with `_FILE` after the name; None if neither variable is set.

    Raises:
        InputError: both variables are set, the key is not valid, or other users may read the file.
    """
    text, path = os.environ.get(variable), os.environ.get(f"{variable}_FILE")
    if text and path:
        raise InputError(
            f"the environment variables {variable} and {variable}_FILE are both set",
            cure="Unset one of them",
        )
    if path:
        return EndpointKey(_read(path), f"the file that {variable}_FILE names")
    if text:
        return EndpointKey(text.strip(), f"the environment variable {variable}")
    return None


def _read(path: str) -> str:
    """The text of a file owned by this user, and readable by nobody else."""
    with open_stored(path, max_bytes=2 * _MAX_CHARACTERS, cure="Name a file with a key") as stream:
        status = os.fstat(stream.fileno())
        if not is_own(status):
            raise InputError(
                "holds a key and belongs to another user",
                path=path,
                cure="Copy the key into a file of your own",
            )
        if others_may(status, _READABLE_BY_OTHERS):
            raise InputError(
                f"holds a key, and others may read it (mode {stat.S_IMODE(status.st_mode):o})",
                path=path,
                cure="Run `chmod 600` on it",
            )
        content = stream.read(2 * _MAX_CHARACTERS)
    try:
        return content.decode("ascii").strip()
    except UnicodeDecodeError:
        raise InputError("holds a key that is not ASCII", path=path) from None
