"""`attend` beside PyTorch's kernel and the dense definition, for sentences and whole instances.

    python benchmarks/attention.py [--corpus FOLDER] [--tokens 2048]

Self-attention of base size (8 heads of 64) over the target side of one instance of real sentences:
group attention over its sentences and global attention over all of it. The kernel,
`scaled_dot_product_attention`, gets sentences in the same padded buckets. Milliseconds forward and
backward, and ratios to `attend` in the same format.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from docmt.nn.kernels.attend import attend, attend_dense
from docmt.nn.kernels.buckets import pair
from docmt.nn.kernels.tiled import collect, spread, whole
from docmt.nn.spans import Spans
from workload import Workload, machine

Attend = Callable[..., Tensor]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpus", type=Path, help="folder of line files; default: the bundled")
    parser.add_argument("--types", type=int, default=8000, help="size of the vocabulary")
    parser.add_argument("--tokens", type=int, default=2048, help="tokens of the instance")
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--dimension", type=int, default=64, help="of a head")
    parser.add_argument("--rounds", type=int, default=5, help="the best counts")
    parser.add_argument("--cpu", action="store_true", help="processor time, where others work too")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    target = Workload(arguments.corpus, types=arguments.types).batch(
        arguments.tokens, arguments.tokens
    ).target  # fmt: skip
    clock = time.process_time if arguments.cpu else time.perf_counter
    ways: dict[str, Attend] = {"attend": attend, "kernel": kernel, "dense": attend_dense}
    print(f"{len(target.tokens)} tokens in {len(target.sentences)} sentences; ms (ratio to attend)")
    print(" " * 24 + "".join(f"{name + ' ' + way:>22}" for name in ways for way in ("fwd", "bwd")))
    for format in (torch.float32, torch.bfloat16):
        for name, spans in (("sentences", target.sentences), ("instance", target.instances)):
            for causal in (False, True):
                seconds = {
                    way: measure(function, spans, causal, format, arguments, clock)
                    for way, function in ways.items()
                }
                first = seconds["attend"]
                cells = [
                    f"{1000 * s:11.1f} ({s / f:5.1f} ×)"
                    for found in seconds.values()
                    for s, f in zip(found, first, strict=True)
                ]
                label = f"{str(format)[6:]} {name}" + (" causal" if causal else "")
                print(f"{label:26}" + " ".join(f"{cell:>21}" for cell in cells), flush=True)


def measure(
    function: Attend,
    spans: Spans,
    causal: bool,
    format: torch.dtype,
    arguments: argparse.Namespace,
    clock: Callable[[], float],
) -> tuple[float, float]:
    """Seconds forward and backward."""
    generator = torch.Generator().manual_seed(1)
    shape = (int(spans.offsets[-1]), arguments.heads, arguments.dimension)
    q, k, v, gradient = (torch.randn(shape, generator=generator).to(format) for _ in range(4))
    inputs = [x.requires_grad_() for x in (q, k, v)]
    forward, backward = [], []
    for _ in range(arguments.rounds + 1):  # the first warms up
        began = clock()
        output = function(*inputs, spans, spans, causal=causal)
        between = clock()
        torch.autograd.grad(output, inputs, gradient)
        forward.append(between - began)
        backward.append(clock() - between)
    return min(forward[1:]), min(backward[1:])


def kernel(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool
) -> Tensor:
    """`attend` by PyTorch's kernel for each bucket of like lengths."""
    layout = pair(query_spans, key_spans, q.shape[1])
    q = spread(q, layout.queries) * q.shape[-1] ** -0.5
    k, v = spread(k, layout.keys), spread(v, layout.keys)
    outputs = []
    for bucket in layout.buckets:
        own = bucket.of_queries(q), bucket.of_keys(k), bucket.of_keys(v)
        outputs.append(whole(*own, bucket, causal).reshape(-1, q.shape[1]))
    return collect(torch.cat([*outputs, q.new_zeros(1, q.shape[1])]), layout.queries)


if __name__ == "__main__":
    main()
