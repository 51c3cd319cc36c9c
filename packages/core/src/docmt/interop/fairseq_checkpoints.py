"""fairseq checkpoints of the published G-Transformer code (Bao et al. 2021) and of the Transformers
it starts from.

A checkpoint is a pickle. The unpickler accepts tensors and plain values alone. A file with anything
else is refused, and no code in it is run.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from docmt.interop.model_formats import MODEL_FORMATS
from docmt.interop.weight_checks import SizeNames, check_table
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.systems.transformer_settings import TransformerSettings

SIZE_NAMES = SizeNames(
    file="`args`",
    cure="Use the file as the training wrote it, complete and unchanged",
    d_model="encoder_embed_dim",
    ffn_dim="encoder_ffn_embed_dim",
    encoder_layers="encoder_layers",
    decoder_layers="decoder_layers",
)

_ARCHITECTURES = re.compile(r"(gtransformer|transformer)(_\w+)?")

_FORMAT = MODEL_FORMATS["fairseq"]
_IGNORED = re.compile(r".*\.(version|embed_positions\._float_tensor)")


def read_checkpoint(path: PathLike) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The arguments and weights of a checkpoint, under fairseq's names.

    Raises:
        InputError: the file is missing or damaged, holds more than tensors and plain values, or is
            not a fairseq checkpoint.
    """
    if not Path(path).is_file():
        raise InputError("no such file", path=path, cure="Check the path")
    try:
        with torch.serialization.safe_globals([Namespace]):
            checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged pickle can raise anything
        # torch's message is not quoted in full, because it advises to run code from the file.
        foreign = re.search(r"GLOBAL (\S+)", str(error))
        reason = f" (it holds {foreign[1]})" if foreign else ""
        raise InputError(
            f"cannot be read as a checkpoint of tensors and plain values{reason}",
            path=path,
            cure="Use the complete file that the training wrote",
        ) from None
    if not isinstance(checkpoint, dict) or not {"args", "model"} <= checkpoint.keys():
        raise InputError(
            "is not a fairseq checkpoint: it lacks `args` or `model`",
            path=path,
            parameters=("model",),
        )
    arguments, weights = checkpoint["args"], checkpoint["model"]
    if (
        not isinstance(arguments, Namespace)
        or not isinstance(weights, Mapping)
        or not all(isinstance(tensor, Tensor) for tensor in weights.values())
    ):
        raise InputError("is not a fairseq checkpoint of a supported version", path=path)
    return vars(arguments), dict(weights)


def system_settings(
    arguments: Mapping[str, Any], *, path: PathLike
) -> GTransformerSettings | TransformerSettings:
    """The settings of a checkpoint's system, from the checkpoint's arguments.

    Raises:
        InputError: docmt does not support an argument; the message names the argument.
    """
    architecture = str(arguments.get("arch"))
    known = _ARCHITECTURES.fullmatch(architecture)
    if not known:
        raise InputError(
            f"architecture {architecture!r} is not supported",
            path=path,
            cure="Supported are transformer and gtransformer, of any size",
        )
    is_g_transformer = known[1] == "gtransformer"
    if arguments.get("task") != "translation_doc":
        raise InputError(
            f"task {arguments.get('task')!r} is not supported",
            path=path,
            cure="Supported is translation_doc, whose sentences have BOS and EOS tokens",
        )
    _check_supported(arguments, path)
    required = ["encoder_layers", "encoder_embed_dim", "encoder_attention_heads"]
    required += ["encoder_ffn_embed_dim"]
    required += [
        f"{part}_ctxlayers" for part in ("encoder", "decoder", "cross") if is_g_transformer
    ]
    if missing := [name for name in required if name not in arguments]:
        raise InputError(f"the arguments lack {', '.join(missing)}", path=path)
    values: dict[str, Any] = {
        "layers": arguments["encoder_layers"],
        "d_model": arguments["encoder_embed_dim"],
        "heads": arguments["encoder_attention_heads"],
        "ffn_dim": arguments["encoder_ffn_embed_dim"],
        "dropout": arguments.get("dropout", 0.1),
        "norm": "pre" if arguments.get("encoder_normalize_before") else "post",
        "share_embeddings": bool(arguments.get("share_all_embeddings")),
    }
    if not is_g_transformer:
        return TransformerSettings.read(values, path=path)
    # The published name of group attention in lower and combined attention in upper layers.
    mode = arguments.get("doc_mode", "partial")
    if mode != "partial":
        raise InputError(f"doc_mode {mode!r} is not supported", path=path)
    for part in ("encoder", "decoder", "cross"):
        values[f"{part}_context_layers"] = arguments[f"{part}_ctxlayers"]
    return GTransformerSettings.read(values, path=path)


def _check_supported(arguments: Mapping[str, Any], path: PathLike) -> None:
    """Require a counterpart in docmt of every argument."""
    equal = ("layers", "embed_dim", "attention_heads", "ffn_embed_dim", "normalize_before")
    for part in equal:
        encoder, decoder = arguments.get(f"encoder_{part}"), arguments.get(f"decoder_{part}")
        if encoder != decoder:
            raise InputError(
                f"encoder_{part} {encoder!r} differs from decoder_{part} {decoder!r}", path=path
            )
    for name, value in _FORMAT["supported"].items():
        if arguments.get(name, value) != value:
            raise InputError(f"{name} {arguments[name]!r} is not supported", path=path)


def rename(weights: Mapping[str, Tensor], *, shared: bool, path: PathLike) -> dict[str, Tensor]:
    """The weights under docmt's names.

    Args:
        shared: whether source and target share their embeddings.

    Raises:
        InputError: a tensor has an unknown name, or there are no embeddings.
    """
    renamed: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if _IGNORED.fullmatch(name):
            continue
        if name in ("decoder.embed_tokens.weight", "decoder.output_projection.weight"):
            # The output projection is tied to the embeddings.
            check_table(name, tensor, path)
            renamed["target_embedding.table.weight"] = tensor
        elif name == "encoder.embed_tokens.weight":
            check_table(name, tensor, path)
            renamed["source_embedding.table.weight"] = tensor
        elif match := re.fullmatch(r"(encoder|decoder)\.layer_norm\.(weight|bias)", name):
            renamed[f"{match[1]}_norm.{match[2]}"] = tensor
        elif match := re.fullmatch(r"(encoder|decoder)\.layers\.(\d+)\.(.+)", name):
            renamed[f"{match[1]}.{match[2]}.{rename_in_layer(match[3], path)}"] = tensor
        else:
            raise InputError(f"unknown tensor {name!r}", path=path)
    if "target_embedding.table.weight" not in renamed:
        raise InputError("there are no decoder embeddings", path=path)
    if shared:
        renamed["source_embedding.table.weight"] = renamed["target_embedding.table.weight"]
    return {name: tensor.float() for name, tensor in renamed.items()}


def rename_in_layer(name: str, path: PathLike) -> str:
    """docmt's name of a tensor within a layer. Hugging Face's names are the same as fairseq's.

    Raises:
        InputError: the name is unknown.
    """
    for theirs, ours in _FORMAT["sublayers"].items():
        if match := re.match(theirs, name):
            rest = name[match.end() :]
            projection, _, kind = rest.partition(".")
            if not kind:
                return f"{ours}{rest}"
            if projection in _FORMAT["projections"]:
                return f"{ours}{_FORMAT['projections'][projection]}.{kind}"
    raise InputError(f"unknown tensor {name!r}", path=path)
