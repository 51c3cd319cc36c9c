from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from cases import SPECIAL_TOKENS, batch, documents, make, with_context
from docmt_nmt.decoding import search
from research_cases import cross_sentence_rnn, rnnsearch

PARTS = {
    "encoder": {"initialize_decoder": False, "auxiliary": "none"},
    "decoder": {"initialize_encoder": False, "auxiliary": "none"},
    "plain": {"initialize_encoder": False, "initialize_decoder": False, "auxiliary": "plain"},
    "gated": {"initialize_encoder": False, "initialize_decoder": False},
    "all": {},
}
NO_PART = {"initialize_encoder": False, "initialize_decoder": False, "auxiliary": "none"}
every_part = pytest.mark.parametrize("keys", PARTS.values(), ids=PARTS.keys())


@torch.no_grad()
def test_with_all_parts_off_it_is_rnnsearch_weight_for_weight():
    plain, system = make(rnnsearch()), make(cross_sentence_rnn(**NO_PART), seed=2)
    system.load_state_dict(plain.state_dict(), strict=True)
    packed = batch(*documents([4], [1], [9]))
    assert torch.equal(plain(packed), system(packed))


@every_part
@torch.no_grad()
def test_a_sentence_with_none_before_it_is_rnnsearchs(keys):
    plain, system = make(rnnsearch()), make(cross_sentence_rnn(**keys), seed=2)
    fitting = system.load_state_dict(plain.state_dict(), strict=False)
    assert not fitting.unexpected_keys
    assert all("summary" in name for name in fitting.missing_keys)
    first, second = documents([4], [5])
    packed = batch(first, with_context(second, 3, 4))
    rows = packed.target.instances.index == 0
    found, expected = system(packed), plain(packed)
    assert_close(found[rows], expected[rows])
    assert not torch.isclose(found[~rows], expected[~rows]).all(dim=1).any()
    alone = batch(first)
    assert_close(system(alone), plain(alone))


@every_part
@torch.no_grad()
def test_each_part_lets_every_sentence_before_and_their_order_show_in_every_word(keys):
    system = make(cross_sentence_rnn(**keys))
    (sentence,) = documents([4])
    sentence = with_context(sentence, 3, 4, 2)
    logits = system(batch(sentence))
    for k in range(3):
        context = [list(s) for s in sentence.context]
        context[k][0] = 4 + (context[k][0] - 3) % 10
        assert (system(batch(replace(sentence, context=context))) != logits).any(dim=1).all()
    other_order = replace(sentence, context=sentence.context[::-1])
    assert (system(batch(other_order)) != logits).any(dim=1).all()


@torch.no_grad()
def test_both_sides_begin_with_the_summary_as_the_equations_say():
    system = make(cross_sentence_rnn(layers=1))
    sentence = with_context(documents([4])[0], 3, 2)
    source = batch(sentence).source
    memory, decoder = system.encode(source), system.decoder
    table = system.source_embedding.table.weight * 16**0.5
    networks = [part.network for part in (system.summary.sentences, system.summary.document)]
    context = source.context.tokens.split(source.context.sentences.lengths.tolist())
    last = torch.stack([networks[0](table[tokens])[0][-1] for tokens in context])
    summary = networks[1](last)[0][-1]
    assert_close(memory.encoded("summary").states, summary[None])
    start = torch.tanh(system.summary_start.weight @ summary).view(2, 8)
    states, _ = system.encoder.network(table[source.tokens], start)
    assert_close(memory.states, states)
    origin = decoder.initial_state(states[0, 8:]) + decoder.summary_start.weight @ summary
    assert_close(decoder.initial(memory, torch.tensor([0])), torch.tanh(origin)[None])


@torch.no_grad()
def test_the_gate_sees_the_state_the_token_and_what_attention_found():
    system = make(cross_sentence_rnn(**PARTS["gated"]))
    decoder = system.decoder
    x, found, top, context = torch.randn(4, 3, 16)
    u_z, w_z, c_z = decoder.summary_gate.weight.split(16, dim=1)
    gate = torch.sigmoid(top @ u_z.T + x @ w_z.T + found @ c_z.T)
    expected = decoder.found(found) + decoder.summary_read(gate * context)
    assert_close(decoder.inputs(x, found, top, context), expected)


@torch.no_grad()
def test_a_closed_gate_keeps_the_summary_out():
    system = make(cross_sentence_rnn(**PARTS["gated"]))
    decoder, context = system.decoder, torch.ones(1, 16)
    x = found = top = torch.full((1, 16), 0.5)
    decoder.summary_gate.weight.fill_(-1e4)
    closed = decoder.inputs(x, found, top, context)
    assert_close(closed, decoder.found(found))
    decoder.summary_gate.weight.fill_(1e4)
    opened = decoder.inputs(x, found, top, context)
    assert_close(opened, decoder.found(found) + decoder.summary_read(context))


@torch.no_grad()
def test_search_reads_the_sentences_before():
    system = make(cross_sentence_rnn(), seed=4)
    (sentence,) = documents([6])

    def translation(*lengths, seed=5):
        source = batch(with_context(sentence, *lengths, seed=seed)).source
        (found,) = search(
            system, source, SPECIAL_TOKENS, beam_size=2, max_lengths=torch.tensor([9]), banned=[1]
        )
        return found[0].score

    assert translation(3, 4) == translation(3, 4)
    assert translation(3, 4) != translation(3, 4, seed=6)
