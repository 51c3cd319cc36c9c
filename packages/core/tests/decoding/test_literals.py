"""Placeholders, and what a vocabulary lacks, come out as they went in, or are marked."""

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
from docmt_nmt.decoding.literal_finder import LiteralFinder
from docmt_nmt.decoding.literals import NAMES, PLACEHOLDERS, Literals, Restoring
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


def test_search_is_free_and_only_lost_literals_are_forced(bundled: BeamSearchTranslator) -> None:
    sentences = (
        Sentence("The fee is £25 for {x}.", protected=("{x}",)),
        Sentence("Open {x} and {y} now.", protected=("{x}", "{y}")),
    )
    documents = [SourceDocument("a", sentences)]
    first = bundled.plan(TranslationRequest(documents))
    assert first.terms is None
    known = Document("a", documents[0].source, ("Die Gebühr ist £25 für {x}.", "Öffnen Sie {y}."))
    revision = Revision((known,), frozenset({(0, 1)}), forced_literals=True)
    again = bundled.plan(TranslationRequest(documents, revision=revision))
    assert [each.forced for each in again.documents[0].literals] == [(), ("%1",)]
    (constraints,) = again.documents[0].constraints
    assert [len(each) for each in constraints] == [0, 1]


def test_a_lost_literal_is_forced_where_nothing_else_is_lost(
    bundled: BeamSearchTranslator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Stand-ins that the system does not copy.
    monkeypatch.setattr("docmt_nmt.decoding.literal_finder.PLACEHOLDERS", ("the",))
    documents = [SourceDocument("d", (Sentence("Open {x} now.", protected=("{x}",)),))]
    (free,) = bundled.translate(TranslationRequest(documents))
    assert [(w.sentence, w.detail) for w in free.warnings if w.kind == "lost-words"] == [(0, "{x}")]
    assert "{x}" not in free.target[0] and "the" not in free.target[0]
    (repaired,) = translate(bundled, TranslationRequest(documents))
    kept = {warning.kind for warning in repaired.warnings}
    assert ("{x}" in repaired.target[0]) != ("lost-words" in kept)


@pytest.mark.parametrize(
    ("source", "word", "target", "is_lost"),
    [
        ("The mother of Vaḍḍha", "Vaḍḍha", "Vaḍḍhas Mutter", False),
        ("Pay £5 now", "£5", "Zahlen Sie £50", True),
        ("Pay 5€ now", "5€", "Zahlen Sie 15€", True),
        ("Pay 5€ now", "5€", "Zahlen Sie 5€.", False),
        ("A → B", "→", "A B", True),
        ("A → B", "→", "A → → B", True),
        ("A house—a home", "—", "Ein Haus, ein Heim", False),
    ],
)
def test_a_translation_has_a_literal_as_often_but_for_dashes(
    source: str, word: str, target: str, is_lost: bool
) -> None:
    start = source.index(word)
    literals = Literals(source, source, ((start, start + len(word)),), (word,))
    restored, faulty = literals.restore(target)
    assert faulty == ([word] if is_lost else [])
    assert is_lost or restored == target


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


def test_a_name_has_a_letter_for_stand_in_and_a_placeholder_a_placeholder(
    bundled: BeamSearchTranslator,
) -> None:
    found = LiteralFinder(bundled.pipeline).find(
        "Open copyTo and {0} by copyLine.", ("copyTo", "{0}", "copyLine")
    )
    assert found is not None
    assert found.stand_ins == ("X", "%1", "%2")
    assert found.restore("Xenon %1 und %2 X.") == ("Xenon {0} und copyLine copyTo.", [])
    assert found.restore("XX %1 und %2.")[0] == "{0} und copyLine."


STAND_INS = (*PLACEHOLDERS, *NAMES)
PROTECTED = ("{n}", "%1", "{{link}}", "X", "`a%2`", "$[user]", "\\uD120", "@größe", "{0}", "%")
PIECES = ["the", "file", "£5", "é", "→", "open", "12", "—", "日本", "X-ray", "%3", *PROTECTED]


def loaded() -> BeamSearchTranslator:
    """The bundled translator, loaded once for all examples."""
    _loaded[:] = _loaded or [docmt_nmt.load()]
    return _loaded[0]


def literals_of(words: list[str]) -> Literals | None:
    protected = tuple(word for word in words if word in PROTECTED)
    finder = LiteralFinder(loaded().pipeline)
    return finder.find(" ".join(words), protected, by_itself=False)


@given(st.lists(st.sampled_from(PIECES)))
@settings(max_examples=60, deadline=None)
def test_what_is_not_protected_is_restored_whatever_is_written(words: list[str]) -> None:
    literals = literals_of(words)
    if literals is None or not literals.spans:
        return
    source = literals.source
    originals = Counter(word for word in literals.words if word not in literals.protected)
    for written in (literals.text, "", "Etwas anderes.", f"{literals.text} {literals.text}"):
        restored, _ = literals.restore(written)
        for word, count in originals.items():
            assert word == "—" or restored.count(word) >= count
    if literals.stand_ins and not literals.copied:
        assert literals.restore(literals.text) == (source, [])


@given(st.lists(st.sampled_from(PIECES)), st.lists(st.text("X%1234{}0Ya 日.", max_size=4)))
@settings(max_examples=200, deadline=None)
def test_no_stand_in_that_the_source_lacks_is_left_whatever_is_written(
    words: list[str], noise: list[str]
) -> None:
    literals = literals_of(words)
    if literals is None or not literals.stand_ins:
        return
    placeholders = {*STAND_INS} & {*literals.stand_ins}
    for written in (
        "".join([*noise, literals.text, *noise]),
        "".join([*literals.stand_ins, *noise]),
    ):
        rest, _ = literals.restore(written)
        for word in sorted({*literals.words}, key=len, reverse=True):
            rest = rest.replace(word, "\n")
        for stand_in in placeholders - {*literals.words}:
            assert stand_in not in rest or stand_in in literals.source, (written, rest)


_loaded: list[BeamSearchTranslator] = []


def test_a_stand_in_that_is_missing_is_placed_by_order_and_marked() -> None:
    literals = Literals("Pay £25 now.", "Pay 25 now.", ((4, 7),), ("25",))
    restoring = Restoring([literals])
    text = restoring.text(0, "Zahlen Sie 2025 jetzt.")
    assert text.count("£25") == 1 and "2025" in text
    (warning,) = restoring.warnings([text])
    assert (warning.kind, warning.detail) == ("lost-words", "£25")
    assert restoring.text(0, "Zahlen Sie jetzt 25.") == "Zahlen Sie jetzt £25."
    assert not list(restoring.warnings(["Zahlen Sie jetzt £25."]))


def test_a_protected_literal_that_is_lost_is_left_to_the_caller() -> None:
    literals = Literals("Pay {x} now.", "Pay %1 now.", ((4, 7),), ("%1",), frozenset({"{x}"}))
    assert literals.restore("Zahlen Sie %2 jetzt.") == ("Zahlen Sie jetzt.", ["{x}"])
    assert literals.restore("Zahlen Sie %1%1 jetzt.") == ("Zahlen Sie {x} jetzt.", ["{x}"])
    assert literals.restore("Zahlen a%10 jetzt.") == ("Zahlen a0 jetzt.", ["{x}"])


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
    finder = LiteralFinder(pipeline)
    kept = finder.find("André pays £25.", by_itself=False)
    assert kept is not None and not kept.marked
    assert [kept.source[a:b] for a, b in kept.spans] == ["André", "£25"]
    assert pipeline.missing(kept.text) == []
    assert kept.restore(kept.text) == ("André pays £25.", [])
    assert finder.find("Andre pays 25 dollars.") is None


def test_quotation_marks_that_are_missing_are_straight() -> None:
    pipeline = docmt_nmt.load().pipeline
    finder = LiteralFinder(pipeline)
    kept = finder.find("Don‛t open ‟André‛s” £5.", by_itself=False)
    assert kept is not None and kept.text.startswith("Don't open \"")
    assert [kept.source[a:b] for a, b in kept.spans] == ["André", "£5"]
    assert not kept.marked


def test_a_list_of_words_marks_what_it_lacks(tiny_run) -> None:
    found = translated(BeamSearchTranslator.load(tiny_run.directory), "one £ two", "three")
    assert kinds(found) == {0: "£"}


@pytest.mark.slow
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
    kept = LiteralFinder(pipeline).find("Иван € X")
    assert kept is not None
    assert [kept.source[a:b] for a, b in kept.spans] == ["€"]
    assert kept.marked.startswith("И, в, а, н")


def run(*arguments: object) -> Any:
    command = ["translate", "--run", "bundled:en-de", *map(str, arguments)]
    return CliRunner().invoke(main, command)


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


def test_a_stand_in_within_a_word_is_found_there() -> None:
    literals = Literals("Read {a}this{/a} in {n}mo.", "Read %1this%2 in %3mo.",
                        ((5, 8), (12, 16), (20, 23)), ("%1", "%2", "%3"))  # fmt: skip
    restored, faulty = literals.restore("Lies %1das%2 in %3mo.")
    assert (restored, faulty) == ("Lies {a}das{/a} in {n}mo.", [])
    apart = Literals("Read {a}.", "Read %1.", ((5, 8),), ("%1",))
    assert apart.restore("Lies %1das.")[1] == ["{a}"]
