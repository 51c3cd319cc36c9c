"""`Translator`: documents in, translated documents out.

A document is cut into the instances its system was trained on, at sentence boundaries and nowhere
else; instances of all documents are searched together, the longest first, and every source
sentence gets exactly one target sentence. A window that slides over the document translates each
sentence several times, as the first to the last of its window (Zhang et al. 2020, section 3.1);
from these a document is put together for each place in the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Self

import torch

from docmt.contexts import ContextEncoders, Reading
from docmt.data import Instance, InstanceSettings, cut, sliding_windows
from docmt.data.collate import collate_source
from docmt.decoding.beam_search import Hypothesis, search
from docmt.decoding.parallel import search_in_parallel
from docmt.documents import Alternative, Document, Translation
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.nn import in_precision, prepack_weights
from docmt.recipes.merging import merge_section
from docmt.recipes.recipe import check_contexts
from docmt.recipes.search import SearchSettings
from docmt.runs import Run
from docmt.systems import EncoderDecoder, System
from docmt.text import EncodedDocument, Pipeline

Progress = Callable[[int, int], None]
"""Called with the sentences translated so far and the sentences in all."""

Parts = Sequence[tuple[Instance, list[Hypothesis]]]
"""The instances of a document, in order, each with its hypotheses, the best first."""

Places = Sequence[tuple[int, int]]
"""For each sentence of a document the number of an instance and its place in it, from 0."""


def groups(
    instances: Sequence[Instance], settings: SearchSettings, *, one_pass: bool = True
) -> Iterator[list[int]]:
    """The numbers of the instances that are searched together: of like length, the longest first,
    within the settings' `max_hypotheses` and `batch_tokens`.

    Args:
        one_pass: whether a hypothesis is of an instance; else it is of a sentence.
    """
    sizes = [sum(len(s) + 2 for s in (*i.context, *i.source)) for i in instances]
    group: list[int] = []
    longest = units = 0
    for number in sorted(range(len(instances)), key=lambda number: -sizes[number]):
        more = 1 if one_pass else len(instances[number].source)
        tokens, hypotheses = (len(group) + 1) * longest, (units + more) * settings.beam_size
        if group and (tokens > settings.batch_tokens or hypotheses > settings.max_hypotheses):
            yield group
            group, units = [], 0
        if not group:
            longest = sizes[number]
        group.append(number)
        units += more
    if group:
        yield group


class Translator:
    """Translates documents with a trained system.

    Args:
        system: the system; it is put in eval mode for the search and back afterwards. Where the
            search is of another precision than `fp32`, a copy translates.
        pipeline: its text pipeline.
        instances: how documents are cut.
        search: how translations are found.
        contexts: the encoders that the system attends to, if there are any.

    Raises:
        InputError: the search does not fit the system or the instances, or the run that is to make
            the first pass cannot be used.
    """

    def __init__(
        self,
        system: System,
        pipeline: Pipeline,
        instances: InstanceSettings,
        search: SearchSettings,
        contexts: ContextEncoders | None = None,
    ) -> None:
        search.check(instances, one_pass=system.one_pass)
        self.system = in_precision(system, search.precision)
        self.pipeline, self.instances, self.search = pipeline, instances, search
        self.contexts = contexts
        self.first = None
        if search.first_pass is not None:
            self.first = type(self).load(search.first_pass, device=str(self.device))

    @classmethod
    def load(cls, run: PathLike, *, device: str | None = None, **overrides: Any) -> Self:
        """The translator of a run directory.

        Args:
            run: the directory.
            device: where to compute; default: a GPU if there is one.
            overrides: keys of the recipe's `search` section, such as `beam_size=1`; None keeps what the
                recipe says.

        Raises:
            InputError: the directory is no trained run, or an override is not valid.
        """
        loaded = Run.load(Path(run))
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        given = {key: value for key, value in overrides.items() if value is not None}
        own = loaded.recipe.search.model_dump()
        settings = SearchSettings.read(merge_section(own, given, [SearchSettings]))
        if settings.precision == "int8" and device != "cpu":
            raise InputError("precision int8 needs a CPU", cure="Set device cpu, or precision bf16")
        check_contexts(loaded.recipe.model_copy(update={"search": settings}))
        contexts = ContextEncoders.of(loaded.recipe.system, loaded.pipeline.special_tokens, device)
        instances = loaded.recipe.instances
        made = cls(loaded.system(device), loaded.pipeline, instances, settings, contexts)
        made.system = prepack_weights(made.system)
        return made

    def widen_beam(self, n_best: int) -> None:
        """Make the beam wide enough to find so many translations of each document.

        Raises:
            InputError: the search method finds one translation only.
        """
        if self.search.beam_size < n_best:
            values = self.search.model_dump() | {"beam_size": n_best}
            self.search = SearchSettings.read(values)

    @property
    def device(self) -> torch.device:
        """Where the system computes."""
        return next(self.system.parameters()).device

    def translate(
        self, documents: Sequence[Document], progress: Progress | None = None
    ) -> list[Translation]:
        """Translate documents; targets they have are not looked at, unless the search is to read
        them as target context.

        An empty sentence is translated by an empty sentence and takes no part in the rest.

        Raises:
            InputError: a document has no sentences, or no translation that could be read.
        """
        return self.write(documents, self.drafts(documents), progress)

    def drafts(self, documents: Sequence[Document]) -> Sequence[Document]:
        """The documents with the translations that are their target context, where it is read."""
        if self.contexts is None or not self.contexts.reads_target:
            return documents
        if self.search.oracle:
            for document in documents:
                if document.target is None:
                    raise InputError(
                        f"document {document.id!r} has no translation to read as context",
                        cure="Set search.oracle: false, or give documents their references",
                    )
            return documents
        # Without a target, the blocks that read it are left out.
        alone = [Document(document.id, document.source) for document in documents]
        found = self.first.translate(alone) if self.first is not None else self.write(alone, alone)
        return [translation.document for translation in found]

    def write(
        self,
        documents: Sequence[Document],
        drafts: Sequence[Document],
        progress: Progress | None = None,
    ) -> list[Translation]:
        """Translate documents, given drafts of their translations where those are read."""
        encoded = [self.encode(document) for document in documents]
        readings = [self.reading(draft) for draft in drafts] if self.contexts is not None else []
        pieces = [
            (place, instance)
            for place, document in enumerate(encoded)
            for instance in self.cut(document)
        ]
        found: list[list[tuple[Instance, list[Hypothesis]]]] = [[] for _ in documents]
        total = sum(len(document) for document in documents)
        done = total - sum(len(document.source) for document in encoded)
        training = self.system.training
        self.system.eval()
        try:
            instances = [instance for _, instance in pieces]
            for group in groups(instances, self.search, one_pass=self.system.one_pass):
                results = self.search_group(
                    self.with_contexts([pieces[number] for number in group], readings)
                )
                for number, hypotheses in zip(group, results, strict=True):
                    place, instance = pieces[number]
                    found[place].append((instance, hypotheses))
                    done += 1 if self.slides else len(instance.source)
                if progress is not None:
                    progress(done, total)
        finally:
            self.system.train(training)
        return [
            self.assemble(document, sorted(parts, key=lambda part: part[0].first))
            for document, parts in zip(documents, found, strict=True)
        ]

    @property
    def slides(self) -> bool:
        """Whether a window slides over the document."""
        return self.search.windows == "sliding"

    def cut(self, document: EncodedDocument) -> list[Instance]:
        """What is searched of a document: its pieces, or a window for each of its sentences."""
        if self.slides:
            return sliding_windows(document, self.instances)
        return cut(document, self.instances.disjoint, self.pipeline.special_tokens)

    def encode(self, document: Document) -> EncodedDocument:
        """The document's sentences that are not empty, as token numbers."""
        if not document.source:
            raise InputError(
                f"document {document.id!r} has no sentences", cure="Leave it out or fill it"
            )
        sentences = tuple(sentence for sentence in document.source if sentence.strip())
        return self.pipeline.encode(Document(document.id, sentences))

    def reading(self, document: Document) -> Reading:
        """A document's sentences that are not empty, as context encoders read them."""
        kept = [place for place, sentence in enumerate(document.source) if sentence.strip()]
        target = None if document.target is None else [document.target[i] for i in kept]
        source = [document.source[i] for i in kept]
        whole = Document(document.id, tuple(source), None if target is None else tuple(target))
        return Reading(source, target, self.pipeline.encode(whole))

    def with_contexts(
        self, group: Sequence[tuple[int, Instance]], readings: Sequence[Reading]
    ) -> list[Instance]:
        """Instances with what stands beside them; `readings` are all documents."""
        instances = [instance for _, instance in group]
        if self.contexts is None:
            return instances
        beside = self.contexts.auxiliary([(readings[place], i.first) for place, i in group])
        return [replace(i, auxiliary=e) for i, e in zip(instances, beside, strict=True)]

    def search_group(self, instances: Sequence[Instance]) -> list[list[Hypothesis]]:
        """The best hypotheses of each instance, best first."""
        special_tokens = self.pipeline.special_tokens
        source = collate_source(instances, special_tokens)
        words = (
            source.sentences.lengths
            - len(special_tokens.source_begin)
            - len(special_tokens.source_end)
        )
        longest = self.search.max_length_factor * words + self.search.max_length_offset
        device = self.device
        keys: dict[str, Any] = {
            "longest": longest.long().to(device),
            "length_penalty": self.search.length_penalty,
            "banned": sorted(
                self.pipeline.target_vocabulary.special_ids
                - {special_tokens.target_begin, special_tokens.target_end}
            ),
        }
        if self.search.method == "beam":
            return search(
                self.system,
                source.to(device),
                special_tokens,
                beam_size=self.search.beam_size,
                **keys,
            )
        assert isinstance(self.system, EncoderDecoder)
        max_passes = self.search.max_passes
        found = search_in_parallel(
            self.system, source.to(device), special_tokens, max_passes=max_passes, **keys
        )
        return [[settled.hypothesis] for settled in found]

    def assemble(self, document: Document, parts: Parts) -> Translation:
        """A document's translation from those of its pieces, in order."""
        depth = max((len(hypotheses) for _, hypotheses in parts), default=1)
        kept = [place for place, sentence in enumerate(document.source) if sentence.strip()]
        if self.slides:
            k = self.instances.window
            versions = [places_in_windows(len(parts), j) for j in range(1, k + 1)]
            places = versions[(self.search.window_position or k) - 1]
        else:
            versions, places = [], places_in_pieces(parts)

        def alternative(places: Places, rank: int) -> Alternative:
            return self.alternative(parts, places, rank, kept, len(document))

        alternatives = [alternative(places, rank) for rank in range(depth)]
        ended = [parts[piece][1][0].truncated[place] for piece, place in places]
        best = alternatives[0]
        return Translation(
            document.translated(best.sentences),
            best.scores,
            tuple(len(list(taken)) for _, taken in groupby(piece for piece, _ in places)),
            tuple(place for place, flag in zip(kept, ended, strict=True) if flag),
            tuple(alternatives),
            tuple(alternative(version, 0) for version in versions),
        )

    def alternative(
        self, parts: Parts, places: Places, rank: int, kept: Sequence[int], sentences: int
    ) -> Alternative:
        """Sentences and scores taken from these places of the pieces' hypotheses of one rank, from
        0; `kept` are the places of the sentences that were translated."""
        texts, scores = [""] * sentences, [0.0] * sentences
        for number, (piece, place) in zip(kept, places, strict=True):
            hypotheses = parts[piece][1]
            hypothesis = hypotheses[min(rank, len(hypotheses) - 1)]
            sentence = hypothesis.sentences[place]
            texts[number] = self.pipeline.decode_sentence(sentence)
            scores[number] = hypothesis.log_probabilities[place] / (len(sentence) + 1)
        return Alternative(tuple(texts), tuple(scores))


def places_in_pieces(parts: Parts) -> Places:
    """Where the sentences of a document are that was cut into pieces."""
    return [
        (piece, place)
        for piece, (instance, _) in enumerate(parts)
        for place in range(len(instance.source))
    ]


def places_in_windows(sentences: int, position: int) -> Places:
    """Where the sentences of a document are in the windows that begin with each of them, as the
    one in this position, from 1, or where the first ones are further to the front."""
    windows = [max(sentence + 1 - position, 0) for sentence in range(sentences)]
    return [(window, sentence - window) for sentence, window in enumerate(windows)]
