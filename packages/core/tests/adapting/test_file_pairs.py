"""Files that belong together are found by name, and their sentences where it is clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt.adapting.file_pairs import FilePair, PairReader, paired_folders, pairs_in_folder
from docmt.adapting.material import MaterialReader
from docmt.memory import TranslationMemory, Unit
from docmt_files.base.errors import InputError

ENGLISH = [
    "The printer must be switched off before you open the cover.",
    "Remove the old cartridge carefully.",
    "Put the new cartridge into the empty place until it clicks.",
    "Close the cover again.",
    "Never touch the printed circuit with your fingers.",
]
GERMAN = [
    "Der Drucker muss ausgeschaltet sein, bevor Sie die Abdeckung öffnen.",
    "Nehmen Sie die alte Patrone vorsichtig heraus.",
    "Setzen Sie die neue Patrone an die leere Stelle, bis sie klickt.",
    "Schließen Sie die Abdeckung wieder.",
    "Berühren Sie die Leiterplatte nie mit den Fingern.",
]


def translate(sentences):
    """A translator that has the person's translations in lower case."""
    known = dict(zip(ENGLISH, GERMAN, strict=True))
    return [known.get(sentence, "unbekannt").lower() for sentence in sentences]


READER = PairReader(("en", "de"), translate)


def written(folder: Path, name: str, sentences) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(sentences) + "\n", encoding="utf-8")
    return path


def test_a_file_and_its_translation_of_the_same_structure_are_paired_by_blocks(tmp_path):
    pair = FilePair("a", written(tmp_path, "a.txt", ENGLISH), written(tmp_path, "b.txt", GERMAN))
    found = READER.read(pair)
    assert found.sides == (tuple(ENGLISH), tuple(GERMAN))
    assert found.doubtful == 0


def test_where_a_sentence_is_missing_the_others_are_aligned_by_what_they_say(tmp_path):
    shorter = [*GERMAN[:2], *GERMAN[3:]]
    pair = FilePair("a", written(tmp_path, "a.txt", ENGLISH), written(tmp_path, "b.txt", shorter))
    found = READER.read(pair)
    assert dict(zip(*found.sides, strict=True)) == {ENGLISH[i]: GERMAN[i] for i in (0, 1, 3, 4)}
    assert found.doubtful == 1


def test_a_sentence_that_translates_something_else_is_doubtful(tmp_path):
    other = [*GERMAN[:3], "Etwas ganz anderes steht hier in der Mitte.", GERMAN[4], GERMAN[3]]
    pair = FilePair("a", written(tmp_path, "a.txt", ENGLISH), written(tmp_path, "b.txt", other))
    found = READER.read(pair)
    assert all(translate([s]) == [t.lower()] for s, t in zip(*found.sides, strict=True))
    assert found.doubtful == 5 - len(found.sides[0]) > 0


def test_files_of_a_folder_belong_together_by_codes_in_their_names(tmp_path):
    names = ["guide.en.md", "guide.de.md", "en/a.txt", "de/a.txt", "x-de.txt", "en.txt", "b.fr.md"]
    files = [written(tmp_path, name, ENGLISH) for name in names]
    pairs, left = pairs_in_folder(tmp_path, files, ("en", "de"))
    assert [pair.name for pair in pairs] == ["*/a.txt", "guide.*.md"]
    assert [path.name for path in left] == ["x-de.txt", "en.txt", "b.fr.md"]


def test_regions_of_codes_do_not_matter(tmp_path):
    files = [written(tmp_path, name, ENGLISH) for name in ("en-US/a.txt", "pt-BR/a.txt")]
    (pair,), _ = pairs_in_folder(tmp_path, files, ("en", "pt"))
    assert pair.target.parent.name == "pt-BR"


def test_two_folders_are_paired_by_the_names_of_their_files(tmp_path):
    written(tmp_path, "o/sub/a.txt", ENGLISH)
    written(tmp_path, "t/sub/a.txt", GERMAN)
    written(tmp_path, "o/only.txt", ENGLISH)
    assert [p.name for p in paired_folders(tmp_path / "o", tmp_path / "t")] == ["sub/a.txt"]


@pytest.fixture
def notes():
    return []


@pytest.fixture
def reader(notes):
    return MaterialReader(("en", "de"), READER, notes.append)


def test_a_folder_has_bilingual_files_memories_and_files_with_translations(tmp_path, reader, notes):
    folder = tmp_path / "manuals"
    written(folder, "a.en.txt", ENGLISH)
    written(folder, "a.de.txt", GERMAN)
    written(folder, "alone.txt", ENGLISH)
    (folder / "b.tsv").write_text("doc\tOne file.\tEine Datei.\n", encoding="utf-8")
    (folder / "broken.tmx").write_text("<tmx", encoding="utf-8")
    with TranslationMemory(folder / "old.memory", ("en", "de"), create=True) as memory:
        memory.add([Unit("Two files.", "Zwei Dateien.", origin="letter.docx")])
    found = {each.name: each for each in reader.read([folder], [])}
    assert sorted(found) == ["a.*.txt", "manuals/b.tsv", "manuals/old.memory"]
    assert len(found["a.*.txt"]) == 5
    assert found["manuals/old.memory"].documents[0].id == "manuals/old.memory/letter.docx"
    assert any("broken.tmx: not used" in note for note in notes)
    assert any("1 file without a translation not used" in note for note in notes)


def test_units_of_a_memory_stay_in_the_documents_that_they_name(tmp_path, reader):
    units = "".join(
        f'<tu><prop type="x-document">{name}</prop><tuv xml:lang="en"><seg>{text}</seg></tuv>'
        f'<tuv xml:lang="de"><seg>{text} de</seg></tuv></tu>'
        for name, text in (("a", "One"), ("a", "Two"), ("b", "Three"))
    )
    path = tmp_path / "m.tmx"
    path.write_text(f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>')
    (found,) = reader.read([path], [])
    assert [(d.id, len(d)) for d in found.documents] == [("m.tmx/a", 2), ("m.tmx/b", 1)]


def test_a_file_and_a_folder_are_no_pair(tmp_path, reader):
    path = written(tmp_path, "a.txt", ENGLISH)
    with pytest.raises(InputError, match="Name two files, or two folders"):
        list(reader.read([], [(path, tmp_path)]))


def test_a_named_file_that_cannot_be_read_is_an_error(tmp_path, reader):
    path = tmp_path / "broken.tmx"
    path.write_text("<tmx", encoding="utf-8")
    with pytest.raises(InputError):
        list(reader.read([path], []))


def test_a_named_file_in_one_language_is_told_to_need_its_translation(tmp_path, reader):
    path = tmp_path / "guide.md"
    path.write_text("# Guide\n\nOpen the file.\n")
    with pytest.raises(InputError, match=r"guide\.md: has no translations.*as `pair`"):
        list(reader.read([path], []))


def test_a_folder_without_translations_is_an_error(tmp_path, reader):
    written(tmp_path, "m/a.txt", ENGLISH)
    with pytest.raises(InputError, match="no files with both languages"):
        list(reader.read([tmp_path / "m"], []))
