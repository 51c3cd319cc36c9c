"""A prepared folder knows what it was made of; a split is an array of token ids."""

from __future__ import annotations

import copy
import json
import pickle
import re
import shutil
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import pyarrow.parquet as pq
import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import InstanceSettings, cut
from docmt_nmt.data import split as split_module
from docmt_nmt.data.collate import collate
from docmt_nmt.data.dataset import InstanceDataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.preparation import prepare
from docmt_nmt.data.split import Split, write_split
from docmt_nmt.recipes.recipe import Recipe
from docmt_nmt.text import EncodedDocument

DATA = {"source": "bundled:dev.en.xz", "target": "bundled:dev.de.xz"}
OWN = SpecialTokens((0,), (2,), 0, 2)
MARIAN = SpecialTokens((), (0,), 58100, 0)
BART = SpecialTokens((0,), (2,), 2, 2, (0,))
special_token_styles = pytest.mark.parametrize(
    "special_tokens", [OWN, MARIAN, BART], ids=["own", "marian", "bart"]
)
VALUES = {
    "data": {"train": DATA, "valid": DATA},
    "text": {"subword": "words", "vocabulary_size": 300},
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("prepared") / "out"
    prepare(Recipe.read(VALUES), directory)
    return directory


@pytest.fixture
def damaged_copy(directory, tmp_path) -> Path:
    return Path(shutil.copytree(directory, tmp_path / "copy"))


def test_the_same_recipe_may_use_the_folder(directory):
    prepared = PreparedCorpus.load(directory)
    prepared.check(Recipe.read(VALUES))
    elsewhere = {**VALUES, "data": {**VALUES["data"], "prepared": str(directory)}}
    prepared.check(Recipe.read({**elsewhere, "instances": {"kind": "whole"}}))


def test_another_recipe_is_an_error_that_names_the_keys_that_differ(directory):
    other = {
        "data": {**VALUES["data"], "filter": {"max_length_ratio": 2}},
        "text": {"subword": "words", "vocabulary_size": 400},
    }
    with pytest.raises(InputError) as caught:
        PreparedCorpus.load(directory).check(Recipe.read(other))
    message = str(caught.value)
    assert "text.vocabulary_size is 400 but was 300" in message
    assert "data.filter.max_length_ratio is 2.0 but was null" in message
    assert "subword" not in message
    assert "more" not in message


def test_of_many_keys_that_differ_the_first_are_named(directory):
    other = {
        "data": {"train": DATA, "test": DATA},
        "text": {"subword": "words", "vocabulary_size": 400},
    }
    with pytest.raises(InputError) as caught:
        PreparedCorpus.load(directory).check(Recipe.read(other))
    message = str(caught.value)
    assert 'data.valid.target is not set but was "bundled:dev.de.xz"' in message
    assert message.count(" but was ") == 5
    assert re.search(r"and [1-9] more\. Prepare again", message)


def test_a_split_the_recipe_did_not_have_is_an_error(directory):
    with pytest.raises(InputError, match="no split 'test', only train, valid"):
        PreparedCorpus.load(directory).split("test")


@pytest.mark.by_default(9)
@pytest.mark.parametrize(
    "values",
    [
        {"kind": "sentence"},
        {"kind": "window"},
        {"kind": "window", "stride": 1},
        {"kind": "tokens", "max_tokens": 100},
        {"kind": "whole"},
        {"kind": "sentence", "current_in_context": True},
        {"kind": "sentence", "next_sentences": 1},
        {"kind": "window", "window": 2, "next_sentences": 3},
        {"kind": "tokens", "max_tokens": 100, "current_in_context": True},
    ],
    ids=str,
)
@special_token_styles
def test_the_dataset_of_a_split_is_that_of_cutting_every_document(
    directory, values, special_tokens
):
    split = PreparedCorpus.load(directory).split("valid")
    settings = InstanceSettings(**values, previous_sentences=2)
    dataset = InstanceDataset(split, settings, special_tokens)
    expected = [
        i for d in range(len(split)) for i in cut(split.document(d), settings, special_tokens)
    ]
    assert len(dataset) == len(expected)
    assert [dataset[k] for k in range(len(dataset))] == expected
    batches = [collate([instance], special_tokens) for instance in expected]
    assert dataset.source_tokens.tolist() == [
        len(batch.source.tokens) + len(batch.source.context.tokens) for batch in batches
    ]
    assert dataset.target_tokens.tolist() == [len(batch.target.tokens) for batch in batches]


def test_tokens_take_four_bytes(directory):
    split = PreparedCorpus.load(directory).split("train")
    assert split.source.tokens.dtype == split.target.tokens.dtype == np.int32
    assert split.source.offsets[-1] == len(split.source.tokens)


def test_a_split_survives_being_sent_to_another_process(directory):
    split = PreparedCorpus.load(directory).split("train")
    assert pickle.loads(pickle.dumps(split)).text(7) == split.text(7)


def test_text_is_found_in_any_row_group(tmp_path, monkeypatch):
    monkeypatch.setattr("docmt_nmt.corpora.parquet.GROUP_ROWS", 3)
    rows = [
        (
            Document(str(n), (f"s{n}",) * n, ("t",) * n),
            EncodedDocument(str(n), [[n]] * n, [[4]] * n),
        )
        for n in range(1, 9)
    ]
    write_split(tmp_path / "s.parquet", rows)
    split = Split(tmp_path / "s.parquet")
    assert split.metadata.num_row_groups == 3
    order = [7, 0, 3, 2, 4, 6, 1, 5]
    assert [split.text(i) for i in order] == [rows[i][0] for i in order]
    assert [split.document(i) for i in order] == [rows[i][1] for i in order]


def test_documents_and_instances_are_counted_like_any_sequence(directory):
    split = PreparedCorpus.load(directory).split("valid")
    assert split.document(-1) == split.document(24)
    assert split.text(-1) == split.text(24)
    instances = InstanceDataset(split, InstanceSettings(kind="sentence"), OWN)
    assert len(list(instances)) == len(instances) == 721
    for beyond in (lambda: split.document(25), lambda: split.text(25), lambda: instances[721]):
        with pytest.raises(IndexError):
            beyond()


def test_a_folder_of_something_else_is_an_error(tmp_path):
    for directory in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match="not a folder made by docmt prepare"):
            PreparedCorpus.load(directory)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("settings.json", "[]", "does not hold a JSON object.*Prepare again"),
        (
            "settings.json",
            '{"data": {}, "text": {"subwords": "bpe"}}',
            "unknown key 'text.subwords'",
        ),
        ("report.json", "{", "is not valid JSON.*Prepare again"),
        ("report.json", json.dumps({"splits": {}}), "key 'instances' is missing"),
    ],
)
def test_a_damaged_folder_is_an_error(damaged_copy, name, text, problem):
    (damaged_copy / name).write_text(text)
    with pytest.raises(InputError, match=problem):
        PreparedCorpus.load(damaged_copy)


