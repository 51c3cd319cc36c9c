"""The combination of the alignments of two directions."""

from __future__ import annotations

import pytest

from docmt.alignment.links import grow_diag_final_and


def links(text: str) -> frozenset[tuple[int, int]]:
    return frozenset((int(i), int(j)) for i, j in (pair.split("-") for pair in text.split()))


@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        # Both agree on 0-0. 1-1 is diagonal to it and both its words are free; 2-1 is next to
        # 1-1 and source word 2 is free.
        ("0-0 1-1", "0-0 2-1", "0-0 1-1 2-1"),
        # 0-1 is next to 0-0 and target word 1 is free. 1-1 then has source word 1 free.
        ("0-0 0-1", "0-0 1-1", "0-0 0-1 1-1"),
        # 3-3 has no neighbor, but both its words are free: final-and adds it. 3-0 is not added,
        # since target word 0 has a link.
        ("0-0 3-3", "0-0 3-0", "0-0 3-3"),
        # Nothing in common: final-and takes the forward links, then what fits of the backward.
        ("0-1", "0-2 3-3", "0-1 3-3"),
        ("", "", ""),
    ],
)
def test_two_directions_are_combined_as_by_hand(forward, backward, expected):
    assert grow_diag_final_and(links(forward), links(backward)) == links(expected)
