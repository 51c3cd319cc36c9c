"""Recipes of large language models: their sections, and what they take over from other recipes."""

from __future__ import annotations

import pytest

from docmt_files.base.errors import InputError
from docmt_llm.recipes.language_model_recipe import LanguageModelRecipe
from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.bundle import packages
from docmt_nmt.recipes.translator_kinds import engine_names, recipe_class_of


@pytest.mark.parametrize("name", [n for n, owner in packages().items() if owner == "docmt-llm"])
def test_every_recipe_is_valid_and_says_what_it_is_for(name):
    recipe = recipes.load_any(name)
    assert recipe.description
    assert recipes.descriptions()[name] == recipe.description


def test_a_recipe_of_a_language_model_takes_the_corpus_of_another_and_drops_its_training():
    recipe = recipes.load_any("demo-language-model")
    assert isinstance(recipe, LanguageModelRecipe)
    assert recipe.data == recipes.load("demo-sentence").data
    assert not hasattr(recipe, "training")


def test_a_trained_system_in_place_of_the_language_model_drops_how_it_was_asked(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: demo-language-model\nrequest: {shape: batch}\n")
    assert recipes.load_any(path).request.shape == "batch"
    recipe = recipes.load_any(path, ["system.name=g-transformer"])
    assert isinstance(recipe, Recipe)
    assert recipe.system.name == "g-transformer"


def test_a_recipe_of_a_language_model_is_refused_where_a_system_is_trained():
    with pytest.raises(InputError, match="docmt does not train") as caught:
        recipes.load("language-model")
    assert "`docmt import` makes the runs" in str(caught.value)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("training.max_steps=5", "unknown key 'training'"),
        ("system.modle=x", "unknown key 'system.modle', did you mean 'model'"),
        ("request.shap=batch", "unknown key 'request.shap', did you mean 'shape'"),
        ("request.batch_sentences=4", "batch_sentences: 4 has no effect with shape: sentence"),
        ("context.summary_sentences=4", "summary_sentences: 4 has no effect with summary: off"),
        ("system.dialect=none", "key 'system.dialect': Input should be"),
    ],
)
def test_a_mistake_names_the_key(override, message):
    with pytest.raises(InputError) as caught:
        recipes.load_any("language-model", [override])
    assert message in str(caught.value)
    assert not (tmp := caught.value.path) or "override" in str(tmp) or tmp == "language-model"


def test_the_keys_of_language_models_are_all_of_their_own_sections():
    keys = recipes.keys("language-model")
    assert {key.name.partition(".")[0] for key in keys} == {
        "system",
        "context",
        "request",
        "budget",
    }
    assert {"system.url", "request.shape", "budget.max_tokens_total"} <= {key.name for key in keys}


@pytest.mark.parametrize("name", ["beam-search", "language-model"])
def test_a_translator_of_docmt_is_chosen_by_its_system(name, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(f"translator: {name}\ndata: {{source_language: en, target_language: de}}\n")
    with pytest.raises(InputError, match=r"line 1: key 'translator': .*chosen by `system.name`"):
        recipes.load_any(path)


def test_the_translators_of_docmt_enter_as_those_of_other_packages_do():
    assert {"language-model", "t5"} <= set(engine_names())
    assert recipe_class_of("language-model") is LanguageModelRecipe


def test_the_settings_of_t5_are_typed():
    own = ["translator=t5", "settings.model=m"]
    assert recipes.load_any("language-model", own).settings.beam_size == 5
    with pytest.raises(InputError, match=r"unknown key 'settings\.beam', did you mean 'beam_size'"):
        recipes.load_any("language-model", [*own, "settings.beam=2"])
