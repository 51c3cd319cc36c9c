"""Whether what a file of another program holds are weights."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from docmt.errors import InputError
from docmt.files import PathLike
from docmt.weights import check_finite

_CURE = "Use the complete file that the training wrote"


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
            path=path, cure=_CURE,
        )  # fmt: skip
