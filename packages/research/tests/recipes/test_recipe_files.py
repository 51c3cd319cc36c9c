"""The recipes of docmt-research: each is valid, and those of Tan et al. 2019 are
as the paper says."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.bundle import packages


def plain(name: str) -> list[tuple[str, Recipe]]:
    return recipes.stages(recipes.load(name), Path("run"))


@pytest.mark.parametrize(
    "name", [n for n, owner in packages().items() if owner == "docmt-research"]
)
def test_every_recipe_is_valid_and_says_what_it_is_for(name: str) -> None:
    recipe = recipes.load(name)
    assert recipe.description
    assert recipes.descriptions()[name] == recipe.description
    assert all(not stage.stages for _, stage in recipes.stages(recipe, Path("run")))


@pytest.mark.parametrize(
    ("stage", "previous", "system"), [(0, 0, "transformer"), (1, 2, "document-transformer")]
)
def test_the_settings_are_those_of_tan_et_al_2019(stage: int, previous: int, system: str) -> None:
    """They are those of `talks-hm-gdc-finetuned`, apart from the system and its context."""
    _, recipe = plain("talks-document-transformer")[stage]
    instances, sizes = recipe.instances, recipe.system
    assert (instances.kind, instances.previous_sentences) == ("sentence", previous)
    assert (sizes.name, sizes.layers, sizes.d_model, sizes.heads) == (system, 6, 512, 8)
    assert (sizes.ffn_dim, sizes.dropout, sizes.share_embeddings) == (2048, 0.1, False)
    training, text = recipe.training, recipe.text
    assert (training.batch_tokens, training.accumulate_batches) == (4096, 1)
    assert training.learning_rate == pytest.approx((512 * 4000) ** -0.5, rel=0.01)
    assert (training.warmup_steps, training.label_smoothing) == (4000, 0.1)
    assert (training.betas, training.epsilon) == ((0.9, 0.98), 1e-9)
    assert (training.max_steps, training.patience) == (100_000, None)
    assert (text.subword, text.vocabulary_size, text.joint) == ("words", 50_000, False)
    assert (recipe.search.beam_size, recipe.evaluation.lowercase) == (5, True)


@pytest.mark.parametrize(
    ("system", "kind", "previous"),
    [
        ("rnnsearch", "sentence", 0),
        ("cross-sentence-rnn", "sentence", 3),
        ("hm-gdc-rnnsearch", "whole", 0),
    ],
)
def test_the_settings_on_rnnsearch_are_those_of_tan_et_al_2019(
    system: str, kind: str, previous: int
) -> None:
    recipe, baseline = recipes.load(f"talks-{system}"), recipes.load("talks-sentence")
    assert (recipe.instances.kind, recipe.instances.previous_sentences) == (kind, previous)
    sizes = recipe.system
    assert (sizes.name, sizes.layers, sizes.d_model) == (system, 2, 500)
    assert not sizes.share_embeddings
    assert (recipe.data, recipe.text) == (baseline.data, baseline.text)
    assert (sizes.share_output, sizes.scale_embeddings, sizes.readout) == (False, False, "tanh")
    training = recipe.training
    assert (training.clip_norm, training.label_smoothing) == (1.0, 0.0)
    assert (training.optimizer, training.rho, training.epsilon) == ("adadelta", 0.95, 1e-6)
    assert (training.schedule, training.warmup_steps, training.learning_rate) == ("constant", 0, 1)
    assert training.batch_sentences == 64
    assert (recipe.search, recipe.evaluation) == (baseline.search, baseline.evaluation)


def test_the_first_step_learns_from_sentence_pairs_the_second_from_documents() -> None:
    (_, sentences), (_, documents) = plain("talks-document-transformer")
    assert sentences.data.train and sentences.data.train.boundaries == "sentences"
    assert documents.data.train and documents.data.train.boundaries == "markers"
    assert not sentences.data.additional and not documents.data.additional
    assert (sentences.data.valid, sentences.data.test) == (
        documents.data.valid,
        documents.data.test,
    )
    assert documents.initialize is not None
    assert documents.initialize.freeze == ("loaded",)
