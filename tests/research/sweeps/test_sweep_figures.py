"""What the figures of a sweep show, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docmt.errors import InputError
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
