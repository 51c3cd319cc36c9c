"""A translation memory with a million units: import, exact and fuzzy matches, memory.

    python benchmarks/memory.py [--units 1000000]

Sentences are random words of a vocabulary in which, as in texts, the word of rank r has a frequency
of about 1 / (r + 2.7)^1.1 (Zipf and Mandelbrot); in a million sentences of manuals, news and talks,
the first word is 6 % of all, the tenth 1 %, the thousandth 0.01 %. Of 500 sentences one word
is changed, and both forms are looked up.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from statistics import median

from docmt.memory import TranslationMemory, Unit

_WORDS = 100_000
_LOOKED_UP = 500


def sentences(count: int, draw: random.Random) -> Iterator[str]:
    """Random sentences of some 15 words."""
    words = [f"w{rank}" for rank in range(1, _WORDS + 1)]
    weights = list(accumulate(1 / (rank + 2.7) ** 1.1 for rank in range(1, _WORDS + 1)))
    for _ in range(count):
        length = max(2, round(draw.gauss(15, 7)))
        yield " ".join(draw.choices(words, cum_weights=weights, k=length)) + "."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--units", type=int, default=1_000_000)
    units = parser.parse_args().units
    draw = random.Random(1)
    kept: list[str] = []

    def made() -> Iterator[Unit]:
        before = ""
        for source in sentences(units, draw):
            if draw.random() < _LOOKED_UP / units:
                kept.append(source)
            yield Unit(source, source.upper(), before)
            before = source

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with TranslationMemory(path, ("en", "de"), create=True) as memory:
            begin = time.process_time()
            memory.add(made())
            added = time.process_time() - begin
        with TranslationMemory(path) as memory:
            exact, fuzzy, found = [], [], 0
            for source in kept:
                begin = time.process_time()
                assert memory.exact(source)
                exact.append(time.process_time() - begin)
                words = source.split()
                words[draw.randrange(len(words))] = "changed"
                begin = time.process_time()
                found += bool(memory.look_up(" ".join(words), threshold=0.75))
                fuzzy.append(time.process_time() - begin)
        size = path.stat().st_size
    # Before torch is imported.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    from measuring import machine, print_table

    print(machine())
    rows = [
        ["import, CPU seconds", f"{added:.1f}"],
        ["exact match, median ms", f"{1e3 * median(exact):.2f}"],
        ["fuzzy match, median ms", f"{1e3 * median(fuzzy):.1f}"],
        ["fuzzy match, 95 % ms", f"{1e3 * sorted(fuzzy)[int(0.95 * len(fuzzy))]:.1f}"],
        ["sentences with a fuzzy match", f"{found} of {len(kept)}"],
        ["file, MB", f"{size / 1e6:.0f}"],
        ["peak memory, MB", f"{most / 1e3:.0f}"],
    ]
    print_table([f"{units:,} units", ""], rows)


if __name__ == "__main__":
    main()
