"""A packed source with the sentences that are read with it, in one sequence."""

from __future__ import annotations

from dataclasses import replace

import torch
from hypothesis import given
from hypothesis import strategies as st

from cases import batch, documents, with_context


def test_context_stands_before_the_sentences_it_is_read_with():
    first, second = documents([2], [1])
    source = batch(with_context(first, 3, 1), with_context(second)).source
    row, own = source.with_context()
    context = source.context.tokens.tolist()
    tokens = source.tokens.tolist()
    assert row.tokens.tolist() == context + tokens
    assert own.tolist() == [*range(8, 12), *range(12, 15)]
    assert row.sentences.host_lengths.tolist() == [5, 3, 4, 3]
    assert row.instances.host_lengths.tolist() == [12, 3]


def special(sentence):
    return [0, *sentence, 2]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=5))
def test_each_instance_begins_with_its_context(shapes):
    instances = [
        with_context(instance, *[k + 1 for k in range(context)])
        for instance, (context, _) in zip(
            documents(*([2] * sentences for _, sentences in shapes)), shapes, strict=True
        )
    ]
    source = batch(*instances).source
    row, own = source.with_context()
    for i, instance in enumerate(instances):
        begin, end = row.instances.host_offsets[i : i + 2]
        sentences = [*instance.context, *instance.source]
        expected = [token for sentence in sentences for token in [0, *sentence, 2]]
        assert row.tokens[begin:end].tolist() == expected
    lengths = [len(s) + 2 for i in instances for s in [*i.context, *i.source]]
    assert row.sentences.host_lengths.tolist() == lengths
    assert torch.equal(row.tokens[own], source.tokens)
    assert row.context is None


def test_the_first_sentences_of_a_context_that_is_too_long_are_left_out():
    first, second, third = documents([2], [1], [4])
    source = batch(
        with_context(first, 3, 1, 2), with_context(second, 5), with_context(third)
    ).source
    assert source.with_context(16)[0].sentences.host_lengths.tolist() == [5, 3, 4, 4, 7, 3, 6]
    row, own = source.with_context(11)
    # Of 12 tokens of context and 4 of the sentence, 7 and 4 are left.
    assert row.sentences.host_lengths.tolist() == [3, 4, 4, 7, 3, 6]
    assert row.instances.host_lengths.tolist() == [11, 10, 6]
    assert torch.equal(row.tokens[own], source.tokens)
    assert source.with_context(3)[0].sentences.host_lengths.tolist() == [4, 3, 6]


def test_sentences_after_an_instance_stand_after_it():
    first, second = documents([2], [1])
    instances = [replace(with_context(first, 3, 1, 2), following=2), with_context(second, 4)]
    source = batch(*instances).source
    row, own = source.with_context()
    assert row.sentences.host_lengths.tolist() == [5, 4, 3, 4, 6, 3]
    assert row.instances.host_lengths.tolist() == [16, 9]
    assert torch.equal(row.tokens[own], source.tokens)
    before, near, far = (special(sentence) for sentence in instances[0].context)
    assert row.tokens[:16].tolist() == [*before, *special(first.source[0]), *near, *far]
    # The farthest sentence goes first, then, of two that are equally far away, the one after.
    for most, lengths in ((15, [5, 4, 3]), (11, [5, 4]), (8, [4])):
        one = batch(instances[0]).source.with_context(most)[0]
        assert one.sentences.host_lengths.tolist() == lengths
