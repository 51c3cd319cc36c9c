"""Weights that are stored as the difference from those of a run beside them."""

from __future__ import annotations

import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.runs.weight_arrays import read_weight_arrays
from docmt_nmt.runs.weight_differences import base_of
from docmt_nmt.runs.weights import read_weights, write_difference, write_weights


@pytest.fixture
def runs(tmp_path):
    """A base, weights near it, and the file of their difference."""
    base, own = tmp_path / "base", tmp_path / "own"
    base.mkdir()
    own.mkdir()
    generator = torch.Generator().manual_seed(1)
    shared = torch.randn(40, 8, generator=generator)
    before = {"a.weight": shared, "b.weight": shared, "c.bias": torch.randn(8, generator=generator)}
    write_weights(base / "weights.safetensors", before)
    moved = shared + 0.01 * torch.randn(40, 8, generator=generator)
    after = {"a.weight": moved, "b.weight": moved, "c.bias": before["c.bias"].clone()}
    path = own / "weights.safetensors"
    write_difference(path, after, base, read_weights(base / "weights.safetensors"))
    return base / "weights.safetensors", path, after


def test_a_difference_is_read_as_the_weights_almost_exactly(runs):
    _, path, after = runs
    found = read_weights(path)
    assert found.keys() == after.keys()
    for name, tensor in after.items():
        assert torch.allclose(found[name], tensor, atol=0.0003), name
    assert torch.equal(found["c.bias"], after["c.bias"])
    assert found["a.weight"] is found["b.weight"]
    assert base_of(path) == "base"


def test_without_torch_it_is_read_alike(runs):
    _, path, _ = runs
    arrays, tensors = read_weight_arrays(path), read_weights(path)
    assert arrays.keys() == tensors.keys()
    assert all(torch.equal(torch.from_numpy(arrays[name]), tensors[name]) for name in arrays)
    assert arrays["a.weight"] is arrays["b.weight"]


def test_it_is_a_quarter_of_whole_weights(runs):
    whole, path, _ = runs
    assert path.stat().st_size < whole.stat().st_size


@pytest.mark.parametrize("read", [read_weights, read_weight_arrays])
def test_a_base_that_is_gone_or_has_changed_is_an_error(runs, read):
    whole, path, after = runs
    write_weights(whole, after)
    with pytest.raises(InputError, match="has other weights now"):
        read(path)
    whole.unlink()
    with pytest.raises(InputError, match="is not beside it"):
        read(path)


@pytest.mark.parametrize("name", ["../base", "", ".hidden", "/etc"])
def test_a_base_elsewhere_is_refused(runs, name):
    from safetensors.torch import load_file, save_file

    _, path, _ = runs
    damaged = {"base": f'{{"run": "{name}", "sha256": "00"}}', "tied": "{}"}
    save_file(load_file(path), path, metadata=damaged)
    with pytest.raises(InputError, match="is damaged"):
        read_weights(path)
    assert base_of(path) == ""


def test_whole_weights_have_no_base(runs):
    assert base_of(runs[0]) == ""
