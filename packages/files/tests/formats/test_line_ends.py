"""Plain text: lines of lists, verse and addresses stay lines, and wrapped prose is put together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_files.markup.html import read_html
from docmt_files.text import running

UNITS = {
    "terms": "apple\nbread\nbutter\nmilk",
    "equal terms": "proton beam\n" * 100,
    "steps": "Open the file\nSave the workbook\nprint the page",
    "terms and one sentence": "beam\nthe particles which a machine in the basement of the house "
    "makes out of heavy water.\nneutron\nproton",
    "address": "Jo Smith\nc/o Miller\n12 Main Street\nYork",
    "verse": "so much depends\nupon\na red wheel\nbarrow\nglazed with rain\nwater.",
    "verse in capitals": "Of all the trees that grow so fair beside the river in the west,\n"
    "Old England to adorn, and those that stand beyond the sea,\n"
    "Greater are none beneath the sun, as all of you have heard.",
    "longer verse": "the rain has ended on the hill today\nthou art more quiet and more temperate\n"
    "rough winds do shake the little leaves of may\nand all the summer has too short a date",
    "long terms": "proton beam therapy for the treatment of tumors near the base of the skull\n"
    "magnetic resonance imaging of the lower abdomen with contrast medium\ncomputed tomography",
    "quoted terms": "> apple\n> bread",
    "dialogue": "- where are you going?\n- nowhere, really\n- then come with me",
    "form": "name: Jo Smith\nphone number: none\ncity: Rome",
    "code": "if size > 3:\n    return open(name)\nelse:\n    wait()",
    "Japanese": "りんご\nパン\nバター\n牛乳",
    "Chinese": "张三先生\n北京市朝阳区\n质子束",
    "Thai": "แอปเปิล\nขนมปัง\nเนย",
    "Arabic": "تفاح\nخبز\nزبدة",
    "Hindi": "सेब\nरोटी\nमक्खन",
}

PROSE = {
    "mail": (
        "en",
        "Dear Jo,\n\nyou asked me about the tables of the old report, and whether anyone has kept\n"
        "them. nobody has, as far as I know, but the numbers are in the second part\nof the new "
        "one.\n",
        3,
    ),
    "wrapped by hand": (
        "en",
        "The reader takes one file after the other, and it stops\nwhere a file is damaged. "
        "Damaged files are listed at the end, with the line\nand the reason.\n",
        2,
    ),
    "notice": (
        "en",
        'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, INCLUDING\nBUT NOT '
        "LIMITED TO THE WARRANTIES OF MERCHANTABILITY AND FITNESS.\n",
        1,
    ),
    "item": (
        "en",
        "- keep the lines of lists that begin in lower case, and\n  join those of prose\n- the end",
        2,
    ),
    "narrow item": (
        "en",
        "- an item of a list that has been wrapped at\n  some column\n- the end",
        2,
    ),
    "quoted mail": (
        "en",
        "> > We should move the release to the next week, because the tests\n> > of the new "
        "program have not ended.\n>\n> apple\n> bread\n",
        3,
    ),
    "comment": (
        "en",
        "# This is a comment, wrapped at some seventy columns by the people who\n# have written "
        "the program.\n",
        1,
    ),
    "justified": (
        "en",
        "The  editor  reads  all  of  the  files   in  the  folder  and  looks\nfor the lines "
        "that begin with the word.   It stops at the first one of\nthem.\n",
        2,
    ),
    "German": (
        "de",
        "Hinzufügen oder Entfernen von neuen\nAktivitäten nach Bedarf und Belieben.",
        1,
    ),
    "Arabic": (
        "ar",
        "اللغة العربية من أكثر اللغات انتشارا في العالم، ويتحدثها\nأكثر من أربعمئة مليون نسمة في "
        "الوطن العربي وما جاوره من المناطق.",
        1,
    ),
    "Japanese": (
        "ja",
        "日本語は日本国内や国外移民を含む日本人同士の間で使用されている言語であり、学\n"
        "校教育の「国語」で教えられる。",
        1,
    ),
}


def read(tmp_path, text, language="en"):
    path = tmp_path / "in.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return running.read(path, language)


def sentences(tmp_path, text, language="en"):
    (document,), _ = read(tmp_path, text, language)
    return list(document.source)


def marked(documents, skeleton):
    (document,) = documents
    return skeleton.fill([document.translated([f"[{each}]" for each in document.source])])


@pytest.mark.parametrize("text", UNITS.values(), ids=UNITS)
def test_each_line_is_translated_by_itself(tmp_path, text):
    for made in (marked(*read(tmp_path, text)), marked(*running.read_text(text, "en"))):
        lines = made.splitlines()
        assert len(lines) == len(text.splitlines())
        assert all(line.count("[") == line.count("]") == 1 for line in lines)


@pytest.mark.parametrize(("language", "text", "count"), PROSE.values(), ids=PROSE)
def test_wrapped_prose_is_put_together(tmp_path, language, text, count):
    assert len(sentences(tmp_path, text, language)) == count


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("well-\nknown", "well-known"),
        ("smith--\nwho", "smith--who"),
        ("pre-\nor post-war", "pre- or post-war"),
        ("the -\nold", "the - old"),
    ],
)
def test_a_word_cut_after_a_hyphen_is_put_together(tmp_path, cut, whole):
    text = "The people of the town had a dog and a cat, and both of them were {} in the valley."
    assert sentences(tmp_path, text.format(cut)) == [text.format(whole)]


COLUMNS = [
    # text, sentences, the text filled with the sentences in brackets
    ("open\topen a file\t12\n", 2, "[open]\t[open a file]\t12\n"),
    (
        "Name        Meaning\n----        -------\n",
        2,
        "[Name]        [Meaning]\n----        -------\n",
    ),
    ("Network Group          A. Author\nCategory: None             2026\n", 3, None),
    ("| Name | Value |\n|------|-------|\n| size | large |\n", 4, None),
    ("1. Roles . . . . . . . 3\n", 1, "1. [Roles] . . . . . . . 3\n"),
    ("Introduction........12\n", 1, "[Introduction]........12\n"),
    ("| 2019 | 2020 |\n", 1, "| [2019] | 2020 |\n"),
    (
        "  -t NUMBER   try it NUMBER times before an error is\n              reported\n"
        "  -q   quiet\n",
        4,
        "  [-t NUMBER]   [try it NUMBER times before an error is reported]\n  [-q]   [quiet]\n",
    ),
    ("Item        Price   Rest\n", 3, "[Item]        [Price]   [Rest]\n"),
    ("Name    Use\nbanana  a fruit\n", 4, "[Name]    [Use]\n[banana]  [a fruit]\n"),
    ("氏名　　　山田太郎\n", 2, "[氏名]　　　[山田太郎]\n"),
    ("Wait..... what is that?\n", 1, "[Wait..... what is that?]\n"),
    ("fruit     apples\n          pears\n", 3, "[fruit]     [apples]\n          [pears]\n"),
]


@pytest.mark.parametrize(("text", "count", "expected"), COLUMNS)
def test_columns_are_units_and_keep_their_gaps(tmp_path, text, count, expected):
    documents, skeleton = read(tmp_path, text)
    assert len(documents[0].source) == count
    made = marked(documents, skeleton)
    assert expected is None or made == expected
    if count == text.count("\n"):
        assert made.replace("[", "").replace("]", "") == text


def test_lines_of_thai_are_put_together_without_spaces(tmp_path):
    text = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์เช่นเดียวกับภาษาจีนและออกเสียงแยกคำต่อคำเป็นที่ลำบาก"
    assert sentences(tmp_path, f"{text}\n{text}", "th") == [text + text]


WORDS = ["apple", "proton", "beam", "Rome", "the", "old", "12", "Öl", "милк", "りんご", "تفاح"]
SHORT_LINES = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
    .map(" ".join)
    .filter(lambda line: len(line) < 24),
    min_size=1,
    max_size=12,
)
LINE_END = st.sampled_from(["\n", "\r\n", "  \n", "\n\n", "\t\r\n"])


@given(SHORT_LINES, LINE_END, st.sampled_from(["", "  ", "- ", "\ufeff"]))
def test_short_lines_stay_lines(tmp_path_factory, lines, end, lead):
    text = lead + end.join(lines) + end
    for documents, skeleton in (
        read(tmp_path_factory.mktemp("in"), text),
        running.read_text(text, "en"),
    ):
        (document,) = documents
        assert skeleton.fill([document.translated(document.source)]) == text
        made = marked(documents, skeleton)
        assert made.replace("[", "").replace("]", "") == text
        # A line without a letter stays as it is, where others have one.
        lettered = [line for line in lines if any(map(str.isalpha, line))]
        if lettered:
            assert made.count("[") == len(lettered)


GAP = st.sampled_from(["\t", "    ", " | ", "\t\t", " ...... ", "   \t "])


@given(st.lists(st.sampled_from(WORDS), min_size=2, max_size=5), GAP)
def test_gaps_between_columns_stay(words, gap):
    text = gap.join(words)
    documents, skeleton = running.read_text(text, "en", "lines")
    made = marked(documents, skeleton)
    assert made.replace("[", "").replace("]", "") == text
    lettered = [word for word in words if any(map(str.isalpha, word))]
    assert made.count("[") == (len(lettered) or 1)


@given(st.lists(st.text("ab1 .!?,;:-|>#\t\r", max_size=90), max_size=8), LINE_END)
def test_every_line_of_a_request_stays_a_line(lines, end):
    text = end.join(lines)
    try:
        documents, skeleton = running.read_text(text, "en")
    except InputError:
        assert not any(map(str.isalnum, text))
        return
    (document,) = documents
    filled = skeleton.fill([document.translated(["x"] * len(document))])
    assert len(filled.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize(
    ("splitting", "expected"),
    [
        ("lines", ["One.", "Two", "goes on", "apple"]),
        ("punctuation", ["One.", "Two goes on apple"]),
        ("none", ["One. Two goes on apple"]),
    ],
)
def test_a_request_says_where_sentences_end(splitting, expected):
    text = " One. Two\r\n  goes on\n\napple \n"
    documents, skeleton = running.read_text(text, "en", splitting)
    assert list(documents[0].source) == expected
    assert skeleton.fill([documents[0].translated(expected)]) == text


@pytest.mark.parametrize(
    ("splitting", "expected"),
    [
        ("lines", ["One.", "Two", "goes on", "apple"]),
        ("punctuation", ["One.", "Two goes on", "apple"]),
        ("none", ["One. Two goes on", "apple"]),
    ],
)
def test_a_request_with_tags_says_where_sentences_end(splitting, expected):
    text = "<p>One. <b>Two\n goes</b> on</p>\n<p>apple</p>"
    documents, skeleton = read_html(text, "en", splitting=splitting)
    assert list(documents[0].source) == expected
    assert skeleton.fill([documents[0].translated(expected)]) == text
