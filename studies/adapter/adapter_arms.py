"""The trainings of the study: arms that differ in what new attention sees, on the same batches."""

from __future__ import annotations

from pathlib import Path

from adapter_tasks import task_of
from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe

STEPS = 400
"""Updates of a training."""

ARMS: dict[str, tuple[str, ...]] = {
    "context": ("system.sees=beyond", "system.sentences_before=4"),
    "own": ("system.sees=sentence",),
}
"""Keys of each arm, beside the shared ones."""

_SHARED = (
    "instances.kind=tokens",
    "instances.max_tokens=512",
    "system.name=g-transformer",
    "system.count_positions=sentence",
    "system.encoder_context_layers=2",
    "system.cross_context_layers=1",
    "system.target_context=false",
    "system.recurrence_unit=sentence",
    "system.dropout=0",
    "initialize.new_attention=copy",
    "initialize.gate_bias=2",
    "initialize.freeze=[loaded]",
    "initialize.loaded_learning_rate=null",
    "training.batch_tokens=1024",
    "training.accumulate_batches=1",
    "training.learning_rate=5e-4",
    "training.warmup_steps=30",
    "training.schedule=polynomial",
    "training.clip_norm=1.0",
    "training.label_smoothing=0",
    "training.precision=fp32",
    "training.patience=null",
    "training.average.kind=none",
    "training.validate_every=50",
    "training.best_checkpoint_metric=loss",
)


def recipe_of(name: str, work: Path, folder: str = "data") -> Recipe:
    """The recipe of a training.

    Args:
        name: arm and seed, as `context-1`.
        work: the folder of the study's data and runs.
        folder: the folder in it with `train.jsonl` and `valid.jsonl`.

    Raises:
        InputError: there is no such arm.
    """
    arm, _, seed = name.rpartition("-")
    if arm not in ARMS or not seed.isdecimal():
        raise InputError(
            f"there is no training {name!r}", cure=f"Arms: {', '.join(ARMS)}; context-1"
        )
    data, (source, target) = work / folder, task_of(work).languages
    return recipes.load(
        "sentence-firefox",
        [
            f"data.source_language={source}",
            f"data.target_language={target}",
            f"data.train.source={data / 'train.jsonl'}",
            f"data.valid.source={data / 'valid.jsonl'}",
            f"initialize.run={work / 'runs/start'}",
            *_SHARED,
            *ARMS[arm],
            f"training.max_steps={STEPS}",
            f"training.seed={seed}",
        ],
    )
