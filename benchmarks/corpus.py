"""Real sentences for the benchmarks, as training batches and as documents to translate, and systems
with random weights.

The subword vocabulary is learned from the corpus itself; for the bundled test split, which is
small, from the bundled training split.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

import torch

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data import Instance, InstanceSettings, cut
from docmt_nmt.data.collate import collate, collate_source
from docmt_nmt.nn.batch import Batch, Packed
from docmt_nmt.systems import System, build
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.systems.transformer_settings import TransformerSettings
from docmt_nmt.text import EncodedDocument, Pipeline, TextSettings

SENTENCES = 6000
"""Sentences of a corpus that training batches are made of."""

PADDING = 1
"""The id of the padding token."""


def add_size_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all benchmarks of systems with random weights."""
    parser.add_argument("--preset", default="base", help="size of the systems")
    parser.add_argument("--vocabulary-size", type=int, default=8000)


def add_corpus_argument(parser: argparse.ArgumentParser, split: str) -> None:
    """The option for the sentences; `split` of the bundled corpus is the default."""
    parser.add_argument(
        "--corpus",
        nargs=2,
        type=Path,
        metavar=("SOURCE", "TARGET"),
        help=f"line files with <d> lines between documents; default: the bundled {split} split",
    )


class TrainingCorpus:
    """The sentences of a corpus, joined to one document, so that instances of any length can be cut
    from it.

    Args:
        paths: a source and a target file; None for the bundled training split.
    """

    def __init__(self, paths: Sequence[Path] | None, vocabulary_size: int) -> None:
        documents = _read(paths or bundled("train"))
        source = list(chain.from_iterable(d.source for d in documents))[:SENTENCES]
        target = list(chain.from_iterable(d.target or () for d in documents))[:SENTENCES]
        joined = Document("corpus", tuple(source), tuple(target))
        self.pipeline = _fit([joined], vocabulary_size)
        self.document = self.pipeline.encode(joined)

    @property
    def vocabulary_size(self) -> int:
        """Of the target, special tokens included."""
        return len(self.pipeline.target_vocabulary)

    def batch(self, length: int, tokens: int) -> Batch:
        """Instances of up to `length` tokens, so many that they have about `tokens` together."""
        settings = InstanceSettings(kind="tokens", max_tokens=length)
        instances = cut(self.document, settings, self.pipeline.special_tokens)
        count = max(1, tokens // length)
        assert len(instances) > count, "the corpus is too short"
        return collate(instances[:count], self.pipeline.special_tokens)


@dataclass(frozen=True, slots=True)
class TestCorpus:
    """Documents to translate.

    Attributes:
        documents: with their references.
        encoded: the same as token ids.
        pipeline: what makes token ids of them.
    """

    documents: Sequence[Document]
    encoded: Sequence[EncodedDocument]
    pipeline: Pipeline

    @classmethod
    def load(cls, paths: Sequence[Path] | None, vocabulary_size: int) -> TestCorpus:
        """The documents of a source and a target file; None for the bundled ones."""
        documents = read_documents(paths)
        training = documents if paths else _read(bundled("train"))
        pipeline = _fit(training, vocabulary_size)
        encoded = [pipeline.encode(document) for document in documents]
        return cls(documents, encoded, pipeline)

    @property
    def special_tokens(self) -> SpecialTokens:
        """The tokens around sentences."""
        return self.pipeline.special_tokens

    @property
    def vocabulary_size(self) -> int:
        """Of the target, special tokens included."""
        return len(self.pipeline.target_vocabulary)

    def chunks(self, count: int, tokens: int) -> list[Instance]:
        """So many chunks of up to so many tokens, or all: the first chunk of each document, then
        the second of each, and so on."""
        settings = InstanceSettings(kind="tokens", max_tokens=tokens)
        by_document = [cut(document, settings, self.special_tokens) for document in self.encoded]
        by_turn = chain.from_iterable(zip_longest(*by_document))
        return list(islice(filter(None, by_turn), count))

    def words(self, chunk: Instance) -> int:
        """The number of words of a chunk's reference."""
        (document,) = (each for each in self.documents if each.id == chunk.document)
        reference = (document.target or ())[chunk.first : chunk.first + len(chunk.source)]
        return sum(len(sentence.split()) for sentence in reference)

    def collate(self, instances: Sequence[Instance]) -> tuple[Packed, torch.Tensor]:
        """Instances ready for search, and the number of tokens of each sentence's reference."""
        lengths = [max(len(s), 1) for instance in instances for s in instance.target or ()]
        return collate_source(instances, self.special_tokens), torch.tensor(lengths)

    @property
    def banned(self) -> list[int]:
        """Tokens never written, so that every sentence becomes as long as it may: padding, and EOS
        except where it is forced. So a system with random weights writes as much as a trained one.
        """
        return [PADDING, self.special_tokens.target_end]


def read_documents(paths: Sequence[Path] | None) -> list[Document]:
    """The documents of a source and a target file; None for the bundled test split."""
    return _read(paths or bundled("test"))


def bundled(split: str) -> list[Path]:
    """The files of a split of the bundled corpus."""
    return [corpus_file(f"{split}.{language}.xz") for language in ("en", "de")]


def _read(paths: Sequence[Path]) -> list[Document]:
    return list(corpora.read(paths[0], paths[1], boundaries="markers"))


def _fit(documents: Iterable[Document], vocabulary_size: int) -> Pipeline:
    documents = list(documents)
    return Pipeline.fit(
        TextSettings(vocabulary_size=vocabulary_size),
        lambda: (s for document in documents for s in document.source),
        lambda: (s for document in documents for s in document.target or ()),
        languages=("en", "de"),
    )


def random_system(name: str, preset: str, vocabulary_size: int) -> System:
    """A `transformer` or `g-transformer` with random weights, in eval mode."""
    settings: dict[str, Any] = {
        "transformer": TransformerSettings,
        "g-transformer": GTransformerSettings,
    }
    size = settings[name].read({"preset": preset})
    return build(size, vocabulary_size, vocabulary_size, seed=1).eval()
