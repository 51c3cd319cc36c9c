"""The experiments that test the papers' claims: what they are, and how they are trained."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from docmt.errors import InputError
from docmt.recipes import dump
from toy import write_toy_corpus

# Writes what a training writes when it has ended, unless it is to fail.
PROGRAM = """
import json, sys, pathlib
name, seed, runs = sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[sys.argv.index("--runs") + 1])
with open(runs / "order", "a") as order:
    order.write(f"{name}-{seed}\\n")
if name in sys.argv[sys.argv.index("--fail") + 1 :]:
    sys.exit("no")
run = runs / f"{name}-{seed}"
run.mkdir()
(run / "recipe.yaml").write_text((runs / "recipes" / f"{name}-{seed}.yaml").read_text())
train = {"kind": "train", "step": 10, "tokens": 100, "tokens_per_second": 50.0}
end = {"kind": "end", "step": 10, "loss": 1.5}
(run / "log.jsonl").write_text(json.dumps(train) + "\\n" + json.dumps(end) + "\\n")
"""


@pytest.fixture
def drive(papers, monkeypatch, tmp_path):
    """Drives trainings by a program that does not really train; what it tells, and the order."""
    import papers_training
    from papers_experiments import Workspace

    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setattr(papers_training, "PROGRAM", program)
    monkeypatch.setattr(papers_training, "POLL_SECONDS", 0.02)

    def run(wanted, fail=(), **keys):
        said: list[str] = []
        place = Workspace(tmp_path)
        for one in wanted:
            path = tmp_path / "recipes" / f"{one.name}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(dump(place.recipe(one)))
        options = ["--runs", str(tmp_path), "--fail", *fail]
        driver = papers_training.Driver(place, options, 2, said.append)
        done = driver.run(wanted, **keys)
        order = tmp_path / "order"
        return done, said, order.read_text().split() if order.exists() else []

    return run


@cache
def every_recipe():
    """Every training with the first seed, and its recipe."""
    from papers_experiments import Workspace, trainings

    place = Workspace(Path("runs"))
    return [(one, place.recipe(one)) for one in trainings(seeds=(1,))]


def test_every_experiment_has_a_recipe_of_its_own(papers):
    from papers_experiments import EXPERIMENTS, Budget

    assert {one.experiment.name for one, _ in every_recipe()} == set(EXPERIMENTS)
    texts = {recipe.model_dump_json(exclude={"description"}) for _, recipe in every_recipe()}
    assert len(texts) == len(EXPERIMENTS)
    for one, recipe in every_recipe():
        assert not recipe.stages
        assert (recipe.initialize is None) == (one.experiment.start is None)
        assert recipe.training.max_steps == Budget().of(one.experiment)
        assert recipe.training.patience is not None


def test_all_have_one_size_and_one_vocabulary(papers):
    found = set()
    for _, recipe in every_recipe():
        system = recipe.system
        found.add((system.d_model, system.layers, system.heads, system.ffn_dim, system.dropout,
                   recipe.text.vocabulary_size, recipe.training.batch_tokens,
                   recipe.training.learning_rate, recipe.search.beam_size))  # fmt: skip
    assert len(found) == 1


def test_the_ablations_of_table_5_are_cumulative(papers):
    recipes = {one.experiment.name: recipe for one, recipe in every_recipe()}
    found = {
        name: (
            recipes[name].training.word_dropout_source, recipes[name].training.word_dropout_target,
            recipes[name].system.language_locality, recipes[name].system.translation_locality,
        )
        for name in recipes if name.startswith("g-transformer")
    }  # fmt: skip
    assert found["g-transformer"] == (0.3, 0.3, True, True)
    assert found["g-transformer-no-word-dropout"] == (0.0, 0.0, True, True)
    assert found["g-transformer-no-language-locality"] == (0.0, 0.0, False, True)
    assert found["g-transformer-no-locality"] == (0.0, 0.0, False, False)
    counted = {recipe.system.count_positions for name, recipe in recipes.items() if name in found}
    assert counted == {"instance", "sentence"}


def test_the_ablations_of_table_3_differ_by_context_alone(papers):
    recipes = {one.experiment.name: recipe for one, recipe in every_recipe()}
    name = "g-transformer-finetuned"
    whole, source, none = (recipes[f"{name}{end}"] for end in ("", "-no-target", "-no-context"))
    contexts = [(r.system.source_context, r.system.target_context) for r in (whole, source, none)]
    assert contexts == [(True, True), (True, False), (False, False)]
    same = {key: value for key, value in whole.system.model_dump().items() if "context" in key}
    for recipe in (source, none):
        assert recipe.system.model_dump() | same == whole.system.model_dump()
        assert recipe.training == whole.training
    assert whole.training.word_dropout_source == whole.training.word_dropout_target == 0.1
    assert whole.initialize.loaded_learning_rate == whole.training.learning_rate / 5


def test_the_other_systems_are_those_of_the_claims(papers):
    recipes = {one.experiment.name: recipe for one, recipe in every_recipe()}
    assert recipes["g-transformer"].system.context_attention == "combined"
    assert recipes["g-transformer-group"].system.context_attention == "group"
    assert recipes["g-transformer-global"].system.context_attention == "global"
    assert recipes["long-short"].system.short_stream == "masked"
    assert recipes["long-short-independent"].system.short_stream == "independent"
    assert recipes["g-transformer"].instances.max_tokens == 512
    lengths = {recipes[f"g-transformer-{n}-tokens"].instances.max_tokens for n in (64, 128, 1024)}
    assert lengths == {64, 128, 1024}
    steps = [recipes[f"g-transformer{end}"].training.max_steps for end in ("", "-finetuned-longer")]
    assert steps == [3000, 3000]
    for name, recipe in recipes.items():
        assert recipe.instances.kind != "whole", f"{name}: a batch would be a whole book"


def test_what_is_compared_exists(papers):
    from papers_experiments import EXPERIMENTS

    for experiment in EXPERIMENTS.values():
        for name in (*experiment.compare, *experiment.needs):
            assert name in EXPERIMENTS
            assert name != experiment.name


def test_each_priority_is_trained_with_all_seeds_before_the_next(papers):
    from papers_experiments import trainings

    priorities = [one.experiment.priority for one in trainings()]
    assert priorities == sorted(priorities)
    first = [one for one in trainings() if one.experiment.priority == 1]
    assert [one.seed for one in first] == sorted(one.seed for one in first)


def test_an_experiment_brings_what_it_needs(papers):
    from papers_experiments import trainings

    names = {one.name for one in trainings(["multi-context"], (2,))}
    assert names == {"multi-context-2", "stack-sentence-2", "encoder-near-1", "encoder-1"}
    assert {one.name for one in trainings(["sentence"], (1,), {"g-transformer-finetuned": 3})} == {
        "sentence-1", "sentence-3", "g-transformer-finetuned-3",
    }  # fmt: skip


def test_what_others_need_ends_before_they_begin(papers, drive):
    from papers_experiments import trainings

    done, said, order = drive(trainings(["han", "document"], (1, 2)))
    assert done
    assert len(order) == 6
    for seed in (1, 2):
        assert order.index(f"sentence-{seed}") < order.index(f"han-{seed}")
    assert any("[6/6]" in line and "validation loss 1.500" in line for line in said)


def test_what_has_ended_is_not_trained_again(papers, drive):
    from papers_experiments import trainings

    drive(trainings(["sentence"], (1,)))
    done, said, order = drive(trainings(["sentence", "document"], (1,)))
    assert done
    assert order == ["sentence-1", "document-1"]
    assert "1 of them done" in said[0]


def test_a_run_with_another_budget_is_not_taken_for_this_one(papers, drive, tmp_path):
    from papers_experiments import Budget, Workspace, trainings

    (one,) = trainings(["sentence"], (1,))
    drive([one])
    with pytest.raises(InputError, match=r"these keys differ: training\.max_steps"):
        Workspace(tmp_path, budget=Budget(4_000)).is_done(one)


def test_a_failure_stops_what_needs_it_alone(papers, drive):
    from papers_experiments import trainings

    done, said, order = drive(trainings(["han", "document"], (1,)), fail=["sentence"])
    assert not done
    assert "document-1" in order
    assert "han-1" not in order
    assert any("sentence-1: failed" in line and ".log" in line for line in said)
    assert "han-1" in said[-1]


def test_the_time_can_be_limited(papers, drive):
    from papers_experiments import trainings

    done, said, order = drive(trainings(["sentence"], (1,)), minutes=0.0)
    assert not done
    assert order == []
    assert "sentence-1" in said[-1]


@pytest.mark.slow
def test_a_training_ends_with_the_program_that_started_it(papers, tmp_path):
    watched = (
        "import papers_training, time\n"
        "papers_training.POLL_SECONDS = 0.02\n"
        "papers_training.end_with_parent()\n"
        "open('started', 'w').close()\n"
        "time.sleep(60)\n"
    )
    starter = (
        "import subprocess, sys, os, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {watched!r}])\n"
        "print(child.pid, flush=True)\n"
        "while not os.path.exists('started'): time.sleep(0.02)\n"
    )
    environment = {"PYTHONPATH": f"{papers}:{Path(__file__).parents[2] / 'src'}", "PATH": ""}
    ended = subprocess.run(
        [sys.executable, "-c", starter], cwd=tmp_path, env=environment, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    child = int(ended.stdout)
    for _ in range(500):
        if not Path(f"/proc/{child}").exists():
            break
        time.sleep(0.02)
    assert not Path(f"/proc/{child}").exists()


def test_the_cost_of_a_training_is_that_of_its_log(papers, tmp_path):
    from papers_training import training_cost

    lines = [
        {"kind": "train", "step": 1, "tokens": 100, "tokens_per_second": 1.0},
        {"kind": "train", "step": 10, "tokens": 900, "tokens_per_second": 500.0},
        {"kind": "valid", "step": 10, "loss": 2.0},
        {"kind": "train", "step": 20, "tokens": 1000, "tokens_per_second": 500.0},
        {"kind": "train", "step": 30, "tokens": 1000, "tokens_per_second": 5.0},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    cost = training_cost(tmp_path)
    assert cost["tokens_per_second"] == 500
    assert cost["seconds"] == 6.0
    assert cost["updates"] == 30
    assert cost["validation_loss"] == 2.0


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A toy corpus in files with the names that the benchmark reads."""
    folder = tmp_path_factory.mktemp("corpus")
    write_toy_corpus(folder, documents=40)
    for language in ("en", "de"):
        (folder / f"valid.{language}").rename(folder / f"dev.{language}")
    return folder


