"""`NameTranslations`: the names in a document so far, with their translations, for a language model
to use again.

A name is a word, or several consecutive words, with a capital letter for another reason than the
beginning of a sentence. The translation of a name is the sequence of capitalized words with the
greatest Dice coefficient, 2·|S ∩ T| / (|S| + |T|), for the source sentences S with the name and the
target sentences T with the translation. So in languages without capital letters, only names copied
unchanged have a translation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import regex

from docmt_files.base.languages import primary_language
from docmt_llm.prompting.prompt_context import Passage
from docmt_nmt.text.word_lists import FUNCTION_WORDS

_CAPITALIZED = regex.compile(r"\p{Lu}[\p{L}\p{M}\p{N}]*(?:[-'’]\p{L}[\p{L}\p{M}\p{N}]*)*")
_NAME = regex.compile(rf"(?:{_CAPITALIZED.pattern})(?: (?:{_CAPITALIZED.pattern}))*")
_BEGINS = regex.compile(r"(?:\A|[.!?:…]\s)[\s\p{P}]*\Z")
"""Text before the first word of a sentence."""

_MIN_LETTERS = 3
_MIN_SENTENCES = 2
_MIN_DICE = 0.75
_MAX_NAMES = 20
"""Maximum number of names in a request."""


class NameTranslations:
    """The names of a document.

    Args:
        languages: the codes of the source and of the target language.
    """

    def __init__(self, languages: tuple[str, str]) -> None:
        source, target = map(primary_language, languages)
        self._function_words = FUNCTION_WORDS.get(source, frozenset())
        self._target_function_words = FUNCTION_WORDS.get(target, frozenset())
        self._sentences: Counter[str] = Counter()
        self._translations: Counter[str] = Counter()
        self._together: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, source: str, target: str) -> None:
        """Add a sentence with its translation."""
        names = set(_names(source, self._function_words))
        translations = set(_names(target, self._target_function_words, is_first_word_one=True))
        same = {name for name in names if name in target}
        self._translations.update(translations | same)
        for name in names:
            self._sentences[name] += 1
            self._together[name].update({name} if name in same else translations - same)

    def find(self, *sentences: str) -> tuple[Passage, ...]:
        """The names with known translations in some sentences, in order."""
        found: dict[str, Passage] = {}
        for sentence in sentences:
            for name in _names(sentence, self._function_words):
                translation = self._translation(name) if name not in found else None
                if translation is not None:
                    found[name] = Passage(name, translation)
        whole = [
            name for name in found if not any(name in other for other in found.keys() - {name})
        ]
        return tuple(found[name] for name in whole[:_MAX_NAMES])

    def _translation(self, name: str) -> str | None:
        """The translation of a name; None if it is not clear."""
        count = self._sentences[name]
        if count < _MIN_SENTENCES:
            return None

        def dice(translation: str) -> float:
            both = self._together[name][translation]
            return 2 * both / (count + self._translations[translation])

        best = max(self._together[name], key=lambda text: (dice(text), len(text), text), default="")
        return best if best and dice(best) >= _MIN_DICE else None


def _names(
    sentence: str, function_words: frozenset[str], *, is_first_word_one: bool = False
) -> Iterator[str]:
    """The names of a sentence, without words possibly capitalized for another reason.

    Args:
        function_words: words to leave out.
        is_first_word_one: whether the first word counts.
    """
    for match in _NAME.finditer(sentence):
        first, _, rest = match[0].partition(" ")
        begins = _BEGINS.search(sentence[: match.start()]) is not None
        found = [rest] if begins else []
        if first.lower() not in function_words and (rest or is_first_word_one or not begins):
            found.append(match[0])
        for name in found or [rest]:
            if len(name) >= _MIN_LETTERS and name.lower() not in function_words:
                yield name
