"""Words with characters that the source vocabulary lacks, such as `£25` and `André`, come out as
they went in.

A system reads such a character as `<unk>`, or as bytes. Many bytes are rare in training, and the
system writes something else; others are learned with the names around them. So a sentence is
translated unchanged first if bytes can spell the words. If the translation lacks one of the words,
the sentence is translated again with a *stand-in* for each, such as `25` or `Andre`: a word in the
vocabulary, written by search as often as in the source, and replaced by the kept word afterwards.
Without a stand-in, or with a different count in the translation, the word is taken out of the
sentence and placed by the order of words, like a code. A warning marks every word whose place is
uncertain.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain

import regex

from docmt_files import apply_patches, has_letter, has_word, mask, place_codes, unmask
from docmt_files.base.documents import Sentence, WarningKind
from docmt_nmt.base.translations import DocumentWarning
from docmt_nmt.text import Pipeline
from docmt_nmt.text.missing_words import missing_words
from docmt_nmt.text.scripts import count_scripts, scripts_of_language
from docmt_nmt.text.spellings import Span
from docmt_nmt.translators.glossary import Glossary

MISSING: WarningKind = "missing-characters"
"""The kind of the warnings."""

_PLACEHOLDERS, _NAMES = ("{0}", "{1}", "{2}", "{3}", "%1", "%2", "%3", "%4"), ("X", "Y", "Z", "Q")
_SYMBOLS = (">", "-", "/", "*", "+", "=", "|", "#", "&")
_CURRENCIES, _DASHES, _DOTS = ("$", "EUR"), ("–", "-"), ("...",)
"""Stand-ins to try, in this order, for words, for symbols, and for some kinds of symbols first."""

QUOTES = dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛‹›′", "'")
"""Quotation marks, and straight ones."""

_IN_WORDS = "–-/"
"""Marks allowed between the parts of a word in a translation."""

_MAX_WORDS, _MAX_HALF = 6, 3
"""The most words to keep in a sentence; and the most if they are more than half of the sentence.
A sentence with more is not translated."""

_MAX_LISTED = 10
"""The most characters listed in a warning."""

_DAMAGED = "\ufffd"
"""The replacement character, for bytes outside the encoding."""

_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")

CanWrite = Callable[[str, Sequence[str]], bool]
"""Decides whether the translation of a sentence can have these words unchanged."""


@dataclass(frozen=True)
class KeptWords:
    """A sentence with words that are kept.

    Attributes:
        source: the sentence.
        text: the sentence to translate, with a stand-in for each kept word, or without the words.
        spans: the ranges of the kept words in the source.
        stand_ins: one for each kept word; empty if the words are taken out.
        marked: message of a warning known before translation; empty for none.
        copied: True if the sentence is not translated at all.
        plain: the sentence with the kept words, translated first; empty if the sentence is
            translated with stand-ins at once.
    """

    source: str
    text: str
    spans: tuple[Span, ...]
    stand_ins: tuple[str, ...] = ()
    marked: str = ""
    copied: bool = False
    plain: str = ""

    @cached_property
    def words(self) -> list[str]:
        """The kept words."""
        return [self.source[start:end] for start, end in self.spans]

    @property
    def listed(self) -> str:
        """The kept words, for messages."""
        return ", ".join(dict.fromkeys(self.words))

    def is_in(self, target: str) -> bool:
        """Return whether a translation of `plain` has each kept word as often as the source.
        Dashes are not counted: they differ between languages."""
        return all(
            len(re.findall(_pattern_of(word), target)) == count
            for word, count in Counter(self.words).items()
            if not all(unicodedata.category(character) == "Pd" for character in word)
        )

    def restore(self, target: str) -> tuple[str, bool]:
        """Return a translation of `source` made from one of `text`; and whether every kept word
        took the place of a stand-in."""
        if self.copied:
            return self.source, True
        if self.stand_ins:
            stand_ins = zip(self.stand_ins, self.words, strict=True)
            divided = unmask([target], self._pattern, stand_ins)
            if divided is not None:
                return "".join(*divided), True
            target = re.sub(r"\s+(?=[.,;:!?](?:\s|$))", "", self._pattern.sub(" ", target))
        parts = place_codes(mask(self.source, self.spans), " ".join(target.split())).parts
        written = (p if isinstance(p, str) else self.source[p.start : p.end] for p in parts)
        return "".join(written), False

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        """Pattern that finds the stand-ins in a translation, as words of their own."""
        return regex.compile("|".join(map(self._whole, dict.fromkeys(self.stand_ins))))

    def _whole(self, stand_in: str) -> str:
        """Pattern that finds a stand-in that is not part of another word or number."""
        if stand_in[0] == "{":
            return re.escape(stand_in)
        if has_word(stand_in):
            return rf"(?<![\p{{L}}\p{{N}}]|\d[.,]){re.escape(stand_in)}(?![\p{{L}}\p{{N}}]|[.,]\d)"
        spaced = stand_in in _IN_WORDS and f" {stand_in} " in f" {self.text} "
        escaped = re.escape(stand_in)
        return rf"(?<!\S){escaped}(?!\S)" if spaced else escaped


@dataclass(frozen=True)
class MissingCharacters:
    """Finds the words of sentences that are kept.

    Attributes:
        pipeline: the text pipeline of the system.
        can_write: whether the translation of a sentence can have some words.
        glossary: terms, whose words are translated by it.
        marks_only: True if nothing is kept, and all sentences are marked that lack something.
    """

    pipeline: Pipeline
    can_write: CanWrite
    glossary: Glossary = field(default_factory=lambda: Glossary(()))
    marks_only: bool = False

    def keep(self, sentence: str, protected: Sequence[str] = ()) -> KeptWords | None:
        """Return a sentence with the kept words or a warning; None if the vocabulary has all of
        the sentence.

        Args:
            protected: words of the sentence that must be written anyway.
        """
        missing = self.pipeline.missing(sentence)
        if not missing:
            return None
        original, sentence = sentence, self._with_plain_quotes(sentence, missing)
        if sentence != original and not (missing := self.pipeline.missing(sentence)):
            return KeptWords(original, sentence, ())
        characters = dict.fromkeys(sentence[start:end] for start, end in missing)
        listed = ", ".join(list(characters)[:_MAX_LISTED])
        kept = [span for span in missing if self._is_kept(sentence[slice(*span)])]
        spans = self._words(sentence, kept, protected)
        inside = {i for start, end in spans for i in range(start, end)}
        marked = "" if all(set(range(*span)) <= inside for span in missing) else listed
        if not spans:
            return KeptWords(original, sentence, (), marked=marked)
        rest = mask(sentence, spans)
        of_letters = sum(has_letter(sentence[slice(*span)]) for span in spans)
        are_most = 2 * of_letters > sum(map(has_letter, sentence.split()))
        if of_letters > (_MAX_HALF if are_most else _MAX_WORDS):
            mark = f"left as it is: {listed}"
            return KeptWords(original, sentence, spans, marked=mark, copied=True)
        if not has_letter(rest.text):
            return KeptWords(original, sentence, spans, copied=True)
        # The system may write words in bytes, unless it must write one of them.
        words = [sentence[slice(*span)] for span in spans]
        required = any(map(self.pipeline.missing, protected))
        by_itself = not required and self.pipeline.can_write(sentence, words)
        plain = sentence if by_itself else ""
        stand_ins = self._stand_ins(sentence, spans, missing)
        if stand_ins:
            patches = [(*span, new) for span, new in zip(spans, stand_ins, strict=True)]
            text = apply_patches(sentence, patches)
            others = [word for word in protected if word in text]
            if self.can_write(text, [*others, *stand_ins]):
                return KeptWords(original, text, spans, stand_ins, marked, plain=plain)
        return KeptWords(original, rest.text, spans, (), marked, plain=plain)

    def _with_plain_quotes(self, sentence: str, missing: Sequence[Span]) -> str:
        """Return a sentence with straight quotation marks and apostrophes for missing ones. The
        number of characters stays the same."""
        if self.marks_only or self.pipeline.settings.subword == "words":
            return sentence
        characters = list(sentence)
        for offset in (i for start, end in missing for i in range(start, end)):
            plain = QUOTES.get(sentence[offset])
            if plain and not self.pipeline.missing(plain):
                characters[offset] = plain
        return "".join(characters)

    def _is_kept(self, missing: str) -> bool:
        """Return whether a missing character must come out unchanged: not a letter of a script
        of the source language alone, and no word missing from a vocabulary of words."""
        if self.marks_only or self.pipeline.settings.subword == "words":
            return False
        return not self._source_scripts & set(count_scripts(missing))

    @cached_property
    def _source_scripts(self) -> set[str]:
        """The scripts of the source language that are not scripts of the target language."""
        source, target = (set(scripts_of_language(code)) for code in self.pipeline.languages[:2])
        return source - target

    def _words(
        self, sentence: str, missing: Sequence[Span], protected: Sequence[str]
    ) -> tuple[Span, ...]:
        """The ranges that are kept, but for terms of the glossary."""
        whole = chain.from_iterable(
            (occurrence.span() for occurrence in re.finditer(re.escape(word), sentence))
            for word in set(protected)
        )
        spans = [
            *missing_words(sentence, missing),
            *(s for s in whole if any(a < s[1] and s[0] < b for a, b in missing)),
        ]
        merged: list[Span] = []
        for start, end in sorted(spans):
            if merged and start < merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        terms = [match.text for match in self.glossary.find(sentence)]
        return tuple(
            span for span in merged if not any(sentence[slice(*span)] in term for term in terms)
        )

    def _stand_ins(
        self, sentence: str, spans: Sequence[Span], missing: Sequence[Span]
    ) -> tuple[str, ...]:
        """A stand-in for each word, the same for the same word; none if there is none for one."""
        lacking = {i for start, end in missing for i in range(start, end)}
        chosen: dict[str, str] = {}
        for start, end in spans:
            word = sentence[start:end]
            if word in chosen:
                continue
            reduced = "".join(
                _base(sentence[i]) if i in lacking else sentence[i] for i in range(start, end)
            )
            taken = " ".join((mask(sentence, spans).text, *chosen.values()))
            stand_in = next(
                (each for each in _candidates(word, reduced) if self._is_free(each, taken)), None
            )
            if stand_in is None:
                return ()
            chosen[word] = stand_in
        return tuple(chosen[sentence[start:end]] for start, end in spans)

    def _is_free(self, stand_in: str, taken: str) -> bool:
        """Return whether a stand-in can be read and written, and told from the rest of its
        sentence."""
        return (
            stand_in not in taken
            and not self.pipeline.missing(stand_in)
            and self.can_write(f"{taken} {stand_in}", [stand_in])
        )


def keep_missing(
    sentences: Sequence[Sentence],
    glossary: Glossary | None,
    pipeline: Pipeline,
    can_write: CanWrite,
    *,
    marks_only: bool,
) -> list[KeptWords | None]:
    """Return the kept words of each sentence with characters missing from the vocabulary; arguments
    as of `MissingCharacters`."""
    terms = (glossary or Glossary(())).normalized(pipeline.normalize)
    missing = MissingCharacters(pipeline, can_write, terms, marks_only)
    keep = lru_cache(maxsize=None)(missing.keep)
    return [keep(each.text, each.protected) for each in sentences]


class Restoring:
    """Restores the kept words of a document in its translations, and marks uncertain places.

    Args:
        kept: the kept words of each sentence, if there are some.
    """

    def __init__(self, kept: Sequence[KeptWords | None]) -> None:
        self._kept = kept
        self._marks: dict[tuple[int, str], str] = {}

    def is_copied(self, index: int) -> bool:
        """Return whether a sentence is not translated."""
        kept = self._kept[index]
        return kept is not None and kept.copied

    def text(self, index: int, written: str) -> str:
        """A translation of a sentence, from what the system has written."""
        kept, mark = self._kept[index], ""
        if _DAMAGED in written:
            written, mark = " ".join(written.replace(_DAMAGED, "").split()), "bytes left out"
        if kept is not None and kept.spans:
            written, certain = kept.restore(written)
            if kept.copied:
                mark = ""
            elif not certain:
                mark = f"{kept.listed} may be in the wrong place"
        if mark:
            self._marks[index, written] = mark
        return written

    def warnings(self, target: Sequence[str]) -> Iterator[DocumentWarning]:
        """Yield the warnings about the translations of all sentences."""
        for index, (kept, text) in enumerate(zip(self._kept, target, strict=True)):
            marks = [kept.marked if kept else "", self._marks.get((index, text), "")]
            if detail := "; ".join(filter(None, marks)):
                yield DocumentWarning(index, MISSING, detail)


def _pattern_of(word: str) -> str:
    """Pattern that finds a word, but no number in a longer one."""
    begin = r"(?<!\d)(?<!\d[.,])" if word[0].isdigit() else ""
    end = r"(?![.,]?\d)" if word[-1].isdigit() else ""
    return f"{begin}{re.escape(word)}{end}"


def _candidates(word: str, reduced: str) -> Iterator[str]:
    """Yield candidates to stand for a word: first the word without its missing characters."""
    if has_word(word):
        number = _NUMBER.search(reduced)
        if number:
            yield number[0] if sum(map(str.isalpha, reduced)) < 2 else reduced
        else:
            # More systems copy a placeholder than a name, and none inflects it.
            yield from _PLACEHOLDERS
            if sum(map(str.isalpha, reduced)) > 1:
                yield reduced
    else:
        category = unicodedata.category(word[0])
        yield from {"Sc": _CURRENCIES, "Pd": _DASHES}.get(category, ())
        yield from _DOTS if word == "…" else ()
        yield from _SYMBOLS
    yield from (*_PLACEHOLDERS, *_NAMES)


def _base(character: str) -> str:
    """Return the ASCII letter under a letter with a mark; empty for another character."""
    first = unicodedata.normalize("NFD", character)[:1]
    return first if first.isascii() and first.isalpha() else ""
