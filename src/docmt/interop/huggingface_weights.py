"""Pretrained encoder-decoders in the format of Hugging Face: Marian (OPUS-MT), BART, mBART, M2M100
and NLLB.

They are all the Transformer of Vaswani et al. 2017 and differ in its form: where sublayers are
normalised, how positions are told apart, the activation, and what embeddings and output share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from docmt.errors import InputError
from docmt.files import read_json
from docmt.interop.fairseq import rename_part
from docmt.interop.sizes import Names
from docmt.systems import TransformerSettings

AGAIN = "Download it again, whole"

COMMON: dict[str, Any] = {
    "d_model": 1024,
    **{f"{side}_layers": 12 for side in ("encoder", "decoder")},
    **{f"{side}_attention_heads": 16 for side in ("encoder", "decoder")},
    **{f"{side}_ffn_dim": 4096 for side in ("encoder", "decoder")},
    "activation_function": "gelu",
    "dropout": 0.1,
    "max_position_embeddings": 1024,
    "scale_embedding": False,
    "tie_word_embeddings": True,
    "share_encoder_decoder_embeddings": True,
    "bos_token_id": 0,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}

FAMILIES: dict[str, dict[str, Any]] = {
    "bart": COMMON,
    "marian": COMMON
    | {"bos_token_id": None, "pad_token_id": 58100, "eos_token_id": 0}
    | {"decoder_start_token_id": 58100},
    "mbart": COMMON,
    "m2m_100": COMMON | {"activation_function": "relu", "scale_embedding": True},
}
"""What a `config.json` leaves out, by `model_type`."""

FORMS: dict[str, dict[str, Any]] = {
    "bart": {"norm": "post", "positions": "learned", "normalize_embeddings": True},
    "marian": {"norm": "post", "positions": "sinusoidal-from-0"},
    "mbart": {"norm": "pre", "positions": "learned", "normalize_embeddings": True},
    "m2m_100": {"norm": "pre", "positions": "sinusoidal"},
}

ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "swish": "swish", "silu": "swish"}

SETTINGS = Names(
    plan="config.json",
    cure="Supported is a model as `save_pretrained` writes it, with the config.json it was saved "
    "with; download both again, whole",
    d_model="d_model",
    ffn_dim="encoder_ffn_dim",
    encoder_layers="encoder_layers",
    decoder_layers="decoder_layers",
)

RESERVED = 2
"""Rows before the first position in a table of learned positions."""


def read_config(folder: Path) -> dict[str, Any]:
    """A model's settings, what its files leave out filled in; those of `generation_config.json`
    come before those of `config.json`.

    Raises:
        InputError: a file is missing or damaged, the model is of an unsupported family, or a
            setting is no number or no word where one belongs.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise InputError(
            "holds no config.json, so it is no model's folder, or a part of one", path=folder,
            cure="Download it again, or name the folder that holds config.json",
        )  # fmt: skip
    config = read_json(path)
    family = config.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise InputError(
            f"model_type {family!r} is not supported", path=path,
            cure="Supported are marian (OPUS-MT), bart, mbart (25 and 50), and m2m_100 (M2M100 "
            "and NLLB)",
        )  # fmt: skip
    generation = folder / "generation_config.json"
    if generation.is_file():
        config |= read_json(generation)
    given = {key: value for key, value in config.items() if value is not None}
    for key, usual in FAMILIES[family].items():
        if key in given and not is_like(given[key], usual):
            raise InputError(
                f"{key} is {given[key]!r}, where {usual!r} is usual", path=path,
                cure="Download the model again, or correct it here or in generation_config.json",
            )  # fmt: skip
    return FAMILIES[family] | given


def is_like(value: object, usual: object) -> bool:
    """Whether a setting is of the kind that is usual: a whole number from 0 where that is one, or
    where it is left out."""
    if isinstance(usual, bool | str):
        return isinstance(value, type(usual))
    numbers = float | int if isinstance(usual, float) else int
    return isinstance(value, numbers) and not isinstance(value, bool) and value >= 0


def system_settings(
    config: Mapping[str, Any], state: Mapping[str, Tensor], *, path: Path
) -> TransformerSettings:
    """The settings that build the system of a model.

    Args:
        config: its settings.
        state: its weights, under docmt's names.
        path: for the error message.

    Raises:
        InputError: the model has a part that docmt does not have.
    """
    for part in ("attention_heads", "ffn_dim"):
        encoder, decoder = config[f"encoder_{part}"], config[f"decoder_{part}"]
        if encoder != decoder:
            raise InputError(
                f"encoder_{part} {encoder!r} differs from decoder_{part} {decoder!r}, which is not "
                "supported", path=path,
            )  # fmt: skip
    activation = config["activation_function"]
    if activation not in ACTIVATIONS:
        raise InputError(
            f"activation_function {activation!r} is not supported", path=path,
            cure=f"Supported are {', '.join(ACTIVATIONS)}",
        )  # fmt: skip
    form = FORMS[config["model_type"]]
    layers, decoder_layers = config["encoder_layers"], config["decoder_layers"]
    learned = state.get("source_embedding.learned.weight")
    values = {
        "layers": layers,
        "decoder_layers": None if decoder_layers == layers else decoder_layers,
        "d_model": config["d_model"],
        "heads": config["encoder_attention_heads"],
        "ffn_dim": config["encoder_ffn_dim"],
        "dropout": config["dropout"],
        "activation": ACTIVATIONS[activation],
        "max_positions": None if learned is None else len(learned),
        "scale_embeddings": config["scale_embedding"],
        "share_embeddings": same(state, "source_embedding.table", "target_embedding.table"),
        "share_output": "output.weight" not in state,
        "output_bias": "score_bias" in state,
    }
    return TransformerSettings.read({**form, **values}, path=path)


