"""The scenario with a real model, by the command: a model of Firefox adapted to 5,000 pairs of a
person who translates some words of the bundled corpus in another way than the model."""

from __future__ import annotations

import json
import lzma
import re

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.interop import import_marian
from docmt.models import InstalledModels
from docmt.models.adding import add_run
from docmt_files.base.documents import Document
from docmt_nmt.compiling.compile_anywhere import install_compiled
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.runs.open_run import load
from firefox_models import FOLDERS, needs_firefox_models

PAIRS = 5_000

WORDS = {
    "monge": "mendicante",
    "monges": "mendicantes",
    "mente": "consciência",
    "sofrimento": "angústia",
    "venerável": "reverendo",
    "mundo": "universo",
}
"""The words of the model, and those of the person."""


def english_documents():
    """The first documents of the bundled corpus, with 5,000 sentences."""
    packed = corpus_file("train.en.xz").read_bytes()
    texts = lzma.decompress(packed).decode().split("<d>\n")[1:]
    documents, sentences = [], 0
    for number, text in enumerate(texts):
        if sentences >= PAIRS:
            break
        documents.append(Document(f"sutta {number}", tuple(text.splitlines())))
        sentences += len(documents[-1])
    return documents


def as_the_person(text):
    """A translation of the model with the words of the person."""
    return re.sub(r"\w+", lambda word: WORDS.get(word[0].lower(), word[0]), text)


def write_tsv(path, translator):
    rows = [
        f"{each.document.id}\t{source}\t{as_the_person(target)}\n"
        for each in translator.translate(english_documents())
        for source, target in zip(each.document.source, each.document.target, strict=True)
    ]
    path.write_text("".join(rows), encoding="utf-8")


@pytest.mark.slow
@needs_firefox_models
def test_5000_pairs_teach_a_real_model_the_words_of_a_person(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)
    models = InstalledModels.default()
    start = add_run(models, import_marian(FOLDERS["enpt"], tmp_path / "en-pt").directory)
    install_compiled(start.directory)
    write_tsv(tmp_path / "own.tsv", load(start.directory))
    run = CliRunner().invoke
    result = run(main, ["adapt", "en-pt", "own.tsv", "-o", "own", "--minutes", "5"])
    assert result.exit_code == 0, result.output
    assert "before:" in result.output
    record = json.loads((models.named("own").directory / "verdict.json").read_text("utf-8"))
    bleu = record["comparisons"][0]
    assert bleu["difference"] > 1
    assert bleu["p"] < 0.05
    assert record["general"]["chrf"] > 90
    (tmp_path / "a.txt").write_text("The monks see suffering in the world.\n", encoding="utf-8")
    for model, words in (("en-pt", ("monges", "mundo")), ("own", ("mendicantes", "universo"))):
        asked = ["translate", "--to", "pt", "--model", model, "a.txt", "-o", f"{model}.txt"]
        assert run(main, asked).exit_code == 0
        text = (tmp_path / f"{model}.txt").read_text("utf-8")
        assert all(word in text for word in words), text
    assert (tmp_path / "own.memory").is_file()
    assert "mendicante" in (tmp_path / "own-terms.tsv").read_text("utf-8")
