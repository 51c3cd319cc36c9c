"""`docmt translate --glossary` with a run on the toy corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import docmt_nmt
from docmt.cli import main
from docmt_nmt.translators.glossary import Glossary, Term

TEXT = "one two\nthree four\nfive\n"


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text(TEXT)
    return path


def translate(run, letter: Path, glossary: str, *options: str, name: str = "g.tsv") -> Result:
    path = letter.parent / name
    path.write_text(glossary)
    command = [
        "translate",
        "--run",
        str(run.directory),
        str(letter),
        "--segmented",
        "--glossary",
        str(path),
        *options,
    ]
    return CliRunner().invoke(main, command)


def test_terms_are_written_and_counted(tiny_run, letter: Path) -> None:
    result = translate(
        tiny_run, letter, "two\tsieben\nthree|four\tneun null|null neun\nsix\tsechs\n"
    )
    assert result.exit_code == 0, result.output
    first, second, third = (line.split() for line in result.stdout.splitlines())
    assert "sieben" in first
    assert "null neun" in " ".join(second) or "neun null" in " ".join(second)
    assert "sieben" not in third
    # `three` and `four` are forms of one term.
    note = "2 terms of the glossary in 2 sentences, 2 of them in the translation"
    assert note in " ".join(result.stderr.split())


def test_greedy_search_writes_terms_and_other_sentences_as_without(tiny_run, letter: Path) -> None:
    without = translate(tiny_run, letter, "nine\tnull\n", "--beam-size", "1")
    result = translate(tiny_run, letter, "two\tsieben\n", "--beam-size", "1")
    assert result.exit_code == 0, result.output
    before, lines = without.stdout.splitlines(), result.stdout.splitlines()
    assert "sieben" in lines[0].split()
    assert "sieben" not in before[0].split()
    assert lines[1:] == before[1:]


def test_a_term_is_written_as_often_as_it_occurs_if_asked_for(tiny_run, letter: Path) -> None:
    letter.write_text("one two one\n")
    once = translate(tiny_run, letter, "one\tneun\n")
    assert "1 term of the glossary in 1 sentence" in once.stderr
    twice = translate(tiny_run, letter, "one\tneun\tevery\n")
    assert twice.stdout.split().count("neun") >= 2
    assert "2 terms of the glossary in 1 sentence, 2 of them" in " ".join(twice.stderr.split())


def test_a_term_base_is_read_in_the_languages_of_the_run(tiny_run, letter: Path) -> None:
    term = "<langSet xml:lang='{}'><tig><term>{}</term></tig></langSet>"
    concept = "".join(term.format(*pair) for pair in (("en", "two"), ("de", "sieben")))
    text = f"<martif><termEntry>{concept}</termEntry></martif>"
    result = translate(tiny_run, letter, text, name="g.tbx")
    assert "sieben" in result.stdout.splitlines()[0].split(), result.output
    wrong = translate(tiny_run, letter, text.replace("'de'", "'fr'"), name="g.tbx")
    assert wrong.exit_code == 2
    assert "no concept has terms in 'en' and in 'de'" in " ".join(wrong.stderr.split())


def test_what_another_glossary_found_is_not_resumed(tiny_run) -> None:
    translator = docmt_nmt.load(tiny_run.directory)
    documents = [docmt_nmt.Document("d", ("two",))]
    glossaries = [Glossary([Term(("two",), (target,))]) for target in ("sieben", "acht")]
    fingerprints = {
        translator.fingerprint(docmt_nmt.TranslationRequest(documents, glossary))
        for glossary in (None, *glossaries)
    }
    assert len(fingerprints) == 3


def test_every_alternative_has_the_terms(tiny_run, letter: Path) -> None:
    result = translate(
        tiny_run, letter, "two\tsieben\n", "--output-format", "jsonl", "--n-best", "4"
    )
    alternatives = json.loads(result.stdout)["alternatives"]
    assert len(alternatives) == 4
    assert all("sieben" in alternative["target"][0].split() for alternative in alternatives)


REFUSED = [
    ("two\tsieben\n", ["--sampling"], "needs beam search, not search.method sampling"),
    (
        "one\teins\ntwo\tzwanzig\n",
        [],
        "line 2: document 'letter.txt': sentence 1: the term 'two' cannot be written: 'zwanzig'",
    ),
    (
        "five\t" + "eins " * 40 + "\n",
        [],
        "sentence 3: the term 'five' cannot be written: that "
        "takes 40 tokens, and the translation may have 11",
    ),
    (
        "four\t" + "eins " * 8 + "\nthree\t" + "neun " * 8 + "\n",
        [],
        "sentence 2: the terms 'three', 'four' cannot be written: that takes 16 tokens",
    ),
]


@pytest.mark.parametrize(("glossary", "options", "message"), REFUSED)
def test_what_cannot_be_is_an_error_before_anything_is_written(
    tiny_run, letter: Path, glossary: str, options: list[str], message: str
) -> None:
    output = letter.parent / "out.txt"
    result = translate(tiny_run, letter, glossary, "-o", str(output), *options)
    assert result.exit_code == 2
    words = " ".join(result.stderr.replace(str(letter), "letter.txt").split())
    assert message in words and "Traceback" not in words
    assert not output.exists()


def test_a_kept_term_is_written_as_in_the_text(tiny_run, letter: Path) -> None:
    result = translate(tiny_run, letter, "five\t\n")
    assert "five" in result.stdout.splitlines()[2].split()
    letter.write_text("one Hundred\n")
    result = translate(tiny_run, letter, "hundred\t\n")
    assert result.exit_code == 2
    assert "the term 'hundred' cannot be written: 'Hundred' cannot be" in " ".join(
        result.stderr.split()
    )


def test_a_term_that_no_sentence_has_need_not_be_writable(tiny_run, letter: Path) -> None:
    result = translate(tiny_run, letter, "nine\tzwanzig\n")
    assert result.exit_code == 0
    assert "0 terms of the glossary in 0 sentences" in result.stderr


def test_windows_that_slide_have_the_terms_in_every_position(long_short_run) -> None:
    translator = docmt_nmt.load(long_short_run.directory)
    glossary = Glossary([Term(("two",), ("sieben",)), Term(("five",), ("acht",))])
    documents = [docmt_nmt.Document("d", ("one two", "", "three", "five six"))]
    (found,) = translator.translate(docmt_nmt.TranslationRequest(documents, glossary))
    for version in found.positions:
        assert "sieben" in version.sentences[0].split()
        assert "acht" in version.sentences[3].split()


def test_a_document_is_translated_alike_alone_and_among_others(tiny_run) -> None:
    translator = docmt_nmt.load(tiny_run.directory)
    documents = [docmt_nmt.Document(str(i), ("one two", "three " * i)) for i in range(1, 5)]
    plain = translator.translate(documents)
    glossary = Glossary([Term(("two",), ("sieben",))])
    together = translator.translate(docmt_nmt.TranslationRequest(documents, glossary))
    alone = [translator.translate(docmt_nmt.TranslationRequest([d], glossary)) for d in documents]
    assert [translations[0].document for translations in alone] == [t.document for t in together]
    assert [t.document for t in together] != [t.document for t in plain]


def test_forms_of_words_need_a_glossary(tiny_run, letter: Path) -> None:
    command = ["translate", "--run", str(tiny_run.directory), str(letter), "--inflected"]
    found = CliRunner().invoke(main, command)
    assert (found.exit_code, "forms of terms need a glossary" in found.output) == (2, True)
