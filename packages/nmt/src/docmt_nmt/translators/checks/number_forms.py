"""Numbers that a translation writes as the source language does: `1.5 kg` in a German sentence, or
`1,500 kg`, which a German reads as one and a half.

Versions and numbers of sections have points in every language, so only quantities are compared: a
number with a unit, a percent sign or a currency.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import regex

_UNIT = (
    r"[%‰°\p{Sc}]|(?:[kKMGTP]i?B|[kMGT]?Hz|[kMGT]?bit/s|[µumkMG]?[gmsVWALJN]|[cd]m|[mckM]l|dl"
    r"|min|h|t|kWh|m?Ah|[hkM]?Pa|m?bar|K|px|pt|dpi|EUR|USD|GBP|CHF)(?![\p{L}\p{N}])"
)
_QUANTITY = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.,])(?P<currency>\p{{Sc}}\s?)?(?P<number>\p{{N}}+(?:[.,]\p{{N}}+)+)"
    rf"(?:[\s\u202f-]?(?P<unit>{_UNIT}))?(?![\p{{L}}\p{{N}}])"
)
_NUMBER = regex.compile(r"(?<![\p{L}\p{N}.,])\p{N}+(?:[.,]\p{N}+)+(?![\p{L}\p{N}])")
_MEASURED = regex.compile(
    r"(?<![\p{L}\p{N}.,])(\p{N}+)[\s\u202f]?([kMGT]i?B|[kMG]Hz|[kmc]m|[kmµ]g|ms|ml)(?![\p{L}\p{N}])"
)


def foreign_numbers(source: str, target: str, languages: tuple[str, str]) -> Iterator[str]:
    """Yield the quantities of a sentence that its translation writes in the same way, although they
    mean something else in the target language, or nothing.

    Args:
        source, target: the sentence and its translation.
        languages: the codes of the source and the target language.

    >>> list(foreign_numbers("It weighs 1.5 kg.", "Es wiegt 1.5 kg.", ("en", "de")))
    ['1.5']
    """
    written = frozenset(_NUMBER.findall(target))
    found = [
        match["number"]
        for match in _QUANTITY.finditer(source if written else "")
        if (match["currency"] or match["unit"]) and match["number"] in written
    ]
    if not found:
        return
    separators, others = map(_separators, languages)
    if not separators or not others or separators[0] == others[0]:
        return
    for number in found:
        meant = _value(number, *separators)
        if meant is not None and meant != _value(number, *others):
            yield number


def other_units(source: str, target: str) -> Iterator[str]:
    """Yield in words the quantities of a sentence whose number has another unit of measurement in
    the translation. Units that a language abbreviates otherwise, such as `Mo`, are not known.

    >>> list(other_units("more than 20 MB", "mehr als 20 GB"))
    ['20 MB became 20 GB']
    """
    written = dict(_MEASURED.findall(target))
    for number, unit in _MEASURED.findall(source):
        other = written.get(number, unit)
        if other.lower() != unit.lower():
            yield f"{number} {unit} became {number} {other}"


def _value(number: str, decimal: str, group: str) -> float | None:
    """The value of a number with these separators; None if it is not written with them."""
    whole, point, fraction = number.partition(decimal)
    first, *groups = whole.split(group) if group in ",." else [whole]
    if (point and not fraction.isdigit()) or not first.isdigit():
        return None
    if groups and (len(first) > 3 or not all(len(g) == 3 and g.isdigit() for g in groups)):
        return None
    return float(f"{first}{''.join(groups)}.{fraction or 0}")


@cache
def _separators(language: str) -> tuple[str, str] | None:
    """The separators of decimals and of thousands in a language; None if they are not known."""
    from babel import Locale, UnknownLocaleError, numbers  # slow to import

    try:
        locale = Locale.parse(language, sep="-" if "-" in language else "_")
    except (UnknownLocaleError, ValueError):
        return None
    return numbers.get_decimal_symbol(locale), numbers.get_group_symbol(locale)
