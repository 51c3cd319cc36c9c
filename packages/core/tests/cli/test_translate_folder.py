"""`docmt translate` with a folder: the same folder comes out in another language."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt.translating import file_translation
from docmt.translating.folders import translate_folder
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import BeamSearchTranslator, fingerprint
from docmt_nmt.translators import request_of


def translate(run, *arguments: str | Path) -> Result:
    command = ["translate", "--run", str(run.directory), *map(str, arguments)]
    return CliRunner().invoke(main, command)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A small site."""
    folder = tmp_path / "docs"
    (folder / "en" / "img").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / ".git").mkdir()
    (folder / ".git" / "config.md").write_text("one\n")
    (folder / "index.md").write_text("# one\n\n[two](en/guide.html) three\n")
    (folder / "en" / "guide.html").write_text("<p>four <b>five</b></p>\n")
    (folder / "en" / "img" / "a.png").write_bytes(b"\x89PNG\0")
    (folder / "run.sh").write_text("echo\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "notes.txt").write_text("six\n")
    (folder / "code.md").write_text("```\none\n```\n")
    (folder / "latest.md").symlink_to("en/guide.html")
    (folder / "passwd").symlink_to("/etc/passwd")
    return folder


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_folder_comes_out_with_the_same_tree(tiny_run, docs: Path, tmp_path: Path) -> None:
    output = tmp_path / "docs.de"
    result = translate(tiny_run, docs, "-o", output)
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    left_out = {".git", ".git/config.md", "passwd"}
    assert tree(output) == [name for name in tree(docs) if name not in left_out]
    for name in ("index.md", "en/guide.html", "notes.txt"):
        assert (output / name).read_text() != (docs / name).read_text()
    for name in ("en/img/a.png", "run.sh", "code.md"):
        assert (output / name).read_bytes() == (docs / name).read_bytes()
    assert os.access(output / "run.sh", os.X_OK)
    assert (output / "latest.md").readlink() == Path("en/guide.html")
    notes = " ".join(result.stderr.split())
    assert f"{docs}: 3 files translated; 3 copied" in notes
    assert "1 entry left out (hidden): .git" in notes
    assert "1 file copied (without text): code.md" in notes
    assert "1 file copied (no text): en/img/a.png" in notes
    assert "1 file copied (text in a format that docmt does not know): run.sh. Where" in notes
    assert "left out (links that lead out of the folder or nowhere): passwd" in notes
    again = translate(tiny_run, docs, "-o", output)
    assert "3 files translated; 3 copied" in again.stderr


def test_other_files_and_some_formats_can_be_left_out(tiny_run, docs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    options = "--format", "markdown", "--other-files", "skip", "--exclude", "code.*"
    result = translate(tiny_run, docs, "-o", output, *options)
    assert [p for p in tree(output) if (output / p).is_file()] == ["index.md"], result.output
    assert "(excluded): code.md" in result.stderr
    assert "(of other formats): " in result.stderr
    result = translate(tiny_run, docs, "-o", output, "--exclude", "en")
    assert not (output / "en" / "guide.html").exists()


def test_each_kind_of_files_that_are_copied_is_named_with_its_cure(
    tiny_run, docs: Path, tmp_path: Path
) -> None:
    for name in ("a.pdf", "b.pdf", "c.pdf", "en/d.pdf", "old.xls", "paper.tex"):
        (docs / name).write_bytes(b"%PDF-1.7\n" if name.endswith("pdf") else b"text\n")
    result = translate(tiny_run, docs, "-o", tmp_path / "out")
    assert result.exit_code == 0
    notes = " ".join(result.stderr.split())
    assert "3 files translated; 9 copied" in notes
    assert "4 files copied (a PDF document, which" in notes
    assert "a.pdf, b.pdf, c.pdf and 1 more. Translate the file that it was made from;" in notes
    assert "old.xls. Save it as .xlsx or .ods." in notes
    assert "paper.tex. Convert it to plain text" in notes


def test_tables_of_a_folder_have_the_names_of_its_files(
    tiny_run, docs: Path, tmp_path: Path
) -> None:
    (docs / "index.html").write_text("<p>one</p>")
    output = tmp_path / "out"
    translate(tiny_run, docs, "-o", output, "--output-format", "tsv")
    files = [name for name in tree(output) if (output / name).is_file()]
    assert files == ["en/guide.html.tsv", "index.html.tsv", "index.md.tsv", "notes.txt.tsv"]


def test_a_file_that_fails_does_not_keep_the_others_from_being_translated(
    tiny_run, docs: Path, tmp_path: Path
) -> None:
    (docs / "bad.md").write_bytes(b"one \xff\n")
    (docs / "a.html").write_bytes(b"\x89PNG\0\xff")
    output = tmp_path / "out"
    result = translate(tiny_run, docs, "-o", output)
    assert result.exit_code == 2
    assert (output / "index.md").exists() and (output / "en" / "guide.html").exists()
    assert not (output / "bad.md").exists()
    notes = " ".join(result.stderr.split())
    assert "3 files translated; 3 copied; 2 failed" in notes
    assert "bad.md failed: " in notes and "UTF-8" in notes
    assert "docmt: 2 files failed; the same command tries them again" in notes
    (docs / "bad.md").write_text("one\n")
    (docs / "a.html").unlink()
    result = translate(tiny_run, docs, "-o", output)
    assert result.exit_code == 0
    assert "4 files translated, 3 of them before" in " ".join(result.stderr.split())
    assert not [name for name in tree(output) if "unfinished" in name]


def test_a_folder_that_cannot_be_read_has_failed(
    tiny_run, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = os.scandir

    def refusing(path: Path) -> Any:
        if Path(path) == docs / "en":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr("os.scandir", refusing)
    result = translate(tiny_run, docs, "-o", tmp_path / "out")
    assert result.exit_code == 2
    notes = " ".join(result.stderr.split())
    assert "1 failed" in notes
    assert "en failed: the folder cannot be read (Permission denied)" in notes


@pytest.mark.parametrize("output", ["docs", "docs/de", "docs/../docs/en", "."])
def test_an_output_in_or_around_the_folder_is_refused(
    tiny_run, docs: Path, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(docs.parent)
    before = tree(docs.parent)
    result = translate(tiny_run, "docs/", "-o", output)
    assert result.exit_code == 2
    assert "Choose a folder outside of it as --output" in " ".join(result.stderr.split())
    assert tree(docs.parent) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["docs"], "docs: is a folder and needs an output folder"),
        (["docs", "letter.txt", "-o", "out"], "docs: is a folder, and there are other inputs"),
        (["docs", "-o", "letter.txt"], "letter.txt: is a file, but the translation of a folder"),
        (["docs", "-o", "out", "--segmented"], "docs: is a folder, and --segmented"),
        (["docs/empty", "-o", "out"], "docs/empty: has no file of a format that docmt translates"),
        (["letter.txt", "--exclude", "a"], "--exclude is for a folder"),
        (["letter.txt", "--other-files", "skip"], "--other-files is for a folder"),
    ],
)
def test_what_makes_no_sense_with_a_folder_is_an_error(
    tiny_run, docs: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(docs.parent)
    Path("letter.txt").write_text("one\n")
    result = translate(tiny_run, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())
    assert not Path("out").exists()


def test_a_link_in_the_output_does_not_lead_to_overwriting_the_input(
    tiny_run, docs: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").symlink_to(docs / "notes.txt")
    result = translate(tiny_run, docs, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert "leads back into the folder" in " ".join(result.stderr.split())
    assert (docs / "notes.txt").read_text() == "six\n"


def test_an_interrupted_folder_goes_on_where_it_was(
    tiny_run, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    translator = BeamSearchTranslator.load(tiny_run.directory)
    translate_folder(translator, docs, whole)
    monkeypatch.setattr(file_translation, "GROUP", 1)
    searched: list[Any] = []
    search = BeamSearchTranslator.translate

    def interrupted(self: BeamSearchTranslator, request: Any, **keys: Any) -> Any:
        if len(searched) == 2:
            raise KeyboardInterrupt
        searched.append([document.id for document in request_of(request).documents])
        return search(self, request, **keys)

    monkeypatch.setattr(BeamSearchTranslator, "translate", interrupted)
    notes: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        translate_folder(translator, docs, parts, note=notes.append)
    assert "the same command goes on from there" in notes[-1]
    assert (parts / ".docmt.unfinished").exists()
    searched.clear()
    # A file that has changed since, or whose output has, is translated again.
    (parts / "index.md").write_text("changed\n")
    result = translate_folder(translator, docs, parts, note=notes.append)
    assert (result.translated, len(searched)) == (3, 2)
    assert tree(parts) == tree(whole)
    for name in tree(whole):
        if (whole / name).is_file():
            assert (parts / name).read_bytes() == (whole / name).read_bytes()


def test_small_files_share_batches_and_come_out_as_alone(
    tiny_run, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = BeamSearchTranslator.load(tiny_run.directory)
    searched, identified = [], []
    search, identity = BeamSearchTranslator.translate, fingerprint.run_identity

    def counted(self: BeamSearchTranslator, request: Any, **keys: Any) -> Any:
        searched.append(len(request_of(request).documents))
        return search(self, request, **keys)

    monkeypatch.setattr(BeamSearchTranslator, "translate", counted)
    monkeypatch.setattr(
        fingerprint, "run_identity", lambda run: identified.append(run) or identity(run)
    )
    translate_folder(translator, docs, tmp_path / "together")
    # A repair may ask for them again, but for no file alone.
    assert set(searched) == {3}
    assert len(identified) == 1
    monkeypatch.setattr(file_translation, "GROUP", 1)
    translate_folder(translator, docs, tmp_path / "alone")
    for name in ("index.md", "en/guide.html", "notes.txt"):
        assert (tmp_path / "together" / name).read_text() == (tmp_path / "alone" / name).read_text()


def test_a_file_that_cannot_be_translated_stops_no_file_beside_it(
    tiny_run, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = BeamSearchTranslator.translate

    def failing(self: BeamSearchTranslator, request: Any, **keys: Any) -> Any:
        if any("six" in each.source for each in request_of(request).documents):
            raise InputError("six is too much", cure="Leave it out")
        return search(self, request, **keys)

    monkeypatch.setattr(BeamSearchTranslator, "translate", failing)
    counts = translate_folder(BeamSearchTranslator.load(tiny_run.directory), docs, tmp_path / "out")
    assert [(str(path), message) for path, message in counts.failed] == [
        ("notes.txt", "six is too much. Leave it out.")
    ]
    assert counts.translated == 2
    assert not (tmp_path / "out" / "notes.txt").exists()


@pytest.mark.parametrize("plant", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_no_pipe_or_device_in_the_output_is_written_into(
    tiny_run, docs: Path, tmp_path: Path, plant: Any
) -> None:
    (tmp_path / "out" / "en" / "img").mkdir(parents=True)
    for name in ("notes.txt", "en/img/a.png"):
        plant(tmp_path / "out" / name)
    counts = translate_folder(BeamSearchTranslator.load(tiny_run.directory), docs, tmp_path / "out")
    failed = {str(path): message for path, message in counts.failed}
    assert set(failed) == {"notes.txt", "en/img/a.png"}
    assert all("is not a regular file" in message for message in failed.values())
    assert (tmp_path / "out" / "index.md").is_file()
