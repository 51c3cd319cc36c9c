"""Apple's strings and Java's properties: values are translated, and everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.base.errors import InputError
from tables import rows


def read(folder, text, name, target="de"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Input().read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


TABLE = rows("formats/contracts/other_strings.yaml")


@pytest.mark.parametrize(("name", "text", "sentences", "expected"), TABLE)
def test_values_are_translated_and_the_rest_stays(tmp_path, name, text, sentences, expected):
    documents, skeleton = read(tmp_path, text, name)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).text == text
    assert filled(documents, skeleton).text == expected


def test_characters_are_written_as_the_file_writes_them(tmp_path):
    documents, skeleton = read(tmp_path, "k=one two\n", "a.properties")
    assert filled(documents, skeleton, lambda _: "Ä😀\\").text == "k=\\u00C4\\uD83D\\uDE00\\\\\n"
    documents, skeleton = read(tmp_path, '"k"="one two";', "a.strings")
    assert filled(documents, skeleton, lambda _: 'Ä😀\\"').text == '"k"="Ä😀\\\\\\"";'


def test_utf_16_stays_utf_16(tmp_path):
    text = '\ufeff"k" = "größer ist";\r\n'
    documents, skeleton = read(tmp_path, text.encode("utf-16-be"), "a.strings")
    expected = text.replace("größer ist", "GRÖSSER IST").encode("utf-16-be")
    assert filled(documents, skeleton).data == expected


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("k=the water of {0}\n", "a.properties", "k=d''eau {0}\n"),
        ("k=the water\n", "a.properties", "k=d'eau\n"),
        ("k=don't {0}\n", "a.properties", "k=d'eau {0}\n"),
        ('"k"="the water of {0}";', "a.strings", '"k"="d\'eau {0}";'),
        ('["it\'\'s {n}", "of {n}"]', "a.json", "[\"d''eau {n}\", \"d''eau {n}\"]"),
    ],
)
def test_apostrophes_are_doubled_where_messages_need_it(tmp_path, text, name, expected):
    documents, skeleton = read(tmp_path, text, name)
    assert filled(documents, skeleton, lambda _: "d'eau").text == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"a" = "b";\n"c" = ;\n', r"line 2: ';' is not where an entry has it"),
        ('"a" = "b c"\n"d" = "e";\n', 'line 2: \'"d" = "e";\' is not where'),
        ('"a" = "b', "line 1: '\"b' is not where"),
        ('"a" = "b c";\n/* d', "line 2: '/.* d' is not where"),
        ('"a" = "b c"; "d"', "line 1: the end is not where"),
    ],
)
def test_what_is_not_a_file_of_strings_is_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, "a.strings")


def escaped(value, quote):
    return value.replace("\\", "\\\\").replace(quote, f"\\{quote}")


VALUE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), max_size=9)


@given(st.lists(st.tuples(VALUE, VALUE), max_size=4), st.booleans())
def test_filled_with_its_source_a_file_is_as_it_was(tmp_path_factory, entries, apple):
    entries = [("key", "some words"), *entries]
    if apple:
        text = "".join(f'"{escaped(k, chr(34))}" = "{escaped(v, chr(34))}";\n' for k, v in entries)
    else:
        lines = [f"{escaped(k, ' ')}x = {escaped(v, '=')}\n" for k, v in entries]
        text = "".join(lines)
    folder = tmp_path_factory.mktemp("strings")
    documents, skeleton = read(folder, text, "a.strings" if apple else "a.properties")
    assert filled(documents, skeleton, str).text == text
    other = filled(documents, skeleton, lambda s: f'{s}ü"\\').data
    again = Input().read(folder / "a.strings" if apple else folder / "a.properties", "en")
    assert len(again[0][0]) == len(documents[0]) and other
