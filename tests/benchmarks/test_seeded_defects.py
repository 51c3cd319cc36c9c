"""The defects of the benchmark's table are seen, and their sound translations are not marked."""

from __future__ import annotations

import pytest


@pytest.fixture
def seeded_defects(benchmark):
    """The module, which the fixture `benchmark` makes importable."""
    import seeded_defects

    return seeded_defects


def test_nearly_all_defects_of_the_table_are_seen(seeded_defects, tmp_path):
    seen = seeded_defects.seen_defects(tmp_path)
    missed = [(each.language, each.kind) for each, found in seen.items() if not found[0]]
    assert len(seen) > 120
    assert len(missed) <= 5, missed


def test_each_row_has_a_defect(seeded_defects):
    rows = seeded_defects.defects()
    assert all(row.sound != row.damaged and row.source != row.sound for row in rows)
    assert len({(row.language, row.source) for row in rows}) == len(rows)
    assert len({row.language for row in rows}) >= 8


def test_sound_translations_have_next_to_no_findings(seeded_defects, tmp_path):
    findings = [
        finding
        for path in seeded_defects.sound_files(tmp_path)
        for finding in seeded_defects.findings_of(path)
    ]
    assert len(findings) <= 1, findings
