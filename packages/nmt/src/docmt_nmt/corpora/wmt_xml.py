"""Test sets of WMT from 2021 on, in the XML of wmt-format-tools: a `<dataset>` of `<doc id>`, each
with a `<src>`, any number of `<ref translator>` and `<hyp system>`, and in these `<p>` and `<seg
id>`. A file holds the source and the translations.

Collections, paragraphs and `supplemental` elements have no effect. Documents of a test suite have
no references; they are left out where a translation is read beside the source.
"""

from __future__ import annotations

import re

from docmt_files.storage.corpus_checks import Checks
from docmt_files.storage.files import PathLike, read_blocks
from docmt_nmt.corpora.sides import SetKey, Sets, Side
from docmt_nmt.corpora.xml_reader import XmlReader

_FIRST_TAG = re.compile(rb"<([A-Za-z][\w:.-]*)")
_SETS = {"src": ("srcset", ""), "ref": ("refset", "translator"), "hyp": ("tstset", "system")}
"""For each element of a document, the name of the set and the attribute that tells sets apart."""

_CURE = "Check that it is a whole test set of WMT: <dataset> with <doc id>, <src> and <seg>"


def is_dataset(path: PathLike) -> bool:
    """Return whether a file is a test set in this XML, by the first tag."""
    first = _FIRST_TAG.search(next(read_blocks(path), b""))
    return first is not None and first[1] == b"dataset"


def read_sets(path: PathLike) -> Sets:
    """Read the sets of a file, which is small enough to be read at once."""
    reader = _Reader(Checks(path), _CURE)
    reader.parse_whole()
    if not reader.sets:
        raise reader.checks.error("the file has no documents", _CURE)
    return reader.sets


class _Reader(XmlReader):
    """Collector of the sides of a file."""

    def __init__(self, checks: Checks, cure: str) -> None:
        super().__init__(checks, cure)
        self.sets: Sets = {}
        self._document = ""
        self._is_testsuite = False
        self._side: Side | None = None
        self._segment = "", 0  # id, line

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.is_collecting:
            raise self.checks.error(f"<{name}> within a segment", self.cure, self.line)
        if name == "doc":
            self._document = attributes.get("id", "")
            self._is_testsuite = "testsuite" in attributes
            if not self._document.strip():
                raise self.checks.error("the document has no id", self.cure, self.line)
        elif name in _SETS and self._document:
            self._open_side(name, attributes)
        elif name == "seg" and self._side is not None:
            self._segment = attributes.get("id", ""), self.line
            self.collect_text()

    def _open_side(self, name: str, attributes: dict[str, str]) -> None:
        element, attribute = _SETS[name]
        system = attributes.get(attribute, "") if attribute else ""
        documents = self.sets.setdefault(SetKey(element, system), {})
        if self._document in documents:
            whose = f" of {system!r}" * bool(system)
            raise self.checks.error(
                f"the document {self._document!r} has two <{name}>{whose}, or its id is repeated",
                f"Several translations differ in {attribute}"
                if attribute
                else "Give every document an id of its own",
                self.line,
            )
        self._side = Side(self._document, self.line, is_testsuite=self._is_testsuite)
        documents[self._document] = self._side

    def end(self, name: str) -> None:
        if name == "seg" and self._side is not None and self.is_collecting:
            segment, line = self._segment
            self._side.add(self.take_text(), line, segment)
        elif name in _SETS:
            self._side = None
        elif name == "doc":
            self._document = ""
