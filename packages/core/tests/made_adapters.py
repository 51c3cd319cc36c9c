"""Context adapters that nobody trained: new attention is a copy of a model's own."""

from __future__ import annotations

from docmt_nmt.recipes.training import InitializeSettings
from docmt_nmt.runs.adapter_descriptions import AdapterDescription
from docmt_nmt.runs.context_adapters import ContextAdapter, base_hash
from docmt_nmt.systems import build
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.training.new_modules import start_new_modules


def make_adapter(base, path, **described):
    """Write an adapter for a run that was imported from Marian."""
    state = base.state()
    settings = GTransformerSettings.read(
        {
            **base.recipe.system.model_dump(exclude={"name", "preset", "count_positions"}),
            "name": "g-transformer",
            "count_positions": "sentence",
            "sees": "beyond",
            "sentences_before": 4,
            "encoder_context_layers": 2,
            "cross_context_layers": 1,
            "target_context": False,
            "recurrence_unit": "sentence",
        }
    )
    sizes = len(base.pipeline.source_vocabulary), len(base.pipeline.target_vocabulary)
    system = build(settings, *sizes, seed=1)
    system.load_state_dict(state, strict=False)
    start_new_modules(
        system, set(state), InitializeSettings(run="", new_attention="copy", gate_bias=0)
    )
    new = {n: t for n, t in system.state_dict().items() if ".global_" in n or ".gate." in n}
    description = AdapterDescription.read(
        {
            "languages": base.pipeline.languages[:2],
            "base": base_hash(state),
            "system": settings.model_dump(mode="json"),
            "instances": {"kind": "tokens", "max_tokens": 512},
            **described,
        }
    )
    ContextAdapter(description, new).write(path)
