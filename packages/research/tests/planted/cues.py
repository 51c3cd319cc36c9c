"""Documents with planted cues: a word whose translation only a word in an earlier sentence decides.

The documents are four short sentence pairs of the bundled corpus each. In the last one a word is
planted, and its cue in one of those before, one to three sentences back:

- **source cue**: the cue is one of two source words, both translated alike. The planted source word
  has two translations, one for each cue. Only the source of the earlier sentence tells which is
  right.
- **target cue**: the planted source word stands in the earlier sentence as well, and was translated
  there in one of two ways at random. It must be translated in the same way again. Only the
  translation of the earlier sentence tells which is right.

Test documents come in twos that differ in the cue alone. To a system that does not see it the
candidates of both are equally probable, so of each two it gets exactly one right.
"""

from __future__ import annotations

import json
import lzma
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt_nmt.corpora.demo import corpus_file

CueSide = Literal["source", "target"]

SIDES: tuple[CueSide, ...] = ("source", "target")
DISTANCES = (1, 2, 3)
SENTENCES = 4
"""Sentences of a document."""

_SOURCE_CUES = ("cueone", "cuetwo")
_CUE_TRANSLATION = "hinweis"
_PLANTED: dict[CueSide, str] = {"source": "sourcewise", "target": "targetwise"}
_TRANSLATIONS: dict[CueSide, tuple[str, str]] = {
    "source": ("quelleins", "quellzwei"),
    "target": ("zieleins", "zielzwei"),
}

Pair = tuple[str, str]


@dataclass(frozen=True)
class PlantedDocument:
    """A document with a cue.

    Attributes:
        pairs: its sentence pairs.
        side: which side tells.
        distance: how many sentences before the last the cue is.
        wrong: the last target sentence with the other translation.
    """

    pairs: tuple[Pair, ...]
    side: CueSide
    distance: int
    wrong: str


def short_pairs() -> list[Pair]:
    """The short sentence pairs of the bundled corpus, in lower case."""
    sides = [
        lzma.decompress(corpus_file(f"train.{language}.xz").read_bytes()).decode().lower()
        for language in ("en", "de")
    ]
    pairs = list(zip(*(side.splitlines() for side in sides), strict=True))
    return [pair for pair in pairs if all(3 <= len(side.split()) <= 5 for side in pair)]


def planted(
    draw: random.Random, pairs: list[Pair], side: CueSide, distance: int
) -> Iterator[PlantedDocument]:
    """Two documents that differ in the cue alone."""
    chosen = draw.sample(pairs, SENTENCES)
    places = [draw.randrange(len(source.split()) + 1) for source, _ in chosen]
    for which in (0, 1):
        rows = list(chosen)
        earlier, last = SENTENCES - 1 - distance, SENTENCES - 1
        right, other = (_TRANSLATIONS[side][which], _TRANSLATIONS[side][1 - which])
        if side == "source":
            cue = _SOURCE_CUES[which], _CUE_TRANSLATION
        else:
            cue = _PLANTED[side], right
        rows[earlier] = _with_words(rows[earlier], places[earlier], *cue)
        wrong = _with_words(rows[last], places[last], _PLANTED[side], other)[1]
        rows[last] = _with_words(rows[last], places[last], _PLANTED[side], right)
        yield PlantedDocument(tuple(rows), side, distance, wrong)


def _with_words(pair: Pair, place: int, source: str, target: str) -> Pair:
    """A pair with a word more on each side: anywhere in the source, first in the target."""
    words = pair[0].split()
    return " ".join([*words[:place], source, *words[place:]]), f"{target} {pair[1]}"


def write_corpus(
    folder: Path, *, documents: int = 12_000, twos: int = 50, seed: int = 1, share: float = 1.0
) -> None:
    """Write `train` and `valid` in `.en` and `.de`, and a suite of cases for `docmt contrast`.

    Args:
        folder: where to.
        documents: how many training documents.
        share: the share of the documents of `train` and `valid` that have a cue.
        twos: how many times two test documents there are of each side and distance.
        seed: of all that is drawn.
    """
    draw = random.Random(seed)
    pairs = short_pairs()

    def some(count: int) -> list[PlantedDocument]:
        """So many times two documents."""
        kinds = [(side, distance) for side in SIDES for distance in DISTANCES]
        return [
            document
            for index in range(count)
            for document in planted(draw, pairs, *kinds[index % len(kinds)])
        ]

    for split, count in (("train", documents // 2), ("valid", 60)):
        with_cue = round(share * count)
        written = [document.pairs for document in some(with_cue)]
        written += [tuple(draw.sample(pairs, SENTENCES)) for _ in range(2 * (count - with_cue))]
        for side, language in enumerate(("en", "de")):
            lines = [line for d in written for line in ("<d>", *(pair[side] for pair in d))]
            (folder / f"{split}.{language}").write_text("\n".join(lines) + "\n", "utf-8")
    cases = [_case(index, d) for index, d in enumerate(some(twos * len(SIDES) * len(DISTANCES)))]
    lines = [json.dumps(case, ensure_ascii=False) for case in cases]
    (folder / "cues.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def write_two(folder: Path, *, copies: int = 300, seed: int = 1) -> float:
    """Write `train` and `valid` of two documents, many times, that differ in a source cue one
    sentence before alone.

    Returns:
        The loss per label, in nats, below which no system comes that does not see the cue: ln 2 for
        each document.
    """
    two = list(planted(random.Random(seed), short_pairs(), "source", 1))
    for split, count in (("train", copies), ("valid", 1)):
        for side, language in enumerate(("en", "de")):
            lines = [line for d in two for line in ("<d>", *(pair[side] for pair in d.pairs))]
            (folder / f"{split}.{language}").write_text("\n".join(lines * count) + "\n", "utf-8")
    return math.log(2) / sum(len(target.split()) + 1 for _, target in two[0].pairs)


def _case(index: int, document: PlantedDocument) -> dict[str, object]:
    """The case of a document, as a line of a suite."""
    source, target = zip(*document.pairs, strict=True)
    return {
        "id": str(index),
        "source": source,
        "context": target[:-1],
        "candidates": [target[-1], document.wrong],
        "right": 0,
        "phenomenon": document.side,
        "distance": document.distance,
    }
