"""Language codes, such as `en`, `de-AT` or `zh_Hant`."""

from __future__ import annotations

import re

from docmt_files.base.errors import InputError

_FROM_RIGHT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "syr", "ug", "ur", "yi")
)
"""Languages written from right to left."""

_SCRIPTS_FROM_RIGHT = frozenset(("adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"))


def check_language_code(language: str) -> str:
    """Return a language, if it is written as a code.

    Raises:
        InputError: it is not written as a code, for example as a full name.

    >>> check_language_code("zh_Hant")
    'zh_Hant'
    """
    if not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", language):
        raise InputError(
            f"{language!r} is not a valid language code",
            cure="Write one such as en, de-AT or zh_Hant",
        )
    return language


def primary_language(language: str) -> str:
    """Return a language without script and region, in lower case.

    Raises:
        InputError: it is not written as a code.

    >>> primary_language("de-AT")
    'de'
    """
    return primary_subtag(check_language_code(language))


def primary_subtag(code: str) -> str:
    """Return the language of a code without script and region, in lower case. Files may name
    anything, so nothing is checked.

    >>> primary_subtag("zh_Hant")
    'zh'
    """
    return language_tag(code).partition("-")[0].lower()


def language_tag(language: str) -> str:
    """Return a language as HTML and XML name it (BCP 47): `zh-Hant` for `zh_Hant`."""
    return language.replace("_", "-")


def is_right_to_left(language: str) -> bool:
    """Return whether a language is written from right to left, in the usual script or in the script
    named by the code.

    Raises:
        InputError: it is not written as a code.
    """
    script = next((tag for tag in language_tag(language).split("-")[1:] if len(tag) == 4), None)
    if script is not None:
        return script.lower() in _SCRIPTS_FROM_RIGHT
    return primary_language(language) in _FROM_RIGHT


def is_chinese(language: str) -> bool:
    """Return whether a language is Chinese, in any script and region."""
    return primary_language(language) in ("zh", "cmn", "yue")


def is_english(language: str) -> bool:
    """Return whether a language is English, of any region."""
    return primary_language(language) in ("en", "eng")
