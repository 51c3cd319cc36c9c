"""Translation memories in TMX 1.4b, as files to fill, and written for other tools.

A unit without a variant in the target language gets a variant, with the inline elements of the
source as codes; everything else stays. `write_tmx` writes one unit per sentence pair.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import language_tag, primary_subtag
from docmt_files.base.wording import counted
from docmt_files.bilingual.xliff_inline import placeholder
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import has_word
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.skeleton import NoTextError
from docmt_files.core.tool import TOOL, tool_version
from docmt_files.core.xml_events import XML_LANG, raw_name
from docmt_files.storage.characters import escape_attribute, escape_text
from docmt_files.storage.files import PathLike
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.xml_strings import (
    InlineElement,
    XmlText,
    content_patch,
    read_xml,
    set_attributes,
    xml_string,
)

_AUTHOR = "docmt"
"""Attributes with the author of a variant."""


class _Unit(NamedTuple):
    """A unit with a source. Indices of the start events of elements, or -1.

    Attributes:
        variant: the `<tuv>` of the source.
        source: the `<seg>` of the source.
        target: the `<seg>` of the variant in the target language.
        holder: the `<tuv>` of the target.
    """

    variant: int
    source: int
    target: int
    holder: int


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats. Without a target language,
    the first other variant of each unit is filled."""
    text, encode = read_xml(path)
    file = XmlText.read(text, path)
    if file.events[0].local_name != "tmx":
        raise InputError(
            "is not a translation memory: there is no <tmx>",
            path=path,
            cure="Name the format that it has with `file_format`",
            parameters=("file_format",),
        )
    all_units = list(_units(file, language, target_language))
    chosen = frozenset(i for i, unit in enumerate(all_units) if unit and _is_to_fill(file, unit))
    units = [unit for index in sorted(chosen) if (unit := all_units[index]) is not None]
    if target_language is None:
        units = [unit for unit in units if unit.target >= 0]
    notes = list(_notes(all_units, len(chosen), language))
    if all_units and not units:
        raise NoTextError(
            f"no unit has a source ({language}) without a translation",
            path=path,
            cure="To translate all sources into a new memory, add `output_format=tmx`",
            parameters=("output_format=tmx",),
        )
    copies = [_copy(file, unit, target_language) for unit in units]
    text = apply_patches(text, copies)
    find = partial(_strings, chosen=chosen, languages=(language, target_language), path=path)
    patches = _patches(XmlText.read(text, path), chosen, (language, target_language))
    return read_strings(
        path, text, find, language, patches=list(patches), notes=notes, encode=encode
    )


def _units(file: XmlText, language: str, target_language: str | None) -> Iterator[_Unit | None]:
    """The units of a file, in order; None for one without text in the source language."""
    source_language = ""
    for part in file.children(0):
        if file.events[part].local_name == "header":
            source_language = file.events[part].attributes.get("srclang", "")
        if file.events[part].local_name == "body":
            for unit in file.children(part):
                if file.events[unit].local_name == "tu":
                    own = file.events[unit].attributes.get("srclang", source_language)
                    yield _unit(file, unit, (language, own), target_language)


def _unit(
    file: XmlText, parent: int, sources: tuple[str, str], target_language: str | None
) -> _Unit | None:
    """A unit with the source language of the run, if possible in the region that the file names as
    that of its sources."""
    variants: dict[str, tuple[int, int]] = {}
    for index in file.children(parent):
        event = file.events[index]
        if event.local_name == "tuv":
            code = event.attributes.get(XML_LANG) or event.attributes.get("lang", "")
            segs = (i for i in file.children(index) if file.events[i].local_name == "seg")
            # A variant without a language could be in any.
            if code and (seg := next(segs, None)) is not None:
                variants.setdefault(language_tag(code).lower(), (index, seg))
    code_of_variant = _code_of(sources[0], variants, preferred=sources[1])
    if code_of_variant is None or not has_word(file.meaning(variants[code_of_variant][1])):
        return None
    others = {code: variant for code, variant in variants.items() if code != code_of_variant}
    target = (
        next(iter(others), None) if target_language is None else (_code_of(target_language, others))
    )
    holder, seg = others[target] if target is not None else (-1, -1)
    return _Unit(*variants[code_of_variant], seg, holder)


def _code_of(language: str, codes: Collection[str], preferred: str = "") -> str | None:
    """The code with the same language out of these: an equal code, the preferred one if it has the
    language, or the first of any region."""
    tags = [language_tag(code).lower() for code in (language, preferred)]
    regional = [code for code in codes if primary_subtag(code) == primary_subtag(tags[0])]
    return next((code for code in (*tags, *regional) if code in regional), None)


