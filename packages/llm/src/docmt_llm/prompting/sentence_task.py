"""`SentenceTask`: a sentence for a large language model to translate, with the required words of
the translation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docmt_llm.prompting.placeholders import Placeholders
from docmt_llm.prompting.prompt_context import Passage
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.term_uses import TermUse, missing_uses


@dataclass(frozen=True, slots=True)
class SentenceTask:
    """A sentence to translate.

    Attributes:
        index: the index of the sentence in the document, from 0.
        sentence: the sentence, with placeholders for protected words.
        terms: the terms of the glossary in the sentence.
        required: further required words: one form of each tuple.
        similar: a similar sentence with the translation by a person.
        previous: a translation to correct, with placeholders for inline codes. Default: the
            sentence is translated anew.
        description: what the sentence is for.
    """

    index: int
    sentence: Placeholders
    terms: tuple[TermUse, ...] = ()
    required: tuple[tuple[str, ...], ...] = ()
    similar: Passage | None = None
    previous: str | None = None
    description: str = ""

    @property
    def id(self) -> str:
        """The id of the sentence in requests: `s` and the number in the document, from 1."""
        return f"s{self.index + 1}"

    @property
    def source(self) -> str:
        """The original sentence."""
        return self.sentence.source

    @property
    def demands(self) -> dict[str, Any]:
        """The terms, words, codes and the similar sentence, for the model to read."""
        terms = [
            {"source": use.term.source[0], "translations": list(use.forms)} for use in self.terms
        ]
        values = {
            "terms": terms,
            "words": [list(forms) for forms in self.required],
            "similar": self.similar and self.similar.data,
            "description": self.description,
            "codes": {**self.sentence.words, **self.sentence.meanings},
        }
        return {key: value for key, value in values.items() if value}

    def missing_words(self, target: str) -> Iterator[str]:
        """Phrases about required terms and words missing in a translation."""
        for use in missing_uses(self.terms, target):
            forms = " or ".join(map(repr, use.forms))
            yield f"{use.term.source[0]!r} must be translated as {forms}"
        for words in self.required:
            if not Glossary([Term(tuple(dict.fromkeys(words)), ())]).find(target):
                yield f"{' or '.join(map(repr, words))} must be in it"
