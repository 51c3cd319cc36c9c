"""`FromMemory`: a translator that takes from translation memories what a person has translated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from docmt.memory import MatchPenalties, MemoryMatch, TranslationMemory, Unit, adapt_unit
from docmt_files.base.documents import Document, InlineCode, MatchKind, Sentence, SentenceMatch
from docmt_files.base.messages import Message, parted
from docmt_files.base.wording import counted
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.translators.decorator import TranslatorDecorator
from docmt_nmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import (
    CostMeter,
    Journal,
    Plan,
    ProgressCallback,
    Translator,
    planned,
    request_of,
)

MIN_RATE = 0.75
"""Minimum rate of a fuzzy match, from 0 to 1."""
_PENALTIES = MatchPenalties()


class Found(NamedTuple):
    """The best match of a sentence.

    Attributes:
        match: the match.
        unit: the unit, with the numbers and placeholders of the sentence if it is taken.
    """

    match: SentenceMatch
    unit: Unit


@dataclass(frozen=True)
class FromMemory(TranslatorDecorator):
    """Takes the translations of sentences that are in a memory, also with other numbers or
    placeholders, and lets the other translator translate the rest: with the taken ones as context
    where it reads its own translations, and with similar sentences where it reads them.

    Attributes:
        memories: the memories; of equally good matches, the first memory's is taken.
        threshold: minimum rate of a fuzzy match, from 0 to 1.
        penalties: what is taken off the rates of matches.
    """

    memories: tuple[TranslationMemory, ...]
    threshold: float = MIN_RATE
    penalties: MatchPenalties = _PENALTIES
    _known: dict[tuple[object, ...], list[MemoryMatch]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def meter(self) -> CostMeter | None:
        meter = self.translator.meter
        return None if meter is None else _MemoryMeter(self, meter)

    def plan(self, request: TranslationRequest) -> Plan:
        return Plan(request, self.translator.plan(request).cautions)

    def fingerprint(self, request: TranslationRequest) -> str | None:
        found = self.find(request)
        known = self.translator.fingerprint(_with_similar(request, found))
        if known is None:
            return None
        return f"{known} {sorted((index, each.unit.target) for index, each in _taken(found))!r}"

    def find(self, request: TranslationRequest) -> dict[SentenceIndex, Found]:
        """The best match of each sentence of a request that has one."""
        found = {}
        for owner, document in enumerate(request.sources):
            for index, sentence in enumerate(document.sentences):
                before = document.sentences[index - 1].text if index else ""
                after = document.sentences[index + 1].text if index + 1 < len(document) else ""
                if (best := self._best(sentence, before, after)) is not None:
                    found[owner, index] = best
        return found

    def _best(self, sentence: Sentence, before: str, after: str) -> Found | None:
        """The best match of a sentence between two others: the translation to take, or the most
        similar one."""
        codes = sentence.codes
        matches = self._matches(sentence, before, after)
        for match in matches:
            if match.rate == 1 and (unit := _adapted(match.unit, sentence.text)) is not None:
                is_same = not match.values_differ and (not codes or _places(codes, unit))
                kind: MatchKind = "in-context" if match.in_context else "exact"
                return Found(_told(match, kind if is_same else "adapted"), unit)
        return Found(_told(matches[0], "fuzzy"), matches[0].unit) if matches else None

    def _matches(self, sentence: Sentence, before: str, after: str) -> list[MemoryMatch]:
        """The matches of a sentence between two others, the best first."""
        text, key = sentence.text, sentence.key
        if not text.strip():
            return []
        place = text, before, after, key, sentence.written, sentence.codes
        if place not in self._known:
            found = [
                replace(match, rate=match.rate - penalty) if penalty else match
                for index, memory in enumerate(self.memories)
                for match in memory.look_up(
                    text, before=before, after=after, key=key, threshold=self.threshold
                )
                for penalty in [self.penalties.of(match, sentence, is_first=not index)]
                if match.rate - penalty >= self.threshold
            ]
            found.sort(key=_order)
            self._known[place] = found
        return self._known[place]

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        wanted = request_of(request)
        found = self.find(wanted)
        taken = dict(_taken(found))
        whole = _with_similar(wanted, found)
        rest = _without(whole, taken)
        if rest is None:
            translations = [Translation.of(d.id, d.source, [""] * len(d)) for d in wanted.sources]
        else:
            divides = taken and "revisions" in self.translator.gives
            plan = planned(self.translator, rest if divides else whole)
            translations = self.translator.translate(plan, progress=progress, journal=journal)
        return [
            translation.with_sentences(
                _with_match(translated, found.get((owner, i)), sentence.codes)
                for i, (translated, sentence) in enumerate(
                    zip(translation.sentences, document.sentences, strict=True)
                )
            )
            for owner, (translation, document) in enumerate(
                zip(translations, wanted.sources, strict=True)
            )
        ]

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        first, others = parted(self.translator.notes(request, translations), "counts")
        counts = Counter(match.kind for each in translations for match in each.matches.values())
        taken = sum(counts.values()) - counts["fuzzy"]
        details = [f"{counts['in-context']:,} of them in the same context"]
        if adapted := counts["adapted"]:
            details.append(f"{adapted:,} with other numbers or codes, which were put in")
        units = [each.unit for _, each in _taken(self.find(request))]
        if added := sum(len(unit.codes[0]) < len(unit.codes[1]) for unit in units):
            details.append(f"{added:,} without inline codes that only the translation had")
        text = f"{counted(taken, 'sentence')} of {request.size:,} from the memory"
        text = f"{text}: {', '.join(details)}" if taken else text
        notes = [*first, Message(text, kind="advice")]
        if fuzzy := counts["fuzzy"]:
            text = f"{counted(fuzzy, 'sentence')} translated anew, with a similar one in the memory"
            notes.append(Message(text, kind="advice"))
        return [*notes, *others]


@dataclass(frozen=True, slots=True)
class _MemoryMeter(CostMeter):
    """The costs of the sentences that are not taken."""

    translator: FromMemory
    meter: CostMeter

    def spent(self) -> list[str]:
        return self.meter.spent()

    def estimator(self) -> Translator:
        return replace(self.translator, translator=self.meter.estimator())


def _order(match: MemoryMatch) -> tuple[bool, float, bool]:
    """Exact matches in context are the best, then exact ones; a person's come first."""
    return not (match.in_context and match.rate == 1), -match.rate, not match.unit.is_reviewed


