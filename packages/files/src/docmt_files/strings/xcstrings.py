"""String catalogs of Xcode (`.xcstrings`): strings with their translations into many languages.

What has no translation into the target language gets one, marked for review; translations by
people and other languages stay. A string by number gets the categories of the target language. The
file is prepared with the sources in the places of the translations, in the style of the file.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import language_tag, primary_subtag
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import read_encoded_text
from docmt_files.core.inline import Block
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.scopes import Scope
from docmt_files.core.skeleton import FileRules
from docmt_files.storage.files import PathLike
from docmt_files.strings.json_strings import checked_json, json_escaper, json_literal
from docmt_files.strings.json_tree import JsonNode, JsonStyle, json_tree
from docmt_files.strings.plural_branches import branches_for, examples
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.string_kinds import is_text
from docmt_files.strings.stringsdict import apple_codes

_REVIEW = "needs_review"
_AGAIN = 'set its state to "new"'
_Path = tuple[str, ...]
"""The keys around a string of the file."""


class _Catalog(NamedTuple):
    """A catalog, as it is read.

    Attributes:
        strings: the entries by their keys.
        own: the language of the keys.
        source: the key of the localizations to translate from.
        target: the key of the localizations to fill.
    """

    strings: Mapping[str, Any]
    own: str
    source: str
    target: str


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    catalog = _catalog(checked_json(text, path), language, target_language, path)
    try:
        choices = _choices(catalog, language, target_language)
        if choices.kept and not choices.filled:
            raise InputError(
                "its only string is translated already"
                if choices.kept == 1
                else f"all of its {choices.kept:,} strings are translated already",
                path=path,
                cure=f"To translate one again, {_AGAIN}",
            )
        prepared = apply_patches(text, sorted(_patches(text, catalog, choices.filled)))
        places = _places(prepared, catalog.target, choices.filled)
    except RecursionError:
        raise InputError(
            "is nested too deeply", path=path, cure="Check that it is a string catalog"
        ) from None
    comments = {
        key: catalog.strings[key]["comment"]
        for key in choices.filled
        if isinstance(catalog.strings[key].get("comment"), str)
    }
    find = partial(_strings, places=places, comments=comments, language=target_language or language)
    documents, skeleton = read_strings(path, prepared, find, language, encode=encode)
    starts = [string.offsets[0] for string in find(prepared)]
    rules = CatalogRules(skeleton.found.blocks, places, starts, choices.kept, choices.stale)
    return documents, replace(skeleton, rules=rules)


class _Choices(NamedTuple):
    """New localizations by the keys of strings, how many strings are translated already, and how
    many the program has no more."""

    filled: dict[str, Any]
    kept: int
    stale: int


def _choices(catalog: _Catalog, language: str, target_language: str | None) -> _Choices:
    """What to translate."""
    choose = partial(branches_for, language=language, target_language=target_language)
    filled: dict[str, Any] = {}
    kept = stale = 0
    for key, entry in catalog.strings.items():
        source = _source(key, entry, catalog)
        if source is None:
            continue
        if entry.get("extractionState") == "stale":
            stale += 1
        elif _is_done(_localizations(entry).get(catalog.target)):
            kept += 1
        else:
            filled[key] = _filled(source, choose)
    return _Choices(filled, kept, stale)


def _places(text: str, target: str, filled: Mapping[str, Any]) -> list[_Path]:
    """The paths of the strings to translate, in the order of the file."""
    tree = json_tree(text)
    paths = (
        ("strings", key, "localizations", target, *inner)
        for key, value in filled.items()
        for inner in _unit_paths(value)
    )
    nodes = ((node.start, path) for path in paths if (node := tree.at(path)) is not None)
    return [path for _, path in sorted(nodes)]


def _catalog(data: Any, language: str, target_language: str | None, path: PathLike) -> _Catalog:
    """The entries of a catalog and its languages.

    Raises:
        InputError: the file is no catalog, has no text in the source language, or does not say into
            which language to translate.
    """
    strings = data.get("strings") if isinstance(data, dict) else None
    own = data.get("sourceLanguage") if isinstance(data, dict) else None
    if not isinstance(strings, dict) or not isinstance(own, str):
        raise InputError(
            "has no sourceLanguage and strings, so it is not a string catalog",
            path=path,
            cure="Name the format that it has with `file_format`",
            parameters=("file_format",),
        )
    strings = {key: entry for key, entry in strings.items() if isinstance(entry, dict)}
    languages = dict.fromkeys([own])
    for entry in strings.values():
        languages |= dict.fromkeys(_localizations(entry))
    source = _named(languages, language)
    if source is None:
        raise InputError(
            f"is in {own}, and has no strings in {language}",
            path=path,
            cure="Translate it from one of its languages",
        )
    others = [each for each in languages if each != source]
    if target_language is None:
        if len(others) != 1:
            raise InputError(
                "does not say into which language to translate it",
                path=path,
                cure="Name the target language",
            )
        return _Catalog(strings, own, source, others[0])
    others = [each for each in languages if each != source]
    return _Catalog(
        strings, own, source, _named(others, target_language) or language_tag(target_language)
    )


def _named(languages: Collection[str], code: str) -> str | None:
    """The name of a language in the file: the same code, or else the only one of its language."""
    tag = language_tag(code).lower()
    same = [each for each in languages if language_tag(each).lower() == tag]
    similar = [each for each in languages if primary_subtag(each) == primary_subtag(code)]
    return same[0] if same else similar[0] if len(similar) == 1 else None


def _localizations(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The localizations of an entry by language."""
    found = entry.get("localizations")
    return found if isinstance(found, dict) else {}


