"""`score`, `cxmi` and `contrast` with a language model in this process, from the shell."""

from __future__ import annotations

import asyncio
import json
from math import log

import pytest
from typer.testing import CliRunner

from causal_models import save_causal
from docmt.cli import main
from docmt.engines.chat import ChatMessage
from docmt.interop import import_huggingface
from docmt.loading import load_scorer

SOURCE = ("The dog sleeps.", "It is old.", "The cat eats.", "It is young.")
TARGET = ("Der Hund schläft.", "Er ist alt.", "Die Katze frisst.", "Sie ist jung.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the run `run` of a tiny language model, a corpus and a suite."""
    folder = tmp_path_factory.mktemp("language-model")
    save_causal(folder / "model", max_position_embeddings=8192)
    import_huggingface(str(folder / "model"), folder / "run", languages=("en", "de"))
    (folder / "corpus.tsv").write_text(
        "".join(f"pets\t{s}\t{t}\n" for s, t in zip(SOURCE, TARGET, strict=True))
    )
    cases = [
        {
            "id": str(number),
            "source": SOURCE[start : start + 2],
            "context": TARGET[start : start + 1],
            "candidates": [TARGET[start + 1], other],
            "right": 0,
        }
        for number, (start, other) in enumerate([(0, "Sie ist alt."), (2, "Er ist jung.")])
    ]
    (folder / "suite.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return folder


def invoke(folder, command, *arguments):
    result = CliRunner().invoke(main, [command, *arguments, "--run", str(folder / "run")])
    assert result.exit_code == 0, result.output
    return result.output


def test_score_gives_the_tokens_of_the_answer(folder, tmp_path):
    output = tmp_path / "scores.jsonl"
    corpus = str(folder / "corpus.tsv")
    said = invoke(folder, "score", "--source", corpus, "--format", "jsonl", "-o", str(output))
    assert "4 sentences" in said and "perplexity" in said
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    model = load_scorer(folder / "run").translator.model
    tokens = asyncio.run(model.score([ChatMessage("user", "x")], '"Er ist alt."'))
    assert lines[1]["tokens"] == [token.token for token in tokens]
    assert lines[1]["tokens"][-1] == "<|im_end|>"


def test_cxmi_is_in_bits_and_of_as_many_sentences_as_the_run_gives_the_model(folder, tmp_path):
    output = tmp_path / "cxmi.json"
    corpus = str(folder / "corpus.tsv")
    said = invoke(folder, "cxmi", "--source", corpus, "--context", "1", "-o", str(output))
    assert "CXMI against the same run" in said
    own, shuffled = json.loads(output.read_text())["values"]
    assert (own["control"], shuffled["control"]) == ("", "shuffled")
    invoke(folder, "score", "--source", corpus, "--context", "0", "-o", str(tmp_path / "0.tsv"))
    invoke(folder, "score", "--source", corpus, "--context", "1", "-o", str(tmp_path / "1.tsv"))
    alone, inside = (
        [float(line.split("\t")[2]) for line in path.read_text().splitlines()[1:]]
        for path in (tmp_path / "0.tsv", tmp_path / "1.tsv")
    )
    bits = [(a - b) / log(2) for a, b in zip(inside, alone, strict=True)]
    assert own["bits_of_sentences"] == pytest.approx(bits, abs=1e-4)
    result = CliRunner().invoke(
        main, ["cxmi", "--run", str(folder / "run"), "--source", corpus, "--context", "6"]
    )
    assert result.exit_code == 2
    assert "reads at most 5 previous sentences" in result.output


def test_contrast_asks_in_context_and_without(folder, tmp_path):
    output = tmp_path / "contrast.json"
    said = invoke(folder, "contrast", str(folder / "suite.jsonl"), "-o", str(output))
    assert "2 cases" in said
    (found,) = json.loads(output.read_text())
    assert set(found["accuracy"]["all"]) == {"context", "no context", "shuffled context"}
    assert found["target_context"] == "reference"
