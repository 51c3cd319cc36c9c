"""Names of a source document in its translation: a name in no form in the translation of its
sentence is nearly always lost.

A capital letter alone does not make a name: English writes headings, buttons and the words for days
and languages with one, German every noun. So the training corpus says which words are translated. A
capitalized word is a name if the corpus keeps it, or has never seen it and keeps most of the
capitalized words that it has seen once. Without such a corpus, a word is a name if the document
itself keeps it elsewhere, or if it has capital letters inside, like `OmegaT`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

import regex

from docmt_files.base.documents import Document
from docmt_nmt.text.scripts import scripts_of_language

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*+(?:[-‐‑](?=\p{L})[\p{L}\p{M}\p{N}]++)*+")
_INNER_CAPITAL = regex.compile(r"\p{Ll}\p{Lu}")
_GOES_ON = regex.compile(r"\s\p{Ll}")
_MARKS = regex.compile(r"\p{M}+")
_HYPHEN = regex.compile(r"[-‐‑]")

_BEFORE_SENTENCE = frozenset('.!?:;…"“”„‘‚«»‹›()[]{}/|<>*•·–—-')
"""A word after one of these characters may have a capital because it begins a sentence or label."""

_MIN_NAME = 3
"""Shorter words are hardly ever names."""

_MAX_TITLE = 3
"""A point after a capitalized word of at most so many letters belongs to the word: `Dr. Smith`."""

_MIN_COUNT, _MAX_KEPT = 2, 0.97
"""The corpus translates a word if it has the word this often, and keeps less than this share."""

_MIN_UNSEEN, _MIN_UNSEEN_KEPT = 50, 0.8
"""So many capitalized words that the corpus has once, and their least share kept, say that new
capitalized words are names."""

_MIN_NEW = 5
"""From so many new capitalized words on, a document must keep this share of them, too. Text of
another domain, such as news for a corpus of manuals, has titles and places that are translated."""

_MIN_ELSEWHERE = 2
"""A document that keeps a word in so many sentences, and in half of those with the word, has it as
a name. One that keeps it in none of more sentences translates it."""

_Shape = Literal["lower", "capital", "capitals", "mixed"]


class _Word(NamedTuple):
    """A word of a sentence.

    Attributes:
        text: the word.
        shape: its use of capital letters.
        begins: whether it begins a sentence, or may do so.
        start: its offset.
    """

    text: str
    shape: _Shape
    begins: bool
    start: int


def lost_names(
    document: Document, languages: tuple[str, str], translated: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """Yield the index of each sentence whose translation lacks names, with the names.

    Args:
        document: the source and the translation.
        languages: the codes of the source and the target language.
        translated: the words that are translated, from `NameLearner.translated`; empty if unknown.

    >>> document = Document("d", ("Ask Emma Smith.",), ("Fragen Sie Emma.",))
    >>> list(lost_names(document, ("en", "de"), frozenset({"ask"})))
    [(0, 'Smith')]
    """
    assert document.target is not None
    sentences = [_words(sentence) for sentence in document.source]
    if all(word.shape == "lower" for words in sentences for word in words):
        return
    targets = [*map(_folded, document.target)]
    titles = {index for index, words in enumerate(sentences) if _is_title(words)}
    finder = _NameFinder.of(sentences, targets, titles, languages, translated)
    if not finder.keeps_new_words():
        finder = finder._replace(translated=frozenset())
    for index, source in enumerate(document.source):
        if lost := finder.lost(index, source):
            yield index, ", ".join(lost)


class _NameFinder(NamedTuple):
    """Finds the names of a document that its translation lacks.

    Attributes:
        sentences: the words of the source sentences.
        targets: the folded translations.
        titles: the indices of headings, whose capitals say nothing.
        language: the code of the source language.
        translated: the words that are translated; empty if unknown.
        same_script: whether both languages share a script.
        lower: the number of sentences with each word in lower case.
        inside: the words with capitals inside sentences.
        sentences_with: the number of sentences with each word.
        kept: the number of these whose translation has the word.
    """

    sentences: list[tuple[_Word, ...]]
    targets: list[str]
    titles: set[int]
    language: str
    translated: frozenset[str]
    same_script: bool
    lower: Counter[str]
    inside: set[str]
    sentences_with: Counter[str]
    kept: Counter[str]

    @classmethod
    def of(
        cls,
        sentences: list[tuple[_Word, ...]],
        targets: list[str],
        titles: set[int],
        languages: tuple[str, str],
        translated: frozenset[str],
    ) -> _NameFinder:
        """The finder of a document; arguments as of `lost_names`."""
        source_scripts, target_scripts = (set(scripts_of_language(code)) for code in languages)
        capitals = [{word.text for word in s if word.shape != "lower"} for s in sentences]
        return cls(
            sentences,
            targets,
            titles,
            languages[0],
            translated,
            bool(source_scripts & target_scripts),
            Counter(
                text
                for words in sentences
                for text in {word.text for word in words if word.shape == "lower"}
            ),
            {
                word.text
                for index, words in enumerate(sentences)
                if index not in titles
                for word in words
                if word.shape != "lower" and not word.begins
            },
            Counter(chain.from_iterable(capitals)),
            Counter(
                text
                for texts, target in zip(capitals, targets, strict=True)
                for text in texts
                if _is_kept(text, target)
            ),
        )

    def keeps_new_words(self) -> bool:
        """Return whether the document keeps most of the words with capitals that the corpus does
        not translate, as the corpus does."""
        new = [text for text in self.inside if len(text) >= _MIN_NAME and not self._knows(text)]
        kept = sum(self.kept[text] > 0 for text in new)
        return len(new) < _MIN_NEW or kept >= _MIN_UNSEEN_KEPT * len(new)

    def lost(self, index: int, source: str) -> list[str]:
        """The lost names of a sentence."""
        words, target = self.sentences[index], self.targets[index]
        title = index in self.titles
        lost = {
            word.text: None
            for word in words
            if word.shape != "lower"
            and len(word.text) >= _MIN_NAME
            and not (title and word.shape != "mixed" and word.text not in self.inside)
            and not _is_kept(word.text, target)
            and self._is_name(word, source)
        }
        return list(lost)

    def _is_name(self, word: _Word, source: str) -> bool:
        """Return whether a word with capitals is a name."""
        text = word.text
        total, kept = self.sentences_with[text], self.kept[text]
        if self.lower[text.lower()] >= (total if self.translated else 1):
            return False
        if total > _MIN_ELSEWHERE and not kept:
            return False
        if not self.translated:
            by_form = word.shape == "mixed" and self.same_script
            return by_form or kept >= max(_MIN_ELSEWHERE, total / 2)
        if word.shape != "mixed" and text not in self.inside:
            goes_on = _GOES_ON.match(source, word.start + len(text))
            if goes_on is None or _is_compound(text, self.translated):
                return False
        return not self._knows(text)  # Last, because importing the stemmers is slow.

    def _knows(self, text: str) -> bool:
        """Return whether the corpus translates a word or a part of it."""
        return any(each in self.translated for each in _stems(text, self.language))


class NameLearner:
    """Learns from sentence pairs which source words are translated; memory grows with the
    vocabulary.

    Args:
        language: the code of the source language.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._seen: Counter[str] = Counter()
        self._kept: Counter[str] = Counter()
        self._inside: set[str] = set()

    def add(self, source: str, target: str) -> None:
        """Count the words of a sentence pair."""
        words, folded = _words(source), _folded(target)
        texts = {word.text for word in words}
        self._seen.update(texts)
        self._kept.update(text for text in texts if _is_kept(text, folded))
        if not _is_title(words):
            self._inside.update(w.text for w in words if w.shape == "capital" and not w.begins)

    def translated(self) -> list[str]:
        """The stems of the words that the corpus translates, sorted; empty if new capitalized words
        are not names in the source language, or are written otherwise in the target language."""
        seen: Counter[str] = Counter()
        kept: Counter[str] = Counter()
        for word, count in self._seen.items():
            for each in _stems(word, self._language):
                seen[each] += count
                kept[each] += self._kept[word]
        inside = {each for word in self._inside for each in _stems(word, self._language)}
        once = [word for word in inside if seen[word] == 1]
        is_usual = sum(kept[word] for word in once) >= _MIN_UNSEEN_KEPT * len(once)
        if len(once) < _MIN_UNSEEN or not is_usual:
            return []
        return sorted(
            word
            for word, count in seen.items()
            if count >= _MIN_COUNT and kept[word] < _MAX_KEPT * count
        )


