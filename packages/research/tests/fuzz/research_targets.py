"""Damaged folders of sweeps and reports, logs, sweep files, suites and lists of words."""

from __future__ import annotations

import json
import random
import shutil
from contextlib import nullcontext
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import json_text
from docmt_nmt.recipes import dump, load
from docmt_research.analysis.categories import CategorySettings, categorize
from docmt_research.analysis.contrastive_suites import detokenized, read_suite
from docmt_research.analysis.plots import plot_curves
from docmt_research.analysis.training_curves import mean_over_layers, read_curves
from docmt_research.report import collect, render
from docmt_research.sweeps import Sweep
from docmt_research.sweeps.figures import series_of_figure
from docmt_research.sweeps.points import expand
from docmt_research.sweeps.results import read_results, write_results
from docmt_research.sweeps.sweep_settings import read_sweep
from docmt_research.sweeps.training_point import Task, train_and_score
from fuzz.mutations import mutate_file, mutate_stored, mutate_values
from fuzz.run_targets import SIZE
from toy import toy_recipe, write_toy_corpus

SWEEP = """\
recipe: toy.yaml
axes:
  instances.window: [1, 2]
  size:
    small: {system.d_model: 8}
seeds: [1]
figures:
  window: {x: instances.window, y: [s-BLEU, updates], lines: size}
  loss: {kind: curves, y: [train.loss, valid.attention_entropy.cross.*], panels: size}
  places: {kind: positions, y: [s-BLEU], where: {size: small}}
"""


def _write_recipe(folder: Path) -> None:
    """A toy corpus and a recipe for it, as a file."""
    write_toy_corpus(folder, documents=6)
    training = {"max_steps": 4, "validate_every": 2, "batch_tokens": 64, "log_attention": True}
    evaluation = {"metrics": ["s-bleu"]}
    recipe = toy_recipe(folder, system=SIZE, training=training, evaluation=evaluation)
    (folder / "toy.yaml").write_text(dump(recipe).replace("stages: []\n", ""), encoding="utf-8")


def write_sweep(folder: Path) -> None:
    """A finished sweep of two points, trained in this process."""
    _write_recipe(folder)
    (folder / "sweep.yaml").write_text(SWEEP, encoding="utf-8")
    sweep = Sweep.open(folder / "sweep.yaml", folder / "out")
    for point in sweep.folder.points:
        own, recipe = sweep.folder.of(point), point.recipe.model_dump(mode="json")
        result = train_and_score(Task(own, folder / "out", recipe, "test", 1))
        write_text(own / "result.json", json_text(result))
    write_text(own / "failure.json", json_text({"error": "x", "time": 1}))
    sweep.write()


def open_sweep(folder: Path, draw: random.Random) -> None:
    """Look at a damaged folder of a sweep, and draw its figures."""
    out = folder / "out"
    files = [file for file in sorted(out.rglob("*")) if file.suffix in (".json", ".jsonl", ".lock")]
    mutate_stored(draw.choice(files), draw)
    if draw.random() < 0.3:
        for result in sorted(out.glob("points/*/result.json"))[:1]:
            result.unlink() if not result.is_dir() else result.rmdir()
    sweep = Sweep.open(folder / "sweep.yaml", out, make=draw.random() < 0.7)
    assert sum(sweep.counts().values()) == 2
    if draw.random() < 0.1:
        sweep.write()
        return
    results = read_results(sweep.folder)
    write_results(sweep.folder, results)
    for figure in sweep.settings.figures.values():
        series_of_figure(figure, sweep.folder, results)


def write_sweep_files(folder: Path) -> None:
    """Sweep files."""
    _write_recipe(folder)
    (folder / "small.yaml").write_text(SWEEP, encoding="utf-8")
    text = SWEEP.replace("recipe: toy.yaml", "overrides: {training.max_steps: 7}")
    text = text.replace("small: {", "small: {recipe: toy.yaml, ")
    (folder / "other.yaml").write_text(text, encoding="utf-8")
    many = {
        f"system.{key}": list(range(1, 40)) for key in ("layers", "heads", "d_model", "ffn_dim")
    }
    (folder / "many.yaml").write_text(json.dumps({"recipe": "toy.yaml", "axes": many}))


def read_sweep_file(folder: Path, draw: random.Random) -> None:
    """Read a damaged sweep file, and list its points."""
    file = folder / draw.choice(["small.yaml", "other.yaml"] * 8 + ["many.yaml"])
    if file.name != "many.yaml":
        mutate_file(file, draw)
    expand(read_sweep(file, draw.choice([[], ["training.seed=1"]])), file)


def write_report(folder: Path) -> None:
    """Two runs and a report on them."""
    from docmt_nmt.training import train

    _write_recipe(folder)
    train(load(str(folder / "toy.yaml")), folder / "a", progress=False)
    shutil.copytree(folder / "a", folder / "b")
    _report(folder)


