"""Training text that is also in the validation or test split is counted, and removed if asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.test_prepare import printed, recipe
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.data.corpus_report import FilterCount, OverlapReport
from docmt_nmt.data.overlap import Overlap
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.preparation import prepare
from docmt_nmt.text.word_boundaries import words_of_any_script

LONG = "one two, three one two three One two three two"
TRAIN = [
    Document("own", ("one two three", "two"), ("eins zwei drei", "zwei")),
    Document("pair", ("one  two", "three"), ("eins zwei", "drei")),
    Document("source", ("three two",), ("zwei drei",)),
    Document("words", ("two", f"two {LONG.lower()} three"), ("zwei", "eins drei")),
]
VALID = [Document("v", ("one two", "three two", LONG, "one one"), ("eins zwei", "drei", "x", "y"))]


def ids_and_sizes(folder) -> list[tuple[str, int]]:
    split = PreparedCorpus.load(folder).split("train")
    return [(split.document(i).id, len(split.document(i).source)) for i in range(len(split))]


def test_overlap_is_counted_printed_and_kept(tmp_path):
    report = prepare(recipe(tmp_path, TRAIN, VALID), tmp_path / "out")
    assert report.overlap == {"valid": OverlapReport(sentences=4, pairs=1, sources=2, ngrams=1)}
    assert PreparedCorpus.load(tmp_path / "out").report.overlap == report.overlap
    assert (
        "in training and in valid: 1 sentence pair, 2 sources, 1 source with the same 8 words in a "
        "row, of 4 sentences" in " ".join(printed(report).split())
    )


@pytest.mark.parametrize(
    ("filters", "removed", "left", "overlap"),
    [
        ({"overlapping_sentences": "pairs"}, (0, 1), [2, 1, 1, 2], (0, 1, 1)),
        ({"overlapping_sentences": "sources"}, (0, 2), [2, 1, 2], (0, 0, 1)),
        ({"overlapping_sentences": "ngrams"}, (0, 3), [2, 1, 1], (0, 0, 0)),
        ({"overlapping_documents": "pairs"}, (1, 2), [2, 1, 2], (0, 1, 1)),
        ({"overlapping_documents": "ngrams"}, (3, 5), [2], (0, 0, 0)),
    ],
)
def test_what_overlaps_is_removed_when_asked(tmp_path, filters, removed, left, overlap):
    report = prepare(recipe(tmp_path, TRAIN, VALID, **filters), tmp_path / "out")
    assert [size for _, size in ids_and_sizes(tmp_path / "out")] == left
    (key,) = filters
    documents, sentences = removed
    assert report.filtered[key] == FilterCount(documents=documents, sentences=sentences)
    found = report.overlap["valid"]
    assert (found.pairs, found.sources, found.ngrams) == overlap


def test_the_text_pipeline_is_fitted_without_what_is_removed(tmp_path):
    train = [*TRAIN, Document("new", ("one two", "three"), ("eins zwei", "unheard"))]
    report = prepare(
        recipe(tmp_path, train, VALID, overlapping_documents="sources"), tmp_path / "out"
    )
    assert (
        report.target_vocabulary
        < prepare(recipe(tmp_path, train, VALID), tmp_path / "all").target_vocabulary
    )


def test_a_filter_of_overlap_needs_something_to_overlap_with(tmp_path):
    settings = recipe(tmp_path, TRAIN, VALID, overlapping_sentences="pairs")
    data = settings.data.model_copy(update={"valid": None})
    with pytest.raises(InputError, match=r"overlapping_sentences.* needs a split to compare with"):
        prepare(settings.model_copy(update={"data": data}), tmp_path / "out")


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=12), min_size=2, max_size=6))
def test_shared_words_in_a_row_are_those_of_a_plain_search(sentences):
    first, *others = (" ".join(words) for words in sentences)
    overlap = Overlap()
    overlap.add("test", Document("t", (first,), ("x",)))
    training = Document("d", tuple(others), ("y",) * len(others))
    overlap.count(training)
    grams = [first[i : i + 15] for i in range(0, len(first) - 14, 2)]
    shared = any(gram in other for gram in grams for other in others)
    assert overlap.report()["test"].ngrams == int(shared)
    assert overlap.report()["test"].sources == int(first in others)
    found = overlap.find(training, "ngrams")
    assert found == [other == first or any(g in other for g in grams) for other in others]


@pytest.mark.parametrize(
    ("text", "words"),
    [("It’s 3.5, no?", ["It", "s", "3", "5", "no"]), ("他说 OK。", ["他", "说", "OK"])],
)
def test_words_of_scripts_without_spaces_are_characters(text, words):
    assert words_of_any_script(text) == words
