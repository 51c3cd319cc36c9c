"""The cases of CTXPRO and the documents of NTREX-128 that the study uses."""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_nmt.text.forms import FormTable

_TABLE = FormTable.of("en")
assert _TABLE is not None
FORMS = _TABLE
PEOPLE = frozenset({"he", "she"})
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


class Case(NamedTuple):
    """A sentence of a film with the sentences before it.

    Attributes:
        film: the film, by its number in OpenSubtitles.
        source: the sentences; the last one is translated.
        person: `he` or `she` for a sentence of the control, otherwise None.
        distance: of the antecedent, in sentences; 0 for a sentence of the control.
    """

    film: str
    source: tuple[str, ...]
    person: str | None
    distance: int

    def is_right(self, text: str) -> bool:
        """Return whether a translation of the last sentence has the form of the reference."""
        if self.person is None:
            return bool(_IT.search(text))
        return PEOPLE & FORMS.groups_in(text) == {self.person}


def is_right_by_ctxpro(text: str) -> bool:
    """CTXPRO's own rule: *it* between spaces after all punctuation is taken out."""
    return " it " in f" {_PUNCTUATION.sub('', text.lower())} "


def read_cases(folder: Path, split: str) -> tuple[list[Case], list[Case]]:
    """The cases of a split, and the sentences of the control."""
    name = f"animacy.opensubtitles.pt-en.{split}"
    rows = json.loads((folder / "release/evalsets" / f"{name}.json").read_text("utf-8"))
    lines = (folder / "release/inputs" / name).read_text("utf-8").splitlines()
    cases: list[Case] = []
    control: dict[tuple[str, str], Case] = {}
    for row, line in zip(rows, lines, strict=True):
        source = tuple(each.strip() for each in line.split("<eos>"))
        film, distance = row["document id"].split("/")[-1].split("_")[1], row["ante distance"]
        is_earlier = not row["intrasegmental"] and distance > 0
        if is_earlier and row["src pronoun"].lower() in ("ele", "ela"):
            cases.append(Case(film, source, None, distance))
        texts = [(source, row["ref segment"])]
        if is_earlier and len(source) > distance:
            texts.append((source[: len(source) - distance], row["ref ante segment"]))
        for sentences, reference in texts:
            people = PEOPLE & FORMS.groups_in(reference)
            if len(people) == 1 and len(sentences) > 1:
                (person,) = people
                control.setdefault((film, sentences[-1]), Case(film, sentences, person, 0))
    return cases, list(control.values())


def sample(cases: list[Case], number: int) -> list[Case]:
    """Some cases, drawn with seed 1, in their order."""
    chosen = sorted(Random(1).sample(range(len(cases)), number))
    return [cases[index] for index in chosen]


def shuffled(cases: list[Case]) -> list[Case]:
    """All cases, in an order drawn with seed 1."""
    return Random(1).sample(cases, len(cases))


def permutation(films: list[str]) -> list[int]:
    """For each case the index of one of another film, drawn with seed 1; each index once."""
    random, order = Random(1), list(range(len(films)))
    for _ in range(1000):
        random.shuffle(order)
        if all(films[other] != film for film, other in zip(films, order, strict=True)):
            return order
    raise ValueError("too few films")


def documents_of(cases: list[Case], context: int) -> list[Document]:
    """The cases as documents, each with at most so many sentences before the last."""
    return [Document(str(number), case.source[-context - 1 :]) for number, case in enumerate(cases)]


def read_documents(folder: Path, *, test: bool) -> list[Document]:
    """The documents of NTREX-128 with their references in English: for the test, or for
    development."""
    names = [
        (folder / each).read_text("utf-8").splitlines()
        for each in (
            "DOCUMENT_IDS.tsv",
            "NTREX-128/newstest2019-ref.por-BR.txt",
            "NTREX-128/newstest2019-src.eng.txt",
        )
    ]
    rows = list(zip(*names, strict=True))
    documents = []
    for name, group in groupby(rows, key=lambda row: row[0]):
        _, source, target = zip(*group, strict=True)
        documents.append(Document(name, source, target))
    return documents[2::6] if test else documents[:28:3]
