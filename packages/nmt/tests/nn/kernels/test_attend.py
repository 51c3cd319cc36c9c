from types import SimpleNamespace
from unittest.mock import patch

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_nmt.nn.kernels import attend as attend_module
from docmt_nmt.nn.kernels import tiled as tiles
from docmt_nmt.nn.kernels.attend import attend, attend_dense, dense_weights
from docmt_nmt.nn.kernels.buckets import lay_out
from docmt_nmt.nn.spans import Spans

lengths = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8)


def inputs(queries, keys, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shape = (2, 8)
    return [
        torch.randn(n, *shape, generator=generator, requires_grad=True)
        for n in (sum(queries), sum(keys), sum(keys))
    ]


def check_equal(queries, keys, causal):
    q, k, v = inputs(queries, keys)
    spans = Spans.of(queries), Spans.of(keys)
    fast = attend(q, k, v, *spans, causal=causal)
    slow = attend_dense(q, k, v, *spans, causal=causal)
    assert fast.shape == q.shape
    torch.testing.assert_close(fast, slow, atol=1e-5, rtol=1e-5)
    if not fast.requires_grad:  # no query has a key
        return
    direction = torch.randn(fast.shape, generator=torch.Generator().manual_seed(1))
    fast_gradients = torch.autograd.grad((fast * direction).sum(), (q, k, v), allow_unused=True)
    slow_gradients = torch.autograd.grad((slow * direction).sum(), (q, k, v))
    for fast_gradient, slow_gradient in zip(fast_gradients, slow_gradients, strict=True):
        if fast_gradient is None:
            fast_gradient = torch.zeros_like(slow_gradient)
        torch.testing.assert_close(fast_gradient, slow_gradient, atol=1e-4, rtol=1e-4)


@settings(max_examples=60, deadline=None)
@given(lengths)
def test_the_fast_path_equals_the_definition_forward_and_backward(pairs):
    check_equal([q for q, _ in pairs], [k for _, k in pairs], causal=False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=8))
def test_the_fast_path_equals_the_definition_for_causal_attention(spans):
    check_equal(spans, spans, causal=True)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scores", [1, 100, 5000])
def test_tiles_of_any_size_equal_the_definition(scores, causal, monkeypatch):
    monkeypatch.setattr(tiles, "SCORES", scores)
    monkeypatch.setattr(tiles, "QUERIES", 7)
    check_equal([40, 3, 33, 90], [40, 3, 33, 90], causal)


@pytest.mark.parametrize("length", [40, 700, 16384])
def test_causal_tiles_cover_all_they_see_with_keys_of_few_lengths(length):
    (bucket,) = lay_out(Spans.of([length]), Spans.of([length]), heads=1).buckets
    found = list(tiles.tiles(bucket, 1, True))
    assert all(queries.stop <= keys.stop <= bucket.keys for _, queries, keys in found)
    assert sum(queries.stop - queries.start for _, queries, _ in found) == length
    assert len({keys.stop for _, _, keys in found}) <= tiles.CAUSAL_LENGTHS


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_long_spans_equal_the_definition_whether_the_kernel_is_fast_or_not(
    causal, fast, monkeypatch
):
    monkeypatch.setattr(tiles, "LONG", 20)
    monkeypatch.setattr(tiles, "kernel_is_fast", lambda _: fast)
    check_equal([40, 3, 33, 90, 19], [40, 3, 33, 90, 19], causal)


@settings(max_examples=30, deadline=None)
@given(lengths)
def test_long_spans_of_two_lengths_equal_the_definition(pairs):
    with patch.object(tiles, "LONG", 10), patch.object(tiles, "kernel_is_fast", lambda _: True):
        check_equal([q for q, _ in pairs], [k for _, k in pairs], causal=False)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("spans", [[5, 30, 1, 64, 17], [600], [1100, 3]])
def test_half_precision_stays_near_the_definition(spans, causal):
    exact, rounded = inputs(spans, spans), inputs(spans, spans)
    rounded = [x.detach().bfloat16().requires_grad_() for x in rounded]
    table = Spans.of(spans)
    fast = attend(*rounded, table, table, causal=causal)
    slow = attend_dense(*exact, table, table, causal=causal)
    assert fast.dtype == torch.bfloat16
    found = (fast, *torch.autograd.grad(fast.float().square().sum(), rounded))
    expected = (slow, *torch.autograd.grad(slow.square().sum(), exact))
    for one, other in zip(found, expected, strict=True):
        assert float((one - other).detach().norm() / other.detach().norm()) < 0.02


def bytes_held(length):
    sizes = []

    def note(x):
        sizes.append(x.nbytes)
        return x

    q, k, v = inputs([length], [length])
    spans = Spans.of([length])
    with torch.autograd.graph.saved_tensors_hooks(note, lambda x: x):
        attend(q, k, v, spans, spans)
    return sum(sizes)


def test_memory_between_the_passes_is_linear_in_the_row():
    assert bytes_held(1024) == 4 * bytes_held(256)


