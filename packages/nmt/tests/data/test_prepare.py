"""Preparation fits the pipeline, encodes every split, counts, and writes a folder or nothing."""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.data.corpus_report import FilterCount, Report, SampleReport
from docmt_nmt.data.data_settings import SampleSettings
from docmt_nmt.data.dataset import InstanceDataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.preparation import prepare, read_split
from docmt_nmt.recipes.recipe import Recipe
from docmt_nmt.training.setup import open_or_create_run

TRAIN = [
    Document("a", ("one two three", "one"), ("eins zwei drei", "eins")),
    Document("b", ("two two",), ("zwei",)),
    Document("c", ("three one two", "two", "one"), ("drei eins zwei", "zwei", "eins")),
]
VALID = [Document("v", ("one two",), ("eins zwei",))]


def recipe(folder: Path, train=TRAIN, valid=VALID, text=None, **filters) -> Recipe:
    corpora.write(train, folder / "train.jsonl")
    corpora.write(valid, folder / "valid.jsonl")
    return Recipe.read(
        {
            "data": {
                "train": {"source": str(folder / "train.jsonl")},
                "valid": {"source": str(folder / "valid.jsonl")},
                "filter": filters,
            },
            "text": {"subword": "words", "vocabulary_size": 16, **(text or {})},
            "instances": {"kind": "window", "window": 2},
        }
    )


@pytest.fixture(scope="module")
def demo_recipe() -> Recipe:
    def sides(split: str) -> dict[str, str]:
        names = {"source": "en", "target": "de", "docids": "docids"}
        return {key: f"bundled:{split}.{name}.xz" for key, name in names.items()}

    data = {"train": sides("dev"), "valid": sides("dev"), "test": sides("test")}
    return Recipe.read({"data": data, "text": {"subword": "words", "vocabulary_size": 500}})


@pytest.fixture(scope="module")
def demo(demo_recipe, tmp_path_factory) -> PreparedCorpus:
    directory = tmp_path_factory.mktemp("demo") / "prepared"
    prepare(demo_recipe, directory)
    return PreparedCorpus.load(directory)


def test_a_prepared_folder_holds_text_and_tokens_of_every_document(demo, demo_recipe):
    for name in ("train", "valid", "test"):
        split = demo.split(name)
        documents = list(read_split(demo_recipe.data, name))
        assert [split.text(i) for i in range(len(split))] == documents
        assert [split.document(i) for i in range(len(split))] == [
            demo.pipeline.encode(document) for document in documents
        ]


def test_thresholds_are_learned_from_the_training_split_if_it_is_large_enough(demo, tmp_path):
    assert demo.thresholds.sentences == 721
    prepare(recipe(tmp_path), tmp_path / "small")
    assert PreparedCorpus.load(tmp_path / "small").thresholds is None


def test_a_run_keeps_the_thresholds_of_its_prepared_corpus(demo, demo_recipe, tmp_path):
    prepared = demo_recipe.data.model_copy(update={"prepared": str(demo.directory)})
    made = demo_recipe.model_copy(update={"data": prepared})
    (tmp_path / "run").mkdir()
    run = open_or_create_run(made, tmp_path / "run", lambda *_: None)
    assert run.thresholds() == demo.thresholds


def test_a_prepared_split_is_a_corpus(demo):
    read = list(corpora.read(demo.directory / "test.parquet"))
    assert read == list(read_split(demo.settings.data, "test"))


def test_the_report_counts_what_was_prepared(tmp_path):
    report = prepare(recipe(tmp_path), tmp_path / "out")
    train = report.splits["train"]
    assert (train.documents, train.sentences, train.instances) == (3, 6, 4)
    assert (train.source_tokens, train.target_tokens) == (11 + 12, 10 + 12)
    assert (train.mean_sentences, train.mean_tokens) == (6 / 4, 23 / 4)
    assert report.splits["valid"].documents == 1
    assert (train.source_unknown, train.target_unknown) == (0, 0)
    assert "test" not in report.splits
    assert report.filtered == {}


def test_unknown_tokens_are_counted_and_reported(tmp_path):
    valid = [Document("v", ("one two four five",), ("eins zwei vier",))]
    report = prepare(recipe(tmp_path, valid=valid), tmp_path / "out")
    assert (report.splits["valid"].source_unknown, report.splits["valid"].target_unknown) == (2, 1)
    assert "valid: 2 source and 1 target tokens are <unk>" in printed(report)
    assert "train: " not in printed(report)


