"""How many planted faults `docmt check` finds, and what it says about sound translations, beside
the program pofilter.

    python benchmarks/seeded_defects.py [FILE.po…] [--corpora FOLDER] [--pofilter PATH]

Three tables:

- the defects of `seeded_defects.tsv`, written by hand: each of them alone in a file of the sound
  translations of its language, as a finding of the damaged entry is what counts;
- faults planted by rule in the files, which have translations by people of English, with the
  language in the header: of each kind up to 60 entries, one fault an entry, with the same random
  numbers in every run;
- findings in sound translations: those of the table, of the files, and of corpora in the folder
  (`NAME/dev.en.xz` beside `NAME/dev.XX.xz`). Most of these findings are false alarms, the others
  are faults of the people.

pofilter is a program of the Translate Toolkit, in an environment of its own.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import polib

from docmt.translating.checks.checking import Checking
from docmt.translating.checks.file_checks import CHECKS, Finding
from docmt_files import Input
from measuring import machine, print_table

TABLE = Path(__file__).with_suffix(".tsv")
_MOST = 60
_MAX_SENTENCES = 3000
_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd]|\{\w*\}|(?<!\w):[a-z]{3,}")
_TAG = re.compile(r"</?\w+[^<>]*>")
_NUMBER = re.compile(r"(?<![\w%({])\d+(?![\w)}])")
_BRACKETS = re.compile(r"\s?\([^()]*\)")
_NOT = re.compile(r"\b(?:não|nicht|no|non|niet|не|nie|inte)\b ?", re.IGNORECASE)
_ENGLISH_NOT = re.compile(r"\b(?:not|cannot|\w+n['’]t)\b", re.IGNORECASE)
_END = re.compile(r"[.?!:]\Z")

Damage = Callable[[polib.POEntry, random.Random, polib.POFile], str | None]
"""Gives a damaged translation of an entry, or None where it cannot have the fault."""


class Defect(NamedTuple):
    """A row of the table."""

    kind: str
    language: str
    source: str
    sound: str
    damaged: str


def defects() -> list[Defect]:
    """The defects of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        Defect(*(cell.replace("\\n", "\n").replace("\\t", "\t") for cell in row)) for row in rows
    ]


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


def _short_copied(entry: polib.POEntry, *_: object) -> str | None:
    words = entry.msgid.split()
    return entry.msgid if len(words) < 3 and all(word.isalpha() for word in words) else None


