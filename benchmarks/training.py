"""Training steps beside the dense fp32 reference of `dense.py`: speed and memory by length.

    python benchmarks/training.py [--corpus FOLDER] [--lengths 512 1024 2048 4096]
    python benchmarks/training.py --memory [--lengths 512 1024 2048 4096 8192]
    python benchmarks/training.py --quality [--steps 400]

The first command alternates steps of all paths on the same batch with the same initial weights and
gives target tokens a second, and ratios to the reference. `--memory` measures the peak of a fresh
process for each length on batches of the same number of tokens. `--quality` trains the small
G-Transformer of the bundled corpus in fp32 and bf16 and compares their validation losses.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

from dense import dense_loss
from docmt import recipes
from docmt.data.prepare import prepare
from docmt.nn.batch import Batch
from docmt.systems import GTransformerSettings, System, build
from docmt.training import train
from docmt.training.loss import Loss
from docmt.training.precision import autocast
from workload import Workload, machine, words

SMOOTHING = 0.1
MIB = 2**20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpus", type=Path, help="folder of line files; default: the bundled")
    parser.add_argument("--preset", default="base", help="size of the system")
    parser.add_argument("--types", type=int, default=8000, help="size of the vocabulary")
    parser.add_argument("--lengths", type=int, nargs="+", help="tokens of an instance")
    parser.add_argument("--tokens", type=int, help="tokens of a batch, if an instance has no more")
    parser.add_argument("--rounds", type=int, default=3, help="steps measured; the best counts")
    parser.add_argument("--dense-rounds", type=int, default=1, help="the same of the reference")
    parser.add_argument("--cpu", action="store_true", help="processor time, where others work too")
    parser.add_argument("--memory", action="store_true", help="measure memory by instance length")
    parser.add_argument("--quality", action="store_true", help="compare validation losses")
    parser.add_argument("--steps", type=int, default=400, help="updates with --quality")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    if arguments.quality:
        compare_quality(arguments.steps)
    elif arguments.memory:
        compare_memory(arguments)
    else:
        compare_speed(arguments)


def make(preset: str, types: int) -> System:
    """A G-Transformer in training."""
    settings = GTransformerSettings.read({"preset": preset})
    return build(settings, types, types, seed=1).train()


class Step:
    """A training step of one path."""

    def __init__(
        self, path: str, preset: str, types: int, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.clock = clock
        self.path, self.system = path, make(preset, types)
        self.objective = Loss(self.system, SMOOTHING)
        self.optimizer = torch.optim.AdamW(self.system.parameters(), fused=path != "dense")

    def __call__(self, batch: Batch) -> float:
        """Learn from a batch; the seconds it took."""
        began = self.clock()
        self.loss(batch).backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.optimizer.zero_grad()
        return self.clock() - began

    def loss(self, batch: Batch) -> torch.Tensor:
        """Mean loss of a label."""
        if self.path == "dense":
            return dense_loss(self.system, batch, SMOOTHING)
        with autocast(torch.device("cpu"), self.path):
            found = self.objective(batch)
        mean: torch.Tensor = found.loss / found.labels
        return mean


def compare_speed(arguments: argparse.Namespace) -> None:
    """Target tokens a second, by path and length."""
    workload = Workload(arguments.corpus, types=arguments.types)
    steps = {
        path: Step(path, arguments.preset, workload.types) for path in ("dense", "fp32", "bf16")
    }
    rounds = {"dense": arguments.dense_rounds, "fp32": arguments.rounds, "bf16": arguments.rounds}
    print("target tokens/s (ratio to dense fp32)\n tokens " + " ".join(f"{p:>16}" for p in steps))
    for length in arguments.lengths or (512, 1024, 2048, 4096):
        batch = workload.batch(length, max(length, arguments.tokens or 2048))
        seconds: dict[str, list[float]] = {path: [] for path in steps}
        for number in range(max(rounds.values())):
            for path, step in steps.items():
                if number < rounds[path]:
                    seconds[path].append(step(batch))
        best = {path: min(found) for path, found in seconds.items()}
        cells = [f"{words(batch) / s:7.0f} ({best['dense'] / s:4.1f} ×)" for s in best.values()]
        print(f"{length:7} " + " ".join(f"{cell:>16}" for cell in cells), flush=True)


def compare_memory(arguments: argparse.Namespace) -> None:
    """Peak memory of a step by length, on batches of equally many tokens."""
    lengths = arguments.lengths or (512, 1024, 2048, 4096, 8192)
    tokens = arguments.tokens or max(lengths)
    print(f"what a step in bf16 takes beyond weights and moments; batches of about {tokens} tokens")
    print(" tokens        MiB   KiB a token")
    for length in lengths:
        found, count = fresh(peak, length, tokens, arguments)
        print(f"{length:7} {found / MIB:10.0f} {found / 1024 / count:13.0f}", flush=True)


def peak(length: int, tokens: int, arguments: argparse.Namespace) -> tuple[int, int]:
    """Bytes that a step takes at its peak, and the target tokens of its batch."""
    workload = Workload(arguments.corpus, types=arguments.types)
    step = Step("bf16", arguments.preset, workload.types)
    step(workload.batch(256, 256))  # moments are made in the first step
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    batch = workload.batch(length, tokens)
    step(batch)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (after - before) * 1024, words(batch)


def fresh(function: Callable[..., tuple[int, int]], *arguments: object) -> tuple[int, int]:
    """A function's result from a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def compare_quality(steps: int) -> None:
    """Validation losses of the same training in fp32 and bf16."""
    losses = {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        for precision in ("fp32", "bf16"):
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
            ratio = losses[precision] / losses["fp32"]
            print(f"{precision}: validation loss {last['loss']:.4f} ({ratio:.4f} ×)", flush=True)


if __name__ == "__main__":
    main()
