"""Byte-pair encoding is Sennrich's, is exact about merges, and tells text from special tokens."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.text import Vocabulary
from docmt_nmt.text.bpe import BytePairEncoding
from docmt_nmt.text.bpe_codes import MergeOperations, read_codes
from docmt_nmt.text.normalization import collapse_whitespace
from docmt_nmt.text.vocabulary import SPECIAL_TOKENS

SIGNS = st.sampled_from(["@@", "@", "<s>", "</s>", "<unk>", "</w>", "<pad>", "\n"])


@pytest.fixture(scope="module")
def pairs(english, german) -> BytePairEncoding:
    return BytePairEncoding.learn([english, german], merges=1000)


def merged(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Merge each occurrence of a pair, from left to right."""
    out: list[str] = []
    for symbol in symbols:
        if out and (out[-1], symbol) == pair:
            out[-1] += symbol
        else:
            out.append(symbol)
    return out


def split_by_the_paper(word: str, operations: MergeOperations) -> list[str]:
    """Algorithm 1 of Sennrich et al. 2016 applied to one word, one operation after the other."""
    symbols = [*word[:-1], word[-1] + "</w>"] if operations.end_attached else [*word, "</w>"]
    for pair in operations.merges:
        symbols = merged(symbols, pair)
    symbols[-1] = symbols[-1].removesuffix("</w>")
    symbols = symbols if symbols[-1] else symbols[:-1]
    return [*(symbol + "@@" for symbol in symbols[:-1]), symbols[-1]]


def test_words_are_split_as_the_paper_says(pairs, unseen):
    for word in sorted({word for text in unseen[:100] for word in text.split()}):
        assert pairs.split(word) == split_by_the_paper(word, pairs.operations)


def test_each_merge_is_a_most_frequent_pair(pairs, english, german):
    words = Counter(word for text in english + german for word in text.split())
    split = {word: [*word[:-1], word[-1] + "</w>"] for word in words}
    for pair in pairs.operations.merges[:6]:
        counts: Counter[tuple[str, str]] = Counter()
        for word, symbols in split.items():
            for two in pairwise(symbols):
                counts[two] += words[word]
        assert counts[pair] == max(counts.values())
        split = {word: merged(symbols, pair) for word, symbols in split.items()}


def test_there_are_exactly_so_many_merges(pairs, english, german):
    assert len(pairs.operations.merges) == 1000
    characters = set("".join(english + german)) - {" "}
    assert len(pairs.vocabulary) <= 4 + 2 * len(characters) + 1000


def test_too_many_merges_are_an_error():
    with pytest.raises(InputError, match=r"yields 3 merge operations.*Set text\.merges to 3"):
        BytePairEncoding.learn([["abcd abcd"]], merges=5)


def test_the_same_corpus_gives_the_same_subwords(pairs, english, german):
    for _ in range(3):
        again = BytePairEncoding.learn([english, german], merges=1000)
        assert again.operations == pairs.operations
        assert again.vocabulary.tokens == pairs.vocabulary.tokens


def test_known_characters_are_never_unknown(pairs, unseen, english, german):
    known = set("".join(english + german))
    for text, ids in zip(unseen, pairs.encode(unseen), strict=True):
        if known.issuperset(text):
            assert pairs.vocabulary.unk_id not in ids
            assert pairs.decode(ids) == text


def test_each_character_that_was_never_seen_is_one_unknown(pairs):
    assert pairs.split("日本 a日") == ["日@@", "本", "a@@", "日"]
    ids = pairs.encode(["日本 a日"])[0]
    assert [n == pairs.vocabulary.unk_id for n in ids] == [True, True, False, True]
    assert pairs.decode(ids) == "<unk> <unk> a<unk>"


SIGNED = BytePairEncoding.learn(
    [["abc@@ <s> a</w> x@@ <unk> abc <pad> abc</s> @@@@ @ </w>x </w> a@ @a ab@@c"] * 20], merges=23
)


@given(st.lists(st.sampled_from("abc x") | SIGNS).map("".join).map(collapse_whitespace))
def test_signs_in_the_text_are_text(text):
    (ids,) = SIGNED.encode([text])
    assert SIGNED.decode(ids) == text
    assert not SIGNED.vocabulary.special_ids.intersection(ids)


def test_a_last_word_that_goes_on_ends_there(pairs):
    ids = [pairs.vocabulary.ids["a@@"]]
    assert pairs.decode(ids) == "a"
    assert pairs.decode([]) == ""


def test_merges_survive_their_file_and_are_those_of_subword_nmt(pairs, tmp_path, unseen):
    pairs.save(tmp_path / "joint")
    lines = (tmp_path / "joint.codes").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#version: 0.2"
    assert all(re.fullmatch(r"\S+ \S+", line) for line in lines[1:])
    loaded = BytePairEncoding.load(tmp_path / "joint", pairs.vocabulary)
    assert loaded.operations == pairs.operations
    assert loaded.encode(unseen[:50]) == pairs.encode(unseen[:50])


@pytest.mark.parametrize(
    ("content", "merges", "end_attached"),
    [
        ("#version: 0.2\ne r</w>\nt h\n", (("e", "r</w>"), ("t", "h")), True),
        ("e r</w> 120\nt h 80\n", (("e", "r</w>"), ("t", "h")), True),
        ("e r\nr </w>\n", (("e", "r"), ("r", "</w>")), False),
        ("#version: 0.1\ner </w>\nt h\nt h\n", (("er", "</w>"), ("t", "h")), False),
    ],
)
def test_published_codes_are_read(tmp_path, content, merges, end_attached):
    path = tmp_path / "codes"
    path.write_text(content)
    assert read_codes(path) == MergeOperations(merges, end_attached)


@pytest.mark.parametrize("word", ["her", "hers", "there", "r", "e", "erer"])
def test_codes_in_which_the_end_of_a_word_is_a_symbol_split_words_too(word):
    merges = (("e", "r"), ("er", "</w>"), ("h", "er</w>"), ("r", "</w>"))
    operations = MergeOperations(merges, end_attached=False)
    pairs = BytePairEncoding(operations, Vocabulary([*SPECIAL_TOKENS]))
    assert pairs.split(word) == split_by_the_paper(word, operations)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "the file has no merge operations"),
        ("#version: 0.2\n", "the file has no merge operations"),
        ("#version: 0.7\na b\n", "line 1: unknown version of merge operations"),
        ("#version: 0.2\na b\nabc\n", "line 3: not a merge operation"),
        ("a  b\n", "line 1: not a merge operation"),
        ("a b c\n", "line 1: not a merge operation"),
    ],
)
def test_a_file_that_is_not_a_codes_file_is_named(tmp_path, content, problem):
    path = tmp_path / "codes"
    path.write_text(content)
    with pytest.raises(InputError, match=problem):
        read_codes(path)
