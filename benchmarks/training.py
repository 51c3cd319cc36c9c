"""Training steps beside the dense fp32 reference of `dense.py`: speed and memory by length.

    python benchmarks/training.py [--corpus SOURCE TARGET] [--lengths 512 1024 2048 4096]
    python benchmarks/training.py --published CHECKOUT
    python benchmarks/training.py --memory [--lengths 512 1024 2048 4096 8192]
    python benchmarks/training.py --quality [--steps 400]

The first command alternates steps of all paths on the same batch with the same initial weights,
after an untimed step of each. A step is forward, backward, the norm of the gradient and Adam. The
operations that the matrix rate is compared with are those of the linear layers, the output layer
and attention over exact spans, forward once and backward twice; the dense path does more. With
`--published` the published G-Transformer code takes its turns on the same batches, with a model of
the same size.

`--memory` measures the peak of a fresh process for each path and length on batches of the same
number of tokens. `--quality` trains the small G-Transformer of the bundled corpus in fp32 and bf16
and compares their validation losses.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from unittest.mock import patch

import torch
from torch import Tensor, nn

from corpus import TrainingCorpus, add_corpus_argument, add_size_arguments
from dense import dense_loss
from docmt_nmt import recipes
from docmt_nmt.data.preparation import prepare
from docmt_nmt.nn.batch import Batch
from docmt_nmt.nn.native import choice
from docmt_nmt.nn.spans import Spans
from docmt_nmt.systems import System, build
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.training import train
from docmt_nmt.training.loss import Loss
from docmt_nmt.training.precision import autocast
from measuring import Report, add_arguments, count_operations, percent, print_table, take_turns
from published import Published

SMOOTHING = 0.1
MIB = 2**20
PATHS = {
    "published": "fp32",
    "dense": "fp32",
    "fp32": "fp32",
    "bf16-pytorch": "bf16",
    "bf16": "bf16",
}
"""The ways to compute a step, and the precision of their products; `bf16-pytorch` is bf16 without
the operations in C."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    add_size_arguments(parser)
    add_corpus_argument(parser, "train")
    parser.add_argument("--lengths", type=int, nargs="+", help="tokens of an instance")
    parser.add_argument("--tokens", type=int, help="tokens of a batch, if an instance has no more")
    parser.add_argument("--paths", nargs="+", choices=PATHS, default=list(PATHS))
    parser.add_argument(
        "--published", type=Path, metavar="CHECKOUT", help="of the published G-Transformer code"
    )
    parser.add_argument(
        "--system", nargs="+", metavar="KEY=VALUE", default=[], help="sizes beside the preset's"
    )
    parser.add_argument("--memory", action="store_true", help="measure memory by instance length")
    parser.add_argument("--quality", action="store_true", help="compare validation losses")
    parser.add_argument("--steps", type=int, default=400, help="updates with --quality")
    arguments = parser.parse_args()
    report = Report(arguments)
    if arguments.published is None and "published" in arguments.paths:
        arguments.paths.remove("published")
        print("not measured: the published G-Transformer code (--published CHECKOUT)\n")
    if arguments.quality:
        compare_quality(arguments.steps)
    elif arguments.memory:
        compare_memory(arguments)
    else:
        compare_speed(arguments, report)
    report.finish()


def system_settings(arguments: argparse.Namespace) -> GTransformerSettings:
    """The system of this run."""
    sizes = dict(pair.split("=", 1) for pair in arguments.system)
    return GTransformerSettings.read(
        {"preset": arguments.preset, **{key: int(value) for key, value in sizes.items()}}
    )


Work = Callable[[], object]


class Paths:
    """Training steps of all paths that are measured.

    Attributes:
        system: one like those that are trained.
    """

    def __init__(self, arguments: argparse.Namespace, vocabulary_size: int) -> None:
        settings = system_settings(arguments)
        self.system = build(settings, vocabulary_size, vocabulary_size, seed=1)
        self._steps = {
            path: Step(path, settings, vocabulary_size)
            for path in arguments.paths
            if path != "published"
        }
        self._published = (
            Published(arguments.published, settings, vocabulary_size)
            if "published" in arguments.paths
            else None
        )

    def works(self, batch: Batch) -> dict[str, Work]:
        """The step of each path on a batch."""
        works: dict[str, Work] = {}
        if self._published is not None:
            works["published"] = partial(self._published.train, self._published.sample(batch))
        return works | {path: partial(step, batch) for path, step in self._steps.items()}


class Step:
    """A training step of one path of docmt."""

    def __init__(self, path: str, settings: GTransformerSettings, vocabulary_size: int) -> None:
        self.path = path
        self.system = build(settings, vocabulary_size, vocabulary_size, seed=1).train()
        self.objective = Loss(self.system, SMOOTHING)
        self.parameters = list(self.system.parameters())
        self.optimizer = torch.optim.AdamW(self.parameters, fused=path != "dense")

    def __call__(self, batch: Batch) -> None:
        """Change the weights by the gradient of a batch."""
        with choice.using("none") if self.path == "bf16-pytorch" else nullcontext():
            self.loss(batch).backward()  # type: ignore[no-untyped-call]
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        nn.utils.get_total_norm(gradients).item()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def loss(self, batch: Batch) -> Tensor:
        """Mean loss per label."""
        if self.path == "dense":
            return dense_loss(self.system, batch, SMOOTHING)
        with autocast(torch.device("cpu"), PATHS[self.path]):
            found = self.objective(batch)
        mean: Tensor = found.loss / found.labels
        return mean


