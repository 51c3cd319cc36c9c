"""`CopiedLabels`: labels of programs, such as *Refresh*, that a system leaves like names.

In lower case they are words, so they are translated again in lower case, and the translation gets
the capital. Names stay: words with a capital within sentences of the document.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from docmt.translating.text_repairs.second_translations import capitals_within
from docmt_files.base.documents import Sentence
from docmt_files.base.languages import primary_language
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.checks.addition_checks import additions
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator

_LABEL = regex.compile(r"\p{Lu}\p{Ll}{2,}(?:[ ]\p{L}\p{Ll}+){0,2}")
"""One to three words of which the first has a capital, without further capitals in words."""
_MIN_LETTERS = 4


@dataclass(frozen=True)
class _LabelRetry(Retry):
    """Takes a translation of a label in lower case that is none of its words.

    Attributes:
        labels: the labels as they were.
        languages: the codes of the languages.
        min_log_probability: as of `CopiedLabels`.
    """

    labels: Mapping[SentenceIndex, str]
    languages: tuple[str, str]
    min_log_probability: float

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        before, after = (each.sentences[sentence[1]] for each in (old, new))
        words, others = (set(text.lower().split()) for text in (before.source, after.target))
        return (
            bool(others)
            and words.isdisjoint(others)
            and len(others) <= 2 * len(words) + 1
            and after.log_probability >= self.min_log_probability
            and not after.warnings
            and not additions(before.source, after.target, self.languages)
        )

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        """The translations with the labels as they were, and capitals."""
        return [
            translation.with_sentences(
                _capitalized(sentence, self.labels[owner, index])
                if (owner, index) in accepted
                else sentence
                for index, sentence in enumerate(translation.sentences)
            )
            for owner, translation in enumerate(translations)
        ]


@dataclass(frozen=True)
class CopiedLabels(Repair):
    """Asks again, in lower case, for labels whose translations are the labels themselves.

    Attributes:
        min_log_probability: the least mean natural log-probability per token of a new translation.
    """

    min_log_probability: float = -0.7

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        source, target = map(primary_language, translator.languages)
        if source == target or "instructions" in translator.gives:
            return None  # a language model knows labels
        wanted = set()
        for owner, translation in enumerate(translations):
            if translation.is_joined:
                continue
            names: Collection[str] | None = None
            for index, sentence in enumerate(translation.sentences):
                if _is_copied_label(request.sentence((owner, index)), sentence):
                    names = capitals_within(request.sources[owner]) if names is None else names
                    if not any(word in names for word in sentence.source.split()):
                        wanted.add((owner, index))
        revision = revision_for(request, translations, wanted)
        if revision is None:
            return None
        chosen = revision.sentences
        lowered = request.with_sentences(
            lambda index, each: replace(each, text=each.text.lower()) if index in chosen else each
        )
        return _LabelRetry(
            replace(lowered, revision=revision),
            {index: request.sentence(index).text for index in chosen},
            translator.languages,
            self.min_log_probability,
        )


def _is_copied_label(given: Sentence, sentence: TranslatedSentence) -> bool:
    """Return whether a sentence is a label of words, and its translation the same."""
    if sentence.target != sentence.source or given.protected or sentence.positions:
        return False
    if sentence.match is not None and sentence.match.is_taken:
        return False
    is_label = _LABEL.fullmatch(sentence.source) is not None
    return is_label and len(sentence.source) >= _MIN_LETTERS


def _capitalized(sentence: TranslatedSentence, label: str) -> TranslatedSentence:
    """The translation of a label, with a capital at the beginning."""
    return replace(sentence, source=label, codes=()).with_targets(
        lambda text: text[:1].upper() + text[1:]
    )
