"""The equations of Donato et al. 2021, section 2.4, and of BERT-fused (Zhu et al. 2020, section 4),
written again with dense matrices and loops over heads, and compared with the system."""

import math

import pytest
import torch
from torch.testing import assert_close

from cases import SIZE, batch, documents, make, parallel_stack

HEADS = SIZE["heads"]


class Weights:
    """The parameters of a part of a system, by name."""

    def __init__(self, values, prefix=""):
        self.values, self.prefix = values, prefix

    def __truediv__(self, name):
        return Weights(self.values, f"{self.prefix}{name}.")

    def linear(self, x):
        return x @ self.values[self.prefix + "weight"].T + self.values[self.prefix + "bias"]

    def layer_norm(self, x):
        centered = x - x.mean(-1, keepdim=True)
        scaled = centered / (centered.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return scaled * self.values[self.prefix + "weight"] + self.values[self.prefix + "bias"]


def attn(w, keys_values, queries, causal=False):
    """Attn(K, V, Q) with K = V; a query without keys gets the output projection's bias."""
    q, k, v = (
        (w / n).linear(x)
        for n, x in (("query", queries), ("key", keys_values), ("value", keys_values))
    )
    found = []
    for head in range(HEADS):
        part = slice(head * q.shape[1] // HEADS, (head + 1) * q.shape[1] // HEADS)
        scores = q[:, part] @ k[:, part].T / math.sqrt(q.shape[1] // HEADS)
        if causal:
            later = torch.ones_like(scores).triu(1).bool()
            scores = scores.masked_fill(later, -math.inf)
        found.append(scores.softmax(-1) @ v[:, part])
    return (w / "output").linear(torch.cat(found, dim=1))


def feed_forward(w, x):
    return (w / "outer").linear((w / "inner").linear(x).clamp(min=0))


def embedded(table, tokens):
    """Embeddings times √d_model, with the sinusoids of fairseq: positions from 2."""
    d_model = table.shape[1]
    rates = torch.exp(-math.log(10_000) * torch.arange(d_model // 2) / (d_model // 2 - 1))
    angles = torch.arange(2, len(tokens) + 2)[:, None] * rates
    return table[tokens] * math.sqrt(d_model) + torch.cat([angles.sin(), angles.cos()], dim=1)


# --- Donato et al. 2021 ---------------------------------------------------------------------------


def attn_block(w, keys_values, queries, causal=False):
    """AttnBlock(K, V, Q) = LayerNorm(Attn(K, V, Q)) + Q"""
    found = attn(w / "sublayer" / "attention", keys_values, queries, causal)
    return (w / "norm").layer_norm(found) + queries


def stack(w, names, encodings, queries):
    """S: the blocks of the stack one after the other."""
    for name in names:
        queries = attn_block(w / "blocks" / name, encodings[name], queries)
    return queries


def fed(w, t):
    """E = LayerNorm(FeedForward(T)) + T"""
    return (w / "norm").layer_norm(feed_forward(w / "sublayer", t)) + t


def donato(system, names, source, target, encodings):
    """The logits: self-attention is averaged with the stack in the encoder, cross-attention in the
    decoder, where both are queried by what self-attention gives."""
    w = Weights(system.state_dict())
    table = system.state_dict()["target_embedding.table.weight"]
    e = embedded(table, source)
    for layer in range(SIZE["layers"]):
        own = w / "encoder" / layer / "self_attention"
        r = attn_block(own, e, e)
        e = fed(w / "encoder" / layer / "feed_forward", (r + stack(own, names, encodings, e)) / 2)
    d = embedded(table, target)
    for layer in range(SIZE["layers"]):
        q = attn_block(w / "decoder" / layer / "self_attention", d, d, causal=True)
        cross = w / "decoder" / layer / "cross_attention"
        r = attn_block(cross, e, q)
        d = fed(w / "decoder" / layer / "feed_forward", (r + stack(cross, names, encodings, q)) / 2)
    return d @ table.T


# --- Zhu et al. 2020 ------------------------------------------------------------------------------


def zhu(system, source, target, bert):
    """The logits of BERT-fused. The paper's equations leave out residual sums and layer
    normalization; here they are those of Donato et al.: an attention or a feed-forward block is
    normalized, then the input is added."""
    w = Weights(system.state_dict())
    table = system.state_dict()["target_embedding.table.weight"]

    def attention(part, keys_values, queries, causal=False):
        found = attn(part / "sublayer" / "attention", keys_values, queries, causal)
        return (part / "norm").layer_norm(found)

    h = embedded(table, source)
    for layer in range(SIZE["layers"]):
        own = w / "encoder" / layer / "self_attention"
        # ½ (attn_S(h, H, H) + attn_B(h, H_B, H_B))
        attn_s = attention(own, h, h)
        attn_b = attention(own / "blocks" / "Bs(c)", bert, h)
        h = fed(w / "encoder" / layer / "feed_forward", h + (attn_s + attn_b) / 2)
    s = embedded(table, target)
    for layer in range(SIZE["layers"]):
        own = w / "decoder" / layer / "self_attention"
        s_hat = s + attention(own, s, s, causal=True)
        # ½ (attn_B(ŝ, H_B, H_B) + attn_E(ŝ, H_E, H_E))
        cross = w / "decoder" / layer / "cross_attention"
        attn_b = attention(cross / "blocks" / "Bs(c)", bert, s_hat)
        attn_e = attention(cross, h, s_hat)
        s = fed(w / "decoder" / layer / "feed_forward", s_hat + (attn_b + attn_e) / 2)
    return s @ table.T


# --------------------------------------------------------------------------------------------------


def sides(instance):
    packed = batch(instance)
    encodings = {
        name: found.states
        for name, found in packed.source.auxiliary.items()
        if name in ("Bs(c)", "Ps(3p,3n)")
    }
    return packed.source.tokens, packed.target.tokens, encodings


def logits_one_by_one(formula, instances):
    return torch.cat([formula(*sides(instance)) for instance in instances])


@pytest.mark.parametrize("text", ["Bs(c) => Ps(3p,3n)", "Ps(3p,3n) => Bs(c)", "Ps(3p,3n)"])
@torch.no_grad()
def test_encoder_and_decoder_are_those_of_donato_et_al(text):
    system = make(parallel_stack(text))
    instances = documents([5], [7], [4])

    def formula(source, target, encodings):
        return donato(system, text.split(" => "), source, target, encodings)

    expected = logits_one_by_one(formula, instances)
    assert expected.std() > 0.5
    assert_close(system(batch(*instances)), expected, atol=2e-5, rtol=1e-4)


@torch.no_grad()
def test_a_stack_of_one_block_is_bert_fused():
    system = make(parallel_stack("Bs(c)"))
    instances = documents([5], [7], [4])

    def formula(source, target, encodings):
        return zhu(system, source, target, encodings["Bs(c)"])

    expected = logits_one_by_one(formula, instances)
    assert expected.std() > 0.5
    assert_close(system(batch(*instances)), expected, atol=2e-5, rtol=1e-4)
