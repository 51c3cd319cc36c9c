"""Models of Marian (Junczys-Dowmunt et al. 2018): those with which Firefox translates, and the
originals of OPUS-MT.

The Transformer of Vaswani et al. 2017. The decoder of Firefox's models has the simpler simple
recurrent unit in place of self-attention, and the first head of the last cross-attention was
trained to align words. The decoder begins with a vector of zeros, which here is the embedding of
one more token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt.interop.marian_files import SETTINGS, MarianTensor
from docmt.interop.model_formats import MODEL_FORMATS
from docmt_files.base.errors import InputError
from docmt_nmt.recipes.yaml_source import parse
from docmt_nmt.runs.attention_choice import AttentionChoice

_FORMAT = MODEL_FORMATS["marian"]

NEVER_WRITTEN = -1e4
"""Output bias of tokens that are not written. Half precision has no number far below."""

_KINDS = {"W": "weight", "b": "bias"}
_OF_NORMS = {"scale": "weight", "bias": "bias"}


def model_settings(text: bytes, path: Path) -> dict[str, Any]:
    """The settings of a model, with the defaults of old versions.

    Raises:
        InputError: there are none, they are not YAML, or docmt does not support one; the message
            names the setting.
    """
    if not text:
        raise InputError(
            f"lacks the settings of the model, {SETTINGS}",
            path=path,
            cure="Use a model as Marian writes it",
        )
    given, _ = parse(text.decode("utf-8", "replace"), f"{path}:{SETTINGS}")
    settings: dict[str, Any] = _FORMAT["defaults"] | given
    for name, supported in _FORMAT["supported"].items():
        if name in settings and settings[name] not in supported:
            known = ", ".join(repr(value) for value in supported)
            raise InputError(
                f"{name} {settings[name]!r} is not supported",
                path=path,
                cure=f"docmt reads models with {known}",
            )
    if ("n" in settings["transformer-preprocess"]) == ("n" in settings["transformer-postprocess"]):
        raise InputError(
            "the sublayers are normalized twice or not at all (transformer-preprocess "
            f"{settings['transformer-preprocess']!r}, transformer-postprocess "
            f"{settings['transformer-postprocess']!r}), which is not supported",
            path=path,
            cure="docmt reads models with normalization before or after each sublayer",
        )
    if _recurs(settings) and settings["dec-cell"] != "ssru":
        raise InputError(
            f"dec-cell {settings['dec-cell']!r} is not supported",
            path=path,
            cure="docmt reads models with 'ssru', or with self-attention in the decoder",
        )
    return settings


def _recurs(settings: Mapping[str, Any]) -> bool:
    return bool(settings["transformer-decoder-autoreg"] == "rnn")


def system_values(settings: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The settings of the system, a Transformer, where they differ from the defaults.

    Raises:
        InputError: a setting is missing or not supported.
    """
    names = {
        "layers": "enc-depth",
        "decoder_layers": "dec-depth",
        "d_model": "dim-emb",
        "heads": "transformer-heads",
        "ffn_dim": "transformer-dim-ffn",
    }
    if missing := [name for name in names.values() if name not in settings]:
        raise InputError(f"{SETTINGS} lacks {', '.join(missing)}", path=path)
    activation = settings["transformer-ffn-activation"]
    if activation not in _FORMAT["activations"]:
        raise InputError(
            f"transformer-ffn-activation {activation!r} is not supported",
            path=path,
            cure=f"Supported are {', '.join(_FORMAT['activations'])}",
        )
    joint = settings["tied-embeddings-all"]
    return {
        "name": "transformer",
        **{ours: settings[theirs] for ours, theirs in names.items()},
        "activation": activation,
        "decoder_recurrence": "ssru" if _recurs(settings) else "none",
        "dropout": settings["transformer-dropout"],
        "norm": "pre" if "n" in settings["transformer-preprocess"] else "post",
        "norm_epsilon": 1e-9,
        "positions": "sinusoidal-marian",
        "share_embeddings": joint,
        "share_output": joint or settings["tied-embeddings"],
        "output_bias": True,
    }


