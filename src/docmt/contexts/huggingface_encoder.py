"""Encoders of Hugging Face: BERT, PEGASUS and any other whose states can be had."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from docmt.contexts.encoders import Encoder, fingerprint
from docmt.errors import InputError
from docmt.systems.parallel_stack import ContextSettings
from docmt.wording import first_few

COUNTED_FROM_PADDING = {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert"}
"""Models whose first position is numbered one more than their padding token."""


class HuggingFaceEncoder(Encoder):
    """Reads a passage as running text, or as the pair of sentences that models such as BERT are
    trained on.

    Args:
        name: what errors call it.
        settings: the model and its limits.
        device: where to compute.

    Raises:
        InputError: `transformers` is not installed, or there is no such model or no tokenizer or
            safetensors weights with it.
    """

    def __init__(self, name: str, settings: ContextSettings, device: torch.device | str) -> None:
        assert settings.model is not None
        config, self.tokenizer, model = load(name, settings.model)
        super().__init__(
            name, limit(config, self.tokenizer), settings.max_tokens, settings.too_long
        )
        self.model = model.to(device).eval().requires_grad_(False)
        self.device = device
        self.d_model = config.hidden_size
        # A model that tells segments apart knows two.
        self.pairs = getattr(config, "type_vocab_size", 0) > 1
        self.most_sentences = 2 if self.pairs else None
        self.channels = ["input_ids", *(["token_type_ids"] if self.pairs else [])]
        folder = Path(settings.model)
        files = [path for path in folder.glob("*") if path.is_file()] if folder.is_dir() else []
        self.fingerprint = fingerprint(
            files, settings.model if not files else "",
            str(getattr(config, "_commit_hash", None)), str((self.max_tokens, self.too_long)),
        )  # fmt: skip

    def tokens(self, sentences: Sequence[str], most: int | None = None) -> list[list[int]]:
        """Token numbers and, for pairs, which sentence each lies in."""
        texts = sentences if self.pairs else [" ".join(sentences)]
        cut = {} if most is None else {"truncation": True, "max_length": most}
        row = self.tokenizer(*texts, return_attention_mask=False, verbose=False, **cut)
        if self.pairs and "token_type_ids" not in row:
            row["token_type_ids"] = [0] * len(row["input_ids"])
        return [list(row[channel]) for channel in self.channels]

    def states(self, rows: Sequence[list[list[int]]]) -> list[Tensor]:
        """The states, (n, W), of passages."""
        lengths = [len(row[0]) for row in rows]
        longest = max(lengths)
        seen = torch.arange(longest) < torch.tensor(lengths)[:, None]
        inputs = {"attention_mask": seen.long().to(self.device)}
        for number, channel in enumerate(self.channels):
            filler = (self.tokenizer.pad_token_id or 0) if number == 0 else 0
            padded = [row[number] + [filler] * (longest - len(row[number])) for row in rows]
            inputs[channel] = torch.tensor(padded, device=self.device)
        states = self.model(**inputs).last_hidden_state
        return [states[place, :length] for place, length in enumerate(lengths)]


def load(name: str, model: str) -> tuple[Any, Any, Any]:
    """Configuration, tokenizer and encoder of a model."""
    try:
        transformers: Any = import_module("transformers")
    except ImportError:
        raise InputError(
            f"{name}.kind: huggingface needs the package transformers",
            cure="pip install docmt[huggingface]",
        ) from None
    transformers.utils.logging.disable_progress_bar()
    try:
        config = transformers.AutoConfig.from_pretrained(model)
        tokenizer = transformers.AutoTokenizer.from_pretrained(model)
        loaded, found = transformers.AutoModel.from_pretrained(
            model, use_safetensors=True, output_loading_info=True
        )
        # The library fills what is missing with random numbers, or a tokenizer with nothing.
        missing = set(found["missing_keys"]) - computed(loaded)
        lacking = [name for name in sorted(missing) if not is_unused(name, config)]
        if lacking:
            raise ValueError(f"the weights lack {first_few(lacking)}")
        if len(tokenizer) <= len(tokenizer.all_special_tokens):
            raise ValueError("the tokenizer knows no words: its file is missing")
    except Exception as error:  # files that are damaged or do not fit raise anything
        reason = " ".join(str(error).split())[:300]
        raise InputError(
            f"{name}.model cannot be loaded ({reason})", path=model,
            cure="Name a folder with config.json, a tokenizer and model.safetensors",
        ) from None  # fmt: skip
    return config, tokenizer, loaded.get_encoder() if config.is_encoder_decoder else loaded


def computed(model: Any) -> set[str]:
    """Parameters that a model makes itself and files leave out: sines and cosines of positions."""
    return {
        f"{name}.weight"
        for name, module in model.named_modules() if "Sinusoidal" in type(module).__name__
    }  # fmt: skip


def is_unused(parameter: str, config: Any) -> bool:
    """Whether a model's states do not depend on a parameter."""
    return parameter.startswith("pooler.") or (
        config.is_encoder_decoder and parameter.startswith("decoder.")
    )


def limit(config: Any, tokenizer: Any) -> int | None:
    """The most tokens a model reads; None where it sets no limit."""
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and config.model_type in COUNTED_FROM_PADDING:
        positions -= config.pad_token_id + 1
    # A tokenizer that knows no limit gives a number beyond all use, and a model may give -1.
    known = [n for n in (positions, tokenizer.model_max_length) if n is not None and 0 < n < 10**9]
    return min(known, default=None)
