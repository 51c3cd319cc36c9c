"""What a vocabulary lacks comes out as it went in, or is marked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt_files.base.documents import Document, Sentence
from docmt_nmt.base.translations import Translation
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.decoding.missing_characters import KeptWords, MissingCharacters, Restoring
from docmt_nmt.text import Pipeline
from docmt_nmt.text.text_settings import TextSettings
from docmt_nmt.translators import Revision, TranslationRequest, translate
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.requests import SourceDocument
from toy import trained

SENTENCES = {
    "The fee is £25 for each user.": ["£25"],
    "25 users pay £25.": ["£25"],
    "Select File → Save As….": ["→"],
    "Acme™ is a trademark.": ["Acme™"],
    "Send the file to André or José.": ["André", "José"],
    "Price: 5 € & taxes—or 10°C.": ["€", "—", "10°C"],
    "Open https://café.org/x?y=é in the browser.": ["https://café.org/x?y=é"],
    "It is 3×4 cm • ñandú, «Cafe\u0301».": ["3×4", "•", "ñandú", "Cafe\u0301"],
    "Write to Иван in 東京 soon.": ["Иван", "東京"],
    "It is damaged: \ufffd.": ["\ufffd"],
    "→": ["→"],
    "£25": ["£25"],
}


@pytest.fixture(scope="module")
def bundled() -> BeamSearchTranslator:
    return docmt_nmt.load()


def translated(
    translator: BeamSearchTranslator, *sentences: str | Sentence, **keys: Any
) -> Translation:
    source = tuple(each if isinstance(each, Sentence) else Sentence(each) for each in sentences)
    request = TranslationRequest([SourceDocument("d", source)], **keys)
    (translation,) = translate(translator, request)
    return translation


def kinds(translation: Translation) -> dict[int, str]:
    found = [w for w in translation.warnings if w.kind == "missing-characters"]
    return {warning.sentence: warning.detail for warning in found}


@pytest.mark.parametrize(
    "search",
    [
        {"beam_size": 1},
        *(pytest.param(s, marks=pytest.mark.slow) for s in ({}, {"method": "sampling"})),
    ],
    ids=str,
)
def test_words_with_missing_characters_come_out_as_they_went_in(search: dict[str, Any]) -> None:
    translator = docmt_nmt.load(**search)
    found = translated(translator, *SENTENCES)
    for target, (source, words) in zip(found.document.target, SENTENCES.items(), strict=True):
        for word in words:
            assert target.count(word) == source.count(word), (source, target)
        assert "\ufffd" in words or "\ufffd" not in target


def test_text_is_translated_around_them(bundled: BeamSearchTranslator) -> None:
    target = docmt_nmt.translate_text(bundled, "The fee is £25 for each user.")
    assert target == "Die Gebühr ist £25 für jeden Benutzer."
    assert docmt_nmt.translate_text(bundled, "Select File → Save.").startswith(
        "Wählen Sie Datei → "
    )


def test_a_sentence_without_other_words_is_not_translated(bundled: BeamSearchTranslator) -> None:
    assert docmt_nmt.translate_text(bundled, ["→", "£25", "José"]) == ["→", "£25", "José"]


def test_a_sentence_that_is_mostly_missing_is_left_and_marked(
    bundled: BeamSearchTranslator,
) -> None:
    source = "Привет мир, как дела друзья?"
    found = translated(bundled, "Open the file.", source)
    assert found.document.target == ("Öffnen Sie die Datei.", source)
    assert kinds(found)[1].startswith("left as it is: П, р, и")
    assert not found.truncated


def test_stand_ins_make_no_demand_of_other_sentences(bundled: BeamSearchTranslator) -> None:
    # The stand-in of the second sentence, 25, stands in the first.
    sentences = ("The fee is 25 for each user.", "The fee is £25 for each user.")
    first = bundled.plan(TranslationRequest([Document("a", sentences)]))
    assert first.terms is None
    known = (Document("a", sentences, sentences),)
    revision = Revision(known, frozenset({(0, 1)}), stand_ins=True)
    again = bundled.plan(TranslationRequest([Document("a", sentences)], revision=revision))
    stand_ins = [each and each.stand_ins for each in again.documents[0].kept]
    assert stand_ins == [None, ("25",)]
    (constraints,) = again.documents[0].constraints
    assert [len(each) for each in constraints] == [0, 1]


def test_names_that_a_system_writes_in_bytes_are_translated_as_they_are(
    bundled: BeamSearchTranslator, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = ("“Yes, sir,” Ānanda replied.", "Then Venerable Ānanda thought,", "Open the file.")
    found = translated(bundled, *sentences)
    assert found.document.target[:2] == (
        "„Ja, Herr“, antwortete Ānanda.",
        "Da dachte der Ehrwürdige Ānanda:",
    )
    assert not kinds(found)
    monkeypatch.setattr(MissingCharacters, "keep", lambda *_: None)
    assert translated(bundled, *sentences) == found


def test_without_repairs_a_lost_word_is_a_warning(bundled: BeamSearchTranslator) -> None:
    documents = [Document("d", ("“Yes, sir,” Ānanda replied.", "The fee is £25 for each user."))]
    (found,) = bundled.translate(documents)
    lost = [(w.sentence, w.detail) for w in found.warnings if w.kind == "lost-words"]
    assert lost == [(1, "£25")]
    (repaired,) = translate(bundled, documents)
    assert "lost-words" not in {warning.kind for warning in repaired.warnings}


def test_only_sentences_that_lost_a_word_are_translated_again(
    bundled: BeamSearchTranslator, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = ("“Yes, sir,” Ānanda replied.", "The fee is £25 for each user.")
    found = translated(bundled, *sentences)
    assert found.document.target[1] == "Die Gebühr ist £25 für jeden Benutzer."
    monkeypatch.setattr(MissingCharacters, "keep", lambda *_: None)
    as_it_is = translated(bundled, *sentences)
    assert "£25" not in as_it_is.document.target[1]
    assert found.document.target[0] == as_it_is.document.target[0]
    assert found.log_probabilities[0] == as_it_is.log_probabilities[0] != found.log_probabilities[1]


@pytest.mark.parametrize(
    ("source", "word", "target", "expected"),
    [
        ("The mother of Vaḍḍha", "Vaḍḍha", "Vaḍḍhas Mutter", True),
        ("Pay £5 now", "£5", "Zahlen Sie £50", False),
        ("Pay 5€ now", "5€", "Zahlen Sie 15€", False),
        ("Pay 5€ now", "5€", "Zahlen Sie 5€.", True),
        ("A → B", "→", "A B", False),
        ("A → B", "→", "A → → B", False),
        ("A house—a home", "—", "Ein Haus, ein Heim", True),
    ],
)
def test_words_are_in_a_translation_as_often_but_for_dashes(
    source: str, word: str, target: str, expected: bool
) -> None:
    start = source.index(word)
    kept = KeptWords(source, source, ((start, start + len(word)),), plain=source)
    assert kept.is_in(target) == expected


def test_a_term_of_a_glossary_is_translated_and_not_kept(bundled: BeamSearchTranslator) -> None:
    glossary = Glossary([Term(("café",), ("Kaffeehaus",))])
    found = translated(bundled, "Open the café in £25 now.", glossary=glossary)
    (target,) = found.document.target
    assert "Kaffeehaus" in target and "£25" in target and "café" not in target


def test_protected_words_with_missing_characters_are_kept(bundled: BeamSearchTranslator) -> None:
    source = "Open {größe €} and {0} now."
    words = "{größe €}", "{0}"
    (target,) = translated(bundled, Sentence(source, protected=words)).target
    assert target.count("{größe €}") == target.count("{0}") == 1
    assert bundled.can_keep(source, words)


@given(st.lists(st.sampled_from(["the", "file", "£5", "é", "→", "open", "12", "—", "日本"])))
@settings(max_examples=60, deadline=None)
def test_what_is_kept_is_restored_whatever_is_written(words: list[str]) -> None:
    translator = docmt_nmt.load() if not _loaded else _loaded[0]
    _loaded[:] = [translator]
    source = " ".join(words)
    kept = MissingCharacters(translator.pipeline, translator.pipeline.can_write).keep(source)
    if kept is None or not kept.spans:
        return
    originals = Counter(source[start:end] for start, end in kept.spans)
    for written in (kept.text, "", "Etwas anderes.", f"{kept.text} {kept.text}"):
        restored, _ = kept.restore(written)
        for word, count in originals.items():
            assert restored.count(word) >= count
    assert kept.restore(kept.text)[0].split() == source.split() or not kept.stand_ins


_loaded: list[BeamSearchTranslator] = []


def test_a_stand_in_that_is_missing_is_placed_by_order_and_marked() -> None:
    kept = KeptWords("Pay £25 now.", "Pay 25 now.", ((4, 7),), ("25",))
    restoring = Restoring([kept])
    text = restoring.text(0, "Zahlen Sie 2025 jetzt.")
    assert text.count("£25") == 1 and "2025" in text
    (warning,) = restoring.warnings([text])
    assert (warning.kind, warning.detail) == ("missing-characters", "£25 may be in the wrong place")
    assert restoring.text(0, "Zahlen Sie jetzt 25.") == "Zahlen Sie jetzt £25."
    assert not list(restoring.warnings(["Zahlen Sie jetzt £25."]))


def test_bytes_that_are_no_character_are_left_out_and_marked() -> None:
    restoring = Restoring([None])
    text = restoring.text(0, "Eins\ufffd \ufffd.")
    assert text == "Eins ."
    assert [warning.detail for warning in restoring.warnings([text])] == ["bytes left out"]


def pipeline_of(subword: str) -> Pipeline:
    corpus = ["Andre pays 25 dollars.", "The file is X { 0 1 } > -"] * 40

    def texts() -> list[str]:
        return corpus

    size = {"merges": 20} if subword == "bpe" else {"vocabulary_size": 287}
    read = TextSettings.read({"subword": subword, **size})
    return Pipeline.fit(read, texts, texts, languages=("en", "de"))


@pytest.mark.parametrize("subword", ["unigram", "sentencepiece-bpe", "bpe"])
def test_every_kind_of_subwords_keeps_what_it_lacks(subword: str) -> None:
    pipeline = pipeline_of(subword)
    missing = MissingCharacters(pipeline, pipeline.can_write)
    kept = missing.keep("André pays £25.")
    assert kept is not None and not kept.marked
    assert [kept.source[a:b] for a, b in kept.spans] == ["André", "£25"]
    assert pipeline.missing(kept.text) == []
    assert kept.restore(kept.text) == ("André pays £25.", True)
    assert missing.keep("Andre pays 25 dollars.") is None


def test_quotation_marks_that_are_missing_are_straight() -> None:
    pipeline = docmt_nmt.load().pipeline
    missing = MissingCharacters(pipeline, pipeline.can_write)
    kept = missing.keep("Don‛t open ‟André‛s” £5.")
    assert kept is not None and kept.text.startswith("Don't open \"")
    assert [kept.source[a:b] for a, b in kept.spans] == ["André", "£5"]
    assert not kept.marked


def test_a_list_of_words_marks_what_it_lacks(tiny_run) -> None:
    found = translated(BeamSearchTranslator.load(tiny_run.directory), "one £ two", "three")
    assert kinds(found) == {0: "£"}


def test_joined_sentences_are_marked(tiny_corpus: Path, tmp_path: Path) -> None:
    run = trained(
        tiny_corpus,
        tmp_path / "run",
        text={"subword": "unigram", "vocabulary_size": 300},
        instances={"kind": "tokens", "join_sentences": True, "max_tokens": 64},
        evaluation={"metrics": ["d-bleu"]},
    )
    found = translated(BeamSearchTranslator.load(run.directory), "one €", "two")
    assert kinds(found) == {0: "€"}


def test_letters_that_only_the_source_is_written_with_are_read_and_marked() -> None:
    pipeline = pipeline_of("unigram")
    pipeline.languages = ("ru", "de")
    kept = MissingCharacters(pipeline, pipeline.can_write).keep("Иван € X")
    assert kept is not None
    assert [kept.source[a:b] for a, b in kept.spans] == ["€"]
    assert kept.marked.startswith("И, в, а, н")


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, ["translate", *map(str, arguments)])


def test_files_keep_them_and_other_numbers_fail_a_strict_translation(tmp_path: Path) -> None:
    page = "<p>Price: 5&nbsp;&euro; &amp; taxes.</p>\n<p>The fee is £25 for <b>André</b>.</p>\n"
    (source := tmp_path / "a.html").write_text(page)
    result = run(source, "-o", tmp_path / "b.html")
    assert result.exit_code == 0
    assert "not in the vocabulary and kept as they are: € (1), £ (1), é (1)" in result.stderr
    written = (tmp_path / "b.html").read_text()
    assert [written.count(each) for each in ("€", "£25", "<b>André</b>", "\ufffd")] == [1, 1, 1, 0]
    (call := tmp_path / "call.txt").write_text("The code is 9034 8812.\n")
    strict = run(call, "-o", tmp_path / "d.txt", "--strict")
    assert strict.exit_code == 3
    assert "with other numbers than the source (1): 1" in strict.stderr
    side = run(call, "-o", tmp_path / "d.html", "--output-format", "html-review")
    assert side.exit_code == 0
    assert (
        "with other numbers than the source: 8812, 9034 became" in (tmp_path / "d.html").read_text()
    )
