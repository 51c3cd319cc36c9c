"""Translation memories in TMX 1.4: one `<tu>` per sentence pair, with a `<tuv>` for each language.
Consecutive units with the same document name in a `<prop>` are a document; without such properties
the file is one document or, with boundaries `sentences`, each unit is.

The file is streamed by `docmt_nmt.corpora.xml_reader`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from docmt_files.base.documents import Boundaries, Document
from docmt_files.base.languages import language_tag, primary_subtag
from docmt_files.storage.corpus_checks import CURE_EMPTY, Checks, SentencePair
from docmt_files.storage.files import PathLike
from docmt_nmt.corpora.xml_reader import XmlReader

_DOCUMENT_PROPERTIES = {
    prefix + name for prefix in ("", "x-") for name in ("document", "doc", "docid", "filename")
} | {"txt::doc. no."}  # in the memories of the European Union (DGT)
"""Types of properties with the document name of a unit, in lower case."""

_CONTEXT_PROPERTIES = {"prev", "next", "x-context-pre", "x-context-post", "x-key"}
"""Types of properties with the sentences around a unit (OmegaT's and docmt's, and memoQ's), and
with the key of a text."""

_NATIVE_CODES = {"bpt", "ept", "ph", "it", "ut", "sub"}
"""Elements within a segment whose contents are not text of the segment."""

_CURE_XML = "Check that it is a whole TMX file, for example with xmllint"
_CURE_LANGUAGES = "Set data.source_language and data.target_language to languages of the file"


Codes = tuple[tuple[str, int], ...]
"""The inline codes of a segment: the name of each, equal in all languages, and the offset."""


@dataclass
class TmxUnit:
    """Translation unit.

    Attributes:
        line: the line of the beginning.
        source_language: the language of the source, in lower case.
        attributes: the attributes of the unit.
        document: the document named by a property, or "".
        properties: other properties that a memory reads, by type in lower case.
        segments: the text of each language, by the language tag in lower case.
        variants: the attributes of the variant of each language.
        codes: the inline codes of each language, if there are some.
        repeated: the languages with several texts.
    """

    line: int
    source_language: str
    attributes: dict[str, str] = field(default_factory=dict)
    document: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    segments: dict[str, str] = field(default_factory=dict)
    variants: dict[str, dict[str, str]] = field(default_factory=dict)
    codes: dict[str, Codes] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)


def read(
    path: PathLike,
    boundaries: Boundaries | None,
    allow_empty: bool,
    languages: tuple[str | None, str | None] = (None, None),
) -> Iterator[Document]:
    """Read the documents of a translation memory; see `docmt_nmt.corpora.read`.

    Args:
        path: the file.
        boundaries: `sentences` makes a document of every unit.
        allow_empty: as for `docmt_nmt.corpora.read`; also of a unit without a segment in one of the
            languages.
        languages: the codes of the source and target language. Of several regions, the region of
            the code counts, or for the source the region named by the file. Default: the source
            language named in the file, and the only other language.
    """
    checks = Checks(path, allow_empty)
    return checks.documents(
        SentencePair(unit.line, *_select(unit, languages, checks), document)
        for unit, document in _units(checks, boundaries)
    )


def read_units(
    path: PathLike, languages: tuple[str, str]
) -> Iterator[tuple[TmxUnit, str | None, str | None, str]]:
    """Read the units of a translation memory, each with the codes of its source and of its target
    language, None for one that it has not, and the id of the document.

    Raises:
        InputError: as for `read`; a unit may lack one of the languages.
    """
    checks = Checks(path, allow_empty=True)
    for unit, document in _units(checks, None):
        source = _source(unit, languages[0], checks)
        yield unit, source, _find(languages[1], unit, checks), document


def read_sources(path: PathLike, language: str | None) -> Iterator[Document]:
    """Read the source sides of a translation memory, which may be empty. Documents have no target,
    so other languages are not looked at.

    Args:
        path: the file.
        language: the code of the source language. Default: as for `read`.
    """
    checks = Checks(path, allow_empty=True)
    return checks.documents(
        SentencePair(unit.line, unit.segments.get(code or "", ""), None, document)
        for unit, document in _units(checks, None)
        for code in (_source(unit, language, checks),)
    )


def _units(checks: Checks, boundaries: Boundaries | None) -> Iterator[tuple[TmxUnit, str]]:
    """The units of a file, each with the id of the document."""
    file_name = Path(checks.path).name.split(".tmx")[0] or "1"
    for number, unit in enumerate(_Parser(checks).units(), start=1):
        yield unit, str(number) if boundaries == "sentences" else unit.document or file_name


def _select(
    unit: TmxUnit, languages: tuple[str | None, str | None], checks: Checks
) -> tuple[str, str]:
    """Return the source and target segment of a unit."""
    chosen = [_source(unit, languages[0], checks), None]
    if languages[1] is not None:
        chosen[1] = _find(languages[1], unit, checks)
    else:
        others = [code for code in unit.segments if code != chosen[0]]
        if len(others) > 1:
            raise checks.error(
                f"a unit has several target languages: {', '.join(others)}",
                "Keep one of them in the file, or name the file in a recipe with "
                "data.target_language",
                unit.line,
            )
        chosen[1] = others[0] if others else None
    if checks.allow_empty or None not in chosen:
        source, target = (unit.segments.get(code, "") if code else "" for code in chosen)
        return source, target
    side = ("source", "target")[chosen.index(None)]
    language = languages[chosen.index(None)]
    wanted = f" in {language!r}" if language else ""
    raise checks.error(
        f"a unit has no {side} segment{wanted}, only {', '.join(unit.segments) or 'none'}",
        f"{_CURE_LANGUAGES}. {CURE_EMPTY}",
        unit.line,
    )


def _source(unit: TmxUnit, language: str | None, checks: Checks) -> str | None:
    """Return a unit's code for the source language, if there is one."""
    wanted = language or unit.source_language
    if wanted in ("", "*all*"):
        return next(iter(unit.segments), None)
    return _find(wanted, unit, checks, preferred=unit.source_language)


def _find(language: str, unit: TmxUnit, checks: Checks, preferred: str = "") -> str | None:
    """Return a unit's code for a language, if there is one: that language, the preferred code if it
    is of the language, or the only code of another region."""
    codes = list(unit.segments)
    primary = primary_subtag(language)
    regional = [code for code in codes if primary_subtag(code) == primary]
    for code in (language_tag(language).lower(), preferred):
        if code in regional:
            regional = [code]
    if len(regional) > 1:
        problem = f"a unit has several segments in {language!r}: {', '.join(regional)}"
        cure = "Name the region too, such as en-gb, or remove the other segments"
        raise checks.error(problem, cure, unit.line)
    if unit.repeated.intersection(regional):
        problem = f"a unit has two segments in {regional[0]!r}"
        raise checks.error(problem, "Keep one of them", unit.line)
    return regional[0] if regional else None


class _Parser(XmlReader):
    """Parser of a file into units."""

    def __init__(self, checks: Checks) -> None:
        super().__init__(checks, _CURE_XML)
        self._units: list[TmxUnit] = []
        self._unit: TmxUnit | None = None
        self._source_language = ""
        self._language = self._property = ""
        self._is_tmx = False
        self._codes = 0
        self._names: list[str] = []
        self._variant: dict[str, str] = {}

    def units(self) -> Iterator[TmxUnit]:
        """Yield the units of the file, as they are read."""
        for _ in self.parse():
            yield from self._units
            self._units.clear()
        if not self._is_tmx:
            raise self.checks.error("is not a translation memory: there is no <tmx>", _CURE_XML)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "tmx":
            self._is_tmx = True
        elif name == "header":
            self._source_language = language_tag(attributes.get("srclang", "")).lower()
        elif name == "tu":
            self._check_not_within("tu", self._unit is not None)
            source_language = attributes.get("srclang", self._source_language)
            self._unit = TmxUnit(self.line, language_tag(source_language).lower(), attributes)
        elif name == "tuv":
            language = attributes.get("xml:lang", attributes.get("lang", ""))
            self._language, self._variant = language_tag(language).lower(), attributes
        elif name == "prop":
            self._property = attributes.get("type", "").lower()
            known = _DOCUMENT_PROPERTIES | _CONTEXT_PROPERTIES
            if self._unit is not None and self._property in known:
                self.collect_text()
        elif name == "seg" and self._unit is not None:
            self._check_not_within("seg", self.is_collecting)
            self._names = []
            self.collect_text()
        elif name in _NATIVE_CODES:
            if self.is_collecting and not self._codes:
                key = attributes.get("i") or attributes.get("x") or str(len(self._names))
                self._names.append(f"{name} {key}")
                self.mark_place()
            self._codes += 1

    def end(self, name: str) -> None:
        if name in _NATIVE_CODES:
            self._codes -= 1
        elif name == "prop" and self._unit is not None and self.is_collecting:
            text, _ = self.take_marked_text()
            if self._property in _DOCUMENT_PROPERTIES:
                self._unit.document = text
            else:
                self._unit.properties[self._property] = text
        elif name == "seg" and self._unit is not None and self.is_collecting:
            if self._language in self._unit.segments:
                self._unit.repeated.add(self._language)
            text, offsets = self.take_marked_text()
            self._unit.segments[self._language] = text
            self._unit.variants[self._language] = self._variant
            if offsets:
                codes = tuple(zip(self._names, offsets, strict=True))
                self._unit.codes[self._language] = codes
        elif name == "tu" and self._unit is not None:
            self._units.append(self._unit)
            self._unit = None

    def _check_not_within(self, name: str, is_within: bool) -> None:
        """Refuse an element within another one of the name, of which one would be lost."""
        if is_within:
            raise self.checks.error(f"has a <{name}> within another", _CURE_XML, self.line)

    def skips_text(self) -> bool:
        return self._codes > 0
