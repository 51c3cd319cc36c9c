"""Packages that look as if they were installed."""

from __future__ import annotations

from pathlib import Path


def install(folder: Path, name: str, points: dict[str, dict[str, str]]) -> None:
    """Make a folder look like one in which a package is installed."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        line
        for group, entries in points.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
