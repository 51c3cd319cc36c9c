"""How a large collection would scale to many workers: arithmetic from measured costs.

    python benchmarks/scaling.py [--sentences-per-second 60] [--batch-overhead 0.22] ...

A simulation of what `docmt.translating.on_ray` does. One process hands out batches of documents,
one after the other, to whichever worker is free; each worker loads its translator first, and works
at a batch as long as its sentences take; whatever is read and written passes one file system. A
document has as many sentences as one of the bundled corpus, drawn at random. The defaults are what
`large_collections.py` measured on one machine. Nothing here was measured on a cluster, and nothing
in it fails, is preempted, or has a slow neighbor.

For each number of workers: the hours that it takes, the share of the workers' time in which they
translate, and of the time in which the one process, and the file system, have work to do. What is
near 100 % is the bottleneck.
"""

from __future__ import annotations

import argparse
import heapq
import lzma
import random
from collections.abc import Sequence
from dataclasses import dataclass

from docmt.demo import corpus_file
from measuring import print_table

_WORKERS = 1, 10, 100, 1000


@dataclass(frozen=True)
class Costs:
    """What things take.

    Attributes:
        sentence: seconds of a worker for a sentence.
        batch: seconds of the process that hands out batches, for each.
        start: seconds of a worker before its first batch.
        sentence_bytes: that are read and written for a sentence.
        bandwidth: bytes that the file system reads and writes per second.
    """

    sentence: float
    batch: float
    start: float
    sentence_bytes: float
    bandwidth: float


@dataclass(frozen=True)
class Outcome:
    """What came of a simulation, in seconds.

    Attributes:
        seconds: until the last batch was written.
        translating: of all workers together.
        handing_out: of the process that hands out batches.
        moving: of the file system.
    """

    seconds: float
    translating: float
    handing_out: float
    moving: float


def simulate(batches: Sequence[int], workers: int, costs: Costs) -> Outcome:
    """Simulate the translation of batches, given the sentences of each.

    >>> costs = Costs(sentence=1, batch=0, start=5, sentence_bytes=0, bandwidth=1)
    >>> simulate([4, 2, 2], 2, costs).seconds
    9.0
    """
    free = [costs.start] * workers
    handed_out = moved = 0.0
    for sentences in batches:
        ready = heapq.heappop(free)
        handed_out = max(handed_out, ready) + costs.batch
        # The file system is shared: who comes while it is at work waits.
        moved = max(moved, handed_out) + sentences * costs.sentence_bytes / costs.bandwidth
        heapq.heappush(free, max(moved, handed_out) + sentences * costs.sentence)
    translated = sum(batches)
    return Outcome(
        float(max(free)),
        translated * costs.sentence,
        len(batches) * costs.batch,
        translated * costs.sentence_bytes / costs.bandwidth,
    )


def document_lengths() -> list[int]:
    """The sentences of each document of the bundled corpus."""
    with lzma.open(corpus_file("train.docids.xz"), "rt", encoding="utf-8") as stream:
        return [int(line.rpartition("\t")[2]) for line in stream]


def row(workers: int, outcome: Outcome) -> Sequence[str]:
    """A number of workers, for the table."""
    shares = (
        outcome.translating / workers / outcome.seconds,
        outcome.handing_out / outcome.seconds,
        outcome.moving / outcome.seconds,
    )
    hours = f"{outcome.seconds / 3600:.2f}"
    return f"{workers}", hours, *(f"{100 * share:.1f} %" for share in shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--documents", type=int, default=1_000_000)
    add("--batch-documents", type=int, default=64, help="documents that are handed out at once")
    add("--sentences-per-second", type=float, default=60.0, help="of a worker")
    add("--batch-overhead", type=float, default=0.22, help="seconds of a batch")
    add("--start", type=float, default=11.0, help="seconds of a worker before its first batch")
    add("--sentence-bytes", type=float, default=200.0, help="read and written for a sentence")
    add("--bandwidth", type=float, default=100e6, help="bytes per second of the file system")
    arguments = parser.parse_args()
    draw, lengths = random.Random(1), document_lengths()
    documents = [draw.choice(lengths) for _ in range(arguments.documents)]
    size = arguments.batch_documents
    batches = [sum(documents[i : i + size]) for i in range(0, len(documents), size)]
    costs = Costs(
        1 / arguments.sentences_per_second,
        arguments.batch_overhead,
        arguments.start,
        arguments.sentence_bytes,
        arguments.bandwidth,
    )
    print(
        f"{len(documents):,} documents of {min(lengths)} to {max(lengths)} sentences, "
        f"{sum(documents):,} sentences, {len(batches):,} batches"
    )
    rows = [row(workers, simulate(batches, workers, costs)) for workers in _WORKERS]
    columns = "workers", "hours", "translating", "handing out", "file system"
    print_table(columns, rows)
    id_bytes = 16 * len(documents)
    print(f"\nids of finished documents, which one process holds: {id_bytes / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
