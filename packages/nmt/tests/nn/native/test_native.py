"""The compiled operations: equal to those of PyTorch, and independent of what stands beside."""

import shutil
import subprocess

import numpy as np
import pytest
import torch

from docmt_nmt.nn.native import choice, operations, reference
from docmt_nmt.nn.quantization import QuantizedLinear

LIBRARIES = choice.compiled()
FUSING = [name for name in LIBRARIES if name != "plain"]
"""Libraries for processors that round a product and a sum once."""

needs_libraries = pytest.mark.skipif(choice.library() is None, reason="no compiled library in use")


def cached(units=3, beam_size=5, heads=2, slots=40, dimension=48, seed=0):
    """Queries, keys, values and masks of a cache."""
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(units * beam_size, heads, dimension, generator=generator)
    keys, values = torch.randn(2, units, heads, slots, dimension, generator=generator).bfloat16()
    seen = np.random.default_rng(seed).random((units, beam_size, slots)) < 0.6
    return q, keys, values, seen


@needs_libraries
def test_a_library_for_this_processor_was_chosen():
    assert choice.library_name() == FUSING[0]


@needs_libraries
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 33), (25, 512), (250, 96)])
def test_rows_get_the_codes_that_pytorch_gives_them(name, shape):
    torch.manual_seed(0)
    x = torch.randn(shape) * torch.logspace(-6, 6, shape[0])[:, None]
    # Ties are rounded to even, and a row of zeros is a row of zeros.
    x[0] = torch.linspace(-127, 127, shape[1]).round() + 0.5
    x[-1] = 0
    with choice.using(name) if name in FUSING else pytest.raises(LookupError):
        codes, largest = operations.quantize_rows(x)
        expected_codes, expected_largest = reference.quantize_rows(x)
        assert torch.equal(codes, expected_codes) and torch.equal(largest, expected_largest)
        strided = torch.cat([x, x], dim=1)[:, : shape[1]]
        assert torch.equal(operations.quantize_rows(strided)[0], codes)
        if name not in FUSING:
            raise LookupError("it adds without fusing, as PyTorch does on no processor of tests")


@needs_libraries
@pytest.mark.parametrize("name", FUSING)
@torch.no_grad()
def test_a_linear_layer_has_the_same_bits_with_and_without_a_library(name):
    torch.manual_seed(1)
    for outputs, inputs, rows in ((48, 64, 7), (2048, 512, 125), (33, 96, 1)):
        linear = torch.nn.Linear(inputs, outputs)
        x = torch.randn(rows, inputs).exp()
        for bias in (linear.bias, None):
            quantized = QuantizedLinear(linear.weight, bias)
            with choice.using("none"):
                expected, expected_relu = quantized(x), quantized.relu(x)
            with choice.using(name):
                assert torch.equal(quantized(x), expected)
                assert torch.equal(quantized.relu(x), expected_relu)
            assert torch.equal(expected.relu(), expected_relu)


@needs_libraries
@torch.no_grad()
def test_a_row_that_is_not_finite_gives_no_numbers():
    linear = torch.nn.Linear(32, 16)
    quantized, x = QuantizedLinear(linear.weight, linear.bias), torch.ones(3, 32)
    x[0, 5], x[1, 7] = float("nan"), float("inf")
    found = quantized(x)
    assert found[0].isnan().all() and not found[1].isfinite().any() and found[2].isfinite().all()


@needs_libraries
@pytest.mark.parametrize("name", FUSING)
@pytest.mark.parametrize("dimension", [16, 32, 48, 64, 80])
@pytest.mark.parametrize("beam_size", [1, 2, 3, 5, 8])
def test_attention_is_that_of_the_reference(name, dimension, beam_size):
    q, keys, values, seen = cached(dimension=dimension, beam_size=beam_size)
    seen[1, 0] = False
    expected = reference.attend(q, keys, values, seen)
    with choice.using(name):
        assert operations.attends(q, torch.bfloat16)
        found = operations.attend(q, keys, values, seen)
    torch.testing.assert_close(found, expected, atol=2e-6, rtol=1e-5)
    assert not found[beam_size].any()


@needs_libraries
def test_all_libraries_attend_alike_to_the_bit():
    q, keys, values, seen = cached()
    found = []
    for name in FUSING:
        with choice.using(name):
            found.append(operations.attend(q, keys, values, seen))
    assert all(torch.equal(each, found[0]) for each in found)


@needs_libraries
def test_new_keys_and_values_take_their_slots_and_are_attended_to():
    q, keys, values, seen = cached()
    units, beam_size, slots = seen.shape
    seen[:, :, -beam_size:] = np.eye(beam_size, dtype=bool)
    new = [torch.randn(q.shape), torch.randn(q.shape)]
    new[0][0, 0, 0] = float("inf")
    written = [keys.clone(), values.clone()]
    for cache, part in zip(written, new, strict=True):
        by_unit = part.view(units, beam_size, *part.shape[1:]).transpose(1, 2)
        cache[:, :, slots - beam_size :] = by_unit
    expected = operations.attend(q, *written, seen)
    found = operations.attend(q, keys, values, seen, new=new, newest=slots - beam_size)
    assert torch.equal(keys, written[0]) and torch.equal(values, written[1])
    assert torch.equal(found[1:], expected[1:])


