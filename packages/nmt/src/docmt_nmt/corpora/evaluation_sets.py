"""Evaluation sets in the SGML of NIST and WMT (`.sgm`, `.sgml`) and the XML of IWSLT (`.xml`):
`<srcset>`, `<refset>` and `<tstset>` with `<doc docid="…">` and `<seg id="…">`. Each file holds one
side, or several translations of it, with different `sysid` or `refid`.

As published, these files are often neither valid XML nor SGML (bare `&` and `<`, attributes without
quotation marks, no root element), which XML parsers refuse and lenient ones repair by guessing. The
reader reads the common form of these files, and nothing else of a markup language: no document
type, entity definition or other file has an effect. Besides, only the five entities of XML and
character numbers are replaced; all other characters within a segment are text. The XML of WMT from
2021 on is read by `docmt_nmt.corpora.wmt_xml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.corpus_checks import Checks
from docmt_files.storage.files import MAX_LINE_BYTES, PathLike, read_lines, write_together
from docmt_nmt.corpora import wmt_xml
from docmt_nmt.corpora.sides import CURE_RELEASE, SetKey, Sets, Side, pair

_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)((?:\s[^<>]*)?)>", re.IGNORECASE)
_FIRST_TAG = re.compile(r"<([A-Za-z][\w:.-]{0,60})")
_ROOTS = frozenset(("srcset", "refset", "tstset", "doc", "seg", "mteval"))
_OPEN_TAG = re.compile(r"<(?:srcset|refset|tstset|doc|seg)(?:\s[^<>]*)?$", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(?<![\w:.-])([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))")
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

_CURE = (
    "Check that it is an evaluation set: <srcset>, <refset> or <tstset> with <doc docid> and "
    "<seg id>; convert other markup to plain text first"
)


def read(source: PathLike, target: PathLike | None, allow_empty: bool) -> Iterator[Document]:
    """Read the documents of evaluation sets; see `docmt_nmt.corpora.read`. Of several references,
    the first. A file with both the sources and references needs no `target`.
    """
    sets = _read_sets(source)
    side = _source_side(sets)
    if target is None and (references := _translations(sets, but=side)):
        return _paired(sets[side], references[0], source, source, allow_empty)
    if target is None:
        return pair(iter(sets[side].values()), None, Checks(source, allow_empty))
    translation = _translations(_read_sets(target))[0]
    return _paired(sets[side], translation, source, target, allow_empty)


def read_translation(path: PathLike, *, allow_empty: bool = False) -> Iterator[Document]:
    """Read the translation of the system in an evaluation set, with the source if the file holds
    it. The set may hold references too. Without a system, as `docmt_nmt.corpora.read`.

    Args:
        path: the evaluation set.
        allow_empty: as for `docmt_nmt.corpora.read`.

    Raises:
        InputError: as `docmt_nmt.corpora.read`, or there are several systems.

    >>> from docmt_nmt import Document; from docmt_nmt import corpora
    >>> corpora.write_translation([Document("1", ("Sit down.",), ("Setzt euch.",))], "output.sgm")
    >>> [document.source for document in corpora.read_translation("output.sgm")]
    [('Setzt euch.',)]
    """
    sets = _read_sets(path)
    systems = [key for key in sets if key.element == "tstset"]
    if len(systems) > 1:
        names = ", ".join(repr(key.system) for key in systems[:5])
        raise Checks(path).error(
            f"there are translations of {len(systems)} systems: {names}",
            "Keep one of them in each file",
        )
    side = _source_side(sets)
    if not systems or side == systems[0]:
        return read(path, None, allow_empty)
    return _paired(sets[side], sets[systems[0]], path, path, allow_empty)


def read_references(
    path: PathLike, source: PathLike | None = None, *, allow_empty: bool = False
) -> list[list[Document]]:
    """Read every translation of an evaluation set, each as documents of one side.

    Args:
        path: the evaluation set.
        source: the evaluation set of the source side. The documents are then paired with it, in the
            order of the source.
        allow_empty: as for `docmt_nmt.corpora.read`.

    Raises:
        InputError: as `docmt_nmt.corpora.read`.

    >>> from docmt_nmt import Document; from docmt_nmt import corpora
    >>> document = Document("1", ("Sit down.",), ("Setzt euch.",))
    >>> corpora.write([document], "test.en.sgm", "test.de.sgm")
    >>> corpora.read_references("test.de.sgm", "test.en.sgm")[0][0].target
    ('Setzt euch.',)
    """
    sets = _read_sets(path)
    translations = _translations(sets)
    if source is None:
        first = translations[0]
        ordered = [_in_order_of(first, other, path, path) for other in translations]
        return [list(pair(iter(s.values()), None, Checks(path, allow_empty))) for s in ordered]
    sources = _read_sets(source)
    side = sources[_source_side(sources)]
    return [list(_paired(side, other, source, path, allow_empty)) for other in translations]


def _source_side(sets: Sets) -> SetKey:
    """Return the set of the source side: `srcset`, or the only kind of set in the file."""
    return next((key for key in sets if key.element == "srcset"), next(iter(sets)))


def _translations(sets: Sets, but: SetKey | None = None) -> list[dict[str, Side]]:
    """Return the references of a file, else the translations by systems, else all sets."""
    for element in ("refset", "tstset", *(() if but is not None else ("", "srcset"))):
        chosen = [side for key, side in sets.items() if key.element == element and key != but]
        if chosen:
            return chosen
    return []


def _paired(
    source: dict[str, Side],
    target: dict[str, Side],
    source_path: PathLike,
    target_path: PathLike,
    allow_empty: bool,
) -> Iterator[Document]:
    """Pair the documents of two sets, in the order of the source, without untranslated documents of
    test suites."""
    source = {n: d for n, d in source.items() if n in target or not d.is_testsuite}
    ordered = _in_order_of(source, target, source_path, target_path)
    return pair(
        iter(source.values()),
        iter(ordered.values()),
        Checks(source_path, allow_empty),
        Checks(target_path, allow_empty),
    )


def _in_order_of(
    first: dict[str, Side], other: dict[str, Side], path: PathLike, other_path: PathLike
) -> dict[str, Side]:
    """Put the documents of a set in the order of another one, which must have the same."""
    for documents, file, others, other_file in (
        (first, path, other, other_path),
        (other, other_path, first, path),
    ):
        if lacking := [document for name, document in documents.items() if name not in others]:
            raise InputError(
                f"document {lacking[0].id!r} is missing from a set of {other_file}",
                path=file,
                line=lacking[0].line,
                cure=CURE_RELEASE,
            )
    return {name: other[name] for name in first}


def _read_sets(path: PathLike) -> Sets:
    """Read the sets of a file, which is small enough to be read at once."""
    if ".xml" in Path(path).suffixes[-2:] and wmt_xml.is_dataset(path):
        return wmt_xml.read_sets(path)
    reader = _Reader(Checks(path))
    for number, line in enumerate(read_lines(path), start=1):
        reader.read_line(line, number)
    return reader.finish()


class _Reader:
    """Reader of the lines of a file."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.sets: Sets = {}
        self._set = SetKey("", "")
        self._document: Side | None = None
        self._segment: tuple[str, int] | None = None  # id, line
        self._text: list[str] = []
        self._size = 0
        self._unfinished = ""
        self.root = ""

    def read_line(self, line: str, number: int) -> None:
        """Read a line; a tag may go on on the next one."""
        if not self.root and (first := _FIRST_TAG.search(line)):
            self.root = first[1]
        line, self._unfinished = self._unfinished + line, ""
        end = 0
        for match in _TAG.finditer(line):
            self._add_text(line[end : match.start()])
            end = match.end()
            self._read_tag(match, number)
        rest = line[end:]
        if self._segment is None and (opened := _OPEN_TAG.search(rest)):
            self._unfinished = f"{opened[0]} "
            if len(self._unfinished) > MAX_LINE_BYTES // 100:
                raise self.checks.error("a tag is not closed by >", _CURE, number)
        self._add_text(f"{rest} ")

    def finish(self) -> Sets:
        """Return the sets, after the last line."""
        if self._segment is not None:
            raise self.checks.error("the segment is not closed by </seg>", _CURE, self._segment[1])
        if not self.sets and self.root and self.root.lower() not in _ROOTS:
            raise InputError(
                f"begins with <{self.root}>, so it is not an evaluation set (<srcset>, <refset>, "
                "<tstset>)",
                path=self.checks.path,
                cure="Other XML is known by its root: DocBook, DITA, TTML, .NET's and Android's "
                "strings, XLIFF, Qt and XHTML. Name one of these as `file_format`, or convert the "
                "file to XLIFF or PO (Okapi, itstool, po4a), and the translation back",
                parameters=("file_format",),
            )
        if not self.sets:
            raise self.checks.error("the file has no documents", _CURE)
        return self.sets

    def _read_tag(self, match: re.Match[str], line: int) -> None:
        closes, name = bool(match[1]), match[2].lower()
        if self._segment is not None and (name, closes) != ("seg", True):
            problem = f"{match[0][:80]} before the segment is closed by </seg>"
            raise self.checks.error(problem, _CURE, line)
        if name == "seg":
            self._close_segment(line) if closes else self._open_segment(match[3], line)
        elif name == "doc":
            self._document = None
            if not closes:
                self._open_document(match[3], line)
        else:
            self._document = None
            attributes = _attributes(match[3])
            self._set = SetKey("" if closes else name, attributes.get("refid", ""))

    def _open_document(self, text: str, line: int) -> None:
        attributes = _attributes(text)
        document_id = attributes.get("docid", "")
        if not document_id.strip():
            raise self.checks.error("the document has no docid", _CURE, line)
        element, system = self._set
        # All sources are one set, whatever some releases write in their sysid.
        if element != "srcset":
            system = attributes.get("sysid", system)
        documents = self.sets.setdefault(SetKey(element, system), {})
        if document_id in documents:
            raise self.checks.error(
                f"the document id {document_id!r} is repeated" + (f" in {system!r}" * bool(system)),
                "Give every document an id of its own; several references differ in sysid",
                line,
            )
        self._document = documents[document_id] = Side(document_id, line)

    def _open_segment(self, text: str, line: int) -> None:
        if self._document is None:
            raise self.checks.error("the segment is outside of documents", _CURE, line)
        self._segment = _attributes(text).get("id", ""), line
        self._text, self._size = [], 0

    def _close_segment(self, line: int) -> None:
        if self._segment is None or self._document is None:
            raise self.checks.error("</seg> without <seg>", _CURE, line)
        # A segment may be broken into lines where a sentence is one.
        text = " ".join(_unescape("".join(self._text)).split())
        segment, line = self._segment
        self._document.add(text, line, segment)
        self._segment = None

    def _add_text(self, text: str) -> None:
        if self._segment is None:
            return
        self._text.append(text)
        self._size += len(text)
        if self._size > MAX_LINE_BYTES:
            problem = "the segment is not closed by </seg>, or too long"
            raise self.checks.error(problem, _CURE, self._segment[1])


