"""The KV cache of what hypotheses have written."""

import numpy as np
import torch

from docmt_nmt.nn.attention import MultiHeadAttention
from docmt_nmt.nn.incremental.token_slots import BLOCK
from docmt_nmt.nn.incremental.token_tree import TokenTree


def written(steps):
    """A tree of one unit with two hypotheses after some steps, and its attention."""
    tree, owner = TokenTree(1, 2, torch.device("cpu")), MultiHeadAttention(4, 1)
    for step in range(steps):
        tree.compact()
        tree.grow()
        tree.extend(owner, torch.full((2, 2, 1, 4), float(step)))
    return tree, owner


def test_capacity_grows_with_what_is_written_and_not_much_further():
    tree, owner = written(200)
    assert 400 <= tree.capacity <= 400 * 9 / 8 + BLOCK
    assert tree.cached[owner].shape == (2, 1, 1, tree.capacity, 4)


def test_capacity_that_is_no_longer_needed_is_given_back():
    tree, owner = written(200)
    tree.forget(np.array([[True, True]]))
    for step in range(20):
        tree.compact()
        tree.grow()
        cached = tree.extend(owner, torch.full((2, 2, 1, 4), 1000.0 + step))
    bias = tree.bias(cached.dtype)
    assert tree.capacity <= 3 * BLOCK
    assert cached.shape[3] == bias.shape[3] == tree.capacity
    seen = cached[0, 0, 0, bias[0, 0, 0] == 0, 0]
    assert sorted(seen.tolist()) == [1000.0 + step for step in range(20)]


def test_slots_are_closed_up_where_no_hypothesis_is_made_of_them():
    tree, owner = written(12)
    tree.select(np.array([[0, 0]]))  # what the second has written is in no hypothesis any more
    for step in range(12, 24):
        tree.compact()
        tree.grow()
        cached = tree.extend(owner, torch.full((2, 2, 1, 4), float(step)))
    assert tree.slots < 2 * 24
    for hypothesis in range(2):
        own = cached[0, 0, 0, : tree.slots, 0][torch.from_numpy(tree.seen[0, hypothesis])]
        assert sorted(own.tolist()) == [float(step) for step in range(24)]
