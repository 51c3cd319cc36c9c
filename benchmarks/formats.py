"""What becomes of real files: how many are valid, and how much of them is kept.

    python benchmarks/formats.py FOLDER [--files 100] [--libreoffice 10]

FOLDER holds files of any formats of `docmt_files.FORMATS`, in any folders. Each is filled with
its own sentences, which must give the same bytes, and with pseudo-translations: every sentence in
upper case, its last word first. The table has a row per format. A file is valid if another program
opens it and finds the structure of the input: the oracle of its format below, or LibreOffice.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from signal import ITIMER_PROF, SIGPROF, setitimer, signal
from typing import Any

from docmt_files import FORMATS, Block, BlockSkeleton, Code, Format, format_of
from docmt_files.base.errors import InputError

SCHEMAS = "XLIFF_SCHEMAS"
"""The variable of the environment that names a folder with the XSDs of XLIFF by OASIS
(`xliff-core-1.2-strict.xsd`, `xliff_core_2.0.xsd`) and the `xml.xsd` that they import."""

MAX_SECONDS = 60
"""The processor time that a file may take."""

Oracle = Callable[[Path], Any]
"""The structure of a file as another program sees it, without its text; raises if it sees none."""


def markup_structure(path: Path) -> Any:
    """The elements of a page or an XML file, by lxml."""
    from lxml import etree, html

    data = path.read_bytes()
    xml = path.suffix.lower() not in (".html", ".htm", ".xhtml", ".xht")
    root = etree.fromstring(data) if xml else html.document_fromstring(data)
    return Counter(str(element.tag) for element in root.iter())


def markdown_structure(path: Path) -> Any:
    """The kinds of tokens of CommonMark, by markdown-it-py without docmt's changes to it."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    return Counter(token.type for token in tokens)


def json_structure(path: Path) -> Any:
    """The keys and the kinds of values."""
    import json

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shape(inner) for key, inner in value.items()}
        return [shape(inner) for inner in value] if isinstance(value, list) else type(value)

    return shape(json.loads(path.read_text(encoding="utf-8-sig")))


def word_structure(path: Path) -> Any:
    """Paragraphs, tables, sections and pictures, by python-docx."""
    import docx

    found = docx.Document(str(path))
    return (
        len(found.paragraphs),
        len(found.tables),
        len(found.sections),
        len(found.inline_shapes),
        [paragraph.style.name for paragraph in found.paragraphs if paragraph.style],
    )


def slides_structure(path: Path) -> Any:
    """The shapes of each slide, by python-pptx."""
    from pptx import Presentation

    return [[shape.name for shape in slide.shapes] for slide in Presentation(str(path)).slides]


def sheets_structure(path: Path) -> Any:
    """The sizes of the sheets and what is not text in them, by openpyxl."""
    from openpyxl import load_workbook

    return [
        (sheet.dimensions, [c.value for row in sheet for c in row if not isinstance(c.value, str)])
        for sheet in load_workbook(path).worksheets
    ]


def opendocument_structure(path: Path) -> Any:
    """The elements of the content, by odfdo. Spans are not counted: those that look the same and
    come to stand side by side become one."""
    from odfdo import Document

    elements = Document(path).body.get_elements("//*")
    return Counter(element.tag for element in elements if element.tag != "text:span")


def book_structure(path: Path) -> Any:
    """The names of the parts of a book, whose XML is well formed."""
    from zipfile import ZipFile

    from lxml import etree

    with ZipFile(path) as book:
        for name in book.namelist():
            if name.endswith((".xhtml", ".opf", ".ncx")):
                etree.fromstring(book.read(name))
        return book.namelist()


def subtitle_structure(path: Path) -> Any:
    """The times of the cues, by pysubs2."""
    import pysubs2

    return [(event.start, event.end) for event in pysubs2.load(str(path))]


def messages_structure(path: Path) -> Any:
    """The messages, by polib; `msgfmt -c` finds no fault that the file did not have."""
    import polib

    checked = subprocess.run(
        ["msgfmt", "-c", "-o", "/dev/null", str(path)], capture_output=True, check=False
    )
    return checked.returncode, [entry.msgid for entry in polib.pofile(str(path))]


def strings_structure(path: Path) -> Any:
    """The keys, by openstep-plist, which reads property lists of this form as Apple's programs."""
    import openstep_plist

    data = path.read_bytes()
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return list(openstep_plist.loads(data.decode("utf-16" if wide else "utf-8-sig")))


