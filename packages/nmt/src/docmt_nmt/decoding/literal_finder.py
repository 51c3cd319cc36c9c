"""`LiteralFinder`: the literals of sentences, with stand-ins that the vocabulary of a system has
(`literals`)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain

from docmt_files import apply_patches, has_letter, has_word, mask
from docmt_files.base.documents import Sentence
from docmt_nmt.decoding.literals import DASHES, DOTS, NAMES, PLACEHOLDERS, Literals
from docmt_nmt.text import Pipeline
from docmt_nmt.text.missing_words import missing_words
from docmt_nmt.text.scripts import count_scripts, scripts_of_language
from docmt_nmt.text.spellings import Span
from docmt_nmt.translators.glossary import Glossary

_SYMBOLS = (">", "-", "/", "*", "+", "=", "|", "#", "&")
_CURRENCIES = ("$", "EUR")
"""Stand-ins to try for symbols, and first for those of currencies."""

QUOTES = dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛‹›′", "'")
"""Quotation marks, and straight ones."""

_MAX_WORDS, _MAX_HALF = 6, 3
"""The most words with missing characters in a sentence; and the most if they are more than half of
the sentence. A sentence with more is not translated."""

_MAX_LISTED = 10
"""The most characters listed in a warning."""

_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")


@dataclass(frozen=True)
class LiteralFinder:
    """Finds the literals of sentences.

    Attributes:
        pipeline: the text pipeline of the system.
        glossary: terms, whose words are translated by it.
        marks_only: True if there are no stand-ins, and all sentences are marked that lack
            something.
    """

    pipeline: Pipeline
    glossary: Glossary = field(default_factory=lambda: Glossary(()))
    marks_only: bool = False
    _known: dict[str, bool] = field(default_factory=dict, repr=False, compare=False)

    def find(
        self, sentence: str, protected: Sequence[str] = (), *, by_itself: bool = True
    ) -> Literals | None:
        """Return a sentence with the literals or a warning; None if there are none, and the
        vocabulary has all of the sentence.

        Args:
            protected: words of the sentence to be written as they are.
            by_itself: whether other words that bytes can spell are their own stand-ins.
        """
        if self.marks_only:
            protected = ()
        missing = self.pipeline.missing(sentence)
        if not missing and not protected:
            return None
        original, sentence = sentence, self._with_plain_quotes(sentence, missing)
        if sentence != original:
            missing = self.pipeline.missing(sentence)
            if not missing and not protected:
                return Literals(original, sentence, ())
        spans = self._spans(sentence, missing, protected)
        found = Literals(original, sentence, spans, protected=frozenset(protected))
        inside = {i for start, end in spans for i in range(start, end)}
        if not all(set(range(*span)) <= inside for span in missing):
            found = replace(found, marked=self._listed(sentence, missing))
        if not spans:
            return found if missing or sentence != original else None
        rest = mask(sentence, spans)
        words = [sentence[slice(*span)] for span in spans]
        of_letters = sum(has_letter(word) for word in words if word not in found.protected)
        are_most = 2 * of_letters > sum(map(has_letter, sentence.split()))
        if of_letters > (_MAX_HALF if are_most else _MAX_WORDS):
            mark = f"left as it is: {self._listed(sentence, missing)}"
            return replace(found, marked=mark, copied=True)
        if not has_letter(rest.text):
            return replace(found, copied=True)
        if by_itself:
            by_bytes = {w for w in words if w not in found.protected and self._has_bytes(w)}
        else:
            by_bytes = set()
        stand_ins = self._stand_ins(sentence, spans, missing, found.protected, by_bytes)
        if not stand_ins:
            return replace(found, text=rest.text)
        patches = [(*span, new) for span, new in zip(spans, stand_ins, strict=True)]
        return replace(found, text=apply_patches(sentence, patches), stand_ins=stand_ins)

    @staticmethod
    def _listed(sentence: str, missing: Sequence[Span]) -> str:
        """The missing characters of a sentence, for messages."""
        characters = dict.fromkeys(sentence[start:end] for start, end in missing)
        return ", ".join(list(characters)[:_MAX_LISTED])

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

    @cached_property
    def _writes_latin(self) -> bool:
        """True if the target language has Latin letters; others may spell a name in their own."""
        return "Latin" in scripts_of_language(self.pipeline.languages[1])

    def _spans(
        self, sentence: str, missing: Sequence[Span], protected: Sequence[str]
    ) -> tuple[Span, ...]:
        """The ranges of the literals, but for terms of the glossary."""
        kept = [span for span in missing if self._is_kept(sentence[slice(*span)])]
        longest_first = sorted(set(protected), key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest_first)) or "(?!)"
        whole = [match.span() for match in re.finditer(pattern, sentence)]
        others = missing_words(sentence, kept)
        spans = [*whole, *(s for s in others if not any(a < s[1] and s[0] < b for a, b in whole))]
        terms = [match.text for match in self.glossary.find(sentence)]
        return tuple(
            span
            for span in sorted(spans)
            if span in whole or not any(sentence[slice(*span)] in term for term in terms)
        )

    def _stand_ins(
        self,
        sentence: str,
        spans: Sequence[Span],
        missing: Sequence[Span],
        protected: Collection[str],
        by_bytes: Collection[str],
    ) -> tuple[str, ...]:
        """A stand-in for each literal, the same for the same literal; none if there is none for
        one. Literals that are written in bytes are their own."""
        lacking = {i for start, end in missing for i in range(start, end)}
        rest = mask(sentence, spans).text
        chosen: dict[str, str] = {word: word for word in by_bytes}
        for start, end in spans:
            word = sentence[start:end]
            if word in chosen:
                continue
            candidates: Iterator[str] = iter((*PLACEHOLDERS, *NAMES))
            if word in protected and word[0].isalpha() and self._writes_latin:
                candidates = iter((NAMES[0], *PLACEHOLDERS, *NAMES))
            if word not in protected:
                reduced = "".join(
                    _base(sentence[i]) if i in lacking else sentence[i] for i in range(start, end)
                )
                candidates = _candidates(word, reduced)
            elif word not in rest and not self.pipeline.missing(word):
                candidates = chain(candidates, (word,))
            taken = " ".join((rest, *chosen.values()))
            stand_in = next((c for c in candidates if c not in taken and self._is_known(c)), None)
            if stand_in is None:
                return ()
            chosen[word] = stand_in
        return tuple(chosen[sentence[start:end]] for start, end in spans)

    def _has_bytes(self, word: str) -> bool:
        """Return whether a word can be read and written in bytes."""
        return self.pipeline.can_write("", [word])

    def _is_known(self, stand_in: str) -> bool:
        """Return whether a stand-in can be read and written."""
        if stand_in not in self._known:
            can_read = not self.pipeline.missing(stand_in)
            self._known[stand_in] = can_read and self.pipeline.can_write("", [stand_in])
        return self._known[stand_in]


def find_literals(
    sentences: Sequence[Sentence],
    glossary: Glossary | None,
    pipeline: Pipeline,
    *,
    marks_only: bool,
    forced: Collection[int] = (),
) -> list[Literals | None]:
    """Return the literals of each sentence that has some; other arguments as of `LiteralFinder`.

    Args:
        forced: the indices of the sentences in which no literal is its own stand-in.
    """
    terms = (glossary or Glossary(())).normalized(pipeline.normalize)
    find = lru_cache(maxsize=None)(LiteralFinder(pipeline, terms, marks_only).find)
    return [
        find(each.text, each.protected, by_itself=index not in forced)
        for index, each in enumerate(sentences)
    ]


def _candidates(word: str, reduced: str) -> Iterator[str]:
    """Yield stand-ins for a word with missing characters: first the word without them."""
    if has_word(word):
        number = _NUMBER.search(reduced)
        if number:
            yield number[0] if sum(map(str.isalpha, reduced)) < 2 else reduced
        else:
            # More systems copy a placeholder than a name, and none inflects it.
            yield from PLACEHOLDERS
            if sum(map(str.isalpha, reduced)) > 1:
                yield reduced
    else:
        category = unicodedata.category(word[0])
        yield from {"Sc": _CURRENCIES, "Pd": DASHES}.get(category, ())
        yield from DOTS if word == "…" else ()
        yield from _SYMBOLS
    yield from (*PLACEHOLDERS, *NAMES)


def _base(character: str) -> str:
    """Return the ASCII letter under a letter with a mark; empty for another character."""
    first = unicodedata.normalize("NFD", character)[:1]
    return first if first.isascii() and first.isalpha() else ""
