"""The inline elements of XLIFF: pairs, and elements in place of words."""

from __future__ import annotations

import re

from docmt_files.core.inline import has_word
from docmt_files.strings.xml_strings import InlineElement, XmlText

_PAIR, _VOID, _PROTECTED = (InlineElement(kind) for kind in ("pair", "void", "protected"))
_BREAK = InlineElement("void", text="\n")
_ANGULAR = re.compile(r"(START|CLOSE)_([A-Z_]*[A-Z])(?:_\d+)?")


def inline_1(file: XmlText, index: int) -> InlineElement:
    """Return the kind of an element in a source of XLIFF 1.2."""
    event = file.events[index]
    name, attributes = event.local_name, event.attributes
    if name == "mrk":
        return _PROTECTED if attributes.get("mtype") == "protected" else _PAIR
    if name in ("bpt", "bx"):
        return InlineElement("open", attributes.get("rid") or attributes.get("id", ""))
    if name in ("ept", "ex"):
        return InlineElement("close", attributes.get("rid") or attributes.get("id", ""))
    if name == "x" and (match := _ANGULAR.fullmatch(attributes.get("id", ""))):
        return InlineElement("open" if match[1] == "START" else "close", match[2])
    if name in ("x", "ph"):
        if attributes.get("ctype") in ("lb", "x-br"):
            return _BREAK
        return placeholder(attributes.get("equiv-text") or file.meaning(index))
    return _VOID if name in ("it", "sub") else _PAIR


def inline_2(file: XmlText, index: int) -> InlineElement:
    """Return the kind of an element in a source of XLIFF 2.x."""
    event = file.events[index]
    name, attributes = event.local_name, event.attributes
    if name == "mrk":
        return _PROTECTED if attributes.get("translate") == "no" else _PAIR
    if name in ("sc", "sm") and attributes.get("isolated") != "yes":
        return InlineElement("open", f"{name[0]} {attributes.get('id', '')}")
    if name in ("ec", "em") and attributes.get("isolated") != "yes":
        return InlineElement("close", f"s {attributes.get('startRef', '')}")
    if name == "ph":
        if attributes.get("subType") in ("xlf:lb", "xlf:pb"):
            return _BREAK
        is_formatting = attributes.get("type") in ("fmt", "image", "link")
        return (
            _VOID
            if is_formatting
            else placeholder(attributes.get("equiv") or attributes.get("disp", ""))
        )
    if name == "cp":
        return _PROTECTED
    return _VOID if name in ("sc", "ec", "sm", "em") else _PAIR


def placeholder(shown: str) -> InlineElement:
    """Return the kind of a code by its native text: a tag stands between words, a variable for
    one."""
    return _PROTECTED if has_word(shown) and not shown.lstrip().startswith("<") else _VOID


def sub_flows(file: XmlText, element: int) -> int:
    """Number of untranslated texts in the codes of a source (`<sub>` of 1.2)."""
    events = (file.events[i] for i in range(element, file.partners[element]))
    return sum(event.kind == "start" and event.local_name == "sub" for event in events)
