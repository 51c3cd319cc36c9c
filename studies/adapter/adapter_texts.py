"""The texts that the study measures: documents, with the sentences that are measured."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from adapter_data import Case, load_cases
from docmt_files.storage.files import write_text
from docmt_nmt import corpora

_SKIPPED, _STRETCH = 100, 5
"""Lines at the beginning of an episode that are left out, and lines of a stretch."""

ORDINARY_LINES = 1_000
"""Lines of TVsub with something before them, for the choice of τ."""


@dataclass(frozen=True, slots=True)
class Text:
    """Consecutive sentences of which some are measured.

    Attributes:
        group: the film or the document, the unit of intervals.
        source: the sentences.
        measured: the indices of the measured sentences.
        references: for each reference, the translations of the measured sentences by people.
        expected: the form that the translation of the last sentence must have; empty if none is.
        distance: how many sentences before the antecedent is.
    """

    group: str
    source: tuple[str, ...]
    measured: tuple[int, ...]
    references: tuple[tuple[str, ...], ...] = ()
    expected: str = ""
    distance: int = 0


def of_cases(cases: Sequence[Case]) -> list[Text]:
    """Each case after the lines before it."""
    return [
        Text(
            case.film,
            (*case.before, case.sentence),
            (len(case.before),),
            ((case.reference,),),
            case.expected,
            case.distance,
        )
        for case in cases
    ]


def with_other_context(cases: Sequence[Case]) -> list[Case]:
    """The cases after the lines before another case, of another film where that is possible."""
    half = len(cases) // 2
    others = [*cases[half:], *cases[:half]]
    return [
        Case(c.film, other.before, c.sentence, c.expected, c.distance, c.reference)
        for c, other in zip(cases, others, strict=True)
    ]


def ordinary_lines(tvsub: Path) -> list[Text]:
    """Stretches of five English lines, the first of each episode from the 101st line on; all lines
    but the first of each are measured."""
    episodes = corpora.read(tvsub / "train.zh.xz", tvsub / "train.en.xz")
    found: list[Text] = []
    for episode in episodes:
        lines = (episode.target or ())[_SKIPPED : _SKIPPED + _STRETCH]
        if len(found) * (_STRETCH - 1) >= ORDINARY_LINES:
            break
        if len(lines) == _STRETCH and _is_cased(lines):
            found.append(Text(episode.id, lines, tuple(range(1, _STRETCH))))
    return found


def _is_cased(lines: Sequence[str]) -> bool:
    """Return whether a text has capitals where they belong."""
    letters = [letter for line in lines for letter in line if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    return 0.01 * len(letters) <= capitals <= len(letters) / 2


def news(ntrex: Path) -> list[Text]:
    """NTREX-128, its documents against both Portugueses."""
    folder = ntrex / "NTREX-128"
    sides = [
        (folder / f"newstest2019-{name}.txt").read_text("utf-8").rstrip("\n").split("\n")
        for name in ("src.eng", "ref.por", "ref.por-BR")
    ]
    ids = (ntrex / "DOCUMENT_IDS.tsv").read_text("utf-8").split()
    texts = []
    for name, rows in groupby(zip(ids, *sides, strict=True), key=lambda row: row[0]):
        _, source, *references = zip(*rows, strict=True)
        texts.append(Text(name, source, tuple(range(len(source))), tuple(references)))
    return texts


def chats(chat: Path, *, english: bool = True) -> list[Text]:
    """The English turns of each conversation of WMT24 chat, in their order; or those in
    Portuguese."""
    with (chat / "valid/en-pt.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if (row["source_language"] == "en") == english and row["source"].strip()
        ]
    texts = []
    for name, turns in groupby(rows, key=lambda row: row["doc_id"]):
        own = list(turns)
        source = tuple(" ".join(row["source"].split()) for row in own)
        reference = tuple(" ".join(row["reference"].split()) for row in own)
        texts.append(Text(name, source, tuple(range(len(own))), (reference,)))
    return texts


def write_texts(work: Path, tvsub: Path, ntrex: Path, chat: Path) -> None:
    """Write all texts, each a file in `texts` of the work folder."""
    data = work / "data"
    test = load_cases(data / "test.jsonl")
    named = {
        "dev": of_cases(load_cases(data / "dev.jsonl")),
        "ordinary": ordinary_lines(tvsub),
        "test": of_cases(test),
        "test-other": of_cases(with_other_context(test)),
        "subtitles": of_cases(load_cases(data / "subtitles.jsonl")),
        "news": news(ntrex),
        "chats": chats(chat),
    }
    write_named(work, named)


def write_named(work: Path, named: Mapping[str, list[Text]]) -> None:
    """Write texts, each a file in `texts` of the work folder, in an order drawn at random."""
    (work / "texts").mkdir(exist_ok=True)
    for name, texts in named.items():
        # What is measured when time is over is a random part.
        random.Random(1).shuffle(texts)
        lines = (json.dumps(asdict(text), ensure_ascii=False) + "\n" for text in texts)
        write_text(work / "texts" / f"{name}.jsonl", "".join(lines))


def load_texts(work: Path, name: str) -> Iterator[Text]:
    """The texts of a name."""
    for line in (work / "texts" / f"{name}.jsonl").read_text("utf-8").split("\n"):
        if line:
            values = json.loads(line)
            values["references"] = tuple(map(tuple, values["references"]))
            values["source"], values["measured"] = (
                tuple(values["source"]),
                tuple(values["measured"]),
            )
            yield Text(**values)
