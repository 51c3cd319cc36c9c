"""The multi-encoder RNN against a re-implementation of the paper's equations with loops over words,
and what its recipes and its search do."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from by_hand import attend, gru, next_states, read, readout, sentences_of
from cases import SPECIAL_TOKENS, VOCABULARY, batch, documents, make
from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.decoding import search
from docmt_nmt.nn import FullPass
from docmt_nmt.recipes import Recipe
from research_cases import multi_encoder_rnn, rnnsearch

D = 16


def logits_by_hand(system, source, target):
    """The logits of one instance, given as token ids of source sentences and of the whole target.

    The equations are those of the paper; every sum is over the words of one sentence."""
    decoder = system.decoder
    table = system.source_embedding.table.weight
    own = table if system.context_embedding is None else system.context_embedding.table.weight
    h1 = read(system.encoder, table, source[-1:])
    h2 = read(system.context_encoder or system.encoder, own, source[:-1]) if source[1:] else None
    mean = h1.mean(0) if h2 is None else (h1.mean(0) + h2.mean(0)) / 2
    start = torch.tanh(decoder.initial_state.weight @ mean + decoder.initial_state.bias)
    states = list(start.chunk(len(decoder.cells)))
    over = decoder.hierarchical_attention
    logits = []
    for token in target:
        y = system.target_embedding.table.weight[token] * D**0.5
        inputs, top = decoder.token.weight @ y + decoder.token.bias, states[-1]
        if decoder.second_cell is not None:  # one layer, whose first unit reads the token
            top = gru(inputs, top, decoder.cells[0])
        c1 = attend(decoder.attention, top, h1)
        c = over.values[1].weight @ c1
        if h2 is not None:
            c2 = attend(decoder.context_attention, top, h2)
            query = over.query.weight @ top + over.query.bias
            e2 = over.score @ torch.tanh(query + over.keys[0].weight @ c2)
            e1 = over.score @ torch.tanh(query + over.keys[1].weight @ c1)
            beta = e1.exp() / (e1.exp() + e2.exp())
            c = beta * c + (1 - beta) * (over.values[0].weight @ c2)
        of_found = decoder.found.weight @ c
        if decoder.second_cell is not None:
            states = [gru(of_found, top, decoder.second_cell)]
        else:
            states = next_states(decoder, inputs + of_found, states)
        logits.append(system.output_weight @ readout(decoder, [states[-1], y, c]))
    return torch.stack(logits)


@pytest.mark.parametrize(
    "keys",
    [
        {"tied": "embeddings"},
        {"tied": "encoder"},
        {"tied": "none"},
        {"transition": "conditional", "layers": 1},
    ],
    ids=str,
)
@torch.no_grad()
def test_it_computes_the_equations_of_the_paper(keys):
    system = make(multi_encoder_rnn(**keys))
    instances = documents([4, 3], [5], [2, 6, 3])
    packed = batch(*instances)
    expected = []
    for instance in instances:
        alone = batch(instance)
        sentences = sentences_of(alone.source)
        expected.append(logits_by_hand(system, sentences, alone.target.tokens))
    assert_close(system(packed), torch.cat(expected), atol=2e-5, rtol=1e-4)


@torch.no_grad()
def test_what_is_tied_are_the_weights_of_the_paper():
    def count(tied):
        return sum(p.numel() for p in make(multi_encoder_rnn(tied=tied)).parameters())

    encoder = sum(p.numel() for p in make(rnnsearch()).encoder.parameters())
    assert count("none") - count("embeddings") == VOCABULARY * D
    assert count("embeddings") - count("encoder") == encoder


@torch.no_grad()
def test_the_weights_of_both_attentions_and_of_the_sum_make_one_distribution():
    system = make(multi_encoder_rnn())
    packed = batch(*documents([4, 3], [5]))
    view = FullPass(packed.target, system.encode(packed.source))
    with view.recording(weights=True) as recorder:
        system.decoder(system.embed(system.target_embedding, packed.target.tokens), view)
    (record,) = recorder.records(system)
    ((first, second),) = record.weights
    # Sentences of 4, 3 and 5 words; BOS and EOS stand around each.
    assert (record.kind, record.scope) == ("cross", "global")
    assert (first.shape[2], second.shape[2]) == (11, 7)
    for weights in (first, second):
        assert_close(weights.sum(2), torch.ones(weights.shape[:2]))
        assert (weights > 0).all()


@torch.no_grad()
def test_the_last_sentence_is_read_and_written_knowing_the_one_before():
    system = make(multi_encoder_rnn())
    (instance,) = documents([4, 5])
    before = system(batch(instance))
    for side in ("source", "target"):
        changed = [list(s) for s in getattr(instance, side)]
        changed[0][0] = 4 + (changed[0][0] - 3) % (VOCABULARY - 4)
        after = system(batch(replace(instance, **{side: changed})))
        last = batch(instance).target.sentences.index == 1
        assert (after[last] != before[last]).any(dim=1).all()


@pytest.mark.parametrize("beam_size", [1, 3])
@torch.no_grad()
def test_instances_written_together_are_those_written_alone(beam_size):
    system = make(multi_encoder_rnn())
    instances = documents([4, 3], [2], [6, 5], [3, 3])

    def best(*chosen):
        source = batch(*chosen).source
        limits = np.full(len(source.sentences), 6)
        found = search(system, source, SPECIAL_TOKENS, beam_size=beam_size, max_lengths=limits)
        return [hypotheses[0].sentences for hypotheses in found]

    assert best(*instances) == [best(instance)[0] for instance in instances]


def test_it_takes_windows():
    values = {
        "data": {},
        "system": {"name": "multi-encoder-rnn"},
        "instances": {"kind": "window", "window": 2},
    }
    with pytest.raises(InputError, match=r"instances\.kind whole; set it to window"):
        Recipe.read({**values, "instances": {"kind": "whole"}})


def test_the_recipe_writes_each_sentence_after_the_one_before():
    recipe = recipes.load("subtitles-multi-encoder-rnn")
    assert (recipe.instances.window, recipe.instances.stride) == (2, 1)
    assert (recipe.search.windows, recipe.search.window_position) == ("sliding", None)
    sizes = recipe.system
    assert (sizes.tied, sizes.transition) == ("embeddings", "conditional")
    assert (sizes.layers, sizes.d_model, sizes.embedding_dim) == (1, 1024, 512)
