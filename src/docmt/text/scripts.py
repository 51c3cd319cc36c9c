"""Scripts, such as Latin or Cyrillic: those that a text is written in, by the Script property of
its characters (Unicode Standard Annex 24), and those that a language is written in.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import groupby

import regex

from docmt.text.languages import primary_language

_SCRIPTS = (
    "Latin",
    "Cyrillic",
    "Greek",
    "Armenian",
    "Georgian",
    "Hebrew",
    "Arabic",
    "Syriac",
    "Thaana",
    "Ethiopic",
    "Devanagari",
    "Bengali",
    "Gurmukhi",
    "Gujarati",
    "Oriya",
    "Tamil",
    "Telugu",
    "Kannada",
    "Malayalam",
    "Sinhala",
    "Thai",
    "Lao",
    "Tibetan",
    "Myanmar",
    "Khmer",
    "Mongolian",
    "Han",
    "Hiragana",
    "Katakana",
    "Bopomofo",
    "Hangul",
    "Yi",
    "Tifinagh",
    "Nko",
    "Ol_Chiki",
    "Meetei_Mayek",
    "Cherokee",
    "Canadian_Aboriginal",
)
"""The scripts that are told apart, by their names in Unicode."""

_OTHER = "Other"
"""All other scripts together."""

_ONE = regex.compile(
    "|".join(rf"(?P<{script}>\p{{Script={script}}})" for script in _SCRIPTS)
    + rf"|(?P<{_OTHER}>(?!\p{{Script=Common}}|\p{{Script=Inherited}})\p{{L}})"
)
"""A character of a script. Digits, punctuation and symbols are of none."""

_BY_CODE = {
    "Arab": ("Arabic",),
    "Armn": ("Armenian",),
    "Beng": ("Bengali",),
    "Cyrl": ("Cyrillic",),
    "Deva": ("Devanagari",),
    "Ethi": ("Ethiopic",),
    "Geor": ("Georgian",),
    "Grek": ("Greek",),
    "Gujr": ("Gujarati",),
    "Guru": ("Gurmukhi",),
    "Hang": ("Hangul",),
    "Hani": ("Han",),
    "Hans": ("Han",),
    "Hant": ("Han",),
    "Hebr": ("Hebrew",),
    "Jpan": ("Hiragana", "Katakana", "Han"),
    "Khmr": ("Khmer",),
    "Knda": ("Kannada",),
    "Kore": ("Hangul", "Han"),
    "Laoo": ("Lao",),
    "Latn": ("Latin",),
    "Mlym": ("Malayalam",),
    "Mong": ("Mongolian",),
    "Mymr": ("Myanmar",),
    "Olck": ("Ol_Chiki",),
    "Orya": ("Oriya",),
    "Sinh": ("Sinhala",),
    "Taml": ("Tamil",),
    "Telu": ("Telugu",),
    "Tfng": ("Tifinagh",),
    "Thaa": ("Thaana",),
    "Thai": ("Thai",),
    "Tibt": ("Tibetan",),
}
"""The scripts by the codes of ISO 15924 that a language code may name, as in `zho_Hans`."""

_LANGUAGES = {
    "Latn": (
        "af ast az bs ca ceb cs cy da de en es et eu fi fo fr fy ga gd gl ha hr ht hu "
        "id ig ilo is it jv la lb lg ln lt lv mg mi ms mt nb nl nn no ns oc pl pt ro sk sl sn so "
        "sq ss st su sv sw tl tn to tr ts uz vi wo xh yo zu afr als aze bos cat ces cym dan deu "
        "eng epo eo est eus fin fra gle glg hat hau hrv hun ibo ind isl ita jav lat lav lit mlt "
        "msa nld nob nor nno pol por ron slk slv som spa sqi swa swe tgl tur uzb vie xho yor zul"
    ),
    "Cyrl": ("ba be bg cv kk ky mk mn ru tg tt uk bak bel bul chv kaz kir mkd mon rus tgk tat ukr"),
    "Grek": "el ell",
    "Armn": "hy hye",
    "Geor": "ka kat",
    "Hebr": "he iw yi heb yid",
    "Arab": "ar fa ps sd ug ur ara fas pes prs pus snd uig urd",
    "Ethi": "am ti amh tir",
    "Deva": "hi mr ne sa hin mar nep san",
    "Beng": "as bn asm ben",
    "Guru": "pa pan",
    "Gujr": "gu guj",
    "Orya": "or ory",
    "Taml": "ta tam",
    "Telu": "te tel",
    "Knda": "kn kan",
    "Mlym": "ml mal",
    "Sinh": "si sin",
    "Thai": "th tha",
    "Laoo": "lo lao",
    "Tibt": "bo bod dz dzo",
    "Mymr": "my mya",
    "Khmr": "km khm",
    "Thaa": "dv div",
    "Hani": "zh zho chi cmn yue wuu",
    "Jpan": "ja jpn",
    "Kore": "ko kor",
}
"""The languages by the code of the script that they are mostly written in. Those that have two,
such as Serbian, are left out."""

_SCRIPT_OF = {
    language: script for script, languages in _LANGUAGES.items() for language in languages.split()
}


@cache
def _script_of(character: str) -> str:
    """The script of a character; empty if it has none."""
    match = _ONE.match(character)
    return match.lastgroup or "" if match else ""


def count_scripts(text: str) -> Counter[str]:
    """How many characters of a text are of each script, such as `Latin`. Digits, punctuation,
    symbols and white space are not counted; rare scripts are counted together as `Other`."""
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        if script := _script_of(character):
            counts[script] += count
    return counts


def find_script(text: str, script: str) -> str:
    """The first characters of a script in a text, up to the next of another; empty if none is."""
    return next(("".join(run) for found, run in groupby(text, _script_of) if found == script), "")


def scripts_of_language(language: str) -> tuple[str, ...]:
    """The scripts that a language is written in, the most frequent first; empty if they are not
    known.

    Args:
        language: a language code. If it names a script, as `sr_Latn` and `zho_Hant`, that is used.

    Raises:
        InputError: it is not written as a code.
    """
    primary = primary_language(language)
    for part in language.replace("_", "-").split("-")[1:]:
        if part.title() in _BY_CODE:
            return _BY_CODE[part.title()]
    return _BY_CODE.get(_SCRIPT_OF.get(primary, ""), ())
