"""Candidates for a glossary: the recurring terms and the names of documents, with the translations
that they have there.

A term is a word, or two, in several sentences with a clear translation (`recurring_terms`). A name
is a run of words with capital letters within a sentence. The table is for a person, who corrects it
and leaves out what is no term.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docmt.alignment.aligned_sentence import AlignedSentence
from docmt.glossaries import write_tsv
from docmt.translating.recurring_terms import recurring_terms
from docmt_files.base.documents import Document
from docmt_files.base.languages import primary_language
from docmt_files.storage.files import PathLike
from docmt_nmt.text.word_lists import FUNCTION_WORDS
from docmt_nmt.translators.glossary import Glossary, Term

_MIN_NAMED = 2
"""Minimum number of sentences with a name."""

_MAX_WORDS = 4
"""Maximum number of words of a name."""

_MAX_OTHERS = 3
"""Maximum number of further translations in the table."""


class Candidate(NamedTuple):
    """A candidate for a glossary.

    Attributes:
        kind: a term, or a name.
        source: the words, in their most frequent spelling.
        translations: the translations, the most frequent first: the forms of each, and the number
            of sentences.
        sentences: the number of sentences with the candidate.
        example: a sentence with it.
    """

    kind: str
    source: str
    translations: Sequence[tuple[tuple[str, ...], int]]
    sentences: int
    example: str


def term_candidates(
    documents: Sequence[Document],
    aligned: Sequence[Sequence[AlignedSentence]],
    languages: tuple[str, str],
    glossary: Glossary | None = None,
) -> list[Candidate]:
    """The candidates of translated documents, the most frequent first.

    Args:
        documents: the documents with their translations.
        aligned: the aligned sentences of each document.
        languages: the codes of the source and the target language.
        glossary: terms that are known already.
    """
    sources = [sentence for document in documents for sentence in document.source]
    sentences = [sentence for of_document in aligned for sentence in of_document]
    functions = tuple(FUNCTION_WORDS.get(primary_language(c), frozenset()) for c in languages)
    found = []
    # Every German noun has a capital.
    if primary_language(languages[0]) != "de":
        found = list(_names(sentences, sources, functions[0]))
    named = {candidate.source.lower() for candidate in found}
    for term in recurring_terms(
        sentences, [0.0] * len(sentences), languages, (functions[0], functions[1]), least=1
    ):
        if term.source.lower() not in named:
            translations = [(each.forms, len(each.sentences)) for each in term.translations]
            places = {index for each in term.translations for index in each.sentences}
            example = sources[min(places)]
            found.append(Candidate("term", term.source, translations, len(places), example))
    if glossary is not None:
        found = [candidate for candidate in found if not glossary.find(candidate.source)]
    return sorted(found, key=lambda each: (-each.sentences, each.source.lower()))


def write_candidates(path: PathLike, candidates: Sequence[Candidate]) -> None:
    """Write a table of candidates, which is a glossary.

    Raises:
        InputError: it cannot be written.
    """
    write_tsv(
        path,
        [Term((each.source,), each.translations[0][0]) for each in candidates],
        {
            "kind": [each.kind for each in candidates],
            "sentences": [str(each.sentences) for each in candidates],
            "other translations": [
                ", ".join(f"{forms[0]} ({n:,})" for forms, n in each.translations[1:][:_MAX_OTHERS])
                for each in candidates
            ],
            "example": [each.example for each in candidates],
        },
    )


def _names(
    aligned: Sequence[AlignedSentence], sources: Sequence[str], function_words: frozenset[str]
) -> Iterator[Candidate]:
    """The names in several sentences."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    places: dict[str, list[int]] = defaultdict(list)
    translations: dict[str, Counter[str]] = defaultdict(Counter)
    for index, sentence in enumerate(aligned):
        for start, end in _runs(sentence.source, function_words):
            written = " ".join(sentence.source[start:end])
            name = written.lower()
            forms[name][written] += 1
            if index not in places[name][-1:]:
                places[name].append(index)
                translations[name][_translation(sentence, start, end)] += 1
    for name, indices in places.items():
        if len(indices) >= _MIN_NAMED:
            written = forms[name].most_common(1)[0][0]
            found = [((t or written,), n) for t, n in translations[name].most_common()]
            yield Candidate("name", written, found, len(indices), sources[indices[0]])


def _runs(words: Sequence[str], function_words: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The runs of words with capital letters behind the first word of a sentence, as ranges; none
    of a heading with a capital at most words."""
    content = [word[0].isalpha() and word.lower() not in function_words for word in words]
    capital = [is_content and _has_capital(w) for w, is_content in zip(words, content, strict=True)]
    if 2 * sum(capital[1:]) > sum(content[1:]) + 1:
        return
    start = -1
    for index in range(1, len(words) + 1):
        is_name = index < len(words) and capital[index]
        if is_name and start < 0:
            start = index
        elif not is_name and start >= 0:
            if index - start <= _MAX_WORDS:
                yield start, index
            start = -1


def _has_capital(word: str) -> bool:
    return len(word) > 1 and word != word.lower()


def _translation(sentence: AlignedSentence, start: int, end: int) -> str:
    """The translation of a range of words: the words themselves if it has them, or else those that
    are linked with them; "" for none."""
    own = sentence.source[start:end]
    size = end - start
    for index in range(len(sentence.target) - size + 1):
        if sentence.target[index : index + size] == own:
            return " ".join(own)
    if not sentence.weights.size:
        return ""
    partners = sentence.weights.argmax(0)
    linked = [
        index
        for index, source in enumerate(partners.tolist())
        if start <= source < end and sentence.weights[source, index] > 0
    ]
    words = [sentence.target[index] for index in linked if sentence.target[index][0].isalnum()]
    return " ".join(words) if linked and linked[-1] - linked[0] < len(linked) else ""
