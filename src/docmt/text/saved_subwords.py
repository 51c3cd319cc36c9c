"""Subwords of a saved pipeline, of every kind."""

from __future__ import annotations

from pathlib import Path

from docmt.errors import InputError
from docmt.text.bpe import BytePairEncoding
from docmt.text.pretrained import load_pretrained
from docmt.text.sentencepiece import SentencePiece
from docmt.text.text_settings import TextSettings
from docmt.text.text_step import Subwords
from docmt.text.vocabulary import Vocabulary
from docmt.text.words import Words


def load_subwords(settings: TextSettings, path: Path) -> Subwords:
    """Read the subwords whose files have names that begin with `path`."""
    if settings.subword == "pretrained":
        return load_pretrained(path)
    file = f"{path}.vocabulary"
    vocabulary = Vocabulary.load(file)
    match settings.subword:
        case "words":
            return Words(vocabulary)
        case "bpe":
            return BytePairEncoding.load(path, vocabulary)
    subwords = SentencePiece.load(path)
    if subwords.vocabulary.tokens != vocabulary.tokens:
        raise InputError(
            f"the vocabulary is not that of {path}.model",
            path=file,
            cure="Copy the run directory again",
        )
    return subwords
