"""Comparisons of systems, against all swaps of few documents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from docmt_research.discourse import DiscourseScore, compare_discourse
from docmt_research.discourse.discourse_scores import ratio_statistics

OURS = [(3, 4), (5, 5), (0, 1), (7, 9), (2, 2), (6, 8)]
THEIRS = [(2, 4), (3, 5), (1, 1), (4, 9), (1, 2), (6, 8)]


def score(counts: list[tuple[int, int]], settings: str = "x:1") -> DiscourseScore:
    names = [str(i) for i in range(len(counts))]
    statistics = ratio_statistics(names, [(n, *c) for n, c in zip(names, counts, strict=True)], "")
    return DiscourseScore("APT", statistics.score, len(counts), 10, settings, statistics)


def test_p_is_the_share_of_all_swaps_that_differ_as_much():
    ours, theirs = np.array(OURS, float), np.array(THEIRS, float)

    def difference(swapped) -> float:
        mask = np.array(swapped)[:, None]
        a, b = np.where(mask, theirs, ours).sum(0), np.where(mask, ours, theirs).sum(0)
        return 100 * (a[0] / a[1] - b[0] / b[1])

    swaps = list(product([False, True], repeat=len(OURS)))
    observed = difference(swaps[0])
    exact = np.mean([abs(difference(s)) >= abs(observed) - 1e-9 for s in swaps])
    found = compare_discourse(score(OURS), score(THEIRS), baseline_name="other.de")
    assert found.difference == pytest.approx(observed)
    assert found.p == pytest.approx(exact, abs=0.02)
    assert found.low < found.difference < found.high
    # Of the six documents four are better, one is worse, one the same.
    assert (found.sign.better, found.sign.worse, found.sign.same) == (4, 1, 1)
    assert "other.de" in str(found) and "segments 6" in str(found)


def test_what_makes_a_comparison_misleading_is_said():
    notes = compare_discourse(score(OURS), score(OURS, "x:2")).notes
    assert len(notes) == 4
    assert "signatures of the two differ" in notes[0]
    assert "all counts of the two are the same" in notes[1]
    assert "only 6 documents" in notes[2]
    assert "p cannot be less than 0.031" in notes[3]
    assert compare_discourse(score(OURS * 4), score(THEIRS * 4)).notes == ()
