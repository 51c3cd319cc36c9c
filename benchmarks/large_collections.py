"""A large collection, translated by one process and by two actors of Ray.

    python benchmarks/large_collections.py [RUN] [--documents 128] [--sentences 20]

Both have two threads in all, and the same documents in Parquet. A rate is of the documents beyond
a fourth of them: how much longer all take than a fourth, so that neither starting nor loading
counts; the seconds of these are a column of their own. The overhead is what Ray takes for a batch
that nobody works at, by the same difference. `scaling.py` computes from these figures what more
workers would do.
"""

from __future__ import annotations

import argparse
import lzma
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import torch

from docmt.bundled import DEFAULT
from docmt.demo import corpus_file
from docmt.translating.on_ray import BatchTranslator, translate_on_ray
from measuring import machine, print_table

THREADS = 2

BATCH = 16
"""Documents that an actor of Ray translates at once."""


class Nobody:
    """Gives each batch back as it is."""

    def __call__(self, batch: pa.Table) -> pa.Table:
        return batch


def write_documents(folder: Path, documents: int, sentences: int, files: int) -> Path:
    """Write documents of so many sentences of the bundled corpus into files of a folder. Returns
    its path."""
    with lzma.open(corpus_file("manuals.en.xz"), "rt", encoding="utf-8") as stream:
        lines = [line.strip() for line in stream if line != "<d>\n"]
    rows = []
    for number in range(documents):
        start = number * sentences % (len(lines) - sentences)
        # The number makes each document one of its own.
        own = [f"Part {number}.", *lines[start : start + sentences - 1]]
        rows.append({"id": number, "source": own})
    folder.mkdir()
    for number in range(files):
        pq.write_table(pa.Table.from_pylist(rows[number::files]), folder / f"{number}.parquet")
    return folder


def by_one_process(run: str, source: Path, _: Path, threads: int = THREADS) -> None:
    """Translate a folder in this process."""
    translate = BatchTranslator(run, threads=threads)
    pq.write_table(translate(pq.read_table(source)), source / "translated")
    (source / "translated").unlink()


def by_ray(run: str, source: Path, target: Path) -> None:
    """Translate a folder by two actors of one thread each, which all get several batches."""
    counts = translate_on_ray(
        str(source), str(target), run=run, actors=THREADS, threads=1, batch_documents=BATCH
    )
    assert counts["errors"] == 0


def by_nobody(source: Path, target: Path) -> None:
    """Send documents through Ray, in batches of one, to an actor that does nothing."""
    import ray

    ray.data.read_parquet(str(source)).map_batches(
        Nobody,
        batch_size=1,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=1),
        num_cpus=1,
    ).write_parquet(str(target))


def seconds(work: Callable[[Path, Path], None], source: Path, target: Path) -> float:
    """The seconds in which a folder is translated."""
    start = time.perf_counter()
    work(source, target)
    return time.perf_counter() - start


def both(
    folder: Path, name: str, work: Callable[[Path, Path], None], sources: Sequence[Path]
) -> tuple[float, float]:
    """The seconds of a fourth of some documents, and of all."""
    times = [
        seconds(work, source, folder / f"{name}-{number}") for number, source in enumerate(sources)
    ]
    return times[0], times[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", nargs="?", default=DEFAULT, help="run directory")
    parser.add_argument("--documents", type=int, default=128)
    parser.add_argument("--sentences", type=int, default=20, help="of each document")
    parser.add_argument("--batches", type=int, default=400, help="that nobody works at")
    arguments = parser.parse_args()
    import ray

    torch.set_num_threads(THREADS)
    print(machine("ray"), flush=True)
    fourth, documents = arguments.documents // 4, arguments.documents
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sources = [
            write_documents(folder / f"in-{count}", count, arguments.sentences, fourth)
            for count in (fourth, documents)
        ]
        # Ray needs cores to read and write with, which take next to no time.
        ray.init(num_cpus=THREADS + 2, include_dashboard=False, log_to_driver=False)
        contestants: dict[str, Any] = {
            "one process, 1 thread": partial(by_one_process, threads=1),
            f"one process, {THREADS} threads": by_one_process,
            f"Ray, {THREADS} actors of a thread": by_ray,
        }
        for name, work in contestants.items():
            less, more = both(folder, name, partial(work, arguments.run), sources)
            rate = (documents - fourth) * arguments.sentences / (more - less)
            start = max(0.0, less - fourth * arguments.sentences / rate)
            size = documents * arguments.sentences
            rows.append((name, f"{rate:.1f}", f"{start:.1f}", f"{more:.1f}", f"{size}"))
        print_table(("", "sentences/s", "start s", "all s", "sentences"), rows)
        counts = arguments.batches // 4, arguments.batches
        sources = [write_documents(folder / f"one-{count}", count, 2, count) for count in counts]
        less, more = both(folder, "nobody", by_nobody, sources)
    overhead = (more - less) / (counts[1] - counts[0])
    print(f"\nRay takes {1000 * overhead:.1f} ms for a batch of {counts[1]} that nobody works at")


if __name__ == "__main__":
    main()
