"""The Flat-Transformer against its equations, with dense softmaxes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from cases import batch, documents, make, transformer, with_context
from docmt_files.base.errors import InputError
from docmt_nmt.nn.embeddings import sinusoids
from docmt_research.systems.flat_transformer import FlatTransformerSettings
from research_cases import flat_transformer


def multi_head(attention, x):
    """MultiHead of x over itself, head by head."""
    q, k, v = (project(x) for project in (attention.query, attention.key, attention.value))
    heads = zip(*(z.chunk(attention.heads, dim=1) for z in (q, k, v)), strict=True)
    found = [(a @ b.T / a.shape[1] ** 0.5).softmax(1) @ c for a, b, c in heads]
    return attention.output(torch.cat(found, dim=1))


def block(layer, x):
    """A block of the encoder, with the sums that `norm` asks for."""
    for residual in layer.values():
        module = residual.sublayer

        def sublayer(y, module=module):
            if hasattr(module, "attention"):
                return multi_head(module.attention, y)
            return module.outer(torch.relu(module.inner(y)))

        if residual.norm_order == "pre":
            x = x + sublayer(residual.norm(x))
        else:
            x = residual.norm(x + sublayer(x))
    return x


def encoded_by_hand(system, before, sentence, after=(), *, top):
    """h(x) at the top of the encoder, for tokens of the sentence x and of the context c before and
    after it."""
    table, segments = system.source_embedding.table.weight, system.source_embedding.segments.weight
    tokens = [*before, *sentence, *after]
    a, b = len(before), len(before) + len(sentence)
    x = torch.stack(
        [
            table[token] * len(table[0]) ** 0.5
            + sinusoids(torch.tensor([place]), len(table[0]))[0]
            + segments[0 if a <= place < b else 1]
            for place, token in enumerate(tokens)
        ]
    )
    blocks = list(system.encoder)
    for layer in blocks[: len(blocks) - top]:
        x = block(layer, x)
    x = x[a:b]
    for layer in blocks[len(blocks) - top :]:
        x = block(layer, x)
    return system.encoder_norm(x)


@pytest.mark.parametrize("keys", [{}, {"norm": "pre"}, {"top_layers": 3}, {"top_layers": 2}])
@torch.no_grad()
def test_it_computes_the_equations_of_the_paper(keys):
    system = make(flat_transformer(**keys))
    instances = [with_context(documents([4])[0], 3, 2), with_context(documents([5], seed=1)[0])]
    source = batch(*instances).source
    expected = [
        encoded_by_hand(
            system,
            [token for words in instance.context for token in [0, *words, 2]],
            [0, *instance.source[0], 2],
            top=keys.get("top_layers", 1),
        )
        for instance in instances
    ]
    memory = system.encode(source)
    assert_close(memory.states, torch.cat(expected), atol=1e-5, rtol=1e-5)
    assert memory.source is source, "the decoder sees the sentence alone"


@torch.no_grad()
def test_sentences_after_the_sentence_are_context_too():
    system = make(flat_transformer())
    instance = replace(with_context(documents([4])[0], 3, 2), following=1)
    before, after = ([0, *words, 2] for words in instance.context)
    sentence = [0, *instance.source[0], 2]
    expected = encoded_by_hand(system, before, sentence, after, top=1)
    states = system.encode(batch(instance).source).states
    assert_close(states, expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_the_decoder_sees_the_current_sentence_alone():
    system = make(flat_transformer())
    packed = batch(with_context(documents([4])[0], 3, 2))
    plain = make(transformer(), seed=2)
    plain.load_state_dict({n: w for n, w in system.state_dict().items() if "segments" not in n})
    states = system.encode(packed.source).states

    def encode(source):
        return replace(make_memory(plain, source), states=states)

    make_memory = type(plain).encode
    plain.encode = encode
    assert torch.equal(system(packed), plain(packed))


@torch.no_grad()
def test_without_context_it_is_the_transformer_but_for_segments():
    system = make(flat_transformer(segment_embeddings=False))
    plain = make(transformer(), seed=2)
    plain.load_state_dict(system.state_dict(), strict=True)
    packed = batch(*(replace(sentence, context=[]) for sentence in documents([4], [3])))
    assert_close(system(packed), plain(packed))


@torch.no_grad()
def test_with_all_blocks_on_top_nothing_of_the_context_shows():
    system = make(flat_transformer(top_layers=3))
    (sentence,) = documents([4])
    first = system.encode(batch(with_context(sentence, 3)).source).states
    second = system.encode(batch(with_context(sentence, 3, seed=6)).source).states
    assert torch.equal(first, second)


@torch.no_grad()
def test_every_source_state_depends_on_the_context():
    system = make(flat_transformer())
    (sentence,) = documents([4])
    first = system.encode(batch(with_context(sentence, 3)).source).states
    second = system.encode(batch(with_context(sentence, 3, seed=6)).source).states
    assert (first != second).any(dim=1).all()


@torch.no_grad()
def test_segments_tell_the_sentence_from_its_context():
    system = make(flat_transformer())
    packed = batch(with_context(documents([4])[0], 3))
    before = system(packed)
    system.source_embedding.segments.weight[1] += 1
    assert (system(packed) != before).any(dim=1).all()
    alone = batch(documents([4])[0])
    before = system(alone)
    system.source_embedding.segments.weight[1] += 1
    assert torch.equal(system(alone), before)


def test_more_top_blocks_than_blocks_are_refused():
    with pytest.raises(InputError, match=r"top_layers 4 is more than layers 3"):
        FlatTransformerSettings.read({"layers": 3, "top_layers": 4})
