"""Source sentences that may need the sentences before them: sentences with an ambiguous pronoun, a
term that occurred before, or an ellipsis.

All rules are heuristics, by lists of words and without a parser: a category is a sample of the
phenomenon with some errors. The categories are the same for every system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import is_chinese, primary_language
from docmt_files.base.wording import did_you_mean
from docmt_files.storage.files import PathLike
from docmt_files.storage.json_files import read_json
from docmt_nmt.text.word_splitting import is_word, split_words, stem
from docmt_research.analysis.category_lists import CATEGORY_LISTS

MIN_LETTERS = 3
"""Minimum letters of a word counted as a term; in Chinese one less."""

AMBIGUOUS_PRONOUN, REPEATED_TERM, ELLIPSIS = "ambiguous pronoun", "repeated term", "ellipsis"

OTHER = "none of these"
"""The sentences outside all categories with a sentence before them."""

FIRST = "first in document"
"""The sentences without a sentence before them, which are in no other category."""

_NEEDED = {
    AMBIGUOUS_PRONOUN: ("pronouns", "determiners", "function_words"),
    REPEATED_TERM: ("function_words",),
    ELLIPSIS: ("auxiliaries", "subjects"),
}
"""The lists without which there is no category."""

_NEAR = 3
"""Maximum number of words between a determiner and the noun after it."""


@dataclass(frozen=True, slots=True)
class CategorySettings:
    """Settings of the categories of sentences. A list of None is docmt's list for the language.

    Attributes:
        pronouns: pronouns with an ambiguous reference without the antecedent.
        determiners: words at the beginning of a noun phrase.
        function_words: words other than terms and nouns.
        auxiliaries: auxiliary verbs, including forms used only before a negation.
        subjects: pronouns used as subjects: a sentence with such a pronoun has a verb.
        particles: words that may follow the auxiliary at the end of an ellipsis.
        connectors: words that may begin a short question or answer.
        infinitives: words for an omitted infinitive at the end of a sentence.
        max_fragment_words: maximum number of words in a fragment.
        max_term_distance: maximum number of sentences back to the earlier occurrence of a term.
            Default: anywhere before in the document.
    """

    pronouns: Sequence[str] | None = None
    determiners: Sequence[str] | None = None
    function_words: Sequence[str] | None = None
    auxiliaries: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    particles: Sequence[str] | None = None
    connectors: Sequence[str] | None = None
    infinitives: Sequence[str] | None = None
    max_fragment_words: int = 3
    max_term_distance: int | None = None

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read settings from a JSON file: an object with the names of the attributes as keys.

        Raises:
            InputError: the file is missing, or does not hold such an object.
        """
        state = read_json(path, cure='Write an object, such as {"pronouns": ["it", "they"]}')
        known = [entry.name for entry in fields(cls)]
        for key, value in state.items():
            if key not in known:
                hint = did_you_mean(key, known)
                raise InputError(
                    f"unknown key {key!r}",
                    path=str(path),
                    cure=hint[0].upper() + hint[1:] if hint else f"Known: {', '.join(known)}",
                )
            _check_value(key, value, path)
        return cls(**state)

    def list_of(self, name: str, language: str) -> frozenset[str] | None:
        """A list by name, in lower case, or None if there is none for the language."""
        given: Sequence[str] | None = getattr(self, name)
        if given is not None:
            return frozenset(word.lower() for word in given)
        return CATEGORY_LISTS.get(primary_language(language), {}).get(name)


