"""`SimilarWords`: the words of a person in a similar sentence of a translation memory.

A language model reads the similar sentence. Other systems write the sentence anew, in words of
their own. So the words that both source sentences have in common are aligned with the person's
translation, and those that the new translation lacks are required in a second search. It is taken
if it has lost nothing else. This is the idea of neural fuzzy repair (Bulte and Tezcan 2019) without
training: the terms are those of one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
import regex

from docmt.translating.text_repairs.second_translations import is_no_worse
from docmt.translating.word_aligner import code_aligner
from docmt_files import Alignment, word_spans
from docmt_files.base.documents import Document, SentenceMatch
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.checks.candidate_checks import losses
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator

_WORD = regex.compile(r"\p{L}{4,}")
_MIN_WEIGHT = 0.3
"""The least weight of a target word for its source word."""


@dataclass(frozen=True)
class SimilarWords(Repair):
    """Asks again for sentences with a similar one in a memory, with the words of the person.

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
        if request.revision is not None or not {"words", "revisions"} <= translator.gives:
            return None
        if "instructions" in translator.gives:
            return None  # a language model has read the similar sentence
        similar = {
            (owner, index): sentence.match
            for owner, translation in enumerate(translations)
            if not translation.is_joined
            for index, sentence in enumerate(translation.sentences)
            if sentence.match is not None and _is_usable(sentence)
        }
        align, _ = code_aligner(translator) if similar else (None, "")
        if align is None:
            return None
        units = list(similar.values())
        pairs = Document(
            "memory", tuple(each.source for each in units), tuple(each.target for each in units)
        )
        weights = align(pairs, range(len(units)))
        required: dict[SentenceIndex, tuple[str, ...]] = {}
        for rank, (position, match) in enumerate(similar.items()):
            sentence = translations[position[0]].sentences[position[1]]
            known = sentence.target.lower()
            words = _common_words(match, sentence.source, weights.get(rank))
            lacking = dict.fromkeys(word for word in words if word.lower() not in known)
            if lacking:
                required[position] = tuple(lacking)
        revision = revision_for(request, translations, required)
        if revision is None:
            return None
        forms = {
            position: [
                tuple(dict.fromkeys((word, word.lower(), word.capitalize()))) for word in each
            ]
            for position, each in required.items()
        }
        again = replace(request, revision=replace(revision, required=forms))
        return _SimilarRetry(again, required, translator.languages, self.max_loss)


@dataclass(frozen=True)
class _SimilarRetry(Retry):
    """Takes translations that have the words of the person and have lost nothing else.

    Attributes:
        words: the words required of each sentence.
        languages: the codes of the languages.
        max_loss: as of `SimilarWords`.
    """

    words: Mapping[SentenceIndex, Sequence[str]]
    languages: tuple[str, str]
    max_loss: float

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        before, after = (each.sentences[sentence[1]] for each in (old, new))
        return (
            is_no_worse(before, after, self.languages, self.max_loss)
            and all(word.lower() in after.target.lower() for word in self.words[sentence])
            and {each.kind for each in after.warnings} <= {each.kind for each in before.warnings}
            and not any(losses(before.source, before.target, after.target))
        )


def _is_usable(sentence: TranslatedSentence) -> bool:
    """Return whether a sentence was translated anew beside a similar one by a person."""
    match = sentence.match
    is_similar = match is not None and not match.is_taken and match.is_reviewed
    return is_similar and bool(sentence.target.strip()) and not sentence.positions


def _common_words(match: SentenceMatch, source: str, weights: Alignment | None) -> Iterator[str]:
    """The long words of the translation by a person that translate a word of both sources."""
    spans = word_spans(match.source), word_spans(match.target)
    table = np.asarray(weights, np.float32)
    if table.shape != tuple(map(len, spans)) or not table.size:
        return
    own = [match.source[slice(*span)].lower() for span in spans[0]]
    theirs = [match.target[slice(*span)] for span in spans[1]]
    new = [source[slice(*span)].lower() for span in word_spans(source)]
    for block in SequenceMatcher(None, own, new, autojunk=False).get_matching_blocks():
        for row in range(block.a, block.a + block.size):
            column = int(table[row].argmax())
            is_clear = table[row, column] >= _MIN_WEIGHT and table[:, column].argmax() == row
            if is_clear and _WORD.fullmatch(own[row]) and _WORD.fullmatch(theirs[column]):
                yield theirs[column]
