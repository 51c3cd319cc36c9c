"""What in a folder is not translated is said, with what to do about it."""

from __future__ import annotations

import pytest

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.text.plain_text import BY_SUFFIX
from docmt_files.tree import TreeOptions, find_tree


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "letter.txt").write_text("Open the file.\n")
    return folder


def reasons(folder, added_suffix="", input_form=None, options=None):
    """Why each file that is not translated is copied, or left out."""
    tree = find_tree(
        folder, folder.parent / "out", input_form or Input(), options or TreeOptions(), added_suffix
    )
    return {str(path): reason for path, reason in (*tree.copied, *tree.left_out)}


@pytest.mark.parametrize("suffix", sorted(set(BY_SUFFIX) - {".csv", ".tab"}))
def test_a_file_that_is_refused_by_its_name_has_the_cure_of_its_refusal(folder, suffix):
    path = folder / f"file{suffix}"
    path.write_text("Some text.\n")
    what, cure = reasons(folder)[path.name]
    with pytest.raises(InputError) as refusal:
        Input().read(path, "en")
    assert what in refusal.value.problem
    assert cure and cure in str(refusal.value)


@pytest.mark.parametrize(
    "content",
    [b"%PDF-1.7\n", b"\xd0\xcf\x11\xe0\0", b"{\\rtf1 Hi}", b"PK\x03\x04\0", b"\x1f\x8b\0"],
)
def test_a_file_that_is_refused_by_its_bytes_has_the_cure_of_its_refusal(folder, content):
    (folder / "unknown").write_bytes(content)
    with pytest.raises(InputError) as refusal:
        Input().read(folder / "unknown", "en")
    assert reasons(folder)["unknown"].cure == refusal.value.cure


@pytest.mark.parametrize("name", ["README", "notes.text"])
def test_text_that_would_be_translated_by_itself_is_said(folder, name):
    (folder / name).write_text("Schöne Grüße. " * 1000, encoding="utf-8")
    assert Input().read(folder / name, "en")[0]
    assert "translate it by itself" in reasons(folder)[name].cure


@pytest.mark.parametrize("name", ["menu.eml", "app.py"])
def test_text_of_an_unknown_format_is_said_with_the_option(folder, name):
    (folder / name).write_text("Schöne Grüße.", encoding="utf-8")
    cure = reasons(folder)[name].cure
    assert "`file_format=text`" in cure and ".txt" not in cure


@pytest.mark.parametrize(
    "name", ["corpus.tsv", "corpus.jsonl", "package.json", "requirements-dev.txt", "set.sgm"]
)
def test_corpora_and_configurations_are_said(folder, name):
    (folder / name).write_text("{}")
    assert "translate it by itself" in reasons(folder)[name].cure


def test_a_table_is_said_with_its_option(folder):
    (folder / "prices.csv").write_text("name,price\n")
    assert "`columns`" in reasons(folder)["prices.csv"].cure


@pytest.mark.parametrize("content", [b"\x89PNG\r\n", b"\0\1\2", b"\xff\xfb\x90", b"", b"***\n"])
def test_what_has_no_text_needs_no_cure(folder, content):
    (folder / "a.bin").write_bytes(content)
    assert reasons(folder)["a.bin"] == ("no text", "")


@pytest.mark.parametrize(
    ("added_suffix", "options"), [(".tsv", None), ("", TreeOptions(other_files="skip"))]
)
def test_files_that_are_left_out_have_the_same_reasons(folder, added_suffix, options):
    (folder / "manual.pdf").write_bytes(b"%PDF-1.7\n")
    copied = reasons(folder)
    assert reasons(folder, added_suffix, options=options) == copied
    assert "word processor" in copied["manual.pdf"].cure


def test_where_a_format_is_asked_for_others_need_no_cure(folder):
    (folder / "manual.pdf").write_bytes(b"%PDF-1.7\n")
    found = reasons(folder, input_form=Input(file_format="text"))
    assert found == {"manual.pdf": ("of other formats", "")}


@pytest.mark.parametrize(
    ("name", "is_translated"),
    [("config/locales/en.yml", True), ("client.de.yml", True), ("ci/build.yml", False)],
)
def test_formats_that_programs_use_for_settings_are_translated_where_languages_are(
    folder, name, is_translated
):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("a: one two\n")
    reason = reasons(folder).get(name)
    assert is_translated is (reason is None)
    assert is_translated or "translate it by itself" in reason.cure
