"""BlonDe (Jiang et al. 2022, "BlonDe: An Automatic Evaluation Metric for Document-level Machine
Translation"), without its entities.

Of each sentence, pronouns, verbs and discourse markers are counted by class, and n-grams one by
one. What the translation and the reference both have is a match: of a class the smaller of the two
numbers, weighted. Summed over the text, for each category

    recall = matches / in the reference        precision = matches / in the translation

and F1 is their harmonic mean. BlonDe is the harmonic mean of the geometric means of all recalls and
of all precisions, where each order of n-grams is a category.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from docmt.documents import Document
from docmt.errors import InputError
from docmt.evaluation.discourse.blonde_lists import (
    MARKERS,
    PRONOUN_CLASSES,
    PRONOUN_WEIGHTS,
    TENSE_CLASSES,
    Classes,
)
from docmt.evaluation.discourse.scores import DiscourseScore
from docmt.evaluation.discourse.words import split_words
from docmt.evaluation.segments import ParallelDocuments, References
from docmt.text import primary_language

_MAX_ORDER = 4
_SMALLEST = 1e-5
"""What a recall or precision of 0 counts as in a geometric mean."""


@dataclass(slots=True)
class _Category:
    """A category: the weight of each of its items, or of all, and the sums over the text."""

    weights: Mapping[str, float] | None = None
    matches: float = 0.0
    expected: float = 0.0
    translated: float = 0.0

    def add(self, ours: Counter[str], theirs: Counter[str]) -> None:
        """Add the items of a sentence of the translation and of the reference."""
        for item in ours.keys() | theirs.keys():
            weight = 1.0 if self.weights is None else self.weights[item]
            self.matches += weight * min(ours[item], theirs[item])
            self.translated += weight * ours[item]
            self.expected += weight * theirs[item]


def blonde_score(
    hypothesis: Sequence[Document],
    references: References,
    *,
    language: str,
    lowercase: bool = False,
    tense: bool | None = None,
    tokenized: bool = False,
) -> DiscourseScore:
    """BlonDe of a translation, with the F1 of each category.

    Args:
        hypothesis: the translation, the target sides.
        references: the reference, or several; of each class the largest number counts.
        language: the code of the target language.
        lowercase: whether n-grams are compared without regard to case.
        tense: whether to count verbs by tense, which needs the extra `discourse` and English.
            Default: if both are there.
        tokenized: whether words are what stands between spaces.

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
    parallel = ParallelDocuments.of(hypothesis, references)
    sides = parallel.segments("sentence")
    categories = _categories(code, tense=tense)
    for ours, *theirs in zip(sides[0], *sides[1], strict=True):
        counted = [
            _items(split_words(side, language, tokenized=tokenized), code, tense, lowercase)
            for side in (ours, *theirs)
        ]
        for name, category in categories.items():
            most: Counter[str] = Counter()
            for items in counted[1:]:
                most |= items[name]
            category.add(counted[0][name], most)
    return _score(categories, parallel, language, tense, lowercase=lowercase, tokenized=tokenized)


def _categories(code: str, *, tense: bool) -> dict[str, _Category]:
    """The categories of a language, empty."""
    found = {"pronoun": _Category(PRONOUN_WEIGHTS[code])}
    if tense:
        found["tense"] = _Category()
    found["marker"] = _Category()
    return found | {f"{n}-gram": _Category() for n in range(1, _MAX_ORDER + 1)}


def _items(
    words: Sequence[str], code: str, tense: bool, lowercase: bool
) -> dict[str, Counter[str]]:
    """What a sentence has of each category."""
    lowered = [word.lower() for word in words]
    compared = lowered if lowercase else words
    items = {
        "pronoun": _phrases(lowered, PRONOUN_CLASSES[code]),
        "marker": _phrases(lowered, MARKERS[code]),
    }
    if tense:
        items["tense"] = _tenses(words)
    for n in range(1, _MAX_ORDER + 1):
        items[f"{n}-gram"] = Counter(
            "\t".join(compared[i : i + n]) for i in range(len(compared) - n + 1)
        )
    return items


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
    """Check that verbs can be counted.

    Raises:
        InputError: the language is not English, or the tagger is not installed.
    """
    if code != "en":
        raise InputError(
            f"BlonDe counts verbs by tense in English only, not in {code!r}",
            cure="Leave tense out",
        )
    if _tagger() is None:
        raise InputError(
            "counting verbs by tense needs HanTa, which is not installed",
            cure="Install it with `pip install 'docmt[discourse]'`, or leave tense out",
        )


def _score(
    categories: Mapping[str, _Category],
    parallel: ParallelDocuments,
    language: str,
    tense: bool,
    *,
    lowercase: bool,
    tokenized: bool,
) -> DiscourseScore:
    """The score from the sums of each category."""
    smoothed = _smoothed({n: c.matches for n, c in categories.items() if n.endswith("-gram")})
    recalls, precisions = (
        {
            name: smoothed.get(name, category.matches) / total
            for name, category in categories.items()
            if (total := getattr(category, attribute))
        }
        for attribute in ("expected", "translated")
    )
    parts = {
        name: (100 * _f1(recalls.get(name, 0.0), precisions.get(name, 0.0)), _total(category))
        for name, category in categories.items()
        if category.expected
    }
    empty = [name for name, category in categories.items() if not category.expected]
    settings = "|".join(
        (
            f"lang:{language}",
            f"nrefs:{len(parallel.references)}",
            f"words:{'spaces' if tokenized else 'docmt'}",
            f"case:{'lc' if lowercase else 'mixed'}",
            f"categories:{','.join(name for name in categories if name not in empty)}",
            *(["tagger:hanta"] if tense else []),
        )
    )
    return DiscourseScore(
        name="BlonDe-without-entities",
        score=100 * _f1(_geometric_mean(recalls.values()), _geometric_mean(precisions.values())),
        documents=len(parallel.hypothesis),
        sentences=parallel.sentences,
        settings=settings,
        counts={f"{name} in reference": _total(category) for name, category in categories.items()},
        parts=parts,
        notes=tuple(f"the reference has nothing of the category {name}" for name in empty),
    )


def _smoothed(matches: Mapping[str, float]) -> dict[str, float]:
    """The matches of n-grams, where the k-th order without one counts as 1 / 2^k, as in
    mteval-v13a."""
    halved = 1.0
    found = {}
    for name, count in matches.items():
        if not count:
            halved /= 2
        found[name] = count or halved
    return found


def _total(category: _Category) -> int:
    """The number of items of a category in the reference; of weighted ones, in units of the largest
    weight."""
    largest = max(category.weights.values()) if category.weights else 1.0
    return round(category.expected / largest)


def _f1(recall: float, precision: float) -> float:
    """The harmonic mean."""
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def _geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean, with `_SMALLEST` for smaller values; 0 of none."""
    logs = [math.log(max(value, _SMALLEST)) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else 0.0
