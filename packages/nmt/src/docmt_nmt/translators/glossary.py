"""`Glossary`: terms, and their matches in a sentence.

A term is found where one of its source forms is in the normalized sentence, from left to right, the
longest first; found terms do not overlap.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.text.word_boundaries import is_word_boundary


@dataclass(frozen=True, slots=True)
class Term:
    """Term and its translations.

    Attributes:
        source: the forms in the source language.
        target: the forms in the target language, of which one is to be written; none to keep the
            source form as in the text.
        match_case: whether upper and lower case must be as in the source form.
        whole_words: whether a source form is found only between boundaries of words.
        every: whether to write it as often as the sentence has it, not once.
        line: the line of the glossary's file, from 1.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    match_case: bool = False
    whole_words: bool = True
    every: bool = False
    line: int | None = None


class Match(NamedTuple):
    """Term in a sentence: the form in the normalized sentence, and the offset of the form."""

    term: Term
    text: str
    start: int


class _Form(NamedTuple):
    """Source form of a term, normalized."""

    term: Term
    text: str


class Glossary:
    """Terms to find in sentences.

    Args:
        terms: the terms.
        path: the file of the terms; errors name it.
        normalize: normalizes forms and sentences; default: Unicode NFC and white space.

    Raises:
        InputError: a term has no source form, a form is empty, or two terms have the same source
            form.

    >>> glossary = Glossary([Term(("board",), ("Platine", "Leiterplatte"))])
    >>> [(match.text, match.start) for match in glossary.find("Remove the Board.")]
    [('Board', 11)]
    """

    def __init__(
        self,
        terms: Sequence[Term],
        path: PathLike | None = None,
        normalize: Callable[[str], str] | None = None,
    ) -> None:
        self.terms, self.path = tuple(terms), path
        self._normalize_text = normalize
        self._normalized: Glossary | None = None
        # By the form without case, and the lengths of forms by their first character.
        self._forms: dict[str, list[_Form]] = {}
        self._lengths: dict[str, list[int]] = {}
        self._finds_parts = not all(term.whole_words for term in self.terms)
        for term in self.terms:
            if not term.source:
                raise self.error("a term has no source form", "Write one", term)
            for text in term.source:
                self._add(term, self.normalize(text))
            if not all(self.normalize(text) for text in term.target):
                raise self.error("a target form is empty", "Write it, or remove it", term)
        for lengths in self._lengths.values():
            lengths.sort(reverse=True)

    def _add(self, term: Term, text: str) -> None:
        if not text:
            raise self.error("a source form is empty", "Write it, or remove it", term)
        folded = _fold(text)
        for other in self._forms.get(folded, ()):
            if other.text == text or not (term.match_case and other.term.match_case):
                if other.term is term:
                    return
                where = f" (line {other.term.line:,})" if other.term.line else ""
                raise self.error(
                    f"the source form {text!r} is in the glossary already{where}",
                    "Remove one of the two, or write all target forms in one term",
                    term,
                )
        self._forms.setdefault(folded, []).append(_Form(term, text))
        lengths = self._lengths.setdefault(folded[0], [])
        if len(folded) not in lengths:
            lengths.append(len(folded))

    def __len__(self) -> int:
        return len(self.terms)

    def normalized(self, normalize: Callable[[str], str]) -> Glossary:
        """Return a glossary of these terms with another normalization of sentences. The last one
        is kept, as a long glossary takes seconds to build."""
        last = self._normalized
        if last is None or last._normalize_text != normalize:
            last = self._normalized = Glossary(self.terms, self.path, normalize)
        return last

    def normalize(self, text: str) -> str:
        """Normalize a form or sentence as they are compared, but for case."""
        if self._normalize_text is not None:
            text = self._normalize_text(text)
        return " ".join(unicodedata.normalize("NFC", text).split())

    def error(self, problem: str, cure: str, term: Term | None = None) -> InputError:
        """Return an error about this glossary, or a term of it."""
        line = term.line if term is not None else None
        return InputError(problem, path=self.path, line=line, cure=cure)

    def find(self, sentence: str) -> list[Match]:
        """Find the terms of a sentence, from left to right."""
        if not self._forms:
            return []
        text = self.normalize(sentence)
        folded = _fold(text)
        matches, start = [], 0
        while start < len(text):
            match = None
            if self._finds_parts or is_word_boundary(text, start):
                match = self._match(text, folded, start)
            if match is not None:
                matches.append(match)
            start += len(match.text) if match is not None else 1
        return matches

    def _match(self, text: str, folded: str, start: int) -> Match | None:
        """Return the term with the longest form at an offset."""
        for length in self._lengths.get(folded[start], ()):
            end = start + length
            if end > len(text):
                continue
            for term, form in self._forms.get(folded[start:end], ()):
                written = text[start:end]
                if term.match_case and written != form:
                    continue
                if not term.whole_words or (
                    is_word_boundary(text, start) and is_word_boundary(text, end)
                ):
                    return Match(term, written, start)
        return None


@cache
def _fold_character(character: str) -> str:
    """Remove the case of a character, unless the result has several characters."""
    return next((c for c in (character.casefold(), character.lower()) if len(c) == 1), character)


def _fold(text: str) -> str:
    """Remove the case of a text of unchanged length."""
    return "".join(map(_fold_character, text))
