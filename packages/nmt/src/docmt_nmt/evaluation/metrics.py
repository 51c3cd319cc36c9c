"""The metrics by name, and how sacrebleu computes each: BLEU (Papineni et al. 2002, in the version
of Post 2018), chrF (Popović 2015) and TER (Snover et al. 2006). `docmt_nmt.evaluation.comet` has
COMET.

Bao et al. 2021, appendix A, define s-BLEU, which matches n-grams within each sentence, and d-BLEU,
which matches them within each document. multi-BLEU and mteval-v13a are the scores of the Moses
scripts multi-bleu.perl and mteval-v13a.pl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Literal, SupportsFloat, get_args

from docmt_files.base import entry_points
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.base.wording import did_you_mean
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.choices import DiscourseMetric
from docmt_nmt.evaluation import statistics
from docmt_nmt.evaluation.metric_settings import MetricSettings
from docmt_nmt.evaluation.scores import Unit
from docmt_nmt.evaluation.statistics import Statistics
from docmt_nmt.text.scripts import count_scripts
from docmt_nmt.text.tokenization import MosesTokenization

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric, Score
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

CustomScore = Callable[[Sequence[str], Sequence[Sequence[str]]], float]
"""A score from the translated segments and, for each reference, the reference segments."""


@dataclass(frozen=True, slots=True)
class CustomMetric:
    """A metric of another package, which names it as an entry point in the group `docmt.metrics`.

    Attributes:
        name: as scores show it; in lower case, the name of the entry point.
        unit: text compared as one segment.
        score: computes the score from the translated segments and, for each reference, the
            reference segments.
        settings: anything the score depends on, for example a version; part of the signature.
        lower_is_better: whether a better translation has a lower score.
    """

    name: str
    unit: Unit
    score: CustomScore
    settings: str
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A metric: the name, the family, and the text compared as one segment. `custom` is the metric
    of another package."""

    name: str
    family: Literal["BLEU", "chrF", "TER", "COMET", "other"]
    unit: Unit
    custom: CustomMetric | None = None

    @property
    def lower_is_better(self) -> bool:
        """True if a better translation has a lower score."""
        return self.family == "TER" if self.custom is None else self.custom.lower_is_better


METRICS = {
    kind.name.lower(): kind
    for kind in (
        Kind("s-BLEU", "BLEU", "sentence"),
        Kind("d-BLEU", "BLEU", "document"),
        Kind("instance-BLEU", "BLEU", "instance"),
        Kind("multi-BLEU", "BLEU", "sentence"),
        Kind("mteval-v13a", "BLEU", "sentence"),
        Kind("s-chrF", "chrF", "sentence"),
        Kind("d-chrF", "chrF", "document"),
        Kind("TER", "TER", "sentence"),
        Kind("COMET", "COMET", "sentence"),
        Kind("doc-COMET", "COMET", "sentence"),
    )
}
"""Metrics by the names used in recipes and on the command line."""

_DEFAULT_TOKENIZER = "13a"

_TOKENIZER_BY_LANGUAGE = {
    "zh": "zh",
    "zho": "zh",
    "chi": "zh",
    "cmn": "zh",
    "yue": "zh",
    "ja": "ja-mecab",
    "jpn": "ja-mecab",
    "ko": "ko-mecab",
    "kor": "ko-mecab",
    # These are written without spaces, so 13a would take whole clauses for words.
    "th": "char",
    "tha": "char",
    "lo": "char",
    "lao": "char",
    "km": "char",
    "khm": "char",
    "my": "char",
    "mya": "char",
    "bo": "char",
    "bod": "char",
}
"""Tokenizers of languages without spaces between words, where `13a` does not apply, by ISO 639
code."""

_WITHOUT_SPACES = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
"""The scripts without spaces between words."""

_INSTALLED_WITH = {"ja-mecab": "sacrebleu[ja]", "ko-mecab": "sacrebleu[ko]"}


