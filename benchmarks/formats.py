"""What becomes of real files: how many are valid, and how much of them is kept.

    python benchmarks/formats.py FOLDER [--files 100] [--libreoffice 10]

FOLDER holds files of any formats of `docmt_files.FORMATS`, in any folders. Each is filled with
its own sentences, which must give the same bytes, and with pseudo-translations: every sentence in
upper case, its last word first. The table has a row per format. A file is valid if another program
opens it and finds the structure of the input: the oracle of its format below, or LibreOffice.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from signal import ITIMER_PROF, SIGPROF, setitimer, signal
from typing import Any

from docmt_files import FORMATS, Block, BlockSkeleton, Code, Format, format_of
from docmt_files.base.errors import InputError
from format_structures import ORACLES

MAX_SECONDS = 60
"""The processor time that a file may take."""

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
