"""The preparation report: the size of each split, in the columns of Bao et al. 2021, Table 1, and
the filtered amounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rich.console import Group
from rich.table import Table
from rich.text import Text

from docmt_files.base.wording import counted
from docmt_nmt.base.settings import Settings
from docmt_nmt.data.data_settings import InstanceSettings
from docmt_nmt.data.instances import boundaries, token_counts
from docmt_nmt.text import EncodedDocument, Pipeline


class SplitReport(Settings):
    """The size of a split. Tokens include the special tokens around sentences."""

    documents: int
    sentences: int
    instances: int
    source_tokens: int
    target_tokens: int

    source_unknown: int
    """Number of source tokens `<unk>`."""

    target_unknown: int
    """Number of target tokens `<unk>`."""

    mean_sentences: float
    """Mean number of sentences per instance."""

    mean_tokens: float
    """Mean number of source tokens per instance, before a sentence is masked."""


class FilterCount(Settings):
    """The amount removed by one key of `data.filter`."""

    documents: int = 0
    """Whole documents."""

    sentences: int = 0
    """Sentence pairs."""


class OverlapReport(Settings):
    """The sentences of a split that are also in the training text, after filters."""

    sentences: int
    """All sentences of the split."""

    pairs: int
    """Sentences that training has with the same translation."""

    sources: int
    """Sentences whose source is a source in training."""

    ngrams: int
    """Sentences whose source shares 8 words in a row with a source in training."""


class ShiftReport(Settings):
    """Sentence pairs of a split that seem to stand one off."""

    pairs: int
    """Their number."""

    places: tuple[str, ...]
    """The first runs: the document, and the numbers of the first and the last sentence."""


class SampleReport(Settings):
    """The part of the training split used for training."""

    unit: str
    """`instances` or `documents`."""

    size: int
    """Number of units used for training."""

    total: int
    """Number of all."""


class Report(Settings):
    """The preparation report. Printed with rich, it is a table."""

    instances: InstanceSettings
    """The way documents are cut, for the number of instances."""

    source_vocabulary: int
    """Size of the source vocabulary."""

    target_vocabulary: int
    """Size of the target vocabulary."""

    splits: Mapping[str, SplitReport]
    """Sizes of the recipe's splits: `train`, `valid`, `test`, `train-NAME`."""

    filtered: Mapping[str, FilterCount]
    """Removals from the training split, by the responsible key of `data.filter`. `nothing_left`
    counts documents without a remaining sentence."""

    overlap: Mapping[str, OverlapReport] = {}
    """Overlap of the splits `valid` and `test` with all training splits together."""

    shifted: Mapping[str, ShiftReport] = {}
    """Pairs of each split that seem to stand one off; of splits that have such."""

    sample: SampleReport | None = None
    """The sample of the training split by `data.sample`, if set. The folder holds the whole
    split."""

    def __rich__(self) -> Group:
        lines = [
            f"vocabulary size: {self.source_vocabulary:,} source, "
            f"{self.target_vocabulary:,} target",
            *(_unknown_tokens(name, split) for name, split in self.splits.items()),
            *(_filtered(key, count) for key, count in self.filtered.items()),
            *(_overlap(name, overlap) for name, overlap in self.overlap.items()),
            *(_shifted(name, shifted) for name, shifted in self.shifted.items()),
            "" if self.sample is None else _sampled(self.sample),
        ]
        return Group(self._table(), *(Text(line) for line in lines if line))

    def _table(self) -> Table:
        """One row per split."""
        table = Table(
            title=f"Instances: {_describe_instances(self.instances)}",
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


class SplitCounter:
    """Counts a split while it is written.

    Args:
        instances: how documents are cut.
        pipeline: the text pipeline of the token ids.
    """

    def __init__(self, instances: InstanceSettings, pipeline: Pipeline) -> None:
        self.settings = instances
        self.special_tokens = pipeline.special_tokens
        self.unknown = pipeline.source_vocabulary.unk_id, pipeline.target_vocabulary.unk_id
        self._counts: Counter[str] = Counter()

    @property
    def documents(self) -> int:
        """Documents so far."""
        return self._counts["documents"]

    def add(self, document: EncodedDocument) -> None:
        """Count a document with a target."""
        assert document.target is not None
        source, target = token_counts(document, self.special_tokens)
        self._counts.update(
            documents=1,
            sentences=len(source),
            instances=sum(1 for _ in boundaries(source, target, self.settings)),
            source_tokens=sum(source),
            target_tokens=sum(target),
            source_unknown=sum(s.count(self.unknown[0]) for s in document.source),
            target_unknown=sum(s.count(self.unknown[1]) for s in document.target),
        )

    def report(self) -> SplitReport:
        """Return the counts, with their means."""
        instances = max(self._counts["instances"], 1)
        return SplitReport(
            **self._counts,
            mean_sentences=self._counts["sentences"] / instances,
            mean_tokens=self._counts["source_tokens"] / instances,
        )


def _describe_instances(instances: InstanceSettings) -> str:
    """The way documents are cut, in words."""
    cut = {
        "sentence": "one sentence",
        "window": f"{instances.window} sentences",
        "tokens": f"up to {instances.max_tokens:,} tokens",
        "whole": "whole documents",
        "masked": f"up to {instances.window} sentences and {instances.max_tokens:,} tokens, "
        "with one sentence masked",
    }[instances.kind]
    return f"{cut}, joined into one text" if instances.join_sentences else cut


def _unknown_tokens(name: str, split: SplitReport) -> str:
    """The number of `<unk>` in a split, in words; empty if there is none."""
    if split.source_unknown + split.target_unknown == 0:
        return ""
    counts = f"{split.source_unknown:,} source and {split.target_unknown:,} target tokens"
    return f"{name}: {counts} are <unk>"


def _filtered(key: str, count: FilterCount) -> str:
    """Return a description of the amount removed by a key of `data.filter`."""
    counts = [(count.documents, "document"), (count.sentences, "sentence pair")]
    words = [counted(number, noun) for number, noun in counts if number]
    return f"removed from train ({key}): {', '.join(words) or 'nothing'}"


def _overlap(name: str, overlap: OverlapReport) -> str:
    """Return a description of the overlap of a split with the training text."""
    return (
        f"in training and in {name}: {counted(overlap.pairs, 'sentence pair')}, "
        f"{counted(overlap.sources, 'source')}, {counted(overlap.ngrams, 'source')} with the same "
        f"8 words in a row, of {counted(overlap.sentences, 'sentence')}"
    )


def _shifted(name: str, shifted: ShiftReport) -> str:
    """Return a description of pairs that stand one off."""
    return (
        f"{name}: {counted(shifted.pairs, 'sentence pair')} seem to stand one off, as if a "
        f"sentence were missing on one side ({'; '.join(shifted.places)})"
    )


def _sampled(sample: SampleReport) -> str:
    """Return a description of the part of the training split used for training."""
    return f"sample of train (data.sample): {sample.size:,} of {sample.total:,} {sample.unit}"