@needs_libraries
def test_attention_depends_neither_on_slots_nor_on_other_units():
    q, keys, values, seen = cached()
    beam_size = seen.shape[1]
    together = operations.attend(q, keys, values, seen)
    for unit in range(len(keys)):
        mine = slice(unit * beam_size, (unit + 1) * beam_size)
        used = seen[unit].any(0).nonzero()[0]
        for gaps in (1, 3):  # the visible keys in other slots, in the same order
            sparse = torch.full((2, 1, *keys.shape[1:2], gaps * len(used), keys.shape[3]), 7.0)
            sparse = sparse.bfloat16()
            sparse[0, 0, :, ::gaps], sparse[1, 0, :, ::gaps] = (
                keys[unit, :, used],
                values[unit, :, used],
            )
            own = np.zeros((1, beam_size, gaps * len(used)), bool)
            own[0, :, ::gaps] = seen[unit][:, used]
            assert torch.equal(operations.attend(q[mine], *sparse, own), together[mine])


@needs_libraries
def test_units_may_share_a_cache():
    q, keys, values, seen = cached(units=4)
    cache_of = np.array([1, 0, 1, 1])
    found = operations.attend(q, keys[:2].clone(), values[:2].clone(), seen, cache_of=cache_of)
    expected = operations.attend(q, keys[cache_of], values[cache_of], seen)
    assert torch.equal(found, expected)


@needs_libraries
def test_large_work_is_divided_among_threads_with_the_same_result(monkeypatch):
    q, keys, values, seen = cached()
    x, bias = torch.randn(50, 64), torch.randn(64)

    def everything():
        codes, largest = operations.quantize_rows(x)
        scaled = operations.scale_rows(x.clone(), largest, bias)
        return codes, largest, scaled, operations.attend(q, keys, values, seen)

    expected = everything()
    monkeypatch.setattr(operations, "_ENOUGH", 1)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    assert all(map(torch.equal, everything(), expected))


def test_a_tensor_with_a_gradient_is_left_to_pytorch():
    x = torch.randn(2, 16, requires_grad=True)
    assert operations.scale_rows(x * 1.0, torch.ones(2, 1), None).requires_grad
    assert not operations.attends(x.view(2, 1, 16), torch.bfloat16)


@pytest.mark.parametrize("asked", ["none", "avx2000"])
def test_the_environment_chooses_the_library(asked, monkeypatch):
    monkeypatch.setenv(choice.VARIABLE, asked)
    monkeypatch.setattr(choice, "_chosen", [])
    assert choice.library_name() == "none"


def test_a_library_that_is_damaged_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "damaged.so").write_bytes(b"\x7fELF")
    monkeypatch.setattr(choice, "_path", lambda name: tmp_path / f"{name}.so")
    assert choice.checked.__wrapped__("damaged") is None


@pytest.mark.by_default(1)
@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")
@pytest.mark.parametrize(
    "target",
    ["", "-mavx2 -mfma", "-mavx512f -mavx512bw -mfma", "-mavx512f -mavx512bw -mavx512bf16"],
)
def test_the_sources_compile_without_warnings(target, tmp_path):
    folder = choice._path("x").parent
    for source in ("rows.c", "attention.c", "sums.c", "spans.c"):
        command = ["cc", "-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"]
        command += [*target.split(), "-fPIC", "-c", str(folder / source)]
        run = subprocess.run(
            [*command, "-o", str(tmp_path / "x.o")], capture_output=True, text=True
        )
        if "unrecognized" in run.stderr:
            pytest.skip("the compiler has no such target")
        assert not run.returncode, run.stderr


@needs_libraries
@pytest.mark.parametrize("name", FUSING)
def test_sums_and_gates_are_those_of_the_reference(name):
    torch.manual_seed(0)
    norm = torch.nn.LayerNorm(48).requires_grad_(False)
    torch.nn.init.normal_(norm.weight)
    torch.nn.init.normal_(norm.bias)
    x, y, scores = torch.randn(3, 7, 48) * torch.logspace(-3, 3, 7)[:, None]
    with choice.using(name):
        for second in (y, None):
            found = operations.add_norm(x, second, norm)
            torch.testing.assert_close(found, reference.add_norm(x, second, norm))
        alone = operations.add_norm(x[2:3], y[2:3], norm)
        assert torch.equal(alone[0], operations.add_norm(x, y, norm)[2])
        gated = operations.gated_sum(scores, x, y)
        torch.testing.assert_close(gated, reference.gated_sum(scores, x, y), atol=1e-4, rtol=1e-5)
        scores[1, 1] = float("nan")
        assert operations.gated_sum(scores, x, y)[1].isnan().sum() == 1


@needs_libraries
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_slots_move_as_by_pytorch(dtype):
    cached = torch.randn(3, 2, 20, 8).to(dtype)
    order = np.array([[5, 7, 8, 9], [4, 6, 7, 19], [4, 5, 6, 7]])
    expected = cached.clone()
    with choice.using("none"):
        operations.move_slots(expected, order, 4)
    operations.move_slots(cached, order, 4)
    assert torch.equal(cached, expected)
