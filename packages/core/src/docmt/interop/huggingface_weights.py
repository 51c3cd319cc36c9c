"""Pretrained encoder-decoders in the format of Hugging Face: Marian (OPUS-MT), BART, mBART, M2M100
and NLLB.

All of them are the Transformer of Vaswani et al. 2017. They differ in the normalization of
sublayers, the encoding of positions, the activation, and the sharing of embeddings and output.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from docmt.interop import bert
from docmt.interop.fairseq_checkpoints import rename_in_layer
from docmt.interop.model_formats import MODEL_FORMATS
from docmt.interop.weight_checks import SizeNames, check_table, read_activation
from docmt_files.base.errors import InputError
from docmt_files.base.messages import Message
from docmt_files.storage.json_files import read_json
from docmt_nmt.systems.transformer_settings import TransformerSettings

_AGAIN = "Download it again, complete"

_PLAIN_NAME = re.compile(r"[\w][\w.+ -]{0,99}")

_FORMAT = MODEL_FORMATS["huggingface"]

_DEFAULTS: dict[str, dict[str, Any]] = {
    **{family: _FORMAT["defaults"] | own for family, own in _FORMAT["defaults_of"].items()},
    "bert": bert.DEFAULTS,
}
"""The defaults of settings missing from a `config.json`, by `model_type`."""

_FORMS: dict[str, dict[str, Any]] = _FORMAT["settings_of"]
"""The settings of a model's system, by `model_type`."""

SIZE_NAMES = SizeNames.of_config("d_model", "encoder_ffn_dim", "encoder_layers", "decoder_layers")

_RESERVED = 2
"""Unused rows before the first position in a table of learned positions."""


def find_model(name: str, *, pickle: bool = False) -> Path:
    """The folder of a model. A model on the hub is downloaded, once.

    Args:
        name: a folder, or a name on the hub such as `Helsinki-NLP/opus-mt-en-de`.

    Raises:
        InputError: there is no such folder, and the hub does not have the model, has it as a pickle
            only, or cannot be reached.
    """
    # These functions return false for strings that cannot be a path; the methods of `Path` raise an
    # error.
    if os.path.isdir(name):  # noqa: PTH112
        return Path(name)
    if os.path.exists(name):  # noqa: PTH110
        raise InputError(
            "is not a folder", path=name, cure="Name the folder that holds config.json"
        )
    patterns = [*_FORMAT["files"], *(_FORMAT["pickles"] if pickle else ())]
    try:
        folder = Path(snapshot_download(name, allow_patterns=patterns))
    except Exception as error:  # networks fail in many ways
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(
            f"{name!r} is not a folder, and cannot be downloaded from the Hugging Face hub "
            f"({reason})",
            cure="Check the name and the network, or download the model elsewhere and name its "
            "folder",
        ) from None
    if not pickle and not any(folder.glob("model*.safetensors*")):
        # Pickles are not downloaded unless asked for, so it is not known whether there are any.
        raise InputError(
            f"{name!r} has no safetensors on the Hugging Face hub",
            cure="Add `pickle` to read the tensors of pytorch_model.bin; no code in it is run",
            parameters=("pickle",),
        )
    return folder


def family(folder: Path) -> str | None:
    """The `model_type` of the model in a folder; None if the folder does not say it."""
    path = folder / "config.json"
    named = read_json(path).get("model_type") if path.is_file() else None
    return named if isinstance(named, str) else None


def is_supported(folder: Path) -> bool:
    """True if the model in a folder is of a family with a counterpart in docmt."""
    return family(folder) in _DEFAULTS


def unsupported(folder: Path, further: Sequence[str] = ()) -> InputError:
    """The error for a model that is not of a supported family.

    Args:
        folder: the folder of the model.
        further: models of other packages, in words.
    """
    path = folder / "config.json"
    if not path.is_file():
        return InputError(
            "does not hold config.json: it is not the folder of a model, or is incomplete",
            path=folder,
            cure="Download it again, or name the folder that holds config.json",
        )
    *others, last = [
        "marian (OPUS-MT)",
        "bart",
        "mbart (25 and 50)",
        "m2m_100 (M2M100 and NLLB)",
        "bert",
        *further,
    ]
    return InputError(
        f"model_type {read_json(path).get('model_type')!r} is not supported",
        path=path,
        cure=f"Supported are {', '.join(others)}, and {last}",
    )


