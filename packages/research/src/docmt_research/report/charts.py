"""Charts as SVG inside a page: lines, and bars with intervals. The colors come from the page and
follow the page's light and dark scheme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor, log10

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 640, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 24, 28, 40

Curve = Sequence[tuple[float, float]]
"""Points (x, y), by rising x."""


def line_chart(curves: Mapping[str, Curve], *, x: str, y: str, legend: bool = False) -> Markup:
    """Curves by their names, in the colors of series 1, 2, and so on.

    Args:
        curves: the points of the curves; a curve without points keeps a color.
        x, y: the labels of the axes.
        legend: whether the names stand below.
    """
    points = [point for curve in curves.values() for point in curve]
    across = _Axis([p[0] for p in points], _LEFT, _WIDTH - _RIGHT)
    up = _Axis([p[1] for p in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [_frame(across, up, x, y)]
    for number, (name, curve) in enumerate(curves.items(), start=1):
        if not curve:
            continue
        path = " ".join(f"{across.at(a):.1f},{up.at(b):.1f}" for a, b in curve)
        parts.append(
            Markup(
                '<polyline class="line series-{}" points="{}"><title>{}</title></polyline>'
            ).format(number, path, name)
        )
        if len(curve) < 30:
            dots = (
                Markup(
                    '<circle class="dot series-{}" cx="{}" cy="{}" r="3"><title>{}</title></circle>'
                ).format(
                    number, f"{across.at(a):.1f}", f"{up.at(b):.1f}", f"{name}: {a:g}, {b:.4g}"
                )
                for a, b in curve
            )
            parts += dots
    chart = _svg(parts, f"{y} by {x}")
    return chart + _legend(curves) if legend else chart


def _legend(names: Iterable[str]) -> Markup:
    keys = (
        Markup('<span><span class="key series-{}"></span>{}</span> ').format(number, name)
        for number, name in enumerate(names, start=1)
    )
    return Markup('<figcaption class="legend">{}</figcaption>').format(Markup("").join(keys))


def bar_chart(
    groups: Sequence[str], bars: Mapping[str, Sequence[float]], *, x: str, y: str
) -> Markup:
    """A bar for each series in each group, in the colors of series 1, 2, and so on.

    Args:
        groups: their labels.
        bars: by series, a value for each group.
        x, y: the labels of the axes.
    """
    up = _Axis(
        [0.0, *(value for heights in bars.values() for value in heights)], _HEIGHT - _BOTTOM, _TOP
    )
    pitch = (_WIDTH - _LEFT - _RIGHT) / max(len(groups), 1)
    width = 0.8 * pitch / max(len(bars), 1)
    parts = [_frame(None, up, x, y)]
    for index, group in enumerate(groups):
        begin = _LEFT + pitch * index + 0.1 * pitch
        parts.append(
            Markup('<text class="tick" x="{}" y="{}" text-anchor="middle">{}</text>').format(
                f"{begin + 0.4 * pitch:.1f}", _HEIGHT - _BOTTOM + 16, group
            )
        )
        for number, (name, values) in enumerate(bars.items(), start=1):
            top = up.at(values[index])
            parts.append(
                Markup(
                    '<rect class="bar series-{}" x="{}" y="{}" width="{}" height="{}">'
                    "<title>{}</title></rect>"
                ).format(
                    number,
                    f"{begin + width * (number - 1):.1f}",
                    f"{top:.1f}",
                    f"{width:.1f}",
                    f"{max(up.at(0) - top, 0):.1f}",
                    f"{name}, {group}: {values[index]:.2f}",
                )
            )
    return _svg(parts, f"{y} by {x}")


class _Axis:
    """From values to pixels.

    Args:
        values: all values shown; at least one.
        begin, end: where the smallest and the largest lie.
    """

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        low, high = min(values), max(values)
        self._whole = all(value == int(value) for value in values)
        if low == high:
            low, high = low - 0.5, high + 0.5
        self.low, self.high, self._begin, self._end = low, high, begin, end

    def at(self, value: float) -> float:
        """The pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self._begin + share * (self._end - self._begin)

    def ticks(self) -> list[float]:
        """Round values between the ends, about five."""
        rough = (self.high - self.low) / 5
        unit = 10 ** floor(log10(rough))
        step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
        if self._whole:
            step = max(step, 1)
        first = -(-self.low // step)
        count = int((self.high - first * step) / step + 1e-9) + 1
        return [round(step * (first + k), 12) for k in range(max(count, 0))]


def _frame(across: _Axis | None, up: _Axis, x: str, y: str) -> Markup:
    """Axes with their ticks and names."""
    bottom = _HEIGHT - _BOTTOM
    parts = [
        Markup('<path class="axis" d="M{},{}V{}H{}"/>').format(_LEFT, _TOP, bottom, _WIDTH - _RIGHT)
    ]
    for value in up.ticks():
        height = f"{up.at(value):.1f}"
        parts.append(
            Markup(
                '<path class="grid" d="M{},{}H{}"/>'
                '<text class="tick" x="{}" y="{}" dy="4" text-anchor="end">{}</text>'
            ).format(_LEFT, height, _WIDTH - _RIGHT, _LEFT - 6, height, f"{value:,g}")
        )
    for value in across.ticks() if across is not None else ():
        parts.append(
            Markup('<text class="tick" x="{}" y="{}" text-anchor="middle">{}</text>').format(
                f"{across.at(value):.1f}" if across else "", bottom + 16, f"{value:,g}"
            )
        )
    parts.append(
        Markup(
            '<text class="name" x="{}" y="{}" text-anchor="end">{}</text>'
            '<text class="name" x="{}" y="{}">{}</text>'
        ).format(_WIDTH - _RIGHT, _HEIGHT - 6, x, 4, 14, y)
    )
    return Markup("").join(parts)


def _svg(parts: Sequence[Markup], label: str) -> Markup:
    return Markup('<svg role="img" aria-label="{}" viewBox="0 0 {} {}">{}</svg>').format(
        label, _WIDTH, _HEIGHT, Markup("").join(map(escape, parts))
    )