def _is_kept(word: str, folded: str) -> bool:
    """Return whether a folded translation has a word, or a part of a word with hyphens, in some
    form."""
    return any(beginning in folded for beginning in _beginnings(word))


@lru_cache(maxsize=65_536)
def _beginnings(word: str) -> tuple[str, ...]:
    """The common part of the forms of each part of a word: a short part itself, the first three
    quarters of a longer one."""
    parts = _HYPHEN.split(_folded(word))
    return tuple(part[: max(4, len(part) - len(part) // 4)] for part in parts)


@lru_cache(maxsize=8192)
def _words(sentence: str) -> tuple[_Word, ...]:
    """The words of a sentence. Repairs look at the sentences of a document again."""
    words: list[_Word] = []
    end = 0
    for match in _WORD.finditer(sentence):
        text, start = match[0], match.start()
        if text.islower():
            words.append(_Word(text, "lower", False, start))
        else:
            before = sentence[end:start].rstrip()
            begins = before[-1] in _BEFORE_SENTENCE if before else not words
            if (
                words
                and before == "."
                and words[-1].shape != "lower"
                and len(words[-1].text) <= _MAX_TITLE
            ):
                begins = False
            words.append(_Word(text, _shape(text), begins, start))
        end = start + len(text)
    return tuple(words)


def _shape(word: str) -> _Shape:
    """The use of capital letters in a word that is not in lower case."""
    if word.isupper():
        return "capitals" if len(word) > 1 else "capital"
    if _INNER_CAPITAL.search(word):
        return "mixed"
    return "capital" if word[0].isupper() or word[0].istitle() else "lower"


def _is_title(words: Sequence[_Word]) -> bool:
    """Return whether more than half of the words have a capital, as in a heading, but for the first
    word and short ones."""
    longer = [word for word in words[1:] if len(word.text) >= _MIN_NAME]
    return 2 * sum(word.shape != "lower" for word in longer) > len(longer)


@lru_cache(maxsize=65_536)
def _stems(word: str, language: str) -> tuple[str, ...]:
    """The stems of a word's parts."""
    from docmt_nmt.text.word_splitting import stem

    return tuple(stem(_HYPHEN.split(word), language))


def _is_compound(word: str, translated: frozenset[str]) -> bool:
    """Return whether a word begins or ends with a translated word of four letters or more."""
    low = word.lower()
    cuts = range(4, len(low))
    return any(low[:cut] in translated or low[-cut:] in translated for cut in cuts)


def _folded(text: str) -> str:
    """A text without case and accents."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return str(_MARKS.sub("", unicodedata.normalize("NFKD", folded)))
