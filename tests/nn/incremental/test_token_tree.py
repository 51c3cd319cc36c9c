import torch

from docmt.nn.incremental.token_tree import ROOM, TokenTree


def written(steps):
    """A tree of one instance with two hypotheses after some steps, and its attention."""
    tree, owner = TokenTree.empty(1, 2, torch.device("cpu")), torch.nn.Identity()
    for step in range(steps):
        tree.tidy()
        tree.grow()
        tree.extend(owner, torch.full((2, 2, 1, 4), float(step)))
    return tree, owner


def test_room_grows_with_what_is_written_and_not_much_further():
    tree, owner = written(200)
    assert 400 <= tree.room <= 400 * 9 / 8 + ROOM
    assert tree.held[owner].shape == (2, 1, 1, tree.room, 4)


def test_room_that_is_no_longer_needed_is_given_back():
    tree, owner = written(200)
    tree.forget(torch.tensor([[True, True]]))
    for step in range(20):
        tree.tidy()
        tree.grow()
        held, bias = tree.extend(owner, torch.full((2, 2, 1, 4), 1000.0 + step))
    assert tree.room <= 3 * ROOM
    assert held.shape[3] == bias.shape[3] == tree.room
    seen = held[0, 0, 0, bias[0, 0, 0] == 0, 0]
    assert sorted(seen.tolist()) == [1000.0 + step for step in range(20)]
