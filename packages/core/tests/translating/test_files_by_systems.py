"""Files and texts translated by trained systems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import docmt
from decoding.test_protected_words import load
from docmt.translating import translate_files
from docmt_nmt.decoding.instance_search import InstanceSearch
from docmt_nmt.text import Pipeline

MARKDOWN = "one `five` two.\n\nthree four `six` one `six` two.\n\nnine `unknown_word` two five.\n"


def translate(run, tmp_path: Path, text: str = MARKDOWN, **keys: Any) -> tuple[str, list[str]]:
    file, notes = tmp_path / "a.md", list[str]()
    file.write_text(text)
    translator = load(run, **keys.pop("search", {}))
    translate_files(translator, [str(file)], [str(tmp_path / "b.md")], note=notes.append)
    return (tmp_path / "b.md").read_text(), notes


@pytest.mark.parametrize("search", [{}, {"beam_size": 1}, {"method": "sampling"}], ids=str)
def test_every_code_is_in_the_file_as_often(
    tiny_run, tmp_path: Path, search: dict[str, Any]
) -> None:
    text, notes = translate(tiny_run, tmp_path, search=search)
    blocks = text.split("\n\n")
    assert [block.count("`six`") for block in blocks] == [0, 2, 0]
    assert [block.count("`five`") for block in blocks] == [1, 0, 0]
    assert blocks[2].count("`unknown_word`") == 1
    assert not any("of the glossary" in note for note in notes)


def test_a_sentence_that_does_not_end_is_translated_without_them(
    tiny_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_search, searched = InstanceSearch.run, []

    def run_and_cut(self: InstanceSearch, instances: Any, journal: Any = None) -> Any:
        searched.append([len(one.own_source) for one in instances])
        for batch, results in run_search(self, instances, journal):
            if len(searched) == 1:
                results = [
                    [replace(each, truncated=(True, *each.truncated[1:])) for each in best]
                    if index == 0
                    else best
                    for index, best in zip(batch, results, strict=True)
                ]
            yield batch, results

    monkeypatch.setattr(InstanceSearch, "run", run_and_cut)
    # The toy system repeats itself, which is the matter of another repair.
    monkeypatch.setattr("docmt.translating.text_repairs.added_words.additions", lambda *_: [])
    markdown = "one `five` two.\n\nthree `six` four.\n\n" + "nine two five.\n\n" * 40
    text, _ = translate(tiny_run, tmp_path, markdown)
    assert (text.count("`five`"), text.count("`six`")) == (1, 1)
    assert len(searched) == 2, "what failed is searched once more"
    assert len(searched[0]) > 1 and len(searched[1]) == 1, "the instance that failed, and no other"


def test_a_file_does_not_protect_the_words_of_another(tiny_run, tmp_path: Path) -> None:
    translator = load(tiny_run)
    for name, text in (("a.md", "one `five` two.\n"), ("b.txt", "one five two.\n")):
        (tmp_path / name).write_text(text)
    outputs = [str(tmp_path / name) for name in ("c.md", "c.txt")]
    translate_files(translator, [str(tmp_path / n) for n in ("a.md", "b.txt")], outputs)
    assert "`five`" in (tmp_path / "c.md").read_text()
    translate_files(translator, [str(tmp_path / "b.txt")], [alone := str(tmp_path / "d.txt")])
    assert (tmp_path / "c.txt").read_text() == Path(alone).read_text()


def test_a_document_is_encoded_once(tiny_run, tmp_path: Path, monkeypatch: Any) -> None:
    encoded = []
    encode = Pipeline.encode

    def counted(self: Pipeline, document: docmt.Document) -> Any:
        encoded.append(document.id)
        return encode(self, document)

    monkeypatch.setattr(Pipeline, "encode", counted)
    (tmp_path / "a.md").write_text("one two\n\nthree two five\n")
    docmt.translate_files(
        docmt.load(tiny_run.directory, beam_size=3),
        [str(tmp_path / "a.md")],
        [str(tmp_path / "b.md")],
    )
    assert len(encoded) == 1
