"""Batches by token budget: complete, within the budget, and the same for every process."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from docmt_nmt.data.sampler import BatchSampler, updates

lengths = st.lists(st.tuples(st.integers(2, 60), st.integers(2, 60)), min_size=1, max_size=80)
budgets = st.integers(1, 200)
seeds = st.integers(0, 2**40)


def sampler(pairs: list[tuple[int, int]], budget: int) -> BatchSampler:
    source, target = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    return BatchSampler(source, target, budget)


@given(lengths, budgets, seeds, st.integers(1, 50))
def test_every_instance_is_in_exactly_one_batch_of_an_epoch(pairs, budget, seed, epoch):
    batches = sampler(pairs, budget).shuffled(seed, epoch)
    assert sorted(np.concatenate(batches)) == list(range(len(pairs)))


@given(lengths, budgets, seeds)
def test_a_batch_keeps_the_budget_on_its_longer_side(pairs, budget, seed):
    sides = np.array(pairs)
    for batch in sampler(pairs, budget).shuffled(seed, 1):
        assert len(batch) == 1 or sides[batch].sum(axis=0).max() <= budget


@given(lengths, budgets, seeds)
def test_a_batch_ends_only_where_the_next_instance_would_break_the_budget(pairs, budget, seed):
    sides = np.array(pairs)
    batches = sampler(pairs, budget).shuffled(seed, 1)
    for batch, after in pairwise(batches):
        assert sides[[*batch, after[0]]].sum(axis=0).max() > budget


@given(lengths, budgets, seeds, st.integers(1, 5), st.integers(1, 4))
def test_the_shares_of_all_processes_are_the_work_of_one(pairs, budget, seed, processes, each):
    batches = sampler(pairs, budget).shuffled(seed, 1)
    done = []
    for update in updates(batches, processes * each):
        shares = [update.share(process, processes) for process in range(processes)]
        assert max(map(len, shares)) <= each
        indexed = sorted((index, tuple(batch)) for share in shares for index, batch in share)
        assert [index for index, _ in indexed] == list(range(len(update.batches)))
        done += [batch for _, batch in indexed]
    assert done == [tuple(batch) for batch in batches]


@given(
    st.lists(st.tuples(st.integers(2, 60), st.integers(1, 9)), min_size=1, max_size=80),
    budgets,
    st.integers(1, 20),
    seeds,
)
def test_a_batch_keeps_the_limits_of_tokens_and_of_sentences(pairs, budget, most, seed):
    tokens, sentences = np.array(pairs, dtype=np.int32).T
    batches = BatchSampler(
        tokens, tokens, budget, sentences=sentences, batch_sentences=most
    ).shuffled(seed, 1)
    assert sorted(np.concatenate(batches)) == list(range(len(pairs)))

    def fits(members):
        return tokens[members].sum() <= budget and sentences[members].sum() <= most

    assert all(len(batch) == 1 or fits(batch) for batch in batches)
    for batch, after in pairwise(batches):
        assert not fits([*batch, after[0]])


def test_batches_of_64_sentences():
    lengths = np.full(200, 30)
    batches = BatchSampler(
        lengths, lengths, 10_000, sentences=np.ones(200, int), batch_sentences=64
    ).shuffled(1, 1)
    assert [len(batch) for batch in batches] == [64, 64, 64, 8]


def test_an_instance_above_the_budget_stands_alone():
    batches = sampler([(3, 3), (50, 4), (3, 3), (4, 50)], 10).in_order()
    assert [batch.tolist() for batch in batches] == [[0], [1], [2], [3]]


def test_the_longer_side_counts():
    batches = sampler([(4, 1), (4, 1), (1, 6), (1, 6)], 8).in_order()
    assert [batch.tolist() for batch in batches] == [[0, 1], [2], [3]]


def test_the_order_depends_on_seed_and_epoch_alone():
    pairs = [(5, 5)] * 40

    def order(seed: int, epoch: int) -> list[int]:
        return np.concatenate(sampler(pairs, 20).shuffled(seed, epoch)).tolist()

    assert order(1, 3) == order(1, 3)
    assert order(1, 3) != order(1, 4)
    assert order(1, 3) != order(2, 3)


def test_without_shuffling_the_order_is_kept():
    batches = sampler([(2, 2)] * 5, 4).in_order()
    assert np.concatenate(batches).tolist() == [0, 1, 2, 3, 4]


def test_nothing_gives_no_batches():
    assert sampler([], 10).in_order() == []
    assert updates([], 3) == []


corpora = st.lists(lengths, min_size=3, max_size=3)


@given(corpora, seeds, st.floats(0.05, 0.6))
def test_of_corpora_without_a_share_every_instance_comes_once(parts, seed, share):
    mixing, sizes = mixed(parts, (None, share, None), 100)
    found = np.concatenate(mixing.shuffled(seed, 1))
    once = [k for k in found if not sizes[0] <= k < sizes[0] + sizes[1]]
    assert sorted(once) == [*range(sizes[0]), *range(sizes[0] + sizes[1], sum(sizes))]
    assert np.array_equal(np.concatenate(mixing.shuffled(seed, 1)), found)


@given(seeds, st.sampled_from([0.1, 0.3, 0.5, 0.7]))
def test_every_batch_has_the_share_of_a_corpus_that_is_asked_for(seed, share):
    draw = np.random.default_rng(seed)
    parts = [draw.integers(2, 30, (size, 2)).tolist() for size in (400, 60)]
    mixing, sizes = mixed(parts, (None, share), 1000)
    longer = np.array([max(pair) for part in parts for pair in part])
    *batches, _ = mixing.shuffled(seed, 1)
    for batch in batches:
        second = longer[batch[batch >= sizes[0]]].sum() / longer[batch].sum()
        assert abs(second - share) < 0.07


def test_a_small_corpus_comes_round_evenly():
    mixing, _ = mixed([[(5, 5)] * 90, [(5, 5)] * 4], (None, 0.1), 50)
    found = np.concatenate(mixing.shuffled(3, 1))
    counts = [int((found == k).sum()) for k in range(90, 94)]
    assert sum(counts) == 10
    assert max(counts) - min(counts) <= 1


def mixed(parts, shares, budget):
    """A sampler of several corpora, and their sizes."""
    together = sampler([pair for part in parts for pair in part], budget)
    sizes = [len(part) for part in parts]
    return replace(together, sizes=sizes, shares=shares), sizes
