"""A prepared folder knows what it was made of; a split is a table of numbers."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from docmt.data import InstanceSettings, cut
from docmt.data import split as splits
from docmt.data.corpus import PreparedCorpus
from docmt.data.prepare import prepare
from docmt.data.split import Split
from docmt.documents import Document
from docmt.errors import InputError
from docmt.recipes.recipe import Recipe
from docmt.text.pipeline import EncodedDocument

DATA = {"source": "bundled:dev.en.xz", "target": "bundled:dev.de.xz"}
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
def copy(directory, tmp_path) -> Path:
    return Path(shutil.copytree(directory, tmp_path / "copy"))


def test_the_same_recipe_may_use_the_folder(directory):
    prepared = PreparedCorpus.load(directory)
    prepared.check(Recipe.read(VALUES))
    elsewhere = {**VALUES, "data": {**VALUES["data"], "prepared": str(directory)}}
    prepared.check(Recipe.read({**elsewhere, "instances": {"kind": "whole"}}))


def test_another_recipe_is_told_the_keys_that_differ(directory):
    other = {
        "data": {**VALUES["data"], "filter": {"max_length_ratio": 2}},
        "text": {"subword": "words", "vocabulary_size": 400},
    }
    with pytest.raises(InputError) as caught:
        PreparedCorpus.load(directory).check(Recipe.read(other))
    message = str(caught.value)
    assert "text.vocabulary is 400 but was 300" in message
    assert "data.filter.max_length_ratio is 2.0 but was null" in message
    assert "subword" not in message
    assert "more" not in message


def test_of_many_keys_that_differ_the_first_are_told(directory):
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


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "sentence"},
        {"kind": "window"},
        {"kind": "window", "stride": 1},
        {"kind": "tokens", "max_tokens": 100},
        {"kind": "whole"},
    ],
    ids=str,
)
def test_the_table_of_instances_is_that_of_cutting_every_document(directory, values):
    split = PreparedCorpus.load(directory).split("valid")
    settings = InstanceSettings(**values, previous_sentences=2)
    table = split.instances(settings)
    expected = [i for d in range(len(split)) for i in cut(split.document(d), settings)]
    assert len(table) == len(expected)
    assert [table[k] for k in range(len(table))] == expected
    assert table.source_tokens.tolist() == [
        sum(len(s) + 2 for s in (*i.context, *i.source)) for i in expected
    ]
    assert table.target_tokens.tolist() == [sum(len(s) + 2 for s in i.target) for i in expected]


def test_tokens_take_four_bytes(directory):
    split = PreparedCorpus.load(directory).split("train")
    assert split.source.flat.dtype == split.target.flat.dtype == np.int32
    assert split.source.offsets[-1] == len(split.source.flat)


def test_a_split_survives_being_sent_to_another_process(directory):
    split = PreparedCorpus.load(directory).split("train")
    assert pickle.loads(pickle.dumps(split)).text(7) == split.text(7)


def test_text_is_found_in_any_row_group(tmp_path, monkeypatch):
    monkeypatch.setattr("docmt.corpora.parquet.GROUP_ROWS", 3)
    rows = [
        (
            Document(str(n), (f"s{n}",) * n, ("t",) * n),
            EncodedDocument(str(n), [[n]] * n, [[4]] * n),
        )
        for n in range(1, 9)
    ]
    splits.write(tmp_path / "s.parquet", rows)
    split = Split(tmp_path / "s.parquet")
    assert split.metadata.num_row_groups == 3
    order = [7, 0, 3, 2, 4, 6, 1, 5]
    assert [split.text(i) for i in order] == [rows[i][0] for i in order]
    assert [split.document(i) for i in order] == [rows[i][1] for i in order]


def test_documents_and_instances_are_counted_like_any_sequence(directory):
    split = PreparedCorpus.load(directory).split("valid")
    assert split.document(-1) == split.document(24)
    assert split.text(-1) == split.text(24)
    instances = split.instances(InstanceSettings(kind="sentence"))
    assert len(list(instances)) == len(instances) == 721
    for beyond in (lambda: split.document(25), lambda: split.text(25), lambda: instances[721]):
        with pytest.raises(IndexError):
            beyond()


def test_a_folder_of_something_else_is_an_error(tmp_path):
    for directory in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match="not a folder that docmt prepare made"):
            PreparedCorpus.load(directory)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("settings.json", "[]", "not as docmt prepare writes it"),
        (
            "settings.json",
            '{"data": {}, "text": {"subwords": "bpe"}}',
            "unknown key 'text.subwords'",
        ),
        ("report.json", "{", "not as docmt prepare writes it"),
        ("report.json", json.dumps({"splits": {}}), "key 'instances' is missing"),
    ],
)
def test_a_damaged_folder_is_an_error(copy, name, text, problem):
    (copy / name).write_text(text)
    with pytest.raises(InputError, match=problem):
        PreparedCorpus.load(copy)


def test_a_damaged_split_is_an_error(copy):
    path = copy / "train.parquet"
    table = pq.read_table(path)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match=r"train\.parquet: not a whole Parquet file"):
        PreparedCorpus.load(copy).split("train")
    pq.write_table(table.drop_columns(["target_tokens"]), path)
    with pytest.raises(InputError, match="other columns"):
        PreparedCorpus.load(copy).split("train")
    backwards = table["target_tokens"].take(list(reversed(range(len(table)))))
    pq.write_table(table.set_column(4, table.schema.field("target_tokens"), backwards), path)
    with pytest.raises(InputError, match="sides of different lengths"):
        PreparedCorpus.load(copy).split("train")
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        PreparedCorpus.load(copy).split("train")
