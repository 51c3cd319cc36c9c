"""`SentenceTask`: a sentence that a large language model is to translate, and what its translation
must have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docmt.glossaries import Glossary, Term
from docmt.glossaries.uses import TermUse, missing_uses
from docmt.language_models.placeholders import Placeholders


@dataclass(frozen=True, slots=True)
class SentenceTask:
    """A sentence to translate.

    Attributes:
        index: its index in the document, from 0.
        sentence: the sentence, with placeholders for its protected words.
        terms: the terms of the glossary in it.
        required: what its translation is to contain besides: of each tuple of forms one.
    """

    index: int
    sentence: Placeholders
    terms: tuple[TermUse, ...] = ()
    required: tuple[tuple[str, ...], ...] = ()

    @property
    def id(self) -> str:
        """Its id in requests: its number in the document."""
        return f"s{self.index + 1}"

    @property
    def source(self) -> str:
        """The sentence as it is in the document."""
        return self.sentence.source

    @property
    def demands(self) -> dict[str, Any]:
        """What the model reads of the terms, words and codes of the sentence."""
        terms = [
            {"source": use.term.source[0], "translations": list(use.forms)} for use in self.terms
        ]
        values = {
            "terms": terms,
            "words": [list(forms) for forms in self.required],
            "codes": {**self.sentence.words, **self.sentence.meanings},
        }
        return {key: value for key, value in values.items() if value}

    def missing_words(self, target: str) -> Iterator[str]:
        """Phrases about the terms and words that a translation must have and has not."""
        for use in missing_uses(self.terms, target):
            forms = " or ".join(map(repr, use.forms))
            yield f"{use.term.source[0]!r} must be translated as {forms}"
        for words in self.required:
            if not Glossary([Term(tuple(dict.fromkeys(words)), ())]).find(target):
                yield f"{' or '.join(map(repr, words))} must be in it"