def test_a_damaged_split_is_an_error(damaged_copy):
    path = damaged_copy / "train.parquet"
    table = pq.read_table(path)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match=r"train\.parquet: is not a valid Parquet file"):
        PreparedCorpus.load(damaged_copy).split("train")
    pq.write_table(table.drop_columns(["target_tokens"]), path)
    with pytest.raises(InputError, match="other columns"):
        PreparedCorpus.load(damaged_copy).split("train")
    backwards = table["target_tokens"].take(list(reversed(range(len(table)))))
    pq.write_table(table.set_column(4, table.schema.field("target_tokens"), backwards), path)
    with pytest.raises(InputError, match="sides of different lengths"):
        PreparedCorpus.load(damaged_copy).split("train")
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        PreparedCorpus.load(damaged_copy).split("train")


@special_token_styles
def test_instances_and_reports_count_the_special_tokens_of_the_pipeline(
    directory, tmp_path, special_tokens
):
    own = PreparedCorpus.load(directory).pipeline
    pipeline = copy.copy(own)
    pipeline._special_tokens = special_tokens
    recipe = Recipe.read({**VALUES, "instances": {"kind": "tokens", "max_tokens": 60}})
    report = prepare(recipe, tmp_path / "prepared", pipeline=pipeline)
    prepared = PreparedCorpus.load(tmp_path / "prepared")
    assert prepared.pipeline.special_tokens == special_tokens
    dataset = InstanceDataset(prepared.split("valid"), recipe.instances, special_tokens)
    counts = report.splits["valid"]
    batch = collate([dataset[k] for k in range(len(dataset))], special_tokens)
    assert (counts.instances, counts.sentences) == (len(dataset), len(batch.source.sentences))
    assert counts.source_tokens == len(batch.source.tokens) == dataset.source_tokens.sum()
    assert counts.target_tokens == len(batch.target.tokens) == dataset.target_tokens.sum()
    longer = np.maximum(dataset.source_tokens, dataset.target_tokens)
    sentences = dataset.end - dataset.first
    assert longer[sentences > 1].max() == 60


@pytest.mark.parametrize("writable", [True, False])
def test_token_ids_are_mapped_from_files_that_are_gone(directory, monkeypatch, writable):
    path = directory / "train.parquet"
    before, made = sorted(directory.iterdir()), []

    def temporary_file(**keys):
        if keys and not writable:
            raise PermissionError
        made.append(TemporaryFile(**keys))  # noqa: SIM115
        return made[-1]

    monkeypatch.setattr(split_module, "TemporaryFile", temporary_file)
    split = Split(path)
    for side in (split.source, split.target):
        for numbers in (side.tokens, side.offsets):
            assert not numbers.flags.owndata and not numbers.flags.writeable
    assert sorted(directory.iterdir()) == before
    assert len(made) == 4 and all(file.closed for file in made)
    rows = pq.read_table(path, columns=["source_tokens", "target_tokens"]).to_pylist()
    for index, row in enumerate(rows):
        document = split.document(index)
        assert document.source == row["source_tokens"]
        assert document.target == row["target_tokens"]
