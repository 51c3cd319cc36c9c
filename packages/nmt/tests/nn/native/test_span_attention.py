"""Attention over spans in C, forward and backward, beside the definition and PyTorch's tiles."""

import shutil
import subprocess

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_nmt.nn.kernels import attend as attend_module
from docmt_nmt.nn.kernels.attend import attend, attend_dense
from docmt_nmt.nn.native import choice, operations
from docmt_nmt.nn.spans import Spans
from docmt_nmt.training import train
from toy import toy_recipe

LIBRARIES = [name for name in choice.compiled() if name != "plain"]

needs_libraries = pytest.mark.skipif(choice.library() is None, reason="no compiled library in use")

AROUND_TILES = [1, 11, 12, 13, 15, 17, 35, 36, 37, 63, 64, 65, 72, 129, 0, 200]


def inputs(queries, keys, dimension=64, heads=2):
    """Random q, k, v in bf16, with gradients, and the gradient of the result."""
    generator = torch.Generator().manual_seed(len(queries))
    counts = sum(queries), sum(keys), sum(keys), sum(queries)
    numbers = [
        torch.randn(count, heads, dimension, generator=generator).bfloat16() for count in counts
    ]
    return [x.requires_grad_() for x in numbers[:3]], numbers[3]


def both_passes(way, q_k_v, gradient, queries, keys, causal):
    """The result and the gradients of q, k and v."""
    out = way(*q_k_v, Spans.of(queries), Spans.of(keys), causal=causal)
    return [out.detach(), *torch.autograd.grad(out, q_k_v, gradient.to(out.dtype))]


def check(name, queries, keys, causal, dimension=64):
    q_k_v, gradient = inputs(queries, keys, dimension)
    exact = [x.detach().double().requires_grad_() for x in q_k_v]
    expected = both_passes(attend_dense, exact, gradient, queries, keys, causal)
    with choice.using(name):
        found = both_passes(attend, q_k_v, gradient, queries, keys, causal)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == torch.bfloat16
        # The gradients of spans of one key are zero but for rounding.
        assert float((one - other).norm()) <= 0.008 * float(other.norm()) + 0.02


