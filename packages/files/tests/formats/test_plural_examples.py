"""The table of plural categories is CLDR's, as Babel has it."""

from __future__ import annotations

import pytest

from docmt_files.strings.plural_branches import CATEGORIES, examples
from docmt_files.strings.plural_forms import plural_categories

babel = pytest.importorskip("babel")

NUMBERS = (*reversed(range(1, 201)), 0)


def _names():
    return sorted({name.replace("_", "-") for name in babel.localedata.locale_identifiers()})


@pytest.mark.parametrize("ordinal", [False, True])
def test_every_category_has_the_example_that_babel_counts_so(ordinal):
    for name in _names():
        locale = babel.Locale.parse(name, sep="-")
        rule = locale.ordinal_form if ordinal else locale.plural_form
        found = examples(name, ordinal=ordinal)
        if rule.tags:
            integers = {rule(number) for number in NUMBERS}
            assert set(found) == integers | {rule(1.5), "other"}, name
            for category, number in found.items():
                assert rule(float(number) if "." in number else int(number)) == category or (
                    category == "other" and "other" not in integers
                ), name
        else:
            assert set(found) == ({"other"} if ordinal else set(plural_categories(name))), name
        assert list(found) == [category for category in CATEGORIES if category in found]


def test_the_code_of_a_language_may_have_regions_scripts_and_three_letters():
    assert examples("pt_BR") == {"one": "1", "other": "2"}
    assert examples("sr-Latn-RS") == examples("srp") == {"one": "1", "few": "2", "other": "5"}
    assert examples("xx") == {"one": "1", "other": "2"}
    assert examples("en", ordinal=True) == {"one": "1", "two": "2", "few": "3", "other": "4"}
