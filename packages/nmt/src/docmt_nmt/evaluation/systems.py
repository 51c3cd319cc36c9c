"""Several systems side by side, each with one training or several of different seeds, and compared
with baselines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean, stdev
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted, did_you_mean
from docmt_nmt.evaluation.comparison import Comparison, several_comparisons
from docmt_nmt.evaluation.evaluation_notes import merged_notes
from docmt_nmt.evaluation.metric_settings import (
    DEFAULT_SETTINGS,
    DEFAULT_TEST,
    MetricSettings,
    SignificanceTest,
)
from docmt_nmt.evaluation.metrics import metric_kind
from docmt_nmt.evaluation.realignment import Realigner
from docmt_nmt.evaluation.realignment_record import Realignment
from docmt_nmt.evaluation.scores import Score
from docmt_nmt.evaluation.scoring import evaluate
from docmt_nmt.evaluation.segments import References
from docmt_nmt.evaluation.significance import Comparer


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The quality of a system by one metric.

    Attributes:
        system: name of the system.
        scores: score of each seed.
        low, high: the ends of the 95 % interval of `mean` over random samples of the segments; None
            for a metric of another package.
    """

    system: str
    scores: tuple[Score, ...]
    low: float | None = None
    high: float | None = None

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fmean(score.score for score in self.scores)

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the seeds, as an estimate for all seeds (with n - 1). None if
        there is only one."""
        return stdev(score.score for score in self.scores) if len(self.scores) > 1 else None

    @property
    def spread(self) -> str:
        """The mean, and if there are several seeds the standard deviation: `25.12 ± 0.31`."""
        deviation = self.deviation
        return f"{self.mean:.2f}" + ("" if deviation is None else f" ± {deviation:.2f}")

    @property
    def signature(self) -> str:
        """Return a description of the comparison."""
        first = self.scores[0]
        if len(self.scores) == 1:
            return first.signature
        # The number of empty translations is counted per seed.
        return f"seeds {len(self.scores)} · {replace(first, empty=0).signature}"

    def __str__(self) -> str:
        every = ", ".join(f"{score.score:.2f}" for score in self.scores)
        of_seeds = f" ({every})" if len(self.scores) > 1 else ""
        between = "" if self.low is None else f" [{self.low:.2f} to {self.high:.2f}]"
        return (
            f"{self.scores[0].name} of {self.system} {self.spread}{of_seeds}{between} · "
            f"{self.signature}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All attributes, the mean and the spread as plain values."""
        return {
            **asdict(self),
            "scores": [score.to_dict() for score in self.scores],
            "name": self.scores[0].name,
            "mean": self.mean,
            "deviation": self.deviation,
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class SystemsEvaluation:
    """Several systems side by side.

    Attributes:
        scores: for each system, one for each metric.
        comparisons: for each other system and each baseline, one comparison for each metric, except
            metrics of other packages.
        notes: notes for the reader besides those on single scores and comparisons.
        realignments: if asked for, the alignment of each translation.
    """

    scores: list[SystemScore]
    comparisons: list[Comparison]
    notes: tuple[str, ...] = ()
    realignments: tuple[Realignment, ...] = ()

    @property
    def all_notes(self) -> list[str]:
        """All notes for the reader, with the names of the scores that they are about."""
        noted = [
            (f"{one.name} of {score.system}", one.notes)
            for score in self.scores
            for one in score.scores
        ]
        compared = [(one.name, one.notes) for one in self.comparisons]
        of_texts = [note for one in self.realignments for note in one.notes]
        return [*merged_notes([*noted, *compared]), *self.notes, *of_texts]

    def realigned(
        self, realigner: Realigner, realignments: tuple[Realignment, ...]
    ) -> SystemsEvaluation:
        """The same, with the alignments of the translations, named in all signatures."""
        return replace(
            self,
            scores=[replace(s, scores=tuple(realigner.signed(s.scores))) for s in self.scores],
            comparisons=realigner.signed(self.comparisons),
            realignments=realignments,
        )

    def to_dict(self) -> dict[str, Any]:
        """All scores and comparisons with their signatures as plain values."""
        return {
            "systems": [score.to_dict() for score in self.scores],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "notes": list(self.notes),
            "realignments": [realignment.to_dict() for realignment in self.realignments],
        }


def evaluate_systems(
    systems: Mapping[str, Sequence[Sequence[Document]]],
    references: References,
    settings: MetricSettings = DEFAULT_SETTINGS,
    test: SignificanceTest = DEFAULT_TEST,
    *,
    baselines: Sequence[str] = (),
) -> SystemsEvaluation:
    """Score systems and compare them with baselines.

    >>> reference = [Document("1", ("A small test.",), ("Das ist ein kleiner Test.",))]
    >>> seeds = [[reference[0].translated([text])] for text in ("Ein Test.", "Das ist ein Test.")]
    >>> found = evaluate_systems({"small": seeds}, reference, MetricSettings(metrics=["ter"]))
    >>> found.scores[0].spread
    '40.00 ± 28.28'

    Args:
        systems: by name, for each seed the translation of the same documents.
        references: as for `evaluate`.
        settings: as for `evaluate`. Metrics of other packages are not compared.
        test: of comparisons and intervals.
        baselines: the names of the systems to compare all others with.

    Raises:
        InputError: as `evaluate` or `compare`, or a baseline is not one of the systems.
    """
    for name in baselines:
        if name not in systems:
            raise InputError(
                f"the baseline {name!r} is not one of the systems",
                cure=(did_you_mean(name, systems) or f"Choose one of {', '.join(systems)}"),
            )
    every = {
        name: [evaluate(one, references, settings) for one in seeds]
        for name, seeds in systems.items()
    }
    metrics = settings.chosen_metrics
    compared = [name for name in metrics if metric_kind(name).custom is None]
    of_compared = replace(settings, metrics=compared, comet=settings.comet_scorer)
    comparer = Comparer(systems, references, of_compared, test)
    scores = []
    for name, seeds in every.items():
        ends = dict(zip(compared, comparer.interval(name), strict=True))
        for metric, values in zip(metrics, zip(*seeds, strict=True), strict=True):
            scores.append(SystemScore(name, values, *ends.get(metric, (None, None))))
    comparisons = [
        replace(comparison, system_name=name, baseline_name=baseline)
        for baseline in baselines
        for name in systems
        if name != baseline
        for comparison in comparer.compare(name, baseline)
    ]
    pairs = len(baselines) * (len(systems) - 1)
    notes = (several_comparisons(counted(pairs, "comparison")),) if pairs > 1 else ()
    return SystemsEvaluation(scores, comparisons, notes)


def system_files(options: Sequence[str], exists: Callable[[str], bool]) -> dict[str, list[str]]:
    """The files of each system.

    >>> system_files(["small=one.de,two.de", "large.de"], exists=lambda name: False)
    {'small': ['one.de', 'two.de'], 'large.de': ['large.de']}

    Args:
        options: each `NAME=FILE,FILE,…`, the translations of one system, one file for each seed; or
            a file alone, also used as the name. A name given again adds seeds.
        exists: whether there is a file of a name; such a name is not divided.

    Raises:
        InputError: there is no file, or one is given twice.
    """
    files_by_name: dict[str, list[str]] = {}
    for option in options:
        name, equals, rest = option.partition("=")
        if not equals or exists(option):
            name, rest = option, option
        files = [rest] if exists(rest) else rest.split(",")
        if not name or not all(files):
            raise InputError(
                f"`system` {option!r} names no file",
                cure="Write NAME=FILE, or NAME=FILE,FILE",
                parameters=("system",),
            )
        files_by_name.setdefault(name, []).extend(files)
    for name, files in files_by_name.items():
        if twice := next((file for file in files if files.count(file) > 1), None):
            raise InputError(
                f"`system={name}` has the file {twice} twice",
                cure="Name each seed's file once",
                parameters=(f"system={name}",),
            )
    return files_by_name
