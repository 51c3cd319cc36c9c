"""`docmt translate` with a run on the toy corpus."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.decoding.instance_search import InstanceSearch
from docmt_nmt.translators import request_of
from formats.office_packages import docx, paragraph
from formats.office_packages import run as word_run

LETTER = "one two\n\n   three four\n\n\nfive\n"


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text(LETTER)
    return path


def translate(run, *arguments: str | Path, standard_input: str | None = None) -> Result:
    command = ["translate", "--run", str(run.directory), *map(str, arguments)]
    return CliRunner().invoke(main, command, input=standard_input)


def test_running_text_keeps_its_shape(tiny_run, letter: Path) -> None:
    result = translate(tiny_run, letter)
    assert result.exit_code == 0, result.output
    assert [bool(line.strip()) for line in result.stdout.split("\n")] == [
        bool(line.strip()) for line in LETTER.split("\n")
    ]
    assert result.stdout.split("\n")[2].startswith("   ")
    assert "null" not in LETTER and result.stdout != LETTER


def test_how_a_document_was_cut_is_noted_on_standard_error(tiny_run, letter: Path) -> None:
    result = translate(tiny_run, letter)
    assert (
        f"{letter}: 1 document, 3 sentences, translated in 2 chunks of 1 to 2 sentences"
        in result.stderr
    )


def test_files_with_markup_keep_it(tiny_run, tmp_path: Path) -> None:
    page, guide = tmp_path / "page.html", tmp_path / "guide.md"
    page.write_text("<html lang=en><!-- x -->\n<p>one <b>two</b>.</p>\n")
    guide.write_text("# one *two*\n\n```\nthree\n```\n")
    result = translate(tiny_run, page, guide, "-o", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    target = tiny_run.pipeline.languages[1]
    lines = (tmp_path / "out" / "page.html").read_text().splitlines()
    assert lines[0] == f"<html lang={target}><!-- x -->"
    assert lines[1].startswith("<p>") and lines[1].count("<b>") == lines[1].count("</b>") == 1
    text = (tmp_path / "out" / "guide.md").read_text()
    assert text.startswith("# ") and text.endswith("\n\n```\nthree\n```\n")
    notes = " ".join(result.stderr.split())
    assert "1 block, 1 sentence and 2 inline codes, all of them in the output" in notes
    piped = translate(tiny_run, "-", "--format", "markdown", standard_input=guide.read_text())
    assert piped.stdout == text
    refused = translate(tiny_run, guide, "--format", "markdown", "--segmented")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--format markdown excludes --segmented" in " ".join(refused.stderr.split())


def test_standard_input_becomes_standard_output(tiny_run, letter: Path) -> None:
    result = translate(tiny_run, "-", standard_input=LETTER)
    assert result.stdout == translate(tiny_run, letter).stdout


def test_segmented_text_keeps_every_line(tiny_run, tiny_corpus: Path, tmp_path: Path) -> None:
    source, output = tiny_corpus / "test.en", tmp_path / "test.de"
    result = translate(tiny_run, "--segmented", source, "-o", output)
    assert (result.exit_code, result.stdout) == (0, "")
    lines, translated = source.read_text().splitlines(), output.read_text().splitlines()
    assert [line == "<d>" for line in translated] == [line == "<d>" for line in lines]
    assert "6 documents" in result.stderr


ONE_DOCUMENT_EACH = [
    ("in.tsv", "a\tone two\tx\na\tthree\tx\nb\tfour\tx\n", []),
    (
        "in.jsonl",
        '{"id": "a", "source": ["one two", "three"], "target": null}\n'
        '{"id": "b", "source": ["four"]}\n',
        [],
    ),
    ("in.en", "one two\nthree\n\nfour\n", ["--boundaries", "blank"]),
    ("in.en", "one two\nthree\nfour\n", ["--docids", "docids"]),
    ("in.en", "<d>\none two\nthree\n<d>\nfour\n", ["--segmented"]),
    ("in.en", "\ufeff<d>\r\none two\r\nthree\r\n<d>\r\nfour", ["--segmented"]),
]


@pytest.mark.parametrize(("name", "text", "options"), ONE_DOCUMENT_EACH)
def test_corpora_are_read_as_for_scores(
    tiny_run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    text: str,
    options: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docids").write_text("a\t2\nb\t1\n")
    Path(name).write_text(text, newline="")
    result = translate(tiny_run, name, *options, "--output-format", "tsv")
    assert "2 documents, 3 sentences" in result.stderr, result.output
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[1] for row in rows] == ["one two", "three", "four"]
    assert [row[0] == rows[0][0] for row in rows] == [True, True, False]


def test_the_target_side_of_a_corpus_is_replaced(tiny_run, tmp_path: Path) -> None:
    corpus, output = tmp_path / "in.tsv", tmp_path / "out.parquet"
    corpus.write_text("a\tone two\tx\na\tthree\tx\nb\tfour\tx\n")
    result = translate(tiny_run, corpus)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[:2] for row in rows] == [["a", "one two"], ["a", "three"], ["b", "four"]]
    assert all(len(row) == 3 and row[2] not in ("", "x") for row in rows)
    translate(tiny_run, corpus, "-o", output)
    found = [
        (d.id, s, t)
        for d in corpora.read(output)
        for s, t in zip(d.source, d.target or (), strict=True)
    ]
    assert found == list(map(tuple, rows))
    translate(tiny_run, corpus, "-o", tmp_path / "out.de")
    lines = (tmp_path / "out.de").read_text().splitlines()
    assert lines == ["<d>", rows[0][2], rows[1][2], "<d>", rows[2][2]]


def test_context_does_not_cross_a_blank_line_in_silence(tiny_run, tmp_path: Path) -> None:
    path = tmp_path / "in.en"
    path.write_text("one\ntwo\n\nthree\n")
    result = translate(tiny_run, "--segmented", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{path}, line 3: a blank line between sentences" in result.stderr
    assert translate(tiny_run, path, "--boundaries", "none").stdout.count("\n") == 4


def test_files_that_are_not_plain_text_are_refused_unless_asked_for(
    tiny_run, tmp_path: Path
) -> None:
    path = tmp_path / "film.sbv"
    path.write_text("0:00:01.000,0:00:02.000\none two\n")
    result = translate(tiny_run, path, "-o", tmp_path / "out.sbv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{path}: is a file of subtitles, not plain text" in result.stderr
    assert not (tmp_path / "out.sbv").exists()
    assert translate(tiny_run, path, "--format", "text").exit_code == 0


def test_line_ends_and_a_byte_order_mark_stay(tiny_run, tmp_path: Path) -> None:
    path, output = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_bytes(b"\xef\xbb\xbfone two.\r\n\r\nthree four.\r\nfive.")
    translate(tiny_run, path, "-o", output)
    written = output.read_bytes()
    assert written.startswith(b"\xef\xbb\xbf")
    assert written.count(b"\r\n") == written.count(b"\n") == 3
    assert not written.endswith(b"\n")


def test_a_sentence_that_takes_long_is_named_before_it_does(
    tiny_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "in.txt"
    path.write_text("one\n\n" + "two " * 600 + "\n")
    monkeypatch.setattr("docmt_nmt.decoding.BeamSearchTranslator.translate", None)
    result = translate(tiny_run, path)
    assert "sentence 2 has 602 tokens, more than 512 (instances.max_tokens)" in result.stderr


def test_several_files_go_into_a_folder_under_their_names(
    tiny_run, letter: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("seven eight\n")
    result = translate(tiny_run, letter, other, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["letter.txt", "other.txt"]
    assert (tmp_path / "out" / "letter.txt").read_text() == translate(tiny_run, letter).stdout


def test_several_files_share_batches_and_come_out_as_alone(
    tiny_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a.md", "b.docx", "c.po"]
    (tmp_path / "a.md").write_text("# one\n\ntwo **three** four.\n")
    (tmp_path / "b.docx").write_bytes(docx(paragraph(word_run("five six"))))
    (tmp_path / "c.po").write_text('msgid ""\nmsgstr ""\n\nmsgid "seven"\nmsgstr ""\n')
    batches: list[int] = []
    search = InstanceSearch.search_batch

    def counted(self: InstanceSearch, instances: Any, *more: Any) -> Any:
        batches.append(len(instances))
        return search(self, instances, *more)

    monkeypatch.setattr(InstanceSearch, "search_batch", counted)
    translate(tiny_run, *(tmp_path / name for name in names), "-o", tmp_path / "together")
    together = list(batches)
    batches.clear()
    for name in names:
        translate(tiny_run, tmp_path / name, "-o", tmp_path / "alone" / name)
    assert len(together) < len(batches) and max(together) > max(batches)
    for name in names:
        files = [tmp_path / folder / name for folder in ("together", "alone")]
        assert files[0].read_bytes() == files[1].read_bytes(), name


def test_a_file_that_fails_leaves_those_before_it_translated(
    tiny_run, letter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = BeamSearchTranslator.translate

    def failing(self: BeamSearchTranslator, request: Any, **keys: Any) -> Any:
        if any("six" in each.source for each in request_of(request).documents):
            raise InputError("six is too much", cure="Leave it out")
        return search(self, request, **keys)

    monkeypatch.setattr(BeamSearchTranslator, "translate", failing)
    for name, text in (("second.txt", "six\n"), ("third.txt", "two\n")):
        (tmp_path / name).write_text(text)
    files = [letter, tmp_path / "second.txt", tmp_path / "third.txt"]
    result = translate(tiny_run, *files, "-o", tmp_path / "out")
    assert result.exit_code == 2 and "six is too much" in result.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["letter.txt"]


def test_several_outputs_cannot_go_into_a_file(tiny_run, letter: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("seven eight\n")
    output = tmp_path / "brief.txt"
    output.write_text("kept\n")
    result = translate(tiny_run, letter, other, "-o", output)
    assert result.exit_code == 2
    assert f"{output}: is a file, but several inputs need an output folder" in result.stderr
    assert output.read_text() == "kept\n"


def test_one_file_goes_into_a_folder_that_exists(tiny_run, letter: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    translate(tiny_run, letter, "-o", tmp_path / "out", "--output-format", "jsonl")
    assert (tmp_path / "out" / "letter.jsonl").is_file()


def test_a_new_folder_is_named_by_a_slash(tiny_run, letter: Path, tmp_path: Path) -> None:
    translate(tiny_run, letter, "-o", f"{tmp_path}/new/")
    assert (tmp_path / "new" / "letter.txt").is_file()


def test_tsv_is_a_row_a_sentence_and_a_corpus(tiny_run, letter: Path, tmp_path: Path) -> None:
    output = tmp_path / "letter.tsv"
    translate(tiny_run, letter, "--output-format", "tsv", "-o", output)
    (document,) = corpora.read(output)
    assert document.source == ("one two", "three four", "five")
    lines = translate(
        tiny_run, letter, "--output-format", "tsv", "--log-probabilities"
    ).stdout.splitlines()
    assert [line.rpartition("\t")[0] for line in lines] == output.read_text().splitlines()
    assert all(float(line.rpartition("\t")[2]) <= 0 for line in lines)


def test_jsonl_has_chunks_log_probabilities_and_alternatives(tiny_run, letter: Path) -> None:
    result = translate(
        tiny_run, letter, "--output-format", "jsonl", "--log-probabilities", "--n-best", "3"
    )
    (values,) = map(json.loads, result.stdout.splitlines())
    assert values["chunks"] == [2, 1]
    assert len(values["log_probabilities"]) == 3
    first, *others = values["alternatives"]
    assert first == {"target": values["target"], "log_probabilities": values["log_probabilities"]}
    assert len(others) == 2


def test_alternatives_always_have_scores(tiny_run, letter: Path) -> None:
    result = translate(tiny_run, letter, "--output-format", "jsonl", "--n-best", "2")
    (values,) = map(json.loads, result.stdout.splitlines())
    first, second = (sum(one["log_probabilities"]) for one in values["alternatives"])
    assert first >= second
    assert "log_probabilities" not in values


def test_the_beam_size_is_taken_from_the_command_line(tiny_run, letter: Path) -> None:
    greedy = translate(tiny_run, letter, "--beam-size", "1", "--output-format", "jsonl")
    assert greedy.exit_code == 0
    assert "alternatives" not in json.loads(greedy.stdout)


def test_translations_are_drawn_at_random_the_same_for_the_same_seed(
    tiny_run, letter: Path
) -> None:
    def drawn(*arguments: str) -> list[list[str]]:
        options = "--sampling", "--temperature", "2", "--n-best", "4", "--output-format", "jsonl"
        result = translate(tiny_run, letter, *options, *arguments)
        assert result.exit_code == 0, result.output
        value = json.loads(result.stdout)
        assert value["alternatives"][0]["target"] == value["target"]
        return [alternative["target"] for alternative in value["alternatives"]]

    first = drawn()
    assert len(first) == 4 and first[0] != first[1]
    assert drawn("--seed", "1") == first
    assert drawn("--seed", "2") != first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ([option, "1"], f"{option} has no effect without sampling. Add --sampling")
            for option in ("--temperature", "--top-k", "--top-p", "--seed")
        ),
        (["--sampling", "--top-p", "2"], "--top-p"),
    ],
)
def test_options_of_sampling_that_do_not_fit_are_errors(
    tiny_run, letter: Path, arguments: list[str], message: str
) -> None:
    result = translate(tiny_run, letter, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr + str(result.exception)


def test_words_that_are_not_in_the_vocabulary_are_noted(tiny_run) -> None:
    result = translate(tiny_run, "-", standard_input="one dozen two\n")
    assert "not in the vocabulary and read as <unk>: dozen (1)" in result.stderr


@pytest.mark.parametrize("name", [b"od\td\n.txt", b"b\xffd.txt"])
@pytest.mark.parametrize("suffix", ["tsv", "jsonl"])
def test_a_file_may_have_any_name(tiny_run, tmp_path: Path, name: bytes, suffix: str) -> None:
    path, output = tmp_path / os.fsdecode(name), tmp_path / f"out.{suffix}"
    path.write_text(LETTER)
    result = translate(tiny_run, path, "--output-format", suffix, "-o", output)
    assert result.exit_code == 0, result.output
    (document,) = corpora.read(output)
    assert len(document) == 3


def test_a_tab_that_a_table_cannot_hold_is_an_error_before_translating(
    tiny_run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docmt_nmt.decoding.BeamSearchTranslator.translate", None)
    options = ("--segmented", "--output-format", "tsv")
    result = translate(tiny_run, "-", *options, standard_input="one\ttwo\n")
    assert result.exit_code == 2
    assert "has a tab in a sentence" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["letter.txt", "--log-probabilities"], "Add --output-format tsv or --output-format jsonl"),
        (["letter.txt", "--n-best", "2", "--output-format", "tsv"], "Add --output-format jsonl"),
        (
            ["letter.txt", "--n-best", "4", "--beam-size", "2", "--output-format", "jsonl"],
            "finds fewer than 4",
        ),
        (["letter.txt", "other.txt"], "Add --output FOLDER"),
        (["letter.txt", "-", "-o", "out"], "cannot derive an output file name"),
        (["letter.txt", "sub/letter.txt", "-o", "out"], "two inputs would be written to this file"),
        (["letter.txt", "-o", "letter.txt"], "is an input and would be overwritten"),
        (["letter.txt", "sub/letter.txt", "-o", "sub"], "overwritten"),
        (["missing.txt"], "missing.txt: no such file"),
        (["letter.txt", "empty.txt", "-o", "out"], "empty.txt: has no text"),
        (["binary.txt"], "binary.txt, line 1: invalid UTF-8"),
        (["letter.txt", "-o", "other.txt/brief.txt"], "brief.txt: cannot be written. Check that"),
        (["letter.txt", "--source-language", "English"], "'English' is not a valid language code"),
    ],
)
def test_a_mistake_is_reported_and_nothing_is_written(
    arguments: list[str],
    message: str,
    tiny_run,
    letter: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("other.txt", "sub/letter.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(LETTER)
    Path("empty.txt").touch()
    Path("binary.txt").write_bytes(b"\xe4\xf6\n")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    result = translate(tiny_run, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
