"""What the figures of a sweep show, by hand."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from docmt_files.base.errors import InputError
from docmt_research.sweeps.figures import draw_figure, series_of_figure
from docmt_research.sweeps.folder import SweepFolder
from docmt_research.sweeps.results import Result, Spread
from docmt_research.sweeps.sweep_settings import FigureSettings

FOLDER = SweepFolder(Path("nowhere"), [])


def result(seed: int, score: float, **values: Any) -> Result:
    return Result(f"{values}-{seed}", values, seed, {"d-BLEU": score}, [], {})


RESULTS = [
    result(1, 10.0, length=64, model="a"),
    result(2, 14.0, length=64, model="a"),
    result(1, 2.0, length=8, model="a"),
    result(1, 20.0, length=8, model="b"),
    result(1, 30.0, size="big", model="b"),
    result(1, 5.0, model="c"),
]


def test_a_line_has_the_mean_and_the_spread_over_seeds_by_rising_value() -> None:
    figure = FigureSettings(x="length", y=("d-BLEU",), lines="model")
    a, b = series_of_figure(figure, FOLDER, RESULTS)
    assert (a.label, a.x) == ("a", [8, 64])
    assert a.y == [Spread(2.0, 2.0, 2.0, 0.0, 1), Spread(12.0, 10.0, 14.0, 8**0.5, 2)]
    assert (b.label, b.x, [y.mean for y in b.y]) == ("b", [8], [20.0])


def test_where_picks_points_and_a_baseline_is_a_horizontal_line() -> None:
    figure = FigureSettings(
        x="length",
        y=("d-BLEU",),
        lines="model",
        where={"model": ["a", "c"]},
        baseline={"model": "c"},
    )
    a, c = series_of_figure(figure, FOLDER, RESULTS)
    assert (a.label, a.x) == ("a", [8, 64])
    assert (c.label, c.x, c.y[0].mean) == ("c", None, 5.0)


def test_panels_and_texts_on_the_horizontal_axis() -> None:
    figure = FigureSettings(x="size", y=("d-BLEU",), panels="model")
    (b,) = series_of_figure(figure, FOLDER, RESULTS)
    assert (b.panel, b.label, b.x) == ("b", "d-BLEU", ["big"])


def positions(model: str, window: int, seed: int = 1) -> Result:
    """A point with windows of so many sentences; the j-th scores 10 j."""
    each = [{"d-BLEU": 10.0 * j} for j in range(1, window + 1)]
    return Result(f"{model}-{window}-{seed}", {"model": model, "k": window}, seed, {}, each, {})


def test_a_baseline_beside_positions_is_a_line_in_every_panel() -> None:
    results = [positions(model, k) for model in ("a", "b") for k in (2, 3)]
    results += [result(1, 4.0, model="han"), result(2, 6.0, model="han")]
    figure = FigureSettings(
        kind="positions", y=("d-BLEU",), lines="k", panels="model", baseline={"model": ["han"]}
    )
    series = series_of_figure(figure, FOLDER, results)
    assert [(s.panel, s.label, s.y[0]) for s in series if s.x is None] == [
        (panel, "han", Spread(5.0, 4.0, 6.0, 2**0.5, 2)) for panel in ("a", "b")
    ]
    assert [(s.panel, s.x) for s in series if s.x] == [
        (panel, [*range(1, k + 1)]) for panel in ("a", "b") for k in (2, 3)
    ]


@pytest.mark.parametrize(
    ("spread", "words"),
    [
        ("range", "mean of 1 to 2 seeds, lowest and highest"),
        ("deviation", "one standard deviation"),
    ],
)
def test_a_figure_says_what_its_bars_are_and_is_the_same_each_time(
    spread: Any, words: str, tmp_path: Path
) -> None:
    figure = FigureSettings(x="length", y=("d-BLEU",), lines="model", spread=spread, log_x=True)
    series = series_of_figure(figure, FOLDER, RESULTS)
    drawn = []
    for name in ("one", "two"):
        draw_figure(figure, series, tmp_path / name)
        drawn.append([(tmp_path / f"{name}.{e}").read_bytes() for e in ("png", "svg", "json")])
    assert drawn[0] == drawn[1]
    assert drawn[0][0].startswith(b"\x89PNG")
    assert f"<!-- {words}".encode() in drawn[0][1] or words.encode() in drawn[0][1]


def test_a_figure_that_cannot_be_written_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "figures").touch()
    figure = FigureSettings(x="length", y=("d-BLEU",))
    series = series_of_figure(figure, FOLDER, RESULTS)
    with pytest.raises(InputError, match="There is a file where a folder is needed"):
        draw_figure(figure, series, tmp_path / "figures" / "a")


def _drawn(figure, results, path, monkeypatch):
    """The axes of a figure, as they are drawn."""
    from matplotlib.figure import Figure

    drawn = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda self, *a, **k: drawn.append(self) or save(self, *a, **k)
    )
    draw_figure(figure, series_of_figure(figure, FOLDER, results), path / "figure")
    return drawn[0].axes


def test_names_on_the_horizontal_axis_are_bars_side_by_side(tmp_path, monkeypatch):
    results = [
        result(seed, score + seed, system=system, model=model)
        for system, score in (("han", 10.0), ("san", 20.0), ("cadec", 30.0))
        for model in ("a", "b")
        for seed in (1, 2)
    ]
    figure = FigureSettings(x="system", y=("d-BLEU",), lines="model")
    (plot,) = _drawn(figure, results, tmp_path, monkeypatch)
    assert [label.get_text() for label in plot.get_xticklabels()] == ["han", "san", "cadec"]
    bars = sorted(plot.patches, key=lambda bar: bar.get_x())
    assert [round(bar.get_height(), 3) for bar in bars] == [11.5, 11.5, 21.5, 21.5, 31.5, 31.5]
    assert all(a.get_x() + a.get_width() <= b.get_x() + 1e-9 for a, b in pairwise(bars))
    assert [bar.get_x() + bar.get_width() for bar in bars[:2]] == pytest.approx([0.0, 0.4])
    # No line but the whiskers and their caps.
    assert all(len(line.get_xdata()) != 3 or line.get_linestyle() == "None" for line in plot.lines)


def test_numbers_on_the_horizontal_axis_are_a_line(tmp_path, monkeypatch):
    results = [result(1, float(length), length=length) for length in (8, 64, 512)]
    figure = FigureSettings(x="length", y=("d-BLEU",))
    (plot,) = _drawn(figure, results, tmp_path, monkeypatch)
    assert not plot.patches and list(plot.lines[0].get_xdata()) == [8, 64, 512]


def test_a_baseline_beside_bars_stays_a_horizontal_line(tmp_path, monkeypatch):
    results = [result(1, 9.0, system="han"), result(1, 7.0, model="base")]
    figure = FigureSettings(x="system", y=("d-BLEU",), baseline={"model": "base"})
    (plot,) = _drawn(figure, results, tmp_path, monkeypatch)
    assert 7.0 in {float(y) for line in plot.lines for y in line.get_ydata()}
    assert any(bar.get_height() == 9.0 for bar in plot.patches)


def test_curves_may_be_drawn_over_the_mean_minutes_of_the_seeds(tmp_path: Path) -> None:
    results = [result(seed, 1.0, model="a") for seed in (1, 2)]
    for seed, one in enumerate(results, start=1):
        lines: list[dict[str, Any]] = [
            {"kind": "train", "step": 8, "loss": 2, "nll": 2.0, "tokens": 600 * seed},
            {"kind": "valid", "step": 8, "loss": float(seed)},
        ]
        lines[0]["tokens_per_second"] = 10.0
        (tmp_path / one.name).mkdir()
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / one.name / "log.jsonl").write_text(text)
    folder = SimpleNamespace(points=results, run=lambda point: tmp_path / point.name)
    settings = FigureSettings(kind="curves", y=("valid.loss",), over="minutes", lines="model")
    (line,) = series_of_figure(settings, folder, results)  # type: ignore[arg-type]
    assert line.x == [1.5]
    assert line.y[0].mean == 1.5
    with pytest.raises(ValueError, match="over has no effect with kind: scores"):
        FigureSettings(x="model", y=("d-BLEU",), over="minutes")
