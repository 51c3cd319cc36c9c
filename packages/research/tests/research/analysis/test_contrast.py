"""Contrastive evaluation, with a system that needs context and one that has none."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_research.analysis.analysis_tables import suite_table
from docmt_research.analysis.contrastive_evaluation import contrast
from docmt_research.analysis.contrastive_suites import ContrastiveCase, Suite
from docmt_research.analysis.sentences_in_context import shuffled_contexts, with_context
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder

NOUNS = {"dog": ("Hund", "er"), "cat": ("Katze", "sie"), "horse": ("Pferd", "es")}
VERBS = {"runs": "rennt", "sleeps": "schläft", "eats": "frisst"}


def cases() -> list[ContrastiveCase]:
    found = []
    for noun, (german, pronoun) in NOUNS.items():
        for verb, translated in VERBS.items():
            candidates = tuple(f"{p} {translated}" for p in ("er", "sie", "es"))
            found.append(
                ContrastiveCase(
                    f"{noun} {verb}",
                    (f"the {noun} {verb}", f"it {verb}"),
                    (f"das {german} {translated}",),
                    candidates,
                    candidates.index(f"{pronoun} {translated}"),
                    pronoun,
                    1,
                )
            )
    return found


@pytest.fixture
def suite() -> Suite:
    return Suite("pronouns.jsonl", tuple(cases()))


@pytest.fixture
def suite_file(suite, tmp_path):
    file = tmp_path / "pronouns.jsonl"
    lines = [
        {
            "id": c.id,
            "source": c.source,
            "context": c.context,
            "candidates": c.candidates,
            "right": c.right,
            "phenomenon": c.phenomenon,
            "distance": c.distance,
        }
        for c in suite.cases
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.mark.parametrize("target_context", ["reference", "own"])
def test_a_system_that_reads_context_finds_the_pronoun_and_without_context_cannot(
    pronoun_run, suite, target_context
):
    forced_decoder = SystemForcedDecoder.load(pronoun_run.directory)
    result = contrast(forced_decoder, suite, target_context=target_context)
    every = result.groups()["all"]
    assert result.accuracy(result.decisions, every).share == 1
    shares = {c.name: result.accuracy(c, every).right for c in result.controls}
    # Of nine cases three have each pronoun.
    assert shares["no context"] == 3
    assert shares["shuffled context"] < 9
    assert result.p(result.controls[0], every) == pytest.approx(2 / 2**6)
    assert result.target_context == target_context


def test_a_system_without_context_decides_alike_in_every_context(sentence_run, suite):
    result = contrast(SystemForcedDecoder.load(sentence_run.directory), suite)
    assert result.target_context is None
    for control in result.controls:
        assert control.right == result.decisions.right
        assert result.p(control, result.groups()["all"]) == 1


def test_cases_are_grouped_by_phenomenon_and_distance(sentence_run, suite):
    near = ContrastiveCase("near", ("it runs",), (), ("er rennt", "es rennt"), 0, "er", 0)
    mixed = Suite("mixed", (*suite.cases, near))
    groups = contrast(
        SystemForcedDecoder.load(sentence_run.directory), mixed, controls=False
    ).groups()
    assert list(groups) == ["all", "er", "es", "sie", "distance 0", "distance 1"]
    assert groups["distance 0"] == [9]
    assert len(groups["er"]) == 4


def test_candidates_that_are_as_probable_as_the_right_one_make_it_wrong(sentence_run, monkeypatch):
    forced_decoder = SystemForcedDecoder.load(sentence_run.directory)
    same = ContrastiveCase("same", ("it runs",), (), ("xx", "yy"), 0)  # both are `<unk>`
    assert not contrast(forced_decoder, Suite("same", (same,))).decisions.right[0]


def test_shuffled_documents_keep_their_last_sentence_and_get_the_context_of_another():
    documents = [Document(str(i), (f"a{i}", f"b{i}"), (f"A{i}", f"B{i}")) for i in range(5)]
    documents.append(Document("alone", ("x",), ("X",)))
    shuffled = shuffled_contexts(documents, seed=3)
    assert shuffled == shuffled_contexts(documents, seed=3)
    for own, other in zip(documents, shuffled, strict=True):
        assert (other.id, other.source[-1], other.target[-1]) == (
            own.id,
            own.source[-1],
            own.target[-1],
        )
        if len(own) > 1:
            assert other.source[0] != own.source[0]
            assert other.target[0] == other.source[0].upper()
    assert sorted(d.source[0] for d in shuffled) == sorted(d.source[0] for d in documents)


def test_shuffled_context_is_never_the_own_one_nor_of_the_sentence_itself():
    source = tuple(f"s{i}" for i in range(12))
    document = Document("d", source, tuple(map(str.upper, source)))
    places = [(0, index) for index in range(12)]
    windows = [with_context(document, index, 2) for index in range(12)]
    for seed in range(20):
        shuffled = shuffled_contexts(windows, seed, places)
        for own, other in zip(windows[1:], shuffled[1:], strict=True):
            assert other.source[-1] == own.source[-1]
            assert other.target == tuple(map(str.upper, other.source))
            assert len(other) > 1
            assert not {*other.source[:-1]} & {*own.source}
        assert shuffled[0] == windows[0], "without context there is nothing to shuffle"


def test_without_a_context_of_the_same_length_that_of_another_one_is_cut():
    short = Document("a", ("a", "b"), ("A", "B"))
    long = Document("c", ("c", "d", "e"), ("C", "D", "E"))
    assert shuffled_contexts([short, long], 1) == [
        Document("a", ("d", "b"), ("D", "B")),
        Document("c", ("a", "e"), ("A", "E")),
    ]


def test_without_any_other_context_there_is_no_shuffled_document():
    same = [Document(name, ("a", name), ("A", name)) for name in "xy"]
    assert shuffled_contexts(same, 1) == [None, None]
    alone = Document("z", ("b",), ("B",))
    assert shuffled_contexts([*same, alone], 1) == [None, None, alone]


def test_a_control_that_cannot_be_made_says_so(pronoun_run, suite):
    forced_decoder = SystemForcedDecoder.load(pronoun_run.directory)
    first = suite.cases[0]
    (case,) = Suite("one", (first,)).cases
    result = contrast(forced_decoder, Suite("one", (case,)))
    alone, shuffled = result.controls
    assert alone.right != (None,) and (shuffled.right, shuffled.log_probabilities) == (
        (None,),
        ((),),
    )
    assert result.accuracy(shuffled, [0]).total == 0 and result.p(shuffled, [0]) is None
    assert result.notes == ["shuffled context is not measurable: no case has other context"]
    console = Console(width=100)
    with console.capture() as capture:
        console.print(suite_table(result))
    assert re.search(r"shuffled context +not measurable *$", capture.get(), re.MULTILINE)
    assert result.as_dict()["accuracy"]["all"]["shuffled context"]["p"] is None

    without = replace(first, source=first.source[-1:], context=())
    result = contrast(forced_decoder, Suite("without", (without,)))
    assert [control.right for control in result.controls] == [(None,), (None,)]
    assert result.notes[0] == "no context is not measurable: no case has context"


def test_cases_without_other_context_are_left_out_of_the_control(pronoun_run, suite):
    # The contexts of the first two are equal, and the third has none.
    first, second, third = suite.cases[:3]
    second = replace(second, source=(first.source[0], second.source[1]), context=first.context)
    third = replace(third, source=third.source[-1:], context=())
    forced_decoder = SystemForcedDecoder.load(pronoun_run.directory)
    result = contrast(forced_decoder, Suite("same", (first, second, third)))
    assert [control.right.count(None) for control in result.controls] == [0, 3]
    more = replace(suite.cases[3], id="more")
    result = contrast(forced_decoder, Suite("more", (first, second, third, more)))
    shuffled = result.controls[1]
    assert shuffled.right.count(None) == 0
    assert result.accuracy(shuffled, range(4)).total == 4


def test_context_ends_with_its_sentence():
    document = Document("d", ("a", "b", "c"), ("A", "B", "C"))
    assert with_context(document, 2, 1) == Document("d", ("b", "c"), ("B", "C"))
    assert with_context(document, 0, 5) == Document("d", ("a",), ("A",))
    assert with_context(Document("d", ("a", "b")), 1, 0) == Document("d", ("b",))


def test_the_command_prints_a_table_and_writes_every_decision(
    pronoun_run, sentence_run, suite_file, tmp_path
):
    result = CliRunner().invoke(
        main,
        [
            "contrast",
            "--run",
            str(pronoun_run.directory),
            str(suite_file),
            "-o",
            str(tmp_path / "out.json"),
            "--baseline",
            str(sentence_run.directory),
        ],
    )
    assert result.exit_code == 0, result.output
    assert "9 cases · chance 33.3 % · reads the context's translation as the" in result.stdout
    (state,) = json.loads((tmp_path / "out.json").read_text())
    assert state["accuracy"]["all"]["context"]["right"] == 9
    assert state["accuracy"]["all"][str(sentence_run.directory)]["right"] <= 4
    assert len(state["decisions"]) == 9
    for decision in state["decisions"]:
        values = decision["log_probabilities"]["context"]
        assert max(values) == values[decision["right"]]


def test_mistakes_end_without_a_traceback(sentence_run, suite_file, tmp_path):
    def message(*arguments):
        command = ["contrast", "--run", str(sentence_run.directory), *map(str, arguments)]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 2
        return result.stderr

    assert "no such file" in message(tmp_path / "none.json")
    (tmp_path / "empty.jsonl").write_text("")
    assert "holds no cases" in message(tmp_path / "empty.jsonl")
    assert "compared with itself" in message(suite_file, "--baseline", sentence_run.directory)
