"""The language and the direction of an OpenDocument file, named in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from docmt_files.base.languages import is_right_to_left, language_tag, primary_language
from docmt_files.core.patches import Patch
from docmt_files.core.xml_events import XmlEvent, attribute_value_range, raw_name
from docmt_files.office.odf_names import DC, FO, STYLE
from docmt_files.office.office_languages import with_region
from docmt_files.office.office_names import name_list
from docmt_files.storage.characters import escape_text

_ASIAN, _COMPLEX = name_list("scripts", "asian"), name_list("scripts", "complex")
_COUNTRY = re.compile(r"[-_]([A-Za-z]{2}|\d{3})(?![A-Za-z0-9])")
_WRITING_MODES = {"lr-tb": "rl-tb", "lr": "rl"}
_ATTRIBUTES = (
    (FO + "language", FO + "country"),
    (STYLE + "language-asian", STYLE + "country-asian"),
    (STYLE + "language-complex", STYLE + "country-complex"),
)
"""Attributes of the language and country of Western, Asian and complex scripts."""


def language_patches(
    text: str, events: Sequence[XmlEvent], source: str, target: str
) -> Iterator[Patch]:
    """Return the patches from the source language and direction to the target language and
    direction.

    Args:
        text: the text of a part.
        events: the events of the text, from `read_events`.
        source: the code of the source language.
        target: the code of the target language.
    """
    names = _ATTRIBUTES[_script(target)]
    named = dict(zip(names, _names(target), strict=True))
    turns = is_right_to_left(source) != is_right_to_left(target)
    in_default = False
    for index, event in enumerate(events):
        if event.name == STYLE + "default-style":
            in_default = event.kind == "start"
        if event.kind != "start":
            continue
        if event.name == DC + "language":
            end = next(other.start for other in events[index + 1 :] if other.kind == "end")
            yield event.end, end, escape_text(language_tag(target))
        values: dict[str, str] = {}
        if event.name == STYLE + "text-properties":
            if in_default or _is_source(event.attributes, source):
                values = named
        elif turns and event.name in _DIRECTED:
            values = _direction(event, is_right_to_left(target), in_default)
        yield from _set(text, event, values)


_DIRECTED = frozenset(
    (STYLE + "paragraph-properties", STYLE + "page-layout-properties", STYLE + "table-properties")
)


def _direction(event: XmlEvent, from_right: bool, in_default: bool) -> dict[str, str]:
    """The direction for the object of some properties."""
    key = STYLE + "writing-mode"
    mode = event.attributes.get(key)
    modes = _WRITING_MODES if from_right else {new: old for old, new in _WRITING_MODES.items()}
    if mode in modes:
        return {key: modes[mode]}
    if mode is None and (in_default or not event.name.endswith("paragraph-properties")):
        return {key: "rl-tb" if from_right else "lr-tb"}
    return {}


def _is_source(attributes: Mapping[str, str], source: str) -> bool:
    """Return whether properties name the source language."""
    language = attributes.get(_ATTRIBUTES[_script(source)][0], "")
    return language.lower() == primary_language(source)


def _names(language: str) -> tuple[str, str]:
    """A language and a country, the likeliest one if the code names none."""
    match = _COUNTRY.search(with_region(language))
    return primary_language(language), match[1].upper() if match else "none"


def _script(language: str) -> int:
    """The index of the kind of a language's script in `_ATTRIBUTES`."""
    primary = primary_language(language)
    return 1 if primary in _ASIAN else 2 if primary in _COMPLEX else 0


def _set(text: str, event: XmlEvent, values: Mapping[str, str]) -> Iterator[Patch]:
    """Set attributes of an element."""
    missing = ""
    for name, value in values.items():
        if name in event.attributes:
            start, end = attribute_value_range(text, event, name)
            if text[start:end] != value:
                yield start, end, value
        elif prefix := _prefix(text, event, name):
            missing += f' {prefix}:{name.rpartition("}")[2]}="{value}"'
    if missing:
        position = event.start + 1 + len(raw_name(text, event))
        yield position, position, missing


def _prefix(text: str, event: XmlEvent, name: str) -> str:
    """The prefix of an attribute's namespace; empty if it has none."""
    namespace = re.escape(name[1:].partition("}")[0])
    match = re.search(rf"\sxmlns:([\w.-]+)\s*=\s*[\"']{namespace}[\"']", text[: event.end])
    return match[1] if match else ""
