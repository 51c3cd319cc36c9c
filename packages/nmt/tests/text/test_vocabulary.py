"""A vocabulary gives tokens ids, survives its file, and never takes text for a special token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.text import Vocabulary
from docmt_nmt.text.pretrained import PretrainedVocabulary
from docmt_nmt.text.vocabulary import SPECIAL_TOKENS

SUBWORDS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
        lambda subword: subword not in SPECIAL_TOKENS
    ),
    unique=True,
)


def test_the_special_tokens_have_fixed_ids():
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "a"])
    assert (vocabulary.bos_id, vocabulary.pad_id, vocabulary.eos_id, vocabulary.unk_id) == (
        0,
        1,
        2,
        3,
    )
    assert vocabulary.decode([0, 1, 2, 3, 4]) == ["<s>", "<pad>", "</s>", "<unk>", "a"]


def test_a_mask_is_a_token_that_no_text_has():
    words = [*SPECIAL_TOKENS, "<mask>", "a"]
    assert Vocabulary([*SPECIAL_TOKENS, "a"], ["[de]", "<mask>"]).mask_id == 6
    plain = Vocabulary(words)
    assert plain.tokens[plain.mask_id] == "<pad>"
    assert PretrainedVocabulary(words, [0, 1, 2, 4], 3).mask_id == 4
    assert PretrainedVocabulary(words, [0, 1, 2], 3).mask_id == 3


def test_text_that_is_spelled_like_a_special_token_is_unknown():
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "a"], ["[de]"])
    assert vocabulary.encode(["a", "<s>", "[de]", "</s>", "b"]) == [4, 3, 3, 3, 3]
    assert vocabulary.special_ids == {0, 1, 2, 3, 5}
    assert vocabulary.ids["[de]"] == 5


@given(SUBWORDS, st.integers(0, 3))
def test_every_token_survives_the_file(tmp_path_factory, subwords, extra):
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary"
    cut = max(len(subwords) - extra, 0)
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *subwords[:cut]], subwords[cut:])
    vocabulary.save(path)
    loaded = Vocabulary.load(path)
    assert (loaded.tokens, loaded.extra) == (vocabulary.tokens, vocabulary.extra)


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        (["a", "b"], "begins with 'a, b'"),
        ([*SPECIAL_TOKENS, "a", "a"], "'a' twice"),
        ([*SPECIAL_TOKENS, "<s>"], "'<s>' twice"),
        ([*SPECIAL_TOKENS, ""], "empty token"),
    ],
)
def test_tokens_that_do_not_make_a_vocabulary_are_an_error(tokens, problem):
    with pytest.raises(InputError, match=problem):
        Vocabulary(tokens)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<s>\n<pad>\n", "begins with"),
        ("<s>\n<pad>\n</s>\n<unk>\na\na\n", "twice"),
        ('<s>\n<pad>\n</s>\n<unk>\na"b\n', "line 5"),
    ],
)
def test_a_file_that_is_not_a_vocabulary_is_named(tmp_path, content, problem):
    path = tmp_path / "joint.vocabulary"
    path.write_text(content)
    with pytest.raises(InputError, match=f"joint.vocabulary.*{problem}"):
        Vocabulary.load(path)