def _is_to_fill(file: XmlText, unit: _Unit) -> bool:
    """Return whether the target of a unit is missing, empty, equal to the source, or made by
    docmt."""
    if unit.target < 0:
        return True
    target = file.meaning(unit.target)
    attributes = file.events[unit.holder].attributes
    author = attributes.get("changeid") or attributes.get("creationid")
    return not target.strip() or target == file.meaning(unit.source) or author == _AUTHOR


def _copy(file: XmlText, unit: _Unit, target_language: str | None) -> Patch:
    """The source of a unit as target."""
    start, end = file.content(unit.source)
    copy = file.text[start:end]
    if unit.target >= 0:
        return content_patch(file, unit.target, copy)
    tuv, seg = (raw_name(file.text, file.events[i]) for i in (unit.variant, unit.source))
    code = escape_attribute(language_tag(target_language or ""))
    after = file.end(unit.variant)
    new = f'<{tuv} xml:lang="{code}"><{seg}>{copy}</{seg}></{tuv}>'
    return after, after, file.indent(unit.variant) + new


def _patches(
    file: XmlText, chosen: Collection[int], languages: tuple[str, str | None]
) -> Iterator[Patch]:
    """The patches of the authors of filled variants."""
    for index, unit in enumerate(_units(file, *languages)):
        if index in chosen and unit is not None and unit.target >= 0:
            attributes = file.events[unit.holder].attributes
            key = (
                "changeid"
                if "creationid" in attributes or "changeid" in attributes
                else "creationid"
            )
            if attributes.get("creationid") != _AUTHOR or "changeid" in attributes:
                yield from set_attributes(file, unit.holder, {key: _AUTHOR})


def _strings(
    text: str, *, chosen: Collection[int], languages: tuple[str, str | None], path: PathLike
) -> list[FileString]:
    """The strings of a file with targets in all units to translate."""
    file = XmlText.read(text, path)
    return [
        xml_string(file, unit.target, _inline, preserve=False)
        for index, unit in enumerate(_units(file, *languages))
        if index in chosen and unit is not None and unit.target >= 0
    ]


def _inline(file: XmlText, index: int) -> InlineElement:
    """Return the kind of an element in a segment."""
    event = file.events[index]
    if event.local_name in ("bpt", "ept"):
        key = event.attributes.get("i", "")
        return InlineElement("open" if event.local_name == "bpt" else "close", key)
    if event.local_name == "ph":
        return placeholder(file.meaning(index))
    return InlineElement("void" if event.local_name in ("it", "ut", "sub") else "pair")


def _notes(units: list[_Unit | None], chosen: int, language: str) -> Iterator[str]:
    """Return notes on units left untranslated."""
    sources = sum(unit is not None for unit in units)
    if sources > chosen:
        have = "has" if sources - chosen == 1 else "have"
        yield f"{counted(sources - chosen, 'unit')} kept, which {have} a translation already"
    if len(units) > sources:
        yield f"{counted(len(units) - sources, 'unit')} without text in {language} kept"


def write_tmx(documents: Iterable[Document], source_language: str, target_language: str) -> str:
    """A translation memory of translated documents, as the text of a file in UTF-8.

    Every sentence pair is a unit with a property `x-document`, the id of the document. U+FFFD takes
    the place of characters XML cannot hold.

    Args:
        documents: documents with their target sides.
        source_language: the code of the source language.
        target_language: the code of the target language.
    """
    return "".join(_lines(documents, language_tag(source_language), language_tag(target_language)))


def _lines(documents: Iterable[Document], source: str, target: str) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        f'  <header creationtool="{TOOL}" creationtoolversion="{tool_version()}" '
        f'segtype="sentence" o-tmf="docmt" adminlang="en" srclang="{escape_attribute(source)}" '
        'datatype="plaintext"/>\n  <body>\n'
    )
    for document in documents:
        name = escape_text(document.id)
        for pair in zip(document.source, document.target or (), strict=True):
            yield f'    <tu>\n      <prop type="x-document">{name}</prop>\n'
            for language, sentence in zip((source, target), pair, strict=True):
                seg = escape_text(sentence)
                yield (
                    f'      <tuv xml:lang="{escape_attribute(language)}"><seg>{seg}</seg></tuv>\n'
                )
            yield "    </tu>\n"
    yield "  </body>\n</tmx>\n"
