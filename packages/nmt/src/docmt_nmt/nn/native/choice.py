"""The choice of a compiled library: the fastest one that this processor runs and that computes as
PyTorch does here."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from docmt_nmt.nn.native import reference
from docmt_nmt.nn.native.library import Library, SpanPairs
from docmt_nmt.nn.private_ops import once

VARIABLE = "DOCMT_NATIVE"
"""The environment variable that names a library, or `none` for the operations of PyTorch."""

NONE = "none"

_BY_CAPABILITY = {"AVX512": ("avx512bf16", "avx512", "avx2"), "AVX2": ("avx2",)}
"""The libraries for the instructions that PyTorch found."""


def compiled() -> list[str]:
    """The names of the libraries that were compiled and that this processor runs, the fastest
    first."""
    return [name for name in _candidates() if _path(name).exists()]


def _candidates() -> tuple[str, ...]:
    if platform.machine().lower() in ("aarch64", "arm64"):
        return "neon", "plain"
    names = *_BY_CAPABILITY.get(torch.backends.cpu.get_cpu_capability(), ()), "plain"
    # Before torch 2.13 there is no telling whether there are products of 16 bits.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    has_products = capabilities.get("avx512_bf16", False)
    return tuple(name for name in names if has_products or name != "avx512bf16")


def _path(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.so")


@once
def checked(name: str) -> Library | None:
    """The library of this name, if it computes rows as PyTorch does, to the bit, and attention as
    the reference does, up to rounding."""
    try:
        library = Library(name, _path(name))
        same = _same_rows(library) and _same_attention(library) and _same_span_attention(library)
        return library if same else None
    except (OSError, AttributeError):
        return None


def _same_rows(library: Library) -> bool:
    """Return whether rows become the same codes, and products the same results."""
    for rows, size in ((5, 96), (2, 35)):
        x = torch.linspace(-3, 3, rows * size).mul(1.7).sin().view(rows, size)
        x = x * torch.logspace(-3, 3, rows)[:, None]
        x[0, 1], x[-1] = float("nan"), 0.0
        codes, largest = torch.empty(rows, size, dtype=torch.uint8), torch.empty(rows, 1)
        library.quantize_rows(x, codes, largest)
        expected_codes, expected_largest = reference.quantize_rows(x)
        # The row with NaN has no codes.
        same = torch.equal(codes[1:], expected_codes[1:])
        same &= torch.allclose(largest, expected_largest, rtol=0, atol=0, equal_nan=True)
        products = torch.linspace(-9, 9, rows * size).cos().view(rows, size)
        scales, biases = torch.logspace(-2, 2, rows)[:, None], torch.linspace(-1, 1, size).exp()
        for bias in (None, biases):
            for relu in (False, True):
                found = products.clone()
                library.scale_rows(found, scales, bias, relu=relu)
                expected = reference.scale_rows(products.clone(), scales, bias, relu=relu)
                same &= torch.equal(found, expected)
        if not same:
            return False
    return True


def _same_attention(library: Library) -> bool:
    """Return whether attention is that of the reference."""
    for beam_size, dimension in ((1, 16), (7, 48), (5, 64)):
        units, heads, slots = 3, 2, 40
        rows = units * beam_size
        size = rows * heads * dimension
        q, *new = (torch.linspace(-3, k, size).sin().view(rows, heads, -1) for k in (3, 4, 5))
        cached = torch.linspace(-3, 3, 2 * units * heads * slots * dimension).cos().bfloat16()
        keys, values = cached.view(2, units, heads, slots, dimension).clone()
        seen = (np.arange(units * beam_size * slots) * 7 % 11 < 5).reshape(units, beam_size, -1)
        seen[0] = False
        out = torch.empty(rows, heads, dimension)
        library.attend(q, keys, values, seen, out, new=new, newest=slots - beam_size)
        for whole, part in zip((keys, values), new, strict=True):
            by_unit = part.view(units, beam_size, heads, dimension).transpose(1, 2).bfloat16()
            if not torch.equal(whole[:, :, slots - beam_size :], by_unit):
                return False
        if not torch.allclose(out, reference.attend(q, keys, values, seen), rtol=0, atol=1e-5):
            return False
    return True


def _same_span_attention(library: Library) -> bool:
    """Return whether attention over spans and its gradients are those of PyTorch in fp64."""
    numbers = torch.randn(4, 100, 2, 48, generator=torch.Generator().manual_seed(0)).bfloat16()
    q, k, v, gradient = numbers
    exact = [x.double().transpose(0, 1).requires_grad_() for x in (q, k, v)]
    offsets = np.array([0, 3, 3, 100])
    parts = zip(*(x.split([3, 0, 97], dim=1) for x in exact), strict=True)
    alone = [scaled_dot_product_attention(a, b, c, is_causal=True) for a, b, c in parts]
    wanted = torch.cat(alone, dim=1)
    gradients = torch.autograd.grad(wanted, exact, gradient.double().transpose(0, 1))
    spans, logarithms = SpanPairs(offsets, offsets, causal=True), torch.empty(2, 100)
    out, *found = torch.empty_like(numbers)
    library.attend_spans((q, k, v), spans, (out, logarithms))
    library.attend_spans_backward((q, k, v), spans, (out, logarithms, gradient, *found))
    return all(
        float((x.transpose(0, 1) - y).norm()) < 0.01 * float(y.norm())
        for x, y in zip((out, *found), (wanted.detach(), *gradients), strict=True)
    )


_chosen: list[Library | None] = []
"""The library in use, once it is chosen."""


def library() -> Library | None:
    """The library in use, chosen at the first call; None for the operations of PyTorch."""
    if not _chosen:
        asked = os.environ.get(VARIABLE, "")
        names = compiled() if not asked else [name for name in compiled() if name == asked]
        _chosen.append(next((found for found in map(checked, names) if found), None))
    return _chosen[0]


def library_name() -> str:
    """The name of the library in use; `none` for the operations of PyTorch."""
    found = library()
    return NONE if found is None else found.name


@contextmanager
def using(name: str) -> Iterator[None]:
    """Use the library of this name, or none, in this process; for tests and benchmarks.

    Raises:
        LookupError: the library does not run here.
    """
    found = None if name == NONE else checked(name) if name in compiled() else None
    if found is None and name != NONE:
        raise LookupError(f"no library {name} for this processor")
    before, _chosen[:] = list(_chosen), [found]
    try:
        yield
    finally:
        _chosen[:] = before
