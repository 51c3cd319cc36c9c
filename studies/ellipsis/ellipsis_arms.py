"""The trainings of the study: arms that differ in what may be looked at, on the same batches."""

from __future__ import annotations

from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe

STEPS = 300
"""Updates of a training."""

_G_TRANSFORMER = (
    "system.name=g-transformer",
    "system.count_positions=sentence",
    "system.encoder_context_layers=2",
    "system.decoder_context_layers=1",
    "system.cross_context_layers=1",
)

ARMS: dict[str, tuple[str, ...]] = {
    "copied": (*_G_TRANSFORMER, "initialize.new_attention=copy", "initialize.gate_bias=0"),
    "copied-closed": (*_G_TRANSFORMER, "initialize.new_attention=copy", "initialize.gate_bias=2"),
    "blind": (
        "system.name=g-transformer",
        "system.count_positions=sentence",
        "system.context_attention=group",
        "system.recurrence_unit=sentence",
    ),
    "concatenation": ("system.name=transformer",),
    "state": (
        "system.name=g-transformer",
        "system.count_positions=sentence",
        "system.context_attention=group",
        "system.recurrence_unit=instance",
    ),
    "random": _G_TRANSFORMER,
}
"""Keys of each arm, beside those of `sentence-firefox`."""

TWIN = "blind"
"""The arm that sees no context."""

_SHARED = (
    "instances.kind=tokens",
    "instances.max_tokens=512",
    "initialize.loaded_learning_rate=null",
    "training.batch_tokens=1024",
    "training.accumulate_batches=1",
    "training.learning_rate=5e-4",
    "training.warmup_steps=30",
    "training.schedule=polynomial",
    "training.clip_norm=1.0",
    "training.label_smoothing=0",
    "system.dropout=0",
    "training.precision=bf16",
    "training.patience=null",
    "training.average.kind=none",
    "training.validate_every=50",
    "training.best_checkpoint_metric=loss",
)


def recipe_of(name: str, work: Path) -> Recipe:
    """The recipe of a training.

    Args:
        name: arm and seed, as `copied-1`.
        work: the folder of the study's data and runs.

    Raises:
        InputError: there is no such arm.
    """
    arm, _, seed = name.rpartition("-")
    if arm not in ARMS or not seed.isdecimal():
        raise InputError(
            f"there is no training {name!r}", cure=f"Arms: {', '.join(ARMS)}; copied-1"
        )
    data = work / "data"
    return recipes.load(
        "sentence-firefox",
        [
            "data.source_language=en",
            "data.target_language=pt",
            f"data.train.source={data / 'train.documents.jsonl'}",
            f"data.valid.source={data / 'valid.documents.jsonl'}",
            f"initialize.run={work / 'runs/start'}",
            *_SHARED,
            *ARMS[arm],
            f"training.max_steps={STEPS}",
            f"training.seed={seed}",
        ],
    )
