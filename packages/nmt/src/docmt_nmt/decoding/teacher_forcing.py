"""Teacher forcing: instances and batches of given translations, for alignments of words and for
log-probabilities.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from docmt_files.base.documents import Document
from docmt_files.storage.files import PathLike
from docmt_nmt.base.choices import Precision
from docmt_nmt.data import Instance, cut
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.decoding.limits import limits
from docmt_nmt.translators.requests import check_targets

if TYPE_CHECKING:
    # They need torch.
    from docmt_nmt.contexts import ContextDocument
    from docmt_nmt.nn import Batch, Packed

_BATCH_TOKENS = 8192
"""Source and target tokens computed at once."""


@dataclass(frozen=True, slots=True)
class ForcedInstance:
    """An instance with a target; the last sentences are given.

    Attributes:
        lengths: the number of labels of each given sentence: the tokens, and EOS if there is one.
        context: the document and the first sentence for context encoders, if there are any.
    """

    instance: Instance
    lengths: Sequence[int]
    context: tuple[ContextDocument, int] | None = None

    @property
    def labels(self) -> int:
        """Number of given labels, the last ones of the instance."""
        return sum(self.lengths)

    @property
    def source_key(self) -> Hashable:
        """A key of source and context: instances of the same key are computed together."""
        key = _frozen(self.instance.source), _frozen(self.instance.context)
        if self.context is None:
            return key
        document, first = self.context
        return *key, tuple(document.source), tuple(document.target or ()), first

    @property
    def sizes(self) -> tuple[int, int]:
        """The approximate tokens of the source with the context, and of the target."""
        source = (*self.instance.context, *self.instance.source)
        target = self.instance.target or ()
        return sum(len(s) + 1 for s in source), sum(len(s) + 2 for s in target)


class TeacherForcing:
    """Gives a trained system instances with given translations to read.

    Args:
        translator: the system, its text pipeline and how it cuts documents.
    """

    def __init__(self, translator: BeamSearchTranslator) -> None:
        self._translator = translator

    @property
    def translator(self) -> BeamSearchTranslator:
        """The system, its text pipeline and how it cuts documents."""
        return self._translator

    @classmethod
    def load(
        cls, run: PathLike, *, device: str | None = None, precision: Precision | None = None
    ) -> Self:
        """The forced decoding of a run directory.

        Args:
            device: where to compute; default: a GPU if there is one.
            precision: of the system; default: the recipe's `search.precision`.

        Raises:
            InputError: the directory is not a trained run.
        """
        return cls(BeamSearchTranslator.load(run, device=device, precision=precision))

    def instances(
        self, documents: Sequence[Document], contexts: Sequence[Document] | None = None
    ) -> list[list[ForcedInstance]]:
        """The instances that documents, with targets, are cut into by both sides, for each
        document.

        Args:
            contexts: the same with the translations that are read as target context, where one is.
                Default: as when they are translated.

        Raises:
            InputError: `documents` is not a sequence of documents, or a document has no sentences
                or no target.
        """
        check_targets(documents)
        translator, special_tokens = self.translator, self.translator.pipeline.special_tokens
        settings = translator.instances.disjoint
        forced: list[list[ForcedInstance]] = []
        if contexts is None:
            contexts = translator.target_context(documents)
        for document, context in zip(documents, contexts, strict=True):
            read = self.context_of(context)
            encoded = translator.encode(document)
            assert encoded.target is not None
            forced.append([])
            for instance in cut(encoded, settings, special_tokens):
                end = instance.first + instance.document_sentences
                target = encoded.target[instance.first : end]
                lengths = label_counts(target, joined=instance.joined > 0)
                forced[-1].append(forced_instance(instance, lengths, read))
        return forced

    def batch(self, instances: Sequence[ForcedInstance]) -> Batch:
        """Instances as the system reads them, on the device."""
        from docmt_nmt.data.collate import collate  # It needs torch.

        translator = self.translator
        groups = self.with_auxiliary([[one] for one in instances])
        read = [one.instance for group in groups for one in group]
        batch = collate(read, translator.pipeline.special_tokens).to(translator.device)
        return replace(batch, source=self.with_drafts(batch.source))

    def context_of(self, document: Document) -> ContextDocument | None:
        """A document as context encoders read it, if there are any."""
        if self.translator.contexts is None:
            return None
        return self.translator.context_document(document)

    def with_drafts(self, source: Packed) -> Packed:
        """The source with what the system corrects, if it corrects drafts."""
        translator, draft_system = self.translator, self.translator.system.draft_system
        if draft_system is None:
            return source
        from docmt_nmt.decoding.beam_search import with_drafts

        overhead = translator.pipeline.special_tokens.source_overhead
        lengths = source.sentences.host_lengths - overhead
        return with_drafts(
            draft_system,
            source,
            translator.pipeline.special_tokens,
            beam_size=translator.search.beam_size,
            **limits(lengths, translator.pipeline, translator.search),
        )[0]

    def with_auxiliary(self, groups: list[list[ForcedInstance]]) -> list[list[ForcedInstance]]:
        """Instances in groups of the same source, with what context encoders give for them."""
        if self.translator.contexts is None:
            return groups
        read = [group[0].context for group in groups if group[0].context is not None]
        return [
            [replace(one, instance=replace(one.instance, auxiliary=inputs)) for one in group]
            for group, inputs in zip(
                groups, self.translator.contexts.auxiliary_inputs(read), strict=True
            )
        ]


def forced_instance(
    instance: Instance, lengths: Sequence[int], document: ContextDocument | None
) -> ForcedInstance:
    """An instance whose last sentences are given."""
    context = None if document is None else (document, instance.first)
    return ForcedInstance(instance, lengths, context)


def label_counts(target: Sequence[Sequence[int]], *, joined: bool) -> list[int]:
    """Number of labels of each target sentence of an instance; of joined sentences, only the last
    has an EOS."""
    counts = [len(sentence) + 1 for sentence in target]
    return [count - 1 for count in counts[:-1]] + counts[-1:] if joined else counts


def batches_of_groups(forced: Sequence[ForcedInstance]) -> Iterator[list[list[int]]]:
    """Batches of instances to compute together, by index, in groups of the same source."""
    groups: dict[Hashable, list[int]] = {}
    for index, one in enumerate(forced):
        groups.setdefault(one.source_key, []).append(index)
    sizes = {
        key: forced[group[0]].sizes[0] + sum(forced[index].sizes[1] for index in group)
        for key, group in groups.items()
    }
    batch: list[list[int]] = []
    tokens = 0
    # Groups of like size share a batch.
    for key in sorted(groups, key=lambda key: -sizes[key]):
        if batch and tokens + sizes[key] > _BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(groups[key])
        tokens += sizes[key]
    if batch:
        yield batch


def _frozen(sentences: Sequence[Sequence[int]]) -> Hashable:
    """Sentences as a key."""
    return tuple(map(tuple, sentences))
