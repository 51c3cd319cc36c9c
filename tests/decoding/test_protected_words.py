"""Words of protected codes are written as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docmt.decoding import BeamSearchTranslator, GlossaryTerms
from docmt.decoding.instance_search import InstanceSearch
from docmt.glossaries import Glossary, Term
from docmt.glossaries.uses import count_terms
from docmt.ground.documents import Document, Sentence
from docmt.recipes.search import SearchSettings
from docmt.translating import translate_files
from docmt.translators.requests import SourceDocument, TranslationRequest

MARKDOWN = "one `five` two.\n\nthree four `six` one `six` two.\n\nnine `unknown_word` two five.\n"


def load(run, **search: Any) -> BeamSearchTranslator:
    return BeamSearchTranslator.load(run.directory, **{"beam_size": 3, **search})


def translate(run, tmp_path: Path, text: str = MARKDOWN, **keys: Any) -> tuple[str, list[str]]:
    file, notes = tmp_path / "a.md", list[str]()
    file.write_text(text)
    translator = load(run, **keys.pop("search", {}))
    translate_files(translator, [str(file)], [str(tmp_path / "b.md")], note=notes.append)
    return (tmp_path / "b.md").read_text(), notes


def test_words_that_the_run_can_write_are_written(tiny_run) -> None:
    translator = load(tiny_run)
    sentences = (
        Sentence("one five two.", protected=("five",)),
        Sentence("three four six one six two.", protected=("six", "six")),
    )
    (found,) = translator.translate(TranslationRequest([SourceDocument("d", sentences)]))
    first, second = (sentence.split() for sentence in found.document.target or ())
    assert first.count("five") >= 1
    assert second.count("six") >= 2


def test_a_run_can_keep_what_its_vocabulary_has(tiny_run) -> None:
    terms = GlossaryTerms(Glossary(()), tiny_run.pipeline, SearchSettings())
    assert terms.can_keep("one five two", ["five"])
    assert not terms.can_keep("one zzz two", ["zzz"])
    assert not terms.can_keep("one", ["five"] * 20)


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


def test_terms_are_not_looked_for_in_words_that_are_protected(tiny_run) -> None:
    glossary = Glossary([Term(("five",), ("sieben",)), Term(("two",), ("null",))])
    translator = load(tiny_run)
    sentences = Sentence("one five two.", protected=("five",)), Sentence("five")
    request = TranslationRequest([SourceDocument("d", sentences)], glossary)
    (found,) = translator.translate(request)
    first, second = (sentence.split() for sentence in found.document.target or ())
    assert {"five", "null"} <= {word.strip(".") for word in first}
    assert "sieben" in second
    assert count_terms(glossary, sentences, found.target).required == 2


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
    markdown = "one `five` two.\n\nthree `six` four.\n\n" + "nine two five.\n\n" * 40
    text, _ = translate(tiny_run, tmp_path, markdown)
    assert (text.count("`five`"), text.count("`six`")) == (1, 1)
    assert len(searched) == 2, "what failed is searched once more"
    assert len(searched[0]) > 1 and len(searched[1]) == 1, "the instance that failed, and no other"


def test_what_other_protected_words_found_is_not_resumed(tiny_run) -> None:
    translator = load(tiny_run)
    documents = [
        SourceDocument("d", (Sentence("one", protected=words),))
        for words in ((), ("one",), ("one", "one"))
    ]
    fingerprints = {translator.fingerprint(TranslationRequest([each])) for each in documents}
    assert len(fingerprints) == 3


def test_a_file_does_not_protect_the_words_of_another(tiny_run, tmp_path: Path) -> None:
    translator = load(tiny_run)
    for name, text in (("a.md", "one `five` two.\n"), ("b.txt", "one five two.\n")):
        (tmp_path / name).write_text(text)
    outputs = [str(tmp_path / name) for name in ("c.md", "c.txt")]
    translate_files(translator, [str(tmp_path / n) for n in ("a.md", "b.txt")], outputs)
    assert "`five`" in (tmp_path / "c.md").read_text()
    (alone,) = translator.translate([Document("b", ("one five two.",))])
    assert (tmp_path / "c.txt").read_text().split() == " ".join(alone.document.target).split()
