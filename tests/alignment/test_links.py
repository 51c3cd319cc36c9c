"""Alignments from files, and the combination of two directions."""

from __future__ import annotations

import pytest

from docmt.alignment.links import grow_diag_final_and, read_alignment
from docmt.errors import InputError

SENTENCES = [(["a", "b", "c"], ["x", "y", "z"]), (["a"], []), (["a", "b"], ["x"])]


def written(tmp_path, text: str):
    path = tmp_path / "out.align"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_of_the_pharaoh_format_is_the_links_of_a_sentence(tmp_path):
    alignment = read_alignment(written(tmp_path, "0-0 2-1 2-2\n\n1-0\n"), SENTENCES)
    assert alignment.links == [{(0, 0), (2, 1), (2, 2)}, set(), {(1, 0)}]
    assert alignment.method == "file"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n\n", "has 2 lines, the text 3 sentences"),
        ("0-0\n\n0-0\n\n", "has 4 lines, the text 3 sentences"),
        ("0-0\n\n0:0\n", "line 3: '0:0' is not a link"),
        ("0-0 0--1\n\n\n", "line 1: '0--1' is not a link"),
        ("3-0\n\n\n", "line 1: the link 3-0 is .* not exist: .* 3 words, .* 3 words"),
        ("\n0-0\n\n", "line 2: the link 0-0 .* 1 word, its translation 0 words"),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_alignment(written(tmp_path, text), SENTENCES)


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
