"""One passage for texts and files: both have the same sentences."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count

from docmt.output import Output
from docmt.translating import TextRequest, translate_files, translate_texts
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators import Translator, planned


@dataclass(frozen=True)
class Numbering(Translator):
    """Writes a number after each sentence, so that no two translations are the same."""

    languages = ("en", "de")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        numbers, translations = count(), []
        for document in planned(self, request).request.documents:
            target = tuple(f"{sentence[:-1]} {next(numbers)}." for sentence in document.source)
            translations.append(Translation.of(document.id, document.source, target))
        return translations


TEXT = "Open the file.\n\nClose it.\n\nOpen the file."


def test_equal_paragraphs_of_a_text_are_translated_alike_in_text_and_sentences():
    (found,) = translate_texts(Numbering(), TextRequest((TEXT,)))
    assert found.text == "Open the file 0.\n\nClose it 1.\n\nOpen the file 0."
    assert [pair.target for pair in found.sentences] == [
        "Open the file 0.",
        "Close it 1.",
        "Open the file 0.",
    ]


def test_a_file_has_what_a_text_has(tmp_path):
    (tmp_path / "in.txt").write_text(TEXT)
    for name, kind in (("out.txt", "same"), ("out.jsonl", "jsonl")):
        form = Output(kind)
        paths = [str(tmp_path / "in.txt")], [str(tmp_path / name)]
        translate_files(Numbering(), *paths, form=form)
    (found,) = translate_texts(Numbering(), TextRequest((TEXT,)))
    assert (tmp_path / "out.txt").read_text() == found.text
    (document,) = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert document["target"] == [pair.target for pair in found.sentences]


def test_texts_of_one_document_have_their_own_sentences():
    texts = (TEXT, "...", "Save it. Close it.")
    first, wordless, last = translate_texts(
        Numbering(), TextRequest(texts, document=True, context="Before. Above.")
    )
    assert [pair.target for pair in first.sentences][:2] == ["Open the file 2.", "Close it 3."]
    assert (wordless.text, wordless.sentences) == ("...", ())
    assert last.text == "Save it 5. Close it 6."
