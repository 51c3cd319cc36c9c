"""Weights in files and in systems: tensors by name, stored as safetensors. A tensor with several
names is stored once. A tensor of codes of a byte has a scale in the file, by which the codes are
divided when they are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, equal, int8, nn, stack

from docmt_files.base.errors import InputError
from docmt_files.base.wording import dimensions, first_few
from docmt_files.storage.files import PathLike
from docmt_files.storage.stored_files import open_stored
from docmt_nmt.runs.weight_arrays import file_metadata, keeping_mode, tied_and_scales
from docmt_nmt.runs.weight_differences import DifferenceBase


def write_weights(path: Path, state: Mapping[str, Tensor]) -> None:
    """Write tensors by name; a tensor with several names is written once.

    Args:
        path: the file.
        state: the tensors.

    Raises:
        OSError: the file cannot be written.
    """
    tensors: dict[str, Tensor] = {}
    tied: dict[str, str] = {}
    for names in tied_names(state):
        tensors[names[0]] = state[names[0]].detach().cpu().contiguous()
        tied.update(dict.fromkeys(names[1:], names[0]))
    with keeping_mode(path):
        save_file(tensors, path, metadata=file_metadata(tied, {}))


def write_difference(
    path: Path, state: Mapping[str, Tensor], base_run: Path, base: Mapping[str, Tensor]
) -> None:
    """Write weights as the difference from those of another run.

    Args:
        path: the file.
        state: the tensors by name.
        base_run: the directory of the other run, which stays beside the own.
        base: the weights of the other run.

    Raises:
        InputError: the other run has no weights.
        OSError: the file cannot be written.
    """
    codes: dict[str, Tensor] = {}
    tied: dict[str, str] = {}
    scales: dict[str, float] = {}
    for names in tied_names(state):
        first = names[0]
        difference = state[first].detach().cpu().float() - base[first].cpu().float()
        largest = float(difference.abs().max()) if difference.numel() else 0.0
        scales[first] = _MAX_CODE / largest if largest else 1.0
        codes[first] = (difference * scales[first]).round().to(int8).contiguous()
        tied.update(dict.fromkeys(names[1:], first))
    metadata = file_metadata(tied, scales) | DifferenceBase.of(base_run).metadata()
    with keeping_mode(path):
        save_file(codes, path, metadata=metadata)


_MAX_CODE = 127.0
"""The largest code of a byte."""


def read_weights(path: Path, *, otherwise: str = "train the run again") -> dict[str, Tensor]:
    """Read a file of `write_weights`, on CPU; names of a shared tensor share it again.

    Args:
        otherwise: advice for a damaged file without a copy.

    Raises:
        InputError: the file is missing or damaged, may not be read, or holds NaN or infinity.
    """
    cure = f"Copy it again from its source, or {otherwise}"
    open_stored(path, cure=cure).close()  # the library gives one reason for whatever it cannot open
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            tied, scales = tied_and_scales(file.metadata() or {})
            base = DifferenceBase.read(file.metadata() or {})
        for name, scale in scales.items():
            tensors[name] = tensors[name].float().div_(scale)
        if base is not None:
            known = read_weights(base.weights(path), otherwise=otherwise)
            tensors = {name: known[name] + tensor for name, tensor in tensors.items()}
        tensors |= {name: tensors[kept] for name, kept in tied.items()}
    except InputError:
        raise
    except (SafetensorError, OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(
            f"is damaged, or not a weights file ({error})", path=path, cure=cure
        ) from None
    check_finite(tensors, path, cure=cure)
    return tensors


def check_finite(
    state: Mapping[str, Tensor], path: PathLike, *, cure: str = "Copy it again, or use another"
) -> None:
    """Check all weights for NaN and infinity. With such a weight, a system computes nothing.

    Args:
        cure: advice for the user.

    Raises:
        InputError: naming the first tensor with NaN or infinity.
    """
    for name, tensor in state.items():
        # Smallest and largest are found in one pass, without memory, and NaN is both.
        if tensor.is_floating_point() and tensor.numel():
            # Of 8-bit numbers they are not known to the library.
            values = tensor.detach() if tensor.element_size() > 1 else tensor.detach().float()
            ends = stack(values.aminmax())
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
        partial: whether the system may have parameters missing in the state.
        built_from: the origin of the system, for error messages.
        cure: advice for weights not fitting the system.

    Returns:
        The loaded names.

    Raises:
        InputError: a name or a shape does not fit, or tied tensors of the system differ in the
            state.
    """
    parameters = system.state_dict()
    problems = misfits(parameters, state, built_from)
    loaded: set[str] = set()
    missing = []
    for names in tied_names(parameters):
        given = [n for n in names if n in state and state[n].shape == parameters[n].shape]
        if any(not equal(state[given[0]], state[name]) for name in given[1:]):
            problems.append(f"tied by {built_from}, but different: {first_few(names)}")
        if any(name in state for name in names):
            loaded.update(names)
        else:
            missing.append(names[0])
    if missing and not partial:
        problems.append("missing: " + first_few(missing))
    if problems:
        raise misfit_error(problems, path, built_from, cure)
    system.load_state_dict(state, strict=False)
    return loaded


def misfits(
    parameters: Mapping[str, Tensor], state: Mapping[str, Tensor], built_from: str
) -> list[str]:
    """Problems of weights for a system with these tensors: other shapes, unknown names."""
    problems = []
    wrong = [
        name for name in parameters if name in state and parameters[name].shape != state[name].shape
    ]
    if wrong:
        shapes = (
            f"{name} is {dimensions(state[name].shape)} in the weights, but "
            f"{dimensions(parameters[name].shape)} by {built_from}"
            for name in wrong
        )
        problems.append("different shapes: " + first_few(shapes))
    if unknown := [name for name in state if name not in parameters]:
        problems.append(f"not in the system of {built_from}: {first_few(unknown)}")
    return problems


def misfit_error(
    problems: Sequence[str],
    path: PathLike,
    built_from: str = "the recipe",
    cure: str = _RECIPE_CURE,
) -> InputError:
    """The error for weights not fitting a system."""
    return InputError(
        f"the weights do not fit {built_from} ({'; '.join(problems)})", path=path, cure=cure
    )
