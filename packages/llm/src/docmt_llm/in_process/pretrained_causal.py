"""Decoder-only models of `transformers`, from a folder, a GGUF file or the Hugging Face hub. Code
in the model's folder is never run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import redirect_stderr
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from docmt_files.base.errors import InputError, panics_as_errors
from docmt_files.base.wording import first_few
from docmt_nmt.base.choices import Precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

_NAMED_DECODERS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
"""Suffixes of the classes of text-generating models. Encoders turned into decoders share them, but
their weights were never trained to decode."""

NO_REMOTE_CODE: dict[str, Any] = {"trust_remote_code": False}
"""Passed each time, because the library otherwise asks on standard input."""

_FILES = "config.json, tokenizer.json and model.safetensors, a GGUF file"


class PretrainedCausal(NamedTuple):
    """A pretrained decoder-only model and the tokenizer.

    Attributes:
        model: the model, in evaluation mode.
        tokenizer: the tokenizer, with the offsets of tokens.
        end_ids: ids of the tokens after an answer, in ascending order.
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    end_ids: tuple[int, ...]


def read_causal_config(model: str) -> Any:
    """The configuration of a decoder-only model.

    Args:
        model: a folder, a GGUF file, or a name on the hub.

    Raises:
        InputError: `transformers` is not installed, or there is no such model, or it is of another
            kind.
    """
    transformers, (name, options) = transformers_package(), _source(model)
    try:
        config = transformers.AutoConfig.from_pretrained(name, **options)
    except Exception as error:  # damaged or missing files can raise anything
        raise not_loaded(model, error) from None
    known = transformers.AutoModelForCausalLM._model_mapping
    # A GGUF file names a family, and no architecture.
    if not (is_decoder_only(config) or (is_gguf(model) and type(config) in known)):
        raise InputError(
            f"is not a decoder-only model, but one of the family {config.model_type}",
            path=model,
            cure="Name a model that writes text, such as a Llama, Qwen, Gemma or Mistral; "
            "encoder-decoders are imported as systems by docmt import huggingface",
        )
    return config


def is_gguf(model: str) -> bool:
    """True if a model is named as a GGUF file, the format of llama.cpp."""
    return model.lower().endswith(".gguf")


def _source(model: str) -> tuple[str, dict[str, Any]]:
    """The name of a model and the options to load it with.

    Raises:
        InputError: it is a GGUF file, and the package to read it is not installed.
    """
    if not is_gguf(model):
        return model, NO_REMOTE_CODE
    path = Path(model)
    if not path.is_file():
        raise InputError("no such file", path=model)
    if find_spec("gguf") is None:
        raise InputError(
            "is a GGUF file, which needs the package gguf",
            path=model,
            cure="pip install docmt[gguf]",
        )
    return str(path.parent), {"gguf_file": path.name, **NO_REMOTE_CODE}


def is_decoder_only(config: Any) -> bool:
    """True if a configuration of `transformers` describes a decoder-only model."""
    known = transformers_package().AutoModelForCausalLM._model_mapping
    architectures = config.architectures or []
    decodes = any(name.endswith(_NAMED_DECODERS) for name in architectures)
    return type(config) in known and decodes and not config.is_encoder_decoder


