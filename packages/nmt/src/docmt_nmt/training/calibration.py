"""Calibration: the mean log-probability per token below which a translation is improbable.

Systems are confident to different degrees, by their size, their vocabulary and label smoothing. So
the threshold is learned from a system's own translations of text of its domain, such as the
validation split: all but three in a hundred are more probable.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np

from docmt_files.base.documents import Document
from docmt_nmt.data.preparation import read_split
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.translators import translate
from docmt_nmt.translators.translator import ProgressCallback

MIN_SENTENCES, MAX_SENTENCES = 100, 1000
"""A threshold is not learned from fewer sentences, and not from more."""

_TAIL = 0.03
"""The share of the translations that are less probable than the threshold."""


def calibrate(
    run: SystemRun,
    documents: Iterable[Document] | None = None,
    *,
    progress: ProgressCallback | None = None,
) -> float | None:
    """Learn which translations of a run are improbable, and write the threshold into the run.

    Args:
        run: the run of a trained system.
        documents: text of the run's domain; some documents of `MAX_SENTENCES` or a little more
            are translated. Default: the run's validation split.
        progress: shows the progress of the translation.

    Returns:
        The mean log-probability per token below which a translation is improbable; None from fewer
        than `MIN_SENTENCES` sentences, where nothing is written.

    Raises:
        InputError: the validation split cannot be read, or the run cannot be written.
    """
    documents = list(read_split(run.recipe.data, "valid") if documents is None else documents)
    random.Random(0).shuffle(documents)
    taken: list[Document] = []
    for document in documents:
        taken.append(document)
        if sum(map(len, taken)) >= MAX_SENTENCES:
            break
    values: list[float] = []
    for translation in translate(BeamSearchTranslator.of(run), taken, progress=progress):
        pairs = zip(translation.document.source, translation.log_probabilities, strict=True)
        values += [value for source, value in pairs if any(map(str.isalnum, source))]
    if len(values) < MIN_SENTENCES:
        return None
    threshold = round(float(np.quantile(values, _TAIL)), 4)
    run.save_thresholds(run.thresholds().model_copy(update={"min_log_probability": threshold}))
    return threshold
