"""PO and POT files of GNU gettext.

Each `msgid` is translated into its `msgstr`, all entries of a file as one document. Translations by
a person are kept. New translations are marked as fuzzy, so no program shows them before a review.
The file is prepared with the sources in the places of the translations, and these are then
translated as strings of a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import (
    decode,
    is_really_utf_8,
    marked_codec,
    not_read,
    read_data,
    text_codec,
)
from docmt_files.core.inline import Code
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.protection.placeholders import format_directives
from docmt_files.core.scopes import Scope
from docmt_files.storage.files import PathLike
from docmt_files.strings.po_entries import PoEntry, literal, po_entries, quoted
from docmt_files.strings.po_header import (
    declared_charset,
    header_of,
    header_patches,
    is_header,
    names_language,
    plural_forms,
    with_charset,
)
from docmt_files.strings.po_rules import PoRules, accelerator_marker, is_format_string
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings

_AGAIN = "empty its msgstr or mark it as fuzzy"


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, codec = read_po_text(path)
    entries = po_entries(text, path)
    header = header_of(text, entries)
    if codec == "utf-8" and (named := with_charset(text, header, "UTF-8")) != text:
        text, entries = named, po_entries(named, path)
        header = header_of(text, entries)
    # A damaged file may have several entries with an empty source.
    messages = [entry for entry in entries if not is_header(text, entry)]
    from_target = (
        target_language is not None
        and names_language(text, header, language)
        and not names_language(text, header, target_language)
    )
    is_to_fill = partial(_is_to_fill, text, from_target=from_target)
    chosen = [index for index, entry in enumerate(messages) if is_to_fill(entry)]
    if messages and not chosen:
        raise InputError(
            "its only entry is translated already"
            if len(messages) == 1
            else f"all of its {len(messages):,} entries are translated already",
            path=path,
            cure=f"To translate one again, {_AGAIN}",
        )
    forms = plural_forms(text, header, target_language)
    patches = list(header_patches(text, header, target_language))
    empty_forms = 0
    for index in chosen:
        made, empty = _prepared(text, messages[index], forms, from_target=from_target)
        patches += made
        empty_forms += empty
    kept = [entry for entry in messages if not is_to_fill(entry)]
    gaps = sum(not all(entry.value(text, key) for key in entry.translations) for entry in kept)
    own = sum(all(messages[index].values(text)) for index in chosen) if from_target else 0
    patches.sort(key=lambda patch: patch[:2])
    prepared = apply_patches(text, patches)
    marker = accelerator_marker(text, header)
    messages = [entry for entry in po_entries(prepared, path) if not is_header(prepared, entry)]
    places = [
        (index, key)
        for index in chosen
        for key in messages[index].translations
        if messages[index].value(prepared, key)
    ]
    find = partial(_strings, path=path, places=places, marker=marker)
    notes = list(_notes(len(kept), empty_forms, gaps, own))
    documents, skeleton = read_strings(path, prepared, find, language, notes=notes)
    indices = [index for index, entry in enumerate(entries) if not is_header(text, entry)]
    blocks = skeleton.found.blocks
    rules = PoRules(text, prepared, blocks, [indices[index] for index in chosen], codec)
    return documents, replace(skeleton, rules=rules, encode=rules.encode)


def _is_to_fill(text: str, entry: PoEntry, *, from_target: bool) -> bool:
    """Return whether to translate an entry: it has no translation, a translation to review, or one
    that is a text in the source language."""
    return from_target or entry.is_fuzzy or not any(entry.values(text))


def read_po_text(path: PathLike) -> tuple[str, str]:
    """The text of a file, and its encoding: UTF-16 with its mark, or as the header says. A file of
    ASCII has any encoding."""
    data = read_data(path)
    label = declared_charset(data) or "UTF-8"
    codec = marked_codec(data) or text_codec(label)
    if codec == "ascii" and not data.isascii():
        codec = "utf-8"
    if codec is None and not data.isascii():
        raise not_read(label, path)
    if codec is not None and is_really_utf_8(data, codec):
        raise InputError(
            f"says that it is in {label}, but is in UTF-8",
            path=path,
            cure="Write charset=UTF-8 in its header",
        )
    codec = codec or "utf-8"
    return decode(data, codec, path), codec


def _prepared(
    text: str, entry: PoEntry, forms: tuple[int, dict[int, str]], *, from_target: bool
) -> tuple[list[Patch], int]:
    """The patches with the source of an entry in place of its translations and with the mark fuzzy,
    and the number of plural forms left empty. The source is `msgid` or, with `from_target`, the
    translation if it has text."""
    patches: list[Patch] = []
    newline = "\r\n" if "\r\n" in text[entry.start : entry.end + 2] else "\n"
    if not entry.is_fuzzy and not entry.flags:
        patches.append((entry.start, entry.start, f"#, fuzzy{newline}"))
    elif not entry.is_fuzzy:
        after_sign = entry.flags[0][0] + 2
        patches.append((after_sign, after_sign, " fuzzy,"))
    first_key, last_key = entry.translations[0], entry.translations[-1]
    from_target = from_target and all(entry.values(text))
    source = text[slice(*entry.strings[first_key if from_target else "msgid"])]
    if "msgid_plural" not in entry.strings:
        patches.append((*entry.strings[first_key], source))
        return patches, 0
    plural = text[slice(*entry.strings[last_key if from_target else "msgid_plural"])]
    count, filled = forms
    texts = {"one": source, "other": plural, "": '""'}
    written = [f"msgstr[{n}] {texts[filled.get(n, '')]}" for n in range(count)]
    patches.append((entry.keywords[first_key], entry.end, newline.join(written)))
    return patches, count - len(filled)


def _strings(
    text: str, *, path: PathLike, places: Sequence[tuple[int, str]], marker: str
) -> list[FileString]:
    """The translations to fill, in order. `places` gives the index of an entry without the header,
    and the keyword, of each; `marker` is the sign of accelerators named by the file."""
    entries = [entry for entry in po_entries(text, path) if not is_header(text, entry)]
    strings = []
    for index, key in places:
        if index < len(entries) and key in entries[index].strings:
            entry = entries[index]
            strings.append(po_string(text, entry, key, marker))
    return strings


def po_string(text: str, entry: PoEntry, key: str, marker: str) -> FileString:
    """A string of an entry, by its keyword; `marker` is the sign of accelerators."""
    value = literal(text, *entry.strings[key])
    directives = format_directives(value.value) if is_format_string(text, entry) else []
    codes = tuple(Code(*span, "protected") for span in directives)
    context = entry.value(text, "msgctxt") if "msgctxt" in entry.strings else None
    scope = Scope("note", "\n".join(entry.notes)) if entry.notes else None
    if context is not None:
        scope = Scope("key", context, scope)
    return FileString(*value, quoted, True, codes, marker, scope=scope)


def _notes(kept: int, left: int, gaps: int, own: int) -> Iterator[str]:
    """Notes about the entries: how many were translated before, how many plural forms are left
    empty, how many of the others lack one, and how many translations were the source."""
    if kept:
        yield (
            f"{counted(kept, 'entry', 'entries')} kept, translated already; to translate one "
            f"again, {_AGAIN}"
        )
    if gaps:
        yield f"{'1 of these lacks' if gaps == 1 else f'{gaps:,} of these lack'} a plural form"
    if left:
        yield f"{counted(left, 'plural form')} left empty, which the source does not have"
    if own:
        yield (
            f"the msgstr of {counted(own, 'entry', 'entries')} translated, not the msgid, because "
            "the header names the source language"
        )
