"""The tables of the study's page, from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

_NAMES = {
    "pretrained": "pretrained",
    "corpus": "of the corpus",
    "random": "random weights",
    "sentence": "sentence-level",
    "sentence-continued": "sentence-level, trained on",
}
_SYSTEMS = {
    "bert-fused": "BERT-fused",
    "multi-source": "Multi-source",
    "multi-context": "Multi-context",
}
_MEASURES = ("validation loss", "bits", "s-BLEU", "d-BLEU", "s-chrF")


def tables(results: Mapping[str, Any]) -> str:
    """Both tables as Markdown."""
    scores = [
        [_name(name), str(len(seeds)), *(_mean(seeds, measure) for measure in _MEASURES)]
        for name, seeds in results["scores"].items()
    ]
    comparisons = [
        [
            _name(one["system"]),
            _name(one["baseline"]),
            _with_interval(one["bits"], one["bits interval"]),
            ", ".join(f"{bits:+.2f}" for bits in one["bits by seed"]),
            _difference(one["s-BLEU"]),
            _difference(one["s-chrF"]),
        ]
        for one in results["comparisons"]
    ]
    return "\n\n".join(
        [
            _table(["system", "seeds", *_MEASURES], scores),
            _table(["system", "against", "bits", "by seed", "s-BLEU", "s-chrF"], comparisons),
        ]
    )


def _name(name: str) -> str:
    """The name of a system in the tables."""
    if name in _NAMES:
        return _NAMES[name]
    system, _, encoder = name.rpartition("-")
    return f"{_SYSTEMS[system]}, {_NAMES[encoder]}"


def _mean(seeds: Sequence[Mapping[str, float]], measure: str) -> str:
    return f"{fmean(seed[measure] for seed in seeds):.2f}"


def _difference(one: Mapping[str, Any]) -> str:
    return f"{_with_interval(one['difference'], one['interval'])}, p = {one['p']:.4f}"


def _with_interval(value: float, interval: Sequence[float]) -> str:
    return f"{value:+.2f} ({interval[0]:+.2f} to {interval[1]:+.2f})"


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
