"""Byte-pair encoding is Sennrich's, is exact about its merges, and keeps signs apart from text."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.errors import InputError
from docmt.text.bpe import BytePairs
from docmt.text.bpe_codes import Codes, read_codes
from docmt.text.normalization import collapse
from docmt.text.vocabulary import SPECIALS, Vocabulary

SIGNS = st.sampled_from(["@@", "@", "<s>", "</s>", "<unk>", "</w>", "<pad>", "\n"])


@pytest.fixture(scope="module")
def pairs(english, german) -> BytePairs:
    return BytePairs.learn([english, german], merges=1000)


def merged(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Merge each occurrence of a pair, from left to right."""
    out: list[str] = []
    for symbol in symbols:
        if out and (out[-1], symbol) == pair:
            out[-1] += symbol
        else:
            out.append(symbol)
    return out


def cut_by_the_paper(word: str, codes: Codes) -> list[str]:
    """Algorithm 1 of Sennrich et al. 2016 applied to one word, one operation after the other."""
    symbols = [*word[:-1], word[-1] + "</w>"] if codes.end_attached else [*word, "</w>"]
    for pair in codes.merges:
        symbols = merged(symbols, pair)
    symbols[-1] = symbols[-1].removesuffix("</w>")
    symbols = symbols if symbols[-1] else symbols[:-1]
    return [*(symbol + "@@" for symbol in symbols[:-1]), symbols[-1]]


def test_words_are_cut_as_the_paper_says(pairs, unseen):
    for word in sorted({word for text in unseen[:100] for word in text.split()}):
        assert pairs.pieces(word) == cut_by_the_paper(word, pairs.codes)


def test_each_merge_is_a_most_frequent_pair(pairs, english, german):
    words = Counter(word for text in english + german for word in text.split())
    cut = {word: [*word[:-1], word[-1] + "</w>"] for word in words}
    for pair in pairs.codes.merges[:6]:
        counts: Counter[tuple[str, str]] = Counter()
        for word, symbols in cut.items():
            for two in pairwise(symbols):
                counts[two] += words[word]
        assert counts[pair] == max(counts.values())
        cut = {word: merged(symbols, pair) for word, symbols in cut.items()}


def test_there_are_exactly_so_many_merges(pairs, english, german):
    assert len(pairs.codes.merges) == 1000
    characters = set("".join(english + german)) - {" "}
    assert len(pairs.vocabulary) <= 4 + 2 * len(characters) + 1000


def test_too_many_merges_are_an_error():
    with pytest.raises(InputError, match=r"yields 3 merge operations.*Set text\.merges to 3"):
        BytePairs.learn([["abcd abcd"]], merges=5)


def test_the_same_corpus_gives_the_same_pieces(pairs, english, german):
    for _ in range(3):
        again = BytePairs.learn([english, german], merges=1000)
        assert again.codes == pairs.codes
        assert again.vocabulary.tokens == pairs.vocabulary.tokens


def test_known_characters_are_never_unknown(pairs, unseen, english, german):
    known = set("".join(english + german))
    for text, numbers in zip(unseen, pairs.apply(unseen), strict=True):
        if known.issuperset(text):
            assert pairs.vocabulary.unknown not in numbers
            assert pairs.invert(numbers) == text


def test_each_character_that_was_never_seen_is_one_unknown(pairs):
    assert pairs.pieces("日本 a日") == ["日@@", "本", "a@@", "日"]
    numbers = pairs.apply(["日本 a日"])[0]
    assert [n == pairs.vocabulary.unknown for n in numbers] == [True, True, False, True]
    assert pairs.invert(numbers) == "<unk> <unk> a<unk>"


SIGNED = BytePairs.learn(
    [["abc@@ <s> a</w> x@@ <unk> abc <pad> abc</s> @@@@ @ </w>x </w> a@ @a ab@@c"] * 20], merges=23
)


@given(st.lists(st.sampled_from("abc x") | SIGNS).map("".join).map(collapse))
def test_signs_in_the_text_are_text(text):
    (numbers,) = SIGNED.apply([text])
    assert SIGNED.invert(numbers) == text
    assert not SIGNED.vocabulary.special_ids.intersection(numbers)


def test_a_last_word_that_goes_on_ends_there(pairs):
    numbers = [pairs.vocabulary.ids["a@@"]]
    assert pairs.invert(numbers) == "a"
    assert pairs.invert([]) == ""


def test_merges_survive_their_file_and_are_those_of_subword_nmt(pairs, tmp_path, unseen):
    pairs.save(tmp_path / "joint")
    lines = (tmp_path / "joint.codes").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#version: 0.2"
    assert all(re.fullmatch(r"\S+ \S+", line) for line in lines[1:])
    loaded = BytePairs.load(tmp_path / "joint", pairs.vocabulary)
    assert loaded.codes == pairs.codes
    assert loaded.apply(unseen[:50]) == pairs.apply(unseen[:50])


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
    assert read_codes(path) == Codes(merges, end_attached)


@pytest.mark.parametrize("word", ["her", "hers", "there", "r", "e", "erer"])
def test_codes_in_which_the_end_of_a_word_stands_apart_cut_words_too(word):
    codes = Codes((("e", "r"), ("er", "</w>"), ("h", "er</w>"), ("r", "</w>")), end_attached=False)
    pairs = BytePairs(codes, Vocabulary([*SPECIALS]))
    assert pairs.pieces(word) == cut_by_the_paper(word, codes)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "holds no merge operations"),
        ("#version: 0.2\n", "holds no merge operations"),
        ("#version: 0.7\na b\n", "line 1: merge operations of an unknown version"),
        ("#version: 0.2\na b\nabc\n", "line 3: no merge operation"),
        ("a  b\n", "line 1: no merge operation"),
        ("a b c\n", "line 1: no merge operation"),
    ],
)
def test_what_is_no_codes_file_is_named(tmp_path, content, problem):
    path = tmp_path / "codes"
    path.write_text(content)
    with pytest.raises(InputError, match=problem):
        read_codes(path)