def _report(folder: Path) -> None:
    """Write a report on two runs."""
    data = collect([folder / "a", folder / "b"], folder / "report", progress=_silent)
    page = render(data)
    assert page.count("</html>") == 1


def _silent(_: str) -> nullcontext[None]:
    return nullcontext()


def report_damaged(folder: Path, draw: random.Random) -> None:
    """Report on damaged runs, or with damaged translations of before."""
    kept = [path for path in (folder / "report").rglob("*") if path.is_file()]
    names = ("log.jsonl", "recipe.yaml", "weights.safetensors", "thresholds.json")
    files = [folder / run / name for run in ("a", "b") for name in names]
    files = sorted(file for file in files if file.exists())
    chosen = draw.choice([*files, *sorted(kept) * 2, folder / "a" / "log.jsonl"])
    mutate_stored(chosen, draw)
    _report(folder)


def write_logs(folder: Path) -> None:
    """Logs of trainings."""
    lines = [
        {
            "kind": "train",
            "step": 1,
            "loss": 2.5,
            "nll": 2.0,
            "tokens": 9,
            "tokens_per_second": 3.0,
        },
        {"kind": "valid", "step": 1, "loss": 2.5, "perplexity": 12.1, "bleu": 1.5},
        {
            "kind": "valid",
            "step": 2,
            "loss": 2.25,
            "attention_entropy": {"cross.1.global": 1.5, "cross.2.global": 1.25},
            "context_share": {"encoder.1": 0.5},
        },
        {"kind": "end", "step": 2, "loss": 2.25, "perplexity": 9.5, "steps": [2]},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "log.jsonl").write_text(text, encoding="utf-8")


def draw_log(folder: Path, draw: random.Random) -> None:
    """Read the curves of a damaged log, and draw some of them."""
    mutate_stored(folder / "log.jsonl", draw)
    curves = read_curves(folder / "log.jsonl")
    for quantity in ("attention entropy", "context share"):
        mean_over_layers(curves, quantity)
    if draw.random() < 0.02:
        plot_curves({"a": curves}, "svg")


def write_suites(folder: Path) -> None:
    """Contrastive suites in every format."""
    case = {"source": ["One.", "It."], "context": ["Eins."], "candidates": ["Es.", "Er."]}
    more = {"right": 1, "id": "a", "phenomenon": "pronoun", "distance": 1}
    text = f"{json.dumps(case)}\n{json.dumps(case | more)}\n"
    (folder / "lines.jsonl").write_text(text, encoding="utf-8")
    voita = {"src": "One. _eos It.", "dst": ["Eins. _eos Es.", "Eins. _eos Er."], "true_ind": 0}
    (folder / "voita_test.json").write_text(json.dumps([voita, voita | {"ctx_dist": 1}]))
    target = {"type": "m", "correct": ["Eins.", "Er."], "incorrect": ["Eins.", "Es."]}
    block = {"src": ["One.", "It."], "trg": [target]}
    example = {"src": ["One.", "It."], "trg": target}
    bawden = {"1": block, "2": {"type": "lexical", "examples": [example]}}
    (folder / "bawden.json").write_text(json.dumps(bawden), encoding="utf-8")
    (folder / "documents" / "a").mkdir(parents=True)
    for side, sentences in (("en", "One.\nIt.\n"), ("de", "Eins.\nEs.\n")):
        (folder / "documents" / "a" / f"b.{side}").write_text(sentences, encoding="utf-8")
    contrapro = {
        "src pronoun": "it",
        "ref pronoun": "es",
        "document id": "b.de",
        "segment id": 2,
        "ante distance": 1,
        "errors": [{"contrastive": "Er."}],
    }
    (folder / "contrapro.json").write_text(json.dumps([contrapro] * 2), encoding="utf-8")
    for suite in sorted(folder.glob("*.json*")):
        read_suite(suite)


def read_damaged_suite(folder: Path, draw: random.Random) -> None:
    """Read a damaged suite."""
    file = draw.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    suite = file if file.suffix.startswith(".json") else folder / "contrapro.json"
    (mutate_values if file == suite else mutate_stored)(file, draw)
    read = read_suite(suite, context=draw.choice([None, 0, 1]))
    assert read.cases
    detokenized(read, ("en", "de"))


def write_word_lists(folder: Path) -> None:
    """Lists of the words that may need context."""
    lists = {"pronouns": ["it", "they"], "auxiliaries": ["do", "did"], "max_fragment_words": 2}
    (folder / "lists.json").write_text(json.dumps(lists), encoding="utf-8")


def read_word_lists(folder: Path, draw: random.Random) -> None:
    """Read damaged lists, and find their words."""
    mutate_stored(folder / "lists.json", draw)
    lists = CategorySettings.read(folder / "lists.json")
    categorize([Document("d", ("It did so.", "They do."))], "en", lists)
