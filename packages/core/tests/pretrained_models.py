"""Tiny random models of each pretrained family with tokenizers trained on the bundled corpus, saved
as `transformers` saves them. Nothing comes from a network."""

from __future__ import annotations

import functools
import io
import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import torch
import transformers
from tokenizers import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    Tokenizer,
    models,
    pre_tokenizers,
    trainers,
)
from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as NLLB_LANGUAGES

from docmt.interop import import_huggingface
from docmt_files.base.errors import InputError
from docmt_files.storage.files import read_lines
from docmt_nmt.corpora.demo import corpus_file

VOCABULARY_SIZE = 300
SIZE = {
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "max_position_embeddings": 128,
}

LANGUAGES = {
    "marian": ("en", "de"),
    "marian-separate": ("en", "de"),
    "marian-many": ("en", "deu"),
    "bart": ("en", "en"),
    "mbart-25": ("en_XX", "de_DE"),
    "mbart-50": ("en_XX", "de_DE"),
    "mbart-50-sentencepiece": ("en_XX", "de_DE"),
    "m2m-100": ("en", "de"),
    "nllb": ("eng_Latn", "deu_Latn"),
}
"""The families, and the languages that the tests translate from and into."""


@functools.cache
def sentences(side: str) -> tuple[str, ...]:
    """Sentences of the bundled corpus."""
    lines = read_lines(corpus_file(f"dev.{side}.xz"))
    return tuple(line for line in lines if line and line != "<d>")[:300]


@functools.cache
def spm(*sides: str) -> bytes:
    """A sentencepiece model of these languages."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text for side in sides for text in sentences(side)]),
        model_writer=model,
        vocab_size=VOCABULARY_SIZE,
        minloglevel=2,
    )
    return model.getvalue()


def subwords(model: bytes) -> list[str]:
    """The subwords of a sentencepiece model, without its special tokens."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(i) for i in range(3, processor.vocab_size())]


def save(folder: Path, files: dict[str, Any]) -> None:
    """Write bytes as they are and other values as JSON."""
    for name, content in files.items():
        is_bytes = isinstance(content, bytes)
        (folder / name).write_bytes(content if is_bytes else json.dumps(content).encode())


def marian_tokenizer(folder: Path, family: str) -> Any:
    """Two sentencepiece models over one vocabulary or, separate, over two."""
    source, target = spm("en"), spm("de")
    languages = [">>deu<<", ">>fra<<"] if family == "marian-many" else []

    def ids(*models: bytes) -> dict[str, int]:
        own = dict.fromkeys(subword for model in models for subword in subwords(model))
        tokens = ["</s>", "<unk>", *languages, *own, "<pad>"]
        return {token: i for i, token in enumerate(tokens)}

    settings = {"source_lang": "en", "target_lang": "de", "separate_vocabs": False}
    files = {"source.spm": source, "target.spm": target, "tokenizer_config.json": settings}
    if family == "marian-separate":
        settings["separate_vocabs"] = True
        files |= {"vocab.json": ids(source), "target_vocab.json": ids(target)}
    else:
        files["vocab.json"] = ids(source, target)
    save(folder, files)
    return transformers.MarianTokenizer.from_pretrained(folder)


def mbart_tokenizer(folder: Path, family: str) -> Any:
    """One sentencepiece model, as it is or as a `tokenizer.json`."""
    kind = transformers.MBart50Tokenizer if "50" in family else transformers.MBartTokenizer
    settings = {"tokenizer_class": kind.__name__}
    save(folder, {"sentencepiece.bpe.model": spm("en", "de"), "tokenizer_config.json": settings})
    tokenizer = kind.from_pretrained(folder)
    if not family.endswith("sentencepiece"):
        (folder / "sentencepiece.bpe.model").unlink()
        tokenizer.save_pretrained(folder)
    return tokenizer


def m2m_tokenizer(folder: Path) -> Any:
    """A sentencepiece model, and the ids of its subwords."""
    model = spm("en", "de")
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *subwords(model)]
    save(
        folder,
        {
            "sentencepiece.bpe.model": model,
            "vocab.json": {token: i for i, token in enumerate(tokens)},
            "tokenizer_config.json": {"tokenizer_class": "M2M100Tokenizer"},
        },
    )
    return transformers.M2M100Tokenizer.from_pretrained(folder)


def bpe_tokenizer(folder: Path, family: str) -> Any:
    """Byte-pair encoding, as a `tokenizer.json`."""
    special_tokens = ["<s>", "<pad>", "</s>", "<unk>"]
    text = [*sentences("en"), *sentences("de")]
    if family == "bart":
        trained: Any = ByteLevelBPETokenizer()
        trained.train_from_iterator(
            text, vocab_size=400, special_tokens=[*special_tokens, "<mask>"]
        )
    else:
        trained = Tokenizer(models.BPE(unk_token="<unk>"))
        trained.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.BpeTrainer(vocab_size=VOCABULARY_SIZE, special_tokens=special_tokens)
        trained.train_from_iterator(text, trainer)
    state = json.loads(trained.to_str())["model"]
    vocabulary, merges = state["vocab"], [tuple(merge) for merge in state["merges"]]
    if family == "bart":
        tokenizer = transformers.BartTokenizer(vocab=vocabulary, merges=merges)
    else:
        for name in [*NLLB_LANGUAGES, "<mask>"]:
            vocabulary[name] = len(vocabulary)
        tokenizer = transformers.NllbTokenizer(vocab=vocabulary, merges=merges)
    tokenizer.save_pretrained(folder)
    return tokenizer


