"""The scenario with a real model: the bundled one, which knows technical documentation, adapted to
5,000 pairs of the bundled corpus, which is of another kind, by the command."""

from __future__ import annotations

import json
import lzma

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.models import InstalledModels
from docmt.models.adding import add_run
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.runs.bundled import resolve

PAIRS = 5_000


def write_tsv(path):
    """The first documents of the bundled corpus, with 5,000 pairs."""
    sides = [
        lzma.decompress(corpus_file(f"train.{side}.xz").read_bytes()).decode().splitlines()
        for side in ("en", "de")
    ]
    rows, document = [], 0
    for source, target in zip(*sides, strict=True):
        if source == "<d>":
            if len(rows) >= PAIRS:
                break
            document += 1
        else:
            rows.append(f"{document}\t{source}\t{target}\n")
    path.write_text("".join(rows), encoding="utf-8")


@pytest.mark.slow
def test_5000_pairs_of_another_kind_of_text_make_a_better_model(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)
    models = InstalledModels.default()
    add_run(models, resolve("bundled:en-de"), "en-de")
    write_tsv(tmp_path / "suttas.tsv")
    arguments = ["adapt", "en-de", "suttas.tsv", "-o", "suttas", "--minutes", "5", "--keep"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert "before:" in result.output
    model = models.named("suttas")
    record = json.loads((model.directory / "verdict.json").read_text("utf-8"))
    assert record["comparisons"][0]["difference"] > 3, result.output
    assert record["comparisons"][0]["p"] < 0.05
    (tmp_path / "letter.txt").write_text("Then the Buddha spoke to the monks.\n", encoding="utf-8")
    out = tmp_path / "brief.txt"
    asked = ["translate", "--to", "de", "--model", "suttas", "letter.txt", "-o", str(out)]
    assert CliRunner().invoke(main, asked).exit_code == 0
    assert "Mönche" in out.read_text("utf-8")
    assert (tmp_path / "suttas.memory").is_file()
    assert (tmp_path / "suttas-terms.tsv").is_file()
