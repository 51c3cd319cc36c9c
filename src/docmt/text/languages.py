"""Language codes, such as `en`, `de-AT` or `zh_Hant`."""

from __future__ import annotations

import re

from docmt.errors import InputError

_RIGHT_TO_LEFT = frozenset((
    "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "syr", "ug", "ur", "yi",
))  # fmt: skip


def check_language_code(language: str) -> str:
    """The same language, if it is written as a code.

    Raises:
        InputError: it is not written as a code, for example as a full name.
    """
    if not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", language):
        raise InputError(
            f"{language!r} is not a valid language code",
            cure="Write one such as en, de-AT or zh_Hant",
        )
    return language


def primary_language(language: str) -> str:
    """The language without script and region, in lower case: `de` of `de-AT` and `de_AT`.

    Raises:
        InputError: it is not written as a code.
    """
    return check_language_code(language).replace("_", "-").partition("-")[0].lower()


def is_chinese(language: str) -> bool:
    """Whether the language is Chinese, in any script and region."""
    return primary_language(language) in ("zh", "cmn", "yue")


def is_english(language: str) -> bool:
    """Whether the language is English, of any region."""
    return primary_language(language) in ("en", "eng")


def is_right_to_left(language: str) -> bool:
    """Whether the language is written from right to left."""
    return primary_language(language) in _RIGHT_TO_LEFT