def _source(key: str, entry: Mapping[str, Any], catalog: _Catalog) -> Any:
    """What to translate: the localization in the source language, or the key; None if it is not
    to be translated, or has no text."""
    if entry.get("shouldTranslate") is False:
        return None
    source = _localizations(entry).get(catalog.source)
    if source is None and catalog.source == catalog.own:
        source = {"stringUnit": {"value": key}}
    texts = [unit.get("value") for unit in _units(source)]
    return source if any(isinstance(each, str) and is_text(each) for each in texts) else None


def _units(localization: Any) -> Iterator[Mapping[str, Any]]:
    """The string units of a localization."""
    if isinstance(localization, dict):
        for key, value in localization.items():
            if key == "stringUnit" and isinstance(value, dict):
                yield value
            else:
                yield from _units(value)


def _is_done(localization: Any) -> bool:
    """Return whether a localization has a translation that is not to be reviewed."""
    return any(
        unit.get("value") and unit.get("state") not in ("new", _REVIEW)
        for unit in _units(localization)
    )


def _filled(source: Any, choose: Any) -> Any:
    """A localization with the texts of a source, to be reviewed, and other categories."""
    if not isinstance(source, dict):
        return source
    made = {}
    for key, value in source.items():
        if key == "stringUnit" and isinstance(value, dict):
            made[key] = {"state": _REVIEW, "value": str(value.get("value", ""))}
        elif key == "plural" and isinstance(value, dict):
            names = choose(list(value), kept=("zero",))
            made[key] = {name: _filled(value[origin], choose) for name, origin in names}
        else:
            made[key] = _filled(value, choose)
    return made


def _unit_paths(localization: Any) -> Iterator[_Path]:
    """The paths of the values of units in a localization, in order."""
    if isinstance(localization, dict):
        for key, value in localization.items():
            if key == "stringUnit":
                yield "stringUnit", "value"
            else:
                yield from ((key, *inner) for inner in _unit_paths(value))


def _patches(text: str, catalog: _Catalog, chosen: Mapping[str, Any]) -> Iterator[Patch]:
    """The patches that write localizations."""
    style, tree = JsonStyle(text), json_tree(text)
    for key, value in chosen.items():
        entry = tree.at(("strings", key))
        assert entry is not None, "it has been read"
        found = _localizations(catalog.strings[key])
        if catalog.target in found:
            old = entry.at(("localizations", catalog.target))
            # The order of categories counts, too.
            if old is not None and json.dumps(found[catalog.target]) != json.dumps(value):
                yield old.start, old.end, style.value(value, 4)
        elif (parent := entry.at(("localizations",))) is not None:
            yield style.inserted(parent, catalog.target, value, 4)
        else:
            yield style.inserted(entry, "localizations", {catalog.target: value}, 3)


def _strings(
    text: str, *, places: Sequence[_Path], comments: Mapping[str, str], language: str
) -> list[FileString]:
    """The translations to fill, in order."""
    tree, escape, numbers = json_tree(text), json_escaper(text), examples(language)
    strings = []
    position = 0
    for place in places:
        node = tree.at(place)
        if node is None:
            strings.append(FileString("", [position], str))
            continue
        position = node.end
        literal = json_literal(text, node.start, node.end)
        category = next((b for a, b in pairwise(place) if a == "plural"), "")
        codes = tuple(apple_codes(literal.value, numbers.get(category, "")))
        outer = Scope("note", comments[place[1]]) if place[1] in comments else None
        scope = Scope("key", place[1], outer)
        for key in place[4:-2]:
            scope = Scope("key", key, scope)
        strings.append(FileString(*literal, escape, codes=codes, scope=scope))
    return strings


@dataclass(frozen=True, slots=True)
class CatalogRules(FileRules):
    """The rules for the filled forms of a catalog.

    Attributes:
        blocks: the blocks of the prepared file.
        places: the paths of the strings to fill.
        starts: the offsets of these strings in the prepared file.
        kept: how many strings are translated already.
        stale: how many strings the program has no more.
    """

    blocks: Sequence[Block]
    places: Sequence[_Path]
    starts: Sequence[int]
    kept: int
    stale: int

    def finish(self, text: str) -> str:
        return text

    def leave(self, text: str, blocks: Collection[int]) -> str:
        """A file in which the units of untranslated blocks are new."""
        tree = json_tree(text) if blocks else JsonNode(0)
        starts = (self.blocks[index].parts[0].start for index in blocks)
        left = {self.places[bisect_right(self.starts, start) - 1] for start in starts}
        nodes = [tree.at((*place[:-1], "state")) for place in left]
        patches = [(node.start, node.end, "new") for node in nodes if node is not None]
        return apply_patches(text, sorted(patches))

    def notes(self, text: str) -> Iterator[str]:  # noqa: ARG002
        """How many strings are translated, kept, and not in use."""
        number = len({place[1] for place in self.places})
        yield f"{counted(number, 'string')} marked as {_REVIEW}"
        if self.kept:
            yield (
                f"{counted(self.kept, 'string')} kept, translated already; to translate one "
                f"again, {_AGAIN}"
            )
        if self.stale:
            yield f"{counted(self.stale, 'stale string')} left as before"
