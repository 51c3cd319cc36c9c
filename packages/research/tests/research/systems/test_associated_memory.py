"""The associated memory network against a re-implementation of its equations with dense masks."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from cases import SIZE, VOCABULARY, batch, documents, make, transformer
from dense_transformer import (
    alone,
    decode_alone,
    encode_alone,
    heads_of,
    load_sentence_weights,
    of_documents,
)
from docmt_nmt.systems import build
from docmt_research.systems.associated_memory import AssociatedMemorySettings

SHAPES = [4, 1, 3, 2], [2], [3, 5]


def associated_memory(**keys):
    return AssociatedMemorySettings.read({**SIZE, **keys})


def enriched(system, sentences, *, previous_only):
    """h̃ of a document, given as the states of its sentences, with one mask over all words."""
    h, attention = torch.cat(sentences), system.memory.attention
    own = torch.cat([torch.full((len(s),), k) for k, s in enumerate(sentences)])
    seen = own[:, None] > own if previous_only else own[:, None] != own
    q, k, v = (
        heads_of(project(h), attention.heads).transpose(0, 1)
        for project in (attention.query, attention.key, attention.value)
    )
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    weights = scores.masked_fill(~seen, -torch.inf).softmax(-1).nan_to_num(0.0)
    context = attention.output((weights @ v).transpose(0, 1).flatten(1))
    gate = torch.sigmoid(system.memory.gate(torch.cat([h, context], dim=1)))
    mixed = gate * h + (1 - gate) * context
    return torch.where(seen.any(dim=1)[:, None], mixed, h)


@pytest.mark.parametrize("previous_only", [False, True])
@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_it_computes_the_equations(norm, previous_only):
    contents = "previous" if previous_only else "others"
    system = make(associated_memory(norm=norm, memory_sentences=contents))
    plain = make(transformer(norm=norm, count_positions="sentence"), seed=2)
    load_sentence_weights(plain, system)
    packed = batch(*documents(*SHAPES))
    sentences = range(len(packed.source.sentences))
    states = torch.cat([encode_alone(plain, alone(packed.source, k)) for k in sentences])
    memory = torch.cat(
        [
            enriched(system, document, previous_only=previous_only)
            for document in of_documents(states, packed.source)
        ]
    )
    assert_close(system.encode(packed.source).states, memory, atol=2e-5, rtol=1e-4)
    by_sentence = memory.split(packed.source.sentences.host_lengths.tolist())
    written = torch.cat(
        [decode_alone(plain, alone(packed.target, k), by_sentence[k]) for k in sentences]
    )
    assert_close(system(packed), written @ system.output_weight.T, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [("others", [True] * 5), ("previous", [False, False, True, True, True])],
)
@torch.no_grad()
def test_the_memory_holds_other_sentences(contents, expected):
    system = make(associated_memory(memory_sentences=contents))
    (document,) = documents([3, 4, 2, 5, 3])
    before = system.encode(batch(document).source).states
    changed = [list(s) for s in document.source]
    changed[2][0] = 4 + (changed[2][0] - 3) % (VOCABULARY - 4)
    packed = batch(replace(document, source=changed)).source
    differs = (system.encode(packed).states != before).any(dim=1)
    found = [d.any().item() for d in differs.split(packed.sentences.host_lengths.tolist())]
    assert found == expected


@torch.no_grad()
def test_a_sentence_alone_is_translated_as_by_the_sentence_level_transformer():
    system = make(associated_memory())
    plain = make(transformer(count_positions="sentence"), seed=2)
    load_sentence_weights(plain, system)
    packed = batch(*documents([4], [3]))
    assert_close(system(packed), plain(packed))


def test_all_but_the_memory_has_the_names_of_a_transformer():
    system = build(associated_memory(), VOCABULARY, VOCABULARY)
    plain = build(transformer(), VOCABULARY, VOCABULARY)
    new = {name for name in system.state_dict() if not name.startswith("memory.")}
    assert new == set(plain.state_dict())
