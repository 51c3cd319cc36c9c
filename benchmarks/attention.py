"""`attend` beside PyTorch's kernel and the dense definition, for sentences and whole instances.

    python benchmarks/attention.py [--corpus SOURCE TARGET] [--tokens 2048]

Self-attention of base size (8 heads of 64) over the target side of one instance of real sentences:
group attention over its sentences and global attention over all of it. The kernel,
`scaled_dot_product_attention`, gets sentences in the same padded buckets. Median milliseconds
forward and backward after an untimed round, ratios to `attend` in the same precision, and the
achieved share of the matrix rate, counting products over exact spans: two forward, four
backward.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from corpus import TrainingCorpus, add_corpus_argument
from docmt_nmt.nn.kernels.attend import attend, attend_dense
from docmt_nmt.nn.kernels.buckets import lay_out
from docmt_nmt.nn.kernels.tiled import gather_from_buckets, pytorch_attention, scatter_to_buckets
from docmt_nmt.nn.spans import Spans
from measuring import Report, Timings, add_arguments, percent, print_table, take_turns

Attend = Callable[..., Tensor]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser, repeats=5)
    add_corpus_argument(parser, "train")
    parser.add_argument("--vocabulary-size", type=int, default=8000)
    parser.add_argument("--tokens", type=int, default=2048, help="tokens of the instance")
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--dimension", type=int, default=64, help="of a head")
    arguments = parser.parse_args()
    report = Report(arguments)
    corpus = TrainingCorpus(arguments.corpus, arguments.vocabulary_size)
    target = corpus.batch(arguments.tokens, arguments.tokens).target
    ways: dict[str, Attend] = {"attend": attend, "kernel": kernel, "dense": attend_dense}
    print(f"{len(target.tokens)} tokens in {len(target.sentences)} sentences\n")
    rows = []
    for precision, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        for name, spans in (("sentences", target.sentences), ("instance", target.instances)):
            for causal in (False, True):
                label = f"{name}, {'causal, ' if causal else ''}{precision}"
                contestants = {
                    way: Attention(function, spans, causal, dtype, arguments)
                    for way, function in ways.items()
                }
                rows += compare(label, contestants, precision, arguments.repeats, report)
    print_table(
        [
            "",
            "",
            "forward ms",
            "× attend",
            "of matrix rate",
            "backward ms",
            "× attend",
            "of matrix rate",
        ],
        rows,
    )
    report.finish()


class Attention:
    """One way to compute attention, forward and backward.

    Attributes:
        operations: of the matrix products forward over exact spans.
    """

    def __init__(
        self,
        function: Attend,
        spans: Spans,
        causal: bool,
        dtype: torch.dtype,
        arguments: argparse.Namespace,
    ) -> None:
        generator = torch.Generator().manual_seed(1)
        shape = (spans.total, arguments.heads, arguments.dimension)
        q, k, v, self.gradient = (
            torch.randn(shape, generator=generator).to(dtype) for _ in range(4)
        )
        self.inputs = [x.requires_grad_() for x in (q, k, v)]
        self.attend = partial(function, *self.inputs, spans, spans, causal=causal)
        lengths = spans.host_lengths
        pairs = int((lengths * (lengths + 1) // 2 if causal else lengths**2).sum())
        self.operations = 4 * pairs * arguments.heads * arguments.dimension

    def forward(self) -> None:
        """Attend."""
        self.output = self.attend()

    def backward(self) -> None:
        """The gradients of queries, keys and values, after `forward`."""
        torch.autograd.grad(self.output, self.inputs, self.gradient)


def compare(
    label: str, contestants: dict[str, Attention], precision: str, repeats: int, report: Report
) -> list[list[str]]:
    """A row for each contestant."""
    works = {
        (way, direction): getattr(attention, direction)
        for way, attention in contestants.items()
        for direction in ("forward", "backward")
    }
    found = take_turns({" ".join(key): work for key, work in works.items()}, repeats)
    rows = []
    for way, attention in contestants.items():
        row = [label, way]
        for direction, times in (("forward", 1), ("backward", 2)):
            name = f"{way} {direction}"
            timings: Timings = found[name]
            share = report.share(timings, times * attention.operations, precision)
            report.add(f"{label}, {name}", timings, matrix_share=share)
            ratio = timings.median(report.clock) / found[f"attend {direction}"].median(report.clock)
            row += [f"{1000 * timings.median(report.clock):.1f}", f"{ratio:.1f}", percent(share)]
        rows.append(row)
    return rows


def kernel(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool
) -> Tensor:
    """`attend` by PyTorch's kernel for each bucket of like lengths."""
    layout = lay_out(query_spans, key_spans, q.shape[1])
    q = scatter_to_buckets(q, layout.queries) * q.shape[-1] ** -0.5
    k, v = (scatter_to_buckets(x, layout.keys) for x in (k, v))
    outputs = []
    for bucket in layout.buckets:
        own = bucket.of_queries(q), bucket.of_keys(k), bucket.of_keys(v)
        outputs.append(pytorch_attention(*own, bucket, causal).reshape(-1, q.shape[1]))
    return gather_from_buckets(torch.cat([*outputs, q.new_zeros(1, q.shape[1])]), layout.queries)


if __name__ == "__main__":
    main()
