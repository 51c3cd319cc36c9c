"""Which characters of two spellings of a sentence stand for each other."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_nmt.text.spellings import carried_spans, matched_characters

SPELLINGS = [
    # first, range in it, second, what the range is there
    ("the dog", (4, 7), "The  DOG", "DOG"),
    ("it &apos;s me", (3, 9), "it's me", "'"),
    ("it &apos;s me", (11, 13), "it's me", "me"),
    ("e\u0301tude", (0, 2), "étude", "é"),
    ("étude", (0, 1), "e\u0301tude", "e\u0301"),
    ("a @-@ b", (6, 7), "a - b", "b"),
    ("colour of", (7, 9), "color of", "of"),
    ("ﬁne … day", (6, 9), "fine ... day", "day"),
    ("“so” he", (5, 7), '"so" he', "he"),
    ("&quot;&lt;x&gt;&quot; he", (22, 24), '"<x>" he', "he"),
]


@pytest.mark.parametrize(("first", "span", "second", "expected"), SPELLINGS)
def test_a_range_is_found_in_another_spelling(first, span, second, expected):
    ((start, end),) = carried_spans([span], first, second)
    assert second[start:end] == expected


def test_a_range_that_stands_for_nothing_is_empty():
    assert carried_spans([(0, 1), (1, 2), (2, 3)], "a b", "a b") == [(0, 1), (1, 1), (2, 3)]
    assert carried_spans([(0, 1)], "a", "") == [(0, 0)]


@given(st.text("aA bé\u0301.&;…ﬁ", max_size=40), st.text("aA bé\u0301.&;…ﬁ", max_size=40))
def test_pairs_are_in_order_and_in_range(first, second):
    pairs = matched_characters(first, second)
    assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(pairs))
    assert all(i < len(first) and j < len(second) for i, j in pairs)
    assert not any(first[i].isspace() or second[j].isspace() for i, j in pairs)


@given(st.text(max_size=40), st.text("bc.&", max_size=3), st.integers(0, 40))
def test_what_surrounds_a_change_is_matched_with_itself(text, change, at):
    at = min(at, len(text))
    text = "xyz" + text[:at] + text[at:] + "xyz"
    changed = text[: at + 3] + change + text[at + 3 :]
    pairs = matched_characters(text, changed)
    assert (0, 0) in pairs
    assert (len(text) - 1, len(changed) - 1) in pairs


@pytest.mark.parametrize(
    ("first", "second"), [("a", "b"), ("ab", "ba"), ("a ", "aa"), ("aab", "b")]
)
def test_long_texts_take_linear_time(first, second):
    start = time.process_time()
    matched_characters(first * 20_000, second * 20_000)
    assert time.process_time() - start < 4