def make_tokenizer(folder: Path, family: str) -> Any:
    """The tokenizer of a family, which knows its source and target language."""
    source, target = LANGUAGES[family]
    if family.startswith("marian"):
        return marian_tokenizer(folder, family)
    if family.startswith("mbart"):
        tokenizer = mbart_tokenizer(folder, family)
    elif family == "m2m-100":
        tokenizer = m2m_tokenizer(folder)
    else:
        tokenizer = bpe_tokenizer(folder, family)
    if family != "bart":
        tokenizer.src_lang, tokenizer.tgt_lang = source, target
    return tokenizer


def make_model(family: str, tokenizer: Any) -> Any:
    """A random model whose weights are large enough that every part shows in its logits."""
    size = len(tokenizer)
    keys: dict[str, Any] = {**SIZE, "vocab_size": size}
    if family.startswith("marian"):
        pad = size - 1
        keys |= {"pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0}
        keys |= {"scale_embedding": True, "activation_function": "swish"}
        if family == "marian-separate":
            target = len(tokenizer.target_encoder)
            keys |= {"vocab_size": len(tokenizer.encoder), "decoder_vocab_size": target}
            keys |= {"share_encoder_decoder_embeddings": False}
            keys |= {"pad_token_id": target - 1, "decoder_start_token_id": target - 1}
        config, kind = transformers.MarianConfig(**keys), transformers.MarianMTModel
    elif family == "bart":
        config = transformers.BartConfig(**keys)
        kind = transformers.BartForConditionalGeneration
    elif family.startswith("mbart"):
        config = transformers.MBartConfig(scale_embedding=True, **keys)
        kind = transformers.MBartForConditionalGeneration
    else:
        # The published models have more embeddings than their tokenizers have tokens.
        last = max(getattr(tokenizer, "lang_code_to_id", {"none": size}).values())
        config = transformers.M2M100Config(**{**keys, "vocab_size": last + 9})
        kind = transformers.M2M100ForConditionalGeneration
    if family == "nllb":
        config.tokenizer_class = "NllbTokenizer"
    torch.manual_seed(1)
    model = kind(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(0.2 * torch.randn(parameter.shape))
        if family.startswith("marian"):
            model.final_logits_bias.normal_()
    return model


def train(model: Any, tokenizer: Any, steps: int) -> None:
    """Train a model on a few sentences, so that its translations end."""
    pairs = list(zip(sentences("en"), sentences("de"), strict=True))
    source, target = zip(*[pair for pair in pairs if len(pair[1]) < 40][:12], strict=True)
    batch = tokenizer(list(source), text_target=list(target), return_tensors="pt", padding=True)
    batch["labels"][batch["labels"] == tokenizer.pad_token_id] = -100
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def make(folder: Path, family: str, *, steps: int = 30) -> tuple[Any, Any]:
    """A model and its tokenizer, saved in a folder.

    Args:
        folder: an empty folder.
        family: one of `LANGUAGES`.
        steps: how many steps to train the model.
    """
    tokenizer = make_tokenizer(folder, family)
    model = make_model(family, tokenizer)
    if steps:
        train(model, tokenizer, steps)
    model.save_pretrained(folder)
    return model, tokenizer


def make_bert(folder: Path) -> tuple[Any, Any]:
    """A random BERT whose every part shows, and its tokenizer, saved in a folder."""
    words = BertWordPieceTokenizer(lowercase=False)
    words.train_from_iterator(sentences("en"), vocab_size=VOCABULARY_SIZE, show_progress=False)
    words.save_model(str(folder))
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    save(folder, {"tokenizer_config.json": settings})
    config = transformers.BertConfig(
        vocab_size=VOCABULARY_SIZE,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=192,
    )
    torch.manual_seed(1)
    model = transformers.BertModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape))
    model.save_pretrained(folder)
    return model, transformers.BertTokenizer.from_pretrained(folder)


def imported(folder, family, tmp_path, **keys):
    languages = keys.pop("languages", LANGUAGES[family])
    return import_huggingface(str(folder), tmp_path / "run", languages=languages, **keys)


def refused(folder, family, tmp_path, **keys):
    """What is said of a model that cannot be imported; nothing is written."""
    with pytest.raises(InputError) as caught:
        imported(folder, family, tmp_path, **keys)
    assert not (tmp_path / "run").exists()
    return str(caught.value)


def change(path, **keys):
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, **keys}))