def same(state: Mapping[str, Tensor], *names: str) -> bool:
    """Whether weights of these names are one."""
    first, second = (state[f"{name}.weight"] for name in names)
    return first.shape == second.shape and torch.equal(first, second)


def rename(
    weights: Mapping[str, Tensor], config: Mapping[str, Any], *, path: Path
) -> dict[str, Tensor]:
    """A model's weights under docmt's names.

    Raises:
        InputError: a tensor has a name that is not known, or there are no embeddings.
    """
    weights = {name.removeprefix("model."): tensor for name, tensor in weights.items()}
    renamed = embeddings(weights, config, path)
    for name, tensor in weights.items():
        if name in EMBEDDINGS:
            continue
        side = {"encoder": "source", "decoder": "target"}.get(name.partition(".")[0], "")
        rest = name.partition(".")[2]
        if match := re.fullmatch(r"layers\.(\d+)\.(.+)", rest):
            renamed[f"{name.partition('.')[0]}.{match[1]}.{rename_part(match[2], path)}"] = tensor
        elif match := re.fullmatch(r"layer_norm\.(weight|bias)", rest):
            renamed[f"{name.partition('.')[0]}_norm.{match[1]}"] = tensor
        elif match := re.fullmatch(r"layernorm_embedding\.(weight|bias)", rest):
            renamed[f"{side}_embedding.norm.{match[1]}"] = tensor
        elif rest == "embed_positions.weight":
            if FORMS[config["model_type"]]["positions"] == "learned":
                renamed[f"{side}_embedding.learned.weight"] = tensor[RESERVED:]
        else:
            raise InputError(f"tensor {name!r} is not known", path=path)
    return {name: tensor.float() for name, tensor in renamed.items()}


EMBEDDINGS = {
    "shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
    "lm_head.weight", "final_logits_bias",
}  # fmt: skip


def embeddings(
    weights: Mapping[str, Tensor], config: Mapping[str, Any], path: Path
) -> dict[str, Tensor]:
    """The tables of source, target and output, and its bias where that is not zero. Files hold a
    table that several share under one of their names, or under each.

    Raises:
        InputError: there are no embeddings.
    """
    shared = weights.get("shared.weight")
    target = weights.get("decoder.embed_tokens.weight", shared)
    source = weights.get("encoder.embed_tokens.weight", shared)
    output = weights.get("lm_head.weight")
    if config["tie_word_embeddings"]:
        if config["share_encoder_decoder_embeddings"]:
            source = target = next(
                (t for t in (shared, target, source, output) if t is not None), None
            )
        target = output if target is None else target
        output = None
    if source is None or target is None:
        raise InputError("there are no embeddings", path=path, cure=AGAIN)
    found = {"source_embedding.table.weight": source, "target_embedding.table.weight": target}
    if output is not None and not torch.equal(output, target):
        found["output.weight"] = output
    bias = weights.get("final_logits_bias")
    if bias is not None and bias.any():
        found["score_bias"] = bias.flatten()
    return found


def read_weights(folder: Path, *, pickle: bool = False) -> dict[str, Tensor]:
    """A model's weights, under the names they have there.

    Args:
        folder: where the files lie, whole or in shards.
        pickle: whether to read `pytorch_model.bin` where there are no safetensors; it is read as
            tensors only, and nothing in it is run.

    Raises:
        InputError: a file is missing or damaged, or there are no safetensors.
    """
    files = weight_files(folder, "model.safetensors")
    if files is None and pickle:
        files = weight_files(folder, "pytorch_model.bin")
    if files is None:
        problem, cure = "holds no model.safetensors", AGAIN
        if any(folder.glob("pytorch_model*.bin")) and not pickle:
            problem += ", but a pickle, pytorch_model.bin"
            cure = "Add --pickle to read that, as tensors only"
        raise InputError(problem, path=folder, cure=cure)
    weights: dict[str, Tensor] = {}
    for path in files:
        weights |= read_file(path)
    return weights


def weight_files(folder: Path, name: str) -> list[Path] | None:
    """The files that hold weights: one of this name, or the shards that its index names; None
    where there is neither.

    Raises:
        InputError: a shard is missing.
    """
    if (folder / name).is_file():
        return [folder / name]
    index = folder / f"{name}.index.json"
    if not index.is_file():
        return None
    shards = read_json(index).get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise InputError("names no shards", path=index, cure=AGAIN)
    files = [folder / Path(str(shard)).name for shard in sorted(set(shards.values()))]
    if missing := [file.name for file in files if not file.is_file()]:
        raise InputError(
            f"lacks {', '.join(missing)}, of {len(files)} files with weights", path=folder,
            cure=AGAIN,
        )  # fmt: skip
    return files


def read_file(path: Path) -> dict[str, Tensor]:
    """The tensors of one file.

    Raises:
        InputError: it is damaged, or holds more than tensors.
    """
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        weights = torch.load(path, map_location="cpu", weights_only=True)
    except (SafetensorError, OSError) as error:
        raise InputError(f"is damaged or incomplete ({error})", path=path, cure=AGAIN) from None
    except Exception:  # a damaged pickle can raise anything
        # No more of torch's message, which advises to run what is in the file.
        raise InputError(
            "cannot be read as a file of tensors alone: it is damaged, or holds more", path=path,
            cure=AGAIN,
        ) from None  # fmt: skip
    if not isinstance(weights, dict) or not all(isinstance(t, Tensor) for t in weights.values()):
        raise InputError("holds something other than tensors by name", path=path, cure=AGAIN)
    return weights
