"""The parts of a report about each run: a description, the training, notes on the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.run import Run, read_recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.training_logs import minutes_by_update, read_log
from docmt_nmt.systems import system_class
from docmt_research.analysis.run_stages import run_stages
from docmt_research.analysis.training_curves import mean_over_layers, read_curves


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The description of a run.

    Attributes:
        name: the name of the run in the report.
        directory: where it lies.
        system: the name of the run's system.
        parameters: number of weights; None if the weights are elsewhere.
        facts: further facts, by their names.
        curves: from the log, the points of each curve, (update, value), by name.
        minutes: the minutes of the updates up to a point, of the stages before, too; see
            `minutes_by_update`.
        hardware: the hardware of the training; empty if it is not known.
    """

    name: str
    directory: str
    system: str
    parameters: int | None
    facts: Mapping[str, str]
    curves: Mapping[str, Sequence[tuple[float, float]]]
    minutes: Mapping[int, float] = field(default_factory=dict)
    hardware: str = ""


def summary(name: str, run: Run) -> RunSummary:
    """Return a description of a run, by the recipe and the log."""
    if not run.recipe.is_trained:
        recipe = run.recipe
        directory = str(run.directory)
        return RunSummary(name, directory, recipe.translator_name, None, recipe.facts, {})
    return _summary_of_system(name, cast(SystemRun, run))


def _summary_of_system(name: str, run: SystemRun) -> RunSummary:
    """The description of the run of a trained system, by the recipes and the logs of all stages."""
    recipe = run.recipe
    stages = run_stages(run.directory)
    logs = [read_log(stage / "log.jsonl") for stage in stages]
    times = [minutes_by_update(lines) for lines in logs]
    taken = [max(minutes.values(), default=0.0) for minutes in times]
    before = sum(taken[:-1])
    ends: list[Mapping[str, Any]] = [
        next((line for line in reversed(log) if line["kind"] == "end"), {}) for log in logs
    ]
    facts = {"instances": recipe.instances.kind, "seed": str(recipe.training.seed)}
    if len(stages) > 1:
        facts["stages"] = ", ".join(stage.name for stage in stages[:-1]) + ", the run itself"
    first = read_recipe(stages[0])
    if isinstance(first, Recipe) and first.initialize is not None:
        facts["starts from"] = f"{first.initialize.run}, whose training is not counted"
    if end := ends[-1]:
        facts["updates"] = " + ".join(f"{one['step']:,}" if one else "not known" for one in ends)
        facts["validation loss"] = f"{end['loss']:.4f}"
        if shares := end.get("context_share"):
            low, high = min(shares.values()), max(shares.values())
            facts["context that passes gates"] = f"{100 * low:.1f}-{high:.1%}"
    if any(taken):
        total = f" = {sum(taken):,.1f}" if len(taken) > 1 else ""
        parts = " + ".join(f"{one:,.1f}" if one else "not known" for one in taken)
        facts["training time"] = f"{parts}{total} min"
    return RunSummary(
        name,
        str(run.directory),
        recipe.system.name,
        sum(tensor.numel() for tensor in run.state().values()),
        facts,
        _curves(run),
        {step: before + minutes for step, minutes in times[-1].items()},
        ", then ".join(dict.fromkeys(filter(None, map(_hardware, ends)))),
    )


def _hardware(end: Mapping[str, Any]) -> str:
    """The hardware in the last line of a log, which logs of earlier versions do not have."""
    name, processes = str(end.get("hardware", "")), end.get("processes", 1)
    return f"{processes} × {name}" if name and processes != 1 else name


def reconstructions(runs: Mapping[str, Run]) -> list[str]:
    """A note for each system of a paper whose text and code leave parts open."""
    trained = [cast(SystemRun, run) for run in runs.values() if run.recipe.is_trained]
    systems = {run.recipe.system.name for run in trained}
    return [
        f"{system} is a reconstruction from {origin}: its scores are not the paper's."
        for system in sorted(systems)
        if (origin := system_class(system).reconstruction)
    ]


def _curves(run: SystemRun) -> dict[str, Sequence[tuple[float, float]]]:
    """The curves of a run's log, by quantity; curves of attention and gates are means over
    layers."""
    if not run.log.exists():
        return {}
    curves = read_curves(run.log)
    points: dict[str, Sequence[tuple[float, float]]] = {
        curve.quantity: curve.points for curve in curves if not curve.name
    }
    for quantity in ("attention entropy", "context share"):
        for name, curve in mean_over_layers(curves, quantity).items():
            points[f"{quantity}, {name}"] = curve.points
    return points
