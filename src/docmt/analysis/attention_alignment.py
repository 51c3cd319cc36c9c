"""Alignment of texts by a run's attention, by the layer and step that agree best with a statistical
aligner.

How well a layer aligns differs from system to system, and no one has links made by people for their
own corpus. So all layers and both steps align some sentence pairs, such as the run's validation
split, and the one is chosen whose links are most like those of
`docmt.evaluation.discourse.align_words`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from docmt.data.prepare import read_split
from docmt.decoding import AttentionAligner, AttentionChoice, AttentionStep
from docmt.documents import Document
from docmt.errors import InputError
from docmt.evaluation.discourse import (
    Alignment,
    align_words,
    alignment_error_rate,
    split_words,
)
from docmt.evaluation.discourse.words import stem
from docmt.files import PathLike
from docmt.runs import Run

_MOST_SENTENCES = 2000
"""So many sentence pairs are enough to choose by."""

_POOR = 0.4
"""A system that has learned to translate agrees more than this with the statistical aligner."""


def choose_attention(
    aligner: AttentionAligner, documents: Sequence[Document]
) -> dict[AttentionChoice, float]:
    """How well each layer and step agrees with the statistical aligner, the best first.

    Args:
        aligner: of the system. If it has a layer, that one alone is tried.
        documents: with translations, from which the statistical aligner learns.

    Returns:
        1 − AER of the links of each, against those of the statistical aligner.

    Raises:
        InputError: as `AttentionAligner.align`.
    """
    languages = aligner.translator.pipeline.languages
    words = [
        [
            (split_words(source, languages[0]), split_words(target, languages[1]))
            for source, target in zip(document.source, document.target or (), strict=True)
        ]
        for document in documents
    ]
    stems = [
        (stem(source, languages[0]), stem(target, languages[1]))
        for source, target in chain.from_iterable(words)
    ]
    expected = align_words(stems).links
    agreement = {
        choice: 1
        - alignment_error_rate(
            [sentence.links() for sentence in chain.from_iterable(found)], expected
        )
        for choice, found in aligner.align_by_choice(documents, words).items()
    }
    return dict(sorted(agreement.items(), key=lambda item: (-item[1], item[0])))


def chosen_aligner(
    run: PathLike,
    *,
    layer: int | None = None,
    step: AttentionStep | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> AttentionAligner:
    """The aligner of a run, by the layer and step that are given, or that agree best with the
    statistical aligner on its validation split.

    Args:
        run: the run directory.
        layer: the decoder layer, from 0.
        step: the step of the decoder that stands for a target token.
        note: called with what was chosen.

    Raises:
        InputError: the directory is not a trained run, or the validation split is not there.
    """
    aligner = AttentionAligner.load(run, layer=layer)
    if layer is not None and step is not None:
        aligner.step = step
        return aligner
    data = Run.load(run).recipe.data
    try:
        documents = _first_documents(list(read_split(data, "valid")))
    except InputError as error:
        raise InputError(
            f"the validation split of {run}, by which a layer is chosen, cannot be read: {error}",
            cure="Name the decoder layer, from 0, and the step: --alignment-layer 2 "
            "--alignment-step input",
        ) from None
    agreement = choose_attention(aligner, documents)
    choice = next(choice for choice in agreement if step in (None, choice.step))
    aligner.layer, aligner.step = choice
    doubt = "" if agreement[choice] >= _POOR else "; that is little, so the links may be poor"
    note(
        f"words are aligned by the attention of decoder layer {choice.layer} at the step whose "
        f"{choice.step} is the target token; on the run's validation split, of all layers and "
        f"steps it agrees best with the statistical aligner ({100 * agreement[choice]:.0f} %)"
        f"{doubt}"
    )
    return aligner


def _first_documents(documents: Sequence[Document]) -> list[Document]:
    """The first documents, with enough sentences."""
    found, sentences = [], 0
    for document in documents:
        if sentences < _MOST_SENTENCES:
            found.append(document)
        sentences += len(document)
    return found


def align_by_attention(
    aligner: AttentionAligner,
    documents: Sequence[Document],
    words: Sequence[tuple[Sequence[str], Sequence[str]]],
) -> Alignment:
    """The word alignment of documents with their translations, as the metrics of discourse take
    it: both directions of the attention, combined by grow-diag-final-and.

    Args:
        aligner: with the layer that aligns.
        documents: with their translations.
        words: the words of both sides of each sentence of all documents.

    Raises:
        InputError: as `AttentionAligner.align`.
    """
    rest = iter(words)
    by_document = [[next(rest) for _ in range(len(document))] for document in documents]
    aligned = aligner.align(documents, by_document)
    links = [sentence.links(symmetrize=True) for sentence in chain.from_iterable(aligned)]
    layer = "" if aligner.layer is None else f"-layer-{aligner.layer}"
    return Alignment(links, f"attention{layer}-{aligner.step}-grow-diag-final-and")
