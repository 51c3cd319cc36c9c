"""Consistency of the translations of a term in a document.

Two numbers measure the consistency of translations, for a term of k occurrences in a document:

- LTCR, the lexical translation consistency ratio of Lyu et al. 2021 ("Encouraging Lexical
  Translation Consistency for Document-Level Neural Machine Translation"): the share of equally
  translated pairs among the k (k - 1) / 2 pairs of occurrences; over all terms and documents, the
  sums are divided.
- the share of the most frequent translation, as in the terminology task of WMT 2025: the share of
  the occurrences with the most frequent translation among the k occurrences; over all terms and
  documents, the sums are divided.

Neither measures correctness. For a list of terms with translations, a third number does: the share
of the occurrences with one of the listed translations in the translated sentence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from docmt.alignment.links import Alignment
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.base.wording import counted
from docmt_nmt.text.word_lists import FUNCTION_WORDS
from docmt_nmt.text.word_splitting import has_stemmer, is_word, stem
from docmt_research.discourse.discourse_scores import (
    DiscourseScore,
    NothingToMeasure,
    ratio_statistics,
)
from docmt_research.discourse.discourse_text import Text
from docmt_research.discourse.terms import Occurrence, Term, Words, find_terms, repeated_words

Side = Literal["hypothesis", "reference"]
"""The translation to examine."""

Match = Literal["stem", "exact"]
"""Rules by which two translations are alike: if their words have the same stems, or if the words
are the same. Case does not count."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """A term with several occurrences in a document, and the translations found for it.

    Attributes:
        document: the id of the document.
        term: the words of the term.
        translations: one for each occurrence with a translation.
    """

    document: str
    term: Words
    translations: list[str]

    @property
    def occurrences(self) -> int:
        """The number of occurrences."""
        return len(self.translations)

    @property
    def pairs(self) -> int:
        """The number of pairs of occurrences."""
        return self.occurrences * (self.occurrences - 1) // 2

    @property
    def alike(self) -> int:
        """The number of equally translated pairs."""
        return sum(n * (n - 1) // 2 for n in Counter(self.translations).values())

    @property
    def most_frequent(self) -> int:
        """The number of occurrences with the most frequent translation."""
        return max(Counter(self.translations).values())


def lexical_consistency(
    text: Text,
    alignment: Alignment,
    *,
    terms: Sequence[Term] | None = None,
    match: Match = "stem",
    side: Side = "hypothesis",
) -> list[DiscourseScore]:
    """LTCR and the share of the most frequent translation.

    The translation of an occurrence is the sequence of words aligned with it, without punctuation
    and, if others are left, without function words. Occurrences without aligned words are left out
    and counted.

    Args:
        text: the sentences.
        alignment: the links between the source words and the words of the examined translation.
        terms: the terms. Default: the content words repeated in a document.
        match: when two translations are alike.
        side: the translation, or the reference to compare it with.

    Raises:
        NothingToMeasure: no term occurs twice in a document, or the translations of none are
            aligned.
    """
    term_occurrences = repeated_words(text) if terms is None else find_terms(text, terms)
    translations = list(_translations(text, alignment, term_occurrences, match, side))
    by_term: dict[tuple[str, Words], list[str]] = defaultdict(list)
    for occurrence, translation in zip(term_occurrences, translations, strict=True):
        if translation:
            document = text.sentences[occurrence.sentence].document
            by_term[document, occurrence.term].append(translation)
    chains = [
        _Chain(document, term, of_term)
        for (document, term), of_term in by_term.items()
        if len(of_term) > 1
    ]
    if not chains:
        raise NothingToMeasure(
            "no term occurs twice in a document with a translation that is aligned with it, so "
            "there is no consistency to measure",
            cure="Check the source language, where documents begin, and the alignment",
        )
    unaligned = sum(not translation for translation in translations)
    settings = "|".join(
        (
            f"lang:{text.source_language}-{text.target_language}",
            f"words:{text.splitting}",
            f"align:{alignment.method}",
            f"terms:{'repeated-words' if terms is None else len(terms)}",
            f"match:{match if match == 'exact' or has_stemmer(text.target_language) else 'exact'}",
            *([f"of:{side}"] if side != "hypothesis" else []),
        )
    )
    occurrences = [
        _row(text, occurrence, translation)
        for occurrence, translation in zip(term_occurrences, translations, strict=True)
    ]
    counts = {
        "terms": len(chains),
        "occurrences": sum(chain.occurrences for chain in chains),
        "unaligned": unaligned,
    }
    notes = _notes(unaligned, len(term_occurrences))
    scores = []
    for name, unit, right, possible in (
        ("LTCR", "pairs alike", "alike", "pairs"),
        ("most-frequent", "most frequent", "most_frequent", "occurrences"),
    ):
        rows = [(c.document, getattr(c, right), getattr(c, possible)) for c in chains]
        statistics = ratio_statistics(text.document_ids, rows, settings)
        reached, most = (round(total) for total in statistics.counts.sum(0))
        scores.append(
            DiscourseScore(
                name=name,
                score=statistics.score,
                documents=text.documents,
                sentences=len(text.sentences),
                settings=settings,
                statistics=statistics,
                counts={**counts, unit: reached, f"{unit} at most": most},
                parts=_parts(chains, right, possible),
                notes=notes,
                occurrences=occurrences,
            )
        )
    return scores


def term_accuracy(
    text: Text, terms: Sequence[Term], *, match: Match = "stem", side: Side = "hypothesis"
) -> DiscourseScore:
    """The share of the occurrences of terms with one of the listed translations in the sentence.
    For a term with n occurrences in a sentence, n translations are expected.

    Args:
        text: the sentences.
        terms: the terms; terms without a translation are left out.
        match: when a word of the translation is one of the term.
        side: the translation, or the reference to compare it with.

    Raises:
        InputError: no term has a translation, or no term with a translation occurs.
    """
    known = {term.words: term for term in terms if term.translations}
    if not known:
        raise InputError(
            "no term of the list has a translation",
            cure="Write a tab and the translation behind it",
        )
    expected: Counter[tuple[int, Words]] = Counter(
        (o.sentence, o.term) for o in find_terms(text, terms) if o.term in known
    )
    if not expected:
        raise NothingToMeasure(
            "none of the terms occurs in the source", cure="Check the source language and the terms"
        )
    by_term: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    rows: list[dict[str, Any]] = []
    for (number, words), count in expected.items():
        sentence = text.sentences[number]
        target = _normal(getattr(sentence, side), text.target_language, match)
        wanted = [_normal(t, text.target_language, match) for t in known[words].translations]
        right = min(count, _count_any(target, wanted))
        entry = by_term[" ".join(words)]
        entry[0] += right
        entry[1] += count
        rows.append(
            {
                "document": sentence.document,
                "sentence": sentence.number,
                "term": " ".join(words),
                "occurrences": count,
                "translated": right,
            }
        )
    settings = (
        f"lang:{text.source_language}-{text.target_language}|words:{text.splitting}"
        f"|terms:{len(known)}|match:{match}" + (f"|of:{side}" if side != "hypothesis" else "")
    )
    statistics = ratio_statistics(
        text.document_ids,
        [(row["document"], row["translated"], row["occurrences"]) for row in rows],
        settings,
    )
    return DiscourseScore(
        name="term-accuracy",
        score=statistics.score,
        documents=text.documents,
        sentences=len(text.sentences),
        settings=settings,
        statistics=statistics,
        counts={"terms": len(by_term), "occurrences": expected.total()},
        parts={
            term: (100 * right / count, count)
            for term, (right, count) in sorted(by_term.items(), key=lambda item: -item[1][1])
        },
        occurrences=rows,
    )


def _translations(
    text: Text, alignment: Alignment, occurrences: Sequence[Occurrence], match: Match, side: Side
) -> Iterator[str]:
    """The translation of each occurrence as it is compared; empty if it is aligned with nothing."""
    function_words = FUNCTION_WORDS.get(primary_language(text.target_language), frozenset())
    for occurrence in occurrences:
        target = getattr(text.sentences[occurrence.sentence], side)
        indices = {j for i, j in alignment.links[occurrence.sentence] if i in occurrence.indices}
        words = [target[j] for j in sorted(indices) if is_word(target[j])]
        content = [word for word in words if word.lower() not in function_words]
        yield " ".join(_normal(content or words, text.target_language, match))


def _normal(words: Sequence[str], language: str, match: Match) -> list[str]:
    """Words as they are compared."""
    return stem(words, language) if match == "stem" else [word.lower() for word in words]


def _count_any(words: Sequence[str], wanted: Sequence[Sequence[str]]) -> int:
    """Number of occurrences of several sequences of words, without overlap."""
    count = index = 0
    while index < len(words):
        length = next((len(w) for w in wanted if list(words[index : index + len(w)]) == [*w]), 0)
        count += length > 0
        index += length or 1
    return count


def _parts(chains: Sequence[_Chain], right: str, possible: str) -> Mapping[str, tuple[float, int]]:
    """The score of each term over all documents, with the number of occurrences, the most frequent
    term first."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for chain in chains:
        entry = sums[" ".join(chain.term)]
        entry[0] += getattr(chain, right)
        entry[1] += getattr(chain, possible)
        entry[2] += chain.occurrences
    return {
        term: (100 * reached / most, count)
        for term, (reached, most, count) in sorted(sums.items(), key=lambda item: -item[1][2])
    }


def _row(text: Text, occurrence: Occurrence, translation: str) -> dict[str, Any]:
    """An occurrence and the translation."""
    sentence = text.sentences[occurrence.sentence]
    return {
        "document": sentence.document,
        "sentence": sentence.number,
        "word": occurrence.indices[0] + 1,
        "term": " ".join(occurrence.term),
        "translation": translation,
    }


def _notes(unaligned: int, occurrences: int) -> tuple[str, ...]:
    """Return notes on reasons for misleading scores."""
    if 5 * unaligned <= occurrences:
        return ()
    return (
        f"{unaligned} of {counted(occurrences, 'occurrence')} of terms are aligned with no word of "
        "the translation and are left out; are terms missing in it, or is the alignment poor?",
    )
