"""How many plural forms languages have: the categories of cardinal numbers by CLDR. Where a target
language has more of them than the source, a file of strings needs forms that nobody can copy."""

from __future__ import annotations

from docmt.text.languages import primary_language

_BY_CATEGORIES = {
    "other": "bm bo dz hnj id ig ii in ja jbo jv jw kde kea km ko lkt lo ms my nqo osa sah ses sg "
    "su th to tpi vi wo yo yue zh",
    "zero one other": "ksh lag lv",
    "one two other": "he iu iw naq sat se sma smi smj smn sms",
    "one many other": "ca es fr it pt",
    "one few other": "bs hr mo ro sh shi sr",
    "one two few other": "dsb gd hsb sl",
    "one few many other": "be cs lt pl ru sk uk",
    "one two few many other": "br ga gv mt",
    "zero one two few many other": "ar ars cy kw",
}
_CATEGORIES = {
    language: tuple(categories.split())
    for categories, languages in _BY_CATEGORIES.items()
    for language in languages.split()
}


def plural_categories(language: str) -> tuple[str, ...]:
    """The CLDR categories of cardinal numbers in a language, in CLDR's order; `one` and `other` for
    most. `many` of Romance languages, which is for millions, is among them.

    Args:
        language: a language code, whose script and region do not matter.
    """
    return _CATEGORIES.get(primary_language(language), ("one", "other"))


def missing_categories(source: str, target: str) -> tuple[str, ...]:
    """The categories of a target language that a source language does not have, without those of
    numbers that a program seldom shows (`zero`, and the millions of Romance languages).

    Args:
        source: the code of the source language.
        target: the code of the target language.
    """
    own = plural_categories(source)
    wanted = plural_categories(target)
    seldom = {"zero", "many"} if "few" not in wanted else set[str]()
    return tuple(name for name in wanted if name not in own and name not in seldom)
