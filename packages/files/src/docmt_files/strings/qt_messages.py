"""The messages of a file of translations of Qt, with the elements of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from docmt_files.core.scopes import Scope
from docmt_files.strings.xml_strings import XmlText

_GONE = ("obsolete", "vanished")
"""Types of translations of messages that the program has no more."""


class QtMessage(NamedTuple):
    """A message.

    Attributes:
        element: the element of the message.
        source: the element of the source.
        translation: the element of the translation, if there is one.
        is_numerus: whether the translation has forms by number.
        scope: the id of the message, comments on it, and the context.
    """

    element: int
    source: int
    translation: int | None
    is_numerus: bool
    scope: Scope | None

    def forms(self, file: XmlText) -> list[int]:
        """The elements with the texts of the translation."""
        if self.translation is None:
            return []
        if not self.is_numerus:
            return [self.translation]
        children = file.children(self.translation)
        return [index for index in children if file.events[index].name == "numerusform"]

    def has_translation(self, file: XmlText) -> bool:
        """Return whether the message is in use and has a translation, maybe one to review."""
        if self.translation is None or self.is_gone(file):
            return False
        return any(file.meaning(form).strip() for form in self.forms(file))

    def is_to_fill(self, file: XmlText, *, again: bool) -> bool:
        """Return whether to translate the message: it is in use, and has no finished translation.

        Args:
            file: the file.
            again: whether to translate finished ones, too.
        """
        if self.is_gone(file) or self._has_variants(file):
            return False
        kind = None if self.translation is None else self._type(file)
        return again or kind == "unfinished" or not self.has_translation(file)

    def _type(self, file: XmlText) -> str | None:
        assert self.translation is not None
        return file.events[self.translation].attributes.get("type")

    def is_gone(self, file: XmlText) -> bool:
        """Return whether the program has the message no more."""
        return self.translation is not None and self._type(file) in _GONE

    def _has_variants(self, file: XmlText) -> bool:
        """Return whether the translation has texts of several lengths."""
        return any(
            "variants" in file.events[index].attributes
            for index in (self.translation, *self.forms(file))
            if index is not None
        )


def qt_messages(file: XmlText) -> Iterator[QtMessage]:
    """The messages of a file, in order. Those without a source are left out."""
    for index in file.children(0):
        if file.events[index].name == "message":
            yield from _message(file, index, None)
        elif file.events[index].name == "context":
            outer: Scope | None = None
            for child in file.children(index):
                if file.events[child].name == "name":
                    outer = Scope("key", file.meaning(child).strip())
                elif file.events[child].name == "message":
                    yield from _message(file, child, outer)


def _message(file: XmlText, element: int, outer: Scope | None) -> Iterator[QtMessage]:
    parts = {file.events[index].name: index for index in file.children(element)}
    if "source" not in parts:
        return
    scope = outer
    for name in ("comment", "extracomment"):
        if name in parts and (comment := file.meaning(parts[name]).strip()):
            scope = Scope("note", comment, scope)
    attributes = file.events[element].attributes
    if "id" in attributes:
        scope = Scope("key", attributes["id"], scope)
    is_numerus = attributes.get("numerus") == "yes"
    yield QtMessage(element, parts["source"], parts.get("translation"), is_numerus, scope)