def metric_kind(name: str) -> Kind:
    """Look up a metric by name. A metric of another package is imported.

    Raises:
        InputError: the name is unknown; the message suggests the nearest. Or the metric of another
            package cannot be used.
    """
    if (kind := METRICS.get(name.lower())) is not None:
        return kind
    loaded = entry_points.load(plugin_groups.METRICS, name.lower())
    if loaded is None:
        if name.lower() in get_args(DiscourseMetric):
            raise InputError(
                f"{name} is not a metric of `docmt evaluate`",
                cure=f"Use `docmt discourse --metric {name.lower()}`",
            )
        raise InputError(
            f"unknown metric {name!r}",
            cure=entry_points.cure_of_unknown(plugin_groups.METRICS, name.lower(), METRICS),
        )
    plugin, metric = loaded
    if not isinstance(metric, CustomMetric):
        raise InputError(f"{plugin} is not a docmt_nmt.evaluation.CustomMetric")
    if metric.name.lower() != name.lower():
        raise InputError(f"{plugin} calls itself {metric.name!r}")
    if metric.unit not in get_args(Unit) or not callable(metric.score):
        raise InputError(f"{plugin} has no valid unit ({', '.join(get_args(Unit))}) or no function")
    return Kind(metric.name, "other", metric.unit, replace(metric, score=_checked(plugin, metric)))


def _checked(plugin: entry_points.Plugin, metric: CustomMetric) -> CustomScore:
    """The function of a metric. Errors and wrong values name the metric's package."""

    def score(translated: Sequence[str], expected: Sequence[Sequence[str]]) -> float:
        with entry_points.errors_of(plugin):
            value = metric.score(translated, expected)
            is_number = isinstance(value, SupportsFloat) and not isinstance(value, bool)
            number = float(value) if is_number else nan
        if not isfinite(number):
            raise entry_points.wrong(plugin, f"returns {value!r:.80}, which is not a finite number")
        return number

    return score


def tokenizer_name(tokenize: str | None, language: str | None) -> str:
    """The tokenizer for BLEU: `tokenize` if given, else the language's.

    Raises:
        InputError: `tokenize` is not a known tokenizer.
    """
    if tokenize is None:
        return _TOKENIZER_BY_LANGUAGE.get(primary_language(language or "en"), _DEFAULT_TOKENIZER)
    from sacrebleu.metrics.bleu import BLEU  # not installed everywhere

    if tokenize not in BLEU.TOKENIZERS:
        raise InputError(
            f"unknown tokenizer {tokenize!r}", cure=_suggestion(tokenize, BLEU.TOKENIZERS)
        )
    return tokenize


@dataclass(frozen=True, slots=True)
class SacrebleuMetric:
    """A metric as sacrebleu computes it.

    Attributes:
        metric: sacrebleu's metric.
        scores: the same score, computed for many sums of statistics at once.
        words: splits a segment into words with spaces between, before the metric sees it.
        words_name: name of these words in the signature.
    """

    metric: BLEU | CHRF | TER
    scores: statistics.Scores
    words: Callable[[str], str] | None = None
    words_name: str = ""

    def corpus_score(
        self, translated: Sequence[str], expected: Sequence[Sequence[str]]
    ) -> tuple[Score, str]:
        """Score of a translation as sacrebleu computes it, and the signature.

        Args:
            translated: the segments of the translation.
            expected: for each reference, the reference segments.
        """
        score = self.metric.corpus_score(*self._split(translated, expected))
        return score, self._finish()

    def statistics(
        self, translated: Sequence[str], expected: Sequence[Sequence[str]]
    ) -> Statistics:
        """Return the statistics of each segment; for arguments see `corpus_score`."""
        translated, expected = self._split(translated, expected)
        # sacrebleu's own tests of significance resample these.
        rows = self.metric._extract_corpus_statistics(translated, expected)
        return Statistics(statistics.as_counts(rows), self.scores, self._finish())

    def _split(
        self, translated: Sequence[str], expected: Sequence[Sequence[str]]
    ) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        if self.words is None:
            return translated, expected
        return (
            [self.words(segment) for segment in translated],
            [[self.words(segment) for segment in reference] for reference in expected],
        )

    def _finish(self) -> str:
        """The signature, once the references are known; forgets the text."""
        _forget_segments(self.metric)
        signature = str(self.metric.get_signature())
        return signature.replace("tok:none", f"tok:{self.words_name}" if self.words else "tok:none")


