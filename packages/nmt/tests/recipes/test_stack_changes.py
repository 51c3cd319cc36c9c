"""Changing the stack and the context encoders of a recipe by extending it, by an override, and from
one stage to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings


def stack_of(recipe: Recipe) -> ParallelStackSettings:
    assert isinstance(recipe.system, ParallelStackSettings)
    return recipe.system


def extended(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text)
    return path


PUBLIC = "{kind: huggingface, model: google/pegasus-large, d_model: 1024}"


@pytest.mark.parametrize("base", ["demo-multi-source", "demo-target-context"])
def test_the_kind_of_an_encoder_can_be_changed(base: str, tmp_path: Path) -> None:
    path = extended(tmp_path, f"extends: {base}\nsystem:\n  contexts:\n    P: {PUBLIC}\n")
    inherited = stack_of(recipes.load(base)).contexts
    for recipe in (recipes.load(path), recipes.load(base, [f"system.contexts.P={PUBLIC}"])):
        encoder = stack_of(recipe).contexts["P"]
        assert (encoder.kind, encoder.model, encoder.run) == (
            "huggingface",
            "google/pegasus-large",
            None,
        )
        assert stack_of(recipe).contexts["B"] == inherited["B"]


def test_an_encoder_that_is_trained_with_the_system_takes_the_place_of_a_frozen_one() -> None:
    recipe = recipes.load("demo-bert-fused", ["system.contexts.B={kind: trained, layers: 1}"])
    encoder = stack_of(recipe).contexts["B"]
    assert (encoder.kind, encoder.run, encoder.d_model, encoder.layers) == (
        "trained",
        None,
        None,
        1,
    )


def test_a_key_without_effect_that_is_given_with_the_kind_is_an_error() -> None:
    override = "system.contexts.P={kind: huggingface, model: m, d_model: 8, run: runs/p}"
    with pytest.raises(InputError, match="run: runs/p has no effect with kind: huggingface"):
        recipes.load("demo-multi-source", [override])


@pytest.mark.parametrize(
    ("stack", "contexts"),
    [
        ("", set()),
        ("Bs(p,c)", {"B"}),
        ("Ps(c) => Ps(3p,3n)", {"P"}),
        ("Ps(c) => Bs(c)", {"B", "P"}),
    ],
)
def test_a_shorter_stack_drops_the_encoders_that_it_does_not_name(
    stack: str, contexts: set[str], tmp_path: Path
) -> None:
    path = extended(tmp_path, f'extends: demo-multi-context\nsystem: {{stack: "{stack}"}}\n')
    for recipe in (
        recipes.load(path),
        recipes.load("demo-multi-context", [f"system.stack={stack!r}"]),
    ):
        assert set(stack_of(recipe).contexts) == contexts


def test_the_encoders_of_a_side_stay_where_the_stack_reads_it(tmp_path: Path) -> None:
    both = (
        "extends: demo-multi-source\n"
        "system:\n  stack: Bs(c) => Ps(c) => Pt(p)\n"
        "  contexts: {Pt: {kind: run, run: r, d_model: 8}}\n"
    )
    path = extended(tmp_path, both)
    assert set(stack_of(recipes.load(path)).contexts) == {"B", "P", "Pt"}
    assert set(stack_of(recipes.load(path, ["system.stack=Ps(c)"])).contexts) == {"P"}
    assert set(stack_of(recipes.load(path, ["system.stack=Pt(p)"])).contexts) == {"Pt"}


def test_an_encoder_that_is_given_with_a_stack_that_does_not_name_it_is_an_error() -> None:
    changes = ["system.stack=Bs(c)", f"system.contexts.P={PUBLIC}"]
    with pytest.raises(InputError, match=r"contexts\.P has no effect: stack does not name it"):
        recipes.load("demo-multi-context", changes)


def test_a_stage_may_have_a_shorter_stack_than_the_recipe(tmp_path: Path) -> None:
    path = extended(
        tmp_path,
        "extends: demo-multi-context\nstages:\n- name: near\n  system: {stack: Bs(c)}\n"
        "- name: all\n  initialize: {freeze: [loaded]}\n",
    )
    (_, near), (_, whole) = recipes.stages(recipes.load(path), Path("run"))
    assert set(stack_of(near).contexts) == {"B"}
    assert set(stack_of(whole).contexts) == {"B", "P"}


def test_a_stack_that_makes_no_sense_is_reported_as_the_user_wrote_it() -> None:
    with pytest.raises(InputError, match=r"expected `,` or `\)`, at the end: Bs\(c"):
        recipes.load("demo-multi-context", ["system.stack=Bs(c"])


def test_a_mistake_inside_the_value_of_an_override_names_the_override() -> None:
    override = "system.contexts.P={kind: hugingface, model: m}"
    with pytest.raises(InputError) as caught:
        recipes.load("demo-multi-context", [override])
    assert str(caught.value).startswith(f"override {override}: key 'system.contexts.P.kind'")


def test_keys_of_a_named_section_are_not_taken_for_names(tmp_path: Path) -> None:
    path = extended(
        tmp_path,
        "extends: demo-sentence\ndata:\n  additional:\n    target: {source: a, target: b}\n",
    )
    changes = ["data.additional.source={source: both.tsv}", "data.additional.target.share=0.5"]
    additional = recipes.load(path, changes).data.additional
    assert additional["target"].target == "b"
    assert additional["target"].share == 0.5
