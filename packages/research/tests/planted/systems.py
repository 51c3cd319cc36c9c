"""Every document-level system in small, trained on planted cues, and what of them its paper lets it
see."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt_nmt.recipes import Recipe
from docmt_nmt.training import train
from docmt_research.analysis.contrastive_evaluation import contrast
from docmt_research.analysis.contrastive_suites import read_suite
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from planted.cues import DISTANCES, SIDES, CueSide

STEPS = 400
"""Updates of a training, where a system needs no more; those that start from a sentence-level
system add as many."""

WHOLE = {"kind": "whole"}
PARTS = {"kind": "tokens", "max_tokens": 128}
SENTENCE = {"kind": "sentence"}
_WINDOW = {"kind": "window", "window": 4}

_ALL = (1, 2, 3)


@dataclass(frozen=True)
class Planted:
    """A system, and what it can use.

    Attributes:
        system: its settings, but for its sizes.
        instances: what it is trained on.
        sees: the distances at which it sees the cue, by the side of the cue.
        start: the name of the sentence-level system that it starts from; none from random weights.
        frozen: whether what it starts from is not trained on.
        why: what its paper lets it look at.
        steps: updates of its training.
        is_exact: whether a cue that it does not see changes nothing at all. If not, it reads states
            in which the cue has left traces that it cannot use.
        is_settled: whether it has been shown to use what it sees. If not, it learns to from two
            documents, and has not learned it from many in the updates that were tried.
    """

    system: Mapping[str, Any]
    instances: Mapping[str, Any]
    sees: Mapping[CueSide, tuple[int, ...]]
    why: str
    start: str | None = None
    frozen: bool = False
    steps: int = STEPS
    is_exact: bool = True
    is_settled: bool = True


def _both(distances: tuple[int, ...] = _ALL) -> dict[CueSide, tuple[int, ...]]:
    return {"source": distances, "target": distances}


def _source(distances: tuple[int, ...] = _ALL) -> dict[CueSide, tuple[int, ...]]:
    return {"source": distances, "target": ()}


_STACK = {
    "name": "parallel-stack",
    "stack": "Ds(3p,c)",
    "contexts": {"D": {"kind": "trained", "layers": 1}},
}

_CACHE = (
    "the states from which it wrote its last words; they do not know which of two equally probable "
    "words was written"
)

PLANTED: dict[str, Planted] = {
    "transformer, sentences": Planted({"name": "transformer"}, SENTENCE, _both(()), "its sentence"),
    "rnnsearch": Planted({"name": "rnnsearch"}, SENTENCE, _both(()), "its sentence"),
    "transformer, documents": Planted(
        {"name": "transformer"}, WHOLE, _both(), "its instance, on both sides"
    ),
    "transformer, windows of 2": Planted(
        {"name": "transformer"},
        {"kind": "window", "window": 2, "stride": 1},
        _both((1,)),
        "its window, on both sides",
    ),
    "g-transformer": Planted(
        {"name": "g-transformer"}, PARTS, _both(), "its instance, on both sides"
    ),
    "g-transformer without target context": Planted(
        {"name": "g-transformer", "target_context": False},
        PARTS,
        _source(),
        "the source of its instance",
    ),
    "long-short": Planted(
        {"name": "long-short"}, {**_WINDOW, "stride": 1}, _both(), "its window, on both sides"
    ),
    "document-transformer": Planted(
        {"name": "document-transformer"},
        {**SENTENCE, "previous_sentences": 2},
        _source((1, 2)),
        "the source of 2 sentences before",
    ),
    "context-aware-transformer": Planted(
        {"name": "context-aware-transformer"},
        {**SENTENCE, "previous_sentences": 1},
        _source((1,)),
        "the source of the sentence before",
    ),
    "flat-transformer": Planted(
        {"name": "flat-transformer"},
        {**SENTENCE, "previous_sentences": 2},
        _source((1, 2)),
        "the source of 2 sentences before",
    ),
    "han, encoder": Planted(
        {"name": "han", "integration": "encoder"},
        WHOLE,
        _source(),
        "the source of 3 sentences before",
    ),
    "han": Planted({"name": "han"}, WHOLE, _both(), "3 sentences before, on both sides"),
    "san, encoder": Planted(
        {"name": "san"}, WHOLE, _source(), "the source of all sentences before"
    ),
    "san, decoder": Planted(
        {"name": "san", "integration": "decoder"},
        WHOLE,
        _both(),
        "the states that wrote all sentences before, which know their source",
        steps=800,
    ),
    "associated-memory": Planted(
        {"name": "associated-memory"}, WHOLE, _source(), "the source of all other sentences"
    ),
    "hybrid-context": Planted(
        {"name": "hybrid-context"},
        WHOLE,
        {"source": _ALL, "target": (1, 2)},
        "the source of the document; with 2 layers, the translations of 2 sentences before",
        steps=1200,
    ),
    "hm-gdc": Planted({"name": "hm-gdc"}, WHOLE, _source(), "the source of the document"),
    "hm-gdc-rnnsearch": Planted(
        {"name": "hm-gdc-rnnsearch"},
        WHOLE,
        _source(),
        "the source of the document",
        steps=1500,
        is_settled=False,
    ),
    "cross-sentence-rnn": Planted(
        {"name": "cross-sentence-rnn"},
        {**SENTENCE, "previous_sentences": 3},
        _source(),
        "a summary of the source of 3 sentences before",
    ),
    "multi-encoder-rnn": Planted(
        {"name": "multi-encoder-rnn"},
        {"kind": "window", "window": 2, "stride": 1},
        _both((1,)),
        "the sentence before, on both sides",
        is_settled=False,
    ),
    "parallel-stack": Planted(_STACK, SENTENCE, _source(), "the source of 3 sentences before"),
    "cache-transformer": Planted(
        {"name": "cache-transformer"},
        WHOLE,
        _both(()),
        _CACHE,
        start="transformer",
        frozen=True,
        is_exact=False,
    ),
    "cache-rnnsearch": Planted(
        {"name": "cache-rnnsearch"},
        WHOLE,
        _both(()),
        _CACHE,
        start="rnnsearch",
        frozen=True,
        is_exact=False,
    ),
    "cadec": Planted(
        {"name": "cadec"}, WHOLE, _both(), "3 sentences before, on both sides", start="transformer"
    ),
}
"""Every system of docmt, by a name for the table."""

_STARTS = {"transformer": "transformer, sentences", "rnnsearch": "rnnsearch"}
"""The sentence-level systems that others start from."""

_RECURRENT = ("rnn", "rnnsearch")


def recipe_of(one: Planted, corpus: Path, start: Path | None = None) -> Recipe:
    """The recipe of a system."""
    name = str(one.system["name"])
    sizes: dict[str, Any] = {"d_model": 64, "dropout": 0.0}
    if not name.endswith(_RECURRENT):
        sizes |= {"layers": 2, "heads": 4, "ffn_dim": 128, "norm": "pre"}
    if name == "hm-gdc-rnnsearch":
        sizes |= {"heads": 4}
    values: dict[str, Any] = {
        "data": {
            split: {"source": str(corpus / f"{split}.en"), "target": str(corpus / f"{split}.de")}
            for split in ("train", "valid")
        },
        "text": {"subword": "words", "vocabulary_size": 150},
        "instances": dict(one.instances),
        "system": {**sizes, **copy.deepcopy(dict(one.system))},
        "training": {
            "max_steps": one.steps,
            "batch_tokens": 1024,
            "learning_rate": 3e-3,
            "warmup_steps": 100,
            "schedule": "polynomial",
            "label_smoothing": 0.0,
            "clip_norm": 1.0,
            "validate_every": one.steps,
        },
    }
    if start is not None:
        values["initialize"] = {"run": str(start)}
        if one.frozen:
            values["initialize"]["freeze"] = ["loaded"]
    return Recipe.read(values)


def trained(name: str, corpus: Path, runs: Path) -> Path:
    """Train a system, after what it starts from; what has been trained stays.

    Returns:
        The directory of the run.
    """
    one = PLANTED[name]
    start = None if one.start is None else trained(_STARTS[one.start], corpus, runs)
    directory = runs / name.replace(",", "").replace(" ", "-")
    train(recipe_of(one, corpus, start), directory, progress=False)
    return directory


def accuracies(run: Path, corpus: Path) -> dict[str, dict[int, float]]:
    """Share of the cases that a run gets right, in percent, by side and distance of the cue."""
    suite = read_suite(corpus / "cues.jsonl")
    result = contrast(SystemForcedDecoder.load(run), suite, controls=False)
    right: dict[tuple[str, int], list[bool]] = {}
    for case, is_right in zip(suite.cases, result.decisions.right, strict=True):
        assert case.distance is not None
        right.setdefault((case.phenomenon, case.distance), []).append(is_right)
    return {
        side: {d: 100 * sum(right[side, d]) / len(right[side, d]) for d in DISTANCES}
        for side in SIDES
    }
