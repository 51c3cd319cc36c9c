"""APT, the accuracy of pronoun translation (Miculicich Werlen and Popescu-Belis 2017, "Validation
of an Automatic Metric for the Accuracy of Pronoun Translation"), which Tan et al. 2019, Table 5,
report.

Each pronoun of the source is aligned with words of the reference and of the translation, and falls
into one of six cases:

1. both have the same pronoun;
2. they have different pronouns of one group of equivalents;
3. they have other words;
4. the reference translates it, the translation does not;
5. the translation translates it, the reference does not;
6. neither does.

APT is the mean over all pronouns of the weight of their case, Σ w_c n_c / Σ n_c.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from docmt.alignment.links import Alignment, Links
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.base.wording import counted
from docmt_nmt.text.word_lists import SOURCE_PRONOUNS, TARGET_PRONOUNS
from docmt_research.discourse.discourse_scores import (
    DiscourseScore,
    NothingToMeasure,
    ratio_statistics,
)
from docmt_research.discourse.discourse_text import Sentence, Text

CASES = ("same", "equivalent", "different", "not in translation", "not in reference", "in neither")
"""The names of the six cases, in the order of the paper."""

_OTHER = ""
"""A placeholder for all words except pronouns."""

_WINDOW = 2
"""Distance from an aligned word, in words, within which a pronoun is looked for."""

_FEW_PRONOUNS = 0.2
"""With a smaller share of the pronouns of the reference, a translation is suspicious."""


@dataclass(frozen=True, slots=True)
class PronounSettings:
    """Settings of APT.

    Attributes:
        source: the pronouns of the source language to score, in lower case. Default: the pronouns
            of the language.
        target: the pronouns of the target language, in lower case; all other words count as one.
            Empty: all words are compared. Default: the pronouns of the language.
        equivalent: groups of interchangeable pronouns (case 2).
        weights: for each case, how right it is, from 0 to 1; None leaves pronouns of this case out.
        other_is_same: whether two words other than pronouns count as the same.
        repair: whether a pronoun not aligned with a pronoun may be aligned with one nearby.
    """

    source: Sequence[str] | None = None
    target: Sequence[str] | None = None
    equivalent: Sequence[Sequence[str]] = ()
    weights: tuple[float | None, ...] = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
    other_is_same: bool = False
    repair: bool = True

    def __post_init__(self) -> None:
        if len(self.weights) != len(CASES):
            raise InputError(
                f"APT has six cases, but {len(self.weights)} weights are given",
                cure="Give six, such as 1,0.5,0,0,0,0; - leaves a case out",
            )
        if any(weight is not None and not 0 <= weight <= 1 for weight in self.weights):
            raise InputError("a weight of APT is not from 0 to 1", cure="Give 1 for a right case")


@dataclass(frozen=True, slots=True)
class _Lists:
    """The pronouns as sets."""

    source: frozenset[str]
    target: frozenset[str]
    equivalent: tuple[frozenset[str], ...]


def pronoun_accuracy(
    text: Text,
    hypothesis_alignment: Alignment,
    reference_alignment: Alignment,
    settings: PronounSettings | None = None,
) -> DiscourseScore:
    """APT of a translation.

    Args:
        text: the sentences, with references.
        hypothesis_alignment, reference_alignment: the links between the source words and the words
            of the translation and of the reference.
        settings: the pronouns and the rules of counting.

    Raises:
        InputError: there is no list of pronouns of the source language, the source has no pronoun
            of the list, or the cases of all pronouns are left out.
    """
    settings = settings or PronounSettings()
    lists = _lists(settings, text)
    cases: Counter[str] = Counter()
    by_pronoun: dict[str, Counter[str]] = {}
    by_document: list[tuple[str, str]] = []
    occurrences = []
    sentences = zip(
        text.sentences, hypothesis_alignment.links, reference_alignment.links, strict=True
    )
    for sentence, hypothesis_links, reference_links in sentences:
        for index, pronoun in enumerate(sentence.source):
            if pronoun.lower() not in lists.source:
                continue
            translations = [
                _translation(index, sentence.source, words, links, lists, repair=settings.repair)
                for words, links in (
                    (sentence.reference, reference_links),
                    (sentence.hypothesis, hypothesis_links),
                )
            ]
            expected, translated = (
                [words[j].lower() for j in indices]
                for words, indices in zip(
                    (sentence.reference, sentence.hypothesis), translations, strict=True
                )
            )
            case = _case(expected, translated, lists, other_is_same=settings.other_is_same)
            cases[case] += 1
            by_document.append((sentence.document, case))
            by_pronoun.setdefault(pronoun.lower(), Counter())[case] += 1
            occurrences.append(
                _occurrence(sentence, index, case, expected=expected, translated=translated)
            )
    if not cases:
        raise NothingToMeasure(
            f"the source has none of the pronouns {', '.join(sorted(lists.source)[:6])}, …",
            cure="Check the source language, or name pronouns with `pronouns`",
            parameters=["pronouns"],
        )
    weight = dict(zip(CASES, settings.weights, strict=True))
    score = _accuracy(cases, weight)
    if score is None:
        raise InputError(
            "all pronouns are of cases that have no weight", cure="Give more cases a weight"
        )
    parts = {
        pronoun: (accuracy, _counted(counts, weight))
        for pronoun, counts in sorted(by_pronoun.items(), key=lambda item: -item[1].total())
        if (accuracy := _accuracy(counts, weight)) is not None
    }
    signature = _signature(settings, text, lists, hypothesis_alignment, reference_alignment)
    right = [(document, weight[case]) for document, case in by_document]
    return DiscourseScore(
        name="APT",
        score=score,
        documents=text.documents,
        sentences=len(text.sentences),
        settings=signature,
        statistics=ratio_statistics(
            text.document_ids,
            [(document, value, 1.0) for document, value in right if value is not None],
            signature,
        ),
        counts={case: cases[case] for case in CASES},
        parts=parts,
        notes=_notes(text, lists, cases),
        occurrences=occurrences,
    )


def _lists(settings: PronounSettings, text: Text) -> _Lists:
    """The pronouns to look for.

    Raises:
        InputError: there is no list of pronouns of the source language.
    """
    source, target = settings.source, settings.target
    if source is None:
        source = SOURCE_PRONOUNS.get(primary_language(text.source_language))
        if source is None:
            raise InputError(
                f"docmt has no list of the pronouns of {text.source_language!r}",
                cure="Name the pronouns with `pronouns`, once for each",
                parameters=("pronouns",),
            )
    if target is None:
        target = TARGET_PRONOUNS.get(primary_language(text.target_language), ())
    return _Lists(
        frozenset(word.lower() for word in source),
        frozenset(word.lower() for word in target),
        tuple(frozenset(word.lower() for word in group) for group in settings.equivalent),
    )


def _translation(
    index: int,
    source: Sequence[str],
    target: Sequence[str],
    links: Links,
    lists: _Lists,
    *,
    repair: bool,
) -> list[int]:
    """The indices of the target words aligned with a source word.

    If no aligned word is a pronoun and `repair` is given, the nearest pronoun up to two words away
    is added, unless it is aligned with a pronoun of the source. For a source word without links it
    is looked for around the translations of the words next to it.
    """
    aligned = sorted(j for i, j in links if i == index)
    if not repair or not lists.target or any(target[j].lower() in lists.target for j in aligned):
        return aligned
    around = aligned or sorted(j for i, j in links if abs(i - index) == 1)
    if not around:
        return aligned
    taken = {j for i, j in links if source[i].lower() in lists.source}
    center = (around[0] + around[-1]) / 2
    near = [
        j
        for j in range(max(around[0] - _WINDOW, 0), min(around[-1] + _WINDOW + 1, len(target)))
        if target[j].lower() in lists.target and j not in taken
    ]
    return sorted({*aligned, min(near, key=lambda j: abs(j - center))}) if near else aligned


def _case(
    expected: Sequence[str], translated: Sequence[str], lists: _Lists, *, other_is_same: bool
) -> str:
    """The case of a pronoun, by the words for it in the reference and in the translation."""
    if not expected:
        return CASES[4] if translated else CASES[5]
    if not translated:
        return CASES[3]
    theirs, ours = _pronouns(expected, lists), _pronouns(translated, lists)
    same = theirs & ours
    if same - {_OTHER} or (same and other_is_same):
        return CASES[0]
    if any(group & theirs and group & ours for group in lists.equivalent):
        return CASES[1]
    return CASES[2]


def _pronouns(words: Sequence[str], lists: _Lists) -> frozenset[str]:
    """The pronouns among words, or the placeholder for all other words if there are none."""
    if not lists.target:
        return frozenset(words)
    return frozenset(words) & lists.target or frozenset({_OTHER})


def _accuracy(cases: Counter[str], weight: dict[str, float | None]) -> float | None:
    """The mean weight in percent of pronouns with these cases; None if no case has a weight."""
    count = _counted(cases, weight)
    if not count:
        return None
    return 100 * sum(n * (weight[case] or 0.0) for case, n in cases.items()) / count


def _counted(cases: Counter[str], weight: dict[str, float | None]) -> int:
    """The number of pronouns of cases with a weight."""
    return sum(n for case, n in cases.items() if weight[case] is not None)


def _occurrence(
    sentence: Sentence, index: int, case: str, *, expected: list[str], translated: list[str]
) -> dict[str, object]:
    """A pronoun with its two translations."""
    return {
        "document": sentence.document,
        "sentence": sentence.number,
        "word": index + 1,
        "pronoun": sentence.source[index],
        "reference": expected,
        "translation": translated,
        "case": case,
    }


def _signature(
    settings: PronounSettings, text: Text, lists: _Lists, hypothesis: Alignment, ref: Alignment
) -> str:
    """Return the settings of the score."""
    weights = ",".join("-" if weight is None else f"{weight:g}" for weight in settings.weights)
    methods = dict.fromkeys((hypothesis.method, ref.method))
    targets = "all-words" if not lists.target else _given(settings.target)
    groups = ["/".join(sorted(group)) for group in lists.equivalent]
    return "|".join(
        (
            f"lang:{text.source_language}-{text.target_language}",
            f"words:{text.splitting}",
            f"align:{'+'.join(methods)}",
            f"weights:{weights}",
            f"pronouns:{_given(settings.source)}",
            f"target:{targets}",
            f"equivalent:{','.join(groups) or 'none'}",
            f"other:{'same' if settings.other_is_same else 'different'}",
            f"repair:{'yes' if settings.repair and lists.target else 'no'}",
        )
    )


def _given(words: Sequence[str] | None) -> str:
    """A list of pronouns for a signature."""
    return "default" if words is None else ",".join(sorted(map(str.lower, words)))


def _notes(text: Text, lists: _Lists, cases: Counter[str]) -> tuple[str, ...]:
    """Return notes on reasons for a misleading score."""
    notes = []
    if not lists.target:
        notes.append(
            "docmt has no list of the pronouns of the target language, so all words are compared"
        )
    else:
        ours = sum(w.lower() in lists.target for s in text.sentences for w in s.hypothesis)
        theirs = sum(w.lower() in lists.target for s in text.sentences for w in s.reference)
        if ours < _FEW_PRONOUNS * theirs:
            notes.append(
                f"the translation has {counted(ours, 'pronoun')} of {text.target_language!r}, the "
                f"reference {theirs:,}; check that it is in this language"
            )
    if cases.total() < 100:
        notes.append(f"the score is uncertain, as it is of {counted(cases.total(), 'pronoun')}")
    return tuple(notes)
