"""Alignment of texts by a run's attention, by the layer and step with the best agreement with a
statistical aligner.

The alignment quality of a layer differs from system to system, and no one has manual links for
their own corpus. So all layers and both steps align some sentence pairs, such as the run's
validation split. The chosen layer and step are the ones with links most similar to the links of
`docmt.alignment.statistical.align_words`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from docmt.alignment.aligned_sentence import AlignedSentence, Words
from docmt.alignment.by_attention import AttentionAligner, mean_weights
from docmt.alignment.links import Alignment, Links
from docmt.alignment.statistical import align_words
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.messages import Message
from docmt_files.storage.files import PathLike
from docmt_nmt.data.preparation import read_split
from docmt_nmt.runs.attention_choice import AttentionChoice, AttentionStep
from docmt_nmt.runs.bundled import check_not_bundled
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.text.word_splitting import split_words, stem

_MOST_SENTENCES = 2000
"""So many sentence pairs are enough to choose by."""

_MOST_PARTS = 3
"""So many layers and steps are taken together at most."""

_POOR = 0.4
"""A trained system agrees more than this with the statistical aligner."""


def choose_attention(
    aligner: AttentionAligner, documents: Sequence[Document]
) -> dict[AttentionChoice, float]:
    """Agreement of each layer and step with the statistical aligner, the best first.

    Args:
        aligner: of the system. If it has a layer, only this layer is tried.
        documents: with translations, from which the statistical aligner learns.

    Returns:
        1 − AER of the links of each, against the links of the statistical aligner.

    Raises:
        InputError: as `AttentionAligner.align`.
    """
    words, expected = _expected_links(aligner, documents)
    return _ranked_choices(aligner.align_by_choice(documents, words), expected)


def _ranked_choices(
    aligned: Mapping[AttentionChoice, Sequence[Sequence[AlignedSentence]]],
    expected: Sequence[Links],
) -> dict[AttentionChoice, float]:
    """Agreement of each choice with these links, the best first."""
    agreement = {choice: _agreement(sentences, expected) for choice, sentences in aligned.items()}
    return dict(sorted(agreement.items(), key=lambda item: (-item[1], item[0][:2])))


def _tried_heads(
    aligner: AttentionAligner,
    documents: Sequence[Document],
    choice: AttentionChoice,
    words: Sequence[Sequence[Words]],
    expected: Sequence[Links],
) -> dict[AttentionChoice, float]:
    """Agreement of the best head, the two best and so on with these links, best first."""
    run = aligner.translator.run
    # Recurrent systems have one.
    count = 1 if run is None else getattr(run.recipe.system, "heads", 1)
    aligned = {}
    for head in range(count):
        aligner.choose(choice._replace(heads=(head,)))
        aligned[head] = aligner.align(documents, words)
    ranked = sorted(aligned, key=lambda head: -_agreement(aligned[head], expected))
    agreement = {}
    for number in range(1, len(ranked) + 1):
        best = ranked[:number]
        heads = None if number == len(ranked) else tuple(sorted(best))
        agreement[choice._replace(heads=heads)] = _agreement(
            mean_weights([aligned[head] for head in best]), expected
        )
    return dict(sorted(agreement.items(), key=lambda item: -item[1]))


def _tried_means(
    aligned: Mapping[AttentionChoice, Sequence[Sequence[AlignedSentence]]],
    ranked: Sequence[AttentionChoice],
    expected: Sequence[Links],
) -> dict[AttentionChoice, float]:
    """Agreement of the means of the best layers and steps with the statistical aligner."""
    agreement = {}
    for number in range(2, min(len(ranked), _MOST_PARTS) + 1):
        first, *others = ranked[:number]
        choice = first._replace(also=tuple(part[:2] for part in others))
        agreement[choice] = _agreement(
            mean_weights([aligned[c] for c in ranked[:number]]), expected
        )
    return agreement


def _expected_links(
    aligner: AttentionAligner, documents: Sequence[Document]
) -> tuple[list[list[Words]], Sequence[Links]]:
    """The words of the sentences of documents, and their links by the statistical aligner."""
    languages = aligner.translator.pipeline.languages
    words: list[list[Words]] = [
        [
            (split_words(source, languages[0]), split_words(target, languages[1]))
            for source, target in zip(document.source, document.target or (), strict=True)
        ]
        for document in documents
    ]
    stems = [
        (stem(list(source), languages[0]), stem(list(target), languages[1]))
        for source, target in chain.from_iterable(words)
    ]
    return words, align_words(stems).links


def _agreement(aligned: Sequence[Sequence[AlignedSentence]], expected: Sequence[Links]) -> float:
    """1 − AER of aligned sentences."""
    links = [sentence.links() for sentence in chain.from_iterable(aligned)]
    return 1 - alignment_error_rate(links, expected)


def alignment_error_rate(
    links: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> float:
    """The alignment error rate (AER; Och and Ney 2003) of links against manual links, from 0, the
    best, to 1:

        AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    Args:
        links: A, of each sentence.
        sure: S, the required links of an alignment.
        possible: P, the permitted links, including `sure`. Default: `sure`.
    """
    right = total = 0
    for ours, must, may in zip(links, sure, possible or sure, strict=True):
        right += len(ours & must) + len(ours & (may | must))
        total += len(ours) + len(must)
    return 1 - right / total if total else 0.0


def chosen_aligner(
    run: PathLike,
    *,
    layer: int | None = None,
    step: AttentionStep | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> AttentionAligner:
    """The aligner of a run, by the given layer and step, or by the layer and step with the best
    agreement with the statistical aligner on the run's validation split.

    Args:
        layer: the decoder layer, from 0.
        step: the decoder step of a target token.
        note: called with the choice.

    Raises:
        InputError: the directory is not a trained run, or the validation split is not there.
    """
    aligner = AttentionAligner.load(run, layer=layer, step=step)
    if layer is not None and step is not None:
        return aligner
    if aligner.layer is not None and layer is None and step is None:
        choice = aligner.choice(())
        note(f"words are aligned by {choice}, as `docmt tune-alignment` has written into the run")
        return aligner
    documents = validation_documents(
        run,
        cure=Message(
            "Name the decoder layer, from 0, and the step: `alignment_layer=2` "
            "`alignment_step=input`",
            ["alignment_layer=2", "alignment_step=input"],
        ),
    )
    agreement = choose_attention(aligner, documents)
    choice = next(choice for choice in agreement if step in (None, choice.step))
    aligner.choose(choice)
    doubt = "" if agreement[choice] >= _POOR else "; that is little, so the links may be poor"
    note(
        f"words are aligned by the attention of decoder layer {choice.layer} at the step whose "
        f"{choice.step} is the target token; on the run's validation split, of all layers and "
        f"steps it agrees best with the statistical aligner ({100 * agreement[choice]:.0f} %)"
        f"{doubt}"
    )
    return aligner


def tune_alignment(
    run: PathLike, documents: Sequence[Document] | None = None
) -> tuple[AttentionChoice, dict[AttentionChoice, float]]:
    """Choose the best attention for word alignment, and write it into the run: one layer and step,
    some heads of a layer, or the mean of the two or three best layers and steps.

    Args:
        documents: with translations; default: the run's validation split.

    Returns:
        The choice, and the agreement of every tried choice with the statistical aligner.

    Raises:
        InputError: the directory is not a trained run or comes with docmt, or the validation split
            is not there.
    """
    check_not_bundled(run)
    loaded = SystemRun.load(run)
    if documents is None:
        documents = validation_documents(
            run, cure=Message("Give sentence pairs: `source` and `target`", ["source", "target"])
        )
    # With a step, the choice saved in the run, which may be damaged, is not read.
    aligner = AttentionAligner.load(run, step="output")
    documents = _first_documents(documents)
    words, expected = _expected_links(aligner, documents)
    aligned = aligner.align_by_choice(documents, words)
    tried = _ranked_choices(aligned, expected)
    ranked = list(tried)
    tried |= _tried_heads(aligner, documents, ranked[0], words, expected)
    tried |= _tried_means(aligned, ranked, expected)
    best = max(tried, key=lambda choice: tried[choice])
    best.save(loaded)
    return best, tried


def validation_documents(run: PathLike, *, cure: str) -> list[Document]:
    """Documents of a run's validation split, enough to choose by.

    Raises:
        InputError: it cannot be read; with this cure.
    """
    try:
        return _first_documents(list(read_split(SystemRun.load(run).recipe.data, "valid")))
    except InputError as error:
        raise InputError(
            f"the validation split of {run}, by which attention is chosen, cannot be read: {error}",
            cure=cure,
        ) from None


def _first_documents(documents: Sequence[Document]) -> list[Document]:
    """The first documents, with enough sentences."""
    first_documents, sentences = [], 0
    for document in documents:
        if sentences < _MOST_SENTENCES:
            first_documents.append(document)
        sentences += len(document)
    return first_documents


def align_by_attention(
    aligner: AttentionAligner,
    documents: Sequence[Document],
    words: Sequence[tuple[Sequence[str], Sequence[str]]],
) -> Alignment:
    """The word alignment of documents with translations, as expected by the metrics of discourse:
    both directions of the attention, combined by grow-diag-final-and.

    Args:
        aligner: with the aligning layer.
        words: the words of both sides of each sentence of all documents.

    Raises:
        InputError: as `AttentionAligner.align`.
    """
    rest = iter(words)
    by_document = [[next(rest) for _ in range(len(document))] for document in documents]
    aligned = aligner.align(documents, by_document)
    links = [sentence.links(symmetrize=True) for sentence in chain.from_iterable(aligned)]
    chosen = aligner.step if aligner.layer is None else str(aligner.choice(()))
    return Alignment(links, f"attention-{chosen}-grow-diag-final-and")
