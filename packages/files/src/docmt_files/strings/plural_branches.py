"""Branches of messages by number: the categories that a target language needs (CLDR),
where the text of each comes from, and an example number for each.

A branch such as `few` has no model in an English source. It gets the text of `other`, and is
translated with an example number in place of the placeholder: of `# files`, the branch `few` of a
Russian message is translated as `2 files`, and the branch `many` as `5 files`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from docmt_files.base.languages import primary_subtag
from docmt_files.base.packaged_tables import read_table
from docmt_files.strings.plural_forms import plural_categories

CATEGORIES = ("zero", "one", "two", "few", "many", "other")
"""All categories, in CLDR's order."""


def _examples_by_language(kind: str) -> dict[str, dict[str, str]]:
    """By language, an example number for each category."""
    rows = read_table(__package__, "plural_examples.toml")[kind]
    return {
        language: dict(pair.split() for pair in pairs.split(", "))
        for pairs, languages in rows.items()
        for language in languages.split()
    }


_CARDINAL, _ORDINAL = _examples_by_language("cardinal"), _examples_by_language("ordinal")


def examples(language: str, *, ordinal: bool = False) -> dict[str, str]:
    """The categories of a language in CLDR's order, each with an example number: a small integer
    or, for a category of fractions, `1.5`. Categories of millions, as in Spanish, are left out.

    Args:
        language: a language code.
        ordinal: whether the numbers are ordinal (`1st`), not cardinal.
    """
    known = (_ORDINAL if ordinal else _CARDINAL).get(primary_subtag(language))
    if known is not None:
        return dict(known)
    has_one = not ordinal and "one" in plural_categories(language)
    return {"one": "1", "other": "2"} if has_one else {"other": "2"}


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
