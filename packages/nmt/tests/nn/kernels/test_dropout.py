import pytest
import torch

from docmt_nmt.nn.kernels.dropout import add_dropped, dropout


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_share_is_dropped_and_the_rest_is_scaled_so_that_the_mean_stays(dtype):
    torch.manual_seed(1)
    dropped = dropout(torch.ones(1000, 1001, dtype=dtype), 0.3, training=True)
    assert dropped.unique().tolist() == pytest.approx([0, 1 / 0.7], rel=5e-3)
    assert float((dropped == 0).float().mean()) == pytest.approx(0.3, abs=0.002)


def test_entries_are_dropped_independently_of_their_neighbours():
    torch.manual_seed(1)
    dropped = dropout(torch.ones(1_000_000), 0.5, training=True) == 0
    for apart in (1, 2, 3, 4, 5, 8):
        both = (dropped[apart:] & dropped[:-apart]).float().mean()
        assert float(both) == pytest.approx(0.25, abs=0.003)


def test_the_same_seed_drops_the_same():
    x = torch.randn(100, 3)
    first, second, other = (
        (torch.manual_seed(seed), dropout(x, 0.1, training=True))[1] for seed in (1, 1, 2)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_gradients_are_those_of_the_entries_that_were_kept():
    torch.manual_seed(1)
    x, y = (torch.randn(50, 7, requires_grad=True) for _ in range(2))
    total = add_dropped(x, y, 0.4, training=True)
    total.sum().backward()
    torch.testing.assert_close(total, x + y * y.grad)
    assert torch.equal(x.grad, torch.ones(50, 7))


def test_nothing_is_dropped_where_nothing_is_trained():
    x, y = torch.randn(5, 2), torch.randn(5, 2)
    assert dropout(x, 0.5, training=False) is x
    assert dropout(x, 0.0, training=True) is x
    assert torch.equal(add_dropped(x, y, 0.5, training=False), x + y)
