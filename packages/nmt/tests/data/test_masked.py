"""Masked instances, and training on additional corpora."""

from __future__ import annotations

import json

import numpy as np
import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.data import InstanceSettings
from docmt_nmt.data.dataset import ConcatDataset, InstanceDataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.preparation import prepare
from docmt_nmt.recipes import Recipe
from docmt_nmt.text.vocabulary import MASK_ID
from docmt_nmt.training import train
from docmt_nmt.training.validation import validate
from toy import toy_recipe, write_toy_corpus


@pytest.fixture(scope="module")
def recipe(tinier_corpus, tmp_path_factory) -> Recipe:
    """The toy corpus with two additional ones."""
    more = {}
    for name, documents, share in (("news", 9, 0.25), ("talks", 4, None)):
        folder = tmp_path_factory.mktemp(name)
        write_toy_corpus(folder, documents=documents, seed=len(name))
        more[name] = {
            "source": str(folder / "train.en"),
            "target": str(folder / "train.de"),
            "share": share,
        }
    return toy_recipe(tinier_corpus, data={"additional": more})


@pytest.fixture(scope="module")
def prepared(recipe, tmp_path_factory) -> PreparedCorpus:
    """The same prepared."""
    folder = tmp_path_factory.mktemp("prepared") / "data"
    prepare(recipe, folder)
    return PreparedCorpus.load(folder)


def masked(prepared, **settings) -> InstanceDataset:
    """The masked instances of the training documents."""
    settings = InstanceSettings(kind="masked", **settings)
    return InstanceDataset(prepared.split("train"), settings, prepared.pipeline.special_tokens)


@pytest.mark.parametrize("settings", [{"window": 1}, {"window": 3}, {"max_tokens": 20}])
def test_each_part_of_a_document_has_one_masked_sentence(prepared, settings):
    dataset = masked(prepared, **settings)
    dataset.draw(1, 2)
    documents = [dataset.split.document(number) for number in range(len(dataset.split))]
    parts = {document.id: [] for document in documents}
    for index in range(len(dataset)):
        instance = dataset[index]
        document = documents[int(dataset.document[index])]
        place = instance.source.index([MASK_ID])
        assert instance.target == [document.target[instance.first]]
        part = list(instance.source)
        part[place] = document.source[instance.first]
        parts[document.id] += part
        assert dataset.source_tokens[index] == sum(len(s) + 2 for s in instance.source)
        assert dataset.target_tokens[index] == len(instance.target[0]) + 2
        assert len(part) <= settings.get("window", 4)
        tokens = sum(len(s) + 2 for s in part)
        assert tokens <= settings.get("max_tokens", 512) or len(part) == 1
    # Every sentence is in one part, so nothing of a document is left out.
    assert parts == {document.id: document.source for document in documents}


def drawn(dataset, *seed) -> list[int]:
    """The sentences that are masked after a draw."""
    dataset.draw(*seed)
    return [dataset[index].first for index in range(len(dataset))]


def test_the_masked_sentences_follow_from_the_seed_and_the_epoch(prepared):
    dataset = masked(prepared, window=4)
    first = drawn(dataset, 1, 1)
    assert drawn(dataset, 1, 2) != first
    assert drawn(dataset, 2, 1) != first
    assert drawn(masked(prepared, window=4), 1, 1) == first


def test_every_place_in_a_part_is_masked_equally_often(prepared):
    dataset = masked(prepared, window=4)
    places = {}
    for epoch in range(1, 201):
        dataset.draw(1, epoch)
        for index in range(len(dataset)):
            source = dataset[index].source
            places.setdefault(len(source), []).append(source.index([MASK_ID]))
    assert len(places[4]) > 1000
    for size, found in places.items():
        counts = np.bincount(found, minlength=size)
        expected = len(found) / size
        # Far more than chance allows: the 99.9999th percentile of χ² with up to 3 degrees is 31.
        assert ((counts - expected) ** 2 / expected).sum() < 31, counts