def printed(report: Report) -> str:
    console = Console(width=100, file=StringIO())
    console.print(report)
    return console.file.getvalue()


def test_the_report_is_kept_as_json_and_printed_as_a_table(tmp_path):
    report = prepare(recipe(tmp_path, empty=True), tmp_path / "out")
    values = json.loads((tmp_path / "out" / "report.json").read_text())
    assert values["splits"]["train"]["instances"] == 4
    assert PreparedCorpus.load(tmp_path / "out").report == report == Report.read(values)
    lines = printed(report).splitlines()
    assert "2 sentences" in lines[0]
    row = next(line for line in lines if "train" in line).replace("│", " ")
    assert row.split() == ["train", "3", "6", "4", "1.5", "5.8"]
    assert "removed from train (empty): nothing" in lines


@pytest.mark.parametrize(
    ("filters", "filtered", "sentences"),
    [
        ({}, {}, 6),
        ({"max_sentence_tokens": 2}, {"max_sentence_tokens": (0, 2)}, 4),
        ({"max_sentence_tokens": 3}, {"max_sentence_tokens": (0, 0)}, 6),
        ({"max_length_ratio": 2.0}, {"max_length_ratio": (0, 0)}, 6),
        ({"max_length_ratio": 1.5}, {"max_length_ratio": (0, 1), "nothing_left": (1, 0)}, 5),
        ({"duplicates": True}, {"duplicates": (0, 0)}, 6),
        ({"min_document_tokens": 2}, {"min_document_tokens": (0, 0)}, 6),
        ({"min_document_tokens": 4}, {"min_document_tokens": (1, 1)}, 5),
    ],
)
def test_what_the_recipe_filters_is_removed_and_counted(tmp_path, filters, filtered, sentences):
    report = prepare(recipe(tmp_path, **filters), tmp_path / "out")
    assert report.splits["train"].sentences == sentences
    assert report.filtered == {
        key: FilterCount(documents=documents, sentences=pairs)
        for key, (documents, pairs) in filtered.items()
    }


def sampled(corpus: PreparedCorpus, settings: Recipe) -> list[tuple[str, int]]:
    """The document and first sentence of every instance that is trained on."""
    dataset = InstanceDataset(
        corpus.split("train"),
        settings.instances,
        corpus.pipeline.special_tokens,
        settings.data.sample,
    )
    instances = [dataset[index] for index in range(len(dataset))]
    assert dataset.source_tokens.tolist() == [
        sum(len(s) + corpus.pipeline.special_tokens.source_overhead for s in i.source)
        for i in instances
    ]
    return [(instance.document, instance.first) for instance in instances]


def with_sample(settings: Recipe, **sample) -> Recipe:
    data = settings.data.model_copy(update={"sample": SampleSettings.read(sample)})
    return settings.model_copy(update={"data": data})


def test_a_sample_of_instances_is_drawn_by_seed_and_part_of_a_larger_one(demo, demo_recipe):
    everything = sampled(demo, demo_recipe)
    small = sampled(demo, with_sample(demo_recipe, size=5))
    large = sampled(demo, with_sample(demo_recipe, share=0.5))
    assert len(small) == 5 and len(large) == round(len(everything) / 2)
    assert set(small) < set(large) < set(everything)
    assert large == [instance for instance in everything if instance in large]
    assert sampled(demo, with_sample(demo_recipe, size=5)) == small
    assert sampled(demo, with_sample(demo_recipe, size=5, seed=2)) != small
    with pytest.raises(InputError, match="size is 5,000, but the training split has only"):
        sampled(demo, with_sample(demo_recipe, size=5000))


def test_a_sample_of_documents_has_all_their_instances(demo, demo_recipe):
    found = sampled(demo, with_sample(demo_recipe, size=5, unit="documents"))
    names = {name for name, _ in found}
    assert len(names) == 5
    assert found == [i for i in sampled(demo, demo_recipe) if i[0] in names]


def test_a_prepared_corpus_serves_every_sample_and_the_report_counts_it(
    demo, demo_recipe, tmp_path
):
    demo.check(with_sample(demo_recipe, size=5))
    assert demo.report.sample is None
    settings = with_sample(recipe(tmp_path), share=0.5, unit="documents")
    report = prepare(settings, tmp_path / "out")
    assert report.sample == SampleReport(unit="documents", size=2, total=3)
    console = Console(file=StringIO(), width=100)
    console.print(report)
    assert "sample of train (data.sample): 2 of 3 documents" in console.file.getvalue()


