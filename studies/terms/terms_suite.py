"""Contrastive suites of terms: nouns of which an earlier sentence has one of two translations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from docmt.alignment.links import Links
from docmt.alignment.statistical import align_words
from docmt.ground.documents import Document
from docmt_research.analysis.contrastive_suites import ContrastiveCase

MIN_SHARE, MIN_COUNT = 0.2, 20
"""Of the links of a word, what each of its variants must have."""

MIN_DETERMINERS, MIN_COSINE = 15, 0.8
"""How often a determiner must stand before a variant, and how alike those of both must be."""

MAX_DISTANCE = 5
"""How many sentences before the last one the earlier use may be."""

_WORD = re.compile(r"\w+(?:-\w+)*")
_SAME_BEGINNING = 4
"""Characters that forms of one word have in common."""

_DETERMINERS = frozenset(
    f"{stem}{ending}"
    for stem, endings in (
        ("d", ("er", "ie", "as", "en", "em", "es")),
        ("ein", ("", "e", "en", "em", "er", "es")),
        ("kein", ("", "e", "en", "em", "er", "es")),
        ("dies", ("e", "en", "em", "er", "es")),
        ("jed", ("e", "en", "em", "er", "es")),
        ("ihr", ("", "e", "en", "em", "er", "es")),
        ("", ("im", "am", "zum", "zur", "beim", "vom", "mehrere", "alle", "viele", "mehreren")),
    )
    for ending in endings
)


@dataclass(frozen=True, slots=True)
class Term:
    """A source word and its two variants, which may be exchanged."""

    word: str
    variants: tuple[str, str]

    def other(self, variant: str) -> str:
        """The other one of the variants."""
        first, second = self.variants
        return second if variant == first else first


@dataclass(frozen=True, slots=True)
class Aligned:
    """A sentence pair, as words, with the words that are linked one to one."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    linked: dict[int, int]

    def variant_of(self, term: Term) -> str | None:
        """The variant that this pair translates a term with, if both stand in it once and the
        other variant does not."""
        if self.source.count(term.word) != 1:
            return None
        place = self.linked.get(self.source.index(term.word))
        variant = None if place is None else self.target[place]
        if variant not in term.variants or self.target.count(variant) != 1:
            return None
        return None if term.other(variant) in self.target else variant


def words_of(text: str) -> tuple[str, ...]:
    """The words of a sentence, without punctuation."""
    return tuple(_WORD.findall(text))


def aligned(
    documents: Sequence[Document], more: Sequence[Document] = ()
) -> list[tuple[Aligned, ...]]:
    """The sentence pairs of documents, as words that are linked.

    Args:
        documents: with targets.
        more: further ones, from which is learned which words translate each other.
    """
    pairs = [_words_of_pairs(document) for document in documents]
    further = list(chain.from_iterable(_words_of_pairs(document) for document in more))
    lowered = [_lowered(pair) for pair in chain.from_iterable(pairs)]
    links = iter(align_words(lowered, [_lowered(pair) for pair in further]).links)
    return [tuple(Aligned(*pair, _one_to_one(next(links))) for pair in own) for own in pairs]


def _words_of_pairs(document: Document) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    assert document.target is not None
    return [
        (words_of(source), words_of(target))
        for source, target in zip(document.source, document.target, strict=True)
    ]


def _lowered(pair: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[list[str], list[str]]:
    source, target = pair
    return [word.lower() for word in source], [word.lower() for word in target]


def _one_to_one(links: Links) -> dict[int, int]:
    """The links between two words that have no other link."""
    sources, targets = Counter(i for i, _ in links), Counter(j for _, j in links)
    return {i: j for i, j in links if sources[i] == 1 and targets[j] == 1}


def find_terms(documents: Iterable[Sequence[Aligned]]) -> list[Term]:
    """The words of aligned documents that have two variants, in the order of the alphabet."""
    translations: dict[str, Counter[str]] = {}
    determiners: dict[str, Counter[str]] = {}
    for pair in chain.from_iterable(documents):
        for i, j in pair.linked.items():
            if _is_source_word(pair.source[i]) and _is_noun(pair.target, j):
                translations.setdefault(pair.source[i], Counter())[pair.target[j]] += 1
        for before, word in zip(pair.target, pair.target[1:], strict=False):
            if before.lower() in _DETERMINERS:
                determiners.setdefault(word, Counter())[before.lower()] += 1
    found = []
    for word, counts in sorted(translations.items()):
        (first, _), (second, seldom) = (*counts.most_common(2), ("", 0))[:2]
        if seldom < max(MIN_COUNT, MIN_SHARE * counts.total()):
            continue
        if _may_be_exchanged(first, second, determiners):
            found.append(Term(word, (first, second)))
    return found


def _is_source_word(word: str) -> bool:
    return word.isalpha() and word.islower() and len(word) > 2


def _is_noun(words: Sequence[str], index: int) -> bool:
    """Return whether a German word, which does not begin its sentence, is written like a noun."""
    word = words[index]
    return index > 0 and word.isalpha() and word[0].isupper() and word[1:].islower()


def _may_be_exchanged(first: str, second: str, determiners: dict[str, Counter[str]]) -> bool:
    """Return whether two nouns are different words that the same determiners stand before."""
    if first[:_SAME_BEGINNING].lower() == second[:_SAME_BEGINNING].lower():
        return False
    one, other = (determiners.get(word, Counter()) for word in (first, second))
    if min(one.total(), other.total()) < MIN_DETERMINERS:
        return False
    norms = [sum(count**2 for count in counts.values()) ** 0.5 for counts in (one, other)]
    dot = sum(count * other[word] for word, count in one.items())
    return bool(dot / (norms[0] * norms[1]) >= MIN_COSINE)


def make_cases(
    documents: Sequence[Document], pairs: Sequence[Sequence[Aligned]], terms: Sequence[Term]
) -> Iterator[ContrastiveCase]:
    """Two cases of each sentence with a term that an earlier sentence has as well.

    Args:
        documents: with targets.
        pairs: their sentence pairs, aligned.
        terms: the terms.
    """
    known = {term.word: term for term in terms}
    for number, (document, own) in enumerate(zip(documents, pairs, strict=True)):
        for index, pair in enumerate(own):
            for word in sorted(known.keys() & set(pair.source)):
                term = known[word]
                variant = pair.variant_of(term)
                if variant is None:
                    continue
                earlier = range(max(0, index - MAX_DISTANCE), index)
                uses = [i for i in earlier if own[i].variant_of(term) is not None]
                if uses:
                    first, last = uses[0], uses[-1]
                    yield from _two_cases(
                        f"{number}:{index}:{word}",
                        document,
                        range(first, index + 1),
                        term,
                        variant,
                        index - last,
                    )


def _two_cases(
    name: str, document: Document, sentences: range, term: Term, variant: str, distance: int
) -> Iterator[ContrastiveCase]:
    """The cases of a sentence, which differ in the context alone."""
    assert document.target is not None
    source = tuple(document.source[i] for i in sentences)
    *context, reference = (document.target[i] for i in sentences)
    candidates = (reference, exchanged(reference, variant, term.other(variant)))
    for right, wanted in enumerate((variant, term.other(variant))):
        unwanted = term.other(wanted)
        translated = tuple(exchanged(sentence, unwanted, wanted) for sentence in context)
        yield ContrastiveCase(
            f"{name}:{wanted}", source, translated, candidates, right, term.word, distance
        )


def exchanged(text: str, word: str, other: str) -> str:
    """A text with a word exchanged wherever it stands for itself."""
    return re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", other, text)
