"""Words of the regions of a language, by a small list of docmt's own (`regional_words.toml`).

`RegionalWords` writes the words of a region, such as Brazil's, where a model mixes them with those
of another one. Only words are replaced whose gender and number are the same, so that the words
around them stay right. `regions_note` tells a text with words of two regions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, pairwise

from docmt_files.base.documents import Document
from docmt_files.base.languages import language_tag, primary_subtag
from docmt_files.base.messages import Message
from docmt_files.base.packaged_tables import read_table
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.decorator import TranslatorDecorator
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Journal, Plan, ProgressCallback, Translator, request_of

_REGIONS = {"BR": "Brazil", "PT": "Europe", "US": "the United States", "GB": "Britain"}
"""The regions in words."""

_LISTED = 3
"""Number of words of a region in a note."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a region.

    Attributes:
        region: the region.
        others: the word of each other region, of the same gender and number.
        when: what an English source must have, so that the word is meant; None for nothing.
        only: the region whose words may take the place of others; None for all.
        told: True if no word takes the place of another.
    """

    region: str
    others: Mapping[str, str]
    when: re.Pattern[str] | None
    only: str | None
    told: bool

    def is_meant(self, source: str, language: str) -> bool:
        """True if the word is the one of the list, by the source sentence in a language."""
        if self.when is None:
            return True
        return primary_subtag(language) == "en" and self.when.search(source) is not None

    @property
    def is_evidence(self) -> bool:
        """True if the other regions do not use the word."""
        return self.only != self.region

    def replacement(self, region: str) -> str | None:
        """The word of a region to write in its place."""
        if self.told or self.only not in (None, region):
            return None
        return self.others.get(region)


@cache
def words_of(language: str) -> dict[str, Word]:
    """The words of the regions of a language, in lower case; empty for languages without a list."""
    found: dict[str, Word] = {}
    for entry in read_table("docmt.translating", "regional_words.toml").get(language, ()):
        regions = [key for key in entry if key in _REGIONS]
        when = entry.get("when")
        pattern = re.compile(rf"\b(?:{when})\b", re.IGNORECASE) if when else None
        for forms in zip(*(entry[region] for region in regions), strict=True):
            by_region = dict(zip(regions, forms, strict=True))
            for region, form in by_region.items():
                others = {key: word for key, word in by_region.items() if key != region}
                found[form.lower()] = Word(
                    region, others, pattern, entry.get("only"), entry.get("told", False)
                )
    return found


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Finds words, not within names of files, addresses and compounds."""
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(
        rf"(?<![\w./@\\_-])(?:{'|'.join(longest_first)})(?![\w@\\_-]|[./]\w)", re.IGNORECASE
    )


@dataclass(frozen=True)
class RegionalWords(TranslatorDecorator):
    """Writes words of a region in place of those of another one. Terms of a glossary and protected
    words stay as they are.

    Attributes:
        region: the region, such as `BR`.
    """

    region: str

    def fingerprint(self, request: TranslationRequest) -> str | None:
        known = self.translator.fingerprint(request)
        return None if known is None else f"{known} {self.region}"

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        wanted = request_of(request)
        kept = _kept(wanted)
        translations = self.translator.translate(request, progress=progress, journal=journal)
        return [
            translation.with_sentences(
                self._changed(sentence, kept | {word.lower() for word in source.protected})
                for sentence, source in zip(translation.sentences, document.sentences, strict=True)
            )
            for translation, document in zip(translations, wanted.sources, strict=True)
        ]

    def _changed(self, sentence: TranslatedSentence, kept: set[str]) -> TranslatedSentence:
        edits = list(self._edits(sentence.source, sentence.target, kept))
        changed = sentence.with_targets(
            lambda text: _edited(text, list(self._edits(sentence.source, text, kept)))
        )
        codes = tuple(_moved(offset, edits) for offset in sentence.codes)
        return replace(changed, codes=codes)

    def _edits(self, source: str, target: str, kept: set[str]) -> Iterator[tuple[int, int, str]]:
        """The words to replace in a translation: begin, end, and the other word."""
        source_language, language = self.languages
        words = words_of(primary_subtag(language))
        for match in _pattern(tuple(words)).finditer(target):
            word = words[match[0].lower()]
            other = word.replacement(self.region)
            if (
                other is not None
                and word.region != self.region
                and not any(match[0].lower() in text for text in kept)
                and word.is_meant(source, source_language)
            ):
                yield match.start(), match.end(), _in_case_of(match[0], other)


def with_region(translator: Translator, target: str) -> Translator:
    """The translator with the words of a region, if the target language names one that has a list
    with words to replace, such as `pt-BR`."""
    region, written = region_of(target), translator.languages[1]
    if primary_subtag(written) != primary_subtag(target) or not has_words(target, region):
        return translator
    return RegionalWords(translator, region)


def has_words(language: str, region: str) -> bool:
    """True if the list has words to write in a region of a language."""
    return any(word.replacement(region) for word in words_of(primary_subtag(language)).values())


def region_of(language: str) -> str:
    """The region of a language, such as `BR`; empty for none."""
    last = language_tag(language).upper().rpartition("-")[2]
    return last if last in _REGIONS and last != language.upper() else ""


def regions_note(languages: tuple[str, str], translations: Sequence[Translation]) -> Iterator[str]:
    """A note on translations with words of two regions.

    Args:
        languages: the source and the target language.
    """
    language = primary_subtag(languages[1])
    words = words_of(language)
    text = "\n".join(chain(*(each.target for each in translations))).lower()
    # The pattern of all words takes longer than a short translation.
    present = tuple(word for word in words if word in text)
    if not present:
        return
    pattern = _pattern(present)
    counts: dict[str, Counter[str]] = {}
    for translation in translations:
        for sentence in translation.sentences:
            for match in pattern.finditer(sentence.target):
                word = words[match[0].lower()]
                if word.is_evidence and word.is_meant(sentence.source, languages[0]):
                    counts.setdefault(word.region, Counter())[match[0].lower()] += 1
    for (one, first), (other, second) in pairwise(sorted(counts.items())):
        cure = ""
        if has_words(language, one):
            cure = f"; `to` {language}-{one} or {language}-{other} writes those of one of both"
        text = (
            f"words of two regions: of {_REGIONS[one]} ({_listed(first)}), and of "
            f"{_REGIONS[other]} ({_listed(second)}){cure}"
        )
        yield Message(text, ["to"])


def _listed(counts: Counter[str]) -> str:
    """The most frequent words, with how often they occur."""
    return ", ".join(f"{word} {number:,}" for word, number in counts.most_common(_LISTED))


def _kept(request: TranslationRequest) -> set[str]:
    """The translations that a glossary requires, in lower case."""
    terms = () if request.glossary is None else request.glossary.terms
    return {form.lower() for term in terms for form in term.target}


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """A text with parts replaced."""
    for begin, end, other in reversed(edits):
        text = text[:begin] + other + text[end:]
    return text


def _moved(offset: int, edits: Sequence[tuple[int, int, str]]) -> int:
    """An offset in a text after parts were replaced. One within a part goes to its end."""
    moved = offset
    for begin, end, other in edits:
        if offset >= end:
            moved += len(other) - (end - begin)
        elif offset > begin:
            moved += begin + len(other) - offset
    return moved


def _in_case_of(word: str, other: str) -> str:
    """Another word with the capitals of a word."""
    if len(word) > 1 and word.isupper():
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other
