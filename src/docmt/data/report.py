"""What preparation made of a corpus, in the columns of Bao et al. 2021, Table 1, and what it left
out.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group
from rich.table import Table
from rich.text import Text

from docmt.data.instances import InstanceSettings, boundaries
from docmt.settings import Settings
from docmt.text.pipeline import EncodedDocument, Pipeline
from docmt.wording import counted

SPECIAL_TOKENS = 2
"""Tokens around each sentence."""


class SplitReport(Settings):
    """The size of a split. Tokens are counted with the marks around sentences."""

    documents: int
    sentences: int
    instances: int
    source_tokens: int
    target_tokens: int

    source_unknown: int
    """Source tokens that are `<unk>`."""

    target_unknown: int
    """Target tokens that are `<unk>`."""

    mean_sentences: float
    """Sentences of an instance, on average."""

    mean_tokens: float
    """Source tokens of an instance, on average; of a masked sentence, those it has itself."""


class Filtered(Settings):
    """How much was left out for one reason."""

    documents: int = 0
    """Whole documents."""

    sentences: int = 0
    """Sentence pairs."""


class Report(Settings):
    """What preparation made of a corpus. Printed with rich, it is a table."""

    instances: InstanceSettings
    """How documents are cut, for the number of instances."""

    source_vocabulary: int
    """Types of the source vocabulary."""

    target_vocabulary: int
    """Types of the target vocabulary."""

    splits: Mapping[str, SplitReport]
    """`train`, `valid` and `test`, where the recipe has them."""

    left_out: Mapping[str, Filtered]
    """What the training split lost, by the key of `data.filter` that asked for it;
    `nothing_left` are documents that lost every sentence to these."""

    def to_json(self) -> str:
        """The report as indented JSON."""
        return self.model_dump_json(indent=2) + "\n"

    def __rich__(self) -> Group:
        lines = [
            f"vocabulary: {self.source_vocabulary:,} types of the source, "
            f"{self.target_vocabulary:,} of the target",
            *(unknown_of(name, split) for name, split in self.splits.items()),
            *(left_out_of(reason, amount) for reason, amount in self.left_out.items()),
        ]
        return Group(self.table(), *(Text(line) for line in lines if line))

    def table(self) -> Table:
        """A row for each split."""
        table = Table(
            title=f"InstanceDataset: {title_of(self.instances)}",
            title_justify="left",
            header_style="bold",
            box=None,
            pad_edge=False,
        )
        table.add_column("split")
        means = ("sentences/\ninstance", "source tokens/\ninstance")
        for name in ("documents", "sentences", "instances", *means):
            table.add_column(name, justify="right")
        for name, split in self.splits.items():
            counts = [f"{n:,}" for n in (split.documents, split.sentences, split.instances)]
            averages = [f"{n:,.1f}" for n in (split.mean_sentences, split.mean_tokens)]
            table.add_row(name, *counts, *averages)
        return table


def title_of(instances: InstanceSettings) -> str:
    """How documents are cut, in words."""
    return {
        "sentence": "one sentence",
        "window": f"{instances.window} sentences",
        "tokens": f"up to {instances.max_tokens:,} tokens",
        "whole": "whole documents",
        "masked": f"one masked sentence among {instances.window}",
    }[instances.kind]


def unknown_of(name: str, split: SplitReport) -> str:
    """How many tokens of a split are `<unk>`, in words; nothing if none is."""
    if split.source_unknown + split.target_unknown == 0:
        return ""
    counts = f"{split.source_unknown:,} source and {split.target_unknown:,} target tokens"
    return f"{name}: {counts} are <unk>"


def left_out_of(reason: str, amount: Filtered) -> str:
    """What was left out for a reason, in words."""
    counts = [(amount.documents, "document"), (amount.sentences, "sentence pair")]
    words = [counted(n, noun) for n, noun in counts if n]
    return f"left out of train ({reason}): {', '.join(words) or 'nothing'}"


class CorpusCounter:
    """Counts a split while it is written.

    Args:
        instances: how documents are cut.
        pipeline: what made the tokens.
    """

    def __init__(self, instances: InstanceSettings, pipeline: Pipeline) -> None:
        self.settings = instances
        self.unknown = pipeline.source_vocabulary.unknown, pipeline.target_vocabulary.unknown
        self.documents = self.sentences = self.instances = 0
        self.source_tokens = self.target_tokens = 0
        self.source_unknown = self.target_unknown = 0

    def add(self, document: EncodedDocument) -> None:
        """Count a document that has a target."""
        assert document.target is not None
        source = [len(sentence) + SPECIAL_TOKENS for sentence in document.source]
        target = [len(sentence) + SPECIAL_TOKENS for sentence in document.target]
        self.documents += 1
        self.sentences += len(source)
        self.instances += sum(1 for _ in boundaries(source, target, self.settings))
        self.source_tokens += sum(source)
        self.target_tokens += sum(target)
        self.source_unknown += sum(s.count(self.unknown[0]) for s in document.source)
        self.target_unknown += sum(s.count(self.unknown[1]) for s in document.target)

    def report(self) -> SplitReport:
        """The counts, with their means."""
        return SplitReport(
            documents=self.documents,
            sentences=self.sentences,
            instances=self.instances,
            source_tokens=self.source_tokens,
            target_tokens=self.target_tokens,
            source_unknown=self.source_unknown,
            target_unknown=self.target_unknown,
            mean_sentences=self.sentences / max(self.instances, 1),
            mean_tokens=self.source_tokens / max(self.instances, 1),
        )
