"""How far the experiments of `papers.py` are, and how long the rest will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from docmt_nmt.systems import build
from papers_experiments import VOCABULARY_SIZE
from papers_measures import files
from papers_training import training_cost
from papers_workspace import Training, Workspace

COSTS = {
    "demo-document": 1.2,
    "demo-document-joined": 1.2,
    "demo-g-transformer": 1.2,
    "demo-window": 0.85,
    "demo-long-short": 1.7,
    "demo-han": 1.4,
    "demo-hm-gdc": 1.3,
    "demo-document-transformer": 0.85,
    "demo-bert-fused": 1.2,
    "demo-multi-source": 1.4,
    "demo-multi-context": 2.6,
}
"""The processor time of an update of a recipe, as a multiple of the sentence-level Transformer's
(`docs/results/demo.md`)."""

SECONDS = 0.28
"""Of an update of the sentence-level Transformer, 2,048 tokens on a core that does nothing else."""

State = Literal["measured", "trained", "begun", "open"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """How far a training is.

    Attributes:
        training: which.
        state: of it.
        updates: done so far.
        most: the most updates.
        seconds: of an update.
        is_known: whether these are from its own log.
        parameters: of the system.
    """

    training: Training
    state: State
    updates: int
    most: int
    seconds: float
    is_known: bool
    parameters: int

    @property
    def hours_left(self) -> float:
        """Core-hours at most."""
        left = 0 if self.state in ("measured", "trained") else self.most - self.updates
        return left * self.seconds / 3600

    def __str__(self) -> str:
        known = "" if self.is_known else "about "
        return (
            f"{self.training.name:<72}{self.parameters / 1e6:.2f} M parameters, "
            f"{self.state + ',':<10}{self.updates:>6,} of {self.most:,} updates, "
            f"{known}{self.seconds:.2f} s each, {self.hours_left:.1f} h left"
        )


def estimates(workspace: Workspace, wanted: Sequence[Training]) -> list[Estimate]:
    """How far each training is. What has no log yet takes as long as the sentence-level Transformer
    takes here, times what is known of the recipe."""
    logs = {one.name: training_cost(workspace.run(one)) for one in wanted}
    of_recipe: dict[str, float] = {}
    for one in wanted:
        if cost := logs[one.name]:
            of_recipe.setdefault(one.experiment.recipe, cost["seconds_per_update"])
    base = of_recipe.get("demo-sentence", SECONDS)
    sizes: dict[str, int] = {}
    found = []
    for one in wanted:
        log, recipe = logs[one.name], one.experiment.recipe
        state: State = "begun" if log else "open"
        if workspace.is_done(one):
            state = "measured" if files(workspace.run(one))[0].exists() else "trained"
        guess = of_recipe.get(recipe, base * COSTS.get(recipe, 1.0))
        seconds = log.get("seconds_per_update", guess)
        most = workspace.budget.of(one.experiment)
        updates = int(log.get("updates", 0))
        if one.experiment.name not in sizes:
            recipe_values = workspace.recipe(one)
            system = build(recipe_values.system, VOCABULARY_SIZE, VOCABULARY_SIZE)
            sizes[one.experiment.name] = sum(p.numel() for p in system.parameters())
        size = sizes[one.experiment.name]
        found.append(Estimate(one, state, updates, most, seconds, bool(log), size))
    return found


def plan(workspace: Workspace, wanted: Sequence[Training], jobs: int) -> str:
    """All estimates, and their sum."""
    each = estimates(workspace, wanted)
    hours = sum(one.hours_left for one in each)
    done = sum(one.state in ("measured", "trained") for one in each)
    total = (
        f"{done} of {len(each)} trained. At most {hours:.1f} core-hours left, "
        f"{hours / jobs:.1f} hours with {jobs} at a time; early stopping makes it less."
    )
    return "\n".join([*map(str, each), total])
