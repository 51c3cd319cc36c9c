"""Files are scored as the documents in them are."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.evaluation import (
    CustomMetric,
    FileSettings,
    MetricSettings,
    SignificanceTest,
    compare,
    evaluate,
    evaluate_files,
    evaluate_system_files,
)

REFERENCE = ["the dog barks so loud", "it is the end of it"]
TRANSLATION = ["the dog barks so", "it is an end of it"]
OTHER = ["a dog barks", "this is it"]


def _write(path: Path, sentences: list[str]) -> str:
    path.write_text("".join(f"<d>\n{sentence}\n" for sentence in sentences))
    return str(path)


def _documents(sentences: list[str]) -> list[Document]:
    return [Document(str(i), (s,), (s,)) for i, s in enumerate(sentences, 1)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The names of a translation, a reference and another translation."""
    sides = {"ours": TRANSLATION, "reference": REFERENCE, "other": OTHER}
    return [_write(tmp_path / name, sentences) for name, sentences in sides.items()]


def test_files_are_scored_and_compared_as_their_documents(files: list[str]) -> None:
    ours, reference, other = files
    evaluation = evaluate_files(
        ours, [reference], MetricSettings(metrics=["s-bleu", "ter"]), baselines=[other]
    )
    sides = _documents(TRANSLATION), _documents(REFERENCE)
    assert evaluation.scores == evaluate(*sides, MetricSettings(metrics=["s-bleu", "ter"]))
    expected = compare(
        sides[0], _documents(OTHER), sides[1], MetricSettings(metrics=["s-bleu", "ter"])
    )
    assert evaluation.comparisons == [replace(one, baseline_name=other) for one in expected]
    assert evaluation.positions == []
    values = evaluation.to_dict()
    assert [score["name"] for score in values["scores"]] == ["s-BLEU", "TER"]


def test_metrics_of_other_packages_are_scored_but_not_compared(
    files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    custom = CustomMetric("constant", "sentence", lambda *_: 1.0, settings="version:1")
    monkeypatch.setattr("docmt_files.base.entry_points.load", lambda *_: ("the metric", custom))
    ours, reference, other = files
    evaluation = evaluate_files(
        ours, [reference], MetricSettings(metrics=["s-bleu", "constant"]), baselines=[other]
    )
    assert [score.name for score in evaluation.scores] == ["s-BLEU", "constant"]
    assert [comparison.name for comparison in evaluation.comparisons] == ["s-BLEU"]
    with pytest.raises(InputError, match="`baselines` cannot compare by metrics of other packages"):
        evaluate_files(ours, [reference], MetricSettings(metrics=["constant"]), baselines=[other])
    with pytest.raises(InputError, match="no significance test for constant"):
        compare(
            _documents(["a"]),
            _documents(["a"]),
            _documents(["a"]),
            MetricSettings(metrics=["constant"]),
        )


def test_several_baselines_are_compared_each_under_its_name(files: list[str]) -> None:
    ours, reference, other = files
    evaluation = evaluate_files(
        ours,
        [reference],
        MetricSettings(metrics=["s-bleu", "d-bleu"]),
        baselines=[other, reference],
    )
    names = [(c.baseline_name, c.name) for c in evaluation.comparisons]
    assert names == [
        (name, metric) for name in (other, reference) for metric in ("s-BLEU", "d-BLEU")
    ]
    assert evaluation.comparisons[0].baseline < evaluation.comparisons[2].baseline
    assert f" of {other}: " in str(evaluation.comparisons[0])
    notes = evaluation.notes
    assert any("each p-value is of one comparison; with 2 baselines" in note for note in notes)
    assert f"the baseline {reference}: the translation is the same as a reference" in notes


@pytest.mark.parametrize("hypothesis", ["\nzwei\n\ndrei\n", "eins\n\n\ndrei\n"])
def test_an_empty_translation_beside_a_boundary_is_not_to_be_removed(
    tmp_path: Path, hypothesis: str
) -> None:
    ours, reference = tmp_path / "ours", tmp_path / "reference"
    ours.write_text(hypothesis)
    reference.write_text("eins\nzwei\n\ndrei\n")
    with pytest.raises(InputError, match="empty translation") as caught:
        evaluate_files(str(ours), [str(reference)], files=FileSettings(boundaries="blank"))
    assert "Remove" not in str(caught.value)
    with pytest.raises(InputError, match="Remove the line"):
        evaluate_files(str(reference), [str(ours)], files=FileSettings(boundaries="blank"))


def test_an_empty_translation_that_reads_as_a_boundary_is_explained(tmp_path: Path) -> None:
    ours, reference = tmp_path / "ours", tmp_path / "reference"
    ours.write_text("eins\n\ndrei\n")
    reference.write_text("eins\nzwei\ndrei\n")
    with pytest.raises(InputError, match="an empty translation reads as one"):
        evaluate_files(str(ours), [str(reference)], files=FileSettings(boundaries="blank"))


def test_a_file_taken_for_one_document_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "flat"
    path.write_text("one\ntwo\n")
    found = evaluate_files(str(path), [str(path)])
    assert found.notes == (f"{path} is one document of 2 sentences",)
    systems = evaluate_system_files({"a": [str(path)]}, [str(path)])
    assert systems.notes == found.notes


@pytest.mark.parametrize("realign", [False, True])
def test_a_source_shows_that_every_line_is_a_copy(realign: bool, tmp_path: Path) -> None:
    """Without it, a translation that is all copies cannot be told from a file without a source."""
    source, reference = tmp_path / "en", tmp_path / "de"
    source.write_text("Hello there.\nShe left early.\n")
    reference.write_text("Hallo.\nSie ging früh.\n")
    copy = shutil.copy(source, tmp_path / "copy")
    settings = MetricSettings(language="de")
    notes = []
    for given in (None, str(source)):
        files = FileSettings(source=given, realign=realign)
        found = evaluate_files(str(copy), [str(reference)], settings, files=files)
        notes.append([note for note in found.all_notes if "2 of 2 translated" in note])
    assert not notes[0]
    assert "are copies of their source" in notes[1][0]


@pytest.mark.parametrize(
    ("hypothesis", "options", "message"),
    [
        ("-", {"baselines": ["-"]}, "only one file can be standard input"),
        ("-", {"positions": True}, "`positions` needs a file as `hypothesis`"),
        (
            "ours",
            {"test": SignificanceTest(resample="document")},
            "`resample` has no effect without `baselines`",
        ),
    ],
)
def test_options_that_exclude_each_other_are_an_error(
    hypothesis: str, options: dict, message: str, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(files[0]).parent)
    with pytest.raises(InputError, match=message):
        evaluate_files(hypothesis, ["reference"], **options)
