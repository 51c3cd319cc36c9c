"""The scenario with a real model, by the command: a model of Firefox adapted to 5,000 pairs of
manuals that people translated."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.interop import import_marian
from docmt.models import InstalledModels
from docmt.models.adding import add_run
from docmt_nmt import corpora
from docmt_nmt.compiling.compile_anywhere import install_compiled
from firefox_models import FOLDERS, needs_firefox_models

PAIRS = 5_000

MANUALS = Path(
    os.environ.get("MSDOCS_EN_PT")
    or Path(__file__).parents[4].parent / "shared" / "data" / "msdocs_en_pt"
)
"""Microsoft's manuals (CC BY 4.0), as line files."""


def write_manuals(path):
    """The first documents of the training split, with 5,000 pairs."""
    sides = (MANUALS / f"train.{suffix}.xz" for suffix in ("en", "pt", "docids"))
    source, target, ids = sides
    documents, pairs = [], 0
    for document in corpora.read(source, target, docids=ids):
        if pairs >= PAIRS:
            break
        documents.append(document)
        pairs += len(document)
    corpora.write(documents, path)


@pytest.mark.slow
@needs_firefox_models
@pytest.mark.skipif(not MANUALS.is_dir(), reason="the manuals are not here: set MSDOCS_EN_PT")
def test_5000_pairs_make_a_real_model_better(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)
    models = InstalledModels.default()
    start = add_run(models, import_marian(FOLDERS["enpt"], tmp_path / "en-pt").directory)
    install_compiled(start.directory)
    write_manuals(tmp_path / "own.jsonl")
    run = CliRunner().invoke
    result = run(main, ["adapt", "en-pt", "own.jsonl", "-o", "own"])
    assert result.exit_code == 0, result.output
    assert "before:" in result.output
    record = json.loads((models.named("own").directory / "verdict.json").read_text("utf-8"))
    bleu = record["comparisons"][0]
    assert bleu["difference"] > 3
    assert bleu["p"] < 0.05
    assert record["general"]["chrf"] > 90
    texts = {}
    Path("a.txt").write_text("Select the data entities in the workspace.\n", encoding="utf-8")
    for model in ("en-pt", "own"):
        asked = ["translate", "--to", "pt", "--model", model, "a.txt", "-o", f"{model}.txt"]
        assert run(main, asked).exit_code == 0
        texts[model] = Path(f"{model}.txt").read_text("utf-8")
    assert texts["own"].strip()
    assert Path("own.memory").is_file()
    assert Path("own-terms.tsv").is_file()
