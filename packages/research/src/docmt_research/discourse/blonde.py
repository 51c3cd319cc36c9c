"""BlonDe (Jiang et al. 2022, "BlonDe: An Automatic Evaluation Metric for Document-level Machine
Translation"), without the entities.

Of each sentence, pronouns, verbs and discourse markers are counted by class, and n-grams one by
one. Counts in both the translation and the reference are a match: for a class, the smaller of the
two numbers, weighted. Summed over the text, for each category

    recall = matches / in the reference        precision = matches / in the translation

and F1 is their harmonic mean. BlonDe is the harmonic mean of the geometric means of all recalls and
of all precisions, where each order of n-grams is a category.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.evaluation.segments import ParallelDocuments, References
from docmt_nmt.evaluation.statistics import Counts, Statistics
from docmt_nmt.text.word_splitting import split_words
from docmt_research.discourse.blonde_lists import (
    MARKERS,
    PRONOUN_CLASSES,
    PRONOUN_WEIGHTS,
    TENSE_CLASSES,
    Classes,
)
from docmt_research.discourse.discourse_scores import DiscourseScore

_ORDERS = ("1-gram", "2-gram", "3-gram", "4-gram")
_SMALLEST = 1e-5
"""The value of a recall or precision of 0 in a geometric mean."""


def blonde_score(
    hypothesis: Sequence[Document],
    references: References,
    *,
    language: str,
    lowercase: bool = False,
    tense: bool | None = None,
    tokenized: bool = False,
    name: str = "the translation",
) -> DiscourseScore:
    """BlonDe of a translation, with the F1 of each category.

    Args:
        hypothesis: the translation, the target sides.
        references: the reference, or several; of each class the largest number counts.
        language: the code of the target language.
        lowercase: whether n-grams are compared without regard to case.
        tense: whether to count verbs by tense, which needs the extra `discourse` and English.
            Default: if both are there.
        tokenized: whether the words are already divided by spaces.
        name: name of the translation in error messages.

    Raises:
        InputError: the documents do not have the same sentences, docmt has no lists for the
            language, or verbs cannot be counted.
    """
    code = primary_language(language)
    if code not in MARKERS:
        raise InputError(
            f"BlonDe has no lists for {language!r}",
            cure=f"It can score {' and '.join(sorted(MARKERS))}",
        )
    if tense is None:
        tense = code == "en" and _tagger() is not None
    elif tense:
        _check_tense(code)
    parallel = ParallelDocuments.of(hypothesis, references, name=name)
    ours, theirs = parallel.segments("sentence")
    names = ["pronoun", *(["tense"] if tense else []), "marker", *_ORDERS]
    rows = []
    for sides in zip(ours, *theirs, strict=True):
        items_of_sides = [
            _items(split_words(side, language, tokenized=tokenized), code, tense, lowercase)
            for side in sides
        ]
        rows.append(
            [n for name in names for n in _compared([f[name] for f in items_of_sides], name, code)]
        )
    is_order = np.array([name in _ORDERS for name in names])
    statistics = Statistics(
        np.array(rows),
        lambda counts: _blonde(counts, is_order),
        _settings(language, len(theirs), names, tense, lowercase=lowercase, tokenized=tokenized),
    ).grouped([len(document) for document in hypothesis])
    return _score(statistics, parallel, names, is_order, code)


def _items(
    words: Sequence[str], code: str, tense: bool, lowercase: bool
) -> dict[str, Counter[str]]:
    """Return the items of each category in a sentence."""
    lowered = [word.lower() for word in words]
    compared = lowered if lowercase else words
    items = {
        "pronoun": _phrases(lowered, PRONOUN_CLASSES[code]),
        "marker": _phrases(lowered, MARKERS[code]),
    }
    if tense:
        items["tense"] = _tenses(words)
    for n, order in enumerate(_ORDERS, start=1):
        spans = (compared[i : i + n] for i in range(len(compared) - n + 1))
        items[order] = Counter("\t".join(span) for span in spans)
    return items


def _compared(counts: Sequence[Counter[str]], name: str, code: str) -> tuple[float, float, float]:
    """The weighted items of a category: matching items, items of the references, and items of the
    translation.

    Args:
        found: the items of the translation, then of each reference.
        name: the category.
        code: the language.
    """
    weights = PRONOUN_WEIGHTS[code] if name == "pronoun" else {}
    ours, theirs = counts[0], Counter[str]()
    for reference in counts[1:]:
        theirs |= reference

    def total(items: Counter[str]) -> float:
        return sum(weights.get(item, 1.0) * count for item, count in items.items())

    return total(ours & theirs), total(theirs), total(ours)


def _phrases(lowered: Sequence[str], classes: Classes) -> Counter[str]:
    """The number of phrases of each class among words."""
    by_phrase = {tuple(p.split()): name for name, phrases in classes.items() for p in phrases}
    longest = max(map(len, by_phrase))
    spans = (
        tuple(lowered[i : i + n])
        for n in range(1, longest + 1)
        for i in range(len(lowered) - n + 1)
    )
    return Counter(by_phrase[span] for span in spans if span in by_phrase)


def _tenses(words: Sequence[str]) -> Counter[str]:
    """The number of verbs of each class."""
    if not words:
        return Counter()
    by_tag = {tag: name for name, tags in TENSE_CLASSES.items() for tag in tags}
    tagged = _tagger().tag_sent([word.replace("’", "'") for word in words])
    return Counter(by_tag[tag] for _, _, tag in tagged if tag in by_tag)


@cache
def _tagger() -> Any:
    """The Hanover Tagger for English, or None if it is not installed."""
    try:
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError:
        return None
    return HanoverTagger("morphmodel_en.pgz")


def _check_tense(code: str) -> None:
    """Require a language with countable verbs.

    Raises:
        InputError: the language is not English, or the tagger is not installed.
    """
    if code != "en":
        raise InputError(
            f"BlonDe counts verbs by tense in English only, not in {code!r}", cure="Leave tense out"
        )
    if _tagger() is None:
        raise InputError(
            "counting verbs by tense needs HanTa, which is not installed",
            cure="Install it with `pip install 'docmt-research[lemmas]'`, or leave tense out",
        )


def _blonde(counts: Counts, is_order: NDArray[np.bool_]) -> NDArray[np.float64]:
    """BlonDe, in percent.

    Args:
        counts: (..., 3 k): for each category the matching items, the items of the references, and
            the items of the translation.
        is_order: (k) whether a category is an order of n-grams.
    """
    matches, expected, translated = (counts[..., i::3] for i in range(3))
    matches = _smoothed(matches, is_order)
    return 100 * _f1(_geometric_mean(matches, expected), _geometric_mean(matches, translated))


def _smoothed(matches: Counts, is_order: NDArray[np.bool_]) -> Counts:
    """The matches, where the k-th order of n-grams without one counts as 1 / 2^k, as in
    mteval-v13a."""
    missing = (matches == 0) & is_order
    return np.where(missing, 0.5 ** np.cumsum(missing, axis=-1), matches)


def _geometric_mean(matches: Counts, total: Counts) -> NDArray[np.float64]:
    """The geometric mean of the shares of all categories with items, with `_SMALLEST` for smaller
    shares; 0 if there are no items."""
    used = total > 0
    share = np.where(used, matches / np.where(used, total, 1), 1.0)
    logs = np.log(np.maximum(share, _SMALLEST)).sum(-1)
    number = used.sum(-1)
    return np.where(number > 0, np.exp(logs / np.maximum(number, 1)), 0.0)


def _f1(recall: Counts, precision: Counts) -> NDArray[np.float64]:
    """The harmonic mean; 0 of zeros."""
    total = recall + precision
    return np.where(total > 0, 2 * recall * precision / np.where(total > 0, total, 1), 0.0)


def _score(
    statistics: Statistics,
    parallel: ParallelDocuments,
    names: Sequence[str],
    is_order: NDArray[np.bool_],
    code: str,
) -> DiscourseScore:
    """The score with the score of each category."""
    counts = statistics.counts.sum(0)
    matches, expected, translated = (counts[i::3] for i in range(3))
    smoothed = _smoothed(matches, is_order)
    f1 = _f1(smoothed / np.maximum(expected, 1e-9), smoothed / np.maximum(translated, 1e-9))
    f1 = np.where(translated > 0, f1, 0.0)
    # Among weighted pronouns, the pronouns of the largest weight count as one.
    unit = [max(PRONOUN_WEIGHTS[code].values()) if name == "pronoun" else 1.0 for name in names]
    in_reference = [round(n / u) for n, u in zip(expected, unit, strict=True)]
    return DiscourseScore(
        name="BlonDe-without-entities",
        score=statistics.score,
        documents=len(parallel.hypothesis),
        sentences=parallel.sentences,
        settings=statistics.signature,
        statistics=statistics,
        counts={f"{name} in reference": n for name, n in zip(names, in_reference, strict=True)},
        parts={
            name: (float(100 * value), n)
            for name, value, n in zip(names, f1, in_reference, strict=True)
            if n
        },
        notes=tuple(
            f"the reference has nothing of the category {name}"
            for name, n in zip(names, in_reference, strict=True)
            if not n
        ),
    )


def _settings(
    language: str,
    references: int,
    names: Sequence[str],
    tense: bool,
    *,
    lowercase: bool,
    tokenized: bool,
) -> str:
    """Return the settings of the score."""
    return "|".join(
        (
            f"lang:{language}",
            f"nrefs:{references}",
            f"words:{'spaces' if tokenized else 'docmt'}",
            f"case:{'lc' if lowercase else 'mixed'}",
            f"categories:{','.join(names)}",
            *(["tagger:hanta"] if tense else []),
        )
    )
