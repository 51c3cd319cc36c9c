"""The original of a model of OPUS-MT and its conversion to the format of Hugging Face translate
alike, but for one thing: Marian's positions have wavelengths of i / (d/2 - 1), those of
`transformers` of i / (d/2)."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

import docmt_nmt
import marian_models
from docmt.interop import import_huggingface, import_marian
from pretrained_models import make, sentences

ENGLISH = tuple(sentences("en")[3:9])

LINEAR = {
    "self_attn.q_proj": ("self", "q"),
    "self_attn.k_proj": ("self", "k"),
    "self_attn.v_proj": ("self", "v"),
    "self_attn.out_proj": ("self", "o"),
    "encoder_attn.q_proj": ("context", "q"),
    "encoder_attn.k_proj": ("context", "k"),
    "encoder_attn.v_proj": ("context", "v"),
    "encoder_attn.out_proj": ("context", "o"),
    "fc1": ("ffn", "1"),
    "fc2": ("ffn", "2"),
}
NORMS = {
    "self_attn_layer_norm": "self_Wo_ln",
    "encoder_attn_layer_norm": "context_Wo_ln",
    "final_layer_norm": "ffn_ffn_ln",
}


def _original(model):
    """The weights of a model of `transformers` under Marian's names, without the padding token."""
    state = {name: value.numpy() for name, value in model.state_dict().items()}
    made = {
        "Wemb": state["model.shared.weight"][:-1],
        "decoder_ff_logit_out_b": state["final_logits_bias"][:, :-1],
    }
    for name, value in state.items():
        parts = name.split(".")
        if parts[2:3] != ["layers"]:
            continue
        layer = f"{parts[1]}_l{int(parts[3]) + 1}"
        inner, kind = ".".join(parts[4:-1]), parts[-1]
        if inner in NORMS:
            made[f"{layer}_{NORMS[inner]}_{'scale' if kind == 'weight' else kind}"] = value[None]
        else:
            block, letter = LINEAR[inner]
            part = ("W", value.T) if kind == "weight" else ("b", value[None])
            made[f"{layer}_{block}_{part[0]}{letter}"] = np.ascontiguousarray(part[1])
    return made


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The runs of a model of `transformers` and of its original."""
    folder = tmp_path_factory.mktemp("parity")
    (converted := folder / "converted").mkdir()
    (original := folder / "original").mkdir()
    model, _ = make(converted, "marian")
    # The conversions of real models begin with zeros, too, and never write the padding token.
    with torch.no_grad():
        model.model.shared.weight[-1] = 0
        model.final_logits_bias[:, -1] = -1e4
    model.save_pretrained(converted)
    config = model.config
    settings = marian_models.OPUS_SETTINGS | {
        "dim-emb": config.d_model,
        "transformer-heads": config.encoder_attention_heads,
        "transformer-dim-ffn": config.encoder_ffn_dim,
        "transformer-ffn-activation": config.activation_function,
        "enc-depth": config.encoder_layers,
        "dec-depth": config.decoder_layers,
    }
    marian_models.write_npz(original / "opus.npz", _original(model), settings)
    vocabulary = json.loads((converted / "vocab.json").read_text())
    lines = [f"{json.dumps(token)}: {i}\n" for token, i in vocabulary.items() if token != "<pad>"]
    (original / "opus.vocab.yml").write_text("".join(lines))
    for name in ("source.spm", "target.spm"):
        (original / name).write_bytes((converted / name).read_bytes())
    runs = (
        import_huggingface(str(converted), folder / "run-converted", languages=("en", "de")),
        import_marian(original, folder / "run-original", languages=("en", "de")),
    )
    return [run.directory for run in runs]


def _translations(directory, **search):
    translator = docmt_nmt.load(
        directory, precision="fp32", length_penalty=1.0, early_stopping=True, **search
    )
    (found,) = translator.translate([docmt_nmt.Document("a", ENGLISH)])
    return found.document.target, found.log_probabilities


def _positions(directory, kind):
    path = directory / "recipe.yaml"
    text = path.read_text()
    assert "positions: sinusoidal-" in text
    lines = [
        f"  positions: {kind}" if line.startswith("  positions: ") else line
        for line in text.splitlines()
    ]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 4])
def test_an_original_translates_as_its_conversion_with_the_same_positions(both, beam_size):
    converted, original = both
    found = {}
    for kind in ("sinusoidal-from-0", "sinusoidal-marian"):
        for directory in both:
            _positions(directory, kind)
            limits = {"beam_size": beam_size, "max_length_factor": 2.0}
            found[directory, kind] = _translations(directory, **limits)
        texts = [found[directory, kind][0] for directory in both]
        assert texts[0] == texts[1]
        logs = [found[directory, kind][1] for directory in both]
        torch.testing.assert_close(*map(torch.tensor, logs), atol=1e-5, rtol=1e-5)
    # The positions make a difference.
    assert found[converted, "sinusoidal-from-0"][1] != found[original, "sinusoidal-marian"][1]
