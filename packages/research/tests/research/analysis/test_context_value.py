"""CXMI and log-probabilities of corpora, by the size of the context."""

from __future__ import annotations

import json
from math import log

import numpy as np
import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_research.analysis import context_value
from docmt_research.analysis.sentence_probabilities import (
    json_lines,
    sentence_log_probabilities,
    summary,
    tsv_lines,
)
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder


@pytest.fixture(scope="module")
def documents(pronouns):
    return list(corpora.read(pronouns / "test.en", pronouns / "test.de"))


RUSSIAN = "Она сказала, что придёт завтра вечером, если успеет закончить работу к тому времени."


def test_context_is_worth_the_pronoun_and_that_of_others_is_not(pronoun_run, documents):
    own, shuffled = context_value(SystemForcedDecoder.load(pronoun_run.directory), documents)
    assert (own.context, shuffled.context) == (1, 1)
    assert own.sentences == 18
    second = np.array(own.bits).reshape(9, 2)[:, 1]
    # A pronoun of three is worth log₂ 3 bits or more to a system that guesses it alone.
    assert second.mean() > 1
    assert np.abs(np.array(own.bits).reshape(9, 2)[:, 0]).max() < 1e-3
    assert shuffled.cxmi < own.cxmi
    assert own.low <= own.cxmi <= own.high
    assert own.per_token == pytest.approx(own.cxmi * 18 / own.tokens)


def test_against_a_baseline_the_system_without_context_comes_first(
    pronoun_run, sentence_run, documents
):
    forced_decoder, baseline = (
        SystemForcedDecoder.load(run.directory) for run in (pronoun_run, sentence_run)
    )
    values = context_value(forced_decoder, documents, [1], baseline=baseline)
    assert [(v.context, v.control) for v in values] == [(0, ""), (1, ""), (1, "shuffled")]
    alone = [s.log_probability for own in baseline.log_probabilities(documents) for s in own]
    inside = [s.log_probability for own in forced_decoder.log_probabilities(documents) for s in own]
    expected = (np.array(inside) - alone) / log(2)
    # In its document the first sentence is read with the second.
    assert values[1].bits[1::2] == pytest.approx(expected[1::2], abs=1e-4)


def test_more_context_than_the_run_reads_is_an_error(pronoun_run, documents):
    forced_decoder = SystemForcedDecoder.load(pronoun_run.directory)
    for call in (
        lambda: context_value(forced_decoder, documents, [1, 2]),
        lambda: sentence_log_probabilities(forced_decoder, documents, context=2),
    ):
        with pytest.raises(InputError, match="context is 2, and this run reads at most 1 previous"):
            call()
    with pytest.raises(InputError, match="shuffled context needs a size"):
        sentence_log_probabilities(forced_decoder, documents, shuffle_seed=1)


def test_without_context_to_read_or_text_there_is_no_value(sentence_run, pronoun_run, documents):
    with pytest.raises(InputError, match="this run reads no context"):
        context_value(SystemForcedDecoder.load(sentence_run.directory), documents)
    with pytest.raises(InputError, match="no source sentence has text"):
        context_value(SystemForcedDecoder.load(pronoun_run.directory), [])


def test_a_control_without_other_context_is_not_measurable(pronoun_run, documents):
    forced_decoder = SystemForcedDecoder.load(pronoun_run.directory)
    own, shuffled = context_value(forced_decoder, documents[:1])
    assert own.cxmi is not None and own.note is None
    assert (shuffled.cxmi, shuffled.low, shuffled.per_token) == (None, None, None)
    assert shuffled.bits == (None, None)
    assert shuffled.note == "1, shuffled is not measurable: no sentence has any other context"
    assert shuffled.as_dict()["bits_per_sentence"] is None
    alone = Document("a", documents[0].source[:1], documents[0].target[:1])
    own, shuffled = context_value(forced_decoder, [alone])
    assert own.note == "1 is not measurable: no sentence has any sentence before it"
    assert shuffled.cxmi is None
    with pytest.raises(InputError, match="no other context to put before any sentence"):
        sentence_log_probabilities(forced_decoder, documents[:1], context=1, shuffle_seed=1)


