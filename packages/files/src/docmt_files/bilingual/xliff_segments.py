"""The segments of an XLIFF file, and the choice of targets to write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from docmt_files.core.inline import has_word
from docmt_files.core.scopes import Scope
from docmt_files.core.xml_events import XML_SPACE, XmlEvent
from docmt_files.strings.xml_strings import XmlText

NAMESPACE_1 = ("", "urn:oasis:names:tc:xliff:document:1.1", "urn:oasis:names:tc:xliff:document:1.2")
"""The namespaces of 1.0 (none) to 1.2."""
NAMESPACE_2 = "urn:oasis:names:tc:xliff:document:2."
"""The beginning of the namespaces of 2.0 to 2.2."""

SUBSTATE = "docmt:machine-translation"
"""The substate of a target written by docmt (2.x)."""

_ITS = "{http://www.w3.org/2005/11/its}"
_SIZES = "{urn:oasis:names:tc:xliff:sizerestriction:1.0}"
_NUMBER = re.compile("[0-9]{1,9}")
_CONTAINERS = frozenset(("xliff", "file", "body", "group", "bin-unit", "unit"))
UNTRANSLATED = frozenset(("new", "needs-translation", "needs-l10n", "needs-adaptation", "initial"))
"""States of a target before translation."""
_MACHINE = frozenset(("leveraged-mt", "mt-suggestion"))


class Segment(NamedTuple):
    """A segment with text in its source. The first four fields are indices of the start events of
    elements.

    Attributes:
        file: the `<file>`, or the root where the file has none.
        holder: the `<trans-unit>` (1.2) or `<segment>` (2.x).
        source: the `<source>`, or the `<seg-source>` where the source is segmented.
        target: the `<target>`, or -1 if there is none.
        preserve: whether white space is text.
        scope: the key of the unit, with the notes and the greatest length of the translation.
    """

    file: int
    holder: int
    source: int
    target: int
    preserve: bool
    scope: Scope | None


class _Scope(NamedTuple):
    """Settings of an element, inherited by the elements in it."""

    file: int
    translate: bool
    preserve: bool
    around: Scope | None = None


def is_version_2(file: XmlText) -> bool:
    """Return whether a file is XLIFF 2.x."""
    return file.events[0].namespace.startswith(NAMESPACE_2)


def segments(file: XmlText) -> Iterator[Segment]:
    """The segments of a file to translate, in order."""
    yield from _inside(file, 0, _Scope(0, translate=True, preserve=False))


def _is_own(event: XmlEvent) -> bool:
    """Return whether an element is one of XLIFF, not of an extension."""
    return event.namespace in NAMESPACE_1 or event.namespace.startswith(NAMESPACE_2)


def _inside(file: XmlText, parent: int, outer: _Scope) -> Iterator[Segment]:
    """The segments in an element."""
    scope = _scope(file, parent, outer)
    for index in file.children(parent):
        event = file.events[index]
        if not _is_own(event):
            continue
        if event.local_name in _CONTAINERS:
            yield from _inside(file, index, scope)
        elif event.local_name in ("trans-unit", "segment"):
            segment = _segment(file, index, _scope(file, index, scope))
            if segment is not None:
                yield segment


def _scope(file: XmlText, index: int, outer: _Scope) -> _Scope:
    """Return the settings in an element."""
    event = file.events[index]
    translate = event.attributes.get("translate", event.attributes.get(f"{_ITS}translate"))
    space = event.attributes.get(XML_SPACE)
    return _Scope(
        index if event.local_name == "file" else outer.file,
        outer.translate if translate is None else translate != "no",
        outer.preserve if space is None else space == "preserve",
        _around(file, index, outer.around),
    )


def _around(file: XmlText, index: int, outer: Scope | None) -> Scope | None:
    """The key, the greatest length and the notes that an element gives to the segments in it."""
    event = file.events[index]
    attributes = event.attributes
    name = attributes.get("resname", attributes.get("name"))
    if event.local_name in ("unit", "trans-unit"):
        name = name or attributes.get("id")
    if event.local_name in ("group", "unit", "trans-unit") and name:
        outer = Scope("key", name, outer)
    if limit := _max_length(attributes):
        outer = Scope("max-length", limit, outer)
    if note := attributes.get(f"{_ITS}locNote"):
        outer = Scope("note", note, outer)
    if event.local_name in ("notes", "unit", "trans-unit", "segment"):
        for child in filter(lambda child: _is_own(file.events[child]), file.children(index)):
            if file.events[child].local_name == "notes":
                outer = _around(file, child, outer)
            elif file.events[child].local_name == "note":
                outer = Scope("note", file.meaning(child).strip(), outer)
    return outer


def _max_length(attributes: Mapping[str, str]) -> str:
    """The greatest length that an element allows its targets, in characters; empty for none."""
    if attributes.get("size-unit") == "char":
        limit = attributes.get("maxwidth", "")
    else:
        limit = attributes.get(f"{_SIZES}sizeRestriction", "").rpartition(",")[2]
    return limit if _NUMBER.fullmatch(limit) else ""


def _segment(file: XmlText, holder: int, scope: _Scope) -> Segment | None:
    """A segment, if it is translated."""
    attributes = {
        file.events[index].local_name: index
        for index in file.children(holder)
        if _is_own(file.events[index])
    }
    source = attributes.get("seg-source", attributes.get("source"))
    if source is None or not scope.translate or not has_word(file.meaning(source)):
        return None
    space = _scope(file, attributes.get("source", source), scope).preserve
    return Segment(scope.file, holder, source, attributes.get("target", -1), space, scope.around)


def is_to_fill(file: XmlText, segment: Segment) -> bool:
    """Return whether the target of a segment is missing, empty, equal to the source, or in a state
    of no translation or of machine translation."""
    if segment.target < 0:
        return True
    target = file.meaning(segment.target)
    if not target.strip() or target == file.meaning(segment.source):
        return True
    holder, of_target = (file.events[i].attributes for i in (segment.holder, segment.target))
    if holder.get("approved") == "yes":
        return False
    state = holder.get("state") if is_version_2(file) else of_target.get("state")
    return (
        state in UNTRANSLATED
        or of_target.get("state-qualifier") in _MACHINE
        or holder.get("subState") == SUBSTATE
    )


def is_translated(file: XmlText, segment: Segment) -> bool:
    """Return whether a segment has a translation, by a person or a machine."""
    if segment.target < 0 or not file.meaning(segment.target).strip():
        return False
    holder, of_target = (file.events[i].attributes for i in (segment.holder, segment.target))
    state = holder.get("state") if is_version_2(file) else of_target.get("state")
    if state in UNTRANSLATED:
        return False
    is_copy = file.meaning(segment.target) == file.meaning(segment.source)
    return not (is_copy and is_to_fill(file, segment) and state is None)
