"""The choice of the attention that aligns, and discourse metrics on its links."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from docmt import corpora
from docmt.alignment.attention_choice import AttentionChoice
from docmt.alignment.by_attention import AttentionAligner
from docmt.alignment.tuning import align_by_attention, choose_attention, chosen_aligner
from docmt.cli import main
from docmt.errors import InputError


def discourse(*arguments):
    return CliRunner().invoke(main, ["discourse", *map(str, arguments)])


def test_the_step_that_agrees_with_the_statistical_aligner_is_chosen(tiny_run, tiny_corpus):
    documents = list(corpora.read(tiny_corpus / "test.en", tiny_corpus / "test.de"))
    agreement = choose_attention(AttentionAligner.load(tiny_run.directory), documents)
    assert list(agreement) == [AttentionChoice(0, "output"), AttentionChoice(0, "input")]
    notes = []
    aligner = chosen_aligner(tiny_run.directory, note=notes.append)
    assert (aligner.layer, aligner.step) == (0, "output")
    assert "decoder layer 0" in notes[0] and "validation split" in notes[0]
    assert "poor" not in notes[0]
    found = align_by_attention(
        aligner,
        documents,
        [
            (s.split(), t.split())
            for d in documents
            for s, t in zip(d.source, d.target, strict=True)
        ],
    )
    assert found.method == "attention-layer-0-output-grow-diag-final-and"
    assert len(found.links) == sum(map(len, documents))


def test_without_the_validation_split_a_layer_must_be_named(tiny_run, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(tiny_run.directory, run)
    recipe = run / "recipe.yaml"
    recipe.write_text(recipe.read_text().replace("valid.en", "elsewhere.en"))
    with pytest.raises(InputError, match="validation split") as error:
        chosen_aligner(run)
    assert "`alignment_layer=2`" in error.value.cure
    assert chosen_aligner(run, layer=0, step="input").step == "input"


def test_the_command_takes_the_links_of_a_run(tiny_run, tiny_corpus):
    files = ("--source", tiny_corpus / "test.en", "--hypothesis", tiny_corpus / "test.de")
    languages = ("--source-language", "en", "--language", "de", "--metric", "ltcr")
    (tiny_corpus / "terms").write_text("two\nthree\nfour\n")
    arguments = (*files, *languages, "--terms", tiny_corpus / "terms")
    result = discourse(*arguments, "--alignment-run", tiny_run.directory, "--json")
    assert result.exit_code == 0, result.output
    assert "decoder layer 0" in result.stderr
    (score,) = json.loads(result.stdout)["systems"][0]["scores"]
    assert "align:attention-layer-0-output" in score["signature"]
    # All terms are translated alike, so what is missing are wrong links.
    assert score["score"] > 60
    for more, message in (
        (("--alignment-layer", 0), "no effect without --alignment-run"),
        (("--alignment-run", tiny_run.directory, "--alignment-corpus", "x.tsv"), "no effect with"),
    ):
        wrong = discourse(*arguments, *more)
        assert wrong.exit_code == 2 and message in wrong.stderr
