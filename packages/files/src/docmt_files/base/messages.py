"""`Message`: a text for users that mentions parameters.

A Python function takes `` `output=FOLDER` ``, and the command line `--output FOLDER`. A message
says which parameters it mentions, so no other word in it, such as a word of an endpoint or of a
file, is taken for a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

MessageKind = Literal["", "counts", "hidden", "advice"]
"""Kinds of messages that are treated in another way than the rest: the counts of what was
translated or filled, a note on hidden content that is translated like the rest, and a note on
something that is as it should be."""


class Message(str):
    """A text that may mention parameters in backticks, or be of a kind.

    Args:
        text: the text.
        parameters: the mentions without their backticks, such as `n_best` or `windows=sliding`.
        kind: the kind.

    >>> message = Message("`form` has no effect. Set `windows=sliding`", ["windows=sliding"])
    >>> message.naming({"windows": "--windows"})
    '`form` has no effect. Set --windows sliding'
    """

    parameters: tuple[str, ...]
    kind: MessageKind

    def __new__(
        cls, text: str, parameters: Sequence[str] = (), *, kind: MessageKind = ""
    ) -> Message:
        made = super().__new__(cls, text)
        made.parameters, made.kind = tuple(parameters), kind
        return made

    def naming(self, options: Mapping[str, str]) -> str:
        """The text with options in the place of the parameters that have one.

        Args:
            options: the options by the names of their parameters.
        """
        text = str(self)
        for mention in self.parameters:
            text = text.replace(f"`{mention}`", option_of(mention, options) or f"`{mention}`")
        return text


def said_of(name: str, text: str) -> Message:
    """A message about a file, of the same kind and with the same parameters as without its name."""
    kind = text.kind if isinstance(text, Message) else ""
    return Message(f"{name}: {text}", parameters_of(text), kind=kind)


def parted(messages: Iterable[str], kind: MessageKind) -> tuple[list[str], list[str]]:
    """The messages of a kind, and all others."""
    found: tuple[list[str], list[str]] = [], []
    for message in messages:
        is_other = not (isinstance(message, Message) and message.kind == kind)
        found[is_other].append(message)
    return found


def parameters_of(*texts: str | None) -> tuple[str, ...]:
    """The mentions of parameters in texts, of which some are messages."""
    messages = (text for text in texts if isinstance(text, Message))
    return tuple(dict.fromkeys(mention for each in messages for mention in each.parameters))


def option_of(mention: str, options: Mapping[str, str]) -> str | None:
    """The option for a mention such as `n_best`, `windows=sliding` or `method: sampling`; None if
    there is none. Where the parameter has no option, its value may be one."""
    separator = "=" if "=" in mention else ": "
    name, _, value = mention.partition(separator)
    name, value = name.removeprefix("search."), value.strip("\"'")
    if name in options:
        flag = value in ("", "true", "True")
        return options[name] if flag else f"{options[name]} {value}"
    return options.get(value)
