"""`LostNames`: words that are no words of the language, such as *crontasks* or *linkding*, of which
a system makes others: *crontas*, *vinculação*.

Such a name is kept as it is. A word is one if its form says so (`OmegaT`); with a capital within
sentences and never in lower case, if it is a command in code (`ant -f`), or most translations keep
it; in lower case, if it is a command or the title, and most translations keep it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import regex

from docmt.translating.text_repairs.second_translations import capitals_within, is_no_worse
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, SourceDocument, TranslationRequest
from docmt_nmt.translators.translator import Translator

_WORD = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_./@\\$%&{<-])\p{L}[\p{L}\p{M}\p{N}]{2,}"
    r"(?![\p{L}\p{M}\p{N}_/@\\}>(-]|\.\p{L})"
)
_COMMAND = regex.compile(r"\p{L}[\p{L}\p{N}-]{2,}(?=\s|\Z)")
_LONG_WORD = regex.compile(r"[\p{L}\p{M}]{4,}")
_MIXED = regex.compile(r"\p{Lu}?\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}+\p{N}+")
_MIN_KEPT, _MIN_WITHIN = 2, 2
"""Sentences that must keep a word with a capital that nothing else shows to be a name, and uses
within sentences of any such word."""
_MAX_TITLE = 3
"""The most words of the title of a project."""
_STEM = 5
"""The letters that inflected forms of a word have in common."""


@dataclass(frozen=True)
class _NameRetry(Retry):
    """Takes translations that have the names and have lost nothing else.

    Attributes:
        names: the names of each sentence.
        languages: the codes of the languages.
        max_loss: as of `LostNames`.
    """

    names: dict[SentenceIndex, list[str]]
    languages: tuple[str, str]
    max_loss: float

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        before, after = (each.sentences[sentence[1]] for each in (old, new))
        return (
            is_no_worse(before, after, self.languages, self.max_loss)
            and all(map(after.target.__contains__, self.names[sentence]))
            and self._replaced(sentence, before, after) <= 0
        )

    def _replaced(
        self, index: SentenceIndex, before: TranslatedSentence, after: TranslatedSentence
    ) -> int:
        """The number of words that a new translation has lost beside one for each name."""
        known, new = (
            Counter(word[:_STEM].lower() for word in _LONG_WORD.findall(each.target))
            for each in (before, after)
        )
        names = sum(before.source.count(name) for name in self.names[index])
        return (known - new).total() - names


@dataclass(frozen=True)
class LostNames(Repair):
    """Asks again for sentences without a name of their source.

    Attributes:
        max_loss: the most that a new translation may be less probable, in mean natural
            log-probability per token.
    """

    max_loss: float = 1.0

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        if request.revision is not None or "words" not in translator.gives:
            return None
        if "instructions" in translator.gives:
            return None  # a language model is told which words to keep
        names: dict[SentenceIndex, list[str]] = {}
        for owner, translation in enumerate(translations):
            if not translation.is_joined:
                for index, lost in _lost(request.sources[owner], translation):
                    names[owner, index] = lost
        revision = revision_for(request, translations, names)
        if revision is None:
            return None
        required = {index: [(name,) for name in lost] for index, lost in names.items()}
        again = replace(request, revision=replace(revision, required=required))
        return _NameRetry(again, names, translator.languages, self.max_loss)


def _lost(document: SourceDocument, translation: Translation) -> Iterator[tuple[int, list[str]]]:
    """The index of each sentence that lacks names, with the names."""
    words = [_words(sentence.text, sentence.protected) for sentence in document.sentences]
    kept = Counter(
        word
        for of_sentence, given, sentence in zip(
            words, document.sentences, translation.sentences, strict=True
        )
        for word in set(of_sentence).intersection(_words(sentence.target, given.protected))
        if sentence.target != sentence.source
    )
    known = _Words(
        Counter(word for of_sentence in words for word in of_sentence),
        kept,
        capitals_within(document),
        _named(document),
    )
    for index, sentence in enumerate(translation.sentences):
        is_taken = sentence.match is not None and sentence.match.is_taken
        if is_taken or sentence.positions or not sentence.target.strip():
            continue
        target = sentence.target.lower()
        begins = _WORD.match(sentence.source)
        lost = [
            word
            for word in words[index]
            if word.lower() not in target and known.is_name(word, begins and begins[0] == word)
        ]
        if lost:
            yield index, lost


class _Words(NamedTuple):
    """The words of a document.

    Attributes:
        seen: the number of sentences with each word.
        kept: the number of them whose translation has the word.
        within: the words with a capital within sentences.
        named: the words that code and titles name, in lower case.
    """

    seen: Counter[str]
    kept: Counter[str]
    within: Counter[str]
    named: frozenset[str]

    def is_name(self, word: str, begins: bool | None) -> bool:
        """Return whether a word is a name; one that begins a sentence may have its capital from
        there."""
        if _MIXED.fullmatch(word):
            return True
        seen, kept, low = self.seen[word], self.kept[word], word.lower()
        if word.islower():
            return low in self.named and kept > 0 and 3 * kept >= seen
        if self.seen[low] or self.within[word] < _MIN_WITHIN:
            return False
        is_usual = kept >= _MIN_KEPT and 2 * kept >= seen and not begins
        return low in self.named or is_usual


def _named(document: SourceDocument) -> frozenset[str]:
    """The commands in code, and the words in lower case of titles."""
    commands = (
        match[0].lower()
        for sentence in document.sentences
        for protected in sentence.protected
        for match in [_COMMAND.match(protected.strip("`"))]
        if match
    )
    titles = (
        word
        for sentence in document.sentences
        if sentence.heading == 1
        for word in _words(sentence.text)
        if word.islower() and len(sentence.text.split()) <= _MAX_TITLE
    )
    return frozenset((*commands, *titles))


def _words(text: str, protected: Sequence[str] = ()) -> list[str]:
    """The words of a sentence but for protected ones, each once."""
    for words in protected:
        text = text.replace(words, " ")
    return list(dict.fromkeys(_WORD.findall(text)))
