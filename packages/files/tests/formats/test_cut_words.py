"""Codes within words: at the same characters if the word is in the translation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.core.inline import Code
from docmt_files.core.placement.placing import place_codes
from docmt_files.core.placement.translator_places import weights_of_places
from docmt_files.core.placement.words import word_spans
from formats.test_placing import TAG, sentence


def placed(source, target, alignment=None):
    """A translation with the codes, and the words around which codes are whole."""
    parts, between, whole = place_codes(sentence(source), target, alignment)
    assert between
    return "".join(p if isinstance(p, str) else source[p.start : p.end] for p in parts), whole


KEPT = [
    ("Water is H<b>2</b>O.", "Wasser ist H2O.", "Wasser ist H<b>2</b>O."),
    ("about 10<b>3</b> m<b>2</b> of it", "davon 103 M2", "davon 10<b>3</b> M<b>2</b>"),
    ("x<b>2</b> + y<i>2</i>", "y2 + x2", "y<i>2</i> + x<b>2</b>"),
    ("H<b>2</b>SO<b>4</b> and H<b>2</b>O", "H2O und H2SO4", "H<b>2</b>O und H<b>2</b>SO<b>4</b>"),
    ("the H<b>2</b>O file", "die H2O-Datei", "die H<b>2</b>O-Datei"),
    ("an Open<b>Type</b> font", "eine OpenTypeschrift", "eine Open<b>Type</b>schrift"),
    ("this Web<b>Socket</b>", "dieses WebSockets", "dieses Web<b>Socket</b>s"),
    ("the <b>file<i>name</i></b> is", "der Filename ist", "der <b>File<i>name</i></b> ist"),
    ("all <b>Web<i>Socket</i></b> calls", "alle WebSockets", "alle <b>Web<i>Socket</i>s</b>"),
    ("a CO<b>2</b> tax", "CO2에 대한 세금", "CO<b>2</b>에 대한 세금"),
    ("Use H<b>2</b>O here.", "ここでH2Oを使う。", "ここでH<b>2</b>Oを使う。"),
    ("about 1<b>000</b> files", "etwa 1.000 Dateien", "etwa 1.<b>000</b> Dateien"),
    ("about 1,0<b>00</b> files", "etwa 1.000 Dateien", "etwa 1.0<b>00</b> Dateien"),
    ("only 1<b>2</b> files", "١٢ ملفًا فقط", "١<b>٢</b> ملفًا فقط"),
    ("the 2<b>nd</b> one", "le 2e", "le 2<b>e</b>"),
    ("the 2<b>nd</b> file", "die 2. Datei", "die 2<b>.</b> Datei"),
    ("at 10<b>-3</b> mol", "bei 10-3 Mol", "bei 10<b>-3</b> Mol"),
    ("a Long<x/>Name here", "hier ein LongName", "hier ein Long<x/>Name"),
    ("see H<b>2</b>O<x/> there", "dort H2O siehe", "dort H<b>2</b>O<x/> siehe"),
    ("It is 5<b>th</b> H<b>2</b>O", "H2O ist 5th", "H<b>2</b>O ist 5<b>th</b>"),
    # Beside a number: the mark of a footnote, and formulas.
    ("The file<b>1</b> is open", "Die Datei1 ist offen", "Die Datei<b>1</b> ist offen"),
    ("The file<b>1</b> is open", "ファイル1は開く", "ファイル<b>1</b>は開く"),
    ("The file<b>1</b> is open", "Die Datei 1 ist offen", "Die Datei <b>1</b> ist offen"),
    ("Add C<b>6</b>H<i>12</i>O too", "Auch H6Y12X", "Auch H<b>6</b>Y<i>12</i>X"),
    ("SO<b>4</b><i>2−</i> ion", "Ion ZO42−", "Ion ZO<b>4</b><i>2−</i>"),
    ("one<b>1</b> two<b>1</b>", "zwei1 eins1", "zwei<b>1</b> eins<b>1</b>"),
    ("the m<b>2</b> sign", "das km2 Zeichen", "das km<b>2</b> Zeichen"),
    # A drop cap, also before quotation marks and over several letters.
    ("<b>O</b>pen the file.", "Öffnen Sie die Datei.", "<b>Ö</b>ffnen Sie die Datei."),
    ("<b>“O</b>pen” it.", "„Öffnen“ Sie.", "„<b>Ö</b>ffnen“ Sie."),
    ("<b>Th</b>e end", "Das Ende", "<b>Da</b>s Ende"),
    ("<b>O</b><i>nce</i> upon a time", "Es war einmal", "<b>E</b><i>s</i> war einmal"),
    ("<b>D</b>ocker is here", "Hier ist Docker", "<b>H</b>ier ist Docker"),
    ("<b>I</b>n it", "O", "<b>O</b>"),
    ("<b>O</b>pen it.", "開く。", "<b>開</b>く。"),
    ("<b>O</b>pen it.", "e\u0301tat", "<b>e\u0301</b>tat"),
    # An ending of the source language.
    ("both <b>file</b>s are", "beide Dateien sind", "beide <b>Dateien</b> sind"),
]


@pytest.mark.parametrize(("source", "target", "expected"), KEPT)
def test_codes_stay_at_the_characters_of_a_kept_word(source, target, expected):
    found, whole = placed(source, target)
    assert whole == ()
    assert found == expected


CHANGED = [
    ("So un<b>believ</b>able it is", "So unglaublich ist es", "So <b>unglaublich</b> ist es"),
    ("the x<b>20</b> file", "die x201 Datei", None),
    ("A sentence. <b>O</b>pen", "Ein Satz. Öffnen", "Ein Satz. <b>Öffnen</b>"),
    ("go <b>Java</b>Script go", "los Skripte los", None),
]


@pytest.mark.parametrize(("source", "target", "expected"), CHANGED)
def test_codes_of_other_words_go_around_whole_words_and_are_told(source, target, expected):
    if "." in source:
        source = source.replace(". ", ", ")
        target, expected = target.replace(". ", ", "), expected.replace(". ", ", ")
    found, whole = placed(source, target)
    assert len(whole) == 1 and whole[0] in TAG.sub("", source)
    inside = re.search("<b>(.*)</b>", found)[1]
    assert {(0, len(inside))} == {(s[0][0], s[-1][1]) for s in [word_spans(inside)]}
    before, after = found.split("<b>")[0], found.split("</b>")[1]
    assert not before[-1:].isalnum() and not after[:1].isalnum()
    assert expected in (None, found)


def test_codes_stay_out_of_words_where_a_file_cannot_have_them():
    parts, between, whole = place_codes(sentence("to H<b>2</b>O"), "zu H2O", within_words=False)
    assert between and whole == ("H2O",)
    assert [p for p in parts if isinstance(p, str) and p.strip()] == ["zu", "H2O"]


PLACES = [
    ("Water is H<b>2</b>O.", "水はH2Oです。", (3, 4), "水はH<b>2</b>Oです。"),
    ("Water is H<b>2</b>O.", "Wasser ist Di2hydrogenoxid.", (13, 14), None),
    ("to <b>open</b> it", "es aufzumachen", (3, 8), "es <b>aufzu</b>machen"),
    # Not nested, or without a word: placed by words.
    ("a <b>c</b> d", "A C D", (2, 2), "A <b>C</b> D"),
    ("a <b>c</b> d", "A C D", (3, 2), "A <b>C</b> D"),
    ("a <b>c</b> d <i>e</i>", "A C D E", (2, 5, 3, 7), "A <b>C</b> D <i>E</i>"),
    ("a <b>c</b><x/> d", "A C D", (0, 1, 0), "<x/><b>A</b> C D"),
]


@pytest.mark.parametrize(("source", "target", "places", "expected"), PLACES)
def test_codes_go_where_a_translator_has_put_them(source, target, places, expected):
    if expected is None:
        low, high = places
        expected = f"{target[:low]}<b>{target[low:high]}</b>{target[high:]}"
    assert placed(source, target, places) == (expected, ())


def test_words_at_the_same_place_among_codes_are_linked():
    def weights(source, target, places):
        found = sentence(source)
        spans = word_spans(found.text), word_spans(target)
        return weights_of_places(found, places, spans)

    # Select, OK, now and the full stop; OK, jetzt, wählen and the full stop.
    pairs = weights("Select <b>OK</b> now.", "OK jetzt wählen.", [0, 2])
    assert pairs == [[0, 1, 1, 1], [1, 0, 0, 0], [0, 1, 1, 1], [0, 1, 1, 1]]
    marks = weights("The text<x/> goes on.", "Er geht weiter.", [2])
    assert marks == [[1, 0, 0, 0]] * 2 + [[0, 1, 1, 1]] * 3


WORDS = st.from_regex(r"[A-Z][a-z]{3,6}[0-9]{0,2}[a-z]{0,2}", fullmatch=True)


@st.composite
def marked_words(draw):
    """A word with a pair and a void code within, and the word."""
    word = draw(WORDS)
    at = sorted(draw(st.lists(st.integers(1, len(word) - 1), min_size=3, max_size=3)))
    low, high, point = at
    if low == high:
        high = low = 0
    pieces = [word[:low], word[low:high], word[high:point], word[point:]]
    marked = "{}<b>{}</b>{}<x/>{}".format(*pieces) if high else f"{word[:point]}<x/>{word[point:]}"
    return marked, word


@given(st.lists(marked_words(), min_size=1, max_size=4, unique_by=lambda item: item[1]), st.data())
def test_codes_of_words_that_are_copied_and_moved_stay_at_their_characters(words, data):
    source = " ".join(["so", *(f"{marked} ist" for marked, _ in words)])
    order = data.draw(st.permutations(words))
    target = " ".join(["nun", *(f"{word} war" for _, word in order)])
    found, whole = placed(source, target)
    assert found == " ".join(["nun", *(f"{marked} war" for marked, _ in order)])
    assert whole == ()


@given(marked_words(), st.sampled_from(["", "-Datei", "은", "のため", "-fil:n"]))
def test_codes_of_words_in_compounds_stay_at_their_characters(words, ending):
    marked, word = words
    assert placed(f"so {marked} is", f"das {word}{ending} war") == (f"das {marked}{ending} war", ())


@given(st.text("ab cH2O.<>/x1", max_size=12), st.text("Hab 2O,1.は", max_size=20), st.data())
def test_every_code_is_there_once_wherever_a_translator_has_put_it(text, target, data):
    source = f"w<b>{TAG.sub('', text)}H</b>2<x/>O a<i>b</i>c"
    found = sentence(source)
    size = len(found.shown)
    places = data.draw(st.lists(st.integers(0, len(target)), min_size=size, max_size=size))
    parts, *_ = place_codes(found, target, tuple(places))
    codes = [part for part in parts if isinstance(part, Code)]
    assert sorted(codes, key=lambda code: code.start) == [code for _, code in found.codes]
    words = re.sub(r"\s", "", "".join(part for part in parts if isinstance(part, str)))
    assert words == re.sub(r"\s", "", target)
    opened = []
    for code in codes:
        if code.kind == "open":
            opened.append(code.pair)
        elif code.kind == "close":
            assert opened.pop() == code.pair
