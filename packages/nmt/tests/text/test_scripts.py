"""The scripts that a text and a language are written in."""

from __future__ import annotations

import pytest
from babel.core import get_global

from docmt_files.base.errors import InputError
from docmt_nmt.text import scripts
from docmt_nmt.text.scripts import count_scripts, find_script, scripts_of_language


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
        ("srp", ()),
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


LANGUAGES = {
    ("Latin",): (
        "af ast az bs ca ceb cs cy da de en es et eu fi fo fr fy ga gd gl ha hr ht hu id ig "
        "ilo is it jv la lb lg ln lt lv mg mi ms mt nb nl nn no ns oc pl pt ro sk sl sn so sq "
        "ss st su sv sw tl tn to tr ts uz vi wo xh yo zu afr als aze bos cat ces cym dan deu "
        "eng epo eo est eus fin fra gle glg hat hau hrv hun ibo ind isl ita jav lat lav lit "
        "mlt msa nld nob nor nno pol por ron slk slv som spa sqi swa swe tgl tur uzb vie xho "
        "yor zul"
    ),
    (
        "Cyrillic",
    ): "ba be bg cv kk ky mk mn ru tg tt uk bak bel bul chv kaz kir mkd mon rus tgk tat ukr",
    ("Greek",): "el ell",
    ("Armenian",): "hy hye",
    ("Georgian",): "ka kat",
    ("Hebrew",): "he iw yi heb yid",
    ("Arabic",): "ar fa ps sd ug ur ara fas pes prs pus snd uig urd",
    ("Ethiopic",): "am ti amh tir",
    ("Devanagari",): "hi mr ne sa hin mar nep san",
    ("Bengali",): "as bn asm ben",
    ("Gurmukhi",): "pa pan",
    ("Gujarati",): "gu guj",
    ("Oriya",): "or ory",
    ("Tamil",): "ta tam",
    ("Telugu",): "te tel",
    ("Kannada",): "kn kan",
    ("Malayalam",): "ml mal",
    ("Sinhala",): "si sin",
    ("Thai",): "th tha",
    ("Lao",): "lo lao",
    ("Tibetan",): "bo bod dz dzo",
    ("Myanmar",): "my mya",
    ("Khmer",): "km khm",
    ("Thaana",): "dv div",
    ("Han",): "zh zho chi cmn yue wuu",
    ("Hiragana", "Katakana", "Han"): "ja jpn",
    ("Hangul", "Han"): "ko kor",
}
"""Languages by the scripts that they are mostly written in."""


@pytest.mark.parametrize("scripts", LANGUAGES)
def test_a_language_is_written_in_its_usual_script(scripts: tuple[str, ...]) -> None:
    languages = LANGUAGES[scripts].split()
    assert {language: scripts_of_language(language) for language in languages} == dict.fromkeys(
        languages, scripts
    )


def test_the_usual_scripts_of_languages_are_those_of_cldr() -> None:
    likely = get_global("likely_subtags")
    aliases = get_global("language_aliases")
    for language, script in scripts._USUAL.items():
        current = aliases.get(language, language).partition("_")[0]
        assert script in ("none", likely[current].split("_")[1]), language
    assert {language for language, script in scripts._USUAL.items() if script == "none"} == {
        "ku",
        "sr",
    }