def _check_value(key: str, value: Any, path: PathLike) -> None:
    """Check a value of a file of settings.

    Raises:
        InputError: the value does not fit the key.
    """
    if key.startswith("max_"):
        if type(value) is int and value > 0:
            return
        needed = "a number from 1"
    else:
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return
        needed = "a list of words"
    raise InputError(f"{key} is {value!r}", path=str(path), cure=f"Write {needed}")


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories of the sentences of documents.

    Attributes:
        members: by the name of a category, whether each sentence of all documents in order belongs
            to it, (sentences,). Sentences may be in several; empty ones are in none. The last two
            are `OTHER` and `FIRST`.
        documents: (sentences,) the index of the document of each sentence.
        settings: the settings of the categories, separated by `|`.
        notes: notes for the reader.
    """

    members: Mapping[str, NDArray[np.bool_]]
    documents: NDArray[np.int64]
    settings: str
    notes: tuple[str, ...] = field(default=())


def categorize(
    documents: Sequence[Document],
    language: str,
    settings: CategorySettings | None = None,
    *,
    tokenized: bool = False,
) -> Categories:
    """Put the source sentences of documents into categories.

    - `AMBIGUOUS_PRONOUN`: a pronoun of the list has no possible antecedent before it in the
      sentence. Possible antecedents are a noun phrase, a content word up to three words after a
      determiner, and a name, a content word with a capital. The first word of the sentence is a
      name only if it has the capital in the middle of another sentence of the document as well.
    - `REPEATED_TERM`: a content word occurred in a sentence before, compared by stems.
    - `ELLIPSIS`: the sentence ends in an auxiliary ("I did not", "She can't either") or an
      infinitive's `to`; or is an auxiliary and a subject ("Did you?", "So do I"); or has at most
      `max_fragment_words` words, none of which is an auxiliary or a subject ("The red one").

    Args:
        documents: the documents.
        language: the code of the source language.
        settings: lists and limits. Default: docmt's.
        tokenized: whether the words are already divided by spaces.

    Raises:
        InputError: there are lists for none of the categories, or as `split_words`.
    """
    settings = settings or CategorySettings()
    lists = {
        entry.name: settings.list_of(entry.name, language)
        for entry in fields(settings)
        if not entry.name.startswith("max_")
    }
    missing = {
        name: [key for key in needed if lists[key] is None] for name, needed in _NEEDED.items()
    }
    names = [name for name, lacking in missing.items() if not lacking]
    if not names:
        raise InputError(
            f"docmt has no lists of words of {language!r} to categorize sentences by",
            cure="Give them in a JSON file: " + ", ".join(_NEEDED[AMBIGUOUS_PRONOUN]),
        )
    rules = _Rules({name: words or frozenset() for name, words in lists.items()}, settings)
    categories = [
        row
        for document in documents
        for row in rules.of_document(
            [split_words(sentence, language, tokenized=tokenized) for sentence in document.source],
            language,
        )
    ]
    kinds = [*names, OTHER, FIRST]
    rows = [row if row is None or row & {FIRST, *names} else {OTHER} for row in categories]
    members = {
        name: np.array([row is not None and name in row for row in rows], bool) for name in kinds
    }
    sizes = [len(document) for document in documents]
    notes = [
        f"no category {name!r}: there is no list {', '.join(lacking)} of {language!r}"
        for name, lacking in missing.items()
        if lacking
    ]
    return Categories(
        members,
        np.repeat(np.arange(len(sizes)), sizes),
        _signature(settings, language, tokenized=tokenized),
        tuple(notes),
    )


def _signature(settings: CategorySettings, language: str, *, tokenized: bool) -> str:
    """Return the settings of the categories."""
    changed = [
        entry.name
        for entry in fields(settings)
        if not entry.name.startswith("max_") and getattr(settings, entry.name) is not None
    ]
    parts = [f"lists:docmt-{primary_language(language)}", f"fragment:{settings.max_fragment_words}"]
    if changed:
        parts.append(f"own:{','.join(changed)}")
    if settings.max_term_distance is not None:
        parts.append(f"distance:{settings.max_term_distance}")
    return "|".join([*parts, f"words:{'spaces' if tokenized else 'docmt'}"])


@dataclass(frozen=True, slots=True)
class _Rules:
    """The heuristics, with the lists for them; missing lists are empty."""

    lists: Mapping[str, frozenset[str]]
    settings: CategorySettings

    def of_document(self, sentences: Sequence[list[str]], language: str) -> Iterator[Any]:
        """The categories of each sentence of a document, by all lists; None for an empty sentence.
        A sentence is given as a list of words."""
        names = {
            word for words in sentences for word in words[1:] if self._is_content_with_capital(word)
        }
        shortest = MIN_LETTERS - 1 if is_chinese(language) else MIN_LETTERS
        last_seen: dict[str, int] = {}
        is_first = True
        for number, words in enumerate(sentences):
            if not words:
                yield None
                continue
            lowered = [word.lower() for word in words]
            terms = {
                stemmed
                for word, stemmed in zip(lowered, stem(words, language), strict=True)
                if len(word) >= shortest and self._is_content(word)
            }
            categories = set()
            if is_first:
                categories.add(FIRST)
            else:
                if self._has_ambiguous_pronoun(words, lowered, names):
                    categories.add(AMBIGUOUS_PRONOUN)
                most = self.settings.max_term_distance or number
                if any(number - last_seen.get(term, -1 - number) <= most for term in terms):
                    categories.add(REPEATED_TERM)
                if self._has_ellipsis([word for word in lowered if is_word(word)]):
                    categories.add(ELLIPSIS)
            is_first = False
            last_seen.update(dict.fromkeys(terms, number))
            yield categories

    def _is_content(self, lowered: str) -> bool:
        """Return whether a word in lower case is a content word."""
        return is_word(lowered) and lowered not in self.lists["function_words"]

    def _is_content_with_capital(self, word: str) -> bool:
        """Return whether a word is a content word with a capital first letter."""
        return word[0].isupper() and self._is_content(word.lower())

    def _has_ambiguous_pronoun(
        self, words: Sequence[str], lowered: Sequence[str], names: set[str]
    ) -> bool:
        """Return whether a pronoun of the list comes before any noun phrase."""
        for index, word in enumerate(lowered):
            if word in self.lists["pronouns"]:
                return True
            # Of a determiner, the noun follows; it is before the pronoun if no pronoun is between.
            if word in self.lists["determiners"] and any(
                self._is_content(later) for later in self._until_pronoun(lowered, index + 1)
            ):
                return False
            if self._is_content_with_capital(words[index]) and (index > 0 or words[0] in names):
                return False
        return False

    def _until_pronoun(self, lowered: Sequence[str], first: int) -> Iterator[str]:
        """The words from an index on, as many as a noun phrase may have, up to a pronoun."""
        for word in lowered[first : first + _NEAR]:
            if word in self.lists["pronouns"] or not is_word(word):
                return
            yield word

    def _has_ellipsis(self, words: list[str]) -> bool:
        """Return whether a sentence has an ellipsis, with words to be taken from another sentence.
        The sentence is given as a list of words in lower case without punctuation."""
        auxiliaries, subjects = self.lists["auxiliaries"], self.lists["subjects"]
        rest = list(words)
        while rest and rest[-1] in self.lists["particles"]:
            rest.pop()
        if rest and rest[-1] in auxiliaries | self.lists["infinitives"]:
            return True
        begin = 0
        while begin < len(words) and words[begin] in self.lists["connectors"]:
            begin += 1
        core = [word for word in words[begin:] if word not in self.lists["particles"]]
        if len(core) == 2 and core[0] in auxiliaries and core[1] in subjects:
            return True
        return (
            0 < len(words) <= self.settings.max_fragment_words
            and not auxiliaries & {*words}
            and not subjects & {*words}
        )
