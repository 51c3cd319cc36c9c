"""Alignments from files."""

from __future__ import annotations

import pytest

from docmt_files.base.errors import InputError
from docmt_research.discourse.alignment_files import read_alignment

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
