"""The runs of the study, each `docmt train` with a bundled recipe and overrides."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from docmt.corpora import read, write
from docmt.demo import corpus_file

SEEDS = (1, 2)
DOCUMENTS = 120
"""Documents that the new blocks are trained on, the first of the corpus."""

UPDATES = 200
"""Updates of the new blocks, and of the sentence-level system that is trained on."""

SYSTEMS = ("bert-fused", "multi-source", "multi-context")


@dataclass(frozen=True)
class Experiment:
    """One training.

    Attributes:
        name: the name of its run.
        recipe: a bundled recipe.
        overrides: keys of the recipe with other values.
    """

    name: str
    recipe: str
    overrides: tuple[str, ...] = ()


def experiments(runs: Path, model: Path) -> list[Experiment]:
    """All trainings, each after those that it needs.

    Args:
        runs: the folder of runs.
        model: the folder of the pretrained encoder.
    """
    encoders = {
        "pretrained": _huggingface(model),
        "corpus": f"{{kind: run, run: {runs / 'pegasus'}, d_model: 128}}",
        "random": _huggingface(runs / "random-encoder"),
    }
    first = [
        Experiment("sentence", "demo-stack-sentence"),
        Experiment(
            "pegasus", "demo-pegasus", ("training.batch_tokens=1024", "training.max_steps=600")
        ),
    ]
    after = [
        experiment
        for seed in SEEDS
        for experiment in (
            *(
                _stack(system, name, encoders[name], seed, runs)
                for system in SYSTEMS
                for name in ("pretrained", "corpus")
            ),
            _stack("bert-fused", "random", encoders["random"], seed, runs),
            Experiment(f"sentence-continued-{seed}", "demo-stack-sentence", _after(seed, runs)),
        )
    ]
    return [*first, *after]


def train(runs: Path, model: Path) -> None:
    """Train what is not trained yet. A training that was interrupted goes on.

    Raises:
        subprocess.CalledProcessError: a training failed.
    """
    runs.mkdir(parents=True, exist_ok=True)
    _write_random_encoder(model, runs / "random-encoder")
    sides = [corpus_file(f"train.{language}.xz") for language in ("en", "de")]
    write(islice(read(*sides), DOCUMENTS), runs / "train.en", runs / "train.de")
    for experiment in experiments(runs, model):
        command = [sys.executable, "-m", "docmt", "train", experiment.recipe]
        command += ["--run", str(runs / experiment.name), *experiment.overrides]
        subprocess.run(command, check=True)


def _stack(system: str, name: str, encoder: str, seed: int, runs: Path) -> Experiment:
    """A stack over one sentence-level Transformer, which is frozen."""
    overrides = [*_after(seed, runs, "freeze: [loaded]"), "stages=[]"]
    overrides += [f"system.contexts.B={encoder}", f"training.context_cache={runs / 'encodings'}"]
    if system != "bert-fused":
        overrides.append(f"system.contexts.P.run={runs / 'pegasus'}")
    return Experiment(f"{system}-{name}-{seed}", f"demo-{system}", tuple(overrides))


def _after(seed: int, runs: Path, more: str = "load: all") -> tuple[str, ...]:
    """Overrides of a training that starts from the sentence-level Transformer."""
    corpus = f"{{source: {runs / 'train.en'}, target: {runs / 'train.de'}, boundaries: markers}}"
    return (
        f"initialize={{run: {runs / 'sentence'}, {more}}}",
        f"data.train={corpus}",
        f"training.max_steps={UPDATES}",
        "training.warmup_steps=50",
        "training.validate_every=100",
        f"training.seed={seed}",
    )


def _huggingface(folder: Path) -> str:
    return f"{{kind: huggingface, model: {folder}, d_model: 384, too_long: truncate}}"


def _write_random_encoder(model: Path, folder: Path) -> None:
    """Write an encoder with the pretrained one's architecture and tokenizer, and random weights."""
    if folder.exists():
        return
    import torch
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    torch.manual_seed(1)
    AutoTokenizer.from_pretrained(model).save_pretrained(folder)
    AutoModel.from_config(AutoConfig.from_pretrained(model)).save_pretrained(folder)
