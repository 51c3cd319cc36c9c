"""Whether a system that is fine-tuned learns to use a context that seldom decides.

The start is a sentence-level Transformer, and one document in five has a planted cue.

    python tests/module.py planted.rare --runs RUNS [--only NAME ...]

Runs that have ended are not trained again, and results of rows that are not named stay.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train
from planted.cues import SIDES, write_corpus
from planted.systems import PARTS, SENTENCE, WHOLE, accuracies
from planted.table import RESULTS, show, write

DATA = RESULTS / "data" / "rare-cues.json"

SHARE = 0.2
"""The share of the documents that have a cue."""

START = "start"
"""The folder of the sentence-level system."""

_BLOCK = re.compile(r"(<!-- rare -->\n).*?(<!-- end of rare -->)", re.DOTALL)


@dataclass(frozen=True)
class Tuned:
    """A system fine-tuned from the sentence-level system.

    Attributes:
        initialize: the recipe's section, without the run.
        system, instances: sections of the recipe, without sizes.
        steps: the number of updates.
        rate: the peak learning rate; a third of the rate of the start by default.
    """

    initialize: Mapping[str, Any] = field(default_factory=dict)
    system: str = "g-transformer"
    instances: Mapping[str, Any] = field(default_factory=lambda: PARTS)
    steps: int = 600
    rate: float = 1e-3


_COPY: dict[str, Any] = {"new_attention": "copy"}


def _copy(bias: float) -> dict[str, Any]:
    return {**_COPY, "gate_bias": bias}


_SENTENCES_BEFORE = {**SENTENCE, "previous_sentences": 3}

TUNED: dict[str, Tuned] = {
    "random": Tuned(),
    "random, new parameters 3e-3, loaded 1e-4": Tuned({"loaded_learning_rate": 1e-4}, rate=3e-3),
    "copy, gates at one half": Tuned(_COPY),
    "copy, gates at 12 %": Tuned(_copy(2.0)),
    "concatenation": Tuned(system="transformer", instances=WHOLE),
    "copy, gates at one half, 3,000 updates": Tuned(_COPY, steps=3000),
    "copy, gates at 12 %, 3,000 updates": Tuned(_copy(2.0), steps=3000),
    "document-transformer, random": Tuned(
        system="document-transformer", instances=_SENTENCES_BEFORE
    ),
    "document-transformer, copy": Tuned(
        _COPY, system="document-transformer", instances=_SENTENCES_BEFORE
    ),
    "han, random": Tuned(system="han", instances=WHOLE),
    "han, copy": Tuned(_COPY, system="han", instances=WHOLE),
}
"""The rows of the table."""


def recipe_of(corpus: Path, training: Mapping[str, Any], **sections: Any) -> Recipe:
    """A recipe for the corpus with planted cues, of small sizes."""
    system = {"layers": 2, "heads": 4, "ffn_dim": 128, "norm": "pre", "d_model": 64, "dropout": 0.0}
    values: dict[str, Any] = {
        "data": {
            split: {"source": str(corpus / f"{split}.en"), "target": str(corpus / f"{split}.de")}
            for split in ("train", "valid")
        },
        "text": {"subword": "words", "vocabulary_size": 150},
        "training": {
            "batch_tokens": 1024,
            "warmup_steps": 100,
            "schedule": "polynomial",
            "label_smoothing": 0.0,
            "clip_norm": 1.0,
            "validate_every": training["max_steps"],
            **training,
        },
        **sections,
    }
    values["system"] = {**system, **sections["system"]}
    return Recipe.read(values)


def trained(name: str, corpus: Path, runs: Path) -> Path:
    """Train a row of the table, after the sentence-level system; what has been trained stays.

    Returns:
        The directory of the run.
    """
    start = runs / START
    training = {"max_steps": 1500, "learning_rate": 3e-3, "max_position_offset": 64}
    recipe = recipe_of(corpus, training, system={"name": "transformer"}, instances=SENTENCE)
    train(recipe, start, progress=False)
    row = TUNED[name]
    directory = runs / re.sub(r"\W+", "-", name)
    training = {"max_steps": row.steps, "learning_rate": row.rate}
    recipe = recipe_of(
        corpus,
        training,
        system={"name": row.system},
        instances=dict(row.instances),
        initialize={"run": str(start), **row.initialize},
    )
    train(recipe, directory, progress=False)
    return directory


def measured(run: Path, corpus: Path) -> dict[str, Any]:
    """Percent of the cases that a run gets right, by side of the cue, the validation loss, and the
    least and the highest share of context of the gates in percent."""
    shares = accuracies(run, corpus)
    end = read_log(run / "log.jsonl")[-1]
    gates = [round(100 * share, 1) for share in end.get("context_share", {}).values()]
    return {
        **{side: round(sum(shares[side].values()) / len(shares[side]), 1) for side in SIDES},
        "loss": round(end["loss"], 3),
        "gates": [min(gates), max(gates)] if gates else None,
    }


def with_table(page: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    """The page with the table of the results."""
    lines = [
        "| fine-tuned | source cue | target cue | validation loss | gates pass |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, row in found.items():
        gates = row["gates"]
        passed = "" if gates is None else f"{gates[0]:.1f}-{gates[1]:.1f} %"
        lines.append(
            f"| {name} | {row['source']:.1f} | {row['target']:.1f} | {row['loss']:.3f} | {passed} |"
        )
    return _BLOCK.sub(lambda match: f"{match[1]}{chr(10).join(lines)}\n{match[2]}", page)


def main() -> None:
    """Train, measure, and compare with the page, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=Path, required=True, help="the folder of the runs")
    parser.add_argument("--only", nargs="+", choices=TUNED, default=list(TUNED), metavar="NAME")
    parser.add_argument("--write", action="store_true", help="write the results into the page")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    corpus = arguments.runs / "corpus"
    if not corpus.exists():
        corpus.mkdir(parents=True)
        write_corpus(corpus, share=SHARE)
    for name in arguments.only:
        row = measured(trained(name, corpus, arguments.runs), corpus)
        show(name, row, DATA)
        if arguments.write:
            write(name, row, DATA, list(TUNED), with_table)


if __name__ == "__main__":
    main()
