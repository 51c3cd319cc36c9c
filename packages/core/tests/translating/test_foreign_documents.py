"""A document that is not in the language that a system translates from is not passed over."""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from importlib.resources import files

import pytest
from typer.testing import CliRunner

import docmt
from docmt.cli import main
from docmt.translating import translate_files, translate_folder
from docmt_files import Input, read_exclusion_rules
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import Translation
from docmt_nmt.text.language_detection import parts_in_other_languages
from docmt_nmt.translators import request_of
from docmt_nmt.translators.translator import Translator

FRENCH = (
    "Bonjour. Ouvrez le fichier dans lequel vous avez écrit votre lettre.\n\n"
    "Cliquez ensuite sur le bouton pour envoyer la lettre à vos collègues.\n"
)


class Copying(Translator):
    """Gives back what it gets."""

    languages = ("en", "de")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        documents = request_of(request).documents
        return [Translation.of(each.id, each.source, each.source) for each in documents]


@pytest.fixture(scope="module")
def manuals():
    """The first sentences of the manuals that come with docmt, in English and German."""
    folder = files("docmt_nmt.corpora.demo") / "manuals"
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


LOREM = (
    "Lorem ipsum dolor sit amet, consectetur adipisicing elit, sed do eiusmod tempor incididunt ut "
    "labore et dolore magna aliqua."
)
ENGLISH = "Open the file in which you have written your letter, and save it in the folder."
GERMAN = "Öffnen Sie die Datei, in der Sie Ihren Brief geschrieben haben, und speichern Sie sie."


@dataclass(frozen=True)
class Shouting(Copying):
    """Writes everything in capitals."""

    languages = ("en", "de")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        made = super().translate(request)
        return [translation.with_best(map(str.upper, translation.source)) for translation in made]


def shouted(tmp_path, text, **how):
    (tmp_path / "in.txt").write_text(text)
    notes = []
    counts = translate_files(
        Shouting(),
        [str(tmp_path / "in.txt")],
        [str(tmp_path / "out.txt")],
        input_form=Input(**how),
        note=notes.append,
    )
    left = [note.partition(": ")[2] for note in notes if "left as in the source" in note]
    return (tmp_path / "out.txt").read_text(), left, counts


def test_blocks_in_another_language_stay_and_are_counted(tmp_path):
    french = " ".join(FRENCH.split("\n\n")[1:]).strip() + " Attendez la réponse de vos amis."
    text = "\n\n".join([ENGLISH, LOREM, french, "Select the button.", GERMAN, LOREM])
    found, notes, counts = shouted(tmp_path, text)
    shown = [ENGLISH.upper(), LOREM, french, "SELECT THE BUTTON.", GERMAN, LOREM]
    assert found == "\n\n".join(shown)
    assert notes == [
        "4 blocks left as in the source, in other languages than English, it seems: Latin (2), "
        "French (1), German (1); the first begins 'Lorem ipsum dolor sit amet, consectetur…'"
    ]
    assert counts.foreign_documents == 0


def test_blocks_in_another_language_are_translated_if_wanted(tmp_path):
    text = f"{ENGLISH}\n\n{LOREM}"
    assert shouted(tmp_path, text, every_language=True)[:2] == (text.upper(), [])


def test_rules_name_the_languages_that_are_left(tmp_path):
    (tmp_path / "rules.toml").write_text(
        '[[leave]]\nlanguage = "la"\n[[leave]]\nlanguage = "fr"\n[[leave]]\nkey = "a"\n'
    )
    rules = read_exclusion_rules(tmp_path / "rules.toml")
    text = f"{ENGLISH}\n\n{LOREM}\n\n{GERMAN}"
    found, notes, _ = shouted(tmp_path, text, rules=rules, every_language=True)
    assert found == f"{ENGLISH.upper()}\n\n{LOREM}\n\n{GERMAN.upper()}"
    assert len(notes) == 1 and "Latin (1); the first begins" in notes[0]
    unused = [note.partition("rules.toml, ")[2] for note in rules.unused()]
    assert unused == [
        "line 3: the rule (language = fr) matched nothing",
        "line 5: the rule (key = a) matched nothing",
    ]


def test_a_document_in_another_language_is_translated_as_a_whole(tmp_path):
    text = f"{FRENCH}\n\nAnnexe\n\n{FRENCH}"
    found, notes, counts = shouted(tmp_path, text)
    assert found == text.upper() and not notes and counts.foreign_documents == 1


def test_names_of_menus_in_another_language_are_no_text_in_it():
    menus = (
        "Select Datei > Öffnen, then Bearbeiten > Einstellungen and click Übernehmen in the dialog "
        "Optionen."
    )
    german = (
        "Wählen Sie Datei > Speichern unter (File > Save As) und geben Sie einen Namen ein, dann "
        "klicken Sie auf OK."
    )
    parts = [ENGLISH, menus, german, FRENCH.upper()]
    assert parts_in_other_languages(parts, "en") == {2: "de", 3: "fr"}


def test_no_block_of_the_manuals_is_taken_for_another_language(manuals):
    for language, lines in manuals.items():
        assert parts_in_other_languages(lines, language) == {}
        for other in {"en", "de"} - {language}:
            mixed = [*lines, *manuals[other]]
            long = {n + len(lines) for n, s in enumerate(manuals[other]) if len(s) > 100}
            assert set(parts_in_other_languages(mixed, language)) >= long
