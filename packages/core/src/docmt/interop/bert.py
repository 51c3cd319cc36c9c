"""BERT (Devlin et al. 2019) in the format of Hugging Face, as the encoder of other systems.

It is the encoder of a post-norm Transformer with learned positions, segments, and normalized
embeddings. The further parts of BERT, the pooler and the heads for training, are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import BertWordPieceTokenizer
from torch import Tensor

from docmt.interop.huggingface_tokenizers import tokens_by_id
from docmt.interop.model_formats import MODEL_FORMATS
from docmt.interop.weight_checks import SizeNames, check_table, read_activation
from docmt_files.base.errors import InputError, naming_file, panics_as_errors
from docmt_files.storage.json_files import read_json
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.systems.transformer_settings import TransformerSettings
from docmt_nmt.text.pretrained import PretrainedTokenizer, PretrainedVocabulary, load_tokenizer

_FORMAT = MODEL_FORMATS["bert"]

DEFAULTS: dict[str, Any] = _FORMAT["defaults"]
"""The defaults of settings missing from a `config.json`."""

SIZE_NAMES = SizeNames.of_config(
    "hidden_size", "intermediate_size", "num_hidden_layers", "num_hidden_layers"
)

_CURE = "Copy the folder again, with all files of the model"

_EMBEDDINGS: dict[str, str] = _FORMAT["embeddings"]

_MODULES: dict[str, str] = _FORMAT["modules"]
"""docmt's names of the modules of a layer."""

_NOT_READ = re.compile(r"(pooler|cls)\..*|embeddings\.(position_ids|token_type_ids)")

_FORMER_NAMES: dict[str, str] = _FORMAT["former_names"]
"""Names in files converted from the first implementation."""


def system_settings(
    config: Mapping[str, Any], state: Mapping[str, Tensor], *, path: Path
) -> TransformerSettings:
    """The settings of the encoder as a Transformer without decoder layers.

    Raises:
        InputError: docmt does not support a setting; the message names the setting.
    """
    for key in ("position_embedding_type", "is_decoder"):
        if config[key] != DEFAULTS[key]:
            raise InputError(f"{key} {config[key]!r} is not supported", path=path)
    values = {
        "layers": config["num_hidden_layers"],
        "decoder_layers": 0,
        "d_model": config["hidden_size"],
        "heads": config["num_attention_heads"],
        "ffn_dim": config["intermediate_size"],
        "dropout": config["hidden_dropout_prob"],
        "attention_dropout": config["attention_probs_dropout_prob"],
        "norm": "post",
        "norm_epsilon": config["layer_norm_eps"],
        "activation": read_activation("hidden_act", config, path),
        "positions": "learned",
        "max_positions": len(state["source_embedding.learned.weight"]),
        "scale_embeddings": False,
        "normalize_embeddings": True,
        "segment_embeddings": True,
        "target_embeddings": "sinusoidal",
    }
    return TransformerSettings.read(values, path=path)


def rename(weights: Mapping[str, Tensor], *, path: Path) -> dict[str, Tensor]:
    """A model's weights under docmt's names. The target has the table of the source.

    Raises:
        InputError: a tensor has an unknown name or is missing, or there are not two segments.
    """
    renamed: dict[str, Tensor] = {}
    for full_name, tensor in weights.items():
        name = full_name.removeprefix("bert.")
        if _NOT_READ.fullmatch(name):
            continue
        for former, now in _FORMER_NAMES.items():
            name = name.replace(former, now)
        part, _, rest = name.partition(".")
        layer = re.fullmatch(r"layer\.(\d+)\.(.+)\.(weight|bias)", rest)
        if part == "embeddings" and rest in _EMBEDDINGS:
            renamed[f"source_embedding.{_EMBEDDINGS[rest]}"] = tensor.float()
        elif part == "encoder" and layer and layer[2] in _MODULES:
            renamed[f"encoder.{layer[1]}.{_MODULES[layer[2]]}.{layer[3]}"] = tensor.float()
        else:
            raise InputError(f"unknown tensor {full_name!r}", path=path)
    for name, new in _EMBEDDINGS.items():
        if f"source_embedding.{new}" not in renamed:
            raise InputError(f"lacks the tensor embeddings.{name}", path=path, cure=_CURE)
        if "LayerNorm" not in name:
            check_table(f"embeddings.{name}", renamed[f"source_embedding.{new}"], path)
    if (segments := len(renamed["source_embedding.segments.weight"])) != 2:
        raise InputError(f"type_vocab_size {segments} is not supported, only 2", path=path)
    renamed["target_embedding.table.weight"] = renamed["source_embedding.table.weight"]
    return renamed


def read_tokenizer(folder: Path, size: int) -> tuple[PretrainedTokenizer, SpecialTokens]:
    """A model's tokenizer, and the special tokens around each sentence: `[CLS]` and `[SEP]`.

    Raises:
        InputError: a file is missing or damaged, or the tokenizer is not the model's.
    """
    content = _read_tokenizer_json(folder)
    with naming_file(folder):
        tokenizer = load_tokenizer(content)
    ids = tokenizer.get_vocab(with_added_tokens=True)
    tokens, unused = tokens_by_id({i: token for token, i in ids.items()}, size, folder)
    if missing := [name for name in ("[CLS]", "[SEP]", "[UNK]") if name not in ids]:
        raise InputError(
            f"the tokenizer has no {' and no '.join(missing)}", path=folder, cure=_CURE
        )
    special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    special |= {ids[name] for name in ("[CLS]", "[SEP]", "[PAD]", "[MASK]") if name in ids}
    named = [_FORMAT["special_tokens"].get(token, token) for token in tokens]
    vocabulary = PretrainedVocabulary(named, special | unused, ids["[UNK]"])
    cls, sep = ids["[CLS]"], ids["[SEP]"]
    return PretrainedTokenizer(content, vocabulary), SpecialTokens((cls,), (sep,), cls, sep)


def _read_tokenizer_json(folder: Path) -> bytes:
    """The content of `tokenizer.json`, made from `vocab.txt` where a model has no
    `tokenizer.json`."""
    path, words = folder / "tokenizer.json", folder / "vocab.txt"
    if path.is_file():
        return read_stored(path)
    if not words.is_file():
        raise InputError("holds neither tokenizer.json nor vocab.txt", path=folder, cure=_CURE)
    settings_path = folder / "tokenizer_config.json"
    settings = read_json(settings_path) if settings_path.is_file() else {}
    keys = {"do_lower_case": "lowercase", "strip_accents": "strip_accents"}
    keys["tokenize_chinese_chars"] = "handle_chinese_chars"
    form = {
        theirs: settings[key] for key, theirs in keys.items() if isinstance(settings.get(key), bool)
    }
    try:
        with panics_as_errors():
            return str(BertWordPieceTokenizer(str(words), **form).to_str()).encode()
    except Exception as error:  # the library raises nothing narrower
        raise InputError(f"is not a vocabulary ({error})", path=words, cure=_CURE) from None
