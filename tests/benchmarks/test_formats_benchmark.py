"""The benchmark of formats counts what it finds in a folder."""

import runpy
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_formats(monkeypatch, capsys, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "a.md").write_text("# One *two*\n\n[Three](x) four.\n")
    (tmp_path / "in" / "b.html").write_text("<p>One <b>two</b>.</p>")
    (tmp_path / "in" / "c.html").write_text("<p>–</p>")
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setattr(sys, "argv", ["formats", str(tmp_path)])
    runpy.run_path(str(BENCHMARKS / "formats.py"), run_name="__main__")
    printed = capsys.readouterr()
    assert "| markdown | 1 | 100 % of 1 | 100 % of 1 | – | 100 % of 2 | 100 % of 4 |" in printed.out
    assert "| html | 2 | 100 % of 1 | 100 % of 1 | – | 100 % of 1 | 100 % of 2 |" in printed.out
    assert "html: 1 refused: has no text" in printed.err