def units_structure(path: Path) -> Any:
    """The units of an XLIFF file, by lxml; with `XLIFF_SCHEMAS`, the first fault by its XSD."""
    from lxml import etree

    root = etree.parse(path).getroot()
    core = etree.QName(root).namespace or ""
    schemas = Path(os.environ.get(SCHEMAS) or "/nonexistent")
    name = {"1.2": "xliff-core-1.2-strict.xsd", "2.0": "xliff_core_2.0.xsd"}.get(core[-3:], "-")
    fault = None
    if (schemas / name).is_file():
        tree = etree.parse(schemas / name)
        for element in tree.iter("{*}import"):
            element.set("schemaLocation", str(schemas / "xml.xsd"))
        schema = etree.XMLSchema(tree)
        fault = None if schema.validate(root) else schema.error_log[0].type_name
    units = root.iter("{*}trans-unit", "{*}unit", "{*}segment")
    return fault, [(etree.QName(unit).localname, unit.get("id")) for unit in units]


def fluent_structure(path: Path) -> Any:
    """The names and references, comments and what is not valid, by Mozilla's parser."""
    from fluent.syntax import FluentParser, ast

    resource = FluentParser(with_spans=False).parse(path.read_text(encoding="utf-8"))
    found: Counter[tuple[str, str]] = Counter()

    def count(value: Any) -> None:
        if isinstance(value, list):
            for each in value:
                count(each)
        elif isinstance(value, dict) and value["type"] != ast.TextElement.__name__:
            found[value["type"], str(value.get("name") or value.get("content"))] += 1
            count([value[key] for key in sorted(value) if key != "comment"])

    count(resource.to_json())
    return found


def plist_structure(path: Path) -> Any:
    """The keys of a property list, by the standard library."""
    import plistlib

    def keys(value: Any) -> Any:
        return {k: keys(v) for k, v in value.items()} if isinstance(value, dict) else type(value)

    return keys(plistlib.loads(path.read_bytes()))


def linguist_structure(path: Path) -> Any:
    """The sources of a file of Qt, and the translations that are finished, by lxml."""
    from lxml import etree

    return [
        (message.findtext("source"), None if made is None or made.get("type") else made.text)
        for message in etree.parse(path).iter("message")
        for made in [message.find("translation")]
    ]


ORACLES: dict[str, Oracle] = {
    "html": markup_structure,
    "markdown": markdown_structure,
    "json": json_structure,
    "docx": word_structure,
    "pptx": slides_structure,
    "xlsx": sheets_structure,
    "odf": opendocument_structure,
    "epub": book_structure,
    "srt": subtitle_structure,
    "vtt": subtitle_structure,
    "subrip": subtitle_structure,
    "webvtt": subtitle_structure,
    "po": messages_structure,
    "android": markup_structure,
    "strings": strings_structure,
    "xliff": units_structure,
    "tmx": markup_structure,
    "resx": markup_structure,
    "stringsdict": plist_structure,
    "qt": linguist_structure,
    "fluent": fluent_structure,
}
"""What opens the files of a format; others are compared by docmt alone."""


GAIN_TARGETS = ("xliff", "po", "qt", "xcstrings")
"""Formats with both sides: filled with its own sentences, a file gains targets."""


@dataclass
class Row:
    """The counts of a format."""

    files: int = 0
    read: int = 0
    same: int = 0
    checked: int = 0
    valid: int = 0
    blocks: int = 0
    translated: int = 0
    codes: int = 0
    kept_codes: int = 0
    opened: tuple[int, int] | None = None
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def pseudo(sentence: str) -> str:
    """A sentence in upper case, its last word first."""
    words = sentence.upper().split()
    return " ".join([*words[-1:], *words[:-1]])


def codes_of(blocks: Iterable[Block], text: str) -> Counter[tuple[str, str]]:
    """The codes of a file, by their kinds and how they begin."""
    return Counter(
        (part.kind, part.name or text[part.start : part.end][:2])
        for block in blocks
        for part in block.parts
        if isinstance(part, Code) and part.shows and not part.text
    )


