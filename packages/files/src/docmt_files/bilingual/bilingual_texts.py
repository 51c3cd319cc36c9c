"""The texts of XLIFF, PO and Qt's files beside their translations, whoever made these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.bilingual import xliff_segments
from docmt_files.bilingual.xliff_inline import inline_1, inline_2
from docmt_files.core.block_texts import STAND_IN, BlockText, codes_of, sentence_texts
from docmt_files.core.inline import Block
from docmt_files.core.scopes import Scope, place_of
from docmt_files.core.sentence_cutting import cut_blocks
from docmt_files.storage.files import PathLike
from docmt_files.strings import po, po_entries, po_header, po_rules, qt_linguist, qt_messages
from docmt_files.strings.accelerators import find_accelerator
from docmt_files.strings.string_blocks import FileString, message_blocks
from docmt_files.strings.xml_strings import XmlText, read_xml, xml_string

_HEADER = "x-gettext-domain-header"
"""The kind of a unit with the header of a PO file."""
_BROKEN = re.compile(r"[ \t]*\n\s*")
_MAX_LENGTH = re.compile(r"\bmax-length:[ \t]*([0-9]{1,9})")


TranslationState = Literal["reviewed", "draft", "untranslated"]
"""States of a translation."""


class _Pair(NamedTuple):
    """A string with its translation, where it stands, the line, and whether the translation is
    approved by a person, a draft, or none but a copy, as far as the file says."""

    scope: Scope | None
    line: int
    source: FileString
    target: FileString | None
    state: TranslationState = "reviewed"


class BilingualTexts(NamedTuple):
    """A bilingual file.

    Attributes:
        languages: the codes of the source and the target language, "" where the file names none.
        pairs: each text with its translation, which has no sentences if there is none.
    """

    languages: tuple[str, str]
    pairs: list[tuple[BlockText, BlockText]]


def read_bilingual(
    path: PathLike, file_format: str, languages: tuple[str, str] | None
) -> BilingualTexts:
    """Read a file.

    Args:
        path: the file.
        file_format: one of `BILINGUAL_FORMATS`.
        languages: the codes of the languages whose rules split sentences. Default: the file's.

    Raises:
        InputError: the file is not of this format, or damaged.
    """
    text, named, pairs = string_pairs(path, file_format)
    source, target = languages or (named[0] or "en", named[1] or named[0] or "en")
    found = []
    strings = [_without_accelerators(pair) for pair in pairs]
    sides = (
        _texts(text, [own for own, _ in strings], source),
        _texts(text, [theirs for _, theirs in strings], target),
    )
    for pair, own, theirs in zip(pairs, *sides, strict=True):
        place = ", ".join(filter(None, (place_of(pair.scope), f"line {pair.line:,}")))
        raw = (_raw(string, file_format) for string in (pair.source, pair.target))
        both = [BlockText(place, *texts, scope=pair.scope) for texts in (own, theirs)]
        found.append((both[0]._replace(raw=next(raw)), both[1]._replace(raw=next(raw))))
    return BilingualTexts(named, [pair for pair in found if pair[0].sentences])


def _raw(string: FileString | None, file_format: str) -> str:
    """The characters of a string. In XLIFF, line breaks may be those of the XML alone."""
    if string is None:
        return ""
    value = string.value.replace("\0", "")
    return _BROKEN.sub(" ", value) if file_format == "xliff" else value


def _without_accelerators(pair: _Pair) -> tuple[FileString, FileString | None]:
    """Both strings with the marks of their shortcuts; a translation may have one within a word."""
    own, theirs = pair.source, pair.target
    mark = find_accelerator(own.value, own.marker)
    if mark is None:
        return own, theirs
    if theirs is not None:
        found = find_accelerator(theirs.value, theirs.marker, is_usual=True)
        theirs = theirs._replace(accelerator=found)
    return own._replace(accelerator=mark), theirs


def _texts(
    text: str, strings: Sequence[FileString | None], language: str
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """The sentences of each string, the same without protected codes, and the codes; nothing where
    there is no string."""
    groups: list[list[Block]] = [
        [] if string is None else list(message_blocks(string)) for string in strings
    ]
    sentences = iter(cut_blocks([b for group in groups for b in group], language, is_split=True))
    for group in groups:
        cut = [(block, next(sentences)) for block in group]
        shown, plain = (
            [
                each
                for block, own in cut
                for each in sentence_texts(block, own, text, stand_in=with_)
            ]
            for with_ in ("", STAND_IN)
        )
        codes = [code for block in group for code in codes_of(block, text)]
        yield tuple(shown), tuple(plain), tuple(codes)


def string_pairs(path: PathLike, file_format: str) -> tuple[str, tuple[str, str], list[_Pair]]:
    """The text of a file, its languages as for `BilingualTexts`, and its strings.

    Raises:
        InputError: as `read_bilingual`.
    """
    return _READERS[file_format](path)


def _xliff(path: PathLike) -> tuple[str, tuple[str, str], list[_Pair]]:
    text, _ = read_xml(path)
    file = XmlText.read(text, path)
    is_2 = xliff_segments.is_version_2(file)
    if not (is_2 or file.events[0].local_name == "xliff"):
        raise InputError("is not XLIFF", path=path, cure="Check that it is an XLIFF file")
    holder = file.events[0]
    pairs, line, position = [], 1, 0
    for segment in xliff_segments.segments(file):
        if file.events[segment.holder].attributes.get("restype") == _HEADER:
            continue
        start = file.events[segment.source].start
        line, position = line + text.count("\n", position, start), start
        string = partial(
            xml_string, file, inline=inline_2 if is_2 else inline_1, preserve=segment.preserve
        )
        has_target = segment.target >= 0 and file.meaning(segment.target).strip()
        target = string(segment.target) if has_target else None
        state: TranslationState = "reviewed"
        if xliff_segments.is_to_fill(file, segment):
            is_translated = xliff_segments.is_translated(file, segment)
            state = "draft" if is_translated else "untranslated"
        pairs.append(_Pair(segment.scope, line, string(segment.source), target, state))
        holder = file.events[0 if is_2 else segment.file]
    names = ("srcLang", "trgLang") if is_2 else ("source-language", "target-language")
    named = holder.attributes.get(names[0], ""), holder.attributes.get(names[1], "")
    return text, named, pairs


def _po(path: PathLike) -> tuple[str, tuple[str, str], list[_Pair]]:
    text, _ = po.read_po_text(path)
    entries = po_entries.po_entries(text, path)
    header = po_header.header_of(text, entries)
    string = partial(po.po_string, text, marker=po_rules.accelerator_marker(text, header))
    pairs, line, position = [], 1, 0
    for entry in entries:
        if po_header.is_header(text, entry):
            continue
        line, position = line + text.count("\n", position, entry.start), entry.start
        scope = None
        if "msgctxt" in entry.strings:
            scope = Scope("key", entry.value(text, "msgctxt"))
        for flags in entry.flags:
            if limit := _MAX_LENGTH.search(text, *flags):
                scope = Scope("max-length", limit[1], scope)
        for number, key in enumerate(entry.translations):
            plural = number and "msgid_plural" in entry.strings
            source = string(entry, "msgid_plural" if plural else "msgid")
            target = string(entry, key) if entry.value(text, key).strip() else None
            state: TranslationState = "draft" if entry.is_fuzzy else "reviewed"
            pairs.append(_Pair(scope, line, source, target, state))
    return text, ("", po_header.declared_language(text, header)), pairs


def _qt(path: PathLike) -> tuple[str, tuple[str, str], list[_Pair]]:
    text, _ = read_xml(path)
    file = XmlText.read(text, path)
    pairs, line, position = [], 1, 0
    for message in qt_messages.qt_messages(file):
        if message.is_gone(file):
            continue
        start = file.events[message.element].start
        line, position = line + text.count("\n", position, start), start
        source = qt_linguist.qt_string(file, message.source)
        is_draft = message.is_to_fill(file, again=False)
        for form in message.forms(file):
            has_text = file.meaning(form).strip()
            target = qt_linguist.qt_string(file, form) if has_text else None
            state: TranslationState = "draft" if is_draft else "reviewed"
            pairs.append(_Pair(message.scope, line, source, target, state))
    attributes = file.events[0].attributes
    return text, (attributes.get("sourcelanguage", ""), attributes.get("language", "")), pairs


_READERS = {"xliff": _xliff, "po": _po, "qt": _qt}

BILINGUAL_FORMATS = tuple(_READERS)
"""Formats of files with a source and one translation."""