TINY = ("system.d_model=16", "system.heads=2")
"""Keys of the smallest systems; stacks need the size of the encoders that they read."""


@pytest.fixture
def place(papers, corpus, tmp_path):
    """A workspace with few updates of small systems."""
    from papers_experiments import Budget, Workspace

    small = (
        "text.subword=words", "system.ffn_dim=16", "training.batch_tokens=512",
        "training.validate_every=2", "training.warmup_steps=2", *TINY,
    )  # fmt: skip
    return Workspace(tmp_path / "runs", corpus, Budget(4, 4), small)


@pytest.fixture
def run_papers(place, monkeypatch, capsys):
    """Runs a subcommand in the workspace; what it prints."""
    import papers as program

    def run(*arguments, workspace=True):
        options = program._options(place) if workspace else []
        given = [str(argument) for argument in (*arguments, *options)]
        monkeypatch.setattr(sys, "argv", ["papers.py", *given])
        with pytest.raises(SystemExit) as ended:
            program.main()
        assert not ended.value.code
        return capsys.readouterr().out

    return run


def lines(folder):
    """The sentence pairs of the test split."""
    sides = [(folder / f"test.{language}").read_text("utf-8") for language in ("en", "de")]
    return [list(pair) for pair in zip(*(side.splitlines() for side in sides), strict=True)]


