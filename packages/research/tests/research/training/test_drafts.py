"""Drafts that a system learns to correct."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from cases import SPECIAL_TOKENS, VOCABULARY, documents, make
from docmt_files.base.errors import InputError
from docmt_nmt.data.collate import collate
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.recipes.training import TrainingSettings
from docmt_nmt.runs.weights import read_weights
from docmt_nmt.training import train
from docmt_research.systems.cadec import CADecSettings
from docmt_research.training.drafts import SampledDrafts
from research_cases import cadec
from toy import log_lines, toy_recipe, trained


def writer(**keys):
    """A writer of drafts of a small system with these settings, and its recipe."""
    settings = cadec(**keys)
    pipeline = SimpleNamespace(special_tokens=SPECIAL_TOKENS, target_vocabulary=Vocabulary())
    recipe = SimpleNamespace(
        system=settings, training=TrainingSettings(max_steps=1), search=SearchSettings()
    )
    run = SimpleNamespace(recipe=recipe, pipeline=pipeline)
    return SampledDrafts(make(settings), run, torch.device("cpu"))


class Vocabulary:
    unk_id = 3
    special_ids = frozenset({0, 1, 2, 3})

    def __len__(self):
        return VOCABULARY


INSTANCES = documents([5, 6, 5], [4, 7, 6, 5])
SEEDS = [(7, 0), (7, 1)]


def test_drafts_are_references_samples_or_either():
    references = writer(reference_drafts=1.0, reference_noise=0.0)
    samples = writer(reference_drafts=0.0, sample_noise=0.0)
    either = writer(reference_noise=0.0, sample_noise=0.0)
    by_reference = references.write(INSTANCES, SEEDS, training=True)
    assert [i.drafts for i in by_reference] == [i.target for i in INSTANCES]
    sampled = samples.write(INSTANCES, SEEDS, training=True)
    mixed = either.write(INSTANCES * 10, [(7, k) for k in range(20)], training=True)
    kinds = [
        draft == reference
        for i in mixed
        for draft, reference in zip(i.drafts[1:], i.target[1:], strict=True)
    ]
    assert 0.3 < np.mean(kinds) < 0.7
    # In validation all are samples; first sentences, which are not corrected, do not matter.
    validated = references.write(INSTANCES, SEEDS, training=False)
    assert [[*map(tuple, i.drafts[1:])] for i in validated] == [
        [*map(tuple, i.drafts[1:])] for i in sampled
    ]


def test_samples_follow_from_the_seed_of_an_instance_alone():
    draw = writer(reference_drafts=0.0)
    together = draw.write(INSTANCES, SEEDS, training=True)
    alone = [
        draw.write([i], [seed], training=True)[0] for i, seed in zip(INSTANCES, SEEDS, strict=True)
    ]
    assert [i.drafts for i in together] == [i.drafts for i in alone]
    other = draw.write(INSTANCES, [(8, 0), (8, 1)], training=True)
    assert [i.drafts for i in other] != [i.drafts for i in together]


def test_a_share_of_the_tokens_is_replaced_by_words():
    many = documents([4, 1000], seed=3)
    (noisy,) = writer(reference_drafts=1.0).write(many, [(1,)], training=True)
    (clean,) = many
    pairs = list(zip(noisy.drafts[1], clean.target[1], strict=True))
    # A random word is the word itself once in 19 times.
    assert np.mean([a != b for a, b in pairs]) == pytest.approx(0.2 * 18 / 19, abs=0.04)
    assert min(a for a, _ in pairs) > 3


@pytest.mark.parametrize(("least", "learned"), [(1, [1, 2, 4, 5, 6]), (2, [2, 5, 6]), (3, [6])])
def test_no_loss_is_computed_on_sentences_with_too_little_context(least, learned):
    draw = writer(context_sentences=3, min_context_sentences=least)
    packed = collate(draw.write(INSTANCES, SEEDS, training=True), SPECIAL_TOKENS)
    assert packed.target.sentences.index[packed.labels >= 0].unique().tolist() == learned


def test_more_context_than_is_read_cannot_be_asked_for():
    with pytest.raises(
        InputError, match="min_context_sentences 4 is more than context_sentences 3"
    ):
        CADecSettings.read({"context_sentences": 3, "min_context_sentences": 4})


BASE = {"instances": {"kind": "sentence"}, "training": {"max_steps": 4, "validate_every": 4}}
SMALL = {
    "instances": {"kind": "whole"},
    "system": {"name": "cadec"},
    "training": {"max_steps": 4, "validate_every": 2},
}


@pytest.fixture(scope="module")
def base(tinier_corpus, tmp_path_factory):
    """A run of a Transformer on sentences."""
    return trained(tinier_corpus, tmp_path_factory.mktemp("base") / "run", **BASE).directory


def test_without_a_frozen_system_nothing_is_written(tinier_corpus, tmp_path):
    with pytest.raises(InputError, match=r"initialize\.run is not set") as caught:
        trained(tinier_corpus, tmp_path / "run", **SMALL)
    assert "two stages" in caught.value.cure
    assert not (tmp_path / "run").exists()


def test_a_frozen_system_of_fewer_layers_is_an_error(tinier_corpus, base, tmp_path):
    sections = {**SMALL, "system": {"name": "cadec", "layers": 2}, "initialize": {"run": str(base)}}
    with pytest.raises(InputError, match=r"no weights for the frozen base\.decoder\.1"):
        trained(tinier_corpus, tmp_path / "run", **sections)


def test_a_corpus_of_single_sentences_is_an_error(tinier_corpus, base, tmp_path):
    recipe = toy_recipe(
        tinier_corpus,
        **{**SMALL, "instances": {"kind": "tokens", "max_tokens": 1}},
        initialize={"run": str(base)},
    )
    with pytest.raises(InputError, match=r"no instance of data\.train has .* 1 sentence before it"):
        train(recipe, tmp_path / "run", progress=False)


def test_the_frozen_system_comes_out_as_it_went_in(tinier_corpus, base, tmp_path):
    before = read_weights(base / "weights.safetensors")
    run = trained(tinier_corpus, tmp_path / "run", **SMALL, initialize={"run": str(base)})
    after = run.state()
    assert before
    for name, tensor in before.items():
        assert torch.equal(after[f"base.{name}"], tensor), name
    assert not torch.equal(after["output.weight"], before["target_embedding.table.weight"])


def test_a_run_goes_on_from_another_of_its_kind(tinier_corpus, base, tmp_path):
    first = trained(tinier_corpus, tmp_path / "first", **SMALL, initialize={"run": str(base)})
    second = trained(
        tinier_corpus, tmp_path / "second", **SMALL, initialize={"run": str(first.directory)}
    )
    last, begun = (log_lines(run, "valid") for run in (first, second))
    assert begun[-1]["loss"] < last[-1]["loss"]
