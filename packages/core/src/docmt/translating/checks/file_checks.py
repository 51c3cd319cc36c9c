"""`check_file`: what a person should look at in a translated file, whoever translated it.

The checks of single sentences are those of every translation
(`docmt_nmt.translators.checks.translation_checks`). Checks of whole files stand here: inline codes,
terms, lengths, and texts that are translated in two ways or as another text is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import regex

from docmt.translating.checks.acronym_checks import lost_acronyms
from docmt.translating.checks.copy_checks import copied_run, short_copies
from docmt.translating.checks.length_checks import unusual_lengths
from docmt.translating.checks.punctuation_checks import (
    ending_difference,
    lost_capital,
    punctuation_differences,
    space_differences,
)
from docmt.translating.checks.string_checks import (
    space_differences_of_strings,
    tag_differences,
    without_tags,
)
from docmt.translating.checks.text_pairs import CheckedFile, TextPair
from docmt_files.base.documents import Document
from docmt_files.base.packaged_tables import read_table
from docmt_files.base.wording import counted, first_few
from docmt_nmt.text.scripts import find_script
from docmt_nmt.translators.checks.translation_checks import CheckThresholds, check_translation
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.term_uses import find_uses, missing_uses

_MIN_WORDS = 3
"""Shorter texts may well be translated as another text is: *Delete* and *Remove*."""

_MIN_VALUES = 20
"""From fewer log-probabilities, nothing usual is learned."""

_MAX_DEVIATIONS, _MEDIAN_DISTANCE = 2.0, 0.6745
"""How far a usual value is from the median, and the median distance from it, in standard deviations
of a normal distribution."""

_MIN_STEM = 3
"""The least letters of a word before its ending."""

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’-]*")
_SHOWN = 60
"""The most characters of a code in a detail."""

_NOT_WORDS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


class CheckKind(NamedTuple):
    """A check.

    Attributes:
        name: the name.
        words: what is wrong with a text, in words.
        wrong, right: of translations by the bundled model with this finding, how many people have
            labeled as wrong and as right; 0 if the check was not measured.
    """

    name: str
    words: str
    wrong: int = 0
    right: int = 0

    @property
    def precision(self) -> str:
        """The measured precision in words; empty if there is none."""
        return f"{self.wrong} of {self.wrong + self.right}" if self.wrong else ""


CHECKS = {
    row["name"]: CheckKind(**row)
    for row in read_table("docmt.translating.checks", "check_kinds.toml")["check"]
}
"""The checks by name, in the order of importance."""


class Finding(NamedTuple):
    """Something to look at.

    Attributes:
        file: the translated file.
        place: where a person finds it in the file.
        check: the name of the check.
        detail: the words, numbers or codes in question.
        source: the source sentence or text.
        target: its translation.
        is_measured: whether the measured precision of the check holds for it.
    """

    file: str
    place: str
    check: str
    detail: str
    source: str
    target: str
    is_measured: bool = True

    @property
    def precision(self) -> str:
        """The measured precision of the check; empty if there is none."""
        return CHECKS[self.check].precision if self.is_measured else ""


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """How files are checked.

    Attributes:
        languages: the codes of the source and the target language.
        glossary: terms that translations must have.
        max_length: the most characters of every text, where the file names none.
        thresholds: what is unusual. Default: wide ones.
        log_probabilities: gives the mean log-probability per token of each sentence; the thresholds
            must have the least usual one.
        checks: the names of the checks to make.
    """

    languages: tuple[str, str]
    glossary: Glossary | None = None
    max_length: int | None = None
    thresholds: CheckThresholds | None = None
    log_probabilities: Callable[[Document], Sequence[float]] | None = None
    checks: frozenset[str] = frozenset(CHECKS)


def check_file(file: CheckedFile, settings: CheckSettings) -> list[Finding]:
    """Check a file.

    Args:
        file: the file and its translation.
        settings: how to check.

    Returns:
        The findings, in the order of the file.
    """
    work = _Checker(file, settings)
    found = [
        (index, Finding(file.name, file.pairs[index].place, check, detail, *texts, *is_measured))
        for index, check, detail, texts, *is_measured in work.findings()
        if check in settings.checks
    ]
    order = {name: position for position, name in enumerate(CHECKS)}
    found.sort(key=lambda item: (item[0], order[item[1].check]))
    found = _first_of_kind(found)
    extra = [Finding(file.name, place, "extra", "", "", text) for place, text in file.extra]
    return [finding for _, finding in found] + (extra if "extra" in settings.checks else [])


def _first_of_kind(found: Sequence[tuple[int, Finding]]) -> list[tuple[int, Finding]]:
    """Findings without those of a text whose check has found the same fault of it by another
    measure."""
    kept: dict[tuple[int, str, str], tuple[int, Finding]] = {}
    for index, finding in found:
        one = finding.check in _ONCE
        key = index, finding.check, "" if one else f"{finding.source}\n{finding.detail}"
        kept.setdefault(key, (index, finding))
    return list(kept.values())


_ONCE = frozenset({"too-short", "too-long", "copy"})
"""Checks with several measures."""

_Found = tuple[int, str, str, tuple[str, str]] | tuple[int, str, str, tuple[str, str], bool]
"""The index of a text, the name of the check, the detail, both texts, and `is_measured`."""


@dataclass(frozen=True, slots=True)
class _Checker:
    """Checks one file."""

    file: CheckedFile
    settings: CheckSettings

    def findings(self) -> Iterator[_Found]:
        """All findings, check by check."""
        yield from self._sentences()
        for index, pair in enumerate(self.file.pairs):
            texts = pair.source, pair.target
            if not pair.target.strip():
                yield index, "empty", "", texts
                continue
            for check, detail in self._of_pair(pair):
                yield index, check, detail, texts
        yield from self._lengths()
        yield from self._acronyms()
        yield from self._copies()
        if not self.file.is_dialogue:
            yield from self._inconsistent()
            yield from self._same_translations()

    def _sentences(self) -> Iterator[_Found]:
        """The findings about single sentences."""
        owners = [i for i, pair in enumerate(self.file.pairs) if pair.target.strip()]
        indices = [i for i in owners for _ in self.file.pairs[i].sentences]
        sentences = [s for i in owners for s in self.file.pairs[i].sentences]
        if not sentences:
            return
        plain = [s for i in owners for s in self.file.pairs[i].plain]
        document = Document(self.file.name, *map(tuple, zip(*plain, strict=True)))
        languages, improbable = self.settings.languages, self.settings.log_probabilities
        thresholds = self.settings.thresholds or CheckThresholds.default(languages)
        values = improbable(document) if improbable and "improbable" in self.settings.checks else ()
        usual = thresholds.min_log_probability
        least = _least_usual(values, usual) if values else None
        thresholds = thresholds.model_copy(update={"min_log_probability": least})
        copied = set()
        for warning in check_translation(document, thresholds, languages, log_probabilities=values):
            texts = sentences[warning.sentence]
            copied.update([warning.sentence] if warning.kind == "copy" else [])
            if warning.kind == "wrong-script" and _is_copied(
                warning.detail, *plain[warning.sentence]
            ):
                continue
            is_measured = warning.kind != "improbable" or least == usual
            yield indices[warning.sentence], warning.kind, warning.detail, texts, is_measured
        for number, (source, target) in enumerate(sentences):
            if number not in copied and source == target and _is_text(plain[number][0]):
                yield indices[number], "copy", "the same as the source", (source, target)
            for detail in self._missing_terms(source, target):
                yield indices[number], "terms", detail, (source, target)

    def _missing_terms(self, source: str, target: str) -> Iterator[str]:
        """The terms that a sentence lacks."""
        if self.settings.glossary is None or "terms" not in self.settings.checks:
            return
        for use in missing_uses(find_uses(self.settings.glossary, source), target):
            yield f"{use.term.source[0]}: {' or '.join(use.forms)} is missing"

    def _of_pair(self, pair: TextPair) -> Iterator[tuple[str, str]]:
        """The checks of a text and its translation, and their details."""
        lost, new = (list((a - b).elements()) for a, b in _both_ways(*map(Counter, pair.codes)))
        if lost or new:
            said = [
                f"{first_few([code[:_SHOWN] for code in each], 5)} {done}"
                for each, done in ((lost, "lost"), (new, "added"))
                if each
            ]
            yield "codes", ", ".join(said)
        elif any(pair.raw):
            yield from (("codes", detail) for detail in tag_differences(*pair.raw))
        yield from self._punctuation(pair)
        limit = pair.max_length or self.settings.max_length
        if limit is not None and len(pair.target) > limit:
            yield "length", f"{counted(len(pair.target), 'character')}, allowed are {limit:,}"

    def _punctuation(self, pair: TextPair) -> Iterator[tuple[str, str]]:
        """Findings about the punctuation and the spaces of a text."""
        if self.file.is_dialogue or not self.file.has_whole_texts:
            return
        language = self.settings.languages[1]
        source, target = pair.plain_source, pair.plain_target
        own, theirs = map(without_tags, pair.raw) if any(pair.raw) else (pair.source, pair.target)
        if ending := ending_difference(own, theirs, language):
            yield "ending", ending
        for detail in punctuation_differences(source, target, language):
            yield "punctuation", detail
        spaces = list(space_differences(source, target, language))
        if any(pair.raw):
            spaces += space_differences_of_strings(*pair.raw, language)
        if spaces:
            yield "spaces", ", ".join(spaces)
        if word := lost_capital(source, target):
            yield "capitals", word

    def _lengths(self) -> Iterator[_Found]:
        """Texts that are much shorter or longer than others of the file."""
        pairs = [(pair.plain_source, pair.plain_target) for pair in self.file.pairs]
        for index, name, detail in unusual_lengths(pairs):
            pair = self.file.pairs[index]
            yield index, name, detail, (pair.source, pair.target), False

    def _acronyms(self) -> Iterator[_Found]:
        """Texts whose translations lack acronyms."""
        pairs = [(pair.plain_source, pair.plain_target) for pair in self.file.pairs]
        for index, detail in lost_acronyms(pairs, self.settings.languages):
            pair = self.file.pairs[index]
            if pair.target.strip():
                yield index, "names", detail, (pair.source, pair.target), False

    def _copies(self) -> Iterator[_Found]:
        """Short texts, and parts of longer ones, that are in the source language."""
        languages = self.settings.languages
        pairs = [(pair.plain_source, pair.plain_target) for pair in self.file.pairs]
        found = dict(short_copies(pairs, languages))
        for index, pair in enumerate(self.file.pairs):
            detail = found.get(index) or copied_run(*pairs[index], languages)
            if detail:
                yield index, "copy", detail, (pair.source, pair.target)

    def _inconsistent(self) -> Iterator[_Found]:
        """Texts with several translations, but for those with the most frequent one."""
        for indices in self._grouped(lambda pair: pair.source, min_words=1):
            written = [_folded(self.file.pairs[index].target) for index in indices]
            usual, count = Counter(written).most_common(1)[0]
            if count == len(indices):
                continue
            example = self.file.pairs[indices[written.index(usual)]]
            for index, own in zip(indices, written, strict=True):
                if own != usual:
                    pair = self.file.pairs[index]
                    detail = (
                        f"{count:,} of {len(indices):,} have: {example.target} ({example.place})"
                    )
                    yield index, "inconsistent", detail, (pair.source, pair.target)

    def _same_translations(self) -> Iterator[_Found]:
        """Texts with the translation of another text."""
        for indices in self._grouped(lambda pair: pair.target, min_words=_MIN_WORDS):
            sources = {_folded(self.file.pairs[index].source): index for index in reversed(indices)}
            first = self.file.pairs[indices[0]]
            for source, index in sources.items():
                if not _is_form(source, _folded(first.source)):
                    pair = self.file.pairs[index]
                    detail = f"also of: {first.source} ({first.place})"
                    yield index, "same-translation", detail, (pair.source, pair.target)

    def _grouped(self, side: Callable[[TextPair], str], *, min_words: int) -> Iterator[list[int]]:
        """The indices of pairs with the same text on a side, where there are several. Of one
        place, such as an entry with plural forms, the first pair counts."""
        groups: dict[tuple[str, str], dict[str, int]] = {}
        for index, pair in enumerate(self.file.pairs):
            text = side(pair)
            if pair.target.strip() and len(_WORD.findall(text)) >= min_words:
                key = _folded(text), pair.context
                groups.setdefault(key, {}).setdefault(pair.place, index)
        return (list(places.values()) for places in groups.values() if len(places) > 1)


def _least_usual(values: Sequence[float], usual: float | None) -> float | None:
    """The least usual log-probability per token. A system finds the translations of people less
    probable than its own, so of many sentences those count that are far below the others: two
    standard deviations, as the median distance from the median shows them. None if it is not known.
    """
    if len(values) < _MIN_VALUES:
        return usual
    middle = median(values)
    spread = median(abs(value - middle) for value in values) / _MEDIAN_DISTANCE
    least = middle - _MAX_DEVIATIONS * spread
    return least if usual is None else min(least, usual)


def _both_ways(
    own: Counter[str], theirs: Counter[str]
) -> Iterator[tuple[Counter[str], Counter[str]]]:
    yield own, theirs
    yield theirs, own


def _is_form(text: str, other: str) -> bool:
    """Return whether two folded texts are the same, or the singular and plural of one: their words
    differ in up to two letters at the end."""
    words, others = text.split(), other.split()
    return len(words) == len(others) and all(
        a == b or a[: _stem_length(a, b)] == b[: _stem_length(a, b)]
        for a, b in zip(words, others, strict=True)
    )


def _stem_length(word: str, other: str) -> int:
    return max(_MIN_STEM, len(word) - 2, len(other) - 2)


def _is_copied(detail: str, source: str, target: str) -> bool:
    """Return whether all words of a script, named at the beginning of a detail, are in the source,
    too, as the names of programs are."""
    for word in sorted(_WORD.findall(source), key=len, reverse=True):
        target = target.replace(word, " ")
    return not find_script(target, detail.partition(":")[0])


def _is_text(text: str) -> bool:
    """Return whether a text has three words or more, not all of them short or with capitals."""
    words = _WORD.findall(text)
    return len(words) >= _MIN_WORDS and any(word.islower() and len(word) > 2 for word in words)


def _folded(text: str) -> str:
    """A text without case, white space and punctuation."""
    return str(_NOT_WORDS.sub(" ", text.casefold())).strip()


def summary(findings: Sequence[Finding]) -> str:
    """The number of findings of each check, in words."""
    counts = Counter(finding.check for finding in findings)
    listed = ", ".join(f"{name} ({counts[name]:,})" for name in CHECKS if counts[name])
    return f"{counted(len(findings), 'finding')}{': ' if listed else ''}{listed}"
