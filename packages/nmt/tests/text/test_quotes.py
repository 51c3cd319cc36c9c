"""Quotation marks get a direction and lose it again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_nmt.text.quotes import DirectionalQuotes

QUOTES = DirectionalQuotes()
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" ab.,(-\"'“”„‘’‚"))


@pytest.mark.parametrize(
    ("text", "directional"),
    [
        ('"Yes," he said, "no."', "“Yes,” he said, “no.”"),
        ("\"'Hello,' he said.\"", "“‘Hello,’ he said.”"),
        ("'I don't,' said the monks' friend", "‘I don’t,’ said the monks’ friend"),
        ('(the "Simile") and -"so"-', "(the “Simile”) and -“so”-"),
        ('said " yes " and " no "', "said “ yes ” and “ no ”"),
        ('他说："你好。"然后"走"了', "他说：“你好。”然后“走”了"),
        ("„Ja“, sagte er: ‚Nein‘.", "“Ja”, sagte er: ‘Nein’."),
        ("«Da»", "«Da»"),
    ],
)
def test_marks_point_the_way_their_place_says(text, directional):
    assert QUOTES.apply(text) == directional


@given(TEXT)
def test_straight_marks_come_back(text):
    directional = QUOTES.apply(text)
    assert QUOTES.invert(directional) == QUOTES.invert(text)
    assert QUOTES.apply(directional) == directional
    assert not {'"', "'"} & set(directional)


def test_the_direction_in_english_text_is_found_again(unseen):
    quoted = [text for text in unseen[: len(unseen) // 2] if "“" in text]
    wrong = [text for text in quoted if QUOTES.apply(QUOTES.invert(text)) != text]
    assert len(quoted) > 50
    assert not wrong
