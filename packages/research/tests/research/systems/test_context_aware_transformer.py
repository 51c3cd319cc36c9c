"""The context-aware Transformer against its equations, with dense softmaxes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from cases import batch, documents, make, transformer, with_context
from docmt_nmt.nn.full_pass import FullPass
from research_cases import context_aware_transformer


def multi_head(attention, x, y):
    """MultiHead of x over y, head by head."""
    q, k, v = attention.query(x), attention.key(y), attention.value(y)
    heads = zip(*(z.chunk(attention.heads, dim=1) for z in (q, k, v)), strict=True)
    found = [(a @ b.T / a.shape[1] ** 0.5).softmax(1) @ c for a, b, c in heads]
    return attention.output(torch.cat(found, dim=1))


def around(residual, x, function):
    if residual.norm_order == "pre":
        return x + function(residual.norm(x))
    return residual.norm(x + function(x))


def layer_by_hand(layer, x, attend):
    """An encoder layer with this function in the place of self-attention."""
    x = around(layer["self_attention"], x, attend)
    module = layer["feed_forward"].sublayer
    return around(layer["feed_forward"], x, lambda y: module.outer(torch.relu(module.inner(y))))


def plain_layer(layer, x):
    attention = layer["self_attention"].sublayer.attention
    return layer_by_hand(layer, x, lambda y: multi_head(attention, y, y))


@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_it_computes_the_equations_of_the_paper(norm):
    system = make(context_aware_transformer(norm=norm))
    (sentence,) = documents([4])
    source = batch(with_context(sentence, 3)).source

    def embedded(packed):
        positions = FullPass(packed).positions("instance")
        return system.embed(system.source_embedding, packed.tokens, positions)

    x, context = embedded(source), embedded(source.context)
    context = torch.cat([context[:1] + system.context_begin, context[1:]])
    for layer in system.encoder[:-1]:
        x, context = plain_layer(layer, x), plain_layer(layer, context)
    context = system.context_norm(plain_layer(system.context_layer, context))
    module = system.encoder[-1]["self_attention"].sublayer

    def gated(y):
        own = multi_head(module.attention, y, y)
        found = multi_head(module.context_attention, y, context)
        w_own, w_found = module.context_gate.weight.split(16, dim=1)
        gate = torch.sigmoid(own @ w_own.T + found @ w_found.T + module.context_gate.bias)
        return gate * own + (1 - gate) * found

    expected = system.encoder_norm(layer_by_hand(system.encoder[-1], x, gated))
    assert_close(system.encode(source).states, expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_without_context_it_is_the_transformer_by_the_names_of_its_weights():
    system = make(context_aware_transformer())
    plain = make(transformer(), seed=2)
    own = system.state_dict()
    assert plain.state_dict().keys() < own.keys()
    assert all("context" in name for name in own.keys() - plain.state_dict().keys())
    plain.load_state_dict({name: own[name] for name in plain.state_dict()})
    packed = batch(*(replace(sentence, context=[]) for sentence in documents([4], [3])))
    assert_close(system(packed), plain(packed))


@torch.no_grad()
def test_every_source_state_depends_on_the_sentence_before():
    system = make(context_aware_transformer())
    (sentence,) = documents([4])
    first = system.encode(batch(with_context(sentence, 3)).source).states
    second = system.encode(batch(with_context(sentence, 3, seed=6)).source).states
    assert (first != second).any(dim=1).all()
