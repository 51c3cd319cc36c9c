"""Tiny random decoder-only models with byte-level tokenizers trained on the bundled corpus, saved
as `transformers` saves them. Nothing comes from a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from pretrained_models import sentences

VOCABULARY_SIZE = 320

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""Of the kind that most open models have (ChatML)."""

SIZE = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": False,
}


def tokenizer(chat_template: str | None = CHAT_TEMPLATE) -> Any:
    """A byte-level BPE as GPT-2 and its heirs have it, with the special tokens of ChatML."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    special = ["<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator([*sentences("en"), *sentences("de")], trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=special[2:4],
        chat_template=chat_template,
    )


def save_causal(
    folder: Path, family: str = "llama", *, chat_template: str | None = CHAT_TEMPLATE, **own: Any
) -> Path:
    """Save a tiny random model of a family (`llama`, `qwen2`), and return its folder.

    Args:
        own: settings of its configuration.
    """
    config_class, model_class = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
    }[family]
    names = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None}
    config = config_class(vocab_size=VOCABULARY_SIZE, **SIZE | names | own)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = model_class(config)
        for name, weight in model.named_parameters():
            if (
                weight.dim() > 1
            ):  # larger than at the beginning of training, for sharp distributions
                torch.nn.init.normal_(weight, std=0.3 if "embed" in name else 0.2)
            elif "bias" in name:
                torch.nn.init.normal_(weight, std=0.1)
    model.generation_config.eos_token_id = [1, 3]
    model.save_pretrained(folder)
    tokenizer(chat_template).save_pretrained(folder)
    return folder