def read_config(folder: Path) -> dict[str, Any]:
    """A model's settings with their defaults; `generation_config.json` overrides `config.json`.

    Raises:
        InputError: a file is missing or damaged, the model is of an unsupported family, or a
            setting has the wrong type.
    """
    path = folder / "config.json"
    if not is_supported(folder):
        raise unsupported(folder)
    config = read_json(path)
    family = config["model_type"]
    # The model itself is described by `config.json`.
    generation = folder / "generation_config.json"
    if generation.is_file():
        given = read_json(generation)
        config |= {key: given[key] for key in _FORMAT["generation_settings"] if key in given}
    given = {key: value for key, value in config.items() if value is not None}
    for key, default in _DEFAULTS[family].items():
        if key in given and not _has_type_of(given[key], default):
            raise InputError(
                f"{key} is {given[key]!r}, which is not valid; its default is {default!r}",
                path=path,
                cure="Download the model again, or correct it here or in generation_config.json",
            )
    return _DEFAULTS[family] | given


def _has_type_of(value: object, default: object) -> bool:
    """Return whether a setting has the type of the default; integers begin at 0."""
    if isinstance(default, bool | str):
        return isinstance(value, type(default))
    numbers = float | int if isinstance(default, float) else int
    return isinstance(value, numbers) and not isinstance(value, bool) and value >= 0


def system_settings(
    config: Mapping[str, Any], state: Mapping[str, Tensor], *, path: Path
) -> TransformerSettings:
    """The settings of a model's system.

    Raises:
        InputError: docmt does not support a setting; the message names the setting.
    """
    for part in ("attention_heads", "ffn_dim"):
        encoder, decoder = config[f"encoder_{part}"], config[f"decoder_{part}"]
        if encoder != decoder:
            raise InputError(
                f"encoder_{part} {encoder!r} differs from decoder_{part} {decoder!r}, which is not "
                "supported",
                path=path,
            )
    form = _FORMS[config["model_type"]]
    layers, decoder_layers = config["encoder_layers"], config["decoder_layers"]
    learned = state.get("source_embedding.learned.weight")
    values = {
        "layers": layers,
        "decoder_layers": None if decoder_layers == layers else decoder_layers,
        "d_model": config["d_model"],
        "heads": config["encoder_attention_heads"],
        "ffn_dim": config["encoder_ffn_dim"],
        "dropout": config["dropout"],
        "activation": read_activation("activation_function", config, path),
        "max_positions": None if learned is None else len(learned),
        "scale_embeddings": config["scale_embedding"],
        "share_embeddings": _are_equal(state, "source_embedding.table", "target_embedding.table"),
        "share_output": "output.weight" not in state,
        "output_bias": "score_bias" in state,
    }
    return TransformerSettings.read({**form, **values}, path=path)


def _are_equal(state: Mapping[str, Tensor], *names: str) -> bool:
    """Return whether two weights are equal."""
    first, second = (state[f"{name}.weight"] for name in names)
    return first.shape == second.shape and torch.equal(first, second)


def rename(
    weights: Mapping[str, Tensor], config: Mapping[str, Any], *, path: Path
) -> dict[str, Tensor]:
    """A model's weights under docmt's names.

    Raises:
        InputError: a tensor has an unknown name, or there are no embeddings.
    """
    weights = {name.removeprefix("model."): tensor for name, tensor in weights.items()}
    renamed = _rename_embeddings(weights, config, path)
    for name, tensor in weights.items():
        if name in _EMBEDDINGS:
            continue
        side = {"encoder": "source", "decoder": "target"}.get(name.partition(".")[0], "")
        rest = name.partition(".")[2]
        if match := re.fullmatch(r"layers\.(\d+)\.(.+)", rest):
            renamed[f"{name.partition('.')[0]}.{match[1]}.{rename_in_layer(match[2], path)}"] = (
                tensor
            )
        elif match := re.fullmatch(r"layer_norm\.(weight|bias)", rest):
            renamed[f"{name.partition('.')[0]}_norm.{match[1]}"] = tensor
        elif match := re.fullmatch(r"layernorm_embedding\.(weight|bias)", rest):
            renamed[f"{side}_embedding.norm.{match[1]}"] = tensor
        elif rest == "embed_positions.weight":
            check_table(name, tensor, path)
            if _FORMS[config["model_type"]]["positions"] == "learned":
                renamed[f"{side}_embedding.learned.weight"] = tensor[_RESERVED:]
        else:
            raise InputError(f"unknown tensor {name!r}", path=path)
    return {name: tensor.float() for name, tensor in renamed.items()}