def build_metric(kind: Kind, settings: MetricSettings) -> SacrebleuMetric:
    """sacrebleu's computation of a metric of docmt.

    Raises:
        InputError: the tokenizer is unknown, not installed or cannot be fetched, or there are no
            words for multi-BLEU.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    lowercase = bool(settings.lowercase)
    if kind.name == "multi-BLEU":
        words, name = _words(settings)
        bleu = BLEU(lowercase=lowercase, tokenize="none", smooth_method="none", force=True)
        return SacrebleuMetric(bleu, statistics.unsmoothed_bleu, words, name)
    if kind.family == "BLEU":
        tokenizer = tokenizer_name(settings.tokenize, settings.language)
        if kind.name == "mteval-v13a":
            tokenizer = _DEFAULT_TOKENIZER
        return SacrebleuMetric(_build_bleu(lowercase, tokenizer), statistics.bleu)
    if kind.family == "chrF":
        return SacrebleuMetric(CHRF(lowercase=lowercase), statistics.chrf)
    # Tercom splits Chinese and Japanese into characters only when it normalizes.
    asian = tokenizer_name(None, settings.language) in ("zh", "ja-mecab")
    # Like sacrebleu's command, without case whatever `lowercase` is.
    metric = TER(normalized=asian, asian_support=asian)
    return SacrebleuMetric(metric, statistics.ter)


def check_tokenizer_fits(
    kind: Kind, settings: MetricSettings, references: Sequence[Sequence[str]]
) -> None:
    """Check that text without spaces between words is not split at spaces, for want of a language.

    Raises:
        InputError: the references are mostly in a script without spaces, and neither the language
            nor a tokenizer is known.
    """
    by_words = kind.family in ("BLEU", "TER") and kind.name not in ("multi-BLEU", "mteval-v13a")
    if not by_words or settings.language is not None or settings.tokenize is not None:
        return
    scripts = count_scripts("".join(references[0]))
    count = sum(scripts[script] for script in _WITHOUT_SPACES)
    if 2 * count > scripts.total():
        script = max(_WITHOUT_SPACES, key=scripts.__getitem__)
        raise InputError(
            f"the references are in {script} letters, without spaces between words, and "
            f"{kind.name} needs words",
            cure="Name the target language (`language`), which has a tokenizer",
            parameters=("language",),
        )


def _words(settings: MetricSettings) -> tuple[Callable[[str], str], str]:
    """The word splitting of multi-BLEU, and the name of the splitting. The words are the words of
    the run's pipeline; without a run, or with subwords of raw text, the words of Moses for the
    language."""
    if settings.pipeline is not None and (name := settings.pipeline.word_steps("target")):
        return settings.pipeline.words, name
    if settings.language is None:
        raise InputError(
            "multi-BLEU compares words, and how text is split into them depends on the language",
            cure="Add the run that translated (`run`), or the target language (`language`)",
            parameters=("run", "language"),
        )
    language = primary_language(settings.language)
    if language in _TOKENIZER_BY_LANGUAGE:
        raise InputError(
            f"multi-BLEU needs words, and the Moses tokenizer cannot split {language!r} into any",
            cure="Score by s-bleu, or add a run that segments the language (text.segment)",
        )
    return MosesTokenization(language).apply, f"moses-{language}"


def _build_bleu(lowercase: bool, tokenizer: str) -> BLEU:
    """sacrebleu's BLEU with a tokenizer."""
    from sacrebleu.metrics.bleu import BLEU

    try:
        # `force` only mutes a warning; `evaluate` notes tokenized input in the score instead.
        return BLEU(lowercase=lowercase, tokenize=tokenizer, force=True)
    except (RuntimeError, ImportError, OSError) as error:
        package = _INSTALLED_WITH.get(tokenizer)
        reason = "it is not installed" if package else error
        fetch = f"Install it with `pip install '{package}'`" if package else "Check the network"
        raise InputError(
            f"the tokenizer {tokenizer!r} cannot be loaded ({reason})",
            cure=f"{fetch}, or choose another: `char` scores characters",
        ) from error


def _forget_segments(metric: Metric) -> None:
    """Empty the caches in which sacrebleu keeps tokenized segments for the life of the process.

    Each cache holds up to 65,536 segments. For sentences this is little memory. For whole
    documents, scored at every validation of a long training, it is gigabytes.
    """
    tokenizer = getattr(metric, "tokenizer", None)
    for part in (tokenizer, getattr(tokenizer, "_post_tokenizer", None)):
        clear = getattr(type(part).__call__, "cache_clear", None)
        if clear is not None:
            clear()


def _suggestion(name: str, known: Iterable[str]) -> str:
    """The cure for an unknown name."""
    names = sorted(known)
    hint = did_you_mean(name.lower(), names)
    return hint[0].upper() + hint[1:] if hint else f"Known: {', '.join(names)}"