def as_documented(q, k, v, starts_q, starts_k, most_q, most_k, *, window_size):
    """What the kernel for CUDA does, by its documentation, on any device."""
    assert starts_q.dtype == starts_k.dtype == torch.int32
    lengths_q, lengths_k = starts_q.diff(), starts_k.diff()
    assert (most_q, most_k) == (int(lengths_q.max()), int(lengths_k.max()))
    pieces = []
    for a, b, c, d in zip(starts_q, starts_q[1:], starts_k, starts_k[1:], strict=False):
        scores = torch.einsum("qhd,khd->hqk", q[a:b], k[c:d]) / q.shape[-1] ** 0.5
        after = torch.arange(d - c) - torch.arange(b - a)[:, None]
        if window_size == (-1, 0):
            scores = scores.masked_fill(after > 0, -torch.inf)
        else:
            assert window_size == (-1, -1)
        pieces.append(torch.einsum("hqk,khd->qhd", scores.softmax(-1), v[c:d]))
    return torch.cat(pieces)


@pytest.mark.parametrize("causal", [False, True])
def test_the_cuda_kernel_is_asked_for_the_definition(causal, monkeypatch):
    monkeypatch.setattr("torch.nn.attention.varlen.varlen_attn", as_documented)
    queries, keys = [5, 30, 1, 64], [5, 30, 1, 64] if causal else [2, 60, 7, 3]
    q, k, v = inputs(queries, keys)
    spans = Spans.of(queries), Spans.of(keys)
    asked = attend_module.attend_varlen(q, k, v, *spans, causal=causal)
    torch.testing.assert_close(asked, attend_dense(q, k, v, *spans, causal=causal))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention_is_dropped_alike_in_both_passes_on_a_gpu(dtype):
    table = Spans.of([9, 14, 1]).to("cuda")
    q, k, v = (torch.randn(24, 2, 24, device="cuda", dtype=dtype) for _ in range(3))
    v = torch.eye(24, device="cuda", dtype=dtype)[:, None].repeat(1, 2, 1).requires_grad_()
    found = attend(q, k, v, table, table, dropout=0.25)
    plain = attend(q, k, v, table, table)
    kept = found != 0
    assert kept.any() and not torch.equal(kept, plain != 0)
    torch.testing.assert_close(found, plain * kept / 0.75, atol=1e-2, rtol=1e-2)
    torch.rand(3, device="cuda")
    (gradient,) = torch.autograd.grad(found.sum(), v)
    # With identity values, the gradient of a value is the sum of the weights it was given.
    expected = found.sum(0).T[:, :, None].expand_as(gradient)
    torch.testing.assert_close(gradient, expected, atol=2e-2, rtol=2e-2)


@pytest.mark.gpu
@pytest.mark.parametrize("causal", [False, True])
def test_tiles_equal_the_definition_on_a_gpu(causal):
    spans = [5, 30, 1, 64, 17, 600]
    q, k, v = (x.detach().cuda().requires_grad_() for x in inputs(spans, spans))
    table = Spans.of(spans).to("cuda")
    found, expected = (
        (made, *torch.autograd.grad(made.square().sum(), (q, k, v)))
        for made in (way(q, k, v, table, table, causal=causal) for way in (attend, attend_dense))
    )
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-3)


@pytest.mark.gpu
@pytest.mark.parametrize("causal", [False, True])
def test_the_cuda_kernel_equals_the_definition(causal):
    spans = [5, 30, 1, 64, 17, 600]
    exact = [x.detach().cuda().requires_grad_() for x in inputs(spans, spans)]
    rounded = [x.detach().bfloat16().requires_grad_() for x in exact]
    table = Spans.of(spans).to("cuda")
    fast = attend(*rounded, table, table, causal=causal)
    slow = attend_dense(*exact, table, table, causal=causal)
    found = (fast, *torch.autograd.grad(fast.float().square().sum(), rounded))
    expected = (slow, *torch.autograd.grad(slow.square().sum(), exact))
    for one, other in zip(found, expected, strict=True):
        assert float((one - other).detach().norm() / other.detach().norm()) < 0.02


def test_spans_of_very_different_length_are_not_padded_to_the_longest():
    spans = Spans.of([1000, *[10] * 100])
    layout = lay_out(spans, spans, 1)
    padded = sum(b.queries * (b.key_slots.stop - b.key_slots.start) for b in layout.buckets)
    exact = sum(n * n for n in spans.lengths.tolist())
    assert padded < 1.1 * exact


def test_queries_of_short_sentences_are_padded_by_half_at_most():
    lengths = [30, 21, 14, 9, 8, 3]
    spans = Spans.of(lengths)
    assert lay_out(spans, spans, 1).queries.real.numel() <= 1.5 * sum(lengths)


