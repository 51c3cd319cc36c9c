"""How attention and gates start that the run of `initialize` lacks."""

from __future__ import annotations

from math import exp
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from cases import (
    CASES,
    batch,
    documents,
    encoded,
    g_transformer,
    hm_gdc,
    make,
    one_of_each_system,
    parallel_stack,
    transformer,
)
from docmt_files.base.errors import InputError
from docmt_nmt.nn.recording import GateShares, gate_key, recording
from docmt_nmt.recipes.training import InitializeSettings
from docmt_nmt.training import train
from docmt_nmt.training.new_modules import copy_twins, new_gates, start_new_modules
from docmt_nmt.training.run_record import ValidationResult
from toy import log_lines, toy_recipe, trained

each_system = one_of_each_system(CASES)
SENTENCES = {"count_positions": "sentence"}


def started(settings, **keys):
    """A system whose parameters with the name of one of a Transformer are loaded."""
    system, loaded = make(settings), set(make(transformer()).state_dict())
    loaded &= set(system.state_dict())
    start_new_modules(system, loaded, InitializeSettings(run="run", **keys))
    return system, loaded


def weights_of(module):
    return torch.cat([parameter.flatten() for parameter in module.parameters()])


@torch.no_grad()
@pytest.mark.parametrize("bias", [None, 2.0])
def test_copied_attention_changes_nothing_in_a_document_of_one_sentence(bias):
    packed = batch(*documents([5]))
    loaded = make(transformer(**SENTENCES))
    system = make(g_transformer(**SENTENCES), seed=2)
    names = set(loaded.state_dict())
    system.load_state_dict(loaded.state_dict(), strict=False)
    random = system(packed)
    settings = InitializeSettings(run="run", new_attention="copy", gate_bias=bias)
    start_new_modules(system, names, settings)
    assert_close(system(packed), loaded(packed))
    assert not torch.allclose(random, loaded(packed))


def test_the_global_attention_of_a_g_transformer_starts_as_its_group_attention():
    system, loaded = started(g_transformer(), new_attention="copy", gate_bias=2)
    attention = system.encoder[-1]["self_attention"].sublayer
    assert torch.equal(weights_of(attention.global_attention), weights_of(attention.attention))
    assert not attention.gate.weight.any() and (attention.gate.bias == 2).all()
    cross = system.decoder[-1]["cross_attention"].sublayer
    assert torch.equal(weights_of(cross.global_attention), weights_of(cross.attention))
    assert not any("global" in name for name in loaded)


def test_attention_to_the_words_of_the_document_starts_as_cross_attention():
    system, _ = started(hm_gdc(share_encoders=False), new_attention="copy")
    cross = system.decoder[0]["cross_attention"].sublayer
    assert torch.equal(weights_of(cross.document_attention), weights_of(cross.attention))
    lowest = system.hierarchy.document_encoder.layers[0]
    assert torch.equal(weights_of(lowest), weights_of(system.encoder[0]))


def test_a_block_starts_as_a_copy_if_its_encoder_is_trained_with_the_system():
    system, _ = started(parallel_stack("Ds(p,c) => Bs(p,c)"), new_attention="copy")
    stacked = system.decoder[1]["cross_attention"]
    of_trained, of_bert = (block.sublayer.attention for block in stacked.blocks.values())
    own = stacked.sublayer.attention
    assert torch.equal(weights_of(of_trained), weights_of(own))
    assert not torch.equal(of_bert.query.weight, own.query.weight)


@pytest.mark.slow
def test_what_is_loaded_stays_as_it_is(settings):
    system = make(settings)
    before = {name: tensor.clone() for name, tensor in system.state_dict().items()}
    loaded = [name for name in before if name in make(transformer()).state_dict()]
    copied = copy_twins(system, loaded)
    for name, tensor in system.state_dict().items():
        assert torch.equal(tensor, before[name]) or name in copied
    assert not set(copied) & set(loaded)
    assert not copy_twins(system, list(before)), "nothing is new"


