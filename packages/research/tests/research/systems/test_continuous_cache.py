"""The continuous cache, on RNNSearch and on the Transformer, against a re-implementation of the
paper with one slot after the other."""

from collections import OrderedDict
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from by_hand import attend, next_states, read, readout, sentences_of
from cases import SPECIAL_TOKENS, batch, documents, encoded, make, transformer
from docmt_nmt import recipes
from docmt_nmt.decoding import search
from docmt_nmt.decoding.beams import Beams
from docmt_nmt.nn import BeamState, FullPass
from docmt_nmt.nn.spans import Spans
from docmt_research.nn.reaches.recent_words import WordCache, Words, of_translations
from docmt_research.systems.cache_rnnsearch import CacheRNNSearchSettings
from docmt_research.systems.cache_transformer import CacheTransformerSettings
from research_cases import cache_rnnsearch, cache_transformer, rnnsearch

both = pytest.mark.parametrize("make_settings", [cache_rnnsearch, cache_transformer])


class Slots:
    """Keys and values of words, as they are written."""

    def __init__(self, size):
        self.size, self.words = size, OrderedDict()

    def write(self, word, key, value):
        if word in self.words:
            old_key, old_value = self.words.pop(word)
            key, value = (old_key + key) / 2, (old_value + value) / 2
        elif len(self.words) == self.size:
            self.words.popitem(last=False)
        self.words[word] = (key, value)

    def combined(self, gate, s, c):
        """The state with what the cache holds."""
        if not self.words:
            return s
        keys, values = (torch.stack(parts) for parts in zip(*self.words.values(), strict=True))
        p = (keys @ c).exp() / (keys @ c).exp().sum()
        m = sum(weight * value for weight, value in zip(p, values, strict=True))
        of_s, of_c, of_m = gate.weight.split(len(s), dim=1)
        share = torch.sigmoid(of_s @ s + of_c @ c + of_m @ m)
        return (1 - share) * s + share * m


def rnn_states(system, source, target):
    """s and c of every target token of a sentence, and its embeddings, by RNNSearch."""
    decoder, table = system.decoder, system.target_embedding.table.weight
    h = read(system.encoder, system.source_embedding.table.weight, [source])
    start = decoder.initial_state.weight @ h[0, 8:] + decoder.initial_state.bias
    states = torch.tanh(start).chunk(len(decoder.cells))
    found = []
    for token in target:
        y = table[token] * 4
        c = attend(decoder.attention, states[-1], h)
        inputs = decoder.token.weight @ y + decoder.token.bias + decoder.found.weight @ c
        states = next_states(decoder, inputs, states)
        found.append((states[-1], c, y))
    return found


def transformer_states(system, source, target):
    """s and c of every target token of a sentence, by the Transformer without a cache."""
    plain = make(transformer(count_positions="sentence"), seed=2)
    plain.load_state_dict(
        {name: w for name, w in system.state_dict().items() if not name.startswith("cache.")}
    )
    kept = []
    cross = plain.decoder[-1]["cross_attention"].sublayer
    cross.register_forward_hook(lambda _, __, output: kept.append(output))
    alone = batch(documents([1])[0])
    spans = Spans.of([len(target)])
    source_spans = Spans.of([len(source)])
    packed = replace(
        alone,
        source=replace(alone.source, tokens=source, sentences=source_spans, instances=source_spans),
        target=replace(alone.target, tokens=target, sentences=spans, instances=spans),
    )
    s = plain.states(packed)
    return list(zip(s, kept[0], s, strict=True))


def logits_by_hand(system, document, size, states_of):
    """The logits of a document, sentence after sentence."""
    cache = system.cache if hasattr(system, "cache") else system.decoder.cache
    slots, logits = Slots(size), []
    for source, target in zip(*map(sentences_of, (document.source, document.target)), strict=True):
        steps = states_of(system, source, target)
        for s, c, y in steps:
            state = slots.combined(cache.gate, s, c)
            t = readout(system.decoder, [state, y, c]) if states_of is rnn_states else state
            logits.append(system.output_weight @ t)
        # BOS predicts the first word; what predicts EOS is not kept.
        for word, (s, c, _) in zip(target[1:-1].tolist(), steps[:-2], strict=True):
            slots.write(word, c, s)
    return torch.stack(logits)


@pytest.mark.parametrize("size", [3, 25])
@pytest.mark.parametrize(
    ("make_settings", "states_of"),
    [(cache_rnnsearch, rnn_states), (cache_transformer, transformer_states)],
)
@torch.no_grad()
def test_it_computes_the_equations_of_the_paper(make_settings, states_of, size):
    system = make(make_settings(cache_size=size))
    instances = documents([4, 6, 3, 7, 5], [2], [3, 5])
    found = system(batch(*instances))
    expected = [logits_by_hand(system, batch(i), size, states_of) for i in instances]
    assert_close(found, torch.cat(expected), atol=5e-5, rtol=1e-4)


def test_a_word_is_averaged_and_the_one_written_least_recently_gives_way():
    words = Words(2)
    words.write([7, 8, 7], [0, 1, 2])
    assert words.slots() == [((1, 1.0),), ((0, 0.5), (2, 0.5))]
    words.write([7, 9], [3, 4])
    assert words.slots() == [((0, 0.25), (2, 0.25), (3, 0.5)), ((4, 1.0),)]
    words.write([8], [5])
    assert words.slots() == [((4, 1.0),), ((5, 1.0),)]


