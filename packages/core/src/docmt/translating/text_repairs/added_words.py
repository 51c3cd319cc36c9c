"""`AddedWords`: translations with something that the source does not say.

Small systems have habits: *Logout (em inglês)*, a word twice, a second sentence, a phrase without
end. Brackets at the end are taken off. The other sentences are searched again with a wider beam,
and the best candidate without an addition is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from docmt_files.base.documents import WarningKind
from docmt_nmt.base.translations import Candidate, TranslatedSentence, Translation
from docmt_nmt.translators.checks.addition_checks import additions, without_added_brackets
from docmt_nmt.translators.checks.content_checks import differing_content, superfluous_words
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator

_KINDS: frozenset[WarningKind] = frozenset({"brackets", "repetition", "sentences", "too-long"})
"""Warnings about additions."""


@dataclass(frozen=True)
class _AdditionRetry(Retry):
    """Takes the best candidate without an addition.

    Attributes:
        languages: the codes of the languages.
        shortened: translations without the brackets at their end.
        max_loss: as of `AddedWords`.
        n_best: the number of translations that the user wants.
    """

    languages: tuple[str, str]
    shortened: Mapping[SentenceIndex, str]
    max_loss: float
    n_best: int

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        known = old.sentences[sentence[1]].target
        return self._sound(sentence, new.sentences[sentence[1]], known) is not None

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        return [
            translation.with_sentences(
                self._repaired((owner, index), sentence, (owner, index) in accepted)
                for index, sentence in enumerate(translation.sentences)
            )
            for owner, translation in enumerate(translations)
        ]

    def _repaired(
        self, index: SentenceIndex, sentence: TranslatedSentence, is_new: bool
    ) -> TranslatedSentence:
        """A sentence with its sound candidate, or without brackets."""
        if is_new:
            revision = self.request.revision
            known = "" if revision is None else (revision.known[index[0]].target or ())[index[1]]
            sound = self._sound(index, sentence, known)
            assert sound is not None, "an accepted sentence"
            if sound != sentence.best:
                sentence = _with_target(sentence, sound)
            return replace(sentence, others=sentence.others[: self.n_best - 1])
        if index in self.shortened:
            shorter = Candidate(self.shortened[index], sentence.log_probability)
            return _with_target(sentence, shorter)
        return sentence

    def _sound(
        self, index: SentenceIndex, sentence: TranslatedSentence, known: str
    ) -> Candidate | None:
        """The best candidate without an addition and without a fault that the known translation
        does not have; None if there is none."""
        source, kept = sentence.source, self.request.sentence(index).protected
        faults = _faults(source, known)
        for candidate in sentence.alternatives:
            if candidate.log_probability < sentence.log_probability - self.max_loss:
                continue
            text = candidate.text
            has_more = additions(source, text, self.languages) or superfluous_words(
                source, text, kept
            )
            if text.strip() and not has_more and not _faults(source, text) - faults:
                return candidate
        return None


@dataclass(frozen=True)
class AddedWords(Repair):
    """Takes brackets off that the source lacks, and asks again for other sentences with something
    added.

    Attributes:
        candidates: the number of candidates of a new translation.
        max_loss: the most that a candidate may be less probable than the best one, in mean natural
            log-probability per token.
    """

    candidates: int = 4
    max_loss: float = 1.0

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        shortened: dict[SentenceIndex, str] = {}
        wanted: set[SentenceIndex] = set()
        for owner, translation in enumerate(translations):
            if translation.is_joined:
                continue
            for index, sentence in enumerate(translation.sentences):
                position = owner, index
                if not _may_change(request, position, sentence):
                    continue
                if not additions(sentence.source, sentence.target, translator.languages):
                    continue
                shorter = without_added_brackets(sentence.source, sentence.target)
                kept = request.sentence(position).protected
                if shorter != sentence.target and all(map(shorter.__contains__, kept)):
                    shortened[position] = shorter
                else:
                    wanted.add(position)
        if "alternatives" not in translator.gives or "instructions" in translator.gives:
            wanted = set()  # a language model has looked at its own faults
        if not (shortened or wanted):
            return None
        known = tuple(translation.document for translation in translations)
        revision = revision_for(request, translations, wanted) or Revision(known, frozenset())
        again = replace(request, revision=revision, n_best=max(request.n_best, self.candidates))
        return _AdditionRetry(again, translator.languages, shortened, self.max_loss, request.n_best)


def _may_change(
    request: TranslationRequest, index: SentenceIndex, sentence: TranslatedSentence
) -> bool:
    """Return whether a translation is the translator's own, and wanted."""
    is_wanted = request.revision is None or index in request.revision.sentences
    is_own = sentence.match is None or not sentence.match.is_taken
    return is_wanted and is_own and not sentence.positions


def _with_target(sentence: TranslatedSentence, candidate: Candidate) -> TranslatedSentence:
    """A sentence with another translation, without the warnings about additions and the places of
    codes."""
    others = [each for each in sentence.alternatives if each.text != candidate.text]
    return replace(
        sentence,
        target=candidate.text,
        log_probability=candidate.log_probability,
        others=tuple(others),
        codes=(),
        warnings=tuple(each for each in sentence.warnings if each.kind not in _KINDS),
    )


def _faults(source: str, target: str) -> frozenset[str]:
    """The kinds of content that differ."""
    return frozenset(kind for kind, _ in differing_content(source, target))
