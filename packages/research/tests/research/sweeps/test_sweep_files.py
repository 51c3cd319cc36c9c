"""Sweep files: what they say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.evaluation.metrics import METRICS
from docmt_nmt.recipes.yaml_source import read
from docmt_research.sweeps.points import Point, expand
from docmt_research.sweeps.sweep_settings import (
    bundled_sweeps,
    describe_sweeps,
    find_sweep,
    read_sweep,
)


def points(text: str, tmp_path: Path) -> list[Point]:
    """The points of a sweep file."""
    (tmp_path / "sweep.yaml").write_text(text)
    return expand(read_sweep(tmp_path / "sweep.yaml"), tmp_path / "sweep.yaml")


def test_a_point_has_the_keys_of_its_values_over_those_of_all(tmp_path: Path) -> None:
    found = points(
        """
recipe: demo-document
overrides: {training.max_steps: 7}
axes:
  model:
    document: {instances.max_tokens: 99, training.max_steps: 9}
    G: {recipe: demo-g-transformer, system: {dropout: 0.3}}
  training.patience: 4
seeds: [5, 6]
""",
        tmp_path,
    )
    assert [(p.values["model"], p.seed, p.recipe.training.seed) for p in found] == [
        ("document", 5, 5),
        ("document", 6, 6),
        ("G", 5, 5),
        ("G", 6, 6),
    ]
    document, g = found[0].recipe, found[2].recipe
    assert (document.instances.max_tokens, g.instances.max_tokens) == (99, 512)
    assert (document.training.max_steps, g.training.max_steps) == (9, 7)
    assert {p.recipe.training.patience for p in found} == {4}
    assert (g.system.name, getattr(g.system, "dropout", None)) == ("g-transformer", 0.3)


def test_several_grids_are_joined_and_equal_points_are_one(tmp_path: Path) -> None:
    found = points(
        """
recipe: demo-document
axes:
- {instances.max_tokens: [64, 128], system.preset: tiny}
- {instances.max_tokens: 128, system.preset: [tiny, base]}
""",
        tmp_path,
    )
    assert [tuple(p.values.values()) for p in found] == [(64, "tiny"), (128, "tiny"), (128, "base")]
    assert len({p.name for p in found}) == 3


def test_the_name_of_a_point_depends_on_its_values_alone(tmp_path: Path) -> None:
    few = points("recipe: demo-document\naxes: {instances.max_tokens: [64]}\n", tmp_path)
    many = points(
        "recipe: demo-g-transformer\naxes: {instances.max_tokens: [8, 64]}\nseeds: [2, 1]\n",
        tmp_path,
    )
    assert few[0].name == many[3].name
    assert few[0].name.startswith("max-tokens-64-seed-1-")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recipe: demo-document\n", "key 'axes' is missing"),
        ("recipe: demo-document\naxis: {a: [1]}\naxes: {a: [1]}\n", "line 2: unknown key 'axis'"),
        (
            "axes: {instances.max_tokens: [64]}\n",
            "sweep.yaml: the point instances.max_tokens: 64: there",
        ),
        ("recipe: demo-documnt\naxes: {instances.max_tokens: [64]}\n", "Did you mean 'demo-docum"),
        ("recipe: demo-document\naxes: {instances.max_token: [64]}\n", "did you mean 'max_tokens'"),
        ("recipe: demo-document\naxes: {instances.max_tokens: [6, 0]}\n", "the point instances."),
        ("recipe: demo-document\naxes: {instances.max_tokens: []}\n", "max_tokens has no values"),
        ("recipe: demo-document\naxes: {instances.max_tokens: [6, 6]}\n", "a value occurs twice"),
        ("recipe: demo-document\naxes: {size: {small: 3}}\n", "size: small has no keys"),
        ("recipe: demo-document\naxes: {training.seed: [1, 2]}\n", "list its values as `seeds`"),
        ("recipe: demo-document\naxes: {a: {b: {system.layers: 1}}}\nseeds: [1, 1]\n", "twice"),
        (
            "recipe: demo-document\noverrides: {system.layers: 2}\naxes: {system.layers: [1]}\n",
            "line 2: overrides: system.layers is an axis",
        ),
        (
            "recipe: demo-document\naxes: {system.layers: [1]}\nfigures:\n  a: {x: layers, y: a}\n",
            "line 4: figures.a: there is no axis 'layers', did you mean 'system.layers'?",
        ),
        (
            "recipe: demo-document\naxes: {system.layers: [1]}\nfigures:\n  a: {y: d-BLEU}\n",
            "line 4: key 'figures.a': kind: scores needs x",
        ),
        ("recipe: g-transformer\naxes: {system.layers: [2]}\n", "data.train is missing"),
        ("recipe: demo-document\naxes: {training.max_steps: [null]}\n", "would never end"),
        (
            f"recipe: demo-document\naxes: {{a: {list(range(40))}, b: {list(range(40))}}}\n",
            "has 1,600 points, more than 1,000",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        points(text, tmp_path)
    assert message in str(caught.value)


def test_an_unknown_sweep_has_a_hint() -> None:
    with pytest.raises(InputError, match="no sweep 'demo-lenght'"):
        find_sweep("demo-lenght")


@pytest.mark.parametrize("name", bundled_sweeps())
def test_every_bundled_sweep_is_valid(name: str) -> None:
    path = bundled_sweeps()[name]
    settings = read_sweep(path)
    assert describe_sweeps()[name] and (settings.figures or settings.tables)
    # The recipes do not depend on the seed.
    one_seed = settings.model_copy(update={"seeds": settings.seeds[:1]})
    assert expand(one_seed, path)


@pytest.mark.parametrize("name", bundled_sweeps())
def test_every_point_has_the_scores_that_a_sweep_shows(name: str) -> None:
    settings = read_sweep(bundled_sweeps()[name])
    points = expand(settings.model_copy(update={"seeds": (1,)}), bundled_sweeps()[name])
    shown = {y for figure in settings.figures.values() for y in figure.y}
    for score in shown & {metric.name for metric in METRICS.values()}:
        for point in points:
            assert score.lower() in point.recipe.evaluation.metrics, (score, point.name)


@pytest.mark.parametrize("number", [2, 7])
def test_the_d_bleu_of_bao_et_al_2021_is_of_instances(number: int) -> None:
    settings = read_sweep(bundled_sweeps()[f"bao-2021-figure-{number}"])
    assert {figure.y for figure in settings.figures.values()} == {("instance-BLEU",)}


def test_the_compared_systems_of_zhang_et_al_2020_are_those_of_the_rows() -> None:
    rows = read(Path(__file__).parents[2] / "recipes" / "results_tables" / "zhang-2020.yaml")[0]
    settings = read_sweep(bundled_sweeps()["zhang-2020-figure-2"])
    models = {
        label: keys["recipe"] for grid in settings.axes for label, keys in grid["model"].items()
    }
    compared = settings.figures["positions"].baseline["model"]
    assert {models[label] for label in compared} == {*rows["Figure 2, compared systems"].values()}