def test_a_sentence_writes_its_words_with_the_states_that_predicted_them():
    tokens = np.array([0, 11, 12, 2, 0, 13, 2])  # two sentences between BOS 0 and EOS 2
    slots = of_translations(tokens, np.array([0, 4]), np.array([4, 3]), 9)
    assert slots == [((0, 1.0),), ((1, 1.0),), ((4, 1.0),)]
    # A sentence whose translation is not known writes nothing.
    assert of_translations(tokens, np.array([0, 0]), np.array([4, 0]), 9) == slots[:2]


def test_queries_read_their_own_cache_by_dot_product():
    states = torch.tensor([[1.0, 0.0, 5.0, 0.0], [0.0, 1.0, 0.0, 5.0]])
    slots = [[], [((0, 1.0),), ((1, 1.0),)]]
    cache = WordCache(states, slots, Spans.of([1, 2]))
    queries = torch.tensor([[3.0, 3.0], [100.0, 0.0], [0.0, 0.0]])
    found, there = cache.read(queries)
    assert there.tolist() == [False, True, True]
    assert_close(found[1:], torch.tensor([[5.0, 0.0], [2.5, 2.5]]))


@both
@torch.no_grad()
def test_first_sentences_are_those_of_the_system_without_a_cache(make_settings):
    system = make(make_settings())
    cached = make_settings is cache_rnnsearch
    plain = make(rnnsearch() if cached else transformer(count_positions="sentence"), seed=2)
    own = {n: w for n, w in system.state_dict().items() if n in plain.state_dict()}
    assert len(own) == len(plain.state_dict()) == len(system.state_dict()) - 1
    plain.load_state_dict(own)
    packed = batch(*documents([4], [3], [5]))
    assert_close(system(packed), plain(packed))


@both
def test_no_gradient_passes_into_what_is_remembered(make_settings):
    system = make(make_settings())
    packed = batch(*documents([3, 4]))
    x = torch.randn(len(packed.target.tokens), 16, requires_grad=True)
    c = torch.randn(len(packed.target.tokens), 16)
    cache = system.cache if make_settings is cache_transformer else system.decoder.cache
    first = int(packed.target.sentences.host_lengths[0])
    view = FullPass(packed.target, system.encode(packed.source))
    (gradient,) = torch.autograd.grad(cache(x, c, view)[first:].square().sum(), x)
    assert not gradient[:first].any()
    assert gradient[first:].any()


@both
@pytest.mark.parametrize("beam_size", [1, 3])
@torch.no_grad()
def test_search_remembers_all_translations_before_a_sentence(make_settings, beam_size):
    system = make(make_settings())
    (document,) = documents([4, 3, 5, 4])
    limits = np.full(4, 6)
    source = batch(document).source
    ((best, *_),) = search(system, source, SPECIAL_TOKENS, beam_size=beam_size, max_lengths=limits)
    # Written alone, given the translations of those before it, each sentence comes out the same.
    written = []
    for k in range(4):
        packed = batch(replace(document, target=[*written, *document.target[k:]]))
        state = BeamState(
            encoded(system, packed), beam_size, SPECIAL_TOKENS, one_pass=False, sentences=[k]
        )
        beams = Beams(state, SPECIAL_TOKENS, max_lengths=limits, length_penalty=1.0, banned=[])
        while True:
            parents, unfinished = beams.extend(system.step(beams.last, state))
            if not len(unfinished):
                break
            state.select(parents)
        assert beams.results()[0][0].sentences[0] == best.sentences[k]
        written.append(list(best.sentences[k]))


@both
@torch.no_grad()
def test_documents_written_together_are_those_written_alone(make_settings):
    system = make(make_settings())
    instances = documents([4, 3, 5], [2], [3, 3, 4, 2, 6])

    def best(*chosen):
        source = batch(*chosen).source
        limits = np.full(len(source.sentences), 6)
        found = search(system, source, SPECIAL_TOKENS, beam_size=2, max_lengths=limits)
        return [[h.sentences for h in hypotheses] for hypotheses in found]

    assert best(*instances) == [best(instance)[0] for instance in instances]


@both
@torch.no_grad()
def test_a_cache_reaches_as_far_back_as_its_words(make_settings):
    (document,) = documents([3, 4, 4])
    for size, reaches in ((4, False), (40, True)):
        system = make(make_settings(cache_size=size))
        # No word of the others is changed into or out of.
        target = [[4, 5, 6], [7, 8, 9, 10], [11, 12, 13, 14]]
        before = system(batch(replace(document, target=target)))
        target[0] = [15, 16, 17]
        packed = batch(replace(document, target=target))
        changed = (system(packed) != before).any(dim=1)
        last = packed.target.sentences.index == 2
        assert bool(changed[last].any()) is reaches


@pytest.mark.parametrize("name", ["cache-rnnsearch", "cache-transformer"])
def test_the_recipes_train_the_cache_alone_after_sentences(name):
    recipe = recipes.load(f"iwslt-{name}")
    first, second = recipe.stages
    assert (first.system["name"], first.instances["kind"]) == (
        name.removeprefix("cache-"),
        "sentence",
    )
    assert second.initialize["freeze"] == ["loaded"]
    assert (recipe.instances.kind, recipe.system.cache_size) == ("whole", 25)
    assert CacheRNNSearchSettings().cache_size == CacheTransformerSettings().cache_size == 25
