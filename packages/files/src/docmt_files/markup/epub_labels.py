"""The titles of electronic books: in the package document (OPF) and in the navigation of EPUB 2
(NCX)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docmt_files.base.languages import (
    is_right_to_left,
    language_tag,
    primary_language,
    primary_subtag,
)
from docmt_files.base.wording import counted
from docmt_files.core.blocks import Blocks
from docmt_files.core.inline import Block, Text, has_letter
from docmt_files.core.patches import Patch
from docmt_files.core.protection.placeholders import protect
from docmt_files.core.xml_events import (
    XML_LANG,
    XmlEvent,
    attribute_texts,
    attribute_value_range,
    raw_name,
)
from docmt_files.storage.characters import escape_attribute, escape_text

OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"

_ELEMENTS = frozenset((DC + "title", DC + "description", DC + "subject", _NCX + "text"))
"""Elements with text to translate."""

_ATTRIBUTES = {OPF + "reference": "title"}
"""Attributes visible to a reader."""


def find_labels(text: str, events: Sequence[XmlEvent], source: str, target: str | None) -> Blocks:
    """The titles in a package document or a navigation file, and the patches of the language.

    Args:
        text: the text of the file.
        events: the events of the text, from `read_events`.
        source: the code of the source language.
        target: the code of the target language; None for no patches.
    """
    blocks: list[Block] = []
    kept = 0
    author = False
    for index, event in enumerate(events):
        if event.name == _NCX + "docAuthor":
            author = event.kind == "start"
        if event.kind != "start":
            continue
        if (name := _ATTRIBUTES.get(event.name)) and name in event.attributes:
            value = list(attribute_texts(text, *attribute_value_range(text, event, name)))
            if _is_title(value):
                blocks.append(Block(tuple(protect(value)), escape_attribute, nested=True))
        elif event.name in _ELEMENTS and not author:
            texts = _texts(events, index)
            if texts is None or any("<" in label.text for label in texts):
                kept += 1
            elif _is_title(texts):
                blocks.append(Block(tuple(protect(texts)), escape_text))
    notes = (f"{counted(kept, 'description')} in HTML not translated",) if kept else ()
    patches = () if target is None else tuple(_patches(text, events, source, target))
    return Blocks(blocks, patches, notes)


def _texts(events: Sequence[XmlEvent], index: int) -> list[Text] | None:
    """The text of the element starting with an event; None if the element has other content,
    too."""
    texts: list[Text] = []
    for event in events[index + 1 :]:
        if event.kind == "end":
            return texts
        if event.kind != "text":
            break
        texts.append(Text(event.start, event.end, event.text))
    return None


def _is_title(texts: Sequence[Text]) -> bool:
    """Return whether there is something to translate, unlike in the number of a page."""
    return any(has_letter(text.text) for text in texts)


def _patches(text: str, events: Sequence[XmlEvent], source: str, target: str) -> Iterator[Patch]:
    """Return the patches to the target language, and of the direction of pages if it changes."""
    code = language_tag(target)
    turns = is_right_to_left(source) != is_right_to_left(target)
    is_first = True
    for index, event in enumerate(events):
        if event.kind != "start":
            continue
        if event.name == DC + "language":
            texts = _texts(events, index)
            if texts and (is_first or _is("".join(label.text for label in texts).strip(), source)):
                yield texts[0].start, texts[-1].end, escape_text(code)
            is_first = False
        if _is(event.attributes.get(XML_LANG, ""), source):
            yield (*attribute_value_range(text, event, XML_LANG), escape_attribute(code))
        if event.name == OPF + "spine" and turns:
            name, direction = (
                "page-progression-direction",
                "rtl" if is_right_to_left(target) else "ltr",
            )
            if name in event.attributes:
                yield (*attribute_value_range(text, event, name), direction)
            else:
                position = event.start + 1 + len(raw_name(text, event))
                yield position, position, f' {name}="{direction}"'


def _is(code: str, language: str) -> bool:
    """Return whether a code is the code of a language, in any region."""
    return primary_subtag(code) == primary_language(language)
