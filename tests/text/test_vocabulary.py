"""A vocabulary numbers pieces, comes back from its file, and never takes text for a mark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.errors import InputError
from docmt.text.vocabulary import SPECIALS, Vocabulary

PIECES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
        lambda piece: piece not in SPECIALS
    ),
    unique=True,
)


def test_the_specials_have_fixed_numbers():
    vocabulary = Vocabulary([*SPECIALS, "a"])
    assert (vocabulary.begin, vocabulary.pad, vocabulary.end, vocabulary.unknown) == (0, 1, 2, 3)
    assert vocabulary.decode([0, 1, 2, 3, 4]) == ["<s>", "<pad>", "</s>", "<unk>", "a"]


def test_text_that_is_spelled_like_a_mark_is_unknown():
    vocabulary = Vocabulary([*SPECIALS, "a"], ["[de]"])
    assert vocabulary.encode(["a", "<s>", "[de]", "</s>", "b"]) == [4, 3, 3, 3, 3]
    assert vocabulary.special_ids == {0, 1, 2, 3, 5}
    assert vocabulary.ids["[de]"] == 5


@given(PIECES, st.integers(0, 3))
def test_every_piece_survives_the_file(tmp_path_factory, pieces, marks):
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary"
    cut = max(len(pieces) - marks, 0)
    vocabulary = Vocabulary([*SPECIALS, *pieces[:cut]], pieces[cut:])
    vocabulary.save(path)
    loaded = Vocabulary.load(path)
    assert (loaded.tokens, loaded.extra) == (vocabulary.tokens, vocabulary.extra)


@pytest.mark.parametrize(
    ("pieces", "problem"),
    [
        (["a", "b"], "begins with 'a, b'"),
        ([*SPECIALS, "a", "a"], "'a' twice"),
        ([*SPECIALS, "<s>"], "'<s>' twice"),
        ([*SPECIALS, ""], "empty piece"),
    ],
)
def test_what_is_no_vocabulary_is_an_error(pieces, problem):
    with pytest.raises(InputError, match=problem):
        Vocabulary(pieces)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<s>\n<pad>\n", "begins with"),
        ("<s>\n<pad>\n</s>\n<unk>\na\na\n", "twice"),
        ('<s>\n<pad>\n</s>\n<unk>\na"b\n', "line 5"),
    ],
)
def test_a_file_that_is_no_vocabulary_is_named(tmp_path, content, problem):
    path = tmp_path / "joint.vocabulary"
    path.write_text(content)
    with pytest.raises(InputError, match=f"joint.vocabulary.*{problem}"):
        Vocabulary.load(path)
