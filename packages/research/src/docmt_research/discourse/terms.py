"""The terms of a source text with translations to be consistent: the terms of a file, or the
content words repeated in a document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from docmt_files.base.errors import InputError
from docmt_files.base.languages import is_chinese, primary_language
from docmt_files.storage.files import PathLike, read_lines
from docmt_nmt.text.word_lists import FUNCTION_WORDS
from docmt_nmt.text.word_splitting import is_word, split_words
from docmt_research.analysis.categories import MIN_LETTERS
from docmt_research.discourse.discourse_text import Sentence, Text

Words = tuple[str, ...]
"""The words of a term, in lower case."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a list.

    Attributes:
        words: the words in the source language, in lower case.
        translations: the words of each allowed translation; empty if the list has none.
    """

    words: Words
    translations: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A term in the source.

    Attributes:
        term: the words of the term, in lower case.
        sentence: the index of the sentence in the text.
        indices: the indices of the words in the sentence.
    """

    term: Words
    sentence: int
    indices: range


def read_terms(
    path: PathLike, languages: tuple[str, str], *, tokenized: bool = False
) -> list[Term]:
    """Read a list of terms: one on each line, and if it is known, a tab and the translation.
    Several forms or translations are separated by `|`, as in a glossary, or have several lines.

    Args:
        path: the file.
        languages: the codes of the source and of the target language.
        tokenized: whether the words are already divided by spaces.

    Raises:
        InputError: a line is empty or has more than two columns, or the list is empty.
    """
    terms: dict[Words, list[Words]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) > 2 or not all(columns):
            raise InputError(
                "is not a term, or a term, a tab and its translation",
                path=str(path),
                line=number,
                cure="Write one term on each line, without empty lines",
            )
        words = [
            [
                tuple(word.lower() for word in split_words(form, language, tokenized=tokenized))
                for form in column.split("|")
                if form.strip()
            ]
            for column, language in zip(columns, languages, strict=False)
        ]
        if not all(words):
            raise InputError("has an empty term", path=str(path), line=number)
        for term in words[0]:
            terms.setdefault(term, []).extend(chain(*words[1:]))
    if not terms:
        raise InputError("has no terms", path=str(path), cure="Write one term on each line")
    return [Term(words, tuple(translations)) for words, translations in terms.items()]


def find_terms(text: Text, terms: Sequence[Term]) -> list[Occurrence]:
    """Return where terms occur in the source, in order; case does not count. At each word the
    longest term is taken, and terms do not overlap."""
    by_first: dict[str, list[Words]] = defaultdict(list)
    for term in sorted(terms, key=lambda term: -len(term.words)):
        by_first[term.words[0]].append(term.words)
    return [
        Occurrence(words, number, indices)
        for number, sentence in enumerate(text.sentences)
        for words, indices in _matches(sentence, by_first)
    ]


def _matches(sentence: Sentence, by_first: dict[str, list[Words]]) -> Iterator[tuple[Words, range]]:
    """The terms in a sentence with the indices of their words."""
    lowered = [word.lower() for word in sentence.source]
    index = 0
    while index < len(lowered):
        for words in by_first.get(lowered[index], ()):
            if tuple(lowered[index : index + len(words)]) == words:
                yield words, range(index, index + len(words))
                index += len(words) - 1
                break
        index += 1


def repeated_words(text: Text) -> list[Occurrence]:
    """The content words in two or more sentences of a document, wherever they occur in it.

    A content word has three letters or more (two characters in Chinese) and is not one of the
    `FUNCTION_WORDS` of the language.

    Raises:
        InputError: docmt has no function words of the source language.
    """
    function_words = FUNCTION_WORDS.get(primary_language(text.source_language))
    if function_words is None:
        raise InputError(
            f"docmt has no list of the function words of {text.source_language!r}, without which "
            "it cannot find terms",
            cure="List the terms in a file, and name it as `terms`",
            parameters=("terms",),
        )
    shortest = MIN_LETTERS - 1 if is_chinese(text.source_language) else MIN_LETTERS
    occurrences_by_word: dict[tuple[str, str], list[Occurrence]] = defaultdict(list)
    for number, sentence in enumerate(text.sentences):
        for index, token in enumerate(sentence.source):
            word = token.lower()
            if len(word) >= shortest and is_word(word) and word not in function_words:
                occurrences_by_word[sentence.document, word].append(
                    Occurrence((word,), number, range(index, index + 1))
                )
    return [
        occurrence
        for occurrences in occurrences_by_word.values()
        if len({occurrence.sentence for occurrence in occurrences}) > 1
        for occurrence in occurrences
    ]