def load_causal(
    model: str, *, device: str | None = None, precision: Precision | None = None
) -> PretrainedCausal:
    """Load a decoder-only model.

    A quantized model is loaded quantized, if the packages for its format are installed; the weights
    of a GGUF file become 32-bit numbers.

    Args:
        model: a folder, a GGUF file, or a name on the hub, downloaded once.
        device: the device to compute on; `auto` spreads a model over several GPUs. Default: a GPU
            if there is one.
        precision: the number format. Default: the format of the files.

    Raises:
        InputError: as `read_causal_config`, or the files are damaged or do not belong together.
    """
    config = read_causal_config(model)
    transformers, torch = transformers_package(), import_module("torch")
    if precision == "int8":
        raise InputError(
            "a language model is not quantized when it is loaded",
            cure="Name a model that is stored quantized, or choose another precision",
        )
    formats = {None: "auto", "fp32": torch.float32, "bf16": torch.bfloat16}
    from docmt_nmt.nn.devices import chosen_device

    device, (name, options) = chosen_device(device), _source(model)
    own: dict[str, Any] = {"use_safetensors": True}
    if is_gguf(model):
        # Packed weights need kernels that the library would fetch from the hub.
        unpacked = getattr(transformers, "GgufConfig", None)
        own = {"quantization_config": unpacked(dequantize=True)} if unpacked else {}
    transformers.utils.logging.disable_progress_bar()
    try:
        # The reader of GGUF files shows a progress bar of its own.
        with panics_as_errors(), redirect_stderr(StringIO()):
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, use_fast=True, **options)
        if len(tokenizer) <= len(tokenizer.all_special_tokens):
            raise ValueError("the tokenizer has no vocabulary: its file is missing")
        if not tokenizer.is_fast:
            raise ValueError("its tokenizer has no tokenizer.json")
        loaded = load_weights(
            transformers.AutoModelForCausalLM,
            name,
            config=config,
            dtype=formats[precision],
            device_map=device,
            **options,
            **own,
        )
    except Exception as error:  # damaged or mismatched files can raise anything
        raise not_loaded(model, error) from None
    end_ids = _end_ids(loaded, tokenizer)
    if not end_ids:
        raise InputError(
            "does not say which token ends an answer",
            path=model,
            cure="Add eos_token_id to its generation_config.json",
        )
    # How answers are sampled is said by the recipe alone.
    loaded.generation_config = transformers.GenerationConfig(
        eos_token_id=list(end_ids), pad_token_id=end_ids[0], do_sample=False
    )
    return PretrainedCausal(loaded, tokenizer, end_ids)


def load_weights(kind: Any, name: str, **options: Any) -> Any:
    """A model of `transformers` in evaluation mode, with all weights from the files.

    Args:
        kind: the class that loads it, such as `AutoModelForCausalLM`.
        name: a folder, or a name on the hub.
        options: further arguments of `from_pretrained`.

    Raises:
        ValueError: the files lack a weight, or one is not finite. Damaged files raise anything.
    """
    torch = import_module("torch")
    with redirect_stderr(StringIO()):
        loaded, info = kind.from_pretrained(name, output_loading_info=True, **options)
    # The library initializes missing weights at random.
    if info["missing_keys"]:
        raise ValueError(f"the weights lack {first_few(sorted(info['missing_keys']))}")
    if any(not torch.isfinite(weight).all() for weight in _floating(loaded.parameters())):
        raise ValueError("a weight is not finite")
    return loaded.eval().requires_grad_(False)


def transformers_package() -> Any:
    """The package `transformers`, an optional dependency."""
    try:
        return import_module("transformers")
    except ImportError:
        raise InputError(
            "a language model in this process needs the package transformers",
            cure="pip install docmt[language-models]",
        ) from None


def _floating(weights: Iterable[Any]) -> Iterable[Any]:
    """The floating-point weights; quantized weights are integers."""
    return (weight for weight in weights if weight.is_floating_point())


def _end_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> tuple[int, ...]:
    """Ids of the end tokens in the model's files."""
    named = [model.generation_config.eos_token_id, tokenizer.eos_token_id]
    ids = [one for value in named for one in (value if isinstance(value, list) else [value])]
    size = model.get_output_embeddings().weight.shape[0]
    return tuple(sorted({one for one in ids if one is not None and 0 <= one < size}))


def not_loaded(model: str, error: Exception, files: str = _FILES) -> InputError:
    """The error for a model the library cannot load.

    Args:
        model: the name of the model.
        error: the error of the library.
        files: the files to name in the cure.
    """
    if isinstance(error, InputError):
        return error
    reason = " ".join(str(error).split())[:300]
    if "trust_remote_code" in str(error):  # which the library advises to set
        reason = "it needs code that is in its own folder, which docmt does not run"
    return InputError(
        f"the language model {model!r} cannot be loaded ({reason})",
        cure=f"Name a folder with {files}, or a model on the Hugging Face hub",
    )


def model_digest(model: str, config: Any) -> str:
    """The SHA-256 of a GGUF file or of the files of a folder, or the commit of a model on the hub.

    Args:
        model: the name of the model.
        config: the configuration of the loaded model.
    """
    path = Path(model)
    if not path.exists():
        return str(getattr(config, "_commit_hash", None))
    files = [path] if path.is_file() else [each for each in path.iterdir() if each.is_file()]
    digest = hashlib.sha256()
    for each in sorted(files):
        with each.open("rb") as file:
            digest.update(each.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
