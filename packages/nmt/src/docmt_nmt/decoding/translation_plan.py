"""`SearchPlan`: a request that is ready to be searched. Each document is encoded and cut once; its
checks, its cautions and its search read the same plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from docmt_files.base.documents import Document, SentenceWarning
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.data import Instance, InstanceSettings, cut, overlapping, sliding_windows
from docmt_nmt.decoding.assembling import (
    Locations,
    SlidingWindow,
    locations_in_windows,
    locations_of,
    translated_sentences,
)
from docmt_nmt.decoding.glossary_terms import GlossaryTerms, Sentences
from docmt_nmt.decoding.instance_search import SearchedInstance
from docmt_nmt.decoding.literal_finder import find_literals
from docmt_nmt.decoding.literals import Literals
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.text import EncodedDocument, Pipeline
from docmt_nmt.translators.checks.content_checks import superfluous_words
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Plan

_MAX_LISTED = 10
"""Sentences that a caution lists."""


@dataclass(frozen=True)
class PlannedDocument:
    """A document as it is searched.

    Attributes:
        encoded: its sentences that are not empty, as token ids.
        instances: what it was cut into, or a window for each of its sentences.
        literals: the literals of each sentence that has some.
        constraints: for each instance what its own sentences must contain; empty without terms.
    """

    encoded: EncodedDocument
    instances: Sequence[Instance]
    literals: Sequence[Literals | None]
    constraints: Sequence[Sentences] = ()


@dataclass(frozen=True)
class SearchPlan(Plan):
    """A request that is ready to be searched.

    Attributes:
        instances: how they are cut.
        settings: how they are searched.
        terms: the terms of the glossary and the protected words, if there are any.
    """

    documents: tuple[PlannedDocument, ...] = ()
    instances: InstanceSettings = field(default_factory=InstanceSettings)
    settings: SearchSettings = field(default_factory=SearchSettings)
    terms: GlossaryTerms | None = None

    @property
    def window(self) -> SlidingWindow | None:
        """The window that slides over the documents, if one does."""
        return SlidingWindow.of(self.instances, self.settings)

    def with_word_warnings(self, translations: Sequence[Translation]) -> list[Translation]:
        """Translations of this plan with a warning about each sentence with parts of its protected
        words outside of them."""
        documents = zip(translations, self.request.sources, strict=True)
        return [
            translation
            if translation.is_joined
            else translation.with_sentences(
                sentence.warned(_word_warnings(sentence, source.protected))
                for sentence, source in zip(translation.sentences, document.sentences, strict=True)
            )
            for translation, document in documents
        ]


def _word_warnings(
    sentence: TranslatedSentence, protected: Sequence[str]
) -> Iterator[SentenceWarning]:
    """The warnings about a sentence, and the one about superfluous words.

    Args:
        sentence: the translated sentence.
        protected: the protected words.
    """
    yield from sentence.warnings
    if superfluous := superfluous_words(sentence.source, sentence.target, protected):
        yield SentenceWarning("codes", f"{', '.join(superfluous)} added")


def requires_words(settings: SearchSettings) -> bool:
    """Return whether the search can be made to write given words."""
    return settings.method == "beam"


def glossary_terms(
    request: TranslationRequest, pipeline: Pipeline, settings: SearchSettings
) -> GlossaryTerms:
    """The terms of the glossary of a request, of which there may be none.

    Raises:
        InputError: the search is not a beam search.
    """
    return GlossaryTerms(request.glossary or Glossary(()), pipeline, settings)


def make_plan(
    request: TranslationRequest,
    pipeline: Pipeline,
    encode: Callable[[Document], EncodedDocument],
    instances: InstanceSettings,
    settings: SearchSettings,
) -> SearchPlan:
    """Encode and cut the documents of a request, by their sources alone.

    Literals have stand-ins (`literals`).

    Raises:
        InputError: a sentence is too long, or a term cannot be written.
    """
    if settings.beam_size < request.n_best:
        settings = SearchSettings.read(settings.model_dump() | {"beam_size": request.n_best})
    terms = glossary_terms(request, pipeline, settings) if requires_words(settings) else None
    literals = _literals(request, pipeline, instances)
    if not _has_constraints(request, literals):
        terms = None
    elif terms is None:
        terms = glossary_terms(request, pipeline, settings)
    special_tokens = pipeline.special_tokens
    planned: list[PlannedDocument] = []
    for document, of_document in zip(request.sources, literals, strict=True):
        texts = (
            text if found is None else found.text
            for text, found in zip(document.source, of_document, strict=True)
        )
        encoded = encode(Document(document.id, tuple(texts)))
        cuts = _cut(encoded, instances, special_tokens, settings)
        constraints: list[Sentences] = []
        if terms is not None:
            own = [instance.own for instance in cuts]
            constraints = terms.constraints(document, of_document, own)
        planned.append(PlannedDocument(encoded, cuts, of_document, constraints))
    cautions = _long_sentences(request.plain_documents, planned, instances, special_tokens)
    return SearchPlan(request, tuple(cautions), tuple(planned), instances, settings, terms)


_Literals = list[list[Literals | None]]
"""The literals of each sentence of each document."""


def _literals(
    request: TranslationRequest, pipeline: Pipeline, instances: InstanceSettings
) -> _Literals:
    """The literals of all sentences. Those that a revision must write are forced."""
    revision = request.revision
    is_forced = revision is not None and revision.forced_literals
    literals: _Literals = []
    for owner, document in enumerate(request.sources):
        wanted = revision.sentences if revision is not None and is_forced else ()
        forced = [index for of, index in sorted(wanted) if of == owner]
        found = find_literals(
            document.sentences,
            request.glossary,
            pipeline,
            marks_only=instances.join_sentences,
            forced=forced,
        )
        known = revision.known[owner].target or () if revision is not None else ()
        for index in forced:
            each = found[index]
            found[index] = each and each.forced_in(known[index])
        literals.append(found)
    return literals


def _has_constraints(request: TranslationRequest, literals: _Literals) -> bool:
    """Return whether translations must contain given words."""
    forced = any(each is not None and each.forced for each in chain.from_iterable(literals))
    required = request.revision is not None and bool(request.revision.required)
    return request.glossary is not None or forced or required


def _cut(
    encoded: EncodedDocument,
    instances: InstanceSettings,
    special_tokens: SpecialTokens,
    settings: SearchSettings,
) -> list[Instance]:
    """The chunks of a document, or a window for each of its sentences."""
    if settings.windows == "sliding":
        return sliding_windows(encoded, instances)
    if settings.overlap:
        return overlapping(encoded, instances.disjoint, special_tokens, settings.overlap)
    return cut(encoded, instances.disjoint, special_tokens)


def _long_sentences(
    documents: Sequence[Document],
    planned: Sequence[PlannedDocument],
    instances: InstanceSettings,
    special_tokens: SpecialTokens,
) -> Iterator[str]:
    """Cautions about sentences of more tokens than an instance should have."""
    long: list[tuple[str, int, int]] = []
    for document, planned_document in zip(documents, planned, strict=True):
        indices = translated_sentences(document)
        for index, ids in zip(indices, planned_document.encoded.source, strict=True):
            tokens = len(ids) + special_tokens.source_overhead
            if tokens > instances.max_tokens:
                long.append((document.id, index + 1, tokens))
    for document_id, number, tokens in long[:_MAX_LISTED]:
        yield (
            f"document {document_id!r}: sentence {number:,} has {tokens:,} tokens, more than "
            f"{instances.max_tokens:,} (instances.max_tokens); it takes long, and may be "
            "translated badly. If it is several sentences, put them on lines of their own"
        )
    if len(long) > _MAX_LISTED:
        yield f"{counted(len(long) - _MAX_LISTED, 'more sentence')} as long"


def revised_instances(
    plan: SearchPlan,
    searched: Sequence[SearchedInstance],
    pipeline: Pipeline,
    *,
    begins_with_given: bool,
    alone: bool = False,
) -> dict[int, SearchedInstance]:
    """Return the instances that have sentences which are wanted anew, by their indices, with what
    these must contain and with the translations that are known before them.

    Args:
        plan: the plan of a request with a revision.
        begins_with_given: whether the system can begin an instance with given translations.
        alone: whether it writes each sentence alone, so that the others need not be written.
    """
    revision, terms, window = plan.request.revision, plan.terms, plan.window
    assert revision is not None, "the plan of a revision"
    begins = [0]
    for planned in plan.documents:
        begins.append(begins[-1] + len(planned.instances))
    constraints: dict[int, Sentences] = {}
    wanted: dict[int, list[int]] = {}  # the positions of wanted sentences, by instance
    for owner, document in enumerate(plan.request.plain_documents):
        searched_of_document = searched[begins[owner] : begins[owner + 1]]
        locations = locations_of([one.instance.own for one in searched_of_document], window)
        others: list[Locations] = []
        if window is not None and revision.continued:  # All positions are new, not the best alone.
            others = [locations_in_windows(len(locations), j + 1) for j in range(window.sentences)]
        for number, (sentence, (chunk, position)) in enumerate(
            zip(translated_sentences(document), locations, strict=True)
        ):
            index = begins[owner] + chunk
            required = revision.required.get((owner, sentence), ())
            if required and terms is not None:
                of_instance = constraints.setdefault(index, _copied(searched[index]))
                added = _require(of_instance, position, searched[index], required, terms)
            else:
                added = False
            if (owner, sentence) in revision.sentences and (added or not required):
                wanted.setdefault(index, []).append(position)
                for chunk, position in (each[number] for each in others):
                    wanted.setdefault(begins[owner] + chunk, []).append(position)
    continued = revision.continued and begins_with_given and window is None
    revised = {}
    for index in sorted(wanted):
        one = searched[index]
        one = replace(one, constraints=constraints.get(index, one.constraints))
        if continued:
            one = _with_more_given(one, min(wanted[index]))
        if alone:
            one = replace(one, only=tuple(sorted({*wanted[index]})))
        revised[index] = replace(one, known=_known(one, plan.request, pipeline))
    return revised


def _with_more_given(one: SearchedInstance, count: int) -> SearchedInstance:
    """An instance whose first own sentences, so many, have a translation that is given, too."""
    instance = replace(one.instance, given=one.instance.given + count)
    return replace(one, instance=instance, constraints=one.constraints and one.constraints[count:])


def with_known(translation: Translation, known: Document) -> Translation:
    """A translation in which the sentences that were not searched are as they were."""
    pairs = zip(translation.sentences, known.target or (), strict=True)
    return translation.with_sentences(
        sentence if sentence.target else replace(sentence, target=old, others=())
        for sentence, old in pairs
    )


def _copied(one: SearchedInstance) -> Sentences:
    """The constraints of an instance, to be added to."""
    return [list(constraints) for constraints in one.constraints or ([] for _ in one.own_source)]


def _require(
    constraints: Sentences,
    position: int,
    one: SearchedInstance,
    required: Sequence[tuple[str, ...]],
    terms: GlossaryTerms,
) -> bool:
    """Add what a sentence is to contain as far as it fits; True if anything was added."""
    added = False
    for forms in required:
        try:
            constraint = terms.constraint(*forms)
        except InputError:  # what the text steps write only with other words
            continue
        more = [*constraints[position], constraint]
        if terms.fits(more, len(one.own_source[position])):
            constraints[position] = more
            added = True
    return added


def _known(
    one: SearchedInstance, request: TranslationRequest, pipeline: Pipeline
) -> Sequence[Sequence[int]] | None:
    """The translations that an instance begins with, as token ids; None if it begins with none."""
    if not one.instance.given or request.revision is None:
        return None
    document = request.sources[one.owner].plain
    target = request.revision.known[one.owner].target or ()
    texts = [target[index] for index in translated_sentences(document)]
    given = texts[one.instance.first :][: one.instance.given]
    return [pipeline.encode_sentence(text, "target") for text in given]
