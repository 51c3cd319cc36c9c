"""Mozilla's files of entities: values are translated, and what is not text stays."""

from __future__ import annotations

from xml.parsers import expat

import pytest

from docmt_files import Input
from docmt_files.base.errors import InputError


def read(folder, text, name="a.dtd"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Input().read(path, "en")


def filled(documents, skeleton, change):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


CASES = [
    # name, sentences, the file with the sentences in upper case
    ('<!ENTITY a "one two">', ["one two"], '<!ENTITY a "ONE TWO">'),
    ("<!ENTITY a 'say \"one\"'  >", ['say "one"'], "<!ENTITY a 'SAY \"ONE\"'  >"),
    ('<!ENTITY a "to %S">', ["to"], '<!ENTITY a "TO %S">'),
    ('<!ENTITY a "&#37;1$S of five">', ["of five"], '<!ENTITY a "&#37;1$S OF FIVE">'),
    ('<!ENTITY a "about &brandName;">', ["about"], '<!ENTITY a "ABOUT &brandName;">'),
    ('<!ENTITY a "by &copyHolder.name;">', ["by"], '<!ENTITY a "BY &copyHolder.name;">'),
    ('<!ENTITY a "in %intl; here">', ["in here"], '<!ENTITY a "IN %intl; HERE">'),
    ('<!ENTITY a "one &amp; two">', ["one & two"], '<!ENTITY a "ONE &amp; TWO">'),
    ('<!ENTITY a "&#233;t&#xE9; &#37;">', ["été %"], '<!ENTITY a "ÉTÉ &#37;">'),
    ('<!ENTITY a "&#1488;&#1489;">', ["אב"], None),
    ('<!ENTITY a "see <b>one</b>">', ["see one"], '<!ENTITY a "SEE <b>ONE</b>">'),
    ('<!ENTITY a "one\n    Two">', ["one Two"], '<!ENTITY a "ONE TWO">'),
    ('<!-- <!ENTITY a "no"> --><!ENTITY b "one">', ["one"], None),
    ('<?x <!ENTITY a "no"> ?><!ENTITY b "one">', ["one"], None),
    ('<!ENTITY % a "no no"><!ENTITY b "one"><!ENTITY c SYSTEM "no.xml">', ["one"], None),
    ('<!ELEMENT a (b)><!ATTLIST a b CDATA "no no"><!ENTITY c "one">', ["one"], None),
    ('<!ENTITY a.accesskey "O"><!ENTITY aAccessKey "O"><!ENTITY turkey "one">', ["one"], None),
]


@pytest.mark.parametrize(("text", "sentences", "expected"), CASES)
def test_values_are_translated_and_everything_else_stays(tmp_path, text, sentences, expected):
    documents, skeleton = read(tmp_path, text)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).text == text
    if expected is not None:
        assert filled(documents, skeleton, str.upper).text == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"one"', '"&lt;b> 5 &#37; &amp; &amp;no; &quot;it\'s&quot;"'),
        ("'one'", "'&lt;b> 5 &#37; &amp; &amp;no; \"it&apos;s\"'"),
        ('"one &amp; two"', '"&lt;b&gt; 5 &#37; &amp; &amp;no; &quot;it\'s&quot;"'),
    ],
)
def test_a_translation_is_written_so_that_it_ends_and_refers_to_nothing(tmp_path, value, expected):
    documents, skeleton = read(tmp_path, f"<!ENTITY a {value}>")
    result = filled(documents, skeleton, lambda _: '<b> 5 % & &no; "it\'s"')
    assert (result.text, result.kept) == (f"<!ENTITY a {expected}>", 0)


def entities(dtd):
    """The entities and their values, by the parser of Python's library."""
    found = {}
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = lambda name, _, value, *__: found.update({name: value})
    parser.Parse(f"<!DOCTYPE a [{dtd}]><a/>", True)
    return found


def test_an_xml_parser_reads_the_translation_of_each_entity(tmp_path):
    documents, skeleton = read(tmp_path, "<!ENTITY a 'One &b;'>\n<!-- c --><!ENTITY b \"two\">")
    result = filled(documents, skeleton, lambda s: f"{s}: 100 % \"d\" 'e' < f &g;")
    found = entities(result.text)
    assert set(found) == {"a", "b"}
    assert found["b"] == "two: 100 % &quot;d&quot; 'e' &lt; f &amp;g;"


def test_keys_of_the_keyboard_and_sizes_stay_with_a_note(tmp_path):
    text = '<!ENTITY a "one"><!ENTITY a.accesskey "O"><!ENTITY w.style "width: 3em">'
    notes = filled(*read(tmp_path, text), str.upper).notes
    assert "2 strings with keys or sizes (such as accesskey) not translated" in notes


def test_a_declared_encoding_is_kept(tmp_path):
    text = '<?xml encoding="ISO-8859-1"?><!ENTITY a "caf\u00e9">'
    result = filled(*read(tmp_path, text.encode("latin-1")), lambda s: f"{s.upper()} \u0151")
    assert result.data.endswith('<!ENTITY a "CAF\u00c9 &#337;">'.encode("latin-1"))


def test_a_grammar_without_texts_is_refused(tmp_path):
    with pytest.raises(InputError, match="text"):
        read(tmp_path, '<!ELEMENT a (b)><!ENTITY % c "(d|e)">')
