"""What files of other programs hold: whether it is weights, and which activation they are for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from docmt.errors import InputError
from docmt.files import PathLike
from docmt.interop.model_formats import MODEL_FORMATS
from docmt.weights import check_finite

_CURE = "Use the complete file that the training wrote"

_ACTIVATIONS: Mapping[str, str] = MODEL_FORMATS["huggingface"]["activations"]
"""docmt's names of activations, by those of Hugging Face."""


def read_activation(key: str, config: Mapping[str, Any], path: PathLike) -> str:
    """The activation that a key of a model's settings names, as docmt calls it.

    Raises:
        InputError: docmt does not have it.
    """
    activation = config[key]
    if activation not in _ACTIVATIONS:
        raise InputError(
            f"{key} {activation!r} is not supported",
            path=path,
            cure=f"Supported are {', '.join(_ACTIVATIONS)}",
        )
    return _ACTIVATIONS[activation]


def check_tensors(weights: Mapping[str, Tensor], path: PathLike) -> None:
    """Check that tensors are weights: plain numbers, all of them there, none NaN or infinite.

    Args:
        weights: tensors by the names of the file.
        path: the file or folder.

    Raises:
        InputError: naming the tensor that is something else.
    """
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
    """Check that embeddings, where there are any, are a table.

    Raises:
        InputError: they have another number of axes, or no entries.
    """
    if tensor is not None and (tensor.dim() != 2 or not tensor.numel()):
        raise InputError(
            f"{name} has the shape {tuple(tensor.shape)}, which is not that of embeddings",
            path=path,
            cure=_CURE,
        )