@torch.no_grad()
def test_a_gate_bias_lets_the_same_share_of_the_context_through_every_gate(settings):
    system = make(settings)
    gates, closed = new_gates(system, ()), 1 / (1 + exp(2))
    for gate in gates:
        gate.start_at(2.0)
    packed = batch(*documents([3, 4], [5]))
    with recording(GateShares()) as recorder:
        encoded(system, packed)
        system.states(packed)
    shares = recorder.summary([recorder.statistics(system)]).context_share
    names = {gate_key(name) for name, module in system.named_modules() if module in gates}
    assert {key: shares[key] for key in names} == pytest.approx(dict.fromkeys(names, closed))


@pytest.mark.parametrize(
    ("settings", "keys", "message"),
    [
        (transformer(), {"new_attention": "copy"}, "new_attention: copy has no effect"),
        (hm_gdc(), {"gate_bias": 2}, "no gate in the system is new and has a bias"),
    ],
)
def test_a_start_without_anything_new_is_an_error(settings, keys, message):
    with pytest.raises(InputError, match=message):
        started(settings, **keys)


def test_the_copies_train_as_new_parameters(tiny_run, tmp_path):
    corpus = Path(tiny_run.recipe.data.train.source).parent
    run = trained(
        corpus,
        tmp_path / "run",
        system={"name": "g-transformer", **{f"{part}_context_layers": 1 for part in PARTS}},
        instances={"kind": "tokens", "max_tokens": 64},
        training={"max_steps": 2, "validate_every": 1},
        initialize={
            "run": str(tiny_run.directory),
            "freeze": ["loaded"],
            "new_attention": "copy",
            "gate_bias": 2,
        },
    )
    state, start = run.state(), tiny_run.state()
    assert all(torch.equal(state[name], tensor) for name, tensor in start.items())
    new = "encoder.0.self_attention.sublayer.global_attention.value.weight"
    twin = state[new.replace("global_attention", "attention")]
    assert not torch.equal(state[new], twin)
    assert_close(state[new], twin, atol=0.01, rtol=0)
    for line in log_lines(run, "valid"):
        assert all(0.05 < share < 0.25 for share in line["context_share"].values())
        assert len(line["context_share"]) == 3


PARTS = ("encoder", "decoder", "cross")


def test_a_system_without_gates_logs_none(tiny_run):
    assert all("context_share" not in line for line in log_lines(tiny_run, "valid"))


def test_gates_over_two_processes_are_those_of_all_tokens():
    parts = [{"a": (3, 1.5)}, {"a": (1, 0.1), "b": (2, 0.2)}]
    assert GateShares.summary(parts).context_share == pytest.approx({"a": 0.4, "b": 0.1})


@pytest.mark.parametrize(
    ("shares", "warns"),
    [({}, False), ({"a": 0.0, "b": 0.02}, False), ({"a": 0.0, "b": 0.009}, True)],
)
def test_gates_that_are_all_closed_are_a_warning(shares, warns):
    warning = ValidationResult(step=1, loss=1.0, context_share=shares).closed_gates
    assert (warning is not None) == warns
    assert not warns or "no gate passes more than 0.9% of the context" in warning


def test_a_training_whose_gates_are_closed_ends_with_the_warning(tiny_run, tmp_path, capfd):
    recipe = toy_recipe(
        Path(tiny_run.recipe.data.train.source).parent,
        system={"name": "g-transformer", **{f"{part}_context_layers": 1 for part in PARTS}},
        instances={"kind": "tokens", "max_tokens": 64},
        training={"max_steps": 1},
        initialize={"run": str(tiny_run.directory), "gate_bias": 8},
    )
    train(recipe, tmp_path / "run")
    assert "this system translates sentences" in " ".join(capfd.readouterr().err.split())
