"""The curves of trainings."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_research.analysis import plots
from docmt_research.analysis.training_curves import Curve, mean_over_layers, read_curves

LINES = [
    {"kind": "train", "step": 1, "loss": 9.5, "nll": 9.0, "tokens": 5, "tokens_per_second": 1.0},
    {"kind": "train", "step": 2, "loss": 8.5, "nll": 8.0, "tokens": 5, "tokens_per_second": 1.0},
    {
        "kind": "valid",
        "step": 2,
        "loss": 7.0,
        "bleu": 1.5,
        "attention_entropy": {"cross.0.global": 8.0, "cross.1.global": 6.0, "cross.1.group": 3.0},
        "context_share": {"encoder.1.self_attention": 0.4},
    },
    {"kind": "end", "step": 2, "loss": 7.0, "perplexity": 1.5},
]


def write_log(folder, lines=LINES):
    folder.mkdir()
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "log.jsonl").write_text(text)
    return folder


def curves(*arguments):
    return CliRunner().invoke(main, ["curves", *map(str, arguments)])


def test_curves_are_read_from_a_log(tmp_path):
    found = {
        (c.quantity, c.name): c.points
        for c in read_curves(write_log(tmp_path / "run") / "log.jsonl")
    }
    assert found == {
        ("training loss", ""): ((1, 9.0), (2, 8.0)),
        ("validation loss", ""): ((2, 7.0),),
        ("BLEU", ""): ((2, 1.5),),
        ("attention entropy", "cross.0.global"): ((2, 8.0),),
        ("attention entropy", "cross.1.global"): ((2, 6.0),),
        ("attention entropy", "cross.1.group"): ((2, 3.0),),
        ("context share", "encoder.1.self_attention"): ((2, 0.4),),
    }


def test_curves_of_all_layers_have_a_mean():
    own = [
        Curve("attention entropy", "cross.0.global", ((1, 8.0), (2, 7.0))),
        Curve("attention entropy", "cross.1.global", ((1, 6.0), (2, 4.0))),
        Curve("attention entropy", "cross.1.group", ((1, 3.0),)),
        Curve("validation loss", "", ((1, 3.0),)),
    ]
    means = mean_over_layers(own, "attention entropy")
    assert {name: curve.points for name, curve in means.items()} == {
        "cross.global": ((1, 7.0), (2, 5.5)),
        "cross.group": ((1, 3.0),),
    }


@pytest.mark.slow
@pytest.mark.parametrize("form", ["png", pytest.param("svg", marks=pytest.mark.slow)])
def test_several_runs_are_drawn_in_one_plot(tmp_path, form):
    one, other = write_log(tmp_path / "a$b$"), write_log(tmp_path / "other", LINES[:3])
    out = tmp_path / f"curves.{form}"
    assert curves(one, other, "-o", out).exit_code == 0
    first = out.read_bytes()
    values = json.loads((tmp_path / "curves.json").read_text())
    assert list(values) == ["a$b$", "other"]
    assert values["other"][0] == {
        "quantity": "training loss",
        "name": "",
        "points": [[1, 9.0], [2, 8.0]],
    }
    assert curves(one, other, "-o", out).exit_code == 0
    assert out.read_bytes() == first, "the same numbers give the same file"


def test_the_line_tells_the_scope_in_all_runs(monkeypatch):
    figures = []
    monkeypatch.setattr(plots, "_rendered", lambda figure, _: figures.append(figure))
    points = ((1, 8.0), (2, 7.0))
    one = Curve("attention entropy", "cross.0.global", points)
    other = Curve("attention entropy", "cross.0.group", points)
    plots.plot_curves({"first": [one], "second": [one, other], "third": [other]}, "svg")
    (panel,) = [p for p in figures[0].axes if p.get_title().endswith("cross")]
    styles = [line.get_linestyle() for line in panel.get_lines()]
    assert styles[0] == styles[1] != styles[2] == styles[3]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["global", "group"]


def test_numbers_load_no_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    run = write_log(tmp_path / "run")
    assert curves(run, "-o", tmp_path / "curves.json").exit_code == 0
    assert (tmp_path / "curves.json").exists()


def test_runs_of_the_same_name_are_told_apart(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    runs = [write_log(tmp_path / "x" / "run"), write_log(tmp_path / "y" / "run")]
    assert curves(*runs, "-o", tmp_path / "curves.json").exit_code == 0
    assert list(json.loads((tmp_path / "curves.json").read_text())) == list(map(str, runs))
    result = curves(runs[0], runs[0], "-o", tmp_path / "curves.json")
    assert (result.exit_code, "a run is named twice" in result.stderr) == (2, True)


def test_a_folder_without_a_log_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file; it is the log of a training"):
        read_curves(tmp_path / "log.jsonl")
    (tmp_path / "log.jsonl").touch()
    with pytest.raises(InputError, match="has no curves yet"):
        read_curves(tmp_path / "log.jsonl")


def test_a_plot_needs_a_known_ending(tmp_path):
    result = curves(write_log(tmp_path / "run"), "-o", tmp_path / "curves.pdf")
    assert result.exit_code == 2
    assert "End it with .png, .svg or .json" in result.stderr


def test_curves_may_be_over_the_time_of_the_updates(tmp_path):
    """Five tokens a line at one token a second, whenever the validations were."""
    run = write_log(tmp_path / "run")
    found = {c.quantity: c.points for c in read_curves(run / "log.jsonl", "minutes")}
    assert found["training loss"] == ((5 / 60, 9.0), (10 / 60, 8.0))
    assert found["validation loss"] == ((10 / 60, 7.0),)
    result = curves(run, "-o", tmp_path / "curves.svg", "--over", "minutes")
    assert result.exit_code == 0, result.output
    (drawn,) = json.loads((tmp_path / "curves.json").read_text()).values()
    assert drawn[0]["points"][1] == [10 / 60, 8.0]
