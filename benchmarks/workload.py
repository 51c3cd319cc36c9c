"""What the benchmarks of training share: batches of real sentences, and the machine they ran on."""

from __future__ import annotations

import platform
from itertools import chain
from pathlib import Path

import torch

from docmt import corpora
from docmt.data import InstanceSettings, cut
from docmt.data.collate import collate
from docmt.demo import corpus_file
from docmt.documents import Document
from docmt.nn.batch import Batch
from docmt.text.pipeline import Pipeline
from docmt.text.settings import TextSettings

TYPES = 8000


def machine() -> str:
    """Processor, threads and versions, as the first line of a table."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return (
        f"{names[0] if names else platform.machine()} · {torch.get_num_threads()} threads · "
        f"Python {platform.python_version()} · torch {torch.__version__}"
    )


class Workload:
    """The sentences of a corpus, one after the other as one document, so that instances of any
    length can be cut from it.

    Args:
        folder: holds `train` or else `dev`, `.en.xz` and `.de.xz`; None for the bundled corpus.
        sentences: how many are used.
        types: size of the vocabulary.
    """

    def __init__(self, folder: Path | None, sentences: int = 6000, types: int = TYPES) -> None:
        def path(name: str) -> Path:
            return folder / name if folder else corpus_file(name)

        split = "train" if folder is None or path("train.en.xz").exists() else "dev"
        documents = list(corpora.read(path(f"{split}.en.xz"), path(f"{split}.de.xz")))
        source = list(chain.from_iterable(d.source for d in documents))[:sentences]
        target = list(chain.from_iterable(d.target or () for d in documents))[:sentences]
        settings = TextSettings(vocabulary_size=types)
        self.pipeline = Pipeline.fit(
            settings, lambda: source, lambda: target, languages=("en", "de")
        )
        self.document = self.pipeline.encode(Document("corpus", tuple(source), tuple(target)))

    @property
    def types(self) -> int:
        """Size of the vocabulary."""
        return len(self.pipeline.target_vocabulary)

    def batch(self, length: int, tokens: int) -> Batch:
        """Instances of up to `length` tokens, so many that they have about `tokens` together."""
        settings = InstanceSettings(kind="tokens", max_tokens=length)
        instances = cut(self.document, settings, self.pipeline.special_tokens)
        count = max(1, tokens // length)
        assert len(instances) > count, "the corpus is too short"
        return collate(instances[:count], self.pipeline.special_tokens)


def words(batch: Batch) -> int:
    """Target tokens of a batch."""
    return len(batch.target.tokens)