@pytest.mark.parametrize("sample", [{"size": 1, "share": 0.5}, {"seed": 2}])
def test_keys_of_a_sample_without_effect_are_errors(sample):
    with pytest.raises(InputError, match=r"exclude each other|have no effect"):
        SampleSettings.read(sample)


def test_a_repeated_document_is_removed_whole(tmp_path):
    train = [*TRAIN, Document("d", *(getattr(TRAIN[0], side) for side in ("source", "target")))]
    assert prepare(recipe(tmp_path, train), tmp_path / "out").splits["train"].documents == 4
    report = prepare(recipe(tmp_path, train, duplicates=True), tmp_path / "out")
    assert report.filtered == {"duplicates": FilterCount(documents=1, sentences=2)}
    split = PreparedCorpus.load(tmp_path / "out").split("train")
    assert split.ids == ["a", "b", "c"]


EMPTY = [*TRAIN, Document("d", ("one", " "), ("", "zwei")), Document("e", ("", "x"), ("", "y"))]


def test_pairs_with_an_empty_side_are_removed_when_asked_and_else_an_error(tmp_path):
    report = prepare(recipe(tmp_path, EMPTY, empty=True), tmp_path / "out")
    assert report.filtered == {
        "empty": FilterCount(sentences=3),
        "nothing_left": FilterCount(documents=1),
    }
    split = PreparedCorpus.load(tmp_path / "out").split("train")
    assert split.text(3) == Document("e", ("x",), ("y",))
    with pytest.raises(InputError, match=r"train\.jsonl, line 4: sentence 1: the target sentence"):
        prepare(recipe(tmp_path, EMPTY), tmp_path / "out")


def test_nothing_is_removed_from_other_splits(tmp_path):
    filters = {"max_sentence_tokens": 1, "max_length_ratio": 1.0, "duplicates": True}
    valid = [*TRAIN, Document("d", *(getattr(TRAIN[0], side) for side in ("source", "target")))]
    report = prepare(recipe(tmp_path, TRAIN, valid, **filters), tmp_path / "out")
    assert report.splits["valid"].sentences == 8
    with pytest.raises(InputError, match=r"valid\.jsonl.*is empty"):
        prepare(recipe(tmp_path, TRAIN, EMPTY, empty=True), tmp_path / "out")


def test_filtering_out_everything_is_an_error(tmp_path):
    train = [Document("a", ("one two",), ("eins zwei",))]
    with pytest.raises(InputError, match="filter removes every document of the train split"):
        prepare(recipe(tmp_path, train, max_sentence_tokens=1), tmp_path / "out")


def test_a_sentence_without_tokens_is_an_error_or_removed_as_empty(tmp_path):
    train = [*TRAIN, Document("d", ("\x01", "one"), ("x", "eins"))]
    moses = {"tokenize": "moses"}
    with pytest.raises(InputError, match="document 'd', source sentence 1 has no tokens"):
        prepare(recipe(tmp_path, train, text=moses), tmp_path / "out")
    report = prepare(recipe(tmp_path, train, text=moses, empty=True), tmp_path / "out")
    assert report.filtered == {"empty": FilterCount(sentences=1)}


def test_a_given_pipeline_is_used_as_it_is(tmp_path):
    prepare(recipe(tmp_path), tmp_path / "first")
    pipeline = PreparedCorpus.load(tmp_path / "first").pipeline
    changed = recipe(tmp_path, [Document("n", ("new words",), ("neue Worte",))])
    prepare(changed, tmp_path / "second", pipeline=pipeline)
    second = PreparedCorpus.load(tmp_path / "second")
    unknown = pipeline.source_vocabulary.unk_id
    assert second.split("train").document(0).source == [[unknown, unknown]]
    assert len(second.pipeline.source_vocabulary) == len(pipeline.source_vocabulary)


def test_a_pipeline_makes_do_without_a_training_split(tmp_path, demo, demo_recipe):
    data = demo_recipe.data.model_copy(update={"train": None, "valid": None})
    report = prepare(
        demo_recipe.model_copy(update={"data": data}), tmp_path / "out", pipeline=demo.pipeline
    )
    assert report.splits == {"test": demo.report.splits["test"]}


def test_progress_is_called_for_every_document(tmp_path):
    calls: list[tuple[str, int]] = []
    prepare(recipe(tmp_path), tmp_path / "out", progress=lambda *call: calls.append(call))
    assert [n for what, n in calls if what == "train"] == [1, 2, 3]
    assert {what for what, _ in calls} == {"fit", "train", "valid"}


