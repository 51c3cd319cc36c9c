"""Word alignments by a run's own attention. The translation is given. The alignment is the system's
attention to each source word in the step that writes, or has just read, each target word.

The whole translation is run through the system at once (teacher forcing), and the cross-attention
of one decoder layer is averaged over the heads. Two steps of the decoder belong to a target token:
the step with the token as output (Bahdanau et al. 2015; with the last layer but one, Garg et al.
2019, "Jointly Learning to Align and Translate with Transformer Models"), and the step with the
token as input, where the token is known. In the middle layers of deep Transformers the latter is
the better aligner (Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine
Translation"); in recurrent and shallow networks the former is. `docmt tune-alignment` measures both
and writes the choice into the run; the mean of two layers may be better than each.

Shapes: H heads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray

from docmt.alignment.aligned_sentence import AlignedSentence, Words
from docmt.alignment.compiled_attention import (
    aligning_layers,
    compiled_weights,
    offsets_of,
    token_ranges,
)
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.decoding.assembling import translated_sentences
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.decoding.teacher_forcing import ForcedInstance, TeacherForcing, batches_of_groups
from docmt_nmt.runs.attention_choice import AttentionChoice, AttentionStep
from docmt_nmt.text import SIDES, Side
from docmt_nmt.text.subword_words import word_shares
from docmt_nmt.translators.translator import ProgressCallback

_Weights = NDArray[np.float32]


class AttentionAligner:
    """Aligns sentences with given translations by the cross-attention of a trained system.

    Args:
        translator: the system, the text pipeline and the division of documents.
        layer: the decoder layer, from 0.
        step: the decoder step of a target token.

    Without layer and step, the choice written into the run by `docmt tune-alignment` aligns.
    Without such a choice it is the last layer but one, or the only one, at the step with the token
    as output.

    Attributes:
        layer: the decoder layer, from 0; None is the last but one, or the only one.
        step: the step of the decoder.
        heads: the heads to average, from 0; None takes all.
        also: more layers and steps; the mean of all aligns.

    Raises:
        InputError: the system corrects drafts and has no single decoder with attention.
    """

    def __init__(
        self,
        translator: BeamSearchTranslator,
        *,
        layer: int | None = None,
        step: AttentionStep | None = None,
    ) -> None:
        if translator.system.draft_system is not None:
            raise InputError(
                "a system that corrects drafts has no attention to align words by",
                cure="Align by another run, such as the one that writes its drafts",
            )
        self.translator, self.layer = translator, layer
        self.step: AttentionStep = step or "output"
        self.heads: tuple[int, ...] | None = None
        self.also: tuple[tuple[int, AttentionStep], ...] = ()
        if layer is None and step is None:
            chosen = AttentionChoice.of_run(translator.run)
            if chosen is not None:
                self.choose(chosen)
        self._forced = TeacherForcing(translator)

    def choose(self, choice: AttentionChoice | None) -> None:
        """Align by this choice, or by all heads of the last layer but one."""
        self.layer, self.step, self.heads, self.also = choice or (None, self.step, None, ())

    @classmethod
    def load(
        cls,
        run: PathLike,
        *,
        layer: int | None = None,
        step: AttentionStep | None = None,
        device: str | None = None,
    ) -> Self:
        """The aligner of a run directory.

        Args:
            layer, step: see `AttentionAligner`.
            device: where to compute; default: a GPU if there is one.

        Raises:
            InputError: the directory is not a trained run, or as `AttentionAligner`.
        """
        return cls(BeamSearchTranslator.load(run, device=device), layer=layer, step=step)

    def align(
        self,
        documents: Sequence[Document],
        words: Sequence[Sequence[Words]] | None = None,
        progress: ProgressCallback | None = None,
    ) -> list[list[AlignedSentence]]:
        """Align the sentences of documents with their targets, cut into instances as the system
        translates them. The target is also the translation of the context for context encoders.

        Args:
            documents: the documents, with targets.
            words: the words of both sides of each sentence of each document. Default: words between
                spaces.
            progress: called with the sentences aligned so far and the sentences in all.

        Returns:
            For each document, a list of aligned sentences. A sentence with an empty side has
            weights of 0.

        Raises:
            InputError: a document has no target, or the system has no cross-attention in the layer.
        """
        words = words or [_between_spaces(document) for document in documents]
        steps = {self.step, *(step for _, step in self.also)}
        links_by_choice = self.align_by_choice(
            documents, words, progress, steps, compiled=self._compiled
        )
        if not links_by_choice:  # no sentence has two sides
            return _assemble(words, {})
        parts = self.choice(links_by_choice).parts
        if missing := sorted({part.layer for part in parts if part not in links_by_choice}):
            raise self._lacks(missing, {choice.layer for choice in links_by_choice})
        return mean_weights([links_by_choice[part] for part in parts])

    def choice(self, choices: Iterable[AttentionChoice]) -> AttentionChoice:
        """The choice among several by which sentences are aligned."""
        layers = sorted({choice.layer for choice in choices})
        layer = layers[-2:][0] if self.layer is None else self.layer
        return AttentionChoice(layer, self.step, self.heads, self.also)

    @property
    def _compiled(self) -> CompiledSystem | None:
        """The compiled form of the system, if it gives the weights that are wanted."""
        compiled, wanted = self.translator.compiled, self._wanted
        if compiled is None or not (layers := aligning_layers(compiled)):
            return None
        return compiled if wanted is None or wanted <= layers else None

    @property
    def _wanted(self) -> set[int] | None:
        """The layers that align; None for the last but one."""
        return None if self.layer is None else {self.layer, *(layer for layer, _ in self.also)}

    def align_by_choice(
        self,
        documents: Sequence[Document],
        words: Sequence[Sequence[Words]] | None = None,
        progress: ProgressCallback | None = None,
        steps: Collection[AttentionStep] = ("output", "input"),
        compiled: CompiledSystem | None = None,
    ) -> dict[AttentionChoice, list[list[AlignedSentence]]]:
        """Links of `align` by each layer, or by the aligner's layers, and by each of these steps;
        all by the aligner's heads. A compiled form of the system gives the weights of its layers.
        """
        words = words or [_between_spaces(document) for document in documents]
        forced: list[ForcedInstance] = []
        places: list[list[tuple[int, int]]] = []
        for owner, instances in enumerate(self._forced.instances(documents, documents)):
            kept = translated_sentences(documents[owner])
            for one in instances:
                indices = kept[one.instance.first :][: one.instance.document_sentences]
                forced.append(one)
                places.append([(owner, index) for index in indices])
        weights_by_choice: dict[AttentionChoice, dict[tuple[int, int], _Weights]] = {}
        total, done = sum(map(len, places)), 0
        for batch in batches_of_groups(forced):
            together = list(chain.from_iterable(batch))
            located = [place for index in together for place in places[index]]
            weights = self._weights(
                [forced[index] for index in together], documents, located, compiled
            )
            for layer, tables in weights.items():
                for (owner, index), table in zip(located, tables, strict=True):
                    by_step = self._by_word(
                        documents[owner], index, table, words[owner][index], steps
                    )
                    for step, of_words in by_step.items():
                        choice = AttentionChoice(layer, step, self.heads)
                        weights_by_choice.setdefault(choice, {})[owner, index] = of_words
            done += len(located)
            if progress is not None:
                progress(done, total)
        return {choice: _assemble(words, found) for choice, found in weights_by_choice.items()}

    def _weights(
        self,
        forced: Sequence[ForcedInstance],
        documents: Sequence[Document],
        located: Sequence[tuple[int, int]],
        compiled: CompiledSystem | None,
    ) -> dict[int, list[_Weights]]:
        """For each layer, the weights of each sentence, (1 + target tokens, source tokens), from
        the step that predicts the first target token to the step with the last token as input."""
        pipeline = self.translator.pipeline
        lengths: dict[Side, list[int]] = {
            side: [
                len(pipeline.encode_sentence(_text(documents[owner], index, side), side))
                for owner, index in located
            ]
            for side in SIDES
        }
        if compiled is not None:
            return self._compiled_weights(compiled, forced, lengths)
        weights_by_layer, layers = self._eager_weights(forced, lengths)
        if not weights_by_layer:
            raise self._lacks(sorted(self._wanted or ()), layers - (self._wanted or set()))
        return weights_by_layer

    def _ranges(
        self,
        forced: Sequence[ForcedInstance],
        lengths: dict[Side, list[int]],
        offsets: dict[Side, NDArray[np.int64]],
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """For each sentence the steps from the one that predicts the first target token, and the
        source tokens; offsets are of the sentences of both sides."""
        special_tokens = self.translator.pipeline.special_tokens
        joined = [one.instance.joined for one in forced]
        opening = len(special_tokens.target_opening)
        rows = token_ranges(lengths["target"], offsets["target"], joined, opening)
        before = len(special_tokens.source_begin)
        columns = token_ranges(lengths["source"], offsets["source"], joined, before)
        return [(begin - 1, end) for begin, end in rows], columns

    def _eager_weights(
        self, forced: Sequence[ForcedInstance], lengths: dict[Side, list[int]]
    ) -> tuple[dict[int, list[_Weights]], set[int]]:
        """The weights of each sentence for each layer, by PyTorch, and all layers with weights."""
        import torch

        from docmt.alignment.cross_attention import CrossAttentionRecorder
        from docmt_nmt.nn.recording import recording

        system = self.translator.eager
        with system.evaluating(), torch.inference_mode():
            batch = self._forced.batch(forced)
            offsets: dict[Side, NDArray[np.int64]] = {
                "source": batch.source.sentences.host_offsets,
                "target": batch.target.sentences.host_offsets,
            }
            rows, columns = self._ranges(forced, lengths, offsets)
            recorder = CrossAttentionRecorder(
                system, batch, rows, columns, self._wanted, self.heads
            )
            with recording(recorder):
                system.states(batch)
        return recorder.by_layer(), recorder.layers

    def _compiled_weights(
        self,
        compiled: CompiledSystem,
        forced: Sequence[ForcedInstance],
        lengths: dict[Side, list[int]],
    ) -> dict[int, list[_Weights]]:
        """The weights of each sentence for each layer, by a compiled system."""
        special_tokens = self.translator.pipeline.special_tokens
        found: dict[int, list[_Weights]] = {}
        first = 0
        instances = [one.instance for one in forced]
        weights = compiled_weights(compiled, instances, special_tokens, self.heads)
        for one, tables in zip(forced, weights, strict=True):
            instance = one.instance
            assert instance.target is not None
            end = first + (instance.joined or len(instance.source))
            of_one: dict[Side, list[int]] = {side: lengths[side][first:end] for side in SIDES}
            first = end
            offsets: dict[Side, NDArray[np.int64]] = {
                "source": offsets_of(instance.source, special_tokens.source_overhead),
                "target": offsets_of(instance.target, special_tokens.target_overhead),
            }
            rows, columns = self._ranges([one], of_one, offsets)
            for layer, table in tables.items():
                found.setdefault(layer, []).extend(
                    table[slice(*row), slice(*column)]
                    for row, column in zip(rows, columns, strict=True)
                )
        return found

    @staticmethod
    def _lacks(layers: Sequence[int], others: Collection[int]) -> InputError:
        """The error for layers without cross-attention, with a list of the layers that have it."""
        where = f" in layer {' and '.join(map(str, layers))}" if layers else ""
        named = ", ".join(map(str, sorted(others)))
        return InputError(
            f"this system has no cross-attention{where} that looks at the source alone",
            cure=f"Choose from the layers {named}" if named else "Align by another run",
        )

    def _by_word(
        self,
        document: Document,
        index: int,
        table: _Weights,
        words: Words,
        wanted: Collection[AttentionStep],
    ) -> dict[AttentionStep, _Weights]:
        """The weights of words, (source words, target words), for each step."""
        pipeline = self.translator.pipeline
        shares = []
        for side, words_of_side in zip(SIDES, words, strict=True):
            text = _text(document, index, side)
            shares.append(word_shares(text, pipeline.token_spans(text, side), words_of_side))
        # The weight of a target word is the mean over the word's subwords, by the share of each
        # subword in the word.
        mean = shares[1].T / np.maximum(shares[1].sum(1), 1e-9)
        steps: dict[AttentionStep, _Weights] = {"output": table[:-1], "input": table[1:]}
        return {
            step: np.asarray(shares[0] @ weights.T @ mean, np.float32)
            for step, weights in steps.items()
            if step in wanted
        }


def mean_weights(
    parts: Sequence[Sequence[Sequence[AlignedSentence]]],
) -> list[list[AlignedSentence]]:
    """Sentences with the mean of the weights of several alignments of the same words. Each
    alignment is a list of documents of sentences."""
    return [
        [
            several[0]._replace(weights=np.mean([one.weights for one in several], axis=0))
            for several in zip(*same_document, strict=True)
        ]
        for same_document in zip(*parts, strict=True)
    ]


def _text(document: Document, index: int, side: Side) -> str:
    """A sentence of a document."""
    assert document.target is not None
    return (document.source if side == "source" else document.target)[index]


def _between_spaces(document: Document) -> list[Words]:
    """The words between spaces, for each sentence of a document."""
    assert document.target is not None
    pairs = zip(document.source, document.target, strict=True)
    return [(source.split(), target.split()) for source, target in pairs]


def _assemble(
    words: Sequence[Sequence[Words]], weights: dict[tuple[int, int], _Weights]
) -> list[list[AlignedSentence]]:
    """All sentences of all documents; sentences not run have weights of 0."""
    return [
        [
            AlignedSentence(
                *pair, weights.get((owner, index), np.zeros(tuple(map(len, pair)), np.float32))
            )
            for index, pair in enumerate(words_of_document)
        ]
        for owner, words_of_document in enumerate(words)
    ]
