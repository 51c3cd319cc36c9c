"""Hybrid Context against a re-implementation of the paper's equations, sentence by sentence with
dense softmaxes, and how far its context reaches."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch.testing import assert_close

from cases import SIZE, VOCABULARY, batch, documents, make, transformer
from docmt_nmt.systems import build
from docmt_research.systems.hybrid_context import HybridContextSettings


def hybrid(**keys):
    return HybridContextSettings.read({**SIZE, **keys})


def heads_of(x, heads):
    """(n, d) by head: (heads, n, d / heads)"""
    return x.reshape(len(x), heads, -1).transpose(0, 1)


def joined(x):
    return x.transpose(0, 1).flatten(1)


def attend(attention, x, y):
    """MultiHead of x over y."""
    q, k, v = (
        heads_of(project(z), attention.heads)
        for project, z in ((attention.query, x), (attention.key, y), (attention.value, y))
    )
    weights = (q @ k.transpose(1, 2) / q.shape[2] ** 0.5).softmax(-1)
    return attention.output(joined(weights @ v))


def segment_attention(attention, sentences):
    """Seg-Attn of all words of a document over all of them, for one pair of sentences after the
    other: the same as sentences, (n, d)."""
    result = []
    q, k, v = attention.query, attention.key, attention.value
    limit = attention.max_distance
    for i, own in enumerate(sentences):
        queries = heads_of(q(own), attention.heads)
        rows = [max(-limit, min(limit, i - j)) + limit for j in range(len(sentences))]
        keys = [
            heads_of(k(words), attention.heads) + attention.distance_keys[row]
            for words, row in zip(sentences, rows, strict=True)
        ]
        values = [
            heads_of(v(words), attention.heads) + attention.distance_values[row]
            for words, row in zip(sentences, rows, strict=True)
        ]
        scores = queries @ torch.cat(keys, dim=1).transpose(1, 2) / queries.shape[2] ** 0.5
        found = scores.softmax(-1) @ torch.cat(values, dim=1)
        result.append(attention.output(joined(found)))
    return result


def relative_attention(attention, x, memory):
    """Rel-SelfAttn of a sentence over the states before it and its own up to each word, with the
    four terms of Dai et al. 2019, Eq. 5."""
    y = torch.cat([memory, x])
    d = x.shape[1]
    heads = attention.heads
    u = attention.query.bias
    v = u + attention.position_bias.flatten()
    w_q = attention.query.weight
    keys, values = heads_of(attention.key(y), heads), heads_of(attention.value(y), heads)
    rate = 10000.0 ** (-2 * torch.arange(d // 2) / d)
    rows = []
    for i, state in enumerate(x):
        seen = len(memory) + i + 1
        distance = torch.arange(seen - 1, -1, -1)[:, None] * rate
        r = torch.cat([distance.sin(), distance.cos()], dim=1) @ attention.position_key.T
        content, place = heads_of((w_q @ state + u)[None], heads), (w_q @ state + v)[None]
        scores = content @ keys[:, :seen].transpose(1, 2)
        scores = scores + heads_of(place, heads) @ heads_of(r, heads).transpose(1, 2)
        weights = (scores / (d // heads) ** 0.5).softmax(-1)
        rows.append(joined(weights @ values[:, :seen])[0])
    return attention.output(torch.stack(rows))


def around(residual, x, function):
    """Residual sum and normalization around a sublayer, in evaluation."""
    if residual.norm_order == "pre":
        return x + function(residual.norm(x))
    return residual.norm(x + function(x))


def feed_forward(layer, x):
    module = layer["feed_forward"].sublayer
    return around(layer["feed_forward"], x, lambda y: module.outer(torch.relu(module.inner(y))))


def encoded(system, document):
    """h of each sentence of a document, given as lists of tokens."""
    d = system.source_embedding.table.weight.shape[1]
    local = []
    for k, tokens in enumerate(document):
        place = torch.arange(2, len(tokens) + 2)[:, None]
        rate = 10000.0 ** (-torch.arange(d // 2) / (d // 2 - 1))
        x = system.source_embedding.table.weight[tokens] * d**0.5
        x = x + torch.cat([(place * rate).sin(), (place * rate).cos()], dim=1)
        x = x + system.source_embedding.segments.weight[min(k, system.max_segments - 1)]
        for layer in list(system.encoder)[:-1]:
            own = layer["self_attention"].sublayer.attention
            x = around(layer["self_attention"], x, lambda y, own=own: attend(own, y, y))
            x = feed_forward(layer, x)
        local.append(x)
    top = system.encoder[-1]
    residual, attention = top["self_attention"], top["self_attention"].sublayer.attention
    pre = residual.norm_order == "pre"
    found = segment_attention(attention, [residual.norm(x) if pre else x for x in local])
    result = []
    for x, y in zip(local, found, strict=True):
        summed = x + y if pre else residual.norm(x + y)
        wide = feed_forward(top, summed)
        g = torch.sigmoid(system.fusion_gate(torch.cat([x, wide], dim=1)))
        result.append(system.encoder_norm((1 - g) * x + g * wide))
    return result


def decoded(system, document, memory):
    """The states of a target document, one sentence after the other, given h of each."""
    d = system.target_embedding.table.weight.shape[1]
    previous = [torch.zeros(0, d)] * len(system.decoder)
    result = []
    for tokens, h in zip(document, memory, strict=True):
        x = system.target_embedding.table.weight[tokens] * d**0.5
        kept = []
        for layer, before in zip(system.decoder, previous, strict=True):
            kept.append(x)
            residual, own = layer["self_attention"], layer["self_attention"].sublayer.attention
            pre = residual.norm_order == "pre"
            y, m = (residual.norm(x), residual.norm(before)) if pre else (x, before)
            y = x + relative_attention(own, y, m)
            x = y if pre else residual.norm(y)
            cross = layer["cross_attention"].sublayer.attention
            x = around(layer["cross_attention"], x, lambda y, cross=cross, h=h: attend(cross, y, h))
            x = feed_forward(layer, x)
        previous = kept if system.decoder[0]["self_attention"].sublayer.sees_previous else previous
        result.append(system.decoder_norm(x))
    return result


def in_documents(packed):
    """The tokens of each sentence of each document."""
    sentences = [t.tolist() for t in packed.tokens.split(packed.sentences.host_lengths.tolist())]
    return [sentences[a:b] for a, b in pairwise(packed.first_sentences.tolist())]


SHAPES = ([4, 1, 3, 2], [2], [3, 5])


@pytest.mark.parametrize(
    "keys", [{}, {"norm": "pre"}, {"max_segments": 2}, {"decoder_memory": False}]
)
@torch.no_grad()
def test_it_computes_the_equations_of_the_paper(keys):
    system = make(hybrid(**keys))
    packed = batch(*documents(*SHAPES))
    memory = [encoded(system, document) for document in in_documents(packed.source)]
    together = torch.cat([torch.cat(document) for document in memory])
    assert_close(system.encode(packed.source).states, together, atol=2e-5, rtol=1e-4)
    states = [
        torch.cat(decoded(system, document, h))
        for document, h in zip(in_documents(packed.target), memory, strict=True)
    ]
    expected = torch.cat(states) @ system.output_weight.T
    assert_close(system(packed), expected, atol=5e-5, rtol=1e-4)


def changed_sentences(settings, side, changed):
    """Which sentences' logits differ when a token of one sentence does."""
    system = make(settings)
    (document,) = documents([3, 4, 2, 5, 3, 4])
    sentences = [list(s) for s in getattr(document, side)]
    sentences[changed][0] = 4 + (sentences[changed][0] - 3) % (VOCABULARY - 4)
    packed = batch(document)
    with torch.no_grad():
        differs = system(packed) != system(batch(replace(document, **{side: sentences})))
    lengths = packed.target.sentences.host_lengths.tolist()
    return [d.any().item() for d in differs.any(dim=1).split(lengths)]


