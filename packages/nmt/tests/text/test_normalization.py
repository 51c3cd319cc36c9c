"""Normalization gives one spelling to what looks the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesPunctNormalizer

from docmt_files.base.errors import InputError
from docmt_nmt.text.normalization import (
    _LONG,
    _QUOTE_AFTER_DOTS,
    Normalization,
    normalize_characters,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("none", "  a\u00a0 b\t\r\nc\u3000", "a b c"),
        ("none", "e\u0301", "e\u0301"),
        ("nfc", "e\u0301 \u2028", "\u00e9"),
        ("nfc", "„Ja“ – nein…", "„Ja“ – nein…"),
        ("nfkd", "Mönche ½ ﬁ", "Mo\u0308nche 1\u20442 fi"),
        ("moses", "„Ja“ – nein…", '"Ja" - nein...'),
        ("moses", "«\u00a0Nein\u00a0»", '"Nein"'),
        ("moses", "50\u00a0%", "50%"),
        ("nfc", " \n ", ""),
    ],
)
def test_normalized_text(kind, text, expected):
    assert Normalization(kind, "de").apply(text) == expected


@given(TEXT)
def test_nfc_is_nfc_without_stray_white_space(text):
    normalized = Normalization("nfc", "en").apply(text)
    assert normalized == unicodedata.normalize("NFC", normalized)
    assert normalized == " ".join(normalized.split())
    assert Normalization("nfc", "en").apply(normalized) == normalized


@given(TEXT)
def test_nfkd_is_composed_again(text):
    normalization = Normalization("nfkd", "en")
    decomposed = normalization.apply(text)
    assert decomposed == unicodedata.normalize("NFKD", decomposed)
    assert normalization.invert(decomposed) == unicodedata.normalize("NFC", decomposed)
    assert normalization.apply(normalization.invert(decomposed)) == decomposed


HOSTILE = st.text(st.sampled_from('.…" <,a0\u00a0„“'), max_size=40)


@given(TEXT | HOSTILE, st.sampled_from(["en", "de", "fr", "es", "cs", "zh"]))
@settings(deadline=None)
def test_punctuation_is_that_of_sacremoses(text, language):
    expected = MosesPunctNormalizer(language).normalize(unicodedata.normalize("NFC", text))
    assert Normalization("moses", language).apply(text) == " ".join(expected.split())


def test_sacremoses_has_the_rule_that_is_replaced():
    rules = [pattern for pattern, _ in MosesPunctNormalizer("de").substitutions]
    assert rules.count(_QUOTE_AFTER_DOTS) == 1


MARKS = st.sampled_from(
    "\u0301\u0323\u0344\u0f73\u0f71\u3099\u1100\u1161\u11a8\u0390\ufb2c\u05bceoa 가"
)


@given(st.text(st.characters(exclude_categories=["Cs"]) | MARKS, max_size=60))
def test_long_lines_are_normalized_like_short_ones(text):
    long = text + "." * _LONG
    for form in ("NFC", "NFKD"):
        assert normalize_characters(form, long) == unicodedata.normalize(form, long)


def test_half_a_surrogate_pair_is_an_error():
    with pytest.raises(InputError, match="U\\+D83D, half of a character"):
        Normalization("nfc", "en").apply("smile \ud83d")
