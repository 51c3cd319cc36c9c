"""`ContextSwitch`: a context adapter over a sentence-level translator. The translation in context
is taken only where the context decides.

Each sentence is translated alone, a, and in context, b, which is given by base and adapter as one
system. b is taken if

    [log p(b | x, c) − log p(b | x)] − [log p(a | x, c) − log p(a | x)] > threshold

in nats, over sums, for a source sentence x and the sentences c before it: the context, and not the
manner of the adapter, must prefer it. b is refused where it loses what a has (`candidate_checks` of
`docmt_nmt.translators.checks`). A first sentence, and one without a cue that the adapter names,
keeps its translation and is not searched twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, Unpack

from docmt.in_context.candidate_scores import Candidates, candidate_gains
from docmt.in_context.context_decisions import (
    ChangeLog,
    ContextChange,
    ContextDecision,
    kept_changes,
    with_changes,
)
from docmt.in_context.context_search import ContextSearch, as_written
from docmt.in_context.context_stretches import Stretch, stretches_of
from docmt.in_context.sentence_states import keeping_states
from docmt.in_context.switching import Switching
from docmt_files.base.documents import Document, Sentence, WarningKind
from docmt_files.storage.files import PathLike
from docmt_nmt.base.translations import Candidate, Translation
from docmt_nmt.decoding.assembling import translated_sentences
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.nn import prepack_weights
from docmt_nmt.nn.devices import chosen_device
from docmt_nmt.recipes.merging import merge_section
from docmt_nmt.recipes.search import SearchOverrides, SearchSettings
from docmt_nmt.runs.context_adapters import ContextAdapter
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.text.context_cues import has_cue
from docmt_nmt.translators.checks.candidate_checks import losses
from docmt_nmt.translators.requests import (
    Revision,
    SentenceIndex,
    SourceDocument,
    TranslationRequest,
)
from docmt_nmt.translators.translator import (
    Journal,
    Plan,
    ProgressCallback,
    digest_of_translation,
    request_of,
)

_REPAIRED: frozenset[WarningKind] = frozenset(
    {"truncated", "missing-characters", "lost-words", "codes"}
)
"""Warnings about sentences that are repaired, and keep their translations."""


@dataclass(frozen=True)
class ContextSwitch(Switching):
    """Takes the translation in context where the context decides.

    Attributes:
        in_context: base and adapter as one system, in documents.
        threshold: how much more the context must prefer a translation, in nats.
        cues: the cues of sentences that are translated in context; none for all sentences.
        sentences_before: the number of sentences before that are read; None for all.
        identity: a hash of the adapter.
    """

    in_context: BeamSearchTranslator
    threshold: float
    cues: tuple[str, ...] = ()
    sentences_before: int | None = None
    identity: str = ""
    _changes: ChangeLog = field(default_factory=ChangeLog, repr=False, compare=False)

    @classmethod
    def load(
        cls,
        run: PathLike,
        adapter: PathLike,
        *,
        device: str | None = None,
        **overrides: Unpack[SearchOverrides],
    ) -> Self:
        """Load a base model and an adapter of it, as one system in memory.

        Args:
            run: the run directory of the base.
            adapter: the file of the adapter.
            device: where to compute; default: a GPU if there is one.
            overrides: keys of the recipe's `search` section; None keeps the value of the recipe.

        Raises:
            InputError: the adapter belongs to another model, or something cannot be read.
        """
        base = SystemRun.load(run)
        given = {key: value for key, value in overrides.items() if value is not None}
        merged = merge_section(base.recipe.search.model_dump(), given, [SearchSettings])
        settings = SearchSettings.read(merged)
        read = ContextAdapter.read(adapter)
        in_context = _in_context(base, read, settings, device)
        # A sentence alone has the logits of the base, so one system serves both.
        alone = replace(in_context, instances=base.recipe.instances)
        return cls._of(alone, in_context, read)

    @classmethod
    def over(
        cls, translator: BeamSearchTranslator, adapter: PathLike, *, lenient: bool = False
    ) -> ContextSwitch | BeamSearchTranslator:
        """Put an adapter over a translator. A translator in PyTorch is replaced by the one system
        of base and adapter; a compiled one goes on to translate the sentences alone.

        Args:
            translator: the translator of a run, which is the base.
            adapter: the file of the adapter.
            lenient: return the translator as it is if the adapter belongs to another model.

        Raises:
            InputError: the adapter belongs to another model, or something cannot be read.
        """
        assert translator.run is not None, "it was loaded from a run"
        base, read = SystemRun.load(translator.run.directory), ContextAdapter.read(adapter)
        if lenient and not read.fits(base):
            return translator
        in_context = _in_context(base, read, translator.search, str(translator.device))
        in_context = replace(in_context, processes=translator.processes)
        alone = translator
        if translator.compiled is None:
            alone = replace(translator, system=in_context.system)
        return cls._of(alone, in_context, read)

    @classmethod
    def _of(
        cls, alone: BeamSearchTranslator, in_context: BeamSearchTranslator, adapter: ContextAdapter
    ) -> Self:
        """The switch between two translators, as an adapter describes it."""
        known = adapter.description
        return cls(
            alone, in_context, known.threshold, known.cues, known.sentences_before, adapter.identity
        )

    def fingerprint(self, request: TranslationRequest) -> str | None:
        known = self.translator.fingerprint(request)
        if known is None:
            return None
        own = [self.identity, self.threshold, list(self.cues), self.sentences_before]
        return digest_of_translation(["context-switch", known, *own], [])

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        notes = self.translator.notes(request, translations)
        return [*notes, *self._changes.take_notes()]

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        wanted = request_of(request)
        with keeping_states(self.in_context.eager) as states:
            translations = self.translator.translate(wanted, progress=progress, journal=journal)
            states.reads = True
            changes = kept_changes(journal, wanted)
            if changes is None:
                decisions = self.decisions(wanted, translations)
                taken = [x for x in decisions if x.margin > self.threshold and not x.lost]
                changes = self._explained(wanted, taken)
                if journal is not None:
                    journal.add([list(each) for each in changes])
        self._changes.add(wanted, changes)
        return with_changes(translations, changes, wanted.n_best)

    def decisions(
        self, request: TranslationRequest, translations: Sequence[Translation]
    ) -> list[ContextDecision]:
        """The sentences whose translation differs in context, whatever the threshold.

        Args:
            request: the request.
            translations: the translations of the sentences alone.
        """
        stretches = list(self._stretches(request, translations))
        if not stretches:
            return []
        found: dict[SentenceIndex, Candidate] = {}
        margins: dict[SentenceIndex, float] = {}
        translated, gains = self._translated(request, translations, stretches)
        for stretch, made, of_stretch in zip(stretches, translated, gains, strict=True):
            own = translations[stretch.owner]
            for position in stretch.wanted:
                index, best = stretch.indices[position], made.sentences[position].best
                more = _warnings(made, position) - _warnings(own, index)
                if best.text.strip() and best.text != own.target[index] and not more:
                    found[stretch.owner, index] = best
                    if position in of_stretch:
                        margins[stretch.owner, index] = of_stretch[position]
        margins = self._margins(request, translations, stretches, found, margins)
        decided = []
        for (owner, index), best in found.items():
            sentence, alone = request.sentence((owner, index)), translations[owner].target[index]
            lost = (
                *losses(sentence.text, alone, best.text),
                *_lost_words(sentence, alone, best.text),
            )
            decided.append(ContextDecision(owner, index, alone, *best, margins[owner, index], lost))
        return decided

    def _stretches(
        self, request: TranslationRequest, translations: Sequence[Translation]
    ) -> Iterator[Stretch]:
        """The stretches of documents with sentences to translate in context."""
        revision = request.revision
        for owner, (document, made) in enumerate(zip(request.sources, translations, strict=True)):
            indices, target = translated_sentences(document.plain), made.target
            wanted = [
                position
                for position, index in enumerate(indices)
                if position > 0
                and not _warnings(made, index) & _REPAIRED
                and target[index].strip()
                and (not self.cues or has_cue(document.source[index], self.cues))
                and (revision is None or (owner, index) in revision.sentences)
                and (revision is None or (owner, index) not in revision.required)
            ]
            yield from stretches_of(owner, indices, wanted, self.sentences_before)

    def _translated(
        self,
        request: TranslationRequest,
        translations: Sequence[Translation],
        stretches: Sequence[Stretch],
    ) -> tuple[list[Translation], list[dict[int, float]]]:
        """The translations of stretches in context, and for sentences of each how much more
        probable they are there than the translations alone, in nats, where the search tells it."""
        documents = [
            SourceDocument(
                f"{request.sources[each.owner].id} {number}",
                tuple(request.sources[each.owner].sentences[index] for index in each.indices),
            )
            for number, each in enumerate(stretches)
        ]
        known = tuple(
            document.plain.translated(translations[each.owner].target[i] for i in each.indices)
            for each, document in zip(stretches, documents, strict=True)
        )
        sentences = frozenset(
            (number, position) for number, each in enumerate(stretches) for position in each.wanted
        )
        wanted = TranslationRequest(
            documents, glossary=request.glossary, revision=Revision(known, sentences)
        )
        plan = self.in_context.plan(wanted)
        written = [
            list(map(as_written, document.target or (), planned.literals))
            for document, planned in zip(known, plan.documents, strict=True)
        ]
        search = ContextSearch(self.in_context.eager, plan, sentences, written)
        made = self.in_context.searching_by(search).translate(plan)
        gains: list[dict[int, float]] = [{} for _ in stretches]
        for (number, position), found in search.found.items():
            text = made[number].target[position]
            # Stand-ins of literals are not what candidates are scored with.
            if not any(plan.documents[number].literals) and list(
                found.tokens
            ) == self.in_context.pipeline.encode_sentence(text, "target"):
                gains[number][position] = found.log_probability - found.of_known
        return made, gains

    def _margins(
        self,
        request: TranslationRequest,
        translations: Sequence[Translation],
        stretches: Sequence[Stretch],
        found: Mapping[SentenceIndex, Candidate],
        gains: Mapping[SentenceIndex, float],
    ) -> dict[SentenceIndex, float]:
        """How much more the context prefers the translation in context, for each sentence; `gains`
        has the first of the two differences where it is known."""
        cases: list[Candidates] = []
        where: list[dict[int, SentenceIndex]] = []
        for stretch in stretches:
            source = request.sources[stretch.owner].source
            target = translations[stretch.owner].target
            keys = {
                position: (stretch.owner, stretch.indices[position])
                for position in stretch.wanted
                if (stretch.owner, stretch.indices[position]) in found
            }
            if keys:
                pairs = {p: (target[key[1]], found[key].text) for p, key in keys.items()}
                unknown = {p: key for p, key in keys.items() if key not in gains}
                if unknown:
                    texts = tuple(source[index] for index in stretch.indices)
                    cases.append(Candidates(texts, {p: pairs[p] for p in unknown}))
                    where.append(unknown)
                cases += [Candidates((source[key[1]],), {0: pairs[p]}) for p, key in keys.items()]
                where += [{0: key} for key in keys.values()]
        margins = defaultdict(float, gains)
        for case, keys, found_gains in zip(cases, where, self._gains(cases), strict=True):
            sign = -1.0 if len(case.source) == 1 else 1.0
            for position, key in keys.items():
                margins[key] += sign * found_gains[position]
        return margins

    def _gains(self, cases: Sequence[Candidates]) -> list[dict[int, float]]:
        translator = self.in_context
        return candidate_gains(translator.eager, translator.pipeline, translator.instances, cases)

    def _explained(
        self, request: TranslationRequest, taken: Sequence[ContextDecision]
    ) -> list[ContextChange]:
        """Changes, each with the sentence before that decides most by itself."""
        cases: list[Candidates] = []
        before: list[list[int]] = []
        for each in taken:
            source = request.sources[each.document].source
            indices = translated_sentences(request.sources[each.document].plain)
            own = indices.index(each.sentence)
            first = 0 if self.sentences_before is None else max(0, own - self.sentences_before)
            before.append(indices[first:own])
            pair = {1: (each.alone, each.in_context)}
            cases += [Candidates((source[i], source[each.sentence]), pair) for i in before[-1]]
        found = iter(self._gains(cases))
        changes = []
        for each, indices in zip(taken, before, strict=True):
            gains = {index: next(found)[1] for index in indices}
            by = max(gains, key=lambda index: gains[index])
            changes.append(
                ContextChange(
                    each.document, each.sentence, by, each.in_context, each.log_probability
                )
            )
        return changes


def _in_context(
    base: SystemRun, adapter: ContextAdapter, settings: SearchSettings, device: str | None
) -> BeamSearchTranslator:
    """The translator of base and adapter as one system."""
    built = BeamSearchTranslator.build(
        adapter.system(base).to(chosen_device(device)),
        base.pipeline,
        adapter.description.instances,
        settings,
        thresholds=base.thresholds(),
        run=base,
    )
    return replace(built, system=prepack_weights(built.eager))


def _warnings(translation: Translation, sentence: int) -> set[WarningKind]:
    """The kinds of the warnings about a sentence."""
    return {each.kind for each in translation.sentences[sentence].warnings}


def _lost_words(sentence: Sentence, alone: str, text: str) -> Iterator[str]:
    """Protected words that a translation has less often than the other."""
    for word in sentence.protected:
        if text.count(word) < alone.count(word):
            yield f"words: {word}"