def test_the_decoder_reaches_back_as_many_sentences_as_it_has_layers():
    reached = changed_sentences(hybrid(decoder_layers=2), "target", 1)
    assert reached == [False, True, True, True, False, False]
    alone = changed_sentences(hybrid(decoder_memory=False), "target", 1)
    assert alone == [False, True, False, False, False, False]


def test_the_encoder_reads_the_whole_source():
    assert changed_sentences(hybrid(), "source", 4) == [True] * 6
    without = hybrid(global_encoder=False, decoder_memory=False)
    assert changed_sentences(without, "source", 4) == [False] * 4 + [True, False]


def test_no_gradient_passes_through_the_sentence_before():
    system = make(hybrid(share_embeddings=False, share_output=False))
    (document,) = documents([3, 4])
    # A word that the first sentence alone has.
    target = [[4, 5, 6], [7, 8, 9]]
    packed = batch(replace(document, target=target))
    logits = system(packed)
    logits[packed.target.sentences.host_lengths[0] :].square().sum().backward()
    gradient = system.target_embedding.table.weight.grad
    assert not gradient[4:7].any()
    assert gradient[7:10].any()


@torch.no_grad()
def test_sentences_beyond_the_last_embedding_share_it():
    system = make(hybrid(max_segments=2))
    (document,) = documents([3, 3, 3, 3])
    same = replace(document, source=[[5, 6, 7]] * 4)
    packed = batch(same).source
    states = system.encode(packed).states.split(packed.sentences.host_lengths.tolist())
    assert not torch.allclose(states[0], states[2])
    assert system.encode(batch(*documents([2] * 30)).source).states.isfinite().all()


def test_without_global_encoder_the_encoder_is_that_of_a_sentence_level_transformer():
    system = build(hybrid(global_encoder=False), VOCABULARY, VOCABULARY)
    plain = build(transformer(), VOCABULARY, VOCABULARY)
    own = {name for name in system.state_dict() if name.startswith("encoder")}
    assert own == {name for name in plain.state_dict() if name.startswith("encoder")}
