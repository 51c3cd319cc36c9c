"""The exception shown to users.

A user's mistake is an `InputError`: the message names the file, the line and the cure. The command
line prints it without a traceback and exits with code 2. Any other exception is a bug in docmt.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from docmt_files.base.messages import Message, parameters_of

_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff]|(?<!\\S)[\u200c\u200d](?!\\S)"
)
"""Characters that move, hide or color text in a terminal, change the text direction, or cannot be
seen; and bytes of names outside text."""


ErrorKind = Literal["", "empty-sentence", "empty-document", "other-hash"]
"""Kinds of errors that some callers treat in another way than the rest: a sentence or a document
without text in a corpus, and a file that is not the one with a known hash."""


class InputError(ValueError):
    """Unusable input from the user.

    Args:
        problem: the problem, in one sentence without a full stop.
        cure: the cure, in one sentence without a full stop, or a question.
        path: the file with the problem.
        line: the line in the file, counted from 1.
        parameters: the mentions of parameters in the problem and the cure, without their backticks
            (`docmt_files.base.messages`).
        kind: the kind of the error.

    Attributes:
        message: the whole message.
    """

    def __init__(
        self,
        problem: str,
        *,
        cure: str | None = None,
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        parameters: Sequence[str] = (),
        kind: ErrorKind = "",
    ) -> None:
        self.kind = kind
        parameters = (*parameters, *parameters_of(problem, cure))
        self.problem, self.path, self.line = Message(problem, parameters), path, line
        self.cure = None if cure is None else Message(cure, parameters)
        text = located(problem, path, line)
        self.message = Message(f"{_ended(text)} {_ended(cure)}" if cure else text, parameters)
        super().__init__(str(self.message))


class UnavailableError(InputError):
    """A requirement of all further work cannot be used, such as a missing endpoint or a spent
    budget: continuing with the next file is pointless."""


def located(problem: str, path: str | os.PathLike[str] | None, line: int | None) -> str:
    """A problem with the file and the line before it, as far as they are known."""
    location = "" if path is None else name_of(path)
    if line is not None:
        location += f"{', ' if location else ''}line {line}"
    return f"{location}: {problem}" if location else problem


_names = {"-": "standard input"}


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a file in errors and document ids: one line of text, whatever bytes it has."""
    return _names.get(str(path)) or printable(str(path))


def rename_in_messages(path: str | os.PathLike[str], name: str) -> None:
    """Give a temporary file another name in errors and document ids: one that a person knows."""
    _names[str(path)] = name


def printable(text: str) -> str:
    """A text from elsewhere, such as the name of a file, on one line and without control characters
    for the terminal: line feeds, escapes and the like are written as in Python.

    >>> print(printable("a\\nb"))
    a\\nb
    """
    return _CONTROL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    """A character as in Python; in names, also a byte outside text, as Python represents it."""
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return match[0].encode("unicode_escape").decode()


def _ended(sentence: str) -> str:
    """A sentence with a full stop, unless it is a question."""
    return sentence if sentence.endswith("?") else f"{sentence}."


@contextmanager
def naming_file(path: str | os.PathLike[str], *, cure: str | None = None) -> Iterator[None]:
    """Name a file, and the file's cure, in errors about the content without a file name."""
    try:
        yield
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(
            error.problem, path=path, cure=cure or error.cure, kind=error.kind
        ) from None


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Turn panics of a library written in Rust into RuntimeErrors: a panic is not an
    `Exception`."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise RuntimeError(str(error)) from None
