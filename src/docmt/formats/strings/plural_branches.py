"""Branches of messages by number: the categories that a target language needs (CLDR, by Babel),
where the text of each comes from, and an example number for each.

A branch such as `few` has no model in an English source. It gets the text of `other`, and is
translated with an example number in place of the placeholder: of `# files`, the branch `few` of a
Russian message is translated as `2 files`, and the branch `many` as `5 files`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from docmt.formats.strings.plural_forms import plural_categories
from docmt.ground.languages import language_tag, primary_subtag

if TYPE_CHECKING:
    # It takes long to load.
    from babel.plural import PluralRule

CATEGORIES = ("zero", "one", "two", "few", "many", "other")
"""All categories, in CLDR's order."""

_INTEGERS = (*range(1, 201), 0)
_FRACTION = "1.5"


@lru_cache
def examples(language: str, *, ordinal: bool = False) -> dict[str, str]:
    """The categories of a language in CLDR's order, each with an example number: a small integer
    or, for a category of fractions, `1.5`. Categories of millions, as in Spanish, are left out.

    Args:
        language: a language code.
        ordinal: whether the numbers are ordinal (`1st`), not cardinal.
    """
    rule = _rule(language, ordinal=ordinal)
    found = {"other": "2"}
    if rule is None or not rule.tags:
        names = ("other",) if ordinal else plural_categories(language)
        found |= {"one": "1"} if "one" in names else {}
    else:
        numbers = {rule(number): str(number) for number in reversed(_INTEGERS)}
        found |= {rule(float(_FRACTION)): _FRACTION, **numbers}
        if "other" not in numbers:
            found["other"] = _FRACTION
    return {name: found[name] for name in CATEGORIES if name in found}


def _rule(language: str, *, ordinal: bool) -> PluralRule | None:
    """The rule of a language, or None if CLDR has none."""
    from babel import Locale, UnknownLocaleError

    for name in (language_tag(language), primary_subtag(language)):
        try:
            locale = Locale.parse(name, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
        return locale.ordinal_form if ordinal else locale.plural_form
    return None


def branches_for(
    own: Sequence[str],
    language: str,
    target_language: str | None,
    *,
    ordinal: bool = False,
    kept: Collection[str] = (),
) -> list[tuple[str, str]]:
    """The branches of a translated message in order, each with the branch of the source that has
    the text: the categories of the target language, and all branches that are no categories. A
    category that the source lacks has the text of `other`.

    >>> branches_for(["=0", "one", "other"], "en", "ru")
    [('=0', '=0'), ('one', 'one'), ('few', 'other'), ('many', 'other'), ('other', 'other')]
    >>> branches_for(["one", "other"], "en", "ja")
    [('other', 'other')]

    Args:
        own: the branches of the source, in order.
        language: the code of the source language.
        target_language: the code of the target language; if None, no branch changes.
        ordinal: whether the numbers are ordinal.
        kept: categories with a use in every language, such as `zero` in Apple's files.
    """
    if target_language is None or "other" not in own:
        return [(name, name) for name in own]
    wanted = examples(target_language, ordinal=ordinal)
    known = examples(language, ordinal=ordinal)
    # Where the target language has no further category, the source has what is needed.
    needs_more = not set(wanted) <= set(known)
    missing = [name for name in wanted if needs_more and name not in own]
    return list(_ordered(own, missing, {*wanted, *kept}))


def _ordered(
    own: Sequence[str], missing: Sequence[str], wanted: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The branches of the source that are wanted, and the missing ones before `other`."""
    for name in own:
        if name == "other":
            yield from ((each, "other") for each in missing)
        if name not in CATEGORIES or name in wanted:
            yield name, name