@pytest.mark.parametrize("name", [*LIBRARIES, "none"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dimension", [16, 32, 48, 64, 80, 144])
def test_both_passes_stay_near_the_definition_around_all_sizes_of_tiles(name, causal, dimension):
    keys = AROUND_TILES if causal else AROUND_TILES[::-1]
    check(name, AROUND_TILES, keys, causal, dimension)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from([*LIBRARIES, "none"]),
)
def test_both_passes_stay_near_the_definition_for_any_spans(pairs, causal, name):
    queries = [q for q, _ in pairs]
    keys = queries if causal else [k for _, k in pairs]
    if not sum(min(q, k) for q, k in zip(queries, keys, strict=True)):
        return
    check(name, queries, keys, causal)


@needs_libraries
def test_training_in_bf16_takes_the_library_and_nothing_else_does(monkeypatch):
    (q, k, v), _ = inputs([40, 9], [40, 9])
    spans = Spans.of([40, 9])

    def taken(*tensors, **options):
        found = attend(*tensors, spans, spans, **options)
        return "SpanAttention" in type(found.grad_fn).__name__

    assert taken(q, k, v) and taken(q, k, v, causal=True)
    assert not taken(q, k, v, dropout=0.1)
    assert not taken(q.float(), k.float(), v.float())
    assert not taken(*(x[..., :24] for x in (q, k, v)))
    assert not taken(q.detach(), k.detach(), v.detach())
    with choice.using("none"):
        assert not taken(q, k, v)
    # Long spans where PyTorch's kernel has matrix registers.
    monkeypatch.setattr(attend_module, "LONG", 40)
    monkeypatch.setattr(attend_module, "kernel_is_fast", lambda _: True)
    assert not taken(q, k, v)
    monkeypatch.setattr(attend_module, "LONG", 41)
    assert taken(q, k, v)


@needs_libraries
@pytest.mark.parametrize("causal", [False, True])
def test_a_span_depends_neither_on_other_spans_nor_on_strides_nor_on_threads(causal, monkeypatch):
    lengths = [37, 3, 70, 12]
    q_k_v, gradient = inputs(lengths, lengths)
    together = both_passes(attend, q_k_v, gradient, lengths, lengths, causal)
    for span, (first, last) in enumerate([(0, 37), (37, 40), (40, 110), (110, 122)]):
        own = [x[first:last].detach().requires_grad_() for x in q_k_v]
        length = [lengths[span]]
        alone = both_passes(attend, own, gradient[first:last], length, length, causal)
        assert all(torch.equal(one, x[first:last]) for one, x in zip(alone, together, strict=True))
    joined = torch.stack([x.detach() for x in q_k_v], 1).unbind(1)
    strided = [x.requires_grad_() for x in joined]
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    again = both_passes(attend, strided, gradient, lengths, lengths, causal)
    assert all(map(torch.equal, again, together))


@needs_libraries
def test_queries_without_keys_and_keys_without_queries_get_zeros():
    q_k_v, gradient = inputs([3, 0, 5], [0, 7, 2])
    out, dq, dk, dv = both_passes(attend, q_k_v, gradient, [3, 0, 5], [0, 7, 2], False)
    assert not out[:3].any() and not dq[:3].any() and not dk[:7].any() and not dv[:7].any()
    assert out[3:].any() and dq[3:].any() and dk[7:].any() and dv[7:].any()


@needs_libraries
def test_what_is_not_a_number_stays_in_its_span_and_is_seen():
    q_k_v, gradient = inputs([20, 20], [20, 20])
    with torch.no_grad():
        q_k_v[1][5, 0, 3] = float("nan")
    for found in both_passes(attend, q_k_v, gradient, [20, 20], [20, 20], False):
        assert found[:20, 0].isnan().any() and found[20:].isfinite().all()
        assert found[:, 1].isfinite().all()


@needs_libraries
def test_a_training_in_bf16_attends_by_the_library_and_one_in_fp32_does_not(
    tinier_corpus, tmp_path, monkeypatch
):
    native, calls = operations.library(), []
    monkeypatch.setattr(native, "attend_spans", lambda *x, **y: calls.append(x) or attend_(*x, **y))
    attend_ = type(native).attend_spans.__get__(native)
    counts = []
    for precision in ("fp32", "bf16"):
        recipe = toy_recipe(tinier_corpus, training={"max_steps": 1, "precision": precision})
        train(recipe, tmp_path / precision, progress=False)
        counts.append(len(calls))
    assert counts[0] == 0 and counts[1] > 0


@needs_libraries
def test_memory_that_is_short_is_an_error(monkeypatch):
    (q, k, v), _ = inputs([4], [4])
    native = operations.library()
    monkeypatch.setattr(native, "_attend_spans", lambda *_: -1)
    with pytest.raises(MemoryError):
        attend(q, k, v, Spans.of([4]), Spans.of([4]))


HARNESS = r"""
#include <stdio.h>
#include "spans.c"

static uint16_t *numbers(long count) {
    uint16_t *x = malloc((size_t)count * sizeof *x + !count);
    for (long i = 0; i < count; i++) x[i] = (uint16_t)(0x3d00 + i * 7919 % 701 + i % 2 * 0x8000);
    return x;
}

int main(void) {
    const int64_t queries[] = {0, 1, 14, 14, 51, 116, 120}, keys[] = {0, 64, 65, 70, 70, 107, 237};
    for (long dim = 16; dim <= 80; dim += 16)
        for (int causal = 0; causal < 2; causal++) {
            const int64_t *of_keys = causal ? queries : keys;
            const long heads = 2, n = 120 * heads * dim, m = of_keys[6] * heads * dim;
            const long row = heads * dim;
            uint16_t *q = numbers(n), *k = numbers(m), *v = numbers(m), *g = numbers(n);
            uint16_t *out = numbers(n), *dq = numbers(n), *dk = numbers(m), *dv = numbers(m);
            float *logarithms = malloc(sizeof(float) * (size_t)(120 * heads));
            int failed = docmt_attend_spans(q, row, k, row, v, row, queries, of_keys, 6, heads, dim,
                                            0.1f, causal, 0, 6 * heads, out, logarithms);
            failed |= docmt_attend_spans_backward(q, row, k, row, v, row, queries, of_keys, 6,
                                                  heads, dim, 0.1f, causal, 0, 6 * heads, out,
                                                  logarithms, g, dq, dk, dv);
            if (failed) return 1;
            void *all[] = {q, k, v, g, out, dq, dk, dv, logarithms};
            for (int i = 0; i < 9; i++) free(all[i]);
        }
    puts("within bounds");
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")
@pytest.mark.parametrize("target", ["", "-march=native"])
def test_nothing_outside_the_arrays_is_read_or_written(target, tmp_path):
    (tmp_path / "harness.c").write_text(HARNESS)
    program = tmp_path / "harness"
    command = ["cc", "-O1", "-g", "-std=gnu11", "-Wno-psabi", "-fsanitize=address,undefined"]
    command += ["-fno-sanitize-recover=all", *target.split()]
    command += [f"-I{choice._path('x').parent}", str(tmp_path / "harness.c")]
    built = subprocess.run([*command, "-o", str(program), "-lm"], capture_output=True, text=True)
    if built.returncode:
        pytest.skip("the compiler cannot check bounds here")
    ran = subprocess.run([program], capture_output=True, text=True)
    assert ran.stdout == "within bounds\n", ran.stderr
