"""Codes in a translation: each exactly once, nested, between the right words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.core.inline import Block, Code, Text, paired
from docmt_files.core.placement.placing import place_codes, place_codes_around
from docmt_files.core.placement.word_links import align_by_order, link_words
from docmt_files.core.placement.words import word_spans
from docmt_files.core.sentence_cutting import cut_into_sentences

TAG = re.compile(r"<(/?)(\w+)(/?)>")


def sentence(text):
    """The first sentence of a text with tags: `<x/>` is void, `<p0/>` is protected."""
    parts = []
    at = 0
    for match in TAG.finditer(text):
        if at < match.start():
            parts.append(Text(at, match.start(), text[at : match.start()]))
        kind = "protected" if match[2].startswith("p") else "void"
        if not match[3]:
            kind = "close" if match[1] else "open"
        parts.append(Code(*match.span(), kind, ord(match[2][0])))
        at = match.end()
    if at < len(text):
        parts.append(Text(at, len(text), text[at:]))
    return cut_into_sentences(Block(tuple(paired(parts)), lambda t, _: t), "en")[0]


def matrix(source, target, pairs):
    """Links of the words of two texts."""
    links = [[0.0] * len(word_spans(target)) for _ in word_spans(source)]
    for ours, theirs in pairs:
        links[ours][theirs] = 1.0
    return links


def placed(source, target, pairs=None):
    found = sentence(source)
    links = None if pairs is None else matrix(found.text, target, pairs)
    parts, between, _ = place_codes(found, target, links)
    shown = [p if isinstance(p, str) else source[p.start : p.end] for p in parts]
    return "".join(shown), between


TABLE = [
    # source, target, links, result
    ("a <b>c</b> d", "A C D", [(0, 0), (1, 1), (2, 2)], "A <b>C</b> D"),
    ("a <b>c</b> d", "C A D", [(0, 1), (1, 0), (2, 2)], "<b>C</b> A D"),
    ("a <b>c d</b> e", "D A C", [(0, 1), (1, 2), (2, 0), (3, 1)], "<b>D</b> A C"),
    ("a <b>c d</b> e", "C x D A", [(0, 3), (1, 0), (2, 2)], "<b>C x D</b> A"),
    ("a <b>c</b> d", "A R „C“ D", [(0, 0), (1, 1), (1, 3), (2, 5)], "A <b>R „C“</b> D"),
    ("a <b>c</b> d", "A “C” r D", [(0, 0), (1, 2), (1, 4), (2, 5)], "A <b>“C” r</b> D"),
    ("a <b>c</b> d", "A (X C) D", [(0, 0), (0, 2), (1, 3), (1, 4), (2, 5)], "A (X <b>C</b>) D"),
    ("a <b><i>c</i> d</b> e", "A D C E", [(0, 0), (1, 2), (2, 1), (3, 3)], "A <b>D <i>C</i></b> E"),
    ("<i>a</i> <b>c</b>", "C A", [(0, 1), (1, 0)], "<b>C</b> <i>A</i>"),
    ("a b<x/>, c", "A B, C", None, "A B<x/>, C"),
    ("a <p0/> b", "B A", [(0, 1), (1, 0)], "<p0/> B A"),
    ("a <p0/>.", "A.", None, "A <p0/>."),
    ("see <p0/>, <p1/> and <p2/>.", "Siehe und.", None, None),
    ("a <b>c</b>.", "他是。", [(0, 0), (1, 1), (2, 2)], "他<b>是</b>。"),
    ("un<b>real</b>ly so", "So wirklich", [(0, 1), (1, 0)], "So <b>wirklich</b>"),
    # Every word is in a pair, and one would gain by all words of the translation.
    (
        "<i>a c</i> <b>d</b> <u>e</u>",
        "A C D E",
        [(0, 0), (0, 1), (1, 2), (0, 3)],
        "<i>A C</i> <b>D</b> <u>E</u>",
    ),
    ("<i>a</i> <b>c</b> <u>d</u>", "D A A", [(0, 1), (0, 2), (2, 0)], "<u>D</u> <i>A</i> <b>A</b>"),
    # A pair has a word for each of those in it.
    (
        "a <b><i>c</i> <u>d</u></b> e",
        "A C D E",
        [(0, 0), (1, 1), (3, 2), (3, 3)],
        "A <b><i>C</i> <u>D</u></b> E",
    ),
]


@pytest.mark.parametrize(("source", "target", "links", "expected"), TABLE)
def test_codes_follow_the_alignment(source, target, links, expected):
    result, between = placed(source, target, links)
    assert between
    if expected is None:
        assert sorted(TAG.findall(result)) == sorted(TAG.findall(source))
        assert "  " not in result
    else:
        assert result == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [("<i>a</i> and <b>c</b>", "X", "<i><b>X</b></i>"), ("a <b>c</b> <x/>d", "", "<b><x/></b>")],
)
def test_what_has_no_words_goes_around(source, target, expected):
    assert placed(source, target) == (expected, False)


def test_names_numbers_and_commas_are_linked_with_themselves():
    source = ["on", "5", "May", "Anna", "came", "home"]
    target = "Anna kam am 5. Mai nach Hause heim".replace(".", "").split()
    links = align_by_order(source, target)
    assert (1, 3) in links or (3, 0) in links
    assert {source for source, _ in links} == set(range(len(source)))
    assert {target for _, target in links} == set(range(len(target)))


def test_words_are_words_punctuation_and_chinese_characters():
    text = "It's 5 %, 他说_a"
    assert [text[a:b] for a, b in word_spans(text)] == [
        "It",
        "'",
        "s",
        "5",
        "%",
        ",",
        "他",
        "说",
        "_",
        "a",
    ]


PIECES = st.lists(
    st.sampled_from(["a ", "b", " c. ", "<i>", "</i>", "<b>", "</b>", "<x/>", "<p0/>", ", "]),
    max_size=16,
)


@given(PIECES, st.text("ab, 他.", max_size=20), st.data())
def test_every_code_is_there_once_and_nested(pieces, target, data):
    text = "w" + "".join(pieces)
    found = sentence(text)
    source_words, target_words = len(word_spans(found.text)), len(word_spans(target))
    links = None
    if target_words and data.draw(st.booleans()):
        link = st.tuples(st.integers(0, source_words - 1), st.integers(0, target_words - 1))
        links = matrix(found.text, target, data.draw(st.lists(link, max_size=12)))
    for parts in (place_codes(found, target, links)[0], place_codes_around(found, target)):
        codes = [part for part in parts if isinstance(part, Code)]
        assert sorted(codes, key=lambda code: code.start) == [code for _, code in found.codes]
        words = re.sub(r"\s", "", "".join(part for part in parts if isinstance(part, str)))
        assert words == re.sub(r"\s", "", target)
        opened = {code.pair for code in codes if code.kind == "open"}
        stack = []
        for code in codes:
            if code.kind == "open":
                stack.append(code.pair)
            elif code.kind == "close" and code.pair in opened:
                # A pair that ends in a later sentence is still open.
                while stack[-1] != code.pair:
                    later = stack.pop()
                    assert all(c.pair != later for c in codes if c.kind == "close")
                stack.pop()
            elif code.kind == "close":
                closed = {c.pair for c in codes if c.kind == "close"}
                assert not [pair for pair in stack if pair in closed]


@given(
    st.lists(st.integers(1, 4), min_size=2, max_size=8), st.integers(0, 8), st.booleans(), st.data()
)
def test_pairs_around_all_words_have_words_of_the_translation(lengths, more, nested, data):
    runs = ["a " * length for length in lengths]
    inner = "".join(f"<b>{run}</b>" for run in runs)
    found = sentence(f"c <i>{inner}</i>" if nested else inner)
    target = "A " * (len(lengths) + nested + more)
    size = len(word_spans(found.text)), len(word_spans(target))
    link = st.tuples(*(st.integers(0, count - 1) for count in size))
    links = matrix(found.text, target, data.draw(st.lists(link, max_size=20)))
    parts, between, _ = place_codes(found, target, links)
    assert between
    opened = [i for i, part in enumerate(parts) if isinstance(part, Code) and part.kind == "open"]
    assert len(opened) == len(lengths) + nested
    innermost = opened[nested:]
    assert all(isinstance(parts[i + 1], str) and parts[i + 1].strip() for i in innermost)


def test_deep_and_many_codes_take_linear_time():
    deep = "<b>" * 3000 + "a" + "</b>" * 3000 + " c"
    assert placed(deep, "A C")[0].count("<b>") == 3000
    many = "a <x/>" * 5000 + "b"
    assert placed(many, "A " * 5000)[0].count("<x/>") == 5000


def test_attention_order_spelling_and_length_are_combined():
    source, target = (
        ["we", "recommend", "flexibility", "-", "now"],
        "Nun – empfehlen wir Flexibilität",
    )
    words = [target[a:b] for a, b in word_spans(target)]
    weights = [[0.02] * 5 for _ in source]
    weights[1][2] = weights[0][3] = 0.9
    columns = list(zip(*link_words(source, words, weights), strict=True))
    assert list(map(sum, columns)) == pytest.approx([1] * 5)
    # recommend, we by attention; the others by spelling, also the dash.
    assert [column.index(max(column)) for column in columns[1:]] == [3, 1, 0, 2]
    # Without attention, words that are about equally long and in order.
    links = link_words(["a", "representative"], ["ein", "Abgeordneter"])
    assert [column.index(max(column)) for column in zip(*links, strict=True)] == [0, 1]
    assert link_words([], ["ein"]) == []
    assert list(map(len, link_words(["我", "们"], ["we"]))) == [1, 1]


def test_a_pair_does_not_reach_to_punctuation_that_is_not_in_it():
    found = sentence("a <b>competitiveness</b>")
    weights = [[0.9, 0.1, 0.1], [0.1, 0.9, 0.9]]
    parts, *_ = place_codes(found, "Und Wettbewerb.", weights)
    shown = "".join(part if isinstance(part, str) else "|" for part in parts)
    assert shown == "Und |Wettbewerb|."


def test_pairs_too_deep_in_each_other_go_around_the_sentence():
    marked = "a " + "<b>" * 60 + "red" + "</b>" * 60 + " b"
    parts, between, _ = place_codes(sentence(marked), "ein rot b")
    assert not between
    assert "".join(p for p in parts if isinstance(p, str)) == "ein rot b"