def test_on_an_error_nothing_appears_and_the_old_folder_stays(tmp_path):
    good = recipe(tmp_path)
    (tmp_path / "broken.jsonl").write_text('{"id": "v"}')
    broken = {"data": {"valid": {"source": str(tmp_path / "broken.jsonl")}}}
    values = good.model_dump(mode="json")
    values["data"] |= broken["data"]
    for before in (False, True):
        with pytest.raises(InputError, match="'source' is missing"):
            prepare(Recipe.read(values), tmp_path / "out")
        assert (tmp_path / "out").exists() == before
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
        prepare(good, tmp_path / "out")
    assert PreparedCorpus.load(tmp_path / "out").report.splits["valid"].documents == 1


def test_a_folder_with_something_else_in_it_is_never_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"holds something else, 'thesis\.tex'"):
        prepare(recipe(tmp_path), tmp_path / "mine")
    with pytest.raises(InputError, match="not a folder"):
        prepare(recipe(tmp_path), tmp_path / "mine" / "thesis.tex")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({}, "key 'data.train' is missing"),
        ({"train": {"source": "-"}}, "'data.train' names standard input"),
        (
            {"train": {"source": "bundled:dev.en.xz"}},
            "document '1' has no target side.*train.target",
        ),
        ({"train": {"source": "bundled:nothing.xz"}}, "no bundled file 'nothing.xz'"),
        ({"train": {"source": "nothing.tsv"}}, "nothing.tsv: no such file"),
    ],
)
def test_a_recipe_whose_corpus_cannot_be_used_is_an_error(tmp_path, data, problem):
    with pytest.raises(InputError, match=problem):
        prepare(Recipe.read({"data": data}), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_reported_before_anything_is_worked_through(tmp_path):
    whole = recipe(tmp_path)
    (tmp_path / "valid.jsonl").unlink()
    calls = []
    with pytest.raises(InputError, match=r"valid\.jsonl: no such file"):
        prepare(whole, tmp_path / "out", progress=lambda *call: calls.append(call))
    assert calls == []


def test_a_pipe_cannot_be_a_corpus_as_it_can_be_read_only_once(tmp_path):
    whole = recipe(tmp_path)
    (tmp_path / "train.jsonl").unlink()
    os.mkfifo(tmp_path / "train.jsonl")
    with pytest.raises(InputError, match=r"'data.train' names .*train\.jsonl, which can be read"):
        prepare(whole, tmp_path / "out")


def test_additional_corpora_are_trained_on_beside_the_first(tmp_path):
    plain = recipe(tmp_path)
    pairs = [Document("1", ("four",), ("vier",)), Document("2", ("five",), ("fünf",))]
    sides = {side: str(tmp_path / f"pairs.{side}") for side in ("source", "target")}
    corpora.write(pairs, *sides.values(), boundaries="sentences")
    more = {"pairs": {**sides, "boundaries": "sentences"}}
    mixed = Recipe.read(
        plain.model_dump() | {"data": {**plain.data.model_dump(), "additional": more}}
    )
    report = prepare(mixed, tmp_path / "prepared")
    assert report.splits["train"].documents == len(TRAIN) + len(pairs)
    assert report.splits["valid"].documents == len(VALID)
    prepared = PreparedCorpus.load(tmp_path / "prepared")
    assert prepared.split("train").ids == ["a", "b", "c", "pairs:1", "pairs:2"]
    assert "four" in prepared.pipeline.source_vocabulary.tokens
    # What was made of one corpus is not taken for that of another.
    with pytest.raises(InputError, match=r"data\.additional\.pairs\.source"):
        prepared.check(plain)


def test_a_missing_file_of_an_additional_corpus_is_reported_before_the_first_is_read(tmp_path):
    plain = recipe(tmp_path)
    more = {"pairs": {"source": str(tmp_path / "nowhere.tsv")}}
    mixed = Recipe.read(
        plain.model_dump() | {"data": {**plain.data.model_dump(), "additional": more}}
    )
    with pytest.raises(InputError, match=r"nowhere\.tsv: no such file"):
        prepare(mixed, tmp_path / "prepared")


def test_additional_corpora_without_a_first_are_an_error_that_names_both():
    with pytest.raises(InputError, match=r"additional \(pairs\) needs train, which is missing"):
        Recipe.read({"data": {"additional": {"pairs": {"source": "a.tsv"}}}})
