"""The verdict about an adapted model: translations of held-out documents and of general sentences,
before and after, and whether the model is made."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sacrebleu.metrics.chrf import CHRF

from docmt_files.base.documents import Document
from docmt_nmt.evaluation import Comparison, MetricSettings, SignificanceTest, compare
from docmt_nmt.translators.checks.translation_checks import CheckThresholds, check_translation

METRICS = MetricSettings(metrics=("s-bleu", "s-chrf"))

_TEST = SignificanceTest(trials=2_000)

_SIGNIFICANT = 0.05

MIN_GENERAL_CHRF = 94.0
"""The least likeness of the new translations of general sentences to the start's. Models with less
lost more than 0.3 BLEU of news, those with more did not (`studies/adapting`)."""

MIN_TRANSLATED_CHRF = 95.5
"""The same of general sentences that a model translated from English. They are easier than what
people write, so that less of what is lost is seen in them."""

MAX_NEW_WARNINGS = 0.01
"""The most further suspicious translations, of all general sentences."""

_SHOWN = 10
"""Number of sentences that are shown before and after."""


@dataclass(frozen=True, slots=True)
class Example:
    """A held-out sentence before and after.

    Attributes:
        source: the sentence.
        before, after: the translations of the start and of the adapted model.
        person: the person's translation.
    """

    source: str
    before: str
    after: str
    person: str


@dataclass(frozen=True, slots=True)
class GeneralChange:
    """What became of general sentences.

    Attributes:
        sentences: the number of sentences; 0 where there are none of the source language.
        changed: the number of other translations than the start's.
        chrf: likeness of the translations to the start's: 100 for the same.
        warnings_before, warnings_after: numbers of suspicious translations.
        is_translated: True if the sentences are a model's translations from English.
    """

    sentences: int = 0
    changed: int = 0
    chrf: float = 100.0
    warnings_before: int = 0
    warnings_after: int = 0
    is_translated: bool = False

    @property
    def least_chrf(self) -> float:
        """The least likeness that is asked for."""
        return MIN_TRANSLATED_CHRF if self.is_translated else MIN_GENERAL_CHRF

    @property
    def is_small(self) -> bool:
        """True if the translations are alike enough."""
        return self.chrf >= self.least_chrf


@dataclass(frozen=True, slots=True)
class TermUse:
    """How often terms of the material are translated as there, in held-out sentences.

    Attributes:
        uses: the number of terms in the sentences that the person translated as in the material.
        before, after: the number of these that the start and the adapted model translate so.
    """

    uses: int = 0
    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an adapted model is better.

    Attributes:
        comparisons: after and before on the held-out documents, by each metric.
        pairs, documents: numbers of the held-out pairs and documents.
        general: what became of general sentences.
        terms: what became of terms.
        examples: sentences before and after, drawn from those that changed.
    """

    comparisons: Sequence[Comparison]
    pairs: int
    documents: int
    general: GeneralChange
    terms: TermUse
    examples: Sequence[Example]

    @property
    def reason_against(self) -> str:
        """The reason why the model is not adopted; "" for none."""
        bleu, chrf = self.comparisons
        if bleu.difference <= 0 or chrf.difference <= 0:
            return (
                f"it is not better on the held-out documents ({bleu.difference:+.1f} BLEU, "
                f"{chrf.difference:+.1f} chrF)"
            )
        if bleu.p is None or bleu.p >= _SIGNIFICANT:
            return (
                f"the gain on the held-out documents ({bleu.difference:+.1f} BLEU) may be chance "
                f"(p = {bleu.p or 1:.2f})"
            )
        if not self.general.is_small:
            return (
                f"it translates general text in another way: chrF to the start's translations is "
                f"{self.general.chrf:.1f}, and at least {self.general.least_chrf:g} is asked for"
            )
        more = self.general.warnings_after - self.general.warnings_before
        if more > MAX_NEW_WARNINGS * self.general.sentences:
            return f"it translates general text worse: {more} more translations are suspicious"
        return ""

    @property
    def is_better(self) -> bool:
        """True if the model is adopted."""
        return not self.reason_against

    @property
    def summary(self) -> str:
        """The verdict in one line, for a list of models."""
        bleu, chrf = self.comparisons
        kept = "" if self.is_better else "; kept although not adopted"
        return (
            f"{bleu.difference:+.1f} BLEU, {chrf.difference:+.1f} chrF on {self.pairs:,} held-out "
            f"pairs{kept}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All values as plain ones."""
        return {
            "comparisons": [each.to_dict() for each in self.comparisons],
            "pairs": self.pairs,
            "documents": self.documents,
            "general": asdict(self.general),
            "terms": asdict(self.terms),
            "reason_against": self.reason_against,
        }


def judge(
    references: Sequence[Document],
    before: Sequence[Document],
    after: Sequence[Document],
    general: GeneralChange,
    glossary: Mapping[str, Sequence[str]],
) -> Verdict:
    """Compare the translations of held-out documents.

    Args:
        references: the person's translations.
        before, after: the translations of the start and of the adapted model.
        general: what became of general sentences.
        glossary: the terms of the training material, with the forms of their translation.
    """
    return Verdict(
        comparisons=compare(after, before, [references], METRICS, _TEST),
        pairs=sum(map(len, references)),
        documents=len(references),
        general=general,
        terms=_term_use(references, before, after, glossary),
        examples=_examples(references, before, after),
    )


def general_change(
    before: Document, after: Document, languages: tuple[str, str], *, is_translated: bool = False
) -> GeneralChange:
    """What became of general sentences.

    Args:
        before, after: the translations of the start and of the adapted model.
        languages: source and target language.
        is_translated: whether the sentences are a model's translations from English.
    """
    old, new = list(before.target or ()), list(after.target or ())
    thresholds = CheckThresholds.default(languages)
    warnings = [
        len({each.sentence for each in check_translation(document, thresholds, languages)})
        for document in (before, after)
    ]
    return GeneralChange(
        sentences=len(old),
        changed=sum(a != b for a, b in zip(old, new, strict=True)),
        chrf=CHRF().corpus_score(new, [old]).score if old else 100.0,
        warnings_before=warnings[0],
        warnings_after=warnings[1],
        is_translated=is_translated,
    )


def _term_use(
    references: Sequence[Document],
    before: Sequence[Document],
    after: Sequence[Document],
    glossary: Mapping[str, Sequence[str]],
) -> TermUse:
    """How often terms are translated as in the material, where the person does."""
    counts = [0, 0, 0]
    for person, *machines in zip(references, before, after, strict=True):
        sides = (person.target or (), *(each.target or () for each in machines))
        for source, *texts in zip(person.source, *sides, strict=True):
            words = f" {source.lower()} "
            for term, forms in glossary.items():
                if f" {term.lower()} " not in words:
                    continue
                has = [any(form.lower() in text.lower() for form in forms) for text in texts]
                if has[0]:
                    counts = [count + is_so for count, is_so in zip(counts, has, strict=True)]
    return TermUse(*counts)


def _examples(
    references: Sequence[Document], before: Sequence[Document], after: Sequence[Document]
) -> list[Example]:
    """Sentences that changed, drawn at random, in order."""
    rows = [
        Example(*row)
        for person, old, new in zip(references, before, after, strict=True)
        for row in zip(
            person.source, old.target or (), new.target or (), person.target or (), strict=True
        )
    ]
    changed = [index for index, each in enumerate(rows) if each.before != each.after]
    readable = [index for index in changed if 5 <= len(rows[index].source.split()) <= 30]
    drawn = random.Random(1).sample(readable, min(_SHOWN, len(readable)))
    return [rows[index] for index in sorted(drawn)]
