"""Recurring terms of a document and their translations, for consistent translation
(`consistent_terms`).

A wrong term does more harm than an inconsistent one, so only clear occurrences count. An occurrence
is a content word linked in both directions with a content word of the translation; its neighbors
have translations of their own, so it is not half of a compound. Two consecutive content words
linked with the same word are a compound. In German the translation is a noun, whose forms differ
little, and not the first word of its sentence, which is always capitalized. Translations are alike
if they begin alike or one is part of the other, as inflected forms and compounds are.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from docmt.alignment.aligned_sentence import AlignedSentence
from docmt_files.base.languages import primary_language
from docmt_nmt.base.translations import RecurringTerm, TermTranslation

MIN_SENTENCES = 3
"""Minimum number of sentences with a recurring term."""

_MIN_LETTERS = 4
"""Minimum number of letters of a word of a term."""

_STEM = 5
"""Words with this many initial letters in common are alike."""

_MIN_SHARE = 2
"""Minimum share of sentences with the most frequent translation."""

_MIN_WEIGHT = 0.2
"""Minimum share of attention of a link."""


class _Occurrence(NamedTuple):
    """A term in a sentence, and the translation there."""

    sentence: int
    source: str
    target: str


def recurring_terms(
    aligned: Sequence[AlignedSentence],
    log_probabilities: Sequence[float],
    languages: tuple[str, str],
    function_words: tuple[frozenset[str], frozenset[str]],
    *,
    least: int = 2,
) -> list[RecurringTerm]:
    """The recurring terms of a document with several translations, in order of first occurrence.

    Args:
        aligned: the sentences.
        log_probabilities: the mean log-probability per token of the translation of each
            sentence.
        languages: the codes of the source and of the target language.
        function_words: words of both languages, in lower case, never used as terms.
        least: the least number of translations.
    """
    occurrences_by_term: dict[str, list[_Occurrence]] = defaultdict(list)
    for number, sentence in enumerate(aligned):
        for occurrence in _occurrences(number, sentence, languages, function_words):
            occurrences_by_term[occurrence.source.lower()].append(occurrence)
    terms = []
    for occurrences in occurrences_by_term.values():
        translations = _translations(occurrences, log_probabilities)
        sentences = {occurrence.sentence for occurrence in occurrences}
        if (
            len(sentences) >= MIN_SENTENCES
            and len(translations) >= least
            and len(translations[0].sentences) >= _MIN_SHARE
        ):
            source = Counter(occurrence.source for occurrence in occurrences)
            terms.append(RecurringTerm(source.most_common(1)[0][0], translations))
    return terms


def alike(first: str, second: str) -> bool:
    """Return whether two words are forms of the same word, or one is part of the other."""
    short, long = sorted((_folded(first), _folded(second)), key=len)
    return short in long or (len(short) >= _STEM and short[:_STEM] == long[:_STEM])


def _folded(word: str) -> str:
    """A word without case and diacritics, which may change with inflection."""
    decomposed = unicodedata.normalize("NFD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _occurrences(
    number: int,
    sentence: AlignedSentence,
    languages: tuple[str, str],
    function_words: tuple[frozenset[str], frozenset[str]],
) -> Iterator[_Occurrence]:
    """The terms of a sentence with clear translations."""
    source, target, weights = sentence.source, sentence.target, sentence.weights
    if not weights.size:
        return
    target_of, source_of = weights.argmax(1).tolist(), weights.argmax(0).tolist()
    is_linked = [
        source_of[j] == i and weights[i, j] >= _MIN_WEIGHT for i, j in enumerate(target_of)
    ]
    is_content = [_is_content(word, function_words[0]) for word in source]
    nouns_only = primary_language(languages[1]) == "de"

    def is_translation(index: int) -> bool:
        capital = index > 0 and target[index][0].isupper()
        return _is_content(target[index], function_words[1]) and (capital or not nouns_only)

    for index, word in enumerate(source):
        if not is_content[index] or not is_translation(target_of[index]):
            continue
        beside = [i for i in (index - 1, index + 1) if 0 <= i < len(source) and is_content[i]]
        if is_linked[index] and all(is_linked[i] for i in beside):
            yield _Occurrence(number, word, target[target_of[index]])
        elif (
            index + 1 in beside
            and target_of[index] == target_of[index + 1]
            and (is_linked[index] or is_linked[index + 1])
        ):
            pair = f"{word} {source[index + 1]}"
            yield _Occurrence(number, pair, target[target_of[index]])


def _is_content(word: str, function_words: frozenset[str]) -> bool:
    """Return whether a word may be a term."""
    return len(word) >= _MIN_LETTERS and word.isalpha() and word.lower() not in function_words


def _translations(
    occurrences: Sequence[_Occurrence], log_probabilities: Sequence[float]
) -> tuple[TermTranslation, ...]:
    """The translations of a term that are not alike, the most frequent first."""
    counts = Counter(occurrence.target for occurrence in occurrences)
    groups: list[list[str]] = []
    for form in sorted(counts, key=lambda form: (-counts[form], form)):
        group = next((g for g in groups if any(alike(form, other) for other in g)), None)
        if group is None:
            groups.append([form])
        else:
            group.append(form)
    made = []
    for forms in groups:
        sentences = sorted({o.sentence for o in occurrences if o.target in forms})
        log_probability = fmean(log_probabilities[sentence] for sentence in sentences)
        made.append(TermTranslation(tuple(forms), tuple(sentences), log_probability))
    made.sort(key=lambda t: (-len(t.sentences), -t.log_probability, t.forms))
    return tuple(made)
