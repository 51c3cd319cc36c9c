"""`Run`: a run directory, with the recipe, the text pipeline and the weights of a trained system.
Translating, evaluating and further training need nothing else.

    RUN/recipe.yaml           the recipe, with every key
    RUN/text/                 the text pipeline
    RUN/thresholds.json       what is unusual for a sentence pair, learned from the training split
    RUN/weights.safetensors   the best weights so far, or the final ones
    RUN/log.jsonl             the training log
    RUN/checkpoints/000100/   checkpoints to resume training from
    RUN/data/                 the prepared corpus, unless the recipe names one
    RUN/encodings/            the states of context encoders, unless the recipe names a folder
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from docmt.data.translation_checks import CheckThresholds
from docmt.errors import InputError
from docmt.files import PathLike, read_json, whole_directory, whole_path, write_text
from docmt.recipes import Recipe, dump, load
from docmt.systems import System, build
from docmt.text import Pipeline
from docmt.wording import dimensions, first_few

_THRESHOLDS = "thresholds.json"

_TIED = "tied"
"""The metadata key of a weights file for the names of tied tensors and the names they share."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run directory.

    Attributes:
        directory: its path.
        recipe: its recipe.
        pipeline: its text pipeline.
    """

    directory: Path
    recipe: Recipe
    pipeline: Pipeline

    @classmethod
    def create(
        cls,
        directory: PathLike,
        recipe: Recipe,
        pipeline: Pipeline,
        thresholds: CheckThresholds | None = None,
    ) -> Self:
        """Make a run directory, without weights yet.

        Args:
            directory: its path.
            recipe: its recipe.
            pipeline: its text pipeline.
            thresholds: what is unusual for a sentence pair, if it is known.

        Raises:
            InputError: it is a run already, or cannot be written.
        """
        directory = Path(directory)
        check_not_a_run(directory)
        with whole_directory(directory / "text") as part:
            pipeline.save(part)
        (directory / _THRESHOLDS).unlink(missing_ok=True)
        if thresholds is not None:
            write_text(directory / _THRESHOLDS, thresholds.to_json())
        # Last, because it is what makes the directory a run.
        write_text(directory / "recipe.yaml", dump(recipe))
        return cls(directory, recipe, pipeline)

    @classmethod
    def load(cls, directory: PathLike) -> Self:
        """Open a run directory.

        Raises:
            InputError: it is not a run directory, or its recipe or pipeline cannot be read.
        """
        directory = Path(directory)
        if not (directory / "recipe.yaml").is_file():
            problem = "is not a run directory" if directory.exists() else "no such directory"
            raise InputError(
                f"{problem} (a run directory holds recipe.yaml)", path=directory,
                cure="Name the directory that was given to `docmt train` or `docmt import`",
            )  # fmt: skip
        recipe = load(directory / "recipe.yaml")
        if not (directory / "text").is_dir():
            raise InputError(
                "lacks the folder text, which holds the text pipeline", path=directory,
                cure="Copy the whole run directory again",
            )  # fmt: skip
        return cls(directory, recipe, Pipeline.load(directory / "text"))

    @property
    def weights(self) -> Path:
        """The file of the weights to translate with."""
        return self.directory / "weights.safetensors"

    @property
    def log(self) -> Path:
        """The training log, one JSON object per line."""
        return self.directory / "log.jsonl"

    @property
    def checkpoints(self) -> Path:
        """The directory of checkpoints."""
        return self.directory / "checkpoints"

    def thresholds(self) -> CheckThresholds:
        """What is unusual for a sentence pair, by the run's corpus; the defaults for its languages
        if the run does not say, because it was imported or its corpus is very small.

        Raises:
            InputError: the file is damaged.
        """
        path = self.directory / _THRESHOLDS
        if not path.exists():
            return CheckThresholds.default(self.pipeline.languages)
        return CheckThresholds.read(read_json(path), path=path)

    def new_system(self) -> System:
        """The recipe's system with its random initial weights, on CPU."""
        return build(
            self.recipe.system,
            len(self.pipeline.source_vocabulary),
            len(self.pipeline.target_vocabulary),
            seed=self.recipe.training.seed,
        )

    def state(self) -> dict[str, Tensor]:
        """The weights by name.

        Raises:
            InputError: the run has no weights yet, or the file is damaged.
        """
        if not self.weights.is_file():
            raise InputError(
                "the run has no weights yet", path=self.directory,
                cure="Train it: the first weights are written after the first validation",
            )  # fmt: skip
        return read_weights(self.weights)

    def system(self, device: torch.device | str = "cpu") -> System:
        """The trained system in eval mode.

        Raises:
            InputError: the run has no weights yet, or they are damaged or do not fit its recipe.
        """
        system = self.new_system()
        load_weights(system, self.state(), self.weights)
        return system.to(device).eval()

    def save_weights(self, state: Mapping[str, Tensor]) -> None:
        """Replace the run's weights, whole or not at all.

        Args:
            state: tensors by name, as `system.state_dict()` gives them.
        """
        with whole_path(self.weights) as part:
            write_weights(part, state)