def search_settings(system: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the search where no file has them. Models with SSRU are students of larger
    models, and write as well without a beam."""
    return {} if system["decoder_recurrence"] == "none" else {"beam_size": 1}


def aligning_attention(system: Mapping[str, Any], path: Path) -> AttentionChoice | None:
    """The attention that was trained to align words, as in all models with SSRU and in those of
    OPUS-MT with `align` in the name: the first head of the last layer, at the step that predicts a
    word."""
    if system["decoder_recurrence"] == "none" and "align" not in path.name:
        return None
    return AttentionChoice(system["decoder_layers"] - 1, "output", heads=(0,))


@dataclass(frozen=True, slots=True)
class MarianWeights:
    """Weights under docmt's names.

    Attributes:
        arrays: the weights; of those with a scale the codes, of a byte each.
        scales: the number by which the codes of an array are divided, by name.
    """

    arrays: dict[str, NDArray[Any]]
    scales: dict[str, float]


def rename(
    tensors: Mapping[str, MarianTensor], path: Path, *, shares_embeddings: bool
) -> MarianWeights:
    """The weights of a model under docmt's names, with a vector of zeros after the target
    vocabulary.

    Raises:
        InputError: a tensor is missing or has an unknown name or shape.
    """
    arrays: dict[str, NDArray[Any]] = {}
    scales: dict[str, float] = {}

    def put(name: str, array: NDArray[Any], source: MarianTensor) -> None:
        arrays[name] = array
        if source.scale is not None:
            scales[name] = source.scale

    shared = "Wemb" if "Wemb" in tensors else ""
    tables = {
        "source_embedding.table.weight": shared or "encoder_Wemb",
        "target_embedding.table.weight": shared or "decoder_Wemb",
    }
    for ours, theirs in tables.items():
        if theirs not in tensors:
            raise InputError(f"has no embeddings {theirs}", path=path)
        table = tensors[theirs].table()
        if table.ndim != 2 or not table.size:
            raise InputError(
                f"{theirs} has the shape {table.shape}, which is not that of embeddings",
                path=path,
                cure="Use the complete file that the training wrote",
            )
        has_zeros = shares_embeddings or ours.startswith("target")
        put(ours, _with_zeros(table) if has_zeros else table, tensors[theirs])
    if shares_embeddings:
        arrays["target_embedding.table.weight"] = arrays["source_embedding.table.weight"]
    for theirs, tensor in tensors.items():
        if theirs in tables.values():
            continue
        if theirs == "decoder_ff_logit_out_b":
            arrays["score_bias"] = np.append(tensor.table().flatten(), np.float32(NEVER_WRITTEN))
        elif theirs == "decoder_ff_logit_out_W":
            put("output.weight", _with_zeros(tensor.matrix()), tensor)
        elif match := re.fullmatch(r"(encoder|decoder)_l(\d{1,4})_(.+)", theirs):
            name, is_matrix = _name_in_layer(match[3], theirs, path)
            values = tensor.matrix() if is_matrix else tensor.table().flatten()
            put(f"{match[1]}.{int(match[2]) - 1}.{name}", values, tensor)
        elif match := re.fullmatch(r"(encoder|decoder)_top_ln_(scale|bias)", theirs):
            arrays[f"{match[1]}_norm.{_OF_NORMS[match[2]]}"] = tensor.table().flatten()
        else:
            raise _unknown(theirs, path)
    if "score_bias" not in arrays:
        bias = np.zeros(len(arrays["target_embedding.table.weight"]), np.float32)
        bias[-1] = NEVER_WRITTEN
        arrays["score_bias"] = bias
    return MarianWeights(arrays, scales)


def _name_in_layer(rest: str, name: str, path: Path) -> tuple[str, bool]:
    """docmt's name of a tensor in a layer, and whether it is the weight of a linear layer."""
    if match := re.fullmatch(r"(\w+_ln)_(scale|bias)(_pre)?", rest):
        if match[1] in _FORMAT["norms"]:
            return f"{_FORMAT['norms'][match[1]]}.{_OF_NORMS[match[2]]}", False
    elif match := re.fullmatch(r"(self|context|ffn|rnn)_([Wb])(\w?)", rest):
        part = _FORMAT["linear"][match[1]]
        if match[3] in part:
            return f"{part[match[3]]}.{_KINDS[match[2]]}", match[2] == "W"
    raise _unknown(name, path)


def _unknown(name: str, path: Path) -> InputError:
    return InputError(
        f"has a tensor {name!r}, for which docmt has no place",
        path=path,
        cure="Supported are Transformers with self-attention or SSRU in the decoder",
    )


def _with_zeros(table: NDArray[Any]) -> NDArray[Any]:
    """A table with one more row, of zeros."""
    return np.concatenate([table, np.zeros((1, table.shape[1]), table.dtype)])
