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
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from docmt.data.translation_checks import CheckThresholds
from docmt.errors import InputError
from docmt.files import (
    PathLike,
    is_special,
    open_binary,
    parse_json,
    read_json,
    whole_directory,
    whole_path,
    write_text,
)
from docmt.recipes import Recipe, dump, load
from docmt.settings import flatten
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
    def create_whole(
        cls, directory: PathLike, recipe: Recipe, pipeline: Pipeline, state: Mapping[str, Tensor]
    ) -> Self:
        """Make a run directory with weights, all of it or nothing.

        Raises:
            InputError: there is something in its place, or it cannot be written.
        """
        directory = Path(directory)
        check_new(directory)
        with whole_directory(directory, replace=False) as part:
            cls.create(part, recipe, pipeline).save_weights(state)
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
            InputError: the run has no weights yet, or the file is damaged or holds NaN or infinity.
        """
        if not os.path.lexists(self.weights):
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
        state = self.state()
        # First, because a system of the sizes of a damaged recipe may not fit into memory.
        self._check_sizes(state)
        system = self.new_system()
        load_weights(system, state, self.weights)
        return system.to(device).eval()

    def _check_sizes(self, state: Mapping[str, Tensor]) -> None:
        """Check that weights fit the recipe's system, of which no more than its outline is built.

        Raises:
            InputError: naming the keys or tensors that do not fit.
        """
        sizes = flatten(self.recipe.system.model_dump(mode="json"), "system.")
        # Every layer has a tensor, and even the outline of a million layers takes minutes.
        problems = [
            f"{key} is {size}, but there are {len(state)} tensors"
            for key, size in sizes.items()
            if key.endswith("layers") and isinstance(size, int) and size > len(state)
        ]
        if not problems:
            with torch.device("meta"):
                outline = self.new_system().state_dict()
            problems = _misfits(outline, state, "the recipe")
            # A name may be missing if its tensor is there under another.
            shapes = {tensor.shape for tensor in state.values()}
            missing = [n for n, t in outline.items() if n not in state and t.shape not in shapes]
            if missing:
                problems.append("missing: " + first_few(missing))
        if problems:
            raise _misfit_error(problems, self.weights)

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


def check_new(directory: PathLike) -> None:
    """Check that a run directory can be made whole: that there is nothing in its place, or an empty
    directory.

    Raises:
        InputError: there is something.
    """
    check_not_a_run(directory)
    path = Path(directory)
    if os.path.lexists(path) and not path.is_dir():
        raise InputError("is not a directory", path=path, cure="Choose another directory")
    if path.is_dir() and any(path.iterdir()):
        raise InputError(
            "is not empty", path=path, cure="Choose another directory, or empty this one"
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
        InputError: the file is missing or damaged, may not be read, or holds NaN or infinity.
    """
    cure = f"Copy it again from its source, or {otherwise}"
    if is_special(path):
        raise InputError("is not a regular file", path=path, cure=cure)
    open_binary(path).close()  # the library gives one reason for all that cannot be opened
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            tied = parse_json((file.metadata() or {}).get(_TIED, "{}"))
        tensors |= {str(name): tensors[kept] for name, kept in tied.items()}
    except (SafetensorError, OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(
            f"is damaged, or not a weights file ({error})", path=path, cure=cure
        ) from None
    check_finite(tensors, path, cure=cure)
    return tensors


def check_finite(
    state: Mapping[str, Tensor], path: PathLike, *, cure: str = "Copy it again, or use another"
) -> None:
    """Check that all weights are numbers. With one that is not, a system computes nothing.

    Args:
        state: tensors by name.
        path: where they come from.
        cure: what to do otherwise.

    Raises:
        InputError: naming the first tensor that holds NaN or infinity.
    """
    for name, tensor in state.items():
        # Smallest and largest are found in one pass, without memory, and NaN is both.
        if tensor.is_floating_point() and tensor.numel():
            # Of 8-bit numbers they are not known to the library.
            values = tensor.detach() if tensor.element_size() > 1 else tensor.detach().float()
            ends = torch.stack(values.aminmax())
            if not ends.isfinite().all():
                raise InputError(f"{name} holds NaN or infinity", path=path, cure=cure)


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
    problems = _misfits(own, state, built_from)
    loaded: set[str] = set()
    missing = []
    for names in tied_names(own):
        given = [n for n in names if n in state and state[n].shape == own[n].shape]
        if any(not torch.equal(state[given[0]], state[name]) for name in given[1:]):
            problems.append(f"tied by {built_from}, but different: {first_few(names)}")
        if any(name in state for name in names):
            loaded.update(names)
        else:
            missing.append(names[0])
    if missing and not partial:
        problems.append("missing: " + first_few(missing))
    if problems:
        raise _misfit_error(problems, path, built_from, cure)
    system.load_state_dict(state, strict=False)
    return loaded


def _misfits(own: Mapping[str, Tensor], state: Mapping[str, Tensor], built_from: str) -> list[str]:
    """What is wrong with weights for a system with these tensors: other shapes, unknown names."""
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
    return problems


def _misfit_error(
    problems: Sequence[str],
    path: PathLike,
    built_from: str = "the recipe",
    cure: str = _RECIPE_CURE,
) -> InputError:
    """The error for weights that do not fit."""
    return InputError(
        f"the weights do not fit {built_from} ({'; '.join(problems)})", path=path, cure=cure
    )
