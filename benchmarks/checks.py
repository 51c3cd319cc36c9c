"""How many planted faults `docmt check` finds in a PO file, beside the program pofilter.

    python benchmarks/checks.py FILE.po… [--pofilter PATH]

The files have translations by people, with the language in the header; the source is English. Of
each kind of fault up to 60 entries are damaged, one fault an entry, with the same random numbers in
every run. Printed is the share of these entries with a finding, and the share of the entries of the
undamaged files with one: most of these findings are false alarms. pofilter is a program of the
Translate Toolkit, in an environment of its own.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import polib

from docmt.translating.checking import Checking
from docmt.translating.file_checks import CHECKS
from docmt_files import Input
from measuring import machine, print_table

_MOST = 60
_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd]|\{\w*\}")
_TAG = re.compile(r"</?\w+[^<>]*>")
_NUMBER = re.compile(r"(?<![\w%({])\d+(?![\w)}])")

Damage = Callable[[polib.POEntry, random.Random, polib.POFile], str | None]
"""Gives a damaged translation of an entry, or None where it cannot have the fault."""


def _without(pattern: re.Pattern[str]) -> Damage:
    def damage(entry: polib.POEntry, *_: object) -> str | None:
        if not (pattern.search(entry.msgid) and pattern.search(entry.msgstr)):
            return None
        return " ".join(str(pattern.sub("", entry.msgstr, count=1)).split()) or None

    return damage


def _other_number(entry: polib.POEntry, *_: object) -> str | None:
    match = _NUMBER.search(entry.msgstr)
    if match is None or match[0] not in entry.msgid:
        return None
    return str(entry.msgstr.replace(match[0], str(int(match[0]) + 21), 1))


def _copied(entry: polib.POEntry, *_: object) -> str | None:
    return entry.msgid if len(entry.msgid.split()) > 3 else None


def _cut(entry: polib.POEntry, *_: object) -> str | None:
    words = entry.msgstr.split()
    return " ".join(words[: len(words) // 3]) if len(words) > 8 else None


def _repeated(entry: polib.POEntry, *_: object) -> str | None:
    words = entry.msgstr.split()
    return " ".join([*words[:3] * 4, *words[3:]]) if len(words) > 5 else None


def _of_another(entry: polib.POEntry, chance: random.Random, file: polib.POFile) -> str | None:
    others = [e.msgstr for e in file.translated_entries() if len(e.msgstr.split()) > 3]
    return chance.choice(others) if len(entry.msgid.split()) > 3 else None


def _lost_name(entry: polib.POEntry, *_: object) -> str | None:
    for name in re.findall(r"\b(?:[A-Z][a-z]+[A-Z]\w+)\b", entry.msgid):
        if name in entry.msgstr:
            return str(entry.msgstr).replace(name, "das")
    return None


FAULTS: dict[str, Damage] = {
    "a placeholder lost": _without(_PLACEHOLDER),
    "a tag lost": _without(_TAG),
    "another number": _other_number,
    "the source as translation": _copied,
    "cut to a third": _cut,
    "three words four times": _repeated,
    "the translation of another text": _of_another,
    "a name replaced": _lost_name,
}


def main() -> None:
    """Damage, check, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pofilter", type=Path)
    arguments = parser.parse_args()
    found: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as name:
        for path in arguments.files:
            for kind, counts in _counts(path, Path(name), arguments.pofilter):
                totals = found.setdefault(kind, [0] * len(counts))
                found[kind] = [a + b for a, b in zip(totals, counts, strict=True)]
    rows = [
        [kind, f"{total:,}", *(f"{count / total:.0%}" if total else "" for count in counts)]
        for kind, (total, *counts) in found.items()
    ]
    tools = ["docmt check"] + (["pofilter"] if arguments.pofilter else [])
    print_table(["fault", "entries", *tools], rows)
    print(machine())


def _counts(path: Path, folder: Path, pofilter: Path | None) -> Iterator[tuple[str, list[int]]]:
    """For each fault the number of damaged entries, and how many of them each program finds."""
    for kind, damage in {"none": None, **FAULTS}.items():
        file = polib.pofile(str(path))
        entries = [e for e in file.translated_entries() if not e.msgid_plural]
        entries = [e for e in entries if not e.obsolete]
        if damage is None:
            damaged = {entry.msgid for entry in entries}
        else:
            chance = random.Random(kind)
            chance.shuffle(entries)
            damaged = set()
            for entry in entries:
                new = damage(entry, chance, file)
                if len(damaged) < _MOST and new and new != entry.msgstr:
                    entry.msgstr = new
                    damaged.add(entry.msgid)
        made = folder / "damaged.po"
        file.save(str(made))
        counts = [len(damaged), len(damaged & _by_docmt(made, file))]
        if pofilter is not None:
            counts.append(len(damaged & _by_pofilter(made, pofilter, file)))
        yield kind, counts


def _by_docmt(path: Path, file: polib.POFile) -> set[str]:
    """The sources of entries with a finding of docmt."""
    languages = "en", file.metadata["Language"]
    checks = frozenset(CHECKS) - {"empty"}
    report = Checking(Input(), languages, checks).check(str(path), None)
    places = {finding.place for finding in report.findings}
    lines = {int(place.rpartition("line ")[2].replace(",", "")) for place in places}
    written = polib.pofile(str(path))
    starts = sorted((entry.linenum, entry.msgid) for entry in written)
    return {max((start, msgid) for start, msgid in starts if start <= line)[1] for line in lines}


def _by_pofilter(path: Path, pofilter: Path, file: polib.POFile) -> set[str]:
    """The sources of entries with a failure of pofilter."""
    out = path.with_suffix(".filtered.po")
    out.unlink(missing_ok=True)
    language = file.metadata["Language"]
    subprocess.run(
        [str(pofilter), f"--language={language}", "--progress=none", str(path), str(out)],
        check=True,
        capture_output=True,
    )
    return {entry.msgid for entry in polib.pofile(str(out))} if out.exists() else set()


if __name__ == "__main__":
    main()
