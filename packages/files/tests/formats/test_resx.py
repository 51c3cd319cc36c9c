"""Resource files of .NET. What others lose: comments, the schema and `xml:space` when a file is
written anew; resources that are no strings."""

from __future__ import annotations

from docmt_files.core.scopes import key_path, value_in_scopes
from docmt_files.strings import resx
from formats.every_format import translated, write_sample
from formats.samples.resx import SAMPLES


def read(folder, text):
    return resx.read(write_sample(folder, "a.resx", text), "en", "de")


def test_strings_are_translated_and_other_resources_stay(tmp_path):
    documents, skeleton = read(tmp_path, SAMPLES["Strings.resx"])
    assert documents[0].source == (
        "The pump & more", "Copied files to.", "Open the file.", "Then close it.",
        "Press here now", "Exit now", "Exit now",
    )  # fmt: skip
    filled = skeleton.fill(translated(documents, str.upper))
    assert "<value>THE PUMP &amp; MORE</value>" in filled
    assert "COPIED {0} FILES TO {1}." in filled
    assert "PRESS &lt;b&gt;HERE&lt;/b&gt; NOW" in filled
    assert filled.count("<value>E&amp;XIT NOW</value>") == 2
    # Nothing else has changed, whatever its case.
    assert filled.lower() == SAMPLES["Strings.resx"].lower()
    for kept in (
        "<value>this is my long string</value>", "<xsd:documentation>A schema<", "icon file.png",
        "System Windows Button", "QUJD REVG", "The title of the window",
        "System.Resources.ResXResourceReader",
    ):  # fmt: skip
        assert kept in filled


def test_a_string_has_its_name_as_key_and_its_comment_as_note(tmp_path):
    _, skeleton = read(tmp_path, SAMPLES["Strings.resx"])
    (scope,) = skeleton.found.blocks[0].scopes
    assert key_path(scope) == "Title"
    assert value_in_scopes(scope, "note") == "The title of the window"


def test_a_translation_is_escaped_for_xml(tmp_path):
    text = "<root><data name='a'><value>One word</value></data></root>"
    documents, skeleton = read(tmp_path, text)
    filled = skeleton.fill(translated(documents, lambda _: 'a < b & "c"'))
    assert filled == text.replace("One word", 'a &lt; b &amp; "c"')
