"""Glossaries in TBX-Basic (ISO 30042), of version 2 (`<martif>`, `<termEntry>`, `<langSet>`) and 3
(`<tbx>`, `<conceptEntry>`, `<langSec>`), in both styles of version 3.

All terms of a concept are forms of one term: forms in the source language are found, forms in the
target language may be written, preferred ones first. Deprecated or superseded terms are found but
not written. Concepts without one of the languages have no effect.
"""

from __future__ import annotations

from docmt.glossaries.glossary_tables import check_form_lengths
from docmt_files.base.languages import check_language_code, language_tag
from docmt_files.storage.corpus_checks import Checks
from docmt_files.storage.files import PathLike
from docmt_nmt.corpora.xml_reader import XmlReader
from docmt_nmt.translators.glossary import Term

_CURE = "Check that it is a whole TBX file, for example with xmllint"
_ROOTS = {"tbx", "martif"}
_CONCEPTS = {"conceptentry", "termentry"}
_LANGUAGES = {"langsec", "langset"}
_TERMS = {"termsec", "tig", "ntig"}
_STATUS = "administrativestatus"
_NOT_WRITTEN = ("deprecated", "superseded")


def read(path: PathLike, languages: tuple[str, str]) -> list[Term]:
    """Read the terms of a file in two languages; a code without a region means any region."""
    reader = _Reader(Checks(path), languages)
    reader.parse_whole()
    if not reader.is_tbx:
        raise reader.checks.error("is not a TBX file: there is no <tbx> or <martif>", _CURE)
    if not reader.terms:
        names = ", ".join(sorted(reader.languages)) or "none"
        raise reader.checks.error(
            f"no concept has terms in {languages[0]!r} and in {languages[1]!r}; the languages of "
            f"the file are: {names}",
            "Use a file with the languages of the run",
        )
    return reader.terms


def _is_language(code: str, language: str) -> bool:
    """Return whether the code of a file means a language."""
    code, language = (language_tag(c).lower() for c in (code, language))
    return code == language or code.split("-")[0] == language or language.split("-")[0] == code


class _Reader(XmlReader):
    """Reader of a file into terms."""

    def __init__(self, checks: Checks, languages: tuple[str, str]) -> None:
        super().__init__(checks, _CURE)
        self._sides = [check_language_code(language) for language in languages]
        self.is_tbx = False
        self.languages: set[str] = set()
        self.terms: list[Term] = []
        self._line = 0
        self._concept: list[list[tuple[str, str]]] | None = None  # the terms of each side
        self._language = self._term = self._status = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in _ROOTS:
            self.is_tbx = True
        elif name in _CONCEPTS:
            self._concept, self._line, self._language = [[], []], self.line, ""
        elif name in _LANGUAGES:
            self._language = attributes.get("xml:lang", attributes.get("lang", ""))
            self.languages.add(self._language)
        elif name in _TERMS:
            self._term = self._status = ""
        elif (
            name in ("term", _STATUS)
            or attributes.get("type", "").rpartition(":")[2].lower() == _STATUS
        ) and self._concept is not None:
            self.collect_text()

    def end(self, name: str) -> None:
        if name == "term" and self.is_collecting:
            self._term = self.take_text()
        elif name in (_STATUS, "termnote") and self.is_collecting:
            self._status = self.take_text().lower()
        elif name in _TERMS and self._concept is not None and self._term:
            check_form_lengths([self._term], self.checks.path, self.line)
            for side, language in zip(self._concept, self._sides, strict=True):
                if _is_language(self._language, language):
                    side.append((self._term, self._status))
            self._term = ""
        elif name in _CONCEPTS and self._concept is not None:
            self._add(*self._concept)
            self._concept = None

    def _add(self, source: list[tuple[str, str]], target: list[tuple[str, str]]) -> None:
        """Add a concept with terms in both languages."""
        written = [entry for entry in target if not entry[1].startswith(_NOT_WRITTEN)]
        written.sort(key=lambda entry: not entry[1].startswith("preferred"))
        if source and written:
            source_forms, target_forms = (
                tuple(dict.fromkeys(term for term, _ in side)) for side in (source, written)
            )
            self.terms.append(Term(source_forms, target_forms, line=self._line))