_TABLES = (
    "shared.weight",
    "encoder.embed_tokens.weight",
    "decoder.embed_tokens.weight",
    "lm_head.weight",
)
_EMBEDDINGS = {*_TABLES, "final_logits_bias"}


def _rename_embeddings(
    weights: Mapping[str, Tensor], config: Mapping[str, Any], path: Path
) -> dict[str, Tensor]:
    """The embeddings of source and target, the output projection and the output bias, unless the
    bias is zero. Files hold a shared table under one of several names, or under each."""
    shared = weights.get("shared.weight")
    target = weights.get("decoder.embed_tokens.weight", shared)
    source = weights.get("encoder.embed_tokens.weight", shared)
    output = weights.get("lm_head.weight")
    for name in _TABLES:
        check_table(name, weights.get(name), path)
    if config["tie_word_embeddings"]:
        if config["share_encoder_decoder_embeddings"]:
            first = next((t for t in (shared, target, source, output) if t is not None), None)
            source = first if source is None else source
            target = first if target is None else target
        target = output if target is None else target
    if source is None or target is None:
        raise InputError("there are no embeddings", path=path, cure=_AGAIN)
    renamed = {"source_embedding.table.weight": source, "target_embedding.table.weight": target}
    if output is not None and not _same(output, target):
        # As `transformers` reads it: tables that differ are not tied, whatever the configuration.
        renamed["output.weight"] = output
    if shared is not None and not any(_same(shared, table) for table in renamed.values()):
        raise InputError("shared.weight is none of the embeddings", path=path, cure=_AGAIN)
    bias = weights.get("final_logits_bias")
    if bias is not None and bias.any():
        renamed["score_bias"] = bias.flatten()
    return renamed


def _same(one: Tensor, other: Tensor) -> bool:
    """Return whether two tables have the same numbers."""
    return torch.equal(one.float(), other.float())


def read_weights(folder: Path, *, pickle: bool = False) -> dict[str, Tensor]:
    """A model's weights, under Hugging Face's names.

    Args:
        folder: the folder of the files, which may be sharded.
        pickle: whether to read `pytorch_model.bin` if there are no safetensors; only tensors are
            read, and no code in it is run.

    Raises:
        InputError: a file is missing or damaged, or there are no safetensors.
    """
    files = _weight_files(folder, "model.safetensors")
    if files is None and pickle:
        files = _weight_files(folder, "pytorch_model.bin")
    if files is None:
        problem, cure = "does not hold model.safetensors", _AGAIN
        if any(folder.glob("pytorch_model*.bin")) and not pickle:
            problem += ", only a pickle, pytorch_model.bin"
            cure = Message("Add `pickle` to read its tensors; no code in it is run", ["pickle"])
        raise InputError(problem, path=folder, cure=cure)
    weights: dict[str, Tensor] = {}
    for path in files:
        weights |= _read_tensors(path)
    return weights


def _weight_files(folder: Path, name: str) -> list[Path] | None:
    """The file of this name, or the shards named in an index; None if there is neither."""
    if (folder / name).is_file():
        return [folder / name]
    index = folder / f"{name}.index.json"
    if not index.is_file():
        return None
    shards = read_json(index).get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise InputError("does not name any shards", path=index, cure=_AGAIN)
    for shard in shards.values():
        if not isinstance(shard, str) or not _PLAIN_NAME.fullmatch(shard):
            raise InputError(
                f"names the shard {str(shard)[:60]!r}, which is not a file of its own folder",
                path=index,
                cure=_AGAIN,
            )
    files = [folder / shard for shard in sorted(set(shards.values()))]
    if missing := [file.name for file in files if not file.is_file()]:
        raise InputError(
            f"lacks {', '.join(missing)}, of {len(files)} weight files", path=folder, cure=_AGAIN
        )
    return files


def _read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of one file."""
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        weights = torch.load(path, map_location="cpu", weights_only=True)
    except (SafetensorError, OSError) as error:
        raise InputError(f"is damaged or incomplete ({error})", path=path, cure=_AGAIN) from None
    except Exception:  # a damaged pickle can raise anything
        # torch's message is not quoted, because it advises to run code from the file.
        raise InputError(
            "cannot be read as a file of tensors: it is damaged, or holds something else",
            path=path,
            cure=_AGAIN,
        ) from None
    if not isinstance(weights, dict) or not all(isinstance(t, Tensor) for t in weights.values()):
        raise InputError("does not hold a mapping of names to tensors", path=path, cure=_AGAIN)
    return weights
