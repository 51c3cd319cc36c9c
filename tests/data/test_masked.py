"""Masked instances, and training on additional corpora."""

from __future__ import annotations

import json

import pytest

from docmt.data import InstanceSettings
from docmt.data.dataset import ConcatDataset, InstanceDataset
from docmt.data.parallel_corpus import PreparedCorpus
from docmt.data.preparation import prepare
from docmt.errors import InputError
from docmt.recipes import Recipe
from docmt.text.vocabulary import MASK_ID
from docmt.training import train
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


@pytest.mark.parametrize(("window", "before", "after"), [(1, 0, 0), (2, 0, 1), (7, 3, 3)])
def test_a_sentence_is_masked_among_those_around_it(prepared, window, before, after):
    split = prepared.split("valid")
    settings = InstanceSettings(kind="masked", window=window)
    dataset = InstanceDataset(split, settings, prepared.pipeline.special_tokens)
    documents = [split.document(number) for number in range(len(split))]
    assert len(dataset) == sum(len(document.source) for document in documents)
    index = 0
    for document in documents:
        for position, target in enumerate(document.target):
            first = max(position - before, 0)
            around = list(document.source[first : position + after + 1])
            around[position - first] = [MASK_ID]
            instance = dataset[index]
            assert instance.source == around
            assert instance.target == [target]
            assert dataset.source_tokens[index] == sum(len(s) + 2 for s in around)
            assert dataset.target_tokens[index] == len(target) + 2
            index += 1


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