def test_a_sentence_sees_only_itself():
    q, k, v = inputs([2, 3, 3], [2, 3, 3])
    spans = Spans.of([2, 3, 3])
    before = attend(q, k, v, spans, spans)
    with torch.no_grad():
        k[2:5] += 1.0
        v[2:5] -= 1.0
    after = attend(q, k, v, spans, spans)
    assert torch.equal(before[:2], after[:2])
    assert torch.equal(before[5:], after[5:])
    assert not torch.allclose(before[2:5], after[2:5])


def test_weights_are_those_of_equations_6_and_7():
    # Two groups of two and one token; scores are log(1), log(3) so that weights are 1/4 and 3/4.
    q = torch.full((3, 1, 1), 1.0)
    k = torch.log(torch.tensor([1.0, 3.0, 7.0])).view(3, 1, 1)
    spans = Spans.of([2, 1])
    expected = torch.tensor([[0.25, 0.75, 0], [0.25, 0.75, 0], [0, 0, 1.0]])
    torch.testing.assert_close(dense_weights(q, k, spans, spans)[0], expected)
    causal = torch.tensor([[1.0, 0, 0], [0.25, 0.75, 0], [0, 0, 1.0]])
    torch.testing.assert_close(dense_weights(q, k, spans, spans, causal=True)[0], causal)


def test_a_query_whose_span_has_no_keys_gets_zeros():
    q, k, v = inputs([2, 2], [0, 3])
    output = attend(q, k, v, Spans.of([2, 2]), Spans.of([0, 3]))
    assert torch.equal(output[:2], torch.zeros(2, 2, 8))
    assert output[2:].abs().sum() > 0


def test_span_tables_of_different_length_are_refused():
    q, k, v = inputs([2], [2])
    with pytest.raises(AssertionError, match="key span"):
        attend(q, k, v, Spans.of([2]), Spans.of([1, 1]))


def dropped_weights(q, k, spans, share, causal):
    """The weights that `attend` multiplies values with, (H, N_q, N_k), which identity values show,
    drawn after a seed."""
    identity = torch.eye(len(k))[:, None].expand(-1, q.shape[1], -1)
    torch.manual_seed(5)
    shown = attend(q.detach(), k.detach(), identity, *spans, causal=causal, dropout=share)
    return shown.transpose(0, 1)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scores", [200, 2**21])
def test_dropped_attention_equals_the_definition_with_the_same_weights_dropped(
    causal, scores, monkeypatch
):
    monkeypatch.setattr(tiles, "SCORES", scores)
    monkeypatch.setattr(tiles, "QUERIES", 7)
    share, lengths = 0.25, [9, 14, 1, 0, 16]
    table, generator = Spans.of(lengths), torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(40, 2, 40, generator=generator, requires_grad=True) for _ in range(3))
    plain = dense_weights(q, k, table, table, causal=causal)
    found = dropped_weights(q, k, (table, table), share, causal)
    kept = (found != 0).float()
    torch.testing.assert_close(found, plain * kept / (1 - share), atol=1e-5, rtol=1e-4)
    seen = plain > 0
    assert abs(kept[seen].mean().item() - (1 - share)) < 0.04

    direction = torch.randn(q.shape, generator=generator)
    slow = torch.einsum("hqk,khd->qhd", plain * kept / (1 - share), v)
    slow_gradients = torch.autograd.grad((slow * direction).sum(), (q, k, v))
    torch.manual_seed(5)
    fast = attend(q, k, v, table, table, causal=causal, dropout=share)
    torch.testing.assert_close(fast, slow, atol=1e-5, rtol=1e-4)
    torch.rand(3)  # other draws between the passes change nothing
    state = torch.get_rng_state()
    fast_gradients = torch.autograd.grad((fast * direction).sum(), (q, k, v))
    assert torch.equal(torch.get_rng_state(), state)
    for own, expected in zip(fast_gradients, slow_gradients, strict=True):
        torch.testing.assert_close(own, expected, atol=1e-4, rtol=1e-4)


def test_long_spans_are_dropped_too():
    lengths = [tiles.LONG + 4]
    q = torch.zeros(lengths[0], 1, 4)
    ones = torch.ones(lengths[0], 1, 4)
    torch.manual_seed(1)
    dropped = attend(q, q, ones, Spans.of(lengths), Spans.of(lengths), dropout=0.5)
    assert dropped.std() > 0.01
    assert abs(dropped.mean().item() - 1) < 0.02


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_only_dropout_draws_random_numbers(dropout):
    q, k, v = inputs([5, 3], [4, 6])
    before = torch.get_rng_state()
    attend(q, k, v, Spans.of([5, 3]), Spans.of([4, 6]), dropout=dropout)
    assert torch.equal(torch.get_rng_state(), before) == (dropout == 0.0)


@pytest.mark.parametrize(
    ("dimension", "fits"), [(64, True), (256, True), (576, False), (12, False)]
)
def test_the_kernel_of_a_gpu_is_taken_for_heads_of_dimensions_that_it_has(dimension, fits):
    q = SimpleNamespace(is_cuda=True, dtype=torch.bfloat16, shape=(5, 2, dimension))
    assert attend_module.takes_varlen_kernel(q) is fits
