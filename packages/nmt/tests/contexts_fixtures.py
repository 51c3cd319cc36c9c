"""Small encoders: runs that write masked sentences, and models of Hugging Face with their
tokenizers, saved as others save theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from docmt_nmt.training import train
from toy import masked_run, toy_recipe


@pytest.fixture(scope="session")
def english(tiny_corpus, tmp_path_factory):
    """A run whose encoder reads the source side of the toy corpus."""
    return masked_run(tiny_corpus, tmp_path_factory.mktemp("english") / "run", "en")


@pytest.fixture(scope="session")
def german(tiny_corpus, tmp_path_factory):
    """A run whose encoder reads its target side."""
    return masked_run(tiny_corpus, tmp_path_factory.mktemp("german") / "run", "de")


@pytest.fixture(scope="session")
def sentence_run(tiny_corpus, tmp_path_factory):
    """The sentence Transformer of the first stage, which knows the toy corpus well."""
    recipe = toy_recipe(
        tiny_corpus,
        instances={"kind": "sentence"},
        system={"norm": "output"},
        training={"max_steps": 150, "validate_every": 75, "label_smoothing": 0.0},
    )
    return train(recipe, tmp_path_factory.mktemp("sentence") / "run", progress=False)


def vocabulary(folder: Path) -> str:
    """A BERT vocabulary of letters and some words."""
    letters = [chr(number) for number in range(33, 127)]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "monk", *letters]
    path = folder / "vocab.txt"
    path.write_text("\n".join([*tokens, *(f"##{letter}" for letter in letters)]) + "\n")
    return str(path)


@pytest.fixture(scope="session")
def bert(tmp_path_factory) -> Path:
    """A random BERT of 12 wide states that reads 64 tokens."""
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("bert")
    tokenizer = transformers.BertTokenizerFast(vocabulary(folder))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=64,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def pegasus(tmp_path_factory) -> Path:
    """A random PEGASUS of 8 wide states, with a tokenizer that knows no pairs."""
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("pegasus")
    tokenizer = transformers.BertTokenizerFast(vocabulary(folder))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.PegasusConfig(
        vocab_size=len(tokenizer),
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=128,
        pad_token_id=0,
        eos_token_id=3,
        decoder_start_token_id=0,
    )
    transformers.PegasusModel(config).save_pretrained(folder)
    return folder