def _cut(entry: polib.POEntry, *_: object) -> str | None:
    words = entry.msgstr.split()
    return " ".join(words[: len(words) // 3]) if len(words) > 8 else None


def _repeated(entry: polib.POEntry, *_: object) -> str | None:
    words = entry.msgstr.split()
    return " ".join([*words[:3] * 4, *words[3:]]) if len(words) > 5 else None


def _doubled(entry: polib.POEntry, chance: random.Random, _: object) -> str | None:
    words = entry.msgstr.split(" ")
    alphabetic = [i for i, word in enumerate(words) if word.isalpha()]
    if len(words) < 4 or not alphabetic:
        return None
    chosen = chance.choice(alphabetic)
    return " ".join([*words[:chosen], words[chosen], *words[chosen:]])


def _double_space(entry: polib.POEntry, chance: random.Random, _: object) -> str | None:
    words = entry.msgstr.split(" ")
    if len(words) < 3:
        return None
    chosen = chance.randrange(1, len(words))
    return " ".join([*words[:chosen], "", *words[chosen:]])


def _bracket_added(entry: polib.POEntry, *_: object) -> str | None:
    return f"{entry.msgstr} (english)" if len(entry.msgid.split()) < 3 else None


def _negation_lost(entry: polib.POEntry, *_: object) -> str | None:
    if not _ENGLISH_NOT.search(entry.msgid) or not _NOT.search(entry.msgstr):
        return None
    return str(_NOT.sub("", entry.msgstr, count=1))


def _of_another(entry: polib.POEntry, chance: random.Random, file: polib.POFile) -> str | None:
    others = [e.msgstr for e in file.translated_entries() if len(e.msgstr.split()) > 3]
    return chance.choice(others) if len(entry.msgid.split()) > 3 else None


def _lost_name(entry: polib.POEntry, *_: object) -> str | None:
    for name in re.findall(r"\b(?:[A-Z][a-z]+[A-Z]\w+)\b", entry.msgid):
        if name in entry.msgstr:
            return str(entry.msgstr).replace(name, "das")
    return None


def _lower(entry: polib.POEntry, *_: object) -> str | None:
    text = entry.msgstr
    begins = text[:2].istitle() and text[:1].isupper() and entry.msgid[:1].isupper()
    return text[:1].lower() + text[1:] if begins and len(entry.msgid.split()) > 1 else None


FAULTS: dict[str, Damage] = {
    "a placeholder lost": _without(_PLACEHOLDER),
    "a tag lost": _without(_TAG),
    "another number": _other_number,
    "the source as translation": _copied,
    "the source, one or two words": _short_copied,
    "cut to a third": _cut,
    "three words four times": _repeated,
    "a word doubled": _doubled,
    "a double space": _double_space,
    "brackets lost": _without(_BRACKETS),
    "brackets added to a label": _bracket_added,
    "a negation lost": _negation_lost,
    "the mark at the end lost": _without(_END),
    "no capital at the beginning": _lower,
    "the translation of another text": _of_another,
    "a name replaced": _lost_name,
}


def main() -> None:
    """Damage, check, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--pofilter", type=Path)
    arguments = parser.parse_args()
    pofilter = arguments.pofilter
    tools = ["docmt check"] + (["pofilter"] if pofilter else [])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seen = seen_defects(folder, pofilter)
        rows = [
            [defect.language, defect.kind, *("yes" if each else "no" for each in found)]
            for defect, found in seen.items()
        ]
        totals = [f"{sum(each)} of {len(seen)}" for each in zip(*seen.values(), strict=True)]
        print_table(["language", "defect", *tools], [*rows, ["all", "", *totals]])
        print_table(
            ["fault", "entries", *tools], list(_rule_rows(arguments.files, folder, pofilter))
        )
        sound = [*sound_files(folder), *arguments.files, *_corpora(arguments.corpora, folder)]
        print_table(["sound translations", "texts", *tools, "kinds"], _sound_rows(sound, pofilter))
    print(machine())


def seen_defects(folder: Path, pofilter: Path | None = None) -> dict[Defect, tuple[bool, ...]]:
    """For each defect of the table whether docmt, and pofilter where it is given, marks it."""
    table = defects()
    found: dict[Defect, tuple[bool, ...]] = {}
    for defect in table:
        pairs = {row.source: row.sound for row in table if row.language == defect.language}
        pairs[defect.source] = defect.damaged
        path = folder / "seeded.po"
        _write(path, pairs.items(), defect.language)
        marked = [defect.source in _by_docmt(path)]
        if pofilter is not None:
            marked.append(defect.source in _by_pofilter(path, pofilter))
        found[defect] = tuple(marked)
    return found


def sound_files(folder: Path) -> Iterator[Path]:
    """The sound translations of the table, a file for each language."""
    table = defects()
    for language in dict.fromkeys(row.language for row in table):
        pairs = {row.source: row.sound for row in table if row.language == language}
        path = folder / f"table.{language}.po"
        _write(path, pairs.items(), language)
        yield path


def _corpora(corpora: Path | None, folder: Path) -> Iterator[Path]:
    """The dev splits of corpora with English, as files of strings."""
    if corpora is None:
        return
    for path in sorted(corpora.glob("*/dev.??.xz")):
        source = path.with_name("dev.en.xz")
        if path != source and source.exists():
            sides = (lzma.decompress(each.read_bytes()).decode() for each in (source, path))
            pairs = zip(*(side.splitlines() for side in sides), strict=True)
            kept = dict(pair for pair in pairs if pair[0] != "<d>" and all(pair))
            language = path.name.split(".")[1]
            made = folder / f"{path.parent.name}.{language}.po"
            _write(made, islice(kept.items(), _MAX_SENTENCES), language)
            yield made


def _write(path: Path, pairs: Iterable[tuple[str, str]], language: str) -> None:
    file = polib.POFile()
    file.metadata = {"Language": language, "Content-Type": "text/plain; charset=UTF-8"}
    file.extend(polib.POEntry(msgid=source, msgstr=target) for source, target in pairs)
    file.save(str(path))


def _rule_rows(files: Sequence[Path], folder: Path, pofilter: Path | None) -> Iterator[list[str]]:
    """For each kind of fault planted by rule the shares of damaged entries with a finding."""
    found: dict[str, list[int]] = {}
    for path in files:
        for kind, counts in _counts(path, folder, pofilter):
            totals = found.setdefault(kind, [0] * len(counts))
            found[kind] = [a + b for a, b in zip(totals, counts, strict=True)]
    for kind, (total, *counts) in found.items():
        yield [kind, f"{total:,}", *(f"{count / total:.0%}" if total else "" for count in counts)]


def _counts(path: Path, folder: Path, pofilter: Path | None) -> Iterator[tuple[str, list[int]]]:
    """For each fault the number of damaged entries, and how many of them each program finds."""
    for kind, damage in FAULTS.items():
        file = polib.pofile(str(path))
        entries = [e for e in file.translated_entries() if not e.msgid_plural and not e.obsolete]
        chance = random.Random(kind)
        chance.shuffle(entries)
        damaged: set[str] = set()
        for entry in entries:
            new = damage(entry, chance, file)
            if len(damaged) < _MOST and new and new != entry.msgstr:
                entry.msgstr = new
                damaged.add(entry.msgid)
        made = folder / "damaged.po"
        file.save(str(made))
        counts = [len(damaged), len(damaged & _by_docmt(made))]
        if pofilter is not None:
            counts.append(len(damaged & _by_pofilter(made, pofilter)))
        yield kind, counts


def _sound_rows(files: Sequence[Path], pofilter: Path | None) -> list[list[str]]:
    """For each file of sound translations the numbers of texts with a finding, and the kinds."""
    rows = []
    for path in files:
        total = len(polib.pofile(str(path)).translated_entries())
        marked = [len(_by_docmt(path))]
        if pofilter is not None:
            marked.append(len(_by_pofilter(path, pofilter)))
        kinds = Counter(finding.check for finding in findings_of(path))
        said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        shares = (f"{each:,} ({each / total:.1%})" for each in marked)
        rows.append([path.name, f"{total:,}", *shares, said])
    return rows


def findings_of(path: Path) -> list[Finding]:
    """The findings of docmt about a file."""
    code = polib.pofile(str(path)).metadata["Language"]
    checks = frozenset(CHECKS) - {"empty"}
    return Checking(Input(), ("en", code), checks).check(str(path), None).findings


def _by_docmt(path: Path) -> set[str]:
    """The sources of entries with a finding of docmt."""
    places = {finding.place for finding in findings_of(path)}
    lines = {int(place.rpartition("line ")[2].replace(",", "")) for place in places}
    starts = sorted((entry.linenum, entry.msgid) for entry in polib.pofile(str(path)))
    return {max((start, msgid) for start, msgid in starts if start <= line)[1] for line in lines}


def _by_pofilter(path: Path, pofilter: Path) -> set[str]:
    """The sources of entries with a failure of pofilter."""
    out = path.with_suffix(".filtered.po")
    out.unlink(missing_ok=True)
    language = polib.pofile(str(path)).metadata["Language"]
    subprocess.run(
        [str(pofilter), f"--language={language}", "--progress=none", str(path), str(out)],
        check=True,
        capture_output=True,
    )
    return {entry.msgid for entry in polib.pofile(str(out))} if out.exists() else set()


if __name__ == "__main__":
    main()