def _adapted(unit: Unit, source: str) -> Unit | None:
    """The unit for a sentence with the same words; None if a value cannot be put in. Other capitals
    have cost the match its rate, unless the user wants them taken, or the sentence is in capitals
    in the file and in the memory, and in lower case for the translator."""
    return unit if unit.source.lower() == source.lower() else adapt_unit(unit, source)


def _told(match: MemoryMatch, kind: MatchKind) -> SentenceMatch:
    """A match as translations tell it."""
    unit = match.unit
    texts = unit.source, unit.target, unit.origin
    return SentenceMatch(kind, match.rate, *texts, unit.is_reviewed)


def _taken(found: Mapping[SentenceIndex, Found]) -> list[tuple[SentenceIndex, Found]]:
    """The matches whose translation is taken."""
    return [(index, each) for index, each in found.items() if each.match.is_taken]


def _with_similar(
    request: TranslationRequest, found: Mapping[SentenceIndex, Found]
) -> TranslationRequest:
    """The request with the similar sentences of those that are not taken."""
    similar = {index: each.match for index, each in found.items() if not each.match.is_taken}
    if not similar:
        return request
    return request.with_sentences(
        lambda index, sentence: replace(sentence, similar=similar.get(index))
    )


def _without(
    request: TranslationRequest, taken: Mapping[SentenceIndex, Found]
) -> TranslationRequest | None:
    """The request for the sentences that are not taken; None if all are."""
    known, wanted = [], set()
    revised = None if request.revision is None else request.revision.sentences
    for owner, document in enumerate(request.plain_documents):
        targets = list(document.target or ("",) * len(document))
        for index, source in enumerate(document.source):
            if (owner, index) in taken:
                targets[index] = taken[owner, index].unit.target
            elif source.strip() and (revised is None or (owner, index) in revised):
                wanted.add((owner, index))
        known.append(document.translated(targets))
    if not wanted:
        return None
    if request.revision is not None:
        return replace(request, revision=replace(request.revision, sentences=frozenset(wanted)))
    revision = Revision(tuple(known), frozenset(wanted), continued=True)
    return replace(request, revision=revision)


def _with_match(
    sentence: TranslatedSentence, found: Found | None, codes: Sequence[InlineCode]
) -> TranslatedSentence:
    """A sentence with its match: if the translation of the match is taken, nothing else is."""
    if found is None:
        return replace(sentence, match=None)
    if not found.match.is_taken:
        return replace(sentence, match=found.match)
    places = _places(codes, found.unit)
    return TranslatedSentence(sentence.source, found.unit.target, codes=places, match=found.match)


def _places(codes: Sequence[InlineCode], unit: Unit) -> tuple[int, ...]:
    """Where the inline codes of a sentence go: where the person has put them, if the sentence has
    the same codes; empty otherwise."""
    own, theirs = unit.codes
    is_same = tuple(code.offset for code in codes) == own and len(own) == len(theirs)
    return theirs if is_same else ()
