"""The table of formats: each has names and a module of its own, and is found by them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from docmt_files import FORMATS, Input, format_names, format_of
from docmt_files.base.errors import InputError
from docmt_files.text.plain_text import BY_SUFFIX
from formats.every_format import samples_of, write_sample

by_name = pytest.mark.parametrize("file_format", FORMATS, ids=lambda each: each.name)


@by_name
def test_a_file_is_read_by_the_format_that_its_name_and_contents_tell(file_format, tmp_path):
    for name, content in samples_of(file_format).SAMPLES.items():
        path = write_sample(tmp_path, name, content)
        asked = Input(file_format=file_format.name).read(path, "en")[0]
        assert asked == file_format.load().read(path, "en")[0]
        assert format_of(path) is (file_format if file_format.by_name else None)
        if file_format.by_name:
            assert Input().read(path, "en")[0] == asked


@by_name
def test_every_suffix_names_its_format_whatever_the_file_is_called(file_format, tmp_path):
    samples = samples_of(file_format).SAMPLES
    for suffix in file_format.suffixes:
        path = write_sample(tmp_path, f"Some.Name{suffix.upper()}", next(iter(samples.values())))
        assert format_of(path) is (file_format if file_format.by_name else None)


def test_a_suffix_belongs_to_one_format_unless_contents_tell() -> None:
    owners = Counter(s for f in FORMATS for s in f.suffixes if s not in f.shared)
    assert set(owners.values()) == {1}
    assert not set(owners) & set(BY_SUFFIX), "what is translated is not refused"
    assert all(s == s.lower() and s.startswith(".") for s in owners)


def test_a_name_in_capitals_or_compressed_is_known() -> None:
    for name in ("a.HTML", "b.html.gz", "c.xhtml.xz"):
        found = format_of(name)
        assert found is not None and found.name == "html"
    assert format_of("html") is None and format_of("-") is None


def test_an_unknown_format_is_refused_with_the_list_of_all() -> None:
    with pytest.raises(InputError) as caught:
        Input(file_format="word")
    assert "`file_format=word` is not the name of a format" in str(caught.value)
    for name in format_names():
        assert name in str(caught.value)
    with pytest.raises(InputError, match="add `output_format=jsonl`"):
        Input(file_format="jsonl")


def test_a_file_of_an_unknown_format_is_refused_with_the_list_of_all(tmp_path: Path) -> None:
    path = tmp_path / "page.tex"
    path.write_text("A page\n")
    with pytest.raises(InputError, match=r"docmt translates .*html, markdown"):
        Input().read(path, "en")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<appendix><title>A</title></appendix>", "docbook"),
        ("<d:book xmlns:d='x'><d:title>A</d:title></d:book>", "docbook"),
        ("<!-- <html> -->\n<!DOCTYPE topic SYSTEM 'a' [<!ENTITY b 'c'>]>\n<topic id='a'/>", "dita"),
        ("<reference id='a'><title>A</title><refbody/></reference>", "dita"),
        ("<map><topicref href='a.dita'/></map>", "dita"),
        ("<root><resheader name='a'/><data name='b'><value>Hi</value></data></root>", "resx"),
        ("<?xml version='1.0'?><xliff version='2.0'/>", "xliff"),
        ("<resources><string name='a'>A</string></resources>", "android"),
        ("<tt xmlns='http://www.w3.org/ns/ttml'/>", "ttml"),
        ("<TS version='2.1'/>", "qt"),
        ("\ufeff<html xmlns='http://www.w3.org/1999/xhtml'/>", "html"),
        ("<srcset/>", None),
        ("<mteval/>", None),
        ("<data><appendix/></data>", None),
        ("<!--" * 10_000, None),
    ],
)
def test_xml_is_told_apart_by_its_root(tmp_path, text, name):
    (tmp_path / "a.xml").write_text(text, encoding="utf-8")
    found = format_of(tmp_path / "a.xml")
    assert (found and found.name) == name
    (tmp_path / "b.xml").write_text(text, encoding="utf-16")
    found = format_of(tmp_path / "b.xml")
    assert (found and found.name) == name