def test_from_training_to_the_page(place, run_papers, tmp_path):
    from papers_experiments import trainings
    from papers_page import PAGE
    from papers_training import prepare_corpora

    names = ["sentence", "g-transformer-finetuned", "document", "window"]
    wanted = trainings(names, (1,))
    prepare_corpora(place, wanted)
    for one in wanted:
        run_papers("one", one.experiment.name, one.seed)
    results, page = tmp_path / "results", tmp_path / "page.md"
    printed = run_papers("evaluate", "--results", results, "--seeds", 1, "--only", *names)
    assert "window-1: measured" in printed
    assert "window.json" in printed
    again = run_papers("evaluate", "--results", results, "--seeds", 1, "--only", *names)
    assert ".json" not in again, "nothing has changed"
    context = json.loads((results / "g-transformer-finetuned.json").read_text("utf-8"))["context"]
    pairs = {(str(a), str(b)) for a, b in pairwise(lines(place.data))}
    assert context["examples"]
    for one in context["examples"]:
        assert (str(one["before"]), str(one["sentence"])) in pairs
    worth = [min(one["own"], one["own-shuffled"]) for one in context["examples"]]
    assert worth == sorted(worth, reverse=True)
    selection = ("--seeds", 1, "--only", *names)
    assert "4 experiments" in run_papers("costs", "--results", results, "--repeats", 1, *selection)
    page.write_text(PAGE.read_text("utf-8"), encoding="utf-8")
    figures = tmp_path / "figures"
    figures.mkdir()
    options = ("--results", results, "--page", page, "--figures", figures)
    run_papers("tables", *options, workspace=False)
    text = page.read_text("utf-8")
    assert "4 of 34 experiments have been measured" in text
    assert "- `g-transformer-finetuned` against `sentence`: " in text
    assert "| Concatenation, 3 sentences | " in text
    assert "| position 3 |" in text
    costs = text[text.index("<!-- papers: costs -->") :].splitlines()[3:7]
    assert len(costs) == 4
    for line in costs:
        _, _, _, tokens, _, sentences, words, _ = line.split("|")
        assert all(int(one.replace(",", "")) > 0 for one in (tokens, sentences, words))
    for name in ("curves", "differences", "context", "positions"):
        assert f"(figures/papers-{name}.png)" in text
        assert (figures / f"papers-{name}.png").stat().st_size > 1000
    assert "papers-lengths" not in text
    planned = run_papers("plan", "--seeds", 1, "--only", *names)
    assert "4 of 4 trained" in planned


