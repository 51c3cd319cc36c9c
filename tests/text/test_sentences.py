"""Running text is split into sentences, and nothing of it is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.text.sentences import sentence_spans

TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(' \n.!?。"()»«…aB1'))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Dr. Smith came. He left.", ["Dr. Smith came.", "He left."]),
        ("de-AT", "Am 3. Mai z. B. war er da. Ja!", ["Am 3. Mai z. B. war er da.", "Ja!"]),
        ("zh", "他来了。她走了！", ["他来了。", "她走了！"]),
        ("hi", "वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("ar", "ذهب إلى البيت. ثم نام؟ نعم.", ["ذهب إلى البيت.", "ثم نام؟", "نعم."]),
        ("tlh", "Mr. Smith came. He left.", ["Mr. Smith came.", "He left."]),
        ("en", "One\nsentence. Two.\n", ["One\nsentence.", "Two."]),
        ("en", " \n ", []),
    ],
)
def test_a_paragraph_is_split(language, text, expected):
    assert [text[start:end] for start, end in sentence_spans(text, language)] == expected


@given(TEXT, st.sampled_from(["en", "de", "zh", "ru", "th", "xx"]))
def test_between_sentences_there_is_white_space_alone(text, language):
    last = 0
    for start, end in [*sentence_spans(text, language), (len(text), len(text))]:
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        last = end


def test_real_sentences_are_found_again(english):
    whole = [text for text in english if re.fullmatch(r"[A-Z][a-z ,]+[.?!]", text)]
    found = sentence_spans(" ".join(whole), "en")
    assert len(whole) > 50
    assert len(found) == len(whole)
