"""The notation of stacks: what it means, and where it points when it makes no sense."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.systems.stack_notation import Block, parse, written

blocks = st.builds(
    Block,
    model=st.sampled_from("ABDPZ"),
    side=st.just("source"),
    previous=st.integers(0, 20),
    current=st.just(True),
    following=st.integers(0, 20),
) | st.builds(
    Block,
    model=st.sampled_from("ABDPZ"),
    side=st.sampled_from(["source", "target"]),
    previous=st.integers(1, 20),
    current=st.just(False),
    following=st.integers(0, 20),
)


@given(st.lists(blocks, max_size=4).map(tuple))
def test_what_is_written_is_read_again(stack):
    assert parse(written(stack)) == stack


@given(st.text("BPDst(),pcn012=>⇒- \n▸", max_size=20) | st.text(max_size=8))
def test_whatever_makes_no_sense_is_an_error_that_shows_the_text_and_a_place_in_it(text):
    try:
        stack = parse(text)
    except InputError as error:
        place = re.search(r"(at character (\d+)|at the end): ", str(error))
        assert place is not None
        at = int(place[2]) - 1 if place[2] else len(text)
        assert str(error)[place.end() :] == f"{text[:at]}▸{text[at:]}"
    else:
        assert parse(written(stack)) == stack


def test_the_notation_of_the_paper():
    bert, near, pegasus, target = parse("Bs(p,c) ⇒ Bs( c , n )=>Ps(3p,c,3n) => Pt(3p,3n)")
    assert bert == Block("B", "source", 1, True, 0)
    assert near == Block("B", "source", 0, True, 1)
    assert pegasus == Block("P", "source", 3, True, 3)
    assert target == Block("P", "target", 3, False, 3)
    assert written((bert, target)) == "Bs(p,c) => Pt(3p,3n)"
    assert str(*parse("Bs(1p,c)")) == "Bs(p,c)"
    assert parse(" ") == ()


@pytest.mark.parametrize(
    ("sentence", "places"), [(0, [0, 1, 2, 3]), (4, [1, 2, 3, 4, 5]), (5, [2, 3, 4, 5])]
)
def test_a_block_reads_the_sentences_around_one_as_far_as_there_are_any(sentence, places):
    (block,) = parse("Ps(3p,c,3n)")
    assert block.indices(sentence, 6) == places
    (without,) = parse("Pt(3p,3n)")
    assert without.indices(sentence, 6) == [place for place in places if place != sentence]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Bs(c) -> Ps(c)", r"expected `=>` or the end, at character 7: Bs\(c\) ▸-> Ps\(c\)"),
        ("Bs(c) =>", r"expected a model, a capital letter .*, at the end: Bs\(c\) =>▸"),
        ("bs(c)", "expected a model.*, at character 1: ▸bs"),
        ("Bx(c)", "expected a side, .*, at character 2: B▸x"),
        ("Bs c", r"expected `\(`, at character 4: Bs ▸c"),
        ("Bs()", r"expected an input, .*, at character 4: Bs\(▸\)"),
        ("Bs(p;c)", r"expected `,` or `\)`, at character 5: Bs\(p▸;c"),
        ("Bs(p,c", r"expected `,` or `\)`, at the end: Bs\(p,c▸"),
        ("Bs(c,p)", r"order `p`, `c`, `n`, at character 6: Bs\(c,▸p"),
        ("Bs(p,3p)", r"`p` a second time, at character 6: Bs\(p,▸3p"),
        ("Bs(0p,c)", r"`0p` is not a sentence, at character 4: Bs\(▸0p"),
        (f"Bs(p,c,{'1' * 5000}n)", r"no more than 9999 sent.*, at character 8: Bs\(p,c,▸1"),
        ("Bs(2c)", r"one current sentence, `c`, at character 4: Bs\(▸2c"),
        ("Pt(p,c)", r"cannot be read, at character 2: P▸t\(p,c"),
    ],
)
def test_an_error_points_at_the_character(text, message):
    with pytest.raises(InputError, match=message):
        parse(text)
