"""Checks of single translated sentences without a reference. A warning says that a sentence is too
short or too long for the source, repeats itself, copies the source, has characters of the wrong
script, is in another language, has other numbers and symbols than the source
(`content_checks`), lacks a name (`name_checks`), or is improbable to the system itself.

Unusual values depend on the languages and the text. The thresholds are therefore learned from the
training split during preparation: quantiles of four measures, by the length of the sentence. The
thresholds are kept in the run directory. `CheckThresholds.default` is for a run without thresholds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from pydantic import model_validator

from docmt_files.base.documents import Document, WarningKind
from docmt_files.base.languages import primary_subtag
from docmt_files.base.wording import counted
from docmt_nmt.base.settings import Settings
from docmt_nmt.base.translations import DocumentWarning
from docmt_nmt.text.language_detection import language_name, other_language_of_sentence
from docmt_nmt.text.scripts import (
    character_density,
    count_scripts,
    find_script,
    scripts_of_language,
)
from docmt_nmt.translators.checks.addition_checks import (
    bracket_differences,
    doubled_words,
    repeats_in_a_row,
    sentence_difference,
)
from docmt_nmt.translators.checks.content_checks import (
    differing_content,
    emptied_pairs,
    without_addresses,
)
from docmt_nmt.translators.checks.identifier_checks import lost_identifiers
from docmt_nmt.translators.checks.name_checks import lost_names
from docmt_nmt.translators.checks.negation_checks import differing_negation
from docmt_nmt.translators.checks.number_forms import foreign_numbers, other_units

LENGTHS = (0, 8, 16, 32, 64, 128, 256, 512)
"""Minimum characters of the length classes, each with separate thresholds."""

_COLONS = (":", "\uff1a")
_INTRODUCES = re.compile('[:\uff1a"\u201c\u201e\u00ab\u2018\u300c]')
"""A colon or quotation mark, after which a sentence goes on."""

LONG = 32
"""The least characters of a long sentence, whose measures vary less."""

_NGRAM = 8
"""Length of the compared n-grams, in characters."""

MIN_LETTERS = 10
"""Sentences with fewer letters may be in any script of the target side."""


class CheckThresholds(Settings):
    """Thresholds beyond which a sentence pair is unusual. Lists have a value for each class of
    sentences, by their characters: of the source for ratios and copies, of the target for
    repetition."""

    sentences: int = 0
    """Number of sentence pairs from which the thresholds were learned; 0 for the defaults."""

    lengths: tuple[int, ...] = LENGTHS
    """The least characters of a sentence of each class, in ascending order from 0."""

    min_length_ratio: tuple[float, ...]
    """The least characters of the target per character of the source; see `length_ratio`."""

    max_length_ratio: tuple[float, ...]
    """The most characters of the target per character of the source."""

    max_repetition: tuple[float, ...]
    """The greatest repetition rate; see `repetition_rate`."""

    max_copy: tuple[float, ...]
    """The greatest copy rate; see `copy_rate`."""

    max_script_share: dict[str, float] | None
    """The scripts of the target side, each with the greatest share of the letters of a sentence of
    ten letters or more. None if they are not known."""

    source_scripts: tuple[str, ...] = ()
    """The scripts of the source side. Characters of another script may be copied from a source
    sentence, such as a Greek letter from English."""

    translated_words: str = ""
    """The stems of the source words that the corpus translates, with spaces between them; empty if
    they are not known. Other words with a capital are names; see
    `docmt_nmt.translators.checks.name_checks`."""

    min_log_probability: float | None = None
    """The least usual mean log-probability per token of a translation; None if it is not known. See
    `docmt_nmt.decoding.calibration`."""

    @model_validator(mode="after")
    def _check_classes(self) -> CheckThresholds:
        """Require thresholds for every class."""
        if not self.lengths or self.lengths[0] != 0 or list(self.lengths) != sorted(self.lengths):
            raise ValueError("lengths must ascend from 0")
        for name in ("min_length_ratio", "max_length_ratio", "max_repetition", "max_copy"):
            if len(getattr(self, name)) != len(self.lengths):
                raise ValueError(f"{name} must have as many values as lengths")
        return self

    @classmethod
    def default(cls, languages: tuple[str, str]) -> CheckThresholds:
        """The thresholds of a run with an unknown corpus, such as an imported run.

        They are wide: a sentence of 32 characters or more may be between a third and three times as
        long as expected by the scripts of the two languages, and 70 % of a long one may stand in
        the source.

        Args:
            languages: the codes of the source and the target language.
        """
        source, target = (scripts_of_language(language) for language in languages)
        expected = character_density(target) / character_density(source)
        factors = [10.0 if length < 16 else 5.0 if length < LONG else 3.0 for length in LENGTHS]
        same = primary_subtag(languages[0]) == primary_subtag(languages[1])
        copies = [1.0 if same or n < LONG else 0.9 if n < 64 else 0.7 for n in LENGTHS]
        shares = dict.fromkeys(target, 1.0)
        return cls(
            min_length_ratio=tuple(expected / factor for factor in factors),
            max_length_ratio=tuple(expected * factor for factor in factors),
            max_repetition=tuple(0.5 if length < LONG else 0.3 for length in LENGTHS),
            max_copy=tuple(copies),
            # Names and numbers of products are often Latin, in every language.
            max_script_share={"Latin": 0.5} | shares if target else None,
            source_scripts=source,
        )


def check_translation(
    document: Document,
    thresholds: CheckThresholds,
    languages: tuple[str, str],
    *,
    truncated: Sequence[int] = (),
    log_probabilities: Sequence[float] = (),
    checked: Collection[int] | None = None,
) -> tuple[DocumentWarning, ...]:
    """Return warnings about unusual sentences of a translated document.

    Args:
        document: the source and the translation.
        thresholds: the thresholds of the run that translated.
        languages: the codes of the source and the target language.
        truncated: the indices, from 0, of the sentences truncated by the search.
        log_probabilities: the mean log-probability per token of each sentence, if known.
        checked: the indices of the sentences to check; the others are only read for names.
            Default: all.

    Returns:
        The warnings in the order of the sentences; a sentence may have several. A source sentence
        without letters and digits has none.
    """
    assert document.target is not None
    warnings: list[DocumentWarning] = []
    cut_off = set(truncated)
    translated = frozenset(thresholds.translated_words.split())
    names = dict(lost_names(document, languages, translated))
    least = thresholds.min_log_probability
    for index, (source, target) in enumerate(zip(document.source, document.target, strict=True)):
        if checked is not None and index not in checked:
            continue
        if index in cut_off:
            detail = "cut off at the maximum length of the search"
            warnings.append(DocumentWarning(index, "truncated", detail))
        if any(map(str.isalnum, source)):
            problems = _check_sentence(source, target, thresholds, languages)
            warnings += [DocumentWarning(index, kind, detail) for kind, detail in problems]
        if index in names:
            warnings.append(DocumentWarning(index, "names", f"{names[index]} lost"))
        if least is not None and log_probabilities and log_probabilities[index] < least:
            detail = f"{log_probabilities[index]:.2f} per token, usual is {least:.2f} or more"
            warnings.append(DocumentWarning(index, "improbable", detail))
    return tuple(warnings)


def length_ratio(source: str, target: str) -> float:
    """Characters of a translation per character of the source. Four are added to both numbers,
    because short sentences differ more."""
    return (len(target) + 4) / (len(source) + 4)


def repetition_rate(source: str, target: str) -> float:
    """The share of the character 8-grams of a translation that occurred earlier in the translation,
    minus the same share of the source, as the source may repeat itself."""
    return max(0.0, _repeated(target) - _repeated(source))


def copy_rate(source: str, target: str) -> float:
    """The share of the character 8-grams of a translation found in the source. Of a shorter
    translation: 1 if both are the same, else 0."""
    ngrams = _ngrams(target)
    if not ngrams:
        return float(source == target)
    return sum(map(set(_ngrams(source)).__contains__, ngrams)) / len(ngrams)


def _check_sentence(
    source: str, target: str, thresholds: CheckThresholds, languages: tuple[str, str]
) -> Iterator[tuple[WarningKind, str]]:
    """The kind and the details of everything unusual about a sentence pair."""
    yield from _content_problems(source, target, languages)
    if script := _wrong_script(source, target, thresholds):
        yield "wrong-script", f"{script}: {find_script(target, script)[:20]}"
    elif other := other_language_of_sentence(source, target, languages[1]):
        yield "other-language", language_name(other)
    if emptied := emptied_pairs(source, target):
        yield "too-short", f"nothing within {', '.join(emptied)}"
    source, target = normalized(source), normalized(target)
    by_source = class_of(source, thresholds.lengths)
    by_target = class_of(target, thresholds.lengths)
    ratio = length_ratio(source, target)
    detail = f"{counted(len(target), 'character')} for {len(source):,}"
    if not target or ratio < thresholds.min_length_ratio[by_source]:
        yield "too-short", detail
    elif _stops_at_colon(source, target):
        yield "too-short", "nothing after the colon"
    if ratio > thresholds.max_length_ratio[by_source]:
        yield "too-long", detail
    if _repeated(target):
        repeated = repetition_rate(source, target)
        if phrase := repeats_in_a_row(source, target):
            yield "repetition", f"again and again: {phrase}"
        elif repeated > thresholds.max_repetition[by_target]:
            yield "repetition", f"{repeated:.0%} of it repeats"
    source, target = map(normalized, map(without_addresses, (source, target)))
    by_source = class_of(source, thresholds.lengths)
    if (copied := copy_rate(source, target)) > thresholds.max_copy[by_source]:
        yield "copy", f"{copied:.0%} of it is in the source"


@lru_cache(maxsize=8192)
def _content_problems(
    source: str, target: str, languages: tuple[str, str]
) -> tuple[tuple[WarningKind, str], ...]:
    """The kind and the details of what one of both sides has. Repairs look at the same sentences
    again."""
    return tuple(_differences(source, target, languages))


def _differences(
    source: str, target: str, languages: tuple[str, str]
) -> Iterator[tuple[WarningKind, str]]:
    yield from differing_content(source, target)
    if lost := lost_identifiers(source, target):
        yield "symbols", f"{', '.join(lost)} lost"
    if numbers := list(foreign_numbers(source, target, languages)):
        yield "numbers", f"in the form of the source language: {', '.join(numbers)}"
    if units := list(other_units(source, target)):
        yield "numbers", ", ".join(units)
    if brackets := list(bracket_differences(source, target)):
        yield "brackets", ", ".join(brackets)
    doubled = doubled_words(source, target, languages[1])
    if doubled and not repeats_in_a_row(source, target):
        yield "repetition", f"twice in succession: {doubled}"
    if sentences := sentence_difference(source, target, languages):
        yield "sentences", sentences
    if negation := differing_negation(source, target, languages):
        yield "negation", negation


def _stops_at_colon(source: str, target: str) -> bool:
    """Return whether a translation ends in a colon, and its source, which has a word, goes on after
    a colon or a quotation mark within it."""
    if not target.endswith(_COLONS) or source.endswith(_COLONS):
        return False
    begins = next(index for index, character in enumerate(source) if character.isalnum())
    return _INTRODUCES.search(source, begins) is not None


def _wrong_script(source: str, target: str, thresholds: CheckThresholds) -> str | None:
    """A script of which a translation has more than is usual."""
    shares = thresholds.max_script_share
    if shares is None:
        return None
    counts = count_scripts(target)
    letters = counts.total()
    for script, count in counts.items():
        if script in shares and (letters < MIN_LETTERS or count <= shares[script] * letters):
            continue
        if script in thresholds.source_scripts or not find_script(source, script):
            return script
    return None


def normalized(sentence: str) -> str:
    """A sentence in lower case, with single spaces."""
    return " ".join(sentence.lower().split())


@lru_cache(maxsize=2)
def _ngrams(text: str) -> tuple[str, ...]:
    """The n-grams of a text. Several measures of a sentence pair use them."""
    return tuple(text[start : start + _NGRAM] for start in range(len(text) - _NGRAM + 1))


def _repeated(text: str) -> float:
    """The share of the n-grams of a text that occurred before."""
    ngrams = _ngrams(text)
    return 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0


def class_of(text: str, lengths: Sequence[int]) -> int:
    """The index of the class of a text."""
    return bisect_right(lengths, len(text)) - 1