def _attributes(text: str) -> dict[str, str]:
    return {
        match[1].lower(): _unescape(match[2] or match[3] or match[4] or "")
        for match in _ATTRIBUTE.finditer(text)
    }


def _unescape(text: str) -> str:
    """Replace the entities of a text, once."""

    def character(match: re.Match[str]) -> str:
        if match[3]:
            return _NAMED[match[3]]
        number = int(match[1]) if match[1] else int(match[2], 16)
        is_character = 0 < number < 0x110000 and not 0xD800 <= number < 0xE000
        return chr(number) if is_character else match[0]

    return _ENTITY.sub(character, text)


def write(documents: Iterable[Document], source: PathLike, target: PathLike | None = None) -> None:
    """Write documents as a `srcset` and, if there is a `target`, a `refset`; see
    `docmt_nmt.corpora.write`."""
    _write(documents, [(source, "srcset"), *([] if target is None else [(target, "refset")])])


def write_translation(documents: Iterable[Document], path: PathLike) -> None:
    """Write the target sides of documents as a `tstset`, as they are submitted for evaluation."""
    _write((Document(d.id, d.target or ()) for d in documents), [(path, "tstset")])


def _write(documents: Iterable[Document], files: list[tuple[PathLike, str]]) -> None:
    checks = Checks(files[0][0], allow_empty=True)
    with write_together([path for path, _ in files]) as streams:
        for stream, (_, element) in zip(streams, files, strict=True):
            stream.write(f'<{element} setid="docmt" srclang="any">\n'.encode())
        for document in documents:
            location = checks.check_writable(document)
            if len(files) == 2 and document.target is None:
                raise checks.error(
                    f"{location}the target side is missing", "Leave out the target file"
                )
            sides = (document.source, document.target or ())
            for stream, sentences in zip(streams, sides, strict=False):
                lines = [f'<doc docid="{escape(document.id)}" sysid="docmt">']
                lines += [
                    f'<seg id="{number}">{escape(" ".join(text.split()), quote=False)}</seg>'
                    for number, text in enumerate(sentences, start=1)
                ]
                stream.write("\n".join([*lines, "</doc>", ""]).encode())
        for stream, (_, element) in zip(streams, files, strict=True):
            stream.write(f"</{element}>\n".encode())
