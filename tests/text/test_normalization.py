"""Normalisation gives one spelling to what looks the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.errors import InputError
from docmt.text.normalization import Normalisation

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
def test_normalised_text(kind, text, expected):
    assert Normalisation(kind, "de").apply(text) == expected


@given(TEXT)
def test_nfc_is_nfc_without_stray_white_space(text):
    normalised = Normalisation("nfc", "en").apply(text)
    assert normalised == unicodedata.normalize("NFC", normalised)
    assert normalised == " ".join(normalised.split())
    assert Normalisation("nfc", "en").apply(normalised) == normalised


@given(TEXT)
def test_nfkd_is_composed_again(text):
    normalisation = Normalisation("nfkd", "en")
    decomposed = normalisation.apply(text)
    assert decomposed == unicodedata.normalize("NFKD", decomposed)
    assert normalisation.invert(decomposed) == unicodedata.normalize("NFC", decomposed)
    assert normalisation.apply(normalisation.invert(decomposed)) == decomposed


def test_half_a_surrogate_pair_is_an_error():
    with pytest.raises(InputError, match="U\\+D83D, half of a character"):
        Normalisation("nfc", "en").apply("smile \ud83d")
