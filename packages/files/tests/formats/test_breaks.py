"""Breaks of a sentence keep their order and stand between words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.core.inline import Block, Code, Text
from docmt_files.core.placement.breaks import word_gaps
from docmt_files.core.placement.placing import place_codes, place_codes_around
from docmt_files.core.placement.words import word_spans
from docmt_files.core.sentence_cutting import cut_into_sentences


def sentence_of(text):
    """The sentence of a text in which `|` is the boundary of a cue, `^` a moment, and `[` and `]`
    are a pair."""
    kinds = {"|": "break", "^": "moment", "[": "open", "]": "close"}
    parts = []
    for match in re.finditer(r"[|^\[\]]|[^|^\[\]]+", text):
        if kind := kinds.get(match[0]):
            pair = 0 if kind in ("open", "close") else -1
            text = " " if kind == "break" else ""
            parts.append(Code(match.start(), match.end(), kind, pair, text))
        else:
            parts.append(Text(match.start(), match.end(), match[0]))
    (sentence,) = cut_into_sentences(Block(tuple(parts), lambda text, _: text), "en")
    return sentence


def shown(parts):
    signs = {"break": "|", "moment": "^", "open": "[", "close": "]"}
    return "".join(signs[p.kind] if isinstance(p, Code) else p for p in parts)


TABLE = [
    # source, translation, with breaks
    ("I think|that you know.", "Ich denke dass du weißt.", "Ich denke|dass du weißt."),
    # The end of a clause is near.
    ("I think that|you know.", "Ich denke, dass du weißt.", "Ich denke,|dass du weißt."),
    # No cue is empty if there are enough words, and none begins with a comma.
    ("a b c|d e f|g.", "x y, z.", "x|y,|z."),
    ("I do not|know it.", "Nein.", "Nein.|"),
    ("a|b|c", "x y", "x|y|"),
    # In a word there is no break.
    ("They don't|like it.", "Ils n'aiment pas.", "Ils|n'aiment pas."),
    ("we are|here now", "我们现在在这里。", "我们现在|在这里。"),
    ("I [really think|that] you", "Ich glaube wirklich dass du", "Ich [glaube wirklich|dass] du"),
    ("so [it is]|now", "so ist es nun", "so [ist es]|nun"),
    ("so|[it is] now", "so ist es nun", "so|[ist es] nun"),
    ("one ^two ^three", "eins zwei drei", "eins ^zwei ^drei"),
]


@pytest.mark.parametrize(("source", "target", "expected"), TABLE)
def test_breaks_stand_between_words(source, target, expected):
    parts, *_ = place_codes(sentence_of(source), target)
    assert shown(parts) == expected


def test_breaks_divide_a_sentence_with_codes_around_it_in_proportion():
    sentence = sentence_of("one two|three [four]|five six")
    parts = place_codes_around(sentence, "eins zwei drei vier fünf sechs")
    assert shown(parts) == "[eins zwei|drei vier|fünf sechs]"


words = st.lists(st.sampled_from(["a", "bb", "ccc", "d,", "e.", "中", "l'f"]), min_size=1)


@given(words, words, st.lists(st.integers(0, 10), max_size=6), st.randoms())
def test_breaks_keep_order_and_text(source, target, places, draw):
    parts = list(source)
    for place in places:
        parts.insert(min(place, len(parts)), draw.choice("|^"))
    text = "x " + " ".join(parts) + " y"
    sentence = sentence_of(text)
    translation = " ".join(target)
    links = [[0.0] * len(word_spans(translation)) for _ in word_spans(sentence.text)]
    for _ in range(draw.randint(0, 9)):
        row = draw.choice(links)
        row[draw.randrange(len(row))] = 1.0
    for found in (
        place_codes(sentence, translation, links)[0],
        place_codes_around(sentence, translation),
    ):
        codes = [part for part in found if isinstance(part, Code)]
        assert codes == [code for _, code in sentence.codes]
        assert "".join(p for p in found if isinstance(p, str)).replace(" ", "") == "".join(target)
        if len(word_gaps(translation, word_spans(translation))) >= len(codes):
            assert not re.search(r"[|^] *[|^]|^ *[|^]|[|^] *$", shown(found))


def test_many_breaks_take_linear_time():
    sentence = sentence_of("a " + "^b " * 20_000)
    parts, *_ = place_codes(sentence, "x " * 20_000)
    assert shown(parts).count("^") == 20_000
