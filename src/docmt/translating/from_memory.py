"""`FromMemory`: a translator that takes from translation memories what a person has translated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from docmt.ground.documents import Alternative, Document, Translation
from docmt.ground.wording import counted
from docmt.memory import MemoryMatch, TranslationMemory
from docmt.memory.similarity import tokenize, without_numbers
from docmt.translators.decorator import TranslatorDecorator
from docmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt.translators.translator import Journal, Plan, ProgressCallback, planned, request_of

MIN_RATE = 0.75
"""Minimum rate of a fuzzy match, from 0 to 1."""


@dataclass(frozen=True)
class Taken:
    """A sentence from a memory.

    Attributes:
        match: the match.
        target: the translation, with the numbers of the sentence.
    """

    match: MemoryMatch
    target: str


@dataclass(frozen=True)
class FromMemory(TranslatorDecorator):
    """Takes the translations of sentences that are in a memory, also with other numbers, and lets
    the other translator translate the rest, with the taken ones as context where it reads its own
    translations.

    Attributes:
        memories: the memories; of equally good matches, the first memory's is taken.
    """

    memories: tuple[TranslationMemory, ...]

    def plan(self, request: TranslationRequest) -> Plan:
        return Plan(request, self.translator.plan(request).cautions)

    def fingerprint(self, request: TranslationRequest) -> str | None:
        known = self.translator.fingerprint(request)
        if known is None:
            return None
        taken = self.taken(request)
        return f"{known} {sorted((index, each.target) for index, each in taken.items())!r}"

    def taken(self, request: TranslationRequest) -> dict[SentenceIndex, Taken]:
        """The sentences of a request that are taken from the memories."""
        found = {}
        for owner, document in enumerate(request.documents):
            for index in range(len(document)):
                matches = self.matches(document, index, threshold=1.0)
                if (taken := _taken(document.source[index], matches)) is not None:
                    found[owner, index] = taken
        return found

    def matches(
        self, document: Document, index: int, *, threshold: float = MIN_RATE
    ) -> list[MemoryMatch]:
        """The matches of a sentence of a document, the best first."""
        source = document.source
        if not source[index].strip():
            return []
        found = [
            match
            for memory in self.memories
            for match in memory.look_up(
                source[index],
                before=source[index - 1] if index else "",
                after=source[index + 1] if index + 1 < len(source) else "",
                threshold=threshold,
            )
        ]
        return sorted(found, key=lambda match: (not match.in_context, -match.rate))

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        wanted = request_of(request)
        taken = self.taken(wanted)
        if not taken:
            plan = planned(self.translator, wanted)
            return self.translator.translate(plan, progress=progress, journal=journal)
        rest = _without(wanted, taken)
        if rest is None:
            return [
                _whole(document, owner, taken, wanted)
                for owner, document in enumerate(wanted.documents)
            ]
        given = rest if "revisions" in self.translator.gives else wanted
        translations = self.translator.translate(given, progress=progress, journal=journal)
        return [
            _with_taken(translation, owner, taken, wanted)
            for owner, translation in enumerate(translations)
        ]

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        first, *others = self.translator.notes(request, translations)
        taken = self.taken(request)
        context = sum(each.match.in_context for each in taken.values())
        numbers = sum(each.match.numbers_differ for each in taken.values())
        counts = f"{counted(len(taken), 'sentence')} of {request.sentences:,} from the memory"
        details = [f"{context:,} of them in the same context"]
        if numbers:
            details.append(f"{numbers:,} with other numbers, which were put in")
        if added := sum(
            len(each.match.unit.codes[0]) < len(each.match.unit.codes[1]) for each in taken.values()
        ):
            details.append(f"{added:,} without inline codes that only the translation had")
        return [first, f"{counts}: {', '.join(details)}", *others]


def _taken(source: str, matches: Sequence[MemoryMatch]) -> Taken | None:
    """The translation to take for a sentence: of the best exact match, or of one with other numbers
    that can be put in."""
    for match in matches:
        unit = match.unit
        if without_numbers(unit.source) != without_numbers(source):
            continue
        target = _with_numbers(unit.source, unit.target, source) if match.numbers_differ else None
        if not match.numbers_differ or target is not None:
            return Taken(match, unit.target if target is None else target)
    return None


def _with_numbers(old: str, target: str, new: str) -> str | None:
    """A translation of a sentence with the numbers of another sentence, which has the same words;
    None if a number that differs is not in the translation as it is in its source, once."""
    for before, after in zip(tokenize(old).numbers, tokenize(new).numbers, strict=True):
        if before == after:
            continue
        places = list(re.finditer(rf"(?<![\d.,]){re.escape(before)}(?![.,]?\d)", target))
        if len(places) != 1:
            return None
        target = target[: places[0].start()] + after + target[places[0].end() :]
    return target


def _without(
    request: TranslationRequest, taken: Mapping[SentenceIndex, Taken]
) -> TranslationRequest | None:
    """The request for the sentences that are not taken; None if all are."""
    known, wanted = [], set()
    revised = None if request.revision is None else request.revision.sentences
    for owner, document in enumerate(request.documents):
        targets = list(document.target or ("",) * len(document))
        for index, source in enumerate(document.source):
            if (owner, index) in taken:
                targets[index] = taken[owner, index].target
            elif source.strip() and (revised is None or (owner, index) in revised):
                wanted.add((owner, index))
        known.append(document.translated(targets))
    if not wanted:
        return None
    if request.revision is not None:
        return replace(request, revision=replace(request.revision, sentences=frozenset(wanted)))
    revision = Revision(tuple(known), frozenset(wanted), continued=True)
    return replace(request, revision=revision)


def _with_taken(
    translation: Translation,
    owner: int,
    taken: Mapping[SentenceIndex, Taken],
    request: TranslationRequest,
) -> Translation:
    """A translation with the sentences that are taken."""
    own = {index: each for (document, index), each in taken.items() if document == owner}
    if not own:
        return translation

    def merged(targets: Sequence[str]) -> tuple[str, ...]:
        return tuple(own[i].target if i in own else text for i, text in enumerate(targets))

    def certain(values: Sequence[float]) -> tuple[float, ...]:
        return tuple(0.0 if i in own else value for i, value in enumerate(values))

    alternatives = tuple(
        Alternative(merged(each.sentences), certain(each.log_probabilities))
        for each in translation.alternatives
    )
    codes = {i: places for i, places in translation.codes.items() if i not in own}
    return replace(
        translation,
        document=translation.document.translated(merged(translation.document.target or ())),
        log_probabilities=certain(translation.log_probabilities),
        truncated=tuple(i for i in translation.truncated if i not in own),
        alternatives=alternatives,
        warnings=tuple(each for each in translation.warnings if each.sentence not in own),
        codes=codes | _code_places(owner, own, request),
    )


def _whole(
    document: Document,
    owner: int,
    taken: Mapping[SentenceIndex, Taken],
    request: TranslationRequest,
) -> Translation:
    """The translation of a document whose sentences are all taken."""
    empty = ("",) * len(document)
    zeros = (0.0,) * len(document)
    nothing = Translation(
        document.translated(empty), zeros, (len(document),), (), (Alternative(empty, zeros),)
    )
    return _with_taken(nothing, owner, taken, request)


def _code_places(
    owner: int, taken: Mapping[int, Taken], request: TranslationRequest
) -> dict[int, tuple[int, ...]]:
    """Where the inline codes of taken sentences go: where the person has put them, if the sentence
    has the same codes, and the translation no other numbers."""
    places = {}
    for index, each in taken.items():
        codes = request.codes.get((owner, index), ())
        own, theirs = each.match.unit.codes
        offsets = tuple(code.offset for code in codes)
        if each.target == each.match.unit.target and offsets == own and len(own) == len(theirs):
            places[index] = theirs
    return {index: where for index, where in places.items() if where}