@contextmanager
def limited() -> Iterator[None]:
    """A limit on processor time."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    signal(SIGPROF, stop)
    setitimer(ITIMER_PROF, MAX_SECONDS)
    try:
        yield
    finally:
        setitimer(ITIMER_PROF, 0)


def measure(file_format: Format, path: Path, output: Path, row: Row) -> None:
    """Fill one file, and add to the counts."""
    row.files += 1
    try:
        (document,), skeleton = file_format.load().read(path, "en", None)
    except InputError as error:
        row.refused[error.problem if len(error.problem) < 60 else error.problem[:57] + "…"] += 1
        return
    assert isinstance(skeleton, BlockSkeleton)
    own = skeleton.fill_and_report([document.translated(document.source)])
    row.read += 1
    row.same += own.data == path.read_bytes()
    if own.data != path.read_bytes() and file_format.name not in GAIN_TARGETS:
        row.faults.append(f"{path}: not the same when filled with its own sentences")
    filled = skeleton.fill_and_report([document.translated(map(pseudo, document.source))])
    output.write_bytes(filled.data)
    row.blocks += len(skeleton.found.blocks)
    row.translated += len(skeleton.found.blocks) - filled.kept
    before = codes_of(skeleton.found.blocks, skeleton.text)
    row.codes += before.total()
    if skeleton.find is not None:
        after = codes_of(skeleton.find(filled.text).blocks, filled.text)
        row.kept_codes += (before & after).total()
    elif skeleton.rules is None or skeleton.rules.faulty(filled.text) is None:
        row.kept_codes += before.total()
    check(file_format, path, output, row)


def check(file_format: Format, path: Path, output: Path, row: Row) -> None:
    """Compare the structure of an output with that of its input, if its oracle reads the input."""
    oracle = ORACLES.get(file_format.name)
    if oracle is None:
        return
    try:
        expected = oracle(path)
    except Exception:
        return  # What the oracle cannot read says nothing.
    row.checked += 1
    try:
        found = oracle(output)
    except Exception as error:
        row.faults.append(f"{path}: {type(error).__name__}: {str(error)[:80]}")
        return
    row.valid += found == expected
    if found != expected:
        row.faults.append(f"{path}: another structure")


def open_in_libreoffice(paths: list[Path], folder: Path) -> tuple[int, int]:
    """How many of these files LibreOffice converts to PDF."""
    subprocess.run(
        [
            "soffice",
            "--headless",
            f"-env:UserInstallation=file://{folder}/profile",
            "--convert-to",
            "pdf",
            "--outdir",
            str(folder / "pdf"),
            *map(str, paths),
        ],
        capture_output=True,
        check=False,
        timeout=600,
    )
    return len(list((folder / "pdf").glob("*.pdf"))), len(paths)


def measure_format(file_format: Format, paths: list[Path], libreoffice: int) -> Row:
    """The row of a format."""
    row = Row()
    with tempfile.TemporaryDirectory() as temporary:
        outputs = Path(temporary) / "out"
        outputs.mkdir()
        for number, path in enumerate(paths):
            output = outputs / f"{number}{path.suffix}"
            try:
                with limited():
                    measure(file_format, path, output, row)
            except Exception as error:
                row.faults.append(f"{path}: {type(error).__name__}: {error}")
        office = (".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp")
        found = [p for p in sorted(outputs.iterdir()) if p.suffix in office][:libreoffice]
        if found and shutil.which("soffice"):
            row.opened = open_in_libreoffice(found, Path(temporary))
    return row


def share(part: int, whole: int) -> str:
    """A percentage, with the number that it is of."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    text = f"{percent:.0f}" if part == whole else f"{min(percent, 99.9):.1f}"
    return f"{text} % of {whole:,}"


def line(name: str, row: Row) -> str:
    """A row of the table."""
    opened = "–" if row.opened is None else share(*row.opened)
    cells = [
        name,
        f"{row.files:,}",
        "–" if name in GAIN_TARGETS else share(row.same, row.read),
        share(row.valid, row.checked),
        opened,
        share(row.translated, row.blocks),
        share(row.kept_codes, row.codes),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and on standard error what was refused and what failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=100, help="the most of a format (100)")
    parser.add_argument("--libreoffice", type=int, default=0, help="so many are opened in it (0)")
    arguments = parser.parse_args()
    found: dict[str, list[Path]] = {}
    for path in sorted(arguments.folder.rglob("*")):
        if path.is_file() and (file_format := format_of(path)) is not None:
            found.setdefault(file_format.name, []).append(path)
    print(
        "| format | files | the same when filled with themselves | valid | open in LibreOffice "
        "| blocks translated | inline codes kept |\n| --- |" + " ---: |" * 6
    )
    for file_format in FORMATS:
        if not (paths := found.get(file_format.name, [])):
            continue
        random.Random(1).shuffle(paths)
        row = measure_format(file_format, paths[: arguments.files], arguments.libreoffice)
        print(line(file_format.name, row), flush=True)
        for problem, count in row.refused.most_common():
            print(f"{file_format.name}: {count} refused: {problem}", file=sys.stderr)
        for fault in row.faults:
            print(f"{file_format.name}: {' '.join(fault.split())}", file=sys.stderr)


if __name__ == "__main__":
    main()
