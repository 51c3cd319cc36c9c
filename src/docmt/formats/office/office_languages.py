"""Languages as office files name them, with a region."""

from __future__ import annotations

from docmt.formats.office.office_names import name_list, name_table

_REGIONS = name_table("regions")
_EAST_ASIAN = name_list("scripts", "east_asian")


def with_region(language: str) -> str:
    """The code of a language with a region, as `de-DE`; as it is if the region is not known."""
    code = language.replace("_", "-")
    region = _REGIONS.get(code.lower())
    return f"{code}-{region}" if region else code


def language_of(code: str) -> str:
    """The language of a code in a file, without its region; "" if it has none."""
    return code.replace("_", "-").partition("-")[0].lower()


def is_east_asian(language: str) -> bool:
    """Return whether a language is Chinese, Japanese or Korean."""
    return language_of(language) in _EAST_ASIAN
