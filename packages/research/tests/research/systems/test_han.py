"""HAN against a re-implementation of the paper's equations with loops and dense softmaxes, and what
its search gives to later sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from cases import SPECIAL_TOKENS, VOCABULARY, batch, documents, encoded, make, transformer
from dense_transformer import (
    alone,
    decode_alone,
    encode_alone,
    heads_of,
    load_sentence_weights,
    of_documents,
)
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import search
from docmt_nmt.decoding.beams import Beams
from docmt_nmt.nn import BeamState, Recorder
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.recording import recording
from docmt_nmt.systems import build
from research_cases import han


def multi_head(attention, query, keys):
    """MultiHead of one query, (d,), over keys, (n, d), head by head: (d,)."""
    q = heads_of(attention.query(query), attention.heads)
    k, v = (heads_of(f(keys), attention.heads) for f in (attention.key, attention.value))
    found = []
    for head in range(attention.heads):
        scores = k[:, head] @ q[head] / q.shape[1] ** 0.5
        found.append(scores.softmax(0) @ v[:, head])
    return attention.output(torch.cat(found))


def han_by_hand(module, sentences, previous_sentences):
    """h̃ of every word of a document, given as states of its sentences (Eq. 1-6)."""
    result = []
    for i, words in enumerate(sentences):
        before = [sentences[j] for j in range(max(i - previous_sentences, 0), i)]
        for h in words:
            if not before:
                result.append(h)
                continue
            q_w = module.word_query_norm(h)
            looked = [multi_head(module.word_attention, q_w, sentence) for sentence in before]
            s = [module.word_norm(found) for found in looked]
            q_s = module.sentence_query_norm(h)
            attended = multi_head(module.sentence_attention, q_s, torch.stack(s))
            ffn = module.feed_forward
            inner = torch.relu(ffn.sublayer.inner(ffn.norm(attended)))
            d = attended + ffn.sublayer.outer(inner)
            w_h, w_p = module.gate.weight.split(len(h), dim=1)
            gate = torch.sigmoid(w_h @ h + w_p @ d + module.gate.bias)
            result.append(module.norm(gate * h + (1 - gate) * d))
    return torch.stack(result)


@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_it_computes_the_equations_of_the_paper(norm):
    system = make(han(norm=norm))
    plain = make(transformer(norm=norm, count_positions="sentence"), seed=2)
    load_sentence_weights(plain, system)
    packed = batch(*documents([4, 1, 3, 2], [2], [3, 5]))

    def enriched(module, states, side):
        return torch.cat([han_by_hand(module, d, 2) for d in of_documents(states, side)])

    sentences = range(len(packed.source.sentences))
    encoded = torch.cat([encode_alone(plain, alone(packed.source, k)) for k in sentences])
    memory = enriched(system.source_context, encoded, packed.source)
    assert_close(system.encode(packed.source).states, memory, atol=1e-5, rtol=1e-5)

    by_sentence = memory.split(packed.source.sentences.host_lengths.tolist())
    states = torch.cat(
        [decode_alone(plain, alone(packed.target, k), by_sentence[k]) for k in sentences]
    )
    h = enriched(system.target_context, states, packed.target)
    expected = h @ system.output_weight.T
    assert_close(system(packed), expected, atol=2e-5, rtol=1e-4)


@torch.no_grad()
def test_only_the_previous_sentences_are_seen_and_no_more_than_so_many():
    system = make(han(integration="encoder"))
    (document,) = documents([3, 4, 2, 5, 3])
    before = system.encode(batch(document).source).states
    changed = [list(s) for s in document.source]
    changed[1][0] = 4 + (changed[1][0] - 3) % (VOCABULARY - 4)
    packed = batch(replace(document, source=changed)).source
    differs = (system.encode(packed).states != before).any(dim=1)
    by_sentence = [d.any().item() for d in differs.split(packed.sentences.host_lengths.tolist())]
    assert by_sentence == [False, True, True, True, False]


@torch.no_grad()
def test_first_sentences_are_translated_as_by_the_sentence_level_transformer():
    system = make(han())
    plain = make(transformer(count_positions="sentence"), seed=2)
    load_sentence_weights(plain, system)
    packed = batch(*documents([4], [3], [5]))
    assert_close(system(packed), plain(packed))


def test_the_gradient_reaches_the_sentences_before_only_if_asked():
    for wanted in (False, True):
        system = make(han(integration="encoder", context_gradient=wanted))
        packed = batch(*documents([3, 4]))
        x = torch.randn(len(packed.source.tokens), 16, requires_grad=True)
        out = system.source_context(x, FullPass(packed.source))
        first, second = out.split(packed.source.sentences.host_lengths.tolist())
        (gradient,) = torch.autograd.grad(second.square().sum(), x)
        assert bool(gradient[: len(first)].any()) is wanted
        assert gradient[len(first) :].any()


@pytest.mark.parametrize("beam_size", [1, 3])
@torch.no_grad()
def test_search_gives_each_sentence_the_translations_before_it(beam_size):
    system = make(han(integration="decoder"))
    (document,) = documents([4, 3, 5])
    limits = np.full(3, 6)

    def best(source):
        (found,) = search(system, source, SPECIAL_TOKENS, beam_size=beam_size, max_lengths=limits)
        return found[0]

    found = best(batch(document).source)
    # Written alone, given the translations of those before it, each sentence comes out the same.
    written = []
    for k in range(3):
        read = batch(replace(document, target=[*written, *document.target[k:]]))
        assert written_alone(system, read, k, beam_size) == found.sentences[k]
        written.append(list(found.sentences[k]))


def written_alone(system, packed, k, beam_size):
    """Sentence k as search writes it, given the translations in the batch before it."""
    state = BeamState(
        encoded(system, packed), beam_size, SPECIAL_TOKENS, one_pass=False, sentences=[k]
    )
    beams = Beams(state, SPECIAL_TOKENS, max_lengths=[6] * 3, length_penalty=1.0, banned=[])
    while True:
        parents, unfinished = beams.extend(system.step(beams.last, state))
        if not len(unfinished):
            return beams.results()[0][0].sentences[0]
        state.select(parents)


@pytest.mark.parametrize("beam_size", [1, 3])
@torch.no_grad()
def test_documents_written_together_are_those_written_alone(beam_size):
    system = make(han())
    instances = documents([4, 3, 5], [2], [3, 3, 4, 2, 6])
    packed = batch(*instances).source
    together = search(
        system, packed, SPECIAL_TOKENS, beam_size=beam_size, max_lengths=np.full(9, 6)
    )
    for instance, found in zip(instances, together, strict=True):
        source = batch(instance).source
        limits = np.full(len(source.sentences), 6)
        (alone,) = search(system, source, SPECIAL_TOKENS, beam_size=beam_size, max_lengths=limits)
        assert [h.sentences for h in alone] == [h.sentences for h in found]


def test_without_context_it_is_the_sentence_level_transformer_weight_for_weight():
    system = build(han(integration="none", context_sentences=3), VOCABULARY, VOCABULARY)
    plain = build(transformer(), VOCABULARY, VOCABULARY)
    assert system.state_dict().keys() == plain.state_dict().keys()


@torch.no_grad()
def test_gates_of_tokens_without_context_are_not_recorded():
    system = make(han(integration="encoder"))
    packed = batch(*documents([3, 4], [5]))
    with recording(Recorder(gates=True)) as recorder:
        system.encode(packed.source)
    (record,) = recorder.gates(system)
    # Only the second sentence of the first document has one before it.
    assert [len(values) for values in record.values] == [packed.source.sentences.host_lengths[1]]


def test_a_system_that_builds_on_self_attention_refuses_a_recurrence():
    with pytest.raises(InputError, match="decoder_recurrence ssru does not go with han"):
        han(decoder_recurrence="ssru")
