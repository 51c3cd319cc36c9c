"""The corpus of the study, English to Portuguese: cases of ellipsis from CTXPRO (Wicks and Post
2023), and lines of TVsub (Wang et al. 2018) translated by the start.

Training documents have two sentences: the sentence with the antecedent and the sentence with the
ellipsis, translated by people; or two consecutive lines of subtitles. The licences of the texts
allow research only: publish figures, and neither text nor weights.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.storage.files import write_text
from docmt_nmt import corpora
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.translators import translate

LINES = 5_520
"""Lines of subtitles in training, of which there are as many documents as by people."""

_SKIPPED = 100
"""Lines at the beginning of an episode that are left out: titles and names."""

VALIDATION_CASES, BLEU_CASES = 200, 1_000


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence that is translated in its context.

    Attributes:
        film: the film or episode, by its number.
        context: the sentence before.
        sentence: the sentence itself.
        expected: the form that its translation must have, in lower case.
        distance: how many sentences before the antecedent is; 0 where there is none.
        reference: a translation by a person.
    """

    film: str
    context: str
    sentence: str
    expected: str
    distance: int
    reference: str


def film_of(row: dict[str, Any]) -> str:
    """The number of the film: the second in `en-pt/YEAR/YEAR_FILM_FILE`."""
    return str(row["document id"]).rsplit("/", 1)[-1].split("_")[1]


def read_cases(release: Path, kind: str, split: str) -> list[Case]:
    """The cases of a split of CTXPRO that have a sentence before.

    Args:
        release: the folder `release` of a checkout.
        kind: `auxiliary` (ellipsis) or `formality`.
        split: `dev`, `devtest` or `test`.
    """
    name = f"{kind}.opensubtitles.en-pt.{split}"
    rows = json.loads((release / "evalsets" / f"{name}.json").read_text("utf-8"))
    # Not splitlines: sentences have other line separators.
    inputs = (release / "inputs" / name).read_text("utf-8").rstrip("\n").split("\n")
    cases = []
    for row, text in zip(rows, inputs, strict=True):
        *before, sentence = (part.strip() for part in text.split("<eos>"))
        if before and before[-1] and sentence:
            cases.append(
                Case(
                    film=film_of(row),
                    context=before[-1],
                    sentence=sentence,
                    expected=str(row["expected"]).lower(),
                    distance=int(row.get("ante distance", 0)),
                    reference=row["ref segment"],
                )
            )
    return cases


def has_form(translation: str, form: str) -> bool:
    """Return whether a translation has a form as words of its own. Case and ASCII punctuation do
    not count, as in the scorer of CTXPRO."""
    plain = translation.lower().translate(str.maketrans("", "", string.punctuation))
    return f" {form.lower()} " in f" {plain} "


def human_documents(release: Path, split: str, without: set[str]) -> list[Document]:
    """The sentences with an antecedent one sentence before, with it, in the translation by people.

    Args:
        release: the folder `release` of a checkout.
        split: the split.
        without: films to leave out.
    """
    path = release / "evalsets" / f"auxiliary.opensubtitles.en-pt.{split}.json"
    rows = json.loads(path.read_text("utf-8"))
    documents = []
    for index, row in enumerate(rows):
        if row["ante distance"] == 1 and film_of(row) not in without:
            source = (row["src ante segment"], row["src segment"])
            target = (row["ref ante segment"], row["ref segment"])
            if all(text.strip() for text in (*source, *target)):
                documents.append(Document(f"{split}-{index}", source, target))
    return documents


def subtitle_stretches(episodes: Iterable[Document], number: int) -> Iterator[tuple[str, ...]]:
    """Consecutive English lines from all over the episodes whose English is cased.

    Args:
        episodes: Chinese and English.
        number: lines in all.
    """
    cased = [e for e in episodes if _is_cased(e.target or ())]
    each = -(-number // len(cased))
    for episode in cased:
        lines = (episode.target or ())[_SKIPPED : _SKIPPED + min(each, number)]
        number -= len(lines)
        if lines:
            yield lines


def _is_cased(lines: Sequence[str]) -> bool:
    """Return whether a text has capitals where they belong, as in the study of context."""
    letters = [letter for line in lines for letter in line if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    return 0.01 * len(letters) <= capitals <= len(letters) / 2


def pairs_of(stretches: Iterable[Document]) -> Iterator[Document]:
    """Every two consecutive lines of each stretch as a document."""
    for stretch in stretches:
        assert stretch.target is not None
        for first in range(len(stretch) - 1):
            both = slice(first, first + 2)
            identifier = f"{stretch.id}-{first}"
            yield Document(identifier, stretch.source[both], stretch.target[both])


def write_data(work: Path, release: Path, episodes: Iterable[Document]) -> None:
    """Write the training and validation documents and the cases, with `data.json`: how many there
    are, and the SHA-256 of each file.

    Args:
        work: the folder of the study's data and runs; holds the start.
        release: the folder `release` of a checkout of CTXPRO.
        episodes: of TVsub, Chinese and English.
    """
    data = work / "data"
    data.mkdir(parents=True, exist_ok=True)
    ellipsis = {split: read_cases(release, "auxiliary", split) for split in ("dev", "devtest")}
    held_out = {case.film for cases in ellipsis.values() for case in cases}
    human = human_documents(release, "test", held_out)
    trained = {case.film for case in read_cases(release, "auxiliary", "test")}
    test = [case for case in ellipsis["devtest"] if case.film not in trained]
    formality = read_cases(release, "formality", "dev")
    unseen = {case.sentence: case for case in formality if case.film not in trained}
    write_cases(data / "test.jsonl", test)
    write_cases(data / "bleu.jsonl", list(unseen.values())[:BLEU_CASES])
    own_films = trained | {case.film for case in ellipsis["devtest"]}
    valid = human_documents(release, "dev", own_films)[:VALIDATION_CASES]
    corpora.write(valid, data / "valid.documents.jsonl")
    if not (data / "subtitles.jsonl").exists():
        stretches = [
            Document(f"subtitles-{index}", lines)
            for index, lines in enumerate(subtitle_stretches(episodes, LINES))
        ]
        translator = BeamSearchTranslator.load(work / "runs/start")
        made = [one.document for one in translate(translator, stretches)]
        corpora.write(made, data / "subtitles.jsonl")
    subtitles = list(pairs_of(corpora.read(data / "subtitles.jsonl")))
    corpora.write([*human, *subtitles], data / "train.documents.jsonl")
    forms = sorted({case.expected for case in read_cases(release, "auxiliary", "test")})
    write_text(data / "forms.json", json.dumps(forms, ensure_ascii=False) + "\n")
    record = {
        "documents by people": len(human),
        "documents of subtitles": len(subtitles),
        "validation documents": len(valid),
        "test cases": len(test),
        "test films": len({case.film for case in test}),
        "sentences for BLEU": min(len(unseen), BLEU_CASES),
        "sha256": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(data.glob("*.jsonl"))
        },
    }
    write_text(data / "data.json", json.dumps(record, indent=1) + "\n")


def write_cases(path: Path, cases: Sequence[Case]) -> None:
    """Write cases, one a line."""
    lines = (json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in cases)
    write_text(path, "".join(lines))


def load_cases(path: Path) -> list[Case]:
    """Read cases that `write_cases` wrote."""
    return [Case(**json.loads(line)) for line in path.read_text("utf-8").split("\n") if line]
