"""Systems with random weights that decode given translations."""

from __future__ import annotations

from typing import Any

from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.systems import build, system_class
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder

SIZE = {"layers": 2, "d_model": 16, "heads": 2, "ffn_dim": 32, "dropout": 0.1}
TOKENS = {"kind": "tokens", "max_tokens": 64}
SYSTEMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "sentences": ({"name": "transformer"}, {"kind": "sentence"}),
    "windows": ({"name": "transformer"}, {"kind": "window", "window": 2}),
    "joined": ({"name": "transformer"}, {**TOKENS, "join_sentences": True}),
    "g-transformer": (
        {
            "name": "g-transformer",
            "encoder_context_layers": 1,
            "decoder_context_layers": 1,
            "cross_context_layers": 1,
        },
        TOKENS,
    ),
    "document-transformer": (
        {"name": "document-transformer"},
        {"kind": "sentence", "previous_sentences": 2},
    ),
    "han": ({"name": "han", "context_sentences": 2}, TOKENS),
    "hm-gdc": ({"name": "hm-gdc"}, {"kind": "whole"}),
    "long-short": ({"name": "long-short"}, {"kind": "window", "window": 3}),
    "cadec": ({"name": "cadec"}, TOKENS),
    "cache-transformer": ({"name": "cache-transformer"}, TOKENS),
    "cross-sentence-rnn": (
        {"name": "cross-sentence-rnn"},
        {"kind": "sentence", "previous_sentences": 2},
    ),
}
"""Systems, and the instances that they read."""


def forced_decoder_of(
    run, system: dict[str, Any], instances: dict[str, Any]
) -> SystemForcedDecoder:
    """A system with random weights, and the text pipeline of a run."""
    settings = system_class(system["name"]).settings_class
    size = {key: value for key, value in SIZE.items() if key in settings.model_fields}
    source, target = (
        len(vocabulary)
        for vocabulary in (run.pipeline.source_vocabulary, run.pipeline.target_vocabulary)
    )
    made = build(settings.read({**size, **system}), source, target, seed=3)
    search = SearchSettings.read({"beam_size": 1, "length_penalty": 0.0, "max_length_factor": 2.0})
    return SystemForcedDecoder(
        BeamSearchTranslator.build(made, run.pipeline, InstanceSettings.read(instances), search)
    )
