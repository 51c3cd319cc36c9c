"""`docmt make-contrast` from files to a suite that `docmt contrast` reads."""

from __future__ import annotations

from typer.testing import CliRunner

from docmt.cli import main
from docmt_research.analysis.contrastive_suites import read_suite

SOURCE = ["<d>", "约翰在哪", "他走了", "回来了吗", "<d>", "她来了", "他很累", "回来了吗"]
TARGET = ["<d>", "Where is John?", "He left.", "Is he back?"]
TARGET += ["<d>", "She came.", "He was tired.", "Is she back?"]


def make(folder, *options):
    (folder / "a.zh").write_text("\n".join(SOURCE) + "\n", encoding="utf-8")
    (folder / "a.en").write_text("\n".join(TARGET) + "\n", encoding="utf-8")
    files = ["--source", str(folder / "a.zh"), "--target", str(folder / "a.en")]
    languages = ["--source-language", "zh", "--target-language", "en"]
    return CliRunner().invoke(main, ["make-contrast", *files, *languages, *options])


def test_it_writes_a_suite_and_says_what_it_found(tmp_path):
    result = make(tmp_path, "-o", str(tmp_path / "suite.jsonl"))
    assert result.exit_code == 0, result.output
    assert "2 cases; in 0 the context of up to 10 sentences" in result.output
    suite = read_suite(tmp_path / "suite.jsonl")
    assert [(case.candidates[0], case.distance) for case in suite.cases] == [
        ("Is he back?", 1),
        ("Is she back?", 2),
    ]


def test_mistakes_are_errors_that_say_what_to_do(tmp_path):
    wrong_name = make(tmp_path, "-o", str(tmp_path / "suite.json"))
    assert wrong_name.exit_code == 2
    assert "Name the suite NAME.jsonl" in " ".join(wrong_name.output.split())
    none_left = make(tmp_path, "--overt", "-o", str(tmp_path / "suite.jsonl"))
    assert none_left.exit_code == 2
    assert not (tmp_path / "suite.jsonl").exists()
