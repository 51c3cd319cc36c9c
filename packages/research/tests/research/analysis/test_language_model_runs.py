"""`log-probabilities`, `cxmi` and `contrast` with a language model in this process."""

from __future__ import annotations

import json
import shutil
from math import log
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from causal_models import save_causal
from docmt.cli import main
from docmt.interop import import_huggingface
from docmt_llm.chat_model import ChatMessage
from docmt_llm.endpoints.event_loop import run as run_coroutine
from docmt_research.forced_decoding.loading import load_forced_decoder

yaml = YAML(typ="safe", pure=True)

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


def test_there_is_a_log_probability_for_each_token_of_the_answer(folder, tmp_path):
    output = tmp_path / "probabilities.jsonl"
    corpus = str(folder / "corpus.tsv")
    said = invoke(
        folder, "log-probabilities", "--source", corpus, "--format", "jsonl", "-o", str(output)
    )
    assert "4 sentences" in said and "perplexity" in said
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    model = load_forced_decoder(folder / "run").translator.model
    tokens = run_coroutine(model.log_probabilities([ChatMessage("user", "x")], '"Er ist alt."'))
    assert lines[1]["tokens"] == [token.token for token in tokens]
    assert lines[1]["tokens"][-1] == "<|im_end|>"


def test_cxmi_is_in_bits_and_of_as_many_sentences_as_the_run_gives_the_model(folder, tmp_path):
    output = tmp_path / "cxmi.json"
    corpus = str(folder / "corpus.tsv")
    said = invoke(folder, "cxmi", "--source", corpus, "--context", "1", "-o", str(output))
    assert "CXMI against the same run" in said
    own, shuffled = json.loads(output.read_text())["values"]
    assert (own["control"], shuffled["control"]) == ("", "shuffled")
    invoke(
        folder,
        "log-probabilities",
        "--source",
        corpus,
        "--context",
        "0",
        "-o",
        str(tmp_path / "0.tsv"),
    )
    invoke(
        folder,
        "log-probabilities",
        "--source",
        corpus,
        "--context",
        "1",
        "-o",
        str(tmp_path / "1.tsv"),
    )
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


@pytest.mark.slow
def test_a_report_compares_a_language_model_with_a_trained_system(folder, tiny_run, tmp_path):
    system = tmp_path / "system"
    shutil.copytree(tiny_run.directory, system)
    test = tiny_run.recipe.data.test
    files = {side: tmp_path / f"test.{side}" for side in ("source", "target")}
    for side, file in files.items():
        documents = Path(getattr(test, side)).read_text().split("<d>\n")[1:3]
        file.write_text("".join("<d>\n" + text for text in documents))
    recipe = yaml.load((system / "recipe.yaml").read_text())
    recipe["data"]["test"] |= {side: str(file) for side, file in files.items()}
    yaml.dump(recipe, system / "recipe.yaml")
    keys = [f"data.test.{side}={file}" for side, file in files.items()]
    import_huggingface(
        str(folder / "model"),
        tmp_path / "llm",
        languages=("en", "de"),
        overrides=[*keys, "request.max_tokens_factor=0.1"],
    )
    result = CliRunner().invoke(
        main, ["report", str(system), str(tmp_path / "llm"), "-o", str(tmp_path / "report")]
    )
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "report" / "data" / "results.json").read_text())
    compared = {(one["system_name"], one["baseline_name"]) for one in found["comparisons"]}
    assert compared == {("llm", "system")}
    assert all(0 < one["p"] <= 1 for one in found["comparisons"])
    page = (tmp_path / "report" / "index.html").read_text()
    assert "run by transformers" in page
    assert "no 4-gram matches a reference, so BLEU is smoothed" in page
