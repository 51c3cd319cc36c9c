"""What `papers.py evaluate` measures of a finished run, kept next to its run directory:

    RUNS/NAME-SEED.measures.json      numbers
    RUNS/NAME-SEED.measures.npz       numbers of each sentence and document
    RUNS/NAME-SEED.translation.jsonl  the test split, translated

The log-probability of a reference sentence, in bits, is measured as the system translates (its
`natural` instances) and, to say what context is worth, with the sentences before it chosen: none
(`alone`), its own with their references (`own`) or with the system's translations (`translated`),
and those before another sentence (`shuffled`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_files.storage.files import whole_path, write_text
from docmt_nmt.base.translations import Translation
from docmt_nmt.corpora import write
from docmt_nmt.data.preparation import read_split
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.runs.system_run import SystemRun
from docmt_research.analysis import measure_attention
from docmt_research.analysis.sentences_in_context import (
    sentences_with_text,
    shuffled_contexts,
    with_context,
)
from docmt_research.discourse import DiscourseOptions, evaluate_discourse
from docmt_research.forced_decoding.forced_decoder import Candidates
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from papers_training import training_cost

Bits = NDArray[np.float64]

CONTEXT = 3
"""Sentences of chosen context, or as many of them as a system reads."""

SEED = 12345
"""Of shuffled context."""

METRICS = ("s-bleu", "d-bleu", "s-chrf", "d-chrf")
JOINED_METRICS = ("d-bleu", "d-chrf")
"""Of translations whose sentences are joined."""


def files(run: Path) -> tuple[Path, Path, Path]:
    """The files of the measures of a run: numbers, arrays and the translation."""
    ends = ("measures.json", "measures.npz", "translation.jsonl")
    numbers, arrays, translation = (run.with_name(f"{run.name}.{end}") for end in ends)
    return numbers, arrays, translation


def measure(directory: Path) -> None:
    """Measure a finished run, unless that is done.

    Raises:
        InputError: it or its corpus cannot be used.
    """
    numbers_file, arrays_file, translation_file = files(directory)
    if numbers_file.exists():
        return
    run = SystemRun.load(directory)
    references = list(read_split(run.recipe.data, "test"))
    numbers: dict[str, Any] = {
        "parameters": sum(p.numel() for p in run.system("cpu").parameters()),
        "training": training_cost(directory),
    }
    arrays: dict[str, Bits] = {}
    if run.recipe.instances.kind != "masked":
        translator = BeamSearchTranslator.load(directory)
        sources = [replace(document, target=None) for document in references]
        translations = translator.translate(sources)
        translated = [translation.document for translation in translations]
        numbers |= quality(translations, references)
        forced_decoder = SystemForcedDecoder(translator)
        numbers["attention"] = measure_attention(forced_decoder, references).as_dict()["entropies"]
        write(translated, translation_file)
        if not run.recipe.instances.join_sentences:
            arrays = log_probabilities(forced_decoder, references, translated)
            arrays |= consistency_counts(translation_file)
    with whole_path(arrays_file) as part, part.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
    write_text(numbers_file, json.dumps(numbers, indent=1) + "\n")  # last, as it says all is there


def quality(translations: Sequence[Translation], references: Sequence[Document]) -> dict[str, Any]:
    """The scores of translations and, of windows that slide, of each position in the window."""
    translated = [translation.document for translation in translations]
    joined = any(document.joined for document in translated)
    metrics = JOINED_METRICS if joined else METRICS
    scores = evaluate(translated, references, MetricSettings(metrics=metrics, language="de"))
    positions = []
    of_positions = MetricSettings(metrics=("s-bleu",), language="de")
    for j in range(len(translations[0].positions)):
        at_j = [t.document.translated(t.positions[j].sentences) for t in translations]
        positions.append(evaluate(at_j, references, of_positions)[0].score)
    return {"scores": {score.name: score.to_dict() for score in scores}, "positions": positions}


def log_probabilities(
    forced_decoder: SystemForcedDecoder,
    references: Sequence[Document],
    translated: Sequence[Document],
) -> dict[str, Bits]:
    """The log-probability of each reference sentence that is not empty, in bits."""
    natural = [
        score
        for own in forced_decoder.log_probabilities(references)
        for score in own
        if score is not None
    ]
    found = {"natural": np.array([score.log_probability for score in natural]) / log(2)}
    limit = forced_decoder.max_context
    context = CONTEXT if limit is None else min(limit, CONTEXT)
    if not context:
        return found
    sentences = sentences_with_text(references)
    targets = [(references[owner].target or ())[index] for owner, index in sentences]

    def bits(documents: Sequence[Document]) -> Bits:
        pairs = zip(documents, targets, strict=True)
        cases = [Candidates(document, (target,)) for document, target in pairs]
        scores = [
            own[0].log_probability for own in forced_decoder.candidate_log_probabilities(cases)
        ]
        return np.array(scores) / log(2)

    def given(documents: Sequence[Document], size: int) -> list[Document]:
        return [with_context(documents[owner], index, size) for owner, index in sentences]

    own = given(references, context)
    found |= {"alone": bits(given(references, 0)), "own": bits(own)}
    # A sentence that no foreign context fits is read alone.
    pairs = zip(shuffled_contexts(own, SEED, sentences), own, strict=True)
    shuffled = [
        with_context(one, len(one) - 1, 0) if other is None else other for other, one in pairs
    ]
    found["shuffled"] = bits(shuffled)
    if forced_decoder.reads_target:
        found["translated"] = bits(given(translated, context))
    return found


def consistency_counts(translation: Path) -> dict[str, Bits]:
    """What lexical consistency (LTCR) counts in each document of a translation, (documents, 2): the
    pairs of a repeated word that are translated alike, and all pairs."""
    options = DiscourseOptions(languages=("en", "de"), metrics=("ltcr",))
    (score,) = evaluate_discourse(str(translation), [], options=options).systems[0].scores
    return {"consistency": score.statistics.counts}
