"""The trainings of the study: the start, what is tried on validation, and the twins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe

STUDY = Path(__file__).resolve().parent
START = "start"

TRIED_STEPS, TWIN_STEPS = 500, 1000
"""Updates of what is tried on validation, and of a twin."""

_PARTS = ("system.name=g-transformer", "instances.kind=tokens", "instances.max_tokens=128")
_SLIDING = (
    "system.name=g-transformer",
    "instances.kind=window",
    "instances.window=4",
    "instances.stride=1",
    "training.context_loss=0.01",
)
_BLIND = ("system.source_context=false", "system.target_context=false")
"""Keys of a G-Transformer that sees no context."""

_SAME_SENTENCES = ("training.batch_tokens=100000", "training.batch_sentences=450")
"""Batches that do not depend on how much context is read."""

_FINETUNING = (
    "training.max_position_offset=0",
    "training.patience=null",
    "training.learning_rate=5e-4",
    "training.warmup_steps=100",
    "training.schedule=polynomial",
)

OPTIONS: dict[str, tuple[str, ...]] = {
    "plain": _PARTS,
    "discounted": _SLIDING,
    "current-words-dropped": (
        *_SLIDING,
        "training.word_dropout_source=0.2",
        "training.word_dropout_sentences=last",
    ),
    "several-lengths": (*_PARTS, "training.instance_sizes=[64,32,1]"),
}
"""What is tried on validation, on the G-Transformer; `plain` is what it is compared with."""


@dataclass(frozen=True)
class Experiment:
    """A training.

    Attributes:
        name: of its run directory.
        overrides: keys of the start's recipe that differ.
        steps: updates.
        seed: of the training.
        twin: the name of the training of the same batches without any context.
    """

    name: str
    overrides: tuple[str, ...]
    steps: int
    seed: int
    twin: str | None = None


def tried() -> list[Experiment]:
    """What is tried on validation, with one seed."""
    return [
        Experiment(f"tried-{name}", (*keys, *_FINETUNING), TRIED_STEPS, 1)
        for name, keys in OPTIONS.items()
    ]


def pairs(chosen: str) -> list[Experiment]:
    """The pairs of twins.

    Args:
        chosen: the name of the option that was best on validation.
    """
    own = OPTIONS[chosen]
    window = ("instances.kind=window", "instances.window=4")
    previous = ("instances.kind=sentence", *_SAME_SENTENCES)
    kinds: list[tuple[str, Sequence[int], tuple[str, ...], tuple[str, ...]]] = [
        ("parts", (1, 2, 3), own, (*own, *_BLIND)),
        (
            "window",
            (1,),
            ("system.name=transformer", *window),
            ("system.name=g-transformer", *window, *_BLIND),
        ),
        (
            "previous",
            (1,),
            ("system.name=document-transformer", *previous, "instances.previous_sentences=2"),
            ("system.name=transformer", *previous),
        ),
    ]
    found = []
    for name, seeds, seeing, blind in kinds:
        for seed in seeds:
            twin = f"{name}-blind-{seed}"
            found += [
                Experiment(f"{name}-{seed}", (*seeing, *_FINETUNING), TWIN_STEPS, seed, twin),
                Experiment(twin, (*blind, *_FINETUNING), TWIN_STEPS, seed),
            ]
    return found


def copied() -> list[Experiment]:
    """The trainings of the second study: parts whose attention beyond the sentence starts as a
    copy, beside the twins of `parts`."""
    starts = {
        "parts-copied": ("initialize.new_attention=copy", "initialize.gate_bias=2"),
        "parts-copied-open": ("initialize.new_attention=copy",),
    }
    found = []
    for name, keys in starts.items():
        for seed in (1, 2, 3):
            overrides, twin = (*_PARTS, *keys, *_FINETUNING), f"parts-blind-{seed}"
            found.append(Experiment(f"{name}-{seed}", overrides, TWIN_STEPS, seed, twin))
    return found


def recipe_of(experiment: Experiment, work: Path) -> Recipe:
    """The recipe of a training that starts from the start.

    Args:
        experiment: the training.
        work: the folder of the study's data and runs.
    """
    return recipes.load(
        str(STUDY / "start.yaml"),
        [
            *data_keys(work),
            f"initialize.run={work / 'runs' / START}",
            *experiment.overrides,
            f"training.max_steps={experiment.steps}",
            f"training.seed={experiment.seed}",
            "training.validate_every=250",
            "training.average.kind=none",
        ],
    )


def start_recipe(work: Path) -> Recipe:
    """The recipe of the start."""
    return recipes.load(str(STUDY / "start.yaml"), list(data_keys(work)))


def data_keys(work: Path) -> Iterator[str]:
    """The keys that say where the data are."""
    for split in ("train", "valid", "test"):
        yield f"data.{split}.source={work / 'data' / f'{split}.zh'}"
        yield f"data.{split}.target={work / 'data' / f'{split}.en'}"
    yield f"data.prepared={work / 'prepared'}"
