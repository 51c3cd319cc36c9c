"""Checks of files of other programs: the presence of weights, the activation, and the sizes in a
model's settings against the sizes of the weights. Sizes are checked without building the system,
because a system with the sizes of a damaged file may not fit into memory. All raise an `InputError`
naming the fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from docmt.interop.model_formats import MODEL_FORMATS
from docmt_files.base.errors import InputError
from docmt_files.base.wording import dimensions
from docmt_files.storage.files import PathLike
from docmt_nmt.runs.weights import check_finite, load_weights
from docmt_nmt.systems import EncoderDecoderSettings, build

_CURE = "Use the complete file that the training wrote"

_ACTIVATIONS: Mapping[str, str] = MODEL_FORMATS["huggingface"]["activations"]
"""docmt's names of activations, by the names of Hugging Face."""


def read_activation(key: str, config: Mapping[str, Any], path: PathLike) -> str:
    """docmt's name of the activation in a model's settings, by key."""
    activation = config[key]
    if activation not in _ACTIVATIONS:
        raise InputError(
            f"{key} {activation!r} is not supported",
            path=path,
            cure=f"Supported are {', '.join(_ACTIVATIONS)}",
        )
    return _ACTIVATIONS[activation]


def check_tensors(weights: Mapping[str, Tensor], path: PathLike) -> None:
    """Check the tensors of weights: plain numbers, all of them there, none NaN or infinite."""
    for name, tensor in weights.items():
        if not isinstance(name, str):
            raise InputError(f"has a tensor whose name is {name!r}", path=path, cure=_CURE)
        is_plain = (
            tensor.layout is torch.strided
            and tensor.device.type == "cpu"
            and not tensor.is_quantized
            and not tensor.is_complex()
        )
        if not is_plain:
            raise InputError(f"{name} is not a dense tensor of real numbers", path=path, cure=_CURE)
        # One number may be repeated along an axis of any length.
        if tensor.untyped_storage().nbytes() < tensor.nbytes:
            raise InputError(f"{name} has fewer numbers than its shape", path=path, cure=_CURE)
    check_finite(weights, path, cure=_CURE)


def check_table(name: str, tensor: Tensor | None, path: PathLike) -> None:
    """Check the shape of embeddings, where there are any: a table."""
    if tensor is not None and (tensor.dim() != 2 or not tensor.numel()):
        raise InputError(
            f"{name} has the shape {tuple(tensor.shape)}, which is not that of embeddings",
            path=path,
            cure=_CURE,
        )


class SizeNames(NamedTuple):
    """Names of the sizes of a model in a format, for error messages.

    Attributes:
        file: where they are written.
        cure: the cure if the weights do not fit the sizes.
        d_model, ffn_dim, encoder_layers, decoder_layers: the names of the settings.
    """

    file: str
    cure: str
    d_model: str
    ffn_dim: str
    encoder_layers: str
    decoder_layers: str

    @classmethod
    def of_config(cls, *names: str) -> SizeNames:
        """Names of the four sizes in the `config.json` of a Hugging Face model."""
        return cls(
            "config.json",
            "Use a model as `save_pretrained` writes it, with the config.json it was saved with; "
            "download both again, complete",
            *names,
        )


def check_sizes(
    settings: EncoderDecoderSettings, state: Mapping[str, Tensor], path: PathLike, names: SizeNames
) -> None:
    """Check d_model, ffn_dim and the numbers of layers against weights under docmt's names."""
    problems = []
    for key, name, axis, size in (
        (names.d_model, "source_embedding.table.weight", 1, settings.d_model),
        (names.ffn_dim, "encoder.0.feed_forward.sublayer.inner.weight", 0, settings.ffn_dim),
    ):
        shape = tuple(state[name].shape) if name in state else None
        if shape is not None and (len(shape) != 2 or shape[axis] != size):
            problems.append(f"different shapes: {name} is {dimensions(shape)}, but {key} is {size}")
    for key, side, layers in (
        (names.encoder_layers, "encoder", settings.layers),
        (names.decoder_layers, "decoder", settings.layers_of_decoder),
    ):
        present = {name.split(".")[1] for name in state if name.startswith(f"{side}.")}
        if len(present) < layers:
            problems.append(f"missing: {side}.{len(present)}, but {key} is {layers}")
    if problems:
        raise InputError(
            f"the weights do not fit {names.file} ({'; '.join(problems)})",
            path=path,
            cure=names.cure,
        )


def check_fits(
    settings: EncoderDecoderSettings,
    state: Mapping[str, Tensor],
    vocabulary_sizes: tuple[int, int],
    path: PathLike,
    names: SizeNames,
) -> None:
    """Check that weights fit a system of these settings."""
    # First the sizes, because a system with the sizes of a damaged file may not fit into memory.
    check_sizes(settings, state, path, names)
    system = build(settings, *vocabulary_sizes)
    load_weights(system, state, path, built_from=names.file, cure=names.cure)
