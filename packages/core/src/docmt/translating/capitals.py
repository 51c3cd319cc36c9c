"""Sentences all in capitals, such as headings and labels of buttons, are translated in lower case,
and their translations are written in capitals.

A system reads OPEN as a rare word of several subwords, and copies it. Acronyms keep their capitals:
a word is one unless the file has it in lower case elsewhere, or the vocabulary of the system writes
it with fewer subwords in lower case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from docmt.translating.word_aligner import system_of
from docmt_files import Alignment, AlignSentences
from docmt_files.base.documents import Document, Sentence
from docmt_files.base.languages import primary_language
from docmt_nmt.base.translations import TranslatedSentence
from docmt_nmt.translators.translator import Translator

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*")
_LONG_WORD = 5
"""From how many letters a word between others in lower case is one itself, not an acronym."""
_DOTTED = frozenset(("tr", "az"))
"""Languages with a dotted and a dotless i."""
_TONOS, _ETA = "\u0301", "Ή"

IsWord = Callable[[str], bool]
"""Check of a system: is this word in capitals better known in lower case?"""


@dataclass(frozen=True, slots=True)
class Capitals:
    """The words of a file by which sentences in capitals are read.

    Attributes:
        languages: the codes of the source and of the target language.
        is_word: whether a word in capitals is better known in lower case.
        lower: words that the file has in lower case, in lower case.
        upper: words that the file has in capitals, in sentences that are not.
    """

    languages: tuple[str, str]
    is_word: IsWord
    lower: frozenset[str]
    upper: frozenset[str]

    @classmethod
    def of(cls, sentences: Iterable[str], languages: tuple[str, str], is_word: IsWord) -> Capitals:
        """The words of some sentences."""
        words = [word for s in sentences if not is_in_capitals(s) for word in _WORD.findall(s)]
        lower = frozenset(word for word in words if word.islower())
        upper = frozenset(word for word in words if word.isupper() and word.lower() not in lower)
        return cls(languages, is_word, lower, upper)

    def lowered(self, sentence: str, kept: Sequence[str] = ()) -> str:
        """A sentence in capitals as one in lower case with a capital at the beginning, as long as
        before; any other sentence, or one of acronyms alone, as it is.

        Args:
            sentence: the sentence.
            kept: words of the sentence that stay as they are, such as placeholders.
        """
        text = _without(sentence, kept)
        if not is_in_capitals(text):
            return sentence
        spans = [match.span() for match in _WORD.finditer(text)]
        known = [self._is_known(sentence[start:end]) for start, end in spans]
        if not any(known):
            return sentence
        made: list[str] = []
        position, begins = 0, True
        for (start, end), is_known in zip(spans, known, strict=True):
            word = sentence[start:end]
            made.append(sentence[position:start])
            if is_known or self._may_be_word(word):
                low = self._lower(word)
                made.append(word[0] + low[1:] if begins else low)
            else:
                made.append(word)
            position, begins = end, begins and not any(map(str.isalpha, word))
        return "".join([*made, sentence[position:]])

    def lowered_sentence(self, sentence: Sentence) -> Sentence:
        """The sentence, in lower case if it is in capitals; its protected words stay."""
        lowered = self.lowered(sentence.text, sentence.protected)
        return replace(
            sentence, text=lowered, written="" if lowered == sentence.text else sentence.text
        )

    def raised(self, translation: str, kept: Sequence[str] = ()) -> str:
        """A translation in capitals, as the target language writes them, but for some words."""
        language = primary_language(self.languages[1])
        pieces = regex.split(_any_of(kept), translation) if kept else [translation]
        return "".join(
            piece if index % 2 else _upper(piece, language) for index, piece in enumerate(pieces)
        )

    def restored(self, sentence: TranslatedSentence, original: Sentence) -> TranslatedSentence:
        """A translated sentence in capitals on both sides, if it was in capitals.

        Args:
            sentence: the translation of the sentence in lower case.
            original: the sentence as it was.
        """
        if sentence.source == original.text:
            return sentence
        match = sentence.match
        sentence = replace(sentence, source=original.text)
        # The translation by a person of a sentence in capitals has the capitals that it needs.
        if match is not None and match.is_taken and is_in_capitals(match.source):
            return sentence
        return sentence.with_targets(lambda text: self.raised(text, original.protected))

    def aligning(self, align: AlignSentences, lowered: Sequence[str]) -> AlignSentences:
        """An aligner of documents with sentences in capitals, by the sentences in lower case.

        Args:
            align: aligns the words of sentences.
            lowered: the sentences, those in capitals in lower case.
        """

        def align_lowered(document: Document, indices: Sequence[int]) -> Mapping[int, Alignment]:
            triples = zip(document.source, lowered, document.target or (), strict=True)
            targets = tuple(
                target if source == low else target.lower() for source, low, target in triples
            )
            return align(Document(document.id, tuple(lowered), targets), indices)

        return align_lowered

    def _may_be_word(self, word: str) -> bool:
        """Return whether a word beside words in lower case is hardly an acronym."""
        is_long = len(word) >= _LONG_WORD and word.isalpha()
        return word == "A" or (is_long and word not in self.upper)

    def _is_known(self, word: str) -> bool:
        """Return whether a word in capitals is surely no acronym."""
        if len(word) < 2 or any(map(str.isdigit, word)) or word in self.upper:
            return False
        return self._lower(word) in self.lower or self.is_word(word)

    def _lower(self, word: str) -> str:
        if primary_language(self.languages[0]) in _DOTTED:
            word = word.replace("İ", "i").replace("I", "ı")
        low = word.lower()
        return low if len(low) == len(word) else word


def capitals_of(translator: Translator, sentences: Iterable[Sentence]) -> Capitals | None:
    """The words of documents, for a system of docmt; None for other translators, such as language
    models, which know capitals, and for systems without a translation of each sentence.

    Args:
        translator: translates the documents.
        sentences: the sentences.
    """
    system = system_of(translator)
    if system is None or "sentences" not in translator.gives:
        return None
    texts = [_without(sentence.text, sentence.protected) for sentence in sentences]
    if not any(map(is_in_capitals, texts)):
        return None
    encode = system.pipeline.encode_sentence

    def is_word(word: str) -> bool:
        return len(encode(word.lower())) < len(encode(word))

    return Capitals.of(texts, translator.languages, is_word)


def is_in_capitals(sentence: str) -> bool:
    """Return whether all letters of a sentence that have a case are capitals, and there are two or
    more."""
    capitals = sentence.replace("ß", "ẞ")  # as in GRÖßE
    return capitals.isupper() and sum(map(str.isupper, capitals)) > 1


def _without(sentence: str, kept: Sequence[str]) -> str:
    """A sentence of the same length with spaces in place of some words."""
    return (
        regex.sub(_any_of(kept), lambda match: " " * len(match[0]), sentence) if kept else sentence
    )


def _any_of(words: Sequence[str]) -> str:
    """A pattern for words, as a group."""
    return f"({'|'.join(map(regex.escape, sorted(set(words), key=len, reverse=True)))})"


def _upper(text: str, language: str) -> str:
    """A text in capitals: ß becomes SS, i is dotted in Turkish, Greek capitals have no accents."""
    if language in _DOTTED:
        text = text.replace("i", "İ")
    upper = text.upper()
    if language != "el":
        return upper
    parts = unicodedata.normalize("NFD", upper)
    words = regex.split(r"(\W+)", parts)
    bare = (
        word if unicodedata.normalize("NFC", word) == _ETA else word.replace(_TONOS, "")
        for word in words
    )
    return unicodedata.normalize("NFC", "".join(bare))
