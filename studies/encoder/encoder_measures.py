"""What is measured of each run of the study, and how runs are compared.

RUNS/NAME.measures.jsonl   the test split translated
RUNS/NAME.measures.npz     (S,) the log-probability of each reference sentence, in bits
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt.corpora import read, write
from docmt.data.preparation import read_split
from docmt.decoding import BeamSearchTranslator
from docmt.evaluation import MetricSettings, SignificanceTest, evaluate
from docmt.evaluation.significance import Comparer
from docmt.ground.documents import Document
from docmt.runs.system_run import SystemRun
from docmt.runs.training_logs import read_log
from docmt.translators import translate
from docmt_research.analysis.proportions import mean_interval
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from encoder_training import SEEDS, SYSTEMS

_METRICS = MetricSettings(metrics=("s-bleu", "d-bleu", "s-chrf"), language="de")
_TEST = SignificanceTest(resample="document")

COMPARISONS = [
    *((f"{system}-pretrained", f"{system}-corpus") for system in SYSTEMS),
    ("bert-fused-pretrained", "bert-fused-random"),
    *((f"{system}-pretrained", "sentence-continued") for system in SYSTEMS),
    *((f"{system}-pretrained", "sentence") for system in SYSTEMS),
]
"""Systems, each with the one that it is compared with."""

Bits = NDArray[np.float64]


def measure(run: Path) -> None:
    """Translate the test split with a finished run and decode its references, unless it is done."""
    translated, bits_file = _files(run)
    if bits_file.exists() or not (run / "weights.safetensors").exists():
        return
    references = _references(run)
    translator = BeamSearchTranslator.load(run)
    sources = [replace(document, target=None) for document in references]
    write([one.document for one in translate(translator, sources)], translated)
    decoded = chain.from_iterable(SystemForcedDecoder(translator).log_probabilities(references))
    bits = [each.log_probability / log(2) for each in decoded if each is not None]
    np.savez_compressed(bits_file, allow_pickle=False, bits=np.array(bits))


def results(runs: Path) -> dict[str, Any]:
    """All figures of the runs that are measured: scores, losses, and comparisons over the seeds
    that both systems have."""
    references = _references(runs / "sentence")
    names = dict.fromkeys(name for pair in COMPARISONS for name in pair)
    measured = {name: _seeds(runs, name) for name in names}
    scores = {
        name: [_scores(runs, run, references) for run in found.values()]
        for name, found in measured.items()
        if found
    }
    compared = []
    for name, baseline in COMPARISONS:
        common = [
            s for s in measured[name] if s in measured[baseline] or None in measured[baseline]
        ]
        if common:
            ours = [measured[name][seed] for seed in common]
            theirs = [measured[baseline].get(seed, measured[baseline].get(None)) for seed in common]
            figures = _compare(runs, ours, [run for run in theirs if run], references)
            compared.append({"system": name, "baseline": baseline, "seeds": [*common], **figures})
    return {"scores": scores, "comparisons": compared}


def _seeds(runs: Path, name: str) -> dict[int | None, str]:
    """The measured runs of a system by seed; the base has none of its own."""
    by_seed = {seed: name if seed is None else f"{name}-{seed}" for seed in (None, *SEEDS)}
    return {seed: run for seed, run in by_seed.items() if _files(runs / run)[1].exists()}


def _files(run: Path) -> tuple[Path, Path]:
    return run.with_name(f"{run.name}.measures.jsonl"), run.with_name(f"{run.name}.measures.npz")


def _references(run: Path) -> list[Document]:
    return list(read_split(SystemRun.load(run).recipe.data, "test"))


def _bits(runs: Path, run: str) -> Bits:
    with np.load(_files(runs / run)[1]) as arrays:
        bits: Bits = arrays["bits"]
    return bits


def _scores(runs: Path, run: str, references: Sequence[Document]) -> dict[str, float]:
    """The scores of a run, its bits per reference sentence, and its lowest validation loss."""
    scores = evaluate(list(read(_files(runs / run)[0])), references, _METRICS)
    losses = [
        line["loss"] for line in read_log(runs / run / "log.jsonl") if line["kind"] == "valid"
    ]
    return {
        **{score.name: round(score.score, 2) for score in scores},
        "bits": round(float(_bits(runs, run).mean()), 2),
        "validation loss": round(min(losses), 4),
    }


def _compare(
    runs: Path, ours: Sequence[str], theirs: Sequence[str], references: Sequence[Document]
) -> dict[str, Any]:
    """The differences of two systems, over their seeds: bits with their interval by bootstrap over
    documents, and scores with theirs and the p-value of approximate randomization."""
    gains = [_bits(runs, a) - _bits(runs, b) for a, b in zip(ours, theirs, strict=True)]
    owners = np.repeat(np.arange(len(references)), [len(d) for d in references])
    low, high = mean_interval(np.mean(gains, axis=0), owners)
    translations = [[list(read(_files(runs / run)[0])) for run in each] for each in (ours, theirs)]
    comparer = Comparer(
        dict(zip(("system", "baseline"), translations, strict=True)), references, _METRICS, _TEST
    )
    return {
        "bits": round(float(np.mean(gains)), 3),
        "bits interval": [round(low, 3), round(high, 3)],
        "bits by seed": [round(float(gain.mean()), 3) for gain in gains],
        **{
            one.name: {
                "difference": round(one.difference, 2),
                "interval": [round(one.low, 2), round(one.high, 2)],
                "p": one.p,
            }
            for one in comparer.compare("system", "baseline")
        },
    }
