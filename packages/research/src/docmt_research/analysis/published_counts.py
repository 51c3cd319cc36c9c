"""Comparison of a prepared corpus with the sizes that a paper prints, in a table or in its text
(`published_counts.toml`).

Instances are counted as in the published code (`exp_gtrans/data_builder.py`), whatever the recipe:
consecutive sentences, each with the tokens of the longer side and two special tokens, up to a sum
below 512.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Literal

import numpy as np
from rich.table import Table

from docmt_files.base.errors import InputError
from docmt_files.base.packaged_tables import read_table
from docmt_files.base.wording import counted, first_few
from docmt_nmt.data.data_settings import InstanceSettings
from docmt_nmt.data.instances import boundaries
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.split import Split
from docmt_nmt.text.text_step import Side

PublishedCorpus = Literal[
    "ted",
    "news",
    "europarl",
    "subtitles-pairs",
    "iwslt",
    "subtitles",
    "talks",
    "talks-de-en",
    "news-zh-en",
    "nist",
    "iwslt14",
    "wmt14",
    "wmt14-plus",
    "news-commentary-v9",
    "news-commentary-v15",
    "rapid-2019",
]
"""The corpora with sizes in Bao et al. 2021, Zhang et al. 2020, Tan et al. 2019 or Donato et al.
2021."""

SPLITS = ("train", "valid", "test")

_VOCABULARIES: dict[str, Side] = {"source vocabulary": "source", "target vocabulary": "target"}

_SPECIAL_TOKENS = 2
"""Special tokens of a sentence."""

_CUT = InstanceSettings(kind="tokens", max_tokens=511)
_UNITS = {"K": 1_000, "M": 1_000_000}

_NEAR = 0.05
"""Tolerance of a size: words are split otherwise from tool to tool, and the published dev and test
files have one document more than the paper prints."""


@dataclass(frozen=True, slots=True)
class CountCheck:
    """A size of a split beside the published size.

    Attributes:
        paper: the paper and the table in it.
        split: the split.
        what: the counted unit, such as `sentences`.
        found: the size.
        printed: as the paper prints it, such as `0.21M`.
    """

    paper: str
    split: str
    what: str
    found: float
    printed: str

    @property
    def found_text(self) -> str:
        """The size with as many decimals as the paper gives such sizes."""
        return f"{self.found:,.{int(self.what == 'sentences/instance')}f}"

    @property
    def verdict(self) -> str:
        """`same` if it is printed as in the paper, `within 5 %`, or `differs`. A vocabulary is
        `open` instead: the paper with sizes does not say how it leaves subwords out."""
        unit = _UNITS.get(self.printed[-1], 1)
        number = Decimal(self.printed.rstrip("KM"))
        last_digit = 10.0 ** int(number.as_tuple().exponent) * unit
        off = abs(self.found - float(number) * unit)
        if off <= last_digit / 2:
            return "same"
        if off <= _NEAR * float(number) * unit:
            return "within 5 %"
        return "open" if self.what in _VOCABULARIES else "differs"


def check_counts(corpus: PreparedCorpus, table: PublishedCorpus) -> list[CountCheck]:
    """Compare the splits of a prepared corpus with the published sizes.

    Args:
        corpus: prepared by a recipe with the paper's text pipeline, such as `ted-sentence`.
        table: the corpus in the paper's table.

    Raises:
        InputError: a split is missing.
    """
    printed = read_table("docmt_research.analysis", "published_counts.toml")
    paper = printed[table].pop("paper")
    sizes = [
        (split, what, size)
        for what, row in printed[table].items()
        for split, size in zip(SPLITS, row, strict=True)
        if size
    ]
    found = {split: _counts(corpus.split(split)) for split, _, _ in sizes}
    for what, side in _VOCABULARIES.items():
        found["train"][what] = len(corpus.pipeline.vocabulary(side))
    return [CountCheck(paper, split, what, found[split][what], size) for split, what, size in sizes]


def _counts(split: Split) -> dict[str, float]:
    """The sizes of a split, by the names of the table."""
    source = np.diff(split.source.offsets) + _SPECIAL_TOKENS
    target = np.diff(split.target.offsets) + _SPECIAL_TOKENS
    longer = np.maximum(source, target)
    instances = sum(
        1
        for first, end in pairwise(split.first_sentences.tolist())
        for _ in boundaries(longer[first:end].tolist(), longer[first:end].tolist(), _CUT)
    )
    return {
        "sentences": len(source),
        "documents": len(split),
        "instances": instances,
        "sentences/instance": len(source) / instances,
        "source tokens/instance": float(source.sum()) / instances,
    }


def describe_checks(checks: Sequence[CountCheck]) -> Table:
    """Return a table of the sizes, a row for each."""
    table = Table("split", title=checks[0].paper, title_justify="left", box=None)
    for name in ("size", "found", "in the paper", ""):
        table.add_column(name, justify="right" if name in ("found", "in the paper") else "left")
    for check in checks:
        table.add_row(check.split, check.what, check.found_text, check.printed, check.verdict)
    return table


def require_counts(checks: Iterable[CountCheck], corpus: PreparedCorpus) -> None:
    """Refuse a corpus with a size different from the published one.

    Raises:
        InputError: naming the sizes.
    """
    wrong = [check for check in checks if check.verdict == "differs"]
    if wrong:
        which = first_few(
            [
                f"{check.split} {check.what} {check.found_text}, not {check.printed}"
                for check in wrong
            ]
        )
        raise InputError(
            f"{counted(len(wrong), 'size')} more than 5 % off {wrong[0].paper}: {which}",
            path=corpus.directory,
            cure="Check the files of the recipe, and that its text pipeline is the paper's; the "
            "folder can be used as it is",
        )
