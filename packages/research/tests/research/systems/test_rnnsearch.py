import pytest
import torch
from torch.testing import assert_close

from by_hand import gru
from cases import batch, documents, make
from docmt_files.base.errors import InputError
from docmt_nmt.nn.views import SourceKeys
from docmt_nmt.recipes import Recipe
from docmt_nmt.systems import build
from docmt_nmt.training.precision import autocast
from docmt_research.systems.rnnsearch import RNNSearchSettings
from research_cases import rnnsearch


@torch.no_grad()
def test_a_sentence_does_not_depend_on_its_document():
    system = make(rnnsearch())
    (document,) = documents([4, 6, 3])
    before = batch(document)
    logits = system(before)
    document.source[0][0] = 4 + (document.source[0][0] - 3) % 10
    changed = (system(batch(document)) != logits).any(dim=1)
    assert torch.equal(changed, before.target.sentences.index == 0)


@torch.no_grad()
def test_every_source_word_and_the_target_before_reach_every_later_word():
    system = make(rnnsearch())
    (instance,) = documents([6])
    logits = system(batch(instance))
    instance.source[0][-1] = 4 + (instance.source[0][-1] - 3) % 10
    assert (system(batch(instance)) != logits).any(dim=1).all()


@torch.no_grad()
def test_the_equations_are_those_of_the_module():
    """The first step of the decoder, written out."""
    system = make(rnnsearch(layers=1))
    packed = batch(*documents([5]))
    memory, decoder = system.encode(packed.source), system.decoder
    h, d_model = memory.states, 16
    s = torch.tanh(decoder.initial_state(h[0, d_model // 2 :]))
    attention = decoder.attention
    scores = torch.tanh(attention.query(s) + attention.key(h)) @ attention.score
    c = scores.softmax(0) @ h
    y = system.target_embedding.table(packed.target.tokens[0]) * d_model**0.5
    cell = torch.nn.GRUCell(2 * d_model, d_model)
    cell.weight_ih.copy_(torch.cat([decoder.token.weight, decoder.found.weight], dim=1))
    cell.bias_ih.copy_(decoder.token.bias)
    cell.weight_hh.copy_(decoder.cells[0].state.weight)
    cell.bias_hh.copy_(decoder.cells[0].state.bias)
    s = cell(torch.cat([y, c])[None], s[None])[0]
    t = torch.tanh(decoder.readout(torch.cat([s, y, c])))
    assert_close(system(packed)[0], system.target_embedding.table.weight @ t)


@torch.no_grad()
def test_with_long_short_term_memory_the_second_part_of_a_state_is_seen_by_its_layer_alone():
    """The first step of a decoder of two layers with embeddings of 10, written out."""
    system = make(rnnsearch(cell="lstm", embedding_dim=10, layers=2))
    packed = batch(*documents([5]))
    memory, decoder = system.encode(packed.source), system.decoder
    h = memory.states
    start = torch.tanh(decoder.initial_state(h[0, 8:]))
    (low_s, low_m), (top_s, top_m) = start.view(2, 2, 16)
    attention = decoder.attention
    scores = torch.tanh(attention.query(top_s) + attention.key(h)) @ attention.score
    c = scores.softmax(0) @ h
    y = system.target_embedding.table(packed.target.tokens[0]) * 10**0.5
    inputs = [decoder.token(y) + decoder.found(c)]
    for cell, s, m in zip(decoder.cells, (low_s, top_s), (low_m, top_m), strict=True):
        i, f, g, o = (inputs[-1] + cell.state(s)).chunk(4)
        m = torch.sigmoid(f) * m + torch.sigmoid(i) * torch.tanh(g)
        state = torch.sigmoid(o) * torch.tanh(m)
        inputs.append(decoder.below[0](state))
    t = torch.tanh(decoder.readout(torch.cat([state, y, c])))
    assert t.shape == (10,)
    assert_close(system(packed)[0], system.target_embedding.table.weight @ t)


@torch.no_grad()
def test_a_conditional_transition_attends_between_two_units_of_the_lowest_layer():
    """The first step of a decoder of two layers, written out."""
    system = make(rnnsearch(transition="conditional"))
    packed = batch(*documents([5]))
    memory, decoder = system.encode(packed.source), system.decoder
    h, attention = memory.states, decoder.attention
    low, top = torch.tanh(decoder.initial_state(h[0, 8:])).chunk(2)
    y = system.target_embedding.table(packed.target.tokens[0]) * 4
    between = gru(decoder.token(y), low, decoder.cells[0])
    scores = torch.tanh(attention.query(between) + attention.key(h)) @ attention.score
    c = scores.softmax(0) @ h
    low = gru(decoder.found(c), between, decoder.second_cell)
    top = gru(decoder.below[0](low), top, decoder.cells[1])
    t = torch.tanh(decoder.readout(torch.cat([top, y, c])))
    assert_close(system(packed)[0], system.target_embedding.table.weight @ t)


def test_the_sizes_of_the_paper_are_a_setting():
    """Appendix B.1: states of 1000, embeddings of 620, a maxout layer of 500; halves of h_j are 500
    here."""
    sizes = {"layers": 1, "d_model": 1000, "embedding_dim": 620, "readout_dim": 500}
    form = {"readout": "maxout", "share_output": False, "share_embeddings": False}
    system = build(RNNSearchSettings.read({**sizes, **form}), 7, 7)
    shapes = {name: tuple(weights.shape) for name, weights in system.named_parameters()}
    assert shapes["source_embedding.table.weight"] == (7, 620)
    assert shapes["decoder.token.weight"] == (3000, 620)
    assert shapes["decoder.readout.weight"] == (1000, 2620)
    assert shapes["output.weight"] == (7, 500)


@torch.no_grad()
def test_the_output_of_the_paper_is_maxout_and_a_table_of_its_own():
    """Appendix A.2.2: t_i is the larger of each pair of features, p(y_i) ∝ exp(W_o t_i)."""
    system = make(rnnsearch(readout="maxout", share_output=False, scale_embeddings=False))
    packed = batch(*documents([5]))
    memory, decoder = system.encode(packed.source), system.decoder
    (s,) = decoder.initial(memory, torch.tensor([0])).chunk(2, dim=1)[-1:]
    h, attention = memory.states, decoder.attention
    c = (torch.tanh(attention.query(s) + attention.key(h)) @ attention.score).softmax(0) @ h
    y = system.target_embedding.table.weight[packed.target.tokens[0]]
    states = list(decoder.initial(memory, torch.tensor([0])).chunk(2, dim=1))
    low, top = decoder.cells
    states[0] = low(decoder.token(y)[None] + decoder.found(c)[None], states[0])
    states[1] = top(decoder.below[0](states[0]), states[1])
    features = decoder.readout(torch.cat([states[1][0], y, c]))
    t = torch.stack([max(features[2 * j], features[2 * j + 1]) for j in range(16)])
    assert system.output_weight is not system.target_embedding.table.weight
    assert_close(system(packed)[0], system.output.weight @ t)


def test_what_passes_from_layer_to_layer_of_the_decoder_is_dropped_in_training():
    decoder = make(rnnsearch(layers=2, dropout=0.5)).train().decoder
    x, states = torch.randn(3, 16), list(torch.randn(2, 3, 16))
    source = SourceKeys(torch.randn(2, 3, 1, 4, 16), torch.zeros(3, 1, 1, 4))
    (low, top), (low_again, other_top) = (
        decoder.step(x, decoder.token(x), states, [source], None)[0] for _ in range(2)
    )
    assert torch.equal(low, low_again)
    assert not torch.equal(top, other_top)


def test_sixteen_bits_learn_what_thirty_two_do():
    system = make(rnnsearch(dropout=0.0)).train()
    packed = batch(*documents([4, 1, 7], [2]))

    def gradient(precision):
        system.zero_grad()
        with autocast(torch.device("cpu"), precision):
            system(packed).float().square().mean().backward()
        return torch.cat([p.grad.flatten() for p in system.parameters()])

    exact, short = gradient("fp32"), gradient("bf16")
    assert torch.nn.functional.cosine_similarity(exact, short, dim=0) > 0.99


def test_a_preset_sets_the_sizes_and_each_can_be_set_apart():
    base = RNNSearchSettings()
    assert (base.layers, base.d_model) == (2, 500)
    big = RNNSearchSettings.read({"preset": "big", "layers": 1})
    assert (big.layers, big.d_model) == (1, 1000)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"d_model": 15}, "key 'd_model': must be even"),
        ({"layers": 0}, "key 'layers': Input should be greater than or equal to 1"),
        ({"preset": "small"}, "key 'preset': Input should be 'tiny', 'base' or 'big'"),
        ({"heads": 4}, "unknown key 'heads'"),
        ({"readout_dim": 500}, "readout_dim: 500 has no effect with share_output: true"),
        ({"cell": "rnn"}, "key 'cell': Input should be 'gru' or 'lstm'"),
    ],
)
def test_bad_settings_name_the_key(keys, message):
    with pytest.raises(InputError, match=message):
        RNNSearchSettings.read(keys)


@pytest.mark.parametrize(
    ("sections", "keys"),
    [
        ({"instances": {"kind": "whole"}}, ("system.name rnnsearch", "instances.kind")),
        ({"instances": {"kind": "sentence", "previous_sentences": 1}}, ("system.name", "previous")),
    ],
)
def test_what_does_not_go_with_it_names_both_keys(sections, keys):
    values = {"data": {}, "system": {"name": "rnnsearch"}, "instances": {"kind": "sentence"}}
    with pytest.raises(InputError) as caught:
        Recipe.read({**values, **sections})
    assert all(key in str(caught.value) for key in keys)
