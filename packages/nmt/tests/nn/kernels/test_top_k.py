"""The largest values of rows are those that PyTorch's `topk` finds."""

import pytest
import torch

from docmt_nmt.nn.kernels.top_k import top_k


@pytest.mark.parametrize("size", [1, 5, 63, 640, 641, 2000, 8000])
@pytest.mark.parametrize("count", [1, 8, 10])
def test_the_same_as_of_pytorch(size, count):
    values = torch.randn(7, size, generator=torch.Generator().manual_seed(size))
    values[0] = -torch.inf
    values[0, -1] = 0.0
    values[1, size // 2 :] = -torch.inf
    largest, index = top_k(values, count)
    expected = values.topk(min(count, size), dim=1)
    assert torch.equal(largest, expected.values)
    assert torch.equal(values.gather(1, index), largest)
    # The same value is not chosen twice.
    assert all(len(set(row)) == len(row) for row in index.tolist())


def test_equal_values_are_each_chosen_once():
    values = torch.zeros(2, 5000)
    largest, index = top_k(values, 8)
    assert largest.tolist() == [[0.0] * 8] * 2
    assert all(len(set(row)) == 8 for row in index.tolist())


def test_nan_comes_first():
    values = torch.zeros(2, 5000)
    values[1, 4321] = torch.nan
    largest, index = top_k(values, 8)
    assert largest[1, 0].isnan() and index[1, 0] == 4321
    assert not largest[0].isnan().any()
