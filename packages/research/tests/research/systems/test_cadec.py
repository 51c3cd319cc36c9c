"""CADec against a re-implementation of the paper's description with loops over sentences and dense
softmaxes, and its drafts in search."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from cases import SPECIAL_TOKENS, VOCABULARY, batch, documents, make, transformer, with_drafts
from docmt_nmt.decoding import search
from docmt_nmt.recipes.training import TrainingSettings
from docmt_nmt.systems import build
from docmt_nmt.training.loss import Loss
from docmt_nmt.training.optimizer import make_optimizer
from research_cases import cadec


def heads_of(x, heads):
    return x.reshape(len(x), heads, -1).transpose(0, 1)


def multi_head(attention, x, y, *, causal=False):
    """MultiHead of x, (n, d), over y, (m, ·), with a dense mask."""
    parts = zip((attention.query, attention.key, attention.value), (x, y, y), strict=True)
    q, k, v = (heads_of(projection(z), attention.heads) for projection, z in parts)
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    if causal:
        later = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    return attention.output((scores.softmax(2) @ v).transpose(0, 1).flatten(1))


def around(residual, x, function):
    """Residual sum and normalization around a sublayer, in evaluation."""
    if residual.norm_order == "pre":
        return x + function(residual.norm(x))
    return residual.norm(x + function(x))


def embedded(embedding, tokens):
    """Token embeddings times √d plus sinusoids, with positions from 2."""
    d = embedding.table.weight.shape[1]
    angles = torch.arange(2, len(tokens) + 2)[:, None] * 1e4 ** (
        -torch.arange(d // 2) / (d // 2 - 1)
    )
    return embedding.table.weight[tokens] * d**0.5 + torch.cat([angles.sin(), angles.cos()], 1)


def run(layers, x, looked, *, causal):
    """Layers of self-attention, of attentions to what is looked at, by their names, and of a
    feed-forward block."""
    for layer in layers:
        own = layer["self_attention"].sublayer.attention
        x = around(layer["self_attention"], x, lambda y, a=own: multi_head(a, y, y, causal=causal))
        for name, states in looked.items():
            other = layer[name].sublayer.attention
            x = around(layer[name], x, lambda y, a=other, z=states: multi_head(a, y, z))
        inner, outer = (getattr(layer["feed_forward"].sublayer, n) for n in ("inner", "outer"))
        x = around(layer["feed_forward"], x, lambda y, i=inner, o=outer: o(torch.relu(i(y))))
    return x


def read_by_base(base, source, target):
    """S of a source sentence; and of its translation, given with its special tokens, the pair of
    each token after BOS: its embedding, and the state that it is predicted from."""
    x = base.encoder_norm(
        run(base.encoder, embedded(base.source_embedding, source), {}, causal=False)
    )
    y = embedded(base.target_embedding, target)
    states = base.decoder_norm(run(base.decoder, y, {"cross_attention": x}, causal=True))
    words = base.target_embedding.table.weight[target[1:]]
    return x, torch.cat([words, states[:-1]], dim=1)


def with_distance(states, distance, sentences):
    onehot = torch.zeros(len(states), sentences + 1)
    onehot[:, distance] = 1
    return torch.cat([states, onehot], dim=1)


def corrected_by_hand(system, instance, drafts, sentences):
    """The logits of every sentence of a document, given its references before it."""
    begin, (end,) = SPECIAL_TOKENS.target_begin, SPECIAL_TOKENS.source_end
    source = [torch.tensor([*SPECIAL_TOKENS.source_begin, *s, end]) for s in instance.source]
    target, drafts = (
        [torch.tensor([begin, *s, SPECIAL_TOKENS.target_end]) for s in side]
        for side in (instance.target, drafts)
    )
    found = []
    for k, own in enumerate(target):
        of_source, of_translation = [], []
        for j in range(max(k - sentences, 0), k + 1):
            s, t = read_by_base(system.base, source[j], drafts[j] if j == k else target[j])
            of_source.append(with_distance(s, k - j, sentences))
            of_translation.append(with_distance(t, k - j, sentences))
        looked = {
            "cross_attention": torch.cat(of_source),
            "translation_attention": torch.cat(of_translation),
        }
        y = run(system.decoder, embedded(system.base.target_embedding, own), looked, causal=True)
        found.append(system.norm(y) @ system.output.weight.T)
    return torch.cat(found)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("sentences", [1, 3])
@torch.no_grad()
def test_it_computes_what_the_paper_describes(norm, sentences):
    system = make(cadec(norm=norm, context_sentences=sentences))
    instances = documents([4, 1, 3, 2, 5], [2], [3, 5])
    drafts = [[s[::-1] for s in instance.source] for instance in instances]
    expected = torch.cat(
        [
            corrected_by_hand(system, instance, own, sentences)
            for instance, own in zip(instances, drafts, strict=True)
        ]
    )
    assert_close(system(batch(*instances)), expected, atol=2e-5, rtol=1e-4)


def changed(sentence):
    return [4 + (sentence[0] - 3) % (VOCABULARY - 4), *sentence[1:]]


def sentences_that_differ(system, one, other):
    differs = (system(one) != system(other)).any(dim=1)
    parts = differs.split(one.target.sentences.host_lengths.tolist())
    return [k for k, part in enumerate(parts) if part.any()]


@torch.no_grad()
def test_a_sentence_sees_its_own_draft_and_the_references_before_it():
    system = make(cadec())
    (document,) = documents([3, 4, 2, 5, 3])
    before = batch(document)
    drafts = [s[::-1] for s in document.source]
    drafts[1] = changed(drafts[1])
    assert sentences_that_differ(system, before, with_drafts(before, drafts)) == [1]
    target = [list(s) for s in document.target]
    target[1] = changed(target[1])
    assert sentences_that_differ(system, before, batch(replace(document, target=target))) == [
        1,
        2,
        3,
    ]
    source = [list(s) for s in document.source]
    source[1] = changed(source[1])
    with_source = with_drafts(
        batch(replace(document, source=source)), [s[::-1] for s in document.source]
    )
    assert sentences_that_differ(system, before, with_source) == [1, 2, 3]


@pytest.mark.parametrize("beam_size", [1, 3])
@torch.no_grad()
def test_search_corrects_drafts_in_order_and_leaves_first_sentences(beam_size):
    system = make(cadec())
    instances = documents([4, 3, 5], [2], [3, 3])
    limits = np.full(6, 6)
    source = batch(*instances).source
    found = search(system, source, SPECIAL_TOKENS, beam_size=beam_size, max_lengths=limits)
    drafts = search(
        system.base, source.by_sentence, SPECIAL_TOKENS, beam_size=beam_size, max_lengths=limits
    )
    firsts = source.first_sentences[:-1].tolist()
    for document, first in zip(found, firsts, strict=True):
        assert [h.sentences[0] for h in document] == [h.sentences[0] for h in drafts[first]]
    # Greedy search writes the most probable token after each, given what was written before.
    if beam_size == 1:
        written = [
            replace(i, target=best.sentences) for i, (best,) in zip(instances, found, strict=True)
        ]
        packed = with_drafts(batch(*written), [best.sentences[0] for (best,) in drafts])
        for sentence, (a, b) in enumerate(pairwise(packed.target.sentences.host_offsets.tolist())):
            if sentence not in firsts:
                tokens = packed.target.tokens[a + 1 : b - 1]
                logits = system(packed)[a : b - 2]
                logits[:, [SPECIAL_TOKENS.target_begin]] = -torch.inf
                logits[0, SPECIAL_TOKENS.target_end] = -torch.inf
                assert torch.equal(logits.argmax(1), tokens)


def test_only_the_second_decoder_is_trained_and_the_base_drops_nothing():
    system = make(cadec(dropout=0.4, attention_dropout=0.4)).train()
    packed = batch(*documents([3, 4], [2, 2]))
    optimizer = make_optimizer(system, TrainingSettings())
    before = {name: tensor.clone() for name, tensor in system.state_dict().items()}
    one, other = (system.encode(packed.source) for _ in range(2))
    assert torch.equal(one.states, other.states)
    Loss(system, 0.1)(packed).loss.backward()
    optimizer.step()
    after = system.state_dict()
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    assert moved == {name for name in before if not name.startswith("base.")}


def test_weights_of_a_transformer_become_the_base_and_the_first_output_layer():
    system = build(cadec(), VOCABULARY, VOCABULARY)
    plain = build(transformer(), VOCABULARY, VOCABULARY)
    state = system.initial_weights(plain.state_dict())
    assert {name for name in system.state_dict() if name.startswith("base.")} < state.keys()
    assert torch.equal(state["output.weight"], plain.target_embedding.table.weight)
    own = build(transformer(share_output=False, output_bias=True), VOCABULARY, VOCABULARY)
    state = build(
        cadec(share_output=False, output_bias=True), VOCABULARY, VOCABULARY
    ).initial_weights(own.state_dict())
    assert torch.equal(state["output.weight"], own.output.weight)
    assert torch.equal(state["output.bias"], own.score_bias)
    assert system.initial_weights(system.state_dict()).keys() == system.state_dict().keys()
