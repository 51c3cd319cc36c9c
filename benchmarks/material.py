"""What the benchmarks of search share: real documents as token numbers, systems with random weights
of any size, and how figures are printed."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from docmt import corpora
from docmt.data import Instance, InstanceSettings, cut
from docmt.data.collate import collate_source
from docmt.demo import corpus_file
from docmt.documents import Document
from docmt.nn.batch import Packed
from docmt.special_tokens import SpecialTokens
from docmt.systems import GTransformerSettings, System, TransformerSettings, build
from docmt.text.pipeline import EncodedDocument, Pipeline
from docmt.text.settings import TextSettings


@dataclass(frozen=True, slots=True)
class Material:
    """Documents to translate.

    Attributes:
        documents: with their references.
        encoded: the same as token numbers.
        marks: the tokens around their sentences.
        types: the size of the vocabulary.
    """

    documents: Sequence[Document]
    encoded: Sequence[EncodedDocument]
    special_tokens: SpecialTokens
    types: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all benchmarks of search."""
    parser.add_argument(
        "--corpus", nargs=2, type=Path, metavar=("SOURCE", "TARGET"),
        help="line files with <d> marks; default: the bundled test split",
    )  # fmt: skip
    parser.add_argument("--preset", default="base", help="size of the systems")
    parser.add_argument("--types", type=int, default=8000, help="types of the vocabulary")


def load(paths: Sequence[Path] | None, types: int) -> Material:
    """The documents of a corpus, encoded with subwords that are learnt on themselves; for the
    bundled corpus, which is small, with those of its training split."""
    bundled = [corpus_file(f"test.{language}.xz") for language in ("en", "de")]
    documents = read(paths or bundled)
    learnt = documents
    if not paths:
        learnt = read([corpus_file(f"train.{language}.xz") for language in ("en", "de")])
    pipeline = Pipeline.fit(
        TextSettings(vocabulary_size=types),
        lambda: (s for document in learnt for s in document.source),
        lambda: (s for document in learnt for s in document.target or ()),
        languages=("en", "de"),
    )
    encoded = [pipeline.encode(document) for document in documents]
    return Material(documents, encoded, pipeline.special_tokens, len(pipeline.target_vocabulary))


def read(paths: Sequence[Path]) -> list[Document]:
    """The documents of line files."""
    return list(corpora.read(paths[0], paths[1], boundaries="markers"))


def system_of(name: str, preset: str, types: int) -> System:
    """A system with random weights: `transformer` or `g-transformer`."""
    kinds: dict[str, Any] = {
        "transformer": TransformerSettings,
        "g-transformer": GTransformerSettings,
    }
    return build(kinds[name].read({"preset": preset}), types, types).eval()


def first_pieces(material: Material, documents: int, tokens: int) -> list[Instance]:
    """The first piece, of up to so many tokens, of the first documents."""
    settings = InstanceSettings(kind="tokens", max_tokens=tokens)
    return [
        cut(document, settings, material.special_tokens)[0]
        for document in material.encoded[:documents]
    ]


def packed(
    instances: Sequence[Instance], special_tokens: SpecialTokens
) -> tuple[Packed, torch.Tensor]:
    """Instances ready for search, and the tokens that each sentence's reference has."""
    lengths = [max(len(s), 1) for instance in instances for s in instance.target or ()]
    return collate_source(instances, special_tokens), torch.tensor(lengths)


def only_by_length(material: Material) -> list[int]:
    """What is never written so that every sentence becomes as long as it may: no padding, and no
    end but the one that is forced. So a system of random weights writes as much as a trained one
    would."""
    return [1, material.special_tokens.target_end]


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock on the wall, and seconds of all processor cores."""
    wall, cores = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cores


def machine(*packages: str) -> str:
    """What the figures were measured on."""
    versions = " · ".join(f"{name} {found}" for name, found in installed(packages))
    return (
        f"{processor()} · {torch.get_num_threads()} threads · "
        f"Python {platform.python_version()} · {versions}"
    )


def processor() -> str:
    """The processor's name, where the system tells it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def installed(packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Those of the packages that are installed, with their versions."""
    for name in ("torch", *packages):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table with columns of even d_model."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, ["-" * d_model for d_model in widths], *rows):
        print("| " + " | ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)) + " |")
