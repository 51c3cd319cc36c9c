"""Numbers and placeholders that alone differ are put into the translation by a person."""

from __future__ import annotations

import pytest

from docmt.memory import Unit, adapt_unit


@pytest.mark.parametrize(
    ("known", "target", "source", "expected"),
    [
        ("Wait 20 s.", "20 s warten.", "Wait 30 s.", "30 s warten."),
        ("Wait 2.5 s.", "2,5 s warten.", "Wait 10.5 s.", "10,5 s warten."),
        ("Add 2 to 3.", "2 zu 3 addieren.", "Add 3 to 4.", "3 zu 4 addieren."),
        ("2 of 2", "2 von 2", "3 of 3", "3 von 3"),
        ("2 of 2", "2 von 2", "1 of 2", None),
        ("Wait 20 s.", "Zwanzig Sekunden.", "Wait 30 s.", None),
        ("Wait 20 s.", "20 s warten.", "Wait 20 h.", None),
        ("Use A4 paper.", "Nehmen Sie A4.", "Use A5 paper.", None),
        ("Hello {name}!", "{name}, hallo!", "Hello {user}!", "{user}, hallo!"),
        ("%d files", "%d Dateien", "%s files", "%s Dateien"),
        ("See https://a.b/c.", "Siehe https://a.b/c.", "See https://d.e.", "Siehe https://d.e."),
        ("Wait 20 s.", "20 s warten.", "Wait  20 s.", "20 s warten."),
    ],
)
def test_values_that_differ_are_put_in(known, target, source, expected):
    adapted = adapt_unit(Unit(known, target), source)
    assert (adapted and adapted.target) == expected


def test_codes_stay_at_their_words():
    unit = Unit("Wait 5 s now.", "Jetzt 5 s warten.", codes=((9, 12), (0, 5)))
    adapted = adapt_unit(unit, "Wait 1000 s now.")
    assert adapted.codes == ((12, 15), (0, 5))
