"""A document that is not in the language that a system translates from is not passed over."""

from __future__ import annotations

import json
import lzma
from importlib.resources import files

import pytest
from typer.testing import CliRunner

import docmt
from docmt.cli import main
from docmt.ground.documents import Alternative, Translation
from docmt.ground.errors import InputError
from docmt.translating import translate_files, translate_folder
from docmt.translators import request_of
from docmt.translators.translator import Translator

FRENCH = (
    "Bonjour. Ouvrez le fichier dans lequel vous avez écrit votre lettre.\n\n"
    "Cliquez ensuite sur le bouton pour envoyer la lettre à vos collègues.\n"
)


class Copying(Translator):
    """Gives back what it gets."""

    languages = ("en", "de")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        documents = request_of(request).documents
        log_probabilities = [(0.0,) * len(document) for document in documents]
        return [
            Translation(d.translated(d.source), s, (len(d),), (), (Alternative(d.source, s),))
            for d, s in zip(documents, log_probabilities, strict=True)
        ]


@pytest.fixture(scope="module")
def manuals():
    """The first sentences of the manuals that come with docmt, in English and German."""
    folder = files("docmt.demo") / "manuals"
    lines = {}
    for language in ("en", "de"):
        with lzma.open(str(folder / f"manuals.{language}.xz"), "rt", encoding="utf-8") as stream:
            lines[language] = [line.strip() for line in stream if line != "<d>\n"][:60]
    return lines


def translated(tmp_path, names):
    notes = []
    (tmp_path / "out").mkdir(exist_ok=True)
    counts = translate_files(
        Copying(),
        [str(tmp_path / name) for name in names],
        [str(tmp_path / "out" / name) for name in names],
        note=notes.append,
    )
    return counts, [note for note in notes if "it seems" in note]


def test_a_document_in_another_language_is_noted_and_counted(tmp_path, manuals):
    for language, lines in manuals.items():
        (tmp_path / f"{language}.txt").write_text("\n\n".join(lines))
    (tmp_path / "fr.md").write_text(FRENCH)
    counts, notes = translated(tmp_path, ["en.txt", "de.txt", "fr.md"])
    assert counts.foreign_documents == 2
    assert notes == [
        f"{tmp_path / name}: 1 document is in {language}, it seems, and this system translates "
        f"from English: '{tmp_path / name}'; translate it with a system for {language}"
        for name, language in (("de.txt", "German"), ("fr.md", "French"))
    ]


def test_the_documents_of_a_corpus_are_judged_one_by_one(tmp_path, manuals):
    documents = [("en", n) for n in range(3)] + [("de", n) for n in range(5)]
    lines = (
        json.dumps({"id": f"{language}{n}", "source": manuals[language][10 * n : 10 * n + 10]})
        for language, n in documents
    )
    (tmp_path / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines))
    counts, (note,) = translated(tmp_path, ["corpus.jsonl"])
    assert counts.foreign_documents == 5
    assert "5 documents are in German" in note
    assert "'de0', 'de1', 'de2' and 2 more" in note


@pytest.mark.parametrize("text", ["Bonjour, Madame. Merci beaucoup.\n", "x = 1\n" * 100])
def test_short_texts_and_code_have_no_note(tmp_path, text):
    (tmp_path / "short.txt").write_text(text)
    counts, notes = translated(tmp_path, ["short.txt"])
    assert (counts.foreign_documents, notes) == (0, [])


def test_the_count_of_a_folder_has_its_files_of_all_runs(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "fr.txt").write_text(FRENCH)
    (folder / "en.txt").write_text("Open the file.\n")
    result = translate_folder(Copying(), folder, tmp_path / "out")
    assert result.files == docmt.translating.FileCounts(foreign_documents=1)


def test_strict_translation_exits_with_3_on_another_language(tmp_path, tiny_run):
    (tmp_path / "fr.txt").write_text(FRENCH)
    command = ["translate", "--run", str(tiny_run.directory), str(tmp_path / "fr.txt")]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, "1 document is in French" in result.stderr) == (0, True)
    strict = CliRunner().invoke(main, [*command, "--strict"])
    assert strict.exit_code == 3
    assert "1 document in another language (--strict)" in " ".join(strict.stderr.split())


def test_a_string_is_not_a_list_of_files():
    with pytest.raises(InputError, match="`inputs` and `outputs` are lists of files"):
        translate_files(Copying(), "letter.txt", ["out.txt"])