def check_not_a_run(directory: PathLike) -> None:
    """Check that a directory is not a run directory yet.

    Raises:
        InputError: it is.
    """
    if (Path(directory) / "recipe.yaml").exists():
        raise InputError(
            "is already a run directory", path=directory, cure="Choose another directory"
        )


def write_weights(path: Path, state: Mapping[str, Tensor]) -> None:
    """Write tensors by name; a tensor with several names is written once.

    Raises:
        OSError: the file cannot be written.
    """
    tensors: dict[str, Tensor] = {}
    tied: dict[str, str] = {}
    for names in tied_names(state):
        tensors[names[0]] = state[names[0]].detach().cpu().contiguous()
        tied.update(dict.fromkeys(names[1:], names[0]))
    path.touch()
    mode = path.stat().st_mode
    try:
        save_file(tensors, path, metadata={_TIED: json.dumps(tied, sort_keys=True)})
        # The library makes files that only their owner may read.
        path.chmod(mode)
    except SafetensorError as error:
        raise OSError(0, str(error), str(path)) from error


def read_weights(path: Path, *, otherwise: str = "train the run again") -> dict[str, Tensor]:
    """Read what `write_weights` wrote, on CPU; names that shared a tensor share it again.

    Args:
        path: the file.
        otherwise: what to do about a damaged file that there is no copy of.

    Raises:
        InputError: the file is missing or damaged.
    """
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            tied = json.loads((file.metadata() or {}).get(_TIED, "{}"))
        return tensors | {name: tensors[kept] for name, kept in tied.items()}
    except FileNotFoundError:
        raise InputError("no such file", path=path, cure="Check the run directory") from None
    except (SafetensorError, OSError, ValueError, KeyError, AttributeError) as error:
        raise InputError(
            f"is damaged, or not a weights file ({error})", path=path,
            cure=f"Copy it again from its source, or {otherwise}",
        ) from None  # fmt: skip


def tied_names(state: Mapping[str, Tensor]) -> list[list[str]]:
    """The names of a state dict in order, with the names of the same tensor in one group."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for name, tensor in state.items():
        identity = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        key = identity if tensor.numel() else (name,)
        groups.setdefault(key, []).append(name)
    return list(groups.values())


_RECIPE_CURE = "Compare `system`, `text` and `instances` of the recipe with those of the weights"


def load_weights(
    system: nn.Module,
    state: Mapping[str, Tensor],
    path: PathLike,
    *,
    partial: bool = False,
    built_from: str = "the recipe",
    cure: str = _RECIPE_CURE,
) -> set[str]:
    """Copy weights into a system.

    Args:
        system: the system, changed in place.
        state: tensors by name.
        path: where they come from, for error messages.
        partial: whether the system may have parameters that the state lacks.
        built_from: what the system was built from, for error messages.
        cure: what to do if the weights do not fit the system.

    Returns:
        The names that were loaded.

    Raises:
        InputError: a name or a shape does not fit, or tensors differ that are tied in the system.
    """
    own = system.state_dict()
    problems = []
    wrong = [name for name in own if name in state and own[name].shape != state[name].shape]
    if wrong:
        shapes = (
            f"{name} is {dimensions(state[name].shape)} in the weights, but "
            f"{dimensions(own[name].shape)} by {built_from}"
            for name in wrong
        )
        problems.append("different shapes: " + first_few(shapes))
    if unknown := [name for name in state if name not in own]:
        problems.append(f"not in the system of {built_from}: {first_few(unknown)}")
    loaded: set[str] = set()
    missing = []
    for names in tied_names(own):
        given = [name for name in names if name in state and name not in wrong]
        if any(not torch.equal(state[given[0]], state[name]) for name in given[1:]):
            problems.append(f"tied by {built_from}, but different: {first_few(names)}")
        if any(name in state for name in names):
            loaded.update(names)
        else:
            missing.append(names[0])
    if missing and not partial:
        problems.append("missing: " + first_few(missing))
    if problems:
        raise InputError(
            f"the weights do not fit {built_from} ({'; '.join(problems)})", path=path, cure=cure
        )
    system.load_state_dict(state, strict=False)
    return loaded
