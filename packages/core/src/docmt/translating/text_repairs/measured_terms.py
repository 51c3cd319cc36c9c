"""`MeasuredTerms`: forced terms are held beside the free translation.

Search that must write a term may pay with the words around: it leaves some out, begins a second
sentence, or ends early. So the sentences with terms are translated again without them. Where the
forced translation is worse than the free one, the terms are put into the free one in place of their
own words (`placed_terms`). A sentence that stays worse has a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import regex

from docmt.translating.text_repairs.placed_terms import Placed, placed_terms, with_capitals_of
from docmt.translating.word_aligner import code_aligner
from docmt_files import Alignment
from docmt_files.base.documents import Document, SentenceWarning
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.checks.addition_checks import additions
from docmt_nmt.translators.checks.candidate_checks import losses
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.term_uses import TermUse, find_uses, missing_uses
from docmt_nmt.translators.translator import Translator

_WORD = regex.compile(r"[\p{L}\p{M}]{4,}")
_STEM = 5
"""The letters that inflected forms of a word have in common."""


@dataclass(frozen=True)
class MeasuredTerms(Repair):
    """Puts terms into free translations that are better than the forced ones.

    Attributes:
        max_loss: the most that a forced translation may be less probable than the free one, in mean
            natural log-probability per token.
        max_lost: the most words of the free translation that a forced one may lose, as a share.
    """

    max_loss: float = 0.5
    max_lost: float = 0.5

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        if request.glossary is None or not {"words", "sentences"} <= translator.gives:
            return None
        if "instructions" in translator.gives:
            return None  # a language model writes terms as it likes
        glossary = request.glossary.normalized(translator.normalize)
        uses: dict[SentenceIndex, list[TermUse]] = {}
        for owner, translation in enumerate(translations):
            for index, sentence in enumerate(translation.sentences):
                given = request.sentence((owner, index))
                is_taken = sentence.match is not None and sentence.match.is_taken
                if is_taken or sentence.positions or not sentence.target.strip():
                    continue
                if found := find_uses(glossary, given.text, given.protected):
                    uses[owner, index] = found
        revision = revision_for(request, translations, uses)
        if revision is None:
            return None
        again = replace(request, glossary=None, revision=revision)
        return _FreeRetry(again, translator, glossary, uses, tuple(translations), self)


@dataclass(frozen=True)
class _FreeRetry(Retry):
    """Takes free translations with the terms put in, where forced ones are worse.

    Attributes:
        translator: aligns words.
        glossary: the terms.
        uses: the terms of each sentence.
        forced: the translations with forced terms.
        limits: what a forced translation may lose.
    """

    translator: Translator
    glossary: Glossary
    uses: Mapping[SentenceIndex, Sequence[TermUse]]
    forced: tuple[Translation, ...]
    limits: MeasuredTerms

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        """The better one of the forced and the free translation of each sentence."""
        concluded: list[Translation] = []
        for owner, (free, forced) in enumerate(zip(translations, self.forced, strict=True)):
            wanted = [index for of, index in sorted(accepted) if of == owner]
            placed = self._placed(owner, free, wanted)
            sentences = list(forced.sentences)
            for index in wanted:
                sentences[index] = self._better(
                    self.uses[owner, index],
                    sentences[index],
                    free.sentences[index],
                    placed.get(index),
                )
            concluded.append(forced.with_sentences(sentences))
        return concluded

    def _placed(
        self, owner: int, free: Translation, wanted: Sequence[int]
    ) -> dict[int, Placed | None]:
        """The free translations of some sentences with the terms that they lack."""
        lacking = {
            index: missing
            for index in wanted
            if (missing := missing_uses(self.uses[owner, index], free.sentences[index].target))
        }
        placed: dict[int, Placed | None] = {
            index: Placed(free.sentences[index].target, (), ())
            for index in wanted
            if index not in lacking
        }
        align, _ = code_aligner(self.translator)
        document = self.request.sources[owner]
        aligned: Mapping[int, Alignment] = {}
        if lacking and align is not None:
            pair = Document(document.id, document.source, free.target)
            aligned = align(pair, sorted(lacking))
        for index, weights in aligned.items():
            if not isinstance(weights, np.ndarray):
                continue
            given, target = document.sentences[index], free.sentences[index].target
            found = placed_terms(self.glossary, lacking[index], given.text, target, weights)
            if found is not None and all(
                found.text.count(word) == target.count(word) for word in given.protected
            ):
                placed[index] = found
        return placed

    def _better(
        self,
        uses: Sequence[TermUse],
        forced: TranslatedSentence,
        free: TranslatedSentence,
        placed: Placed | None,
    ) -> TranslatedSentence:
        """The forced translation, or the free one with terms in it."""
        forms = [form for use in uses for form in use.forms]
        forced = forced.with_targets(lambda text: with_capitals_of(text, free.target, forms))
        faults = self._faults(forced, free, placed, forms)
        if not faults:
            return forced
        if placed is not None and not missing_uses(uses, placed.text):
            text = with_capitals_of(placed.text, free.target, forms)
            codes = free.codes if text == free.target else ()
            others = forced.alternatives[: len(forced.others)]
            return replace(free, target=text, codes=codes, others=others)
        warning = SentenceWarning("terms", f"{', '.join(faults)} beside the free translation")
        return forced.warned((*forced.warnings, warning))

    def _faults(
        self,
        forced: TranslatedSentence,
        free: TranslatedSentence,
        placed: Placed | None,
        forms: Sequence[str],
    ) -> list[str]:
        """What a forced translation has lost or added, in words."""
        source, languages = forced.source, self.translator.languages
        known = set(additions(source, free.target, languages))
        faults = [each for each in additions(source, forced.target, languages) if each not in known]
        measure = free.target if placed is None else placed.text
        faults += [
            each
            for each in losses(source, measure, forced.target)
            if not each.startswith("names: ")
        ]
        loss = free.log_probability - forced.log_probability
        if loss > self.limits.max_loss * (1 if placed is not None else 2):
            faults.append("less probable")
        if forced.truncated and not free.truncated:
            faults.append("cut off")
        lost, added = changed_words(measure, forced.target, forms)
        replaced = 0 if placed is not None else sum(len(form.split()) for form in forms)
        words = max(1, len(_WORD.findall(measure)))
        if (lost - replaced) > self.limits.max_lost * words:
            faults.append("words lost")
        if added - replaced > self.limits.max_lost * words:
            faults.append("words added")
        return faults


def changed_words(measure: str, text: str, forms: Sequence[str]) -> tuple[int, int]:
    """The numbers of words that a translation lacks and has besides, but for those of terms."""
    for form in forms:
        pattern = rf"(?i)(?<!\p{{L}}){regex.escape(form)}(?!\p{{L}})"
        measure, text = (regex.sub(pattern, " ", each) for each in (measure, text))
    known, new = (
        Counter(word[:_STEM].casefold() for word in _WORD.findall(each)) for each in (measure, text)
    )
    return (known - new).total(), (new - known).total()
