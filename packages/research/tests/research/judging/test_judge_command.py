"""`docmt judge` from the shell, with a tiny language model in this process."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from causal_models import save_causal
from docmt.cli import main
from docmt.interop import import_huggingface


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the run `run` of a tiny language model and translations."""
    folder = tmp_path_factory.mktemp("judge")
    save_causal(folder / "model", max_position_embeddings=8192)
    import_huggingface(str(folder / "model"), folder / "run", languages=("en", "de"))
    (folder / "test.en").write_text("<d>\nThe dog sleeps.\nIt is old.\n<d>\nWho is it?\n")
    (folder / "ours.de").write_text("<d>\nDer Hund schläft.\nEr ist alt.\n<d>\nWer ist es?\n")
    (folder / "theirs.de").write_text("<d>\nDer Hund schläft.\nEs ist alt.\n<d>\nWas ist es?\n")
    return folder


def judge(folder, *arguments):
    files = ["--source", folder / "test.en", "--hypothesis", folder / "ours.de"]
    return CliRunner().invoke(
        main, ["judge", "--run", str(folder / "run"), *map(str, files), *arguments]
    )


def test_a_comparison_has_its_share_its_order_and_its_signature(folder, tmp_path):
    output = tmp_path / "judged.json"
    result = judge(
        folder,
        *("--baseline", str(folder / "theirs.de"), "--method", "comparison"),
        *("--repeats", "2", "--temperature", "1", "-o", str(output)),
    )
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "8 questions · 0 answers could not be read" in said
    assert "both orders agree on" in said
    assert "|method:comparison|" in said
    assert "|temperature:1.0|" in said
    found = json.loads(output.read_text())
    (compared,) = found["results"]
    assert [len(passage["answers"]) for passage in compared["passages"]] == [4, 4]
    assert found["signature"] in said.replace(" ", "")


def test_an_assessment_is_a_score_of_each_system(folder, tmp_path):
    output = tmp_path / "judged.json"
    result = judge(folder, "--method", "assessment", "-o", str(output))
    assert result.exit_code == 0, result.output
    (assessed,) = json.loads(output.read_text())["results"]
    assert 0 <= assessed["score"] <= 100
    assert assessed["unreadable"] == 0


def test_only_a_language_model_judges(folder, tmp_path):
    files = ["--hypothesis", str(folder / "ours.de"), "--source", str(folder / "test.en")]
    result = CliRunner().invoke(main, ["judge", "--run", "bundled:en-de", *files])
    assert result.exit_code == 2
    assert "not the run of a language model" in result.output
