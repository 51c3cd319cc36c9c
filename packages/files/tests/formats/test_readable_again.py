"""What is written can be read again, with the same text, whatever characters a translation has: a
format escapes them, or leaves the source and says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from docmt_files import FORMATS, FileSkeleton, Format, Input
from docmt_files.base.documents import Document
from docmt_files.strings.po_entries import literal, po_entries
from docmt_files.text.table import Columns
from formats.every_format import read, samples_of, write_sample
from readable_characters import CHARACTERS, INVISIBLE, marks, on_one_line

ESCAPING = ("json", "strings", "properties", "po", "xcstrings")
"""Formats with escapes for all control characters; Android has them too, but for U+FFFE."""

by_format = pytest.mark.parametrize("file_format", FORMATS, ids=lambda each: each.name)


def targets_of(file_format: Format, path: Path) -> str:
    """All that a file says, with the translations of one that holds both sides."""
    if file_format.name == "po":
        text = path.read_text(encoding="utf-8")
        entries = po_entries(text, path)
        keys = ((entry, key) for entry in entries for key in entry.translations)
        return " ".join(literal(text, *entry.strings[key]).value for entry, key in keys)
    if file_format.name == "xcstrings":
        strings = json.loads(path.read_text(encoding="utf-8"))["strings"].values()
        found = (each.get("localizations", {}).get("de", {}) for each in strings)
        return " ".join(each.get("stringUnit", {}).get("value", "") for each in found)
    if file_format.name in ("xliff", "tmx", "qt"):
        return unescape(path.read_bytes().decode("utf-16" if path.name[0] == "w" else "utf-8"))
    (document,), _ = read(file_format, path)
    return " ".join(document.source)


@pytest.mark.by_default(20)
@by_format
def test_any_single_character_can_be_read_again(tmp_path: Path, file_format: Format) -> None:
    check_readable(tmp_path, file_format, CHARACTERS)


@by_format
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mark=marks)
def test_what_is_written_can_be_read_again(
    tmp_path_factory: pytest.TempPathFactory, file_format: Format, mark: str
) -> None:
    check_readable(tmp_path_factory.mktemp("file"), file_format, [mark])


def check_readable(folder: Path, file_format: Format, marks: Sequence[str]) -> None:
    """Check that a file translated with each of these characters has them when it is read, or its
    source and a note."""
    name, content = next(iter(samples_of(file_format).SAMPLES.items()))
    path = write_sample(folder, name, content)
    replaced = path.read_bytes().count("\ufffd".encode())
    (document,), skeleton = read(file_format, path, "de")
    for mark in marks:
        changed = [f"Ein W{mark}Z Wort." for _ in document.source]
        filled = skeleton.fill_and_report([document.translated(changed)])
        assert filled.data.count("\ufffd".encode()) == replaced
        path.write_bytes(filled.data)
        found = on_one_line(targets_of(file_format, path))
        shown = f"W{on_one_line(mark)}Z".translate(INVISIBLE)
        if shown not in found.translate(INVISIBLE):
            assert filled.kept == len(skeleton.found.blocks) - skeleton.sentences.count(())
            assert any("not translated, because" in note for note in filled.notes)
            assert "Wort" not in found


@pytest.mark.parametrize("file_format", [f for f in FORMATS if f.name in ESCAPING], ids=str)
def test_formats_with_escapes_write_control_characters(tmp_path: Path, file_format: Format) -> None:
    name, content = next(iter(samples_of(file_format).SAMPLES.items()))
    path = write_sample(tmp_path, name, content)
    (document,), skeleton = read(file_format, path, "de")
    controls = "\0\x01\x07\x1b\x7f"
    filled = skeleton.fill_and_report([document.translated([f"Wort{controls}"] * len(document))])
    assert filled.kept == 0
    assert not set(filled.data) & set(controls[:-1].encode())
    path.write_bytes(filled.data)
    assert f"Wort{controls}" in targets_of(file_format, path)


def test_android_escapes_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "strings.xml"
    path.write_text('<resources><string name="a">A word</string></resources>')
    (document,), skeleton = Input().read(str(path), "en")
    skeleton.write([document.translated(["Ein\x07 Wort"])], path)
    assert r">Ein\u0007 Wort<" in path.read_text()


TEXTS: dict[str, tuple[str, dict[str, Any]]] = {
    "in.txt": ("One word.\n\nTwo words.\n", {}),
    "lines.txt": ("One word.\nTwo words.\n", {"segmented": True}),
    "in.csv": ("id,text\n1,One word\n2,Two words\n", {"columns": Columns(("text",))}),
}
"""Files of text."""


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mark=marks)
def test_files_of_text_can_be_read_again(
    tmp_path_factory: pytest.TempPathFactory, name: str, mark: str
) -> None:
    folder = tmp_path_factory.mktemp("text")
    path = folder / name
    content, options = TEXTS[name]
    path.write_text(content)
    documents, skeleton = Input(**options).read(str(path), "en")
    written = write_changed(documents, skeleton, path, f"Ein W{mark}Z Wort.")
    again, _ = Input(**options).read(str(path), "en")
    texts = " ".join(text for one in again for text in (*one.source, *(one.target or ())))
    if name == "in.txt" and "\t" in mark:
        # Between tabs, what has no letter is outside the sentences.
        texts += path.read_text()
    shown = f"W{on_one_line(mark)}Z".translate(INVISIBLE)
    if shown not in on_one_line(texts).translate(INVISIBLE):
        assert written.kept == 2 and any("not translated, because" in n for n in written.notes)


def write_changed(
    documents: list[Document], skeleton: FileSkeleton, path: Path, target: str
) -> Any:
    """Write documents in which each sentence has this translation."""
    return skeleton.write([d.translated([target] * len(d)) for d in documents], path)
