"""Whether the sizes in a model's settings are those of its weights. This is checked without
building the system, because a system with the sizes of a damaged file may not fit into memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from torch import Tensor

from docmt.errors import InputError
from docmt.files import PathLike
from docmt.systems import EncoderDecoderSettings
from docmt.wording import dimensions


class SizeNames(NamedTuple):
    """What a format calls the sizes of a model, for error messages.

    Attributes:
        file: where they are written.
        cure: what to do if the weights do not fit them.
        d_model, ffn_dim, encoder_layers, decoder_layers: the names of the settings.
    """

    file: str
    cure: str
    d_model: str
    ffn_dim: str
    encoder_layers: str
    decoder_layers: str


def check_sizes(
    settings: EncoderDecoderSettings, state: Mapping[str, Tensor], path: PathLike, names: SizeNames
) -> None:
    """Check d_model, ffn_dim and the numbers of layers against weights under docmt's names.

    Raises:
        InputError: naming each setting and the tensor that it does not fit.
    """
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
