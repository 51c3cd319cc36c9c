"""The trainings of the experiments: seeds, budgets, what they need, and where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe, differences
from docmt_nmt.runs.training_logs import read_log
from papers_experiments import COMMON, EXPERIMENTS, FROZEN, Experiment

SEEDS = (1, 2)
"""With which every experiment is trained."""

THIRD_SEED = 3
"""With which those are trained whose first two disagree."""

SPLITS = {"train": "train", "valid": "dev", "test": "test"}
"""The names of the files of each split of a corpus."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The updates of a training.

    Attributes:
        steps: the most from random weights, of new parameters alone, and in long fine-tuning.
        finetuning_steps: the most of a trained system otherwise.
    """

    steps: int = 3_000
    finetuning_steps: int = 1_000

    def of(self, experiment: Experiment) -> int:
        """The most updates of an experiment."""
        is_long = experiment.is_long or {*FROZEN} <= {*experiment.overrides}
        most = self.steps if experiment.start is None or is_long else self.finetuning_steps
        return round(most * experiment.share)


@dataclass(frozen=True, slots=True)
class Training:
    """An experiment with a seed.

    Attributes:
        experiment: what is trained.
        seed: of the training.
    """

    experiment: Experiment
    seed: int

    @property
    def name(self) -> str:
        """The name of its run directory."""
        return f"{self.experiment.name}-{self.seed}"

    @property
    def needs(self) -> list[Training]:
        """The trainings that must have ended before it."""
        return [training_named(name, self.seed) for name in self.experiment.needs]


def training_named(name: str, seed: int) -> Training:
    """The training of an experiment that goes with a seed."""
    experiment = EXPERIMENTS[name]
    return Training(experiment, seed if experiment.seeds is None else experiment.seeds[0])


def trainings(
    names: Sequence[str] = (), seeds: Sequence[int] = SEEDS, more: Mapping[str, int] | None = None
) -> list[Training]:
    """The trainings of some experiments and of what they need, by priority, then by seed.

    Args:
        names: of the experiments; none for all.
        seeds: of each.
        more: a further seed of some experiments.
    """
    chosen = [EXPERIMENTS[name] for name in names] or list(EXPERIMENTS.values())
    wanted = [Training(e, seed) for e in chosen for seed in e.seeds or seeds]
    wanted += [training_named(name, seed) for name, seed in (more or {}).items()]
    found = {each.name: each for one in wanted for each in _with_needs(one)}
    order = list(EXPERIMENTS)
    return sorted(
        found.values(),
        key=lambda one: (one.experiment.priority, one.seed, order.index(one.experiment.name)),
    )


def _with_needs(training: Training) -> Iterator[Training]:
    """A training and all that must have ended before it."""
    for before in training.needs:
        yield from _with_needs(before)
    yield training


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where runs are kept, and what all of them share.

    Attributes:
        runs: the folder of the run directories.
        data: the folder of the corpus; None for the bundled one.
        budget: the updates of a training.
        overrides: of keys of all recipes, such as for a try with a smaller system.
    """

    runs: Path
    data: Path | None = None
    budget: Budget = Budget()
    overrides: tuple[str, ...] = ()

    def run(self, training: Training) -> Path:
        """The run directory of a training."""
        return self.runs / training.name

    def is_done(self, training: Training) -> bool:
        """Whether it has ended.

        Raises:
            InputError: it has, but was trained with another recipe.
        """
        directory = self.run(training)
        lines = read_log(directory / "log.jsonl")
        if not lines or lines[-1]["kind"] != "end":
            return False
        expected, found = self.recipe(training), recipes.load(directory / "recipe.yaml")
        if training.needs:  # the text settings are those of the run that it started from
            expected = expected.model_copy(update={"text": found.text})
        if keys := differences(found, expected):
            raise InputError(
                f"was trained with another recipe; these keys differ: {', '.join(keys)}",
                path=directory,
                cure="Give the same options, or another folder of runs",
            )
        return True

    def corpus(self, experiment: Experiment) -> Path:
        """The folder of the prepared corpus of an experiment."""
        shortest = experiment.min_document_tokens
        suffix = "" if shortest is None else f"-{shortest}"
        return self.runs / f"data-{experiment.languages}{suffix}"

    def recipe(self, training: Training) -> Recipe:
        """The recipe of a training.

        Raises:
            InputError: the corpus lacks a file, or the recipe is not valid.
        """
        experiment = training.experiment
        keys = [
            "stages=[]",
            *COMMON,
            *self._corpus_keys(experiment),
            *experiment.overrides,
            f"data.prepared={self.corpus(experiment)}",
            f"training.seed={training.seed}",
            f"training.max_steps={self.budget.of(experiment)}",
        ]
        if experiment.min_document_tokens is not None:
            keys.append(f"data.filter.min_document_tokens={experiment.min_document_tokens}")
        by_name = dict(zip(experiment.needs, training.needs, strict=True))
        if experiment.start is not None:
            keys.append(f"initialize.run={self.run(by_name[experiment.start])}")
        for letter, name in experiment.contexts.items():
            keys.append(f"system.contexts.{letter}.run={self.run(by_name[name])}")
        if experiment.contexts:
            keys.append(f"training.context_cache={self.runs / 'encodings'}")
        return recipes.load(experiment.recipe, [*keys, *self.overrides])

    def _corpus_keys(self, experiment: Experiment) -> Iterator[str]:
        """The keys that name the files of the corpus."""
        for split, file in SPLITS.items():
            languages = zip(("source", "target"), ("en", experiment.languages[-2:]), strict=True)
            for side, language in languages:
                yield f"data.{split}.{side}={self._file(f'{file}.{language}')}"

    def _file(self, name: str) -> str:
        """A file of the corpus, compressed or not."""
        if self.data is None:
            return f"bundled:{name}.xz"
        plain = self.data / name
        return str(plain if plain.exists() else plain.with_name(f"{name}.xz"))
