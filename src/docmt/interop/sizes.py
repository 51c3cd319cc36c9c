"""Whether the sizes that a model's settings name are those of its weights, seen without building
anything: a system of the sizes in a damaged file may not fit into memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from torch import Tensor

from docmt.errors import InputError
from docmt.files import PathLike
from docmt.systems import EncoderDecoderSettings


class Names(NamedTuple):
    """What a format calls the sizes of a model.

    Attributes:
        plan: where they are written.
        cure: what to do where the weights do not fit them.
        d_model, ffn_dim, encoder_layers, decoder_layers: the settings.
    """

    plan: str
    cure: str
    d_model: str
    ffn_dim: str
    encoder_layers: str
    decoder_layers: str


def check_sizes(
    settings: EncoderDecoderSettings, state: Mapping[str, Tensor], path: PathLike, names: Names
) -> None:
    """Check d_model, feed-forward d_model and layers against weights under docmt's names.

    Raises:
        InputError: naming each setting and the tensor that it does not fit.
    """
    problems = []
    for key, name, axis, wanted in (
        (names.d_model, "source_embedding.table.weight", 1, settings.d_model),
        (names.ffn_dim, "encoder.0.feed_forward.inner.weight", 0, settings.ffn_dim),
    ):
        shape = tuple(state[name].shape) if name in state else None
        if shape is not None and (len(shape) != 2 or shape[axis] != wanted):
            there = " × ".join(map(str, shape)) or "a number"
            problems.append(f"different shapes: {name} is {there}, for {key} {wanted}")
    for key, side, layers in (
        (names.encoder_layers, "encoder", settings.layers),
        (names.decoder_layers, "decoder", settings.layers_of_decoder),
    ):
        present = {name.split(".")[1] for name in state if name.startswith(f"{side}.")}
        if len(present) < layers:
            problems.append(f"missing: {side}.{len(present)}, for {key} {layers}")
    if problems:
        raise InputError(
            f"the weights do not fit {names.plan} ({'; '.join(problems)})", path=path,
            cure=names.cure,
        )  # fmt: skip
