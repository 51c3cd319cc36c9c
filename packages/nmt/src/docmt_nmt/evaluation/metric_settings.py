"""Settings of scores, and of tests of the differences between scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from docmt_files.base.documents import Document
from docmt_nmt.base.choices import COMET_MODEL, ResampledUnit
from docmt_nmt.evaluation.comet import Comet
from docmt_nmt.evaluation.resampling import SEED
from docmt_nmt.text import Pipeline

DEFAULT_METRICS = ("s-bleu", "d-bleu", "s-chrf")


@dataclass(frozen=True, kw_only=True)
class MetricSettings:
    """The metrics, and how they compare text.

    >>> MetricSettings(metrics=["s-bleu", "ter"], language="de").metrics
    ['s-bleu', 'ter']
    """

    metrics: Sequence[str] | None = None
    """`s-bleu`, `d-bleu`, `instance-bleu`, `multi-bleu`, `mteval-v13a`, `s-chrf`, `d-chrf`, `ter`,
    `comet`, `doc-comet`, or a metric of another package; repeat the option for several. Default:
    the run's, or `s-bleu`, `d-bleu` and `s-chrf`."""

    lowercase: bool | None = None
    """Ignore case; `ter` always does. Default: as the run's recipe says, or not."""

    tokenize: str | None = None
    """sacrebleu's tokenizer for BLEU. Default: chosen by language."""

    language: str | None = None
    """Target language. Default: the run's."""

    comet_model: str | None = None
    """Model of `comet` and `doc-comet`: a name on the Hugging Face hub, or a file `.ckpt`. Default:
    `Unbabel/wmt22-comet-da`. Loading a model may run code in it. Another model named by a run's
    recipe is only used if you name it here too."""

    instances: Sequence[int] | None = None
    """For `instance-bleu`, the number of sentences in each instance, in order. Where the sentences
    of a translation are joined (`Document.joined`), each is an instance."""

    pipeline: Pipeline | None = None
    """For `multi-bleu`, the text pipeline of the run that translated. The words of this pipeline
    are compared. Default: the words of Moses for `language`."""

    sources: Sequence[Document] | None = None
    """For COMET, the source documents. Default: the source sides of the translation."""

    comet: Comet | None = None
    """For COMET, the model itself. Default: the one of the name `comet_model`."""

    @property
    def chosen_metrics(self) -> Sequence[str]:
        """The metrics, or the default ones."""
        return DEFAULT_METRICS if self.metrics is None else self.metrics

    @cached_property
    def comet_scorer(self) -> Comet:
        """The model of COMET, which remembers scores by sentence."""
        return self.comet or Comet(self.comet_model or COMET_MODEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest:
    """Tests by which two systems are compared; see `docmt_nmt.evaluation.resampling`.

    >>> SignificanceTest(resample="document").trials
    10000
    """

    resample: ResampledUnit | None = None
    """With `baselines`, unit of the tests' random draws and swaps: sentences, or whole documents.
    Default: the metric's segments."""

    trials: int = 10_000
    """The number of random swaps for each p-value."""

    resamples: int = 1000
    """The number of samples for each interval."""

    seed: int = SEED
    """The seed of the random numbers."""


DEFAULT_SETTINGS = MetricSettings()
"""The default metrics, with case, and words by language."""

DEFAULT_TEST = SignificanceTest()
"""The tests with their usual numbers of swaps and samples."""
