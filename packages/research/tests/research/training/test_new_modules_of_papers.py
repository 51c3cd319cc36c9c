"""How attention over context starts that the run of `initialize` lacks."""

import pytest
import torch

from cases import make
from docmt_files.base.errors import InputError
from research_cases import context_aware_transformer, document_transformer, han
from training.test_new_modules import started, weights_of


def test_attention_to_an_encoded_context_starts_as_attention_to_the_encoded_sentence():
    system, _ = started(document_transformer(), new_attention="copy")
    layer = system.decoder[0]
    context, cross = layer["context_attention"], layer["cross_attention"]
    assert torch.equal(weights_of(context.attention), weights_of(cross.sublayer.attention))
    first = system.encoder[0]
    assert torch.equal(
        weights_of(system.context_encoder[0]["feed_forward"]), weights_of(first["feed_forward"])
    )
    context, own = first["context_attention"], first["self_attention"].sublayer
    assert torch.equal(weights_of(context.attention), weights_of(own.attention))


@pytest.mark.parametrize("settings", [context_aware_transformer(), han()], ids=lambda one: one.name)
def test_every_other_system_with_a_counterpart_copies_it(settings):
    fresh = make(settings).state_dict()
    system, loaded = started(settings, new_attention="copy")
    changed = {n for n, tensor in system.state_dict().items() if not torch.equal(tensor, fresh[n])}
    assert changed and all("attention" in n or n.startswith("context_") for n in changed)
    assert not changed & loaded


def test_a_gate_that_is_new_and_has_no_bias_is_an_error():
    with pytest.raises(InputError, match="no gate in the system is new and has a bias"):
        started(document_transformer(), gate_bias=2)
