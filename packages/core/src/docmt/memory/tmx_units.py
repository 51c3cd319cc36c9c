"""Units of translation memories in TMX 1.4b.

Kept are both texts, the places of inline codes, the sentences around, the key, the file, the time
of the last change, and whether docmt has translated the unit. The content of inline codes, other
properties, notes and other languages are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version

from docmt.memory.units import Unit
from docmt_files.base.errors import InputError
from docmt_files.base.languages import language_tag
from docmt_files.base.wording import counted
from docmt_files.storage.characters import escape_attribute, escape_text
from docmt_files.storage.files import PathLike
from docmt_nmt.corpora.tmx_corpus import TmxUnit, read_units

_TAG = re.compile(r"<[^<>]*>")
_DOCMT = "docmt"
"""The author of a variant that docmt has translated (`docmt_files.bilingual.tmx_files`)."""


def read_tmx(
    path: PathLike, languages: tuple[str, str], note: Callable[[str], None]
) -> Iterator[Unit]:
    """Read the units of a file with text in both languages. Only properties tell the sentences
    around: other units stand in the order in which they were imported, not in that of a text.

    Args:
        path: the file.
        languages: the codes of the source and of the target language.
        note: called with a note that counts the units without text in one of the languages.

    Raises:
        InputError: the file is missing, damaged or no TMX, or has no unit in these languages; or a
            unit has several segments in a language. The error names the line.
    """
    count = left = 0
    for unit, source, target, document in read_units(path, languages):
        texts = unit.segments
        if source is not None and target is not None and texts[source] and texts[target]:
            yield _unit(unit, source, target, document)
            count += 1
        else:
            left += 1
    if not count:
        raise InputError(
            f"has no unit in {languages[0]} and {languages[1]}",
            path=path,
            cure="Name a file of these languages, or other languages",
        )
    if left:
        both = " or ".join(languages)
        note(f"{path}: {counted(left, 'unit')} left out, without text in {both}")


def _unit(unit: TmxUnit, source: str, target: str, document: str) -> Unit:
    """A unit of a memory."""
    named = unit.properties
    before = named.get("prev", named.get("x-context-pre", ""))
    after = named.get("next", named.get("x-context-post", ""))
    variant, own = unit.variants[target], unit.codes.get(source, ())
    theirs = dict(unit.codes.get(target, ()))
    codes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    if theirs.keys() == dict(own).keys() and len(theirs) == len(own):
        codes = tuple(place for _, place in own), tuple(theirs[name] for name, _ in own)
    dates = (
        each.get(name, "")
        for each in (variant, unit.attributes)
        for name in ("changedate", "creationdate")
    )
    author = variant.get("changeid") or variant.get("creationid")
    return Unit(
        unit.segments[source],
        unit.segments[target],
        _plain(before),
        _plain(after),
        named.get("x-key", ""),
        codes,
        document,
        next(filter(None, dates), ""),
        author != _DOCMT,
    )


def _plain(text: str) -> str:
    """The text of a neighbor, which memoQ writes with the tags of a segment."""
    return _TAG.sub("", text).strip() if text.startswith("<seg") else text


def write_tmx(units: Iterable[Unit], source_language: str, target_language: str) -> Iterator[str]:
    """The text of a file with units, in pieces. U+FFFD takes the place of characters that XML
    cannot hold.

    Args:
        units: the units.
        source_language: the code of the source language.
        target_language: the code of the target language.
    """
    languages = [
        escape_attribute(language_tag(each)) for each in (source_language, target_language)
    ]
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        f'  <header creationtool="docmt" creationtoolversion="{version("docmt-core")}" '
        f'segtype="sentence" o-tmf="docmt" adminlang="en" srclang="{languages[0]}" '
        'datatype="plaintext"/>\n  <body>\n'
    )
    for unit in units:
        properties = {"x-document": unit.origin, "prev": unit.before, "next": unit.after}
        if unit.key:
            properties["x-key"] = unit.key
        yield "    <tu>\n"
        for name, value in properties.items():
            yield f'      <prop type="{name}">{escape_text(value)}</prop>\n'
        author = "" if unit.is_reviewed else f' changeid="{_DOCMT}"'
        changed = f' changedate="{escape_attribute(unit.changed)}"' if unit.changed else ""
        sides = zip(
            languages, (unit.source, unit.target), unit.codes, ("", changed + author), strict=True
        )
        for language, text, codes, attributes in sides:
            seg = _segment(text, codes)
            yield f'      <tuv xml:lang="{language}"{attributes}><seg>{seg}</seg></tuv>\n'
        yield "    </tu>\n"
    yield "  </body>\n</tmx>\n"


def _segment(text: str, codes: tuple[int, ...]) -> str:
    """A text with its inline codes, each with the number of the code in the source."""
    places = sorted((place, number) for number, place in enumerate(codes, start=1))
    made, last = [], 0
    for place, number in places:
        made.append(f'{escape_text(text[last:place])}<ph x="{number}"/>')
        last = place
    return "".join([*made, escape_text(text[last:])])
