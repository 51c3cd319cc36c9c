"""`docmt adapt` on manuals: what 5,000 and 1,000 pairs gain on others, what becomes of news, and
how long it takes.

    python benchmarks/adapting.py MODEL WORK --corpus FOLDER --ntrex FOLDER [--pair en-pt]

MODEL is the run directory of a model of Firefox, WORK a folder for the adapted models and what was
measured, with which the same command goes on. A model from English to the source language that is
installed there (`DOCMT_MODELS=WORK docmt models add --run RUN --as en-pt`) makes general text.
CORPUS has `train` and `test`, as line files with `.docids`. NTREX is a checkout of NTREX-128, whose
news are measured against the Portuguese of Portugal and that of Brazil, in which the manuals are.
Seconds are of the processor, of the whole command in one thread: reading, cleaning, training,
translating what is held out and general text before and after, the glossary, compiling. The start
is compiled first, as `docmt models get` does, and both are measured so. The time of the clock does
not end the training: other programs may run beside it.

The exit code is 1 if a bound is missed: +7 BLEU with 5,000 pairs in 5 minutes, +3 with 1,000, news
within 0.3 BLEU and chrF of the start, against each of their translations.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import md5
from pathlib import Path
from typing import NamedTuple

from docmt.adapting import Adaptation, adapt
from docmt.models import InstalledModels
from docmt.models.adding import add_run
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.compiling.compile_anywhere import install_compiled
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.runs.open_run import load
from measuring import print_table

METRICS = MetricSettings(metrics=("s-bleu", "s-chrf"))

LEAST_GAIN = {5_000: 7.0, 1_000: 3.0}
MOST_SECONDS = {5_000: 300.0, 1_000: 300.0}
MOST_LOSS = 0.3
_NTREX = {"en": ["src.eng"], "pt": ["ref.por", "ref.por-BR"], "de": ["ref.deu"]}
MINUTES = 120
"""The most minutes of the clock for a training, which end none."""


class Row(NamedTuple):
    """BLEU and chrF of the manuals and of each news, and the seconds of the command."""

    manuals: tuple[float, ...]
    news: tuple[tuple[float, ...], ...]
    seconds: float = 0.0
    verdict: str = ""


class Corpus(NamedTuple):
    """The manuals: their folder, and the pair of languages."""

    folder: Path
    pair: str

    def read(self, split: str) -> list[Document]:
        """The documents of a split."""
        suffixes = (*self.pair.split("-"), "docids")
        source, target, ids = (self.folder / f"{split}.{suffix}.xz" for suffix in suffixes)
        return list(corpora.read(source, target, docids=ids))


def main() -> None:
    """Adapt, measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", type=Path, help="the model to start from")
    parser.add_argument("work", type=Path, help="a folder for the models")
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of the manuals")
    parser.add_argument("--ntrex", type=Path, required=True, help="a checkout of NTREX")
    parser.add_argument("--pair", default="en-pt", help="the languages")
    parser.add_argument("--pairs", type=int, nargs="*", default=list(LEAST_GAIN), help="so many")
    arguments = parser.parse_args()
    models = InstalledModels(arguments.work)
    pair = arguments.pair
    start = models.get(pair) or add_run(models, arguments.model, pair)
    install_compiled(start.directory)
    corpus = Corpus(arguments.corpus, pair)
    texts = [corpus.read("test"), *_news(arguments.ntrex, pair)]
    rows = {0: _kept(arguments.work / "0.json", lambda: _measured(start.directory, texts))}
    for pairs in arguments.pairs:
        rows[pairs] = _kept(
            arguments.work / f"{pairs}.json", partial(_adapted, models, pairs, corpus, texts)
        )
    _print(rows)
    if missed := list(_missed(rows)):
        print("\n".join(missed), file=sys.stderr)
        sys.exit(1)


def _kept(path: Path, measure: Callable[[], Row]) -> Row:
    """A row: as it is kept in a file, or measured and kept now."""
    if not path.exists():
        path.write_text(json.dumps(measure()), encoding="utf-8")
    manuals, news, seconds, verdict = json.loads(path.read_text("utf-8"))
    return Row(tuple(manuals), tuple(map(tuple, news)), seconds, verdict)


