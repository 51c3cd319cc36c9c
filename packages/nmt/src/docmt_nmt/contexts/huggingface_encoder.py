"""Context encoders from Hugging Face: BERT, PEGASUS and any other model with states as output."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from docmt_files.base.errors import InputError, panics_as_errors
from docmt_files.base.wording import first_few
from docmt_nmt.contexts.encoders import Encoder, TokenizedPassage, fingerprint
from docmt_nmt.runs.weights import check_finite
from docmt_nmt.systems.parallel_stack_settings import ContextSettings

_POSITIONS_AFTER_PADDING = {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert"}
"""Models whose first position has the id of the padding token plus one."""


class HuggingFaceEncoder(Encoder):
    """Reads a passage as running text, or as a pair of sentences for models trained on pairs, such
    as BERT.

    Args:
        name: the key of the recipe, for error messages.
        settings: the model and the limits.
        device: where to compute.

    Raises:
        InputError: `transformers` is not installed, or there is no such model, or it has no
            tokenizer or no safetensors weights.
    """

    def __init__(self, name: str, settings: ContextSettings, device: torch.device | str) -> None:
        assert settings.model is not None
        config, self.tokenizer, model = _load(name, settings.model)
        super().__init__(
            name, _token_limit(config, self.tokenizer), settings.max_tokens, settings.too_long
        )
        self.model = model.to(device).eval().requires_grad_(False)
        self.device = device
        self.d_model = config.hidden_size
        # A model with token types has two, so it reads at most two sentences.
        self.pairs = getattr(config, "type_vocab_size", 0) > 1
        self.max_sentences = 2 if self.pairs else None
        self.channels = ["input_ids", *(["token_type_ids"] if self.pairs else [])]
        folder = Path(settings.model)
        files = [path for path in folder.glob("*") if path.is_file()] if folder.is_dir() else []
        self.fingerprint = fingerprint(
            files,
            settings.model if not files else "",
            str(getattr(config, "_commit_hash", None)),
            str((self.max_tokens, self.too_long)),
        )

    def tokenize(self, sentences: Sequence[str], most: int | None = None) -> TokenizedPassage:
        """Token ids and, for pairs, the token type, which says in which sentence a token is."""
        texts = sentences if self.pairs else [" ".join(sentences)]
        truncation = {} if most is None else {"truncation": True, "max_length": most}
        tokens = self.tokenizer(*texts, return_attention_mask=False, verbose=False, **truncation)
        if self.pairs and "token_type_ids" not in tokens:
            tokens["token_type_ids"] = [0] * len(tokens["input_ids"])
        return [list(tokens[channel]) for channel in self.channels]

    def compute_states(self, passages: Sequence[TokenizedPassage]) -> list[Tensor]:
        """The states, (n, W), of tokenized passages, computed in one padded batch."""
        lengths = [len(passage[0]) for passage in passages]
        longest = max(lengths)
        mask = torch.arange(longest) < torch.tensor(lengths)[:, None]
        inputs = {"attention_mask": mask.long().to(self.device)}
        for i, channel in enumerate(self.channels):
            padding = (self.tokenizer.pad_token_id or 0) if i == 0 else 0
            padded = [p[i] + [padding] * (longest - len(p[i])) for p in passages]
            inputs[channel] = torch.tensor(padded, device=self.device)
        states = self.model(**inputs).last_hidden_state
        return [states[i, :length] for i, length in enumerate(lengths)]


def _load(name: str, model: str) -> tuple[Any, Any, Any]:
    """Configuration, tokenizer and encoder of a model. No code of the model's folder is run.

    Raises:
        InputError: as of `HuggingFaceEncoder`, or a weight is not finite.
    """
    try:
        transformers: Any = import_module("transformers")
    except ImportError:
        raise InputError(
            f"{name}.kind: huggingface needs the package transformers",
            cure="pip install docmt[huggingface]",
        ) from None
    transformers.utils.logging.disable_progress_bar()
    try:
        # Said each time, because the library otherwise asks on standard input.
        safe = {"trust_remote_code": False}
        config = transformers.AutoConfig.from_pretrained(model, **safe)
        with panics_as_errors():
            tokenizer = transformers.AutoTokenizer.from_pretrained(model, **safe)
        loaded, info = transformers.AutoModel.from_pretrained(
            model, use_safetensors=True, output_loading_info=True, **safe
        )
        check_finite(loaded.state_dict(), model)
        # The library initializes missing weights at random, and makes an empty tokenizer from
        # missing files.
        missing = set(info["missing_keys"]) - _computed_parameters(loaded)
        needed = [name for name in sorted(missing) if not _is_unused(name, config)]
        if needed:
            raise ValueError(f"the weights lack {first_few(needed)}")
        if len(tokenizer) <= len(tokenizer.all_special_tokens):
            raise ValueError("the tokenizer has no vocabulary: its file is missing")
    except InputError:
        raise
    except Exception as error:  # damaged or mismatched files can raise anything
        reason = " ".join(str(error).split())[:300]
        if "trust_remote_code" in str(error):  # which the library advises to set
            reason = "it needs code that is in its own folder, which docmt does not run"
        raise InputError(
            f"{name}.model cannot be loaded ({reason})",
            path=model,
            cure="Name a folder with config.json, a tokenizer and model.safetensors",
        ) from None
    return config, tokenizer, loaded.get_encoder() if config.is_encoder_decoder else loaded


def _computed_parameters(model: Any) -> set[str]:
    """Parameters computed by a model and left out of files: sinusoidal positions."""
    return {
        f"{name}.weight"
        for name, module in model.named_modules()
        if "Sinusoidal" in type(module).__name__
    }


def _is_unused(parameter: str, config: Any) -> bool:
    """Return whether the encoder's states do not depend on a parameter."""
    return parameter.startswith("pooler.") or (
        config.is_encoder_decoder and parameter.startswith("decoder.")
    )


def _token_limit(config: Any, tokenizer: Any) -> int | None:
    """The most tokens a model can read; None if it has no limit."""
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and config.model_type in _POSITIONS_AFTER_PADDING:
        positions -= config.pad_token_id + 1
    # A tokenizer without a limit reports a huge number, and a model may report -1.
    known = [n for n in (positions, tokenizer.model_max_length) if n is not None and 0 < n < 10**9]
    return min(known, default=None)
