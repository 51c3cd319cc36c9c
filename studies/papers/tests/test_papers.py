"""The experiments that test the papers' claims: what they are, and how they are trained."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from toy import write_toy_corpus


@cache
def every_recipe():
    """Every training with the first seed, and its recipe."""
    from papers_workspace import Workspace, trainings

    place = Workspace(Path("runs"))
    return [(one, place.recipe(one)) for one in trainings(seeds=(1,))]


def test_every_experiment_has_a_recipe_of_its_own(papers):
    from papers_experiments import EXPERIMENTS
    from papers_workspace import Budget

    assert {one.experiment.name for one, _ in every_recipe()} == set(EXPERIMENTS)
    texts = {recipe.model_dump_json(exclude={"description"}) for _, recipe in every_recipe()}
    assert len(texts) == len(EXPERIMENTS)
    for one, recipe in every_recipe():
        assert not recipe.stages
        assert (recipe.initialize is None) == (one.experiment.start is None)
        assert recipe.training.max_steps == Budget().of(one.experiment)
        assert recipe.training.max_steps in (1000, 2000, 3000)
        assert recipe.training.patience is not None


def test_all_have_one_size_and_one_vocabulary(papers):
    found = set()
    for _, recipe in every_recipe():
        system = recipe.system
        found.add(
            (
                system.d_model,
                system.layers,
                system.heads,
                system.ffn_dim,
                system.dropout,
                recipe.text.vocabulary_size,
                recipe.training.learning_rate,
                recipe.search.beam_size,
            )
        )
    assert len(found) == 1
    batches = {one.experiment.name: recipe.training.batch_tokens for one, recipe in every_recipe()}
    # Only its batches are mostly context.
    assert batches.pop("document-transformer-random") == 5500
    assert set(batches.values()) == {2048}


def test_the_ablations_of_table_5_are_cumulative(papers):
    recipes = {one.experiment.name: recipe for one, recipe in every_recipe()}
    found = {
        name: (
            recipes[name].training.word_dropout_source,
            recipes[name].training.word_dropout_target,
            recipes[name].system.language_locality,
            recipes[name].system.translation_locality,
        )
        for name in recipes
        if name.startswith("g-transformer")
    }
    assert found["g-transformer"] == (0.3, 0.3, True, True)
    assert found["g-transformer-no-word-dropout"] == (0.0, 0.0, True, True)
    assert found["g-transformer-no-language-locality"] == (0.0, 0.0, False, True)
    for name in found:
        counted = "sentence" if "sentence-positions" in name else "instance"
        assert recipes[name].system.count_positions == counted
    # Without any locality it is the aligned Transformer over documents, weight for weight.
    assert recipes["document-aligned"].system.name == "transformer"
    assert not recipes["document-aligned"].instances.join_sentences
    assert not recipes["document-aligned"].training.word_dropout_source


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


def test_our_variant_without_context_is_the_sentence_level_system_on_parts_of_documents(papers):
    from docmt_nmt.systems import build

    recipes = {one.experiment.name: recipe for one, recipe in every_recipe()}
    name = "g-transformer-finetuned-sentence-positions-no-word-dropout"
    variant, none, short = (recipes[f"{name}{end}"] for end in ("", "-no-context", "-128-tokens"))
    assert not none.system.source_context and not none.system.target_context
    assert none.instances == variant.instances
    assert none.training == variant.training == recipes["sentence-continued"].training
    sizes = [
        sum(p.numel() for p in build(recipe.system, 100, 100).parameters())
        for recipe in (none, recipes["sentence-continued"])
    ]
    assert sizes[0] == sizes[1]
    assert short.instances == variant.instances.model_copy(update={"max_tokens": 128})
    assert (short.system, short.training) == (variant.system, variant.training)
    control = recipes[f"{name}-128-tokens-no-context"]
    assert (control.system, control.training) == (none.system, none.training)
    assert control.instances == short.instances


def test_the_other_systems_are_those_of_the_claims(papers):
    recipes = {one.experiment.name: recipe for one, recipe in every_recipe()}
    assert recipes["g-transformer"].system.context_attention == "combined"
    assert recipes["g-transformer-group"].system.context_attention == "group"
    assert recipes["g-transformer-global"].system.context_attention == "global"
    assert recipes["long-short"].system.short_stream == "masked"
    assert recipes["long-short-independent"].system.short_stream == "independent"
    assert recipes["g-transformer"].instances.max_tokens == 512
    assert recipes["g-transformer"].data.filter.min_document_tokens is None
    for tokens in (64, 128, 256, 512, 1024):
        recipe = recipes[f"g-transformer-{tokens}-tokens"]
        assert recipe.instances.max_tokens == tokens
        assert recipe.data.filter.min_document_tokens == 768
        assert recipe.training.max_steps == 2000  # of three fifths of the text
        assert recipe.data.prepared != recipes["g-transformer"].data.prepared
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
    from papers_workspace import trainings

    priorities = [one.experiment.priority for one in trainings()]
    assert priorities == sorted(priorities)
    first = [one for one in trainings() if one.experiment.priority == 1]
    assert [one.seed for one in first] == sorted(one.seed for one in first)


def test_an_experiment_brings_what_it_needs(papers):
    from papers_workspace import trainings

    names = {one.name for one in trainings(["multi-context"], (2,))}
    assert names == {"multi-context-2", "stack-sentence-2", "encoder-near-1", "encoder-1"}
    assert {one.name for one in trainings(["sentence"], (1,), {"g-transformer-finetuned": 3})} == {
        "sentence-1",
        "sentence-3",
        "g-transformer-finetuned-3",
    }


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
    from papers_workspace import Budget, Workspace

    small = (
        "text.subword=words",
        "system.ffn_dim=16",
        "training.batch_tokens=512",
        "training.validate_every=2",
        "training.warmup_steps=2",
        *TINY,
    )
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


def assert_p_is_recomputed(system, baseline):
    """The stored counts give the stored p-values and intervals."""
    from papers_series import recomputed

    tests = {one["metric"]: one for one in system["comparisons"]}
    for metric in ("s-BLEU", "d-BLEU"):
        again, known = recomputed(system, baseline, metric), tests[metric]
        for key in ("difference", "low", "high", "p"):
            assert getattr(again, key) == pytest.approx(known[key], rel=1e-3, abs=1e-6)


def test_from_training_to_the_page(place, run_papers, tmp_path):
    from papers_page import NAMES, PAGES
    from papers_training import prepare_corpora
    from papers_workspace import trainings

    names = ["sentence", "g-transformer-finetuned", "document", "window"]
    wanted = trainings(names, (1,))
    prepare_corpora(place, wanted)
    for one in wanted:
        run_papers("one", one.experiment.name, one.seed)
    results, pages = tmp_path / "results", tmp_path / "pages"
    printed = run_papers("evaluate", "--results", results, "--seeds", 1, "--only", *names)
    assert "window-1: measured" in printed
    assert "window.json" in printed
    again = run_papers("evaluate", "--results", results, "--seeds", 1, "--only", *names)
    assert ".json" not in again, "nothing has changed"
    stored = {
        name: json.loads((results / "series-1" / f"{name}.json").read_text("utf-8"))
        for name in names
    }
    assert_p_is_recomputed(stored["window"], stored["sentence"])
    context = stored["g-transformer-finetuned"]["context"]
    pairs = {(str(a), str(b)) for a, b in pairwise(lines(place.data))}
    assert context["examples"]
    for one in context["examples"]:
        assert (str(one["before"]), str(one["sentence"])) in pairs
    worth = [min(one["own"], one["own-shuffled"]) for one in context["examples"]]
    assert worth == sorted(worth, reverse=True)
    selection = ("--seeds", 1, "--only", *names)
    assert "4 experiments" in run_papers("costs", "--results", results, "--repeats", 1, *selection)
    figures = tmp_path / "figures"
    for folder in (pages, figures):
        folder.mkdir()
    for name in NAMES:
        (pages / name).write_text((PAGES / name).read_text("utf-8"), encoding="utf-8")
    options = ("--results", results, "--pages", pages, "--figures", figures)
    run_papers("tables", *options, workspace=False)
    text = "".join((pages / name).read_text("utf-8") for name in NAMES)
    assert "4 of 39 experiments have been measured" in text
    assert "- `g-transformer-finetuned` against `sentence`: " in text
    assert "- `window` learns" not in text
    blocks = {
        name: text.split(f"papers: {name} -->")[1].split("<!--")[0]
        for name in ("gains", "phenomena", "context")
    }
    for block in blocks.values():
        assert "| Concatenation, 3 sentences | " in block
    assert "| G-Transformer, fine-tuned | " in blocks["context"]
    assert "| G-Transformer, fine-tuned | " not in blocks["gains"], "its control is not trained"
    assert "| Concatenation, 3 sentences | " in text
    assert "| position 3 |" in text
    costs = text[text.index("<!-- papers: costs -->") :].splitlines()[5:9]
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


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("evaluate", "runs: nothing has been trained"),
        ("costs", "runs: nothing has been trained"),
        ("tables --pages none", "none/claims.md: no such file"),
        ("tables --figures none", "none: no such folder"),
    ],
)
def test_mistakes_are_told(papers, tmp_path, monkeypatch, command, said):
    import papers as program

    name, *options = command.split()
    options += [] if name == "tables" else ["--runs", str(tmp_path / "runs")]
    monkeypatch.setattr(sys, "argv", ["papers.py", name, *options])
    with pytest.raises(SystemExit, match=f"{said}$"):
        program.main()


def test_only_the_seeds_that_are_asked_for_are_evaluated(place):
    from papers_measures import files
    from papers_results import Collection

    for name in ("sentence-1", "sentence-2", "sentence-3", "encoder-1"):
        path = files(place.runs / name)[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    assert Collection(place).seeds("sentence") == [1, 2, 3]
    asked = Collection(place, [3])
    assert asked.seeds("sentence") == [3]
    assert asked.seeds("encoder") == [1], "it has a seed of its own"


@pytest.mark.slow
def test_every_experiment_is_trained_interrupted_resumed_and_measured(place, monkeypatch, tmp_path):
    from docmt_nmt.training import train, trainer
    from papers_experiments import EXPERIMENTS
    from papers_measures import measure
    from papers_results import Collection
    from papers_series import load_results
    from papers_training import prepare_corpora
    from papers_workspace import trainings

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
        assert collection.write(experiment, tmp_path / "results" / "series-1")
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