def compare_speed(arguments: argparse.Namespace, report: Report) -> None:
    """Target tokens per second, by length and path."""
    corpus = TrainingCorpus(arguments.corpus, arguments.vocabulary_size)
    paths, clock = Paths(arguments, corpus.vocabulary_size), report.clock
    rows = []
    for length in arguments.lengths or (512, 1024, 2048, 4096):
        batch = corpus.batch(length, max(length, arguments.tokens or 2048))
        operations = step_operations(paths.system, batch)
        timings = take_turns(paths.works(batch), arguments.repeats)
        first = next(iter(timings))
        base = timings[first].median(clock)
        for path, found in timings.items():
            share = report.share(found, operations, PATHS[path])
            tokens, median = target_tokens(batch), found.median(clock)
            report.add(
                f"{length} {path}", found, tokens_per_second=tokens / median, matrix_share=share
            )
            rows.append(
                [
                    str(length),
                    path,
                    f"{tokens / median:.0f}",
                    found.rates(tokens, clock),
                    f"{base / median:.1f}",
                    percent(found.system_share),
                    percent(share),
                ]
            )
    print_table(
        ["tokens", "path", "target tokens/s", "range", f"× {first}", "system", "of matrix rate"],
        rows,
    )


def step_operations(system: System, batch: Batch) -> int:
    """The operations of the matrix products of a step, attention over exact spans."""
    attended = 0

    def attend(
        q: Tensor,
        _k: Tensor,
        _v: Tensor,
        query_spans: Spans,
        key_spans: Spans,
        *,
        causal: bool,
        **_: float,
    ) -> Tensor:
        nonlocal attended
        pairs = int((query_spans.host_lengths * key_spans.host_lengths).sum())
        if causal:
            pairs = (pairs + query_spans.total) // 2
        attended += 4 * pairs * q.shape[1] * q.shape[2]
        return q

    with torch.no_grad(), patch("docmt_nmt.nn.full_pass.attend", attend):
        others = count_operations(partial(system, batch))
    return 3 * (attended + others)


def compare_memory(arguments: argparse.Namespace) -> None:
    """Peak memory of a step by length, on batches of equally many tokens."""
    lengths = arguments.lengths or (512, 1024, 2048, 4096, 8192)
    tokens = arguments.tokens or max(lengths)
    print(f"memory of a step beyond weights and Adam's; batches of about {tokens} tokens")
    rows = []
    for length in lengths:
        for path in arguments.paths:
            chosen = argparse.Namespace(**{**vars(arguments), "paths": [path]})
            found, count = in_fresh_process(peak, length, tokens, chosen)
            size = [f"{found / MIB:.0f}", f"{found / 1024 / count:.0f}"]
            rows.append([str(length), path, *size])
    print_table(["tokens", "path", "MiB", "KiB per token"], rows)


def peak(length: int, tokens: int, arguments: argparse.Namespace) -> tuple[int, int]:
    """Bytes that a step takes at its peak, and the target tokens of its batch."""
    corpus = TrainingCorpus(arguments.corpus, arguments.vocabulary_size)
    paths = Paths(arguments, corpus.vocabulary_size)

    def step(batch: Batch) -> None:
        for work in paths.works(batch).values():
            work()

    step(corpus.batch(256, 256))  # Adam's moments are made in the first step
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    batch = corpus.batch(length, tokens)
    step(batch)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (after - before) * 1024, target_tokens(batch)


def in_fresh_process(
    function: Callable[..., tuple[int, int]], *arguments: object
) -> tuple[int, int]:
    """A function's result from a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def target_tokens(batch: Batch) -> int:
    """Of a batch, special tokens included."""
    return len(batch.target.tokens)


def compare_quality(steps: int, precisions: Sequence[str] = ("fp32", "bf16")) -> None:
    """Validation losses of the same training in several precisions."""
    losses: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        for precision in precisions:
            keys = [f"data.prepared={data}", f"training.precision={precision}"]
            recipe = recipes.load(
                "demo-g-transformer",
                [*keys, f"training.max_steps={steps}", f"training.validate_every={steps}"],
            )
            if not data.exists():
                prepare(recipe, data)
            run = train(recipe, Path(folder) / precision, progress=False)
            last = json.loads(run.log.read_text("utf-8").splitlines()[-1])
            losses[precision] = last["loss"]
            ratio = losses[precision] / losses[precisions[0]]
            print(f"{precision}: validation loss {last['loss']:.4f} ({ratio:.4f} ×)", flush=True)


if __name__ == "__main__":
    main()
