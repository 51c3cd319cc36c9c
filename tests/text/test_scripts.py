"""The scripts that a text and a language are written in."""

from __future__ import annotations

import pytest

from docmt.errors import InputError
from docmt.text.scripts import count_scripts, find_script, scripts_of_language


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Straße, naïve № 5", {"Latin": 11}),
        ("12:30 – “…” ½ €", {}),
        ("α-Helix", {"Greek": 1, "Latin": 5}),
        ("Привет Bob", {"Cyrillic": 6, "Latin": 3}),
        ("日本のカメラ", {"Han": 2, "Hiragana": 1, "Katakana": 3}),
        ("한국어 中文", {"Hangul": 3, "Han": 2}),
        ("مرحبا שלום", {"Arabic": 5, "Hebrew": 4}),
        ("ᚠᚢᚦ", {"Other": 3}),
    ],
)
def test_characters_are_counted_by_script(text: str, counts: dict[str, int]) -> None:
    assert count_scripts(text) == counts


def test_the_first_characters_of_a_script_are_found() -> None:
    assert find_script("ein Привет und мир", "Cyrillic") == "Привет"
    assert find_script("ein Gruß", "Cyrillic") == ""


@pytest.mark.parametrize(
    ("language", "scripts"),
    [
        ("de", ("Latin",)),
        ("deu_Latn", ("Latin",)),
        ("ru", ("Cyrillic",)),
        ("zh-Hant", ("Han",)),
        ("zh_CN", ("Han",)),
        ("jpn_Jpan", ("Hiragana", "Katakana", "Han")),
        ("srp_Cyrl", ("Cyrillic",)),
        ("sr", ()),
        ("xx", ()),
    ],
)
def test_a_language_has_scripts_where_they_are_known(
    language: str, scripts: tuple[str, ...]
) -> None:
    assert scripts_of_language(language) == scripts


def test_a_language_must_be_a_code() -> None:
    with pytest.raises(InputError, match="'German' is not a valid language code"):
        scripts_of_language("German")
