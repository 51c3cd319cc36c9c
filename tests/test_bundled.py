"""The models that come with docmt."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_nmt.runs import bundled
from docmt_nmt.runs.system_run import SystemRun

NAMES = bundled.names()
TRANSLATE = ("translate", "--run", "bundled:en-de")
ROOT = Path(__file__).parents[1]


def test_the_default_is_a_bundled_model() -> None:
    assert bundled.DEFAULT.removeprefix("bundled:") in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_bundled_model_is_a_small_run_with_a_card(name: str) -> None:
    run = SystemRun.load(f"bundled:{name}")
    assert "-".join(run.pipeline.languages[:2]) == name
    assert run.recipe.system.name == "g-transformer"
    assert run.weights.stat().st_size < 25e6
    card = (run.directory / "README.md").read_text()
    for said in ("CC BY 4.0", "CC0", "CC BY 3.0", "s-BLEU", "## Limits", f"docmt train {name}"):
        assert said in card
    # The recipe of the card makes it.
    assert docmt_nmt.recipes.load(name).system == run.recipe.system


def test_a_path_is_no_bundled_model() -> None:
    assert bundled.resolve("runs/en-de") == Path("runs/en-de")


def test_an_unknown_bundled_model_is_an_error() -> None:
    with pytest.raises(InputError, match=r"no bundled model 'de-en'.*en-de"):
        SystemRun.load("bundled:de-en")


@pytest.mark.parametrize(
    "command",
    [
        ["tune-alignment", "--source", "in.en", "--target", "in.de"],
        ["evaluate", "--split", "test"],
        ["train", "demo-sentence"],
    ],
)
def test_nothing_is_written_into_a_bundled_model(tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    for side in ("en", "de"):
        Path(f"in.{side}").write_text("a b\n")
    folder = bundled.resolve(bundled.DEFAULT)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for run in (bundled.DEFAULT, str(folder)):
        result = CliRunner().invoke(main, [*command, "--run", run])
        assert result.exit_code == 2, result.output
        assert "comes with docmt, and is not changed" in " ".join(result.stderr.split())
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert {path.name for path in tmp_path.iterdir()} == {"in.en", "in.de"}


def test_the_bundled_model_translates_where_it_is_named(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("Select OK.\n\nThis article describes how to create a report.\n")
    result = CliRunner().invoke(main, [*TRANSLATE, str(source), "-o", str(target)])
    assert result.exit_code == 0, result.output
    translated = target.read_text()
    assert translated == docmt_lines(docmt_nmt.load(), source)
    assert "Wählen Sie OK" in translated


def docmt_lines(translator: docmt_nmt.Translator, path: Path) -> str:
    """Its translation in Python, a paragraph of one sentence each."""
    paragraphs = tuple(path.read_text().strip().split("\n\n"))
    [translation] = translator.translate([docmt_nmt.Document("text", paragraphs)])
    assert translation.document.target is not None
    return "\n\n".join(translation.document.target) + "\n"


def test_the_bundled_model_does_not_translate_other_languages(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("Bonjour.\n")
    result = CliRunner().invoke(main, [*TRANSLATE, str(source), "--source-language", "fr"])
    assert result.exit_code == 2
    assert "does not translate from 'fr'" in result.stderr


def test_no_model_translates_where_none_is_named(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("Select OK.\n")
    result = CliRunner().invoke(main, ["translate", str(source)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no target language is named" in result.stderr


@pytest.mark.parametrize("name", NAMES)
def test_the_scores_of_a_card_are_those_that_were_measured(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    table = runpy.run_path(str(ROOT / "benchmarks" / "model.py"))["table"]
    measured = ROOT / "docs" / "results" / "data" / f"model-{name}.json"
    card = (bundled.resolve(f"bundled:{name}") / "README.md").read_text()
    scores = card.split("<!-- scores -->")[1].split("<!-- end of scores -->")[0]
    assert scores.strip() == table(json.loads(measured.read_text())["figures"])