def test_sentences_without_other_context_are_left_out_of_the_control(pronoun_run, documents):
    # Sentences of the longer document have, or overlap, most of the contexts that there are.
    first, other = documents[0], next(d for d in documents if d.source[0] != documents[0].source[0])
    long = Document("long", first.source * 2, first.target * 2)
    forced_decoder = SystemForcedDecoder.load(pronoun_run.directory)
    _, shuffled = context_value(forced_decoder, [first, long])
    missing = shuffled.bits.count(None)
    assert 0 < missing < len(shuffled.bits)
    assert shuffled.sentences == len(shuffled.bits) - missing
    measured = [bits for bits in shuffled.bits if bits is not None]
    assert shuffled.cxmi == pytest.approx(sum(measured) / len(measured))
    assert shuffled.note == f"1, shuffled: {missing} of 6 sentences left out, without other context"
    _, whole = context_value(forced_decoder, [first, other])
    assert whole.bits.count(None) == 0 and whole.note is None


def test_sentences_are_as_probable_as_in_their_document(pronoun_run, documents):
    forced_decoder = SystemForcedDecoder.load(pronoun_run.directory)
    whole, one = (
        sentence_log_probabilities(forced_decoder, documents),
        sentence_log_probabilities(forced_decoder, documents, context=1),
    )
    assert [(s.document, s.sentence) for s in whole] == [(s.document, s.sentence) for s in one]
    # In its document the first sentence is read with the second.
    for a, b in list(zip(whole, one, strict=True))[1::2]:
        assert a.probability.log_probability == pytest.approx(
            b.probability.log_probability, abs=1e-4
        )
    shuffled = sentence_log_probabilities(forced_decoder, documents, context=1, shuffle_seed=1)
    assert sum(s.probability.log_probability for s in shuffled) < sum(
        s.probability.log_probability for s in one
    )


def test_the_files_have_a_line_for_each_sentence(pronoun_run, documents):
    found = sentence_log_probabilities(SystemForcedDecoder.load(pronoun_run.directory), documents)
    header, *lines = tsv_lines(found)
    assert header.split("\t") == ["document", "sentence", "log_probability", "tokens"]
    objects = [json.loads(line) for line in json_lines(found)]
    assert len(lines) == len(objects) == 18
    for line, values in zip(lines, objects, strict=True):
        fields = line.split("\t")
        assert fields[:2] == [values["document"], str(values["sentence"])]
        assert float(fields[2]) == pytest.approx(sum(values["log_probabilities"]), abs=1e-5)
        assert int(fields[3]) == len(values["tokens"])
    assert "18 sentences" in summary(found)


def test_the_commands(pronoun_run, pronouns, tmp_path):
    def run(name, *arguments):
        files = ["--source", pronouns / "test.en", "--target", pronouns / "test.de"]
        command = [name, "--run", pronoun_run.directory, *files, *arguments]
        result = CliRunner().invoke(main, list(map(str, command)))
        assert result.exit_code == 0, result.output
        return result

    table = run("log-probabilities")
    assert len(table.stdout.splitlines()) == 19
    assert "nats per token" in table.stderr
    run(
        "log-probabilities",
        "--context",
        0,
        "--format",
        "jsonl",
        "-o",
        tmp_path / "probabilities.jsonl",
    )
    assert len((tmp_path / "probabilities.jsonl").read_text().splitlines()) == 18
    table = run("cxmi", "-o", tmp_path / "cxmi.json").stdout
    assert "1, shuffled" in table
    state = json.loads((tmp_path / "cxmi.json").read_text())
    assert len(state["values"][0]["bits_of_sentences"]) == 18


def test_the_commands_say_that_a_corpus_is_in_another_language(pronoun_run, tmp_path):
    for side in ("source", "target"):
        (tmp_path / side).write_text(f"{RUSSIAN}\n" * 6)
    files = ["--source", tmp_path / "source", "--target", tmp_path / "target"]
    for name in ("cxmi", "log-probabilities"):
        command = [name, "--run", pronoun_run.directory, *files]
        result = CliRunner().invoke(main, list(map(str, command)))
        assert "the translations are in Russian (ru)" in " ".join(result.output.split()), name