@pytest.mark.slow
def test_every_experiment_is_trained_interrupted_resumed_and_measured(place, monkeypatch, tmp_path):
    from docmt.training import train, trainer
    from papers_experiments import EXPERIMENTS, trainings
    from papers_measures import measure
    from papers_results import Collection, load_results
    from papers_training import prepare_corpora

    place = replace(place, overrides=tuple(key for key in place.overrides if key not in TINY))
    validate, calls = trainer.validate, []

    def interrupted(state):
        calls.append(state)
        if len(calls) % 3 == 2:
            raise KeyboardInterrupt
        return validate(state)

    monkeypatch.setattr(trainer, "validate", interrupted)
    wanted = trainings(seeds=(1, 2))
    prepare_corpora(place, wanted)
    for one in wanted:
        if one.seed == 2 and one.experiment.priority > 1:
            continue
        recipe, run = place.recipe(one), place.run(one)
        with pytest.raises(KeyboardInterrupt):
            train(recipe, run, progress=False)
        assert not place.is_done(one)
        train(recipe, run, progress=False)
        assert place.is_done(one)
        measure(run)
    collection = Collection(place)
    for experiment in EXPERIMENTS.values():
        assert collection.write(experiment, tmp_path / "results")
    results = load_results(tmp_path / "results")
    assert set(results) == set(EXPERIMENTS)
    assert results["sentence-continued"]["comparisons"][0]["seeds"] == 2
    assert "context" not in results["encoder"]
    for name in ("g-transformer-finetuned", "long-short", "han", "multi-context"):
        assert {"own", "shuffled", "own-shuffled"} <= set(results[name]["context"])


@pytest.mark.slow
def test_trainings_in_processes_of_their_own(place, run_papers):
    printed = run_papers("train", "--jobs", 2, "--seeds", 1, "--only", "sentence", "document")
    assert "[2/2]" in printed
