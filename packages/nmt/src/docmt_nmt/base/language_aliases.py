"""Codes of the same language: `deu` and `de`, `zh-TW` and `zho_Hant`."""

from __future__ import annotations

from docmt_files.base.languages import language_tag, primary_language


def current_language(language: str) -> str:
    """Return a language without script and region, with two letters where there are such codes.

    Raises:
        InputError: it is not written as a code.

    >>> current_language("deu_Latn")
    'de'
    """
    from babel.core import get_global  # slow to import

    primary = primary_language(language)
    return str(get_global("language_aliases").get(primary, primary)).partition("_")[0]


def short_tag(language: str) -> str:
    """Return the shortest usual tag of a language: two letters where there are some, without the
    script and the region in which the language is usual, and without mBART's region `XX`.

    Raises:
        InputError: it is not written as a code.

    >>> short_tag("deu_Latn"), short_tag("zho_Hant"), short_tag("pt_XX"), short_tag("zh-TW")
    ('de', 'zh-Hant', 'pt', 'zh-Hant')
    """
    from babel.core import get_global  # slow to import

    primary, likely = primary_language(language), get_global("likely_subtags")
    # A code of three letters may be a language in a region, as prs is fa_AF.
    current, *parts = str(get_global("language_aliases").get(primary, primary)).split("_")
    parts = [*language_tag(language).split("-")[1:], *parts]
    script = next((part.title() for part in parts if len(part) == 4), None)
    region = next((p.upper() for p in parts if len(p) < 4 and p.upper() != "XX"), None)
    usual = str(likely.get(current, f"{current}__")).split("_")
    # A region may have another script.
    in_region = str(likely.get(f"{current}_{region}", "__")).split("_")
    script = script or (in_region[1] if in_region[1] not in ("", usual[1]) else None)
    if script is not None and str(likely.get(f"{current}_{script}", "__")).split("_")[2] == region:
        region = None
    shown = (script if script != usual[1] else None, region if region != usual[2] else None)
    return "-".join((current, *filter(None, shown)))
