"""Test sets of WMT in the XML of its format tools."""

from __future__ import annotations

import gzip
from pathlib import Path
from time import process_time

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.evaluation import MetricSettings, evaluate_files, read_translations

SET = """<?xml version='1.0' encoding='utf-8'?>
<!-- A set of two documents and a test suite. -->
<dataset id="wmttest2022.en-de">
  <collection id="general">
    <doc origlang="en" id="b" domain="news">
      <src lang="en">
        <p>
          <seg id="1">R&amp;D &lt;one&gt;.</seg>
        </p>
        <p>
          <seg id="2">Two
            &#233;.</seg>
        </p>
      </src>
      <ref lang="de" translator="A"><p><seg id="1">FuE.</seg><seg id="2">Zwei.</seg></p></ref>
      <ref lang="de" translator="B"><p><seg id="1">F.</seg><seg id="2">2.</seg></p></ref>
      <hyp lang="de" system="online"><p><seg id="1">H1</seg><seg id="2">H2</seg></p></hyp>
      <supplemental type="clean_source"><p><seg id="1">other</seg></p></supplemental>
    </doc>
  </collection>
  <doc origlang="en" id="suite" testsuite="pronouns"><src lang="en"><p><seg id="1">It.</seg></p>
  </src></doc>
  <doc origlang="en" id="a"><src lang="en"><p><seg id="1">Three.</seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">Drei.</seg></p></ref>
    <ref lang="de" translator="B"><p><seg id="1">3.</seg></p></ref>
    <hyp lang="de" system="online"><p><seg id="1">H3</seg></p></hyp>
  </doc>
</dataset>
"""
SOURCE_ONLY = """<dataset id="x">
<doc id="b"><src lang="en"><p><seg id="1">R&amp;D &lt;one&gt;.</seg><seg id="2">Two é.</seg></p>
</src></doc>
<doc id="suite" testsuite="s"><src lang="en"><p><seg id="1">It.</seg></p></src></doc>
<doc id="a"><src lang="en"><p><seg id="1">Three.</seg></p></src></doc>
</dataset>
"""
EXPECTED = [
    Document("b", ("R&D <one>.", "Two é."), ("FuE.", "Zwei.")),
    Document("a", ("Three.",), ("Drei.",)),
]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_holds_the_source_and_its_references(tmp_path):
    path = put(tmp_path / "set.xml", SET)
    assert list(corpora.read(path)) == EXPECTED
    packed = tmp_path / "set.xml.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert list(corpora.read(packed)) == EXPECTED
    first, second = corpora.read_references(path, path)
    assert [d.target for d in first] == [d.target for d in EXPECTED]
    assert [d.target for d in second] == [("F.", "2."), ("3.",)]


def test_a_source_alone_has_its_test_suites(tmp_path):
    source = put(tmp_path / "src.xml", SOURCE_ONLY)
    assert [d.id for d in corpora.read(source)] == ["b", "suite", "a"]
    assert [d.target for d in corpora.read(source)] == [None] * 3
    assert list(corpora.read(source, put(tmp_path / "set.xml", SET))) == EXPECTED


def test_the_translations_of_a_system(tmp_path):
    text = SET.replace("<ref ", "<supplemental ").replace("</ref>", "</supplemental>")
    path = put(tmp_path / "hyp.xml", text)
    assert [d.target for d in corpora.read(path)] == [("H1", "H2"), ("H3",)]


def test_the_hypothesis_of_a_file_with_references_is_that_of_its_system(tmp_path):
    path = put(tmp_path / "all.xml", SET)
    assert [d.target for d in read_translations(path)] == [("H1", "H2"), ("H3",)]
    evaluation = evaluate_files(str(path), [str(path)], MetricSettings(metrics=["s-chrf"]))
    assert evaluation.scores[0].score < 50
    second = '<hyp lang="de" system="other"><p><seg id="1">X</seg></p></hyp>'
    put(path, SET.replace("</hyp>\n  </doc>", f"</hyp>{second}</doc>"))
    with pytest.raises(InputError, match="translations of 2 systems: 'online', 'other'"):
        read_translations(path)
    put(path, SET.replace("hyp", "supplemental"))
    assert read_translations(path) == EXPECTED


def test_a_set_in_sgml_is_paired_with_one_in_xml(tmp_path):
    source = put(tmp_path / "src.xml", SOURCE_ONLY)
    corpora.write([Document(d.id, d.target or ()) for d in EXPECTED], tmp_path / "ref.sgm")
    assert list(corpora.read(source, tmp_path / "ref.sgm")) == EXPECTED


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("</dataset>", "", "is not valid XML"),
        ("R&amp;D", "R&D", r"set\.xml, line 8: is not valid XML"),
        ("R&amp;D", "&file;", "undefined entity"),
        ("<dataset", '<!DOCTYPE d [<!ENTITY x "y">]><dataset', "entity 'x'"),
        ("<dataset", '<!DOCTYPE d [<!ENTITY % p SYSTEM "/etc/passwd"> %p;]><dataset', "'p'"),
        (' id="a"', "", "line 23: the document has no id"),
        (' id="a"', ' id="b"', r"line 23: the document 'b' has two <src>, or its id is repeated"),
        ('translator="B"', 'translator="A"', r"line 16: .* has two <ref> of 'A'"),
        ('<seg id="2">Zwei.</seg>', "", "document 'b' has 1 segment, in .* 2"),
        ('<seg id="2">Zwei', '<seg id="3">Zwei', "segment '3' is where"),
        ("Zwei.", "", "line 15: the target sentence is empty"),
        ("Zwei.", "Zwei <b>.</b>", "line 15: <b> within a segment"),
        (' testsuite="pronouns"', "", "document 'suite' is missing from a set"),
        ("<seg ", "<text ", "is not valid XML"),
    ],
)
def test_a_damaged_set(tmp_path, old, new, problem):
    assert old in SET
    path = put(tmp_path / "set.xml", SET.replace(old, new))
    with pytest.raises(InputError, match=problem):
        list(corpora.read(path))


def test_sets_without_documents(tmp_path):
    for text, problem in [
        ("<dataset/>", "no documents"),
        ('<dataset><doc id="a"/></dataset>', "no documents"),
        ('<dataset><doc id="a"><src/></doc></dataset>', "document 'a' has no segments"),
        ("", "no documents"),
    ]:
        with pytest.raises(InputError, match=problem):
            list(corpora.read(put(tmp_path / "a.xml", text)))


def test_a_set_without_end_ends_quickly(tmp_path):
    start = process_time()
    head = '<dataset><doc id="a"><src><seg id="1">'
    with pytest.raises(InputError, match="longer than 1,000,000 characters"):
        list(corpora.read(put(tmp_path / "a.xml", head + "x y\n" * 300_000)))
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(b"<dataset>") + gzip.compress(b" " * (1 << 20)) * 512)
    with pytest.raises(InputError, match="less than 1/200 of its size"):
        list(corpora.read(path))
    assert process_time() - start < 5
