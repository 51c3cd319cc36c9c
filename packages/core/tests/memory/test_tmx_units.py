"""TMX: what docmt writes it reads again, and what other tools write is understood or refused."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.memory import TranslationMemory, Unit
from docmt.memory.tmx_units import read_tmx, write_tmx
from docmt_files.base.errors import InputError
from memory.hostile_tmx import SEEDS, try_mutation

LANGUAGES = ("en", "de")


def _written(path, units):
    path.write_text("".join(write_tmx(units, *LANGUAGES)), encoding="utf-8")
    return path


TEXT = st.lists(
    st.sampled_from(["Open", "<b>", "&amp;", "ä", "{0}", "\"'", "日本", "."]), min_size=1
)


@st.composite
def units(draw):
    """A unit with codes at any places of both texts."""
    source, target, before, after = (" ".join(draw(TEXT)) for _ in range(4))
    number = draw(st.integers(0, 4))
    places = [
        sorted(draw(st.integers(0, len(source))) for _ in range(number)),
        [draw(st.integers(0, len(target))) for _ in range(number)],
    ]
    codes = tuple(places[0]), tuple(places[1])
    key, reviewed = draw(st.sampled_from(["", "a.b"])), draw(st.booleans())
    around = draw(st.sampled_from([(before, after), ("", after), ("", "")]))
    return Unit(source, target, *around, key, codes, "a file", "20260102T030405Z", reviewed)


@settings(max_examples=40)
@given(st.lists(units(), min_size=1, max_size=5))
def test_units_are_the_same_after_export_and_import(tmp_path_factory, several):
    path = _written(tmp_path_factory.getbasetemp() / "all.tmx", several)
    assert list(read_tmx(path, LANGUAGES, print)) == several


def test_units_of_other_tools_have_codes_contexts_and_dates(tmp_path):
    (tmp_path / "a.tmx").write_text(
        '<tmx version="1.4"><header srclang="en-US"/><body>'
        '<tu creationdate="20200101T000000Z"><prop type="x-context-pre">&lt;seg>Before.&lt;/seg>'
        '</prop><tuv xml:lang="en-US"><seg>Click <bpt i="1">&lt;b></bpt>OK<ept i="1"/> now.</seg>'
        '</tuv><tuv xml:lang="fr"><seg>Cliquez</seg></tuv><tuv xml:lang="de-DE" '
        'changedate="20210101T000000Z"><seg>Jetzt <bpt i="1">&lt;b></bpt>OK<ept i="1"/> .</seg>'
        '</tuv></tu><tu><tuv xml:lang="en-US"><seg>Alone.</seg></tuv></tu>'
        '<tu><tuv xml:lang="en-US"><seg>A <ph/> b</seg></tuv><tuv xml:lang="de-DE" '
        'creationid="docmt"><seg>A b</seg></tuv></tu></body></tmx>'
    )
    first, last = read_tmx(tmp_path / "a.tmx", LANGUAGES, print)
    assert (first.before, first.after) == ("Before.", "")
    assert (first.source, first.codes) == ("Click OK now.", ((6, 8), (6, 8)))
    assert (first.changed, first.is_reviewed) == ("20210101T000000Z", True)
    assert (last.before, last.source, last.codes, last.is_reviewed) == (
        "", "A b", ((), ()), False
    )  # fmt: skip


def test_units_beside_each_other_are_no_context_and_the_latest_counts(tmp_path):
    units = [("Press.", "Taste", 2019), ("Open.", "ALT", 2024), ("Open.", "ÄLTER", 2020)]
    (tmp_path / "a.tmx").write_text(
        '<tmx version="1.4"><header srclang="en"/><body>'
        + "".join(
            f'<tu changedate="{year}0101T000000Z"><tuv xml:lang="en"><seg>{source}</seg></tuv>'
            f'<tuv xml:lang="de"><seg>{target}</seg></tuv></tu>'
            for source, target, year in units
        )
        + "</body></tmx>"
    )
    memory = TranslationMemory(None, LANGUAGES)
    assert memory.add(read_tmx(tmp_path / "a.tmx", LANGUAGES, print)) == 2
    (match,) = memory.look_up("Open.", before="Press.", after="Close.")
    assert (match.unit.target, match.in_context) == ("ALT", False)
    assert memory.add([Unit("Open.", "ALT 2", changed="20230101T000000Z")]) == 0
    assert memory.add([Unit("Open.", "NEU", changed="20250101T000000Z")]) == 1
    assert memory.look_up("Open.")[0].unit.target == "NEU"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<tmx><body>\n<tu>\n</body></tmx>", r"a\.tmx, line 3"),
        ("<html/>", "is not a translation memory"),
        ("<tmx><header srclang='en'/><body/></tmx>", "has no unit in en and de"),
        (
            "<tmx><body>\n<tu><tuv xml:lang='en-GB'>"
            "<seg>b</seg></tuv><tuv xml:lang='en-US'><seg>b</seg></tuv></tu></body></tmx>",
            r"a\.tmx, line 2: a unit has several segments in 'en'",
        ),
        ("<tmx><body><tu><tu/></tu></body></tmx>", "line 1: has a <tu> within another"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><tmx/>", "entit"),
    ],
)
def test_a_broken_file_is_refused_with_the_line(tmp_path, text, message):
    (tmp_path / "a.tmx").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_tmx(tmp_path / "a.tmx", LANGUAGES, print))


def test_hostile_files_are_read_or_refused(tmp_path):
    draw = random.Random(1)
    results = [try_mutation(draw, draw.choice(SEEDS), tmp_path) for _ in range(200)]
    assert {"read", "refused"} == set(results)


def test_a_memory_is_the_same_after_export_and_import(tmp_path):
    several = [
        Unit("One.", "Eins.", origin="m"),
        Unit("Two <b>.", "Zwei.", "One.", codes=((4,), (2,)), origin="m"),
    ]
    with TranslationMemory(None, LANGUAGES) as memory:
        memory.add(several)
        path = _written(tmp_path / "m.tmx", memory.units())
        with TranslationMemory(None, LANGUAGES) as other:
            other.add(read_tmx(path, LANGUAGES, print))
            assert list(other.units()) == list(memory.units())