def test_corpora_that_are_mixed_are_drawn_apart(prepared):
    one, other = masked(prepared, window=4), masked(prepared, window=4)
    joined = ConcatDataset([one, other])
    joined.draw(1, 1)
    firsts = [joined[index].first for index in range(len(joined))]
    assert firsts[: len(one)] != firsts[len(one) :]
    assert joined.source_tokens.tolist() == [
        sum(len(s) + 2 for s in joined[index].source) for index in range(len(joined))
    ]


def test_a_resumed_training_masks_what_it_would_have_masked(recipe, tmp_path, monkeypatch):
    changes = {
        "data": recipe.data.model_copy(update={"additional": {}}),
        "instances": InstanceSettings(kind="masked", window=3),
        "training": recipe.training.model_copy(
            update={"max_steps": 12, "validate_every": 4, "batch_tokens": 512}
        ),
    }
    pretraining = recipe.model_copy(update=changes)
    whole = train(pretraining, tmp_path / "whole", progress=False)
    validations = []

    def stop_after_two(state):
        validations.append(state.record.epoch)
        if len(validations) > 2:
            raise KeyboardInterrupt
        return validate(state)

    monkeypatch.setattr("docmt_nmt.training.trainer.validate", stop_after_two)
    with pytest.raises(KeyboardInterrupt):
        train(pretraining, tmp_path / "killed", progress=False)
    assert validations[1] > 1  # so that the resumed epoch is not the first
    monkeypatch.undo()
    resumed = train(pretraining, tmp_path / "killed", progress=False)
    assert resumed.weights.read_bytes() == whole.weights.read_bytes()


def test_the_mask_is_nothing_that_text_becomes(prepared):
    assert MASK_ID in prepared.pipeline.source_vocabulary.special_ids


def test_every_corpus_is_a_split_and_the_pipeline_is_that_of_all(prepared):
    names = list(prepared.report.splits)
    assert names == ["train", "valid", "test", "train-news"]
    assert [len(prepared.split(name)) for name in names] == [34, 6, 6, 9]


def test_concatenated_datasets_are_one_after_the_other(prepared):
    settings = InstanceSettings(kind="sentence")
    datasets = [
        InstanceDataset(prepared.split(name), settings, prepared.pipeline.special_tokens)
        for name in ("train", "valid")
    ]
    joined = ConcatDataset(datasets)
    assert len(joined) == sum(joined.sizes) == len(datasets[0]) + len(datasets[1])
    expected = [dataset[index] for dataset in datasets for index in range(len(dataset))]
    assert [joined[index] for index in range(len(joined))] == expected
    assert len(joined.source_tokens) == len(joined)


def test_a_run_is_trained_on_all_corpora_in_their_shares(recipe, tmp_path):
    training = recipe.training.model_copy(update={"max_steps": 6, "validate_every": 6})
    run = train(recipe.model_copy(update={"training": training}), tmp_path / "run", progress=False)
    (first, *_) = [json.loads(line) for line in run.log.read_text().splitlines()]
    assert first["tokens"] > 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {
                "additional": {
                    "a": {"source": "a", "share": 0.6},
                    "b": {"source": "b", "share": 0.4},
                }
            },
            "additional: the shares add up to 1 and leave nothing for train",
        ),
        ({"train": None, "additional": {"a": {"source": "a"}}}, "additional \\(a\\) needs train"),
        ({"additional": {"a": {"source": "a", "share": 1.5}}}, "data.additional.a.share"),
    ],
)
def test_shares_that_make_no_sense_are_errors(tinier_corpus, data, message):
    with pytest.raises(InputError, match=message):
        toy_recipe(tinier_corpus, data=data)


def test_masked_sentences_have_no_bleu(tinier_corpus):
    with pytest.raises(InputError, match=r"best_checkpoint_metric d-bleu .* instances.kind masked"):
        toy_recipe(
            tinier_corpus,
            instances={"kind": "masked"},
            training={"best_checkpoint_metric": "d-bleu"},
        )
    with pytest.raises(InputError, match=r"g-transformer cannot be trained on .*kind masked"):
        toy_recipe(
            tinier_corpus,
            instances={"kind": "masked"},
            system={
                "name": "g-transformer",
                "encoder_context_layers": 0,
                "decoder_context_layers": 0,
                "cross_context_layers": 0,
            },
        )