def _adapted(
    models: InstalledModels, pairs: int, corpus: Corpus, texts: Sequence[Sequence[Document]]
) -> Row:
    """Adapt to so many pairs, and measure."""
    material = models.folder / f"manuals-{pairs}.jsonl"
    corpora.write(_first(corpus.read("train"), pairs), material)
    name = f"manuals-{pairs}"
    start = models.named(corpus.pair)
    asked = Adaptation(models, start, name, [material], minutes=MINUTES, keep=True)
    began = time.process_time()
    outcome = adapt(asked, lambda line: print(f"{name}: {line}", flush=True))
    seconds = time.process_time() - began
    assert outcome.model is not None, "it is kept in any case"
    general = outcome.verdict.general
    print(f"{name}: {outcome.verdict.summary}; {general}; {outcome.verdict.terms}", flush=True)
    verdict = outcome.verdict.reason_against or "adopted"
    return _measured(outcome.model.directory, texts)._replace(seconds=seconds, verdict=verdict)


def _measured(run: Path, texts: Sequence[Sequence[Document]]) -> Row:
    """BLEU and chrF of a model on both texts."""
    translator = load(run)
    made: dict[tuple[str, ...], list[Document]] = {}
    scores = []
    for documents in texts:
        source = tuple(text for each in documents for text in each.source)
        if source not in made:
            made[source] = [each.document for each in translator.translate(documents)]
        scores.append(tuple(s.score for s in evaluate(made[source], [documents], METRICS)))
    manuals, *news = scores
    return Row(manuals, tuple(news))


def _missed(rows: dict[int, Row]) -> list[str]:
    """The bounds that are missed."""
    start = rows[0]
    found = []
    for pairs, row in rows.items():
        if not pairs:
            continue
        gain = row.manuals[0] - start.manuals[0]
        if gain < LEAST_GAIN.get(pairs, 0.0):
            found.append(f"{pairs:,} pairs gain {gain:+.2f} BLEU")
        if row.seconds > MOST_SECONDS.get(pairs, float("inf")):
            found.append(f"{pairs:,} pairs take {row.seconds:.0f} seconds")
        losses = [
            before - after
            for scores in zip(start.news, row.news, strict=True)
            for before, after in zip(*scores, strict=True)
        ]
        if max(losses) > MOST_LOSS:
            found.append(f"{pairs:,} pairs cost news {max(losses):.2f}")
    return found


def _print(rows: dict[int, Row]) -> None:
    """Print the table."""
    table = [
        [
            f"{pairs:,}" if pairs else "none",
            *map(_scores, (row.manuals, *row.news)),
            f"{row.seconds:.0f}" if pairs else "",
            row.verdict,
        ]
        for pairs, row in rows.items()
    ]
    news = ["news, BLEU / chrF", "with Brazil's, BLEU / chrF"][: len(rows[0].news)]
    head = ["pairs", "other manuals, BLEU / chrF", *news, "CPU seconds", "verdict"]
    print_table(head, table)


def _scores(scores: Sequence[float]) -> str:
    return " / ".join(f"{score:.2f}" for score in scores)


def _first(documents: Sequence[Document], pairs: int) -> list[Document]:
    """The first documents, by the MD5 of their names, with so many pairs."""
    taken: list[Document] = []
    for document in sorted(documents, key=lambda each: md5(each.id.encode()).hexdigest()):
        if sum(map(len, taken)) >= pairs:
            break
        taken.append(document)
    return taken


def _news(ntrex: Path, pair: str) -> list[list[Document]]:
    """The news of NTREX-128, as one document, once for each translation."""
    sources, targets = (
        [
            [line.strip() for line in (ntrex / "NTREX-128" / name).read_text("utf-8").splitlines()]
            for name in (f"newstest2019-{each}.txt" for each in _NTREX[code])
        ]
        for code in pair.split("-")
    )
    return [
        [Document("news", tuple(source), tuple(target))] for source in sources for target in targets
    ]


if __name__ == "__main__":
    main()
