"""Languages as office files name them, with a region."""

from __future__ import annotations

from docmt_files.base.languages import language_tag, primary_subtag
from docmt_files.office.office_names import name_list, name_table

_REGIONS = name_table("regions")
_EAST_ASIAN = name_list("scripts", "east_asian")


def with_region(language: str) -> str:
    """The code of a language with a region, as `de-DE`; as it is if the region is not known."""
    code = language_tag(language)
    region = _REGIONS.get(code.lower())
    return f"{code}-{region}" if region else code


def is_east_asian(language: str) -> bool:
    """Return whether a language is Chinese, Japanese or Korean."""
    return primary_subtag(language) in _EAST_ASIAN
