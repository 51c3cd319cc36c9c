"""The data of the study, from CTXPRO (Wicks and Post 2023): training documents by completion, and
cases to translate in their context. The licences of the texts allow research only.
"""

from __future__ import annotations

import hashlib
import json
import random
import string
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docmt_files.storage.files import write_text
from docmt_nmt import corpora
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_research.completion import (
    CompletedDocument,
    complete_ellipsis,
    ends_in_auxiliary,
    is_elliptical,
    teach,
)

TEACHERS = ("de", "es", "fr", "it", "pl")
"""The languages from whose pairs the English lines are."""

SPLITS = ("dev", "devtest", "test")

LINES_BEFORE = 4
"""Maximum number of lines before a line."""

DOCUMENTS, VALIDATION = 6_000, 300
"""Documents of each kind, for training and for validation."""

OTHER_SUBTITLES = 3_000

_MAX_DISTANCE = 3
_NO_VERBS = frozenset(("do", "be", "have", "to"))


@dataclass(frozen=True, slots=True)
class Case:
    """A line that is translated in its context.

    Attributes:
        film: the film, by its number; the unit of intervals.
        before: the lines before, the nearest last.
        sentence: the line.
        expected: the form that its translation must have, in lower case; empty if none is.
        distance: how many lines before the antecedent is; 0 where there is none.
        reference: a translation by a person.
    """

    film: str
    before: tuple[str, ...]
    sentence: str
    expected: str
    distance: int
    reference: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of CTXPRO with what is known of it."""

    film: str
    before: tuple[str, ...]
    sentence: str
    row: dict[str, Any]


def film_of(row: dict[str, Any]) -> str:
    """The number of the film: the second in `en-pt/YEAR/YEAR_FILM_FILE`."""
    return str(row["document id"]).rsplit("/", 1)[-1].split("_")[1]


def has_form(translation: str, form: str) -> bool:
    """Return whether a translation has a form as words of its own. Case and ASCII punctuation do
    not count, as in the scorer of CTXPRO."""
    plain = translation.lower().translate(str.maketrans("", "", string.punctuation))
    return f" {form.lower()} " in f" {plain} "


def read_lines(release: Path, kind: str, pair: str, split: str) -> Iterator[Line]:
    """The lines of a split of CTXPRO that have a line before them.

    Args:
        release: the folder `release` of a checkout.
        kind: `auxiliary`, `formality` or `animacy`.
        pair: such as `en-pt`.
        split: `dev`, `devtest` or `test`.
    """
    name = f"{kind}.opensubtitles.{pair}.{split}"
    rows = json.loads((release / "evalsets" / f"{name}.json").read_text("utf-8"))
    # Not splitlines: lines have other line separators.
    inputs = (release / "inputs" / name).read_text("utf-8").rstrip("\n").split("\n")
    for row, text in zip(rows, inputs, strict=True):
        *before, sentence = (part.strip() for part in text.split("<eos>"))
        if before and before[-1] and sentence:
            yield Line(film_of(row), tuple(before), sentence, row)


def cases_of(lines: Iterator[Line] | Sequence[Line]) -> list[Case]:
    """Lines as cases, with the last lines before each."""
    return [
        Case(
            line.film,
            lines_after_gap(line.before)[-LINES_BEFORE:],
            line.sentence,
            str(line.row["expected"]).lower(),
            int(line.row.get("ante distance", 0)),
            line.row["ref segment"],
        )
        for line in lines
    ]


def held_out_films(release: Path) -> set[str]:
    """The films of all texts that the study measures."""
    films = {
        line.film for split in SPLITS for line in read_lines(release, "auxiliary", "en-pt", split)
    }
    for split in ("dev", "devtest"):
        films |= {line.film for line in read_lines(release, "formality", "en-pt", split)}
    return films


def completed_lines(lines: Sequence[Line], draw: random.Random) -> list[CompletedDocument]:
    """The ellipses, each with as many lines before as are drawn, completed by the verb of the
    antecedent; every pair of a line and the line before once."""
    seen: set[tuple[str, str]] = set()
    documents: list[CompletedDocument] = []
    for line in lines:
        distance, verb = (
            int(line.row["ante distance"]),
            str(line.row["src ante verb lemma"]).lower(),
        )
        before = lines_after_gap(line.before)
        key = before[-1].lower(), line.sentence.lower()
        if not 1 <= distance <= min(_MAX_DISTANCE, len(before)) or verb in _NO_VERBS or key in seen:
            continue
        completed = complete_ellipsis(line.sentence, verb)
        if completed is None:
            continue
        seen.add(key)
        number = draw.randint(distance, min(LINES_BEFORE, len(before)))
        source = (*before[-number:], line.sentence)
        documents.append(CompletedDocument(f"ellipsis-{len(documents)}", source, completed))
    return documents


def ordinary_stretches(lines: Sequence[Line], draw: random.Random) -> list[CompletedDocument]:
    """Two to five consecutive lines before each line, without a clause that ends in an
    auxiliary."""
    documents: dict[tuple[str, ...], CompletedDocument] = {}
    for index, line in enumerate(lines):
        before = lines_after_gap(line.before)
        number = draw.randint(2, LINES_BEFORE + 1)
        if len(before) < number:
            continue
        first = draw.randint(0, len(before) - number)
        source = before[first : first + number]
        if not any(map(ends_in_auxiliary, source)) and not any(map(is_elliptical, source)):
            documents[source] = CompletedDocument(f"ordinary-{index}", source)
    return list(documents.values())


def write_data(work: Path, release: Path) -> None:
    """Write the training and validation documents and the cases, with `data.json`."""
    data = work / "data"
    data.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    write_cases(data / "dev.jsonl", cases_of(read_lines(release, "auxiliary", "en-pt", "dev")))
    test = cases_of(read_lines(release, "auxiliary", "en-pt", "test"))
    draw.shuffle(test)
    write_cases(data / "test.jsonl", test)
    write_cases(data / "subtitles.jsonl", _other_subtitles(release))
    if not (data / "train.jsonl").exists():
        _write_documents(work, release, draw)
    write_record(data)


def write_record(data: Path) -> None:
    """Write `data.json`: how many lines each file has, and its SHA-256."""
    files = sorted(data.glob("*.jsonl"))
    record = {
        path.name: {
            "lines": path.read_text("utf-8").count("\n"),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in files
    }
    write_text(data / "data.json", json.dumps(record, indent=1) + "\n")


def _write_documents(work: Path, release: Path, draw: random.Random) -> None:
    """Write the training and validation documents."""
    held = held_out_films(release)
    lines = [
        line
        for language in TEACHERS
        for split in SPLITS
        for line in read_lines(release, "auxiliary", f"en-{language}", split)
        if line.film not in held
    ]
    draw.shuffle(lines)
    films = sorted({line.film for line in lines})
    of_validation = set(draw.sample(films, len(films) // 12))
    translator = BeamSearchTranslator.load(work / "runs/start")
    for name, number, is_valid in (("valid", VALIDATION, True), ("train", DOCUMENTS, False)):
        own = [line for line in lines if (line.film in of_validation) == is_valid]
        half = len(own) // 2  # The stretches are not those before the ellipses.
        wanted = [
            *completed_lines(own[:half], draw)[: number + number // 8],
            *ordinary_stretches(own[half:], draw)[:number],
        ]
        taught = teach(translator, wanted)
        completed = [document for document in taught if document.id.startswith("ellipsis")][:number]
        ordinary = [document for document in taught if document.id.startswith("ordinary")]
        corpora.write([*completed, *ordinary], work / "data" / f"{name}.jsonl")


def _other_subtitles(release: Path) -> list[Case]:
    """Lines without labels, of films in no split of the ellipses, each once."""
    films = {
        line.film for split in SPLITS for line in read_lines(release, "auxiliary", "en-pt", split)
    }
    found: dict[str, Line] = {}
    for split in ("dev", "devtest"):
        for line in read_lines(release, "formality", "en-pt", split):
            if line.film not in films:
                found.setdefault(line.sentence, line)
    cases = cases_of(list(found.values())[:OTHER_SUBTITLES])
    return [Case(c.film, c.before, c.sentence, "", 0, c.reference) for c in cases]


def lines_after_gap(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines after the last empty one."""
    empty = max((index for index, line in enumerate(lines) if not line), default=-1)
    return tuple(lines[empty + 1 :])


def write_cases(path: Path, cases: Sequence[Case]) -> None:
    """Write cases, one a line."""
    lines = (json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in cases)
    write_text(path, "".join(lines))


def load_cases(path: Path) -> list[Case]:
    """Read cases that `write_cases` wrote."""
    rows = (json.loads(line) for line in path.read_text("utf-8").split("\n") if line)
    return [Case(**{**row, "before": tuple(row["before"])}) for row in rows]
