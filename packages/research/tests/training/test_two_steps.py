"""Training in two steps: sentence pairs first, then documents (Zhang et al. 2018; Tan et al. 2019,
Eq. 11-12 and Dataset 4)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from toy import toy_recipe

STEPS = {"max_steps": 30, "validate_every": 30, "label_smoothing": 0.0}


def two_steps(corpus: Path, directory: Path, document: dict, sentence: dict, **sections):
    """A run in two stages whose first learns from sentence pairs of its own."""
    sides = {"source": str(corpus / "pairs.en"), "target": str(corpus / "pairs.de")}
    pairs = {"train": {**sides, "boundaries": "sentences"}}
    first = {
        "name": "sentence",
        "instances": {"kind": "sentence", "previous_sentences": 0},
        "system": {"name": "transformer"},
        **sentence,
        "data": {**pairs, **sentence.get("data", {})},
    }
    recipe = toy_recipe(corpus, training=STEPS, **sections)
    stages = [first, {"name": "document", **document}]
    values = recipe.model_dump(mode="json") | {"stages": stages}
    return train(Recipe.read(values), directory, progress=False)


@pytest.fixture(scope="module")
def corpus(tinier_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy corpus, and sentence pairs beside its documents."""
    folder = tmp_path_factory.mktemp("with-pairs") / "corpus"
    shutil.copytree(tinier_corpus, folder)
    pairs = [
        Document(str(k), (f"{e} {f}",), (f"{d} {g}",))
        for k, (e, d, f, g) in enumerate([("one", "eins", "two", "zwei")] * 40)
    ]
    corpora.write(pairs, folder / "pairs.en", folder / "pairs.de", boundaries="sentences")
    return folder


@pytest.fixture(scope="module")
def hm_gdc(corpus: Path, tmp_path_factory: pytest.TempPathFactory):
    """HM-GDC whose first step mixes sentence pairs with the sentences of the documents."""
    documents = {"source": str(corpus / "train.en"), "target": str(corpus / "train.de")}
    return two_steps(
        corpus,
        tmp_path_factory.mktemp("hm-gdc") / "run",
        system={"name": "hm-gdc"},
        instances={"kind": "whole"},
        sentence={"data": {"additional": {"documents": documents}}},
        document={},
    )


@pytest.fixture(scope="module")
def document_transformer(corpus: Path, tmp_path_factory: pytest.TempPathFactory):
    return two_steps(
        corpus,
        tmp_path_factory.mktemp("document-transformer") / "run",
        system={"name": "document-transformer"},
        instances={"kind": "sentence", "previous_sentences": 2},
        sentence={},
        document={"initialize": {"freeze": ["loaded"]}},
    )


def first_step(run):
    return SystemRun.load(run.directory / "stages" / "sentence")


def test_each_step_learns_from_its_own_corpus(hm_gdc, document_transformer):
    def training_documents(run) -> set[str]:
        return set(PreparedCorpus.load(run.directory / "data").split("train").ids)

    talks, pairs = {str(k) for k in range(1, 31)}, {str(k) for k in range(1, 41)}
    assert training_documents(hm_gdc) == training_documents(document_transformer) == talks
    assert training_documents(first_step(document_transformer)) == pairs
    mixed = pairs | {f"documents:{k}" for k in talks}
    assert training_documents(first_step(hm_gdc)) == mixed


def test_the_second_step_of_hm_gdc_learns_all_parameters_anew(hm_gdc):
    before, after = first_step(hm_gdc).state(), hm_gdc.state()
    assert before.keys() < after.keys()
    assert not any(torch.equal(after[name], before[name]) for name in before)


def test_the_second_step_of_the_document_transformer_leaves_the_first_as_it_was(
    document_transformer,
):
    before, after = first_step(document_transformer).state(), document_transformer.state()
    fresh = document_transformer.new_system().state_dict()
    assert before.keys() < after.keys()
    for name, tensor in after.items():
        if name in before:
            assert torch.equal(tensor, before[name])
        elif "bias" not in name:
            assert not torch.equal(tensor, fresh[name])


def translated(run, *documents: tuple[str, ...]) -> list[dict[str, tuple[str, float]]]:
    """For each document its sentences' translations and log-probabilities."""
    found = BeamSearchTranslator.load(run.directory, beam_size=3).translate(
        [Document(str(k), sentences) for k, sentences in enumerate(documents)]
    )
    return [
        dict(
            zip(
                t.document.source,
                zip(t.document.target, t.log_probabilities, strict=True),
                strict=True,
            )
        )
        for t in found
    ]


SENTENCES = ("one two three", "four", "five six", "seven eight nine zero")


def test_first_sentences_are_translated_as_after_the_first_step(document_transformer):
    with_context = translated(document_transformer, SENTENCES)[0]
    alone = translated(first_step(document_transformer), SENTENCES)[0]
    first, *others = SENTENCES
    assert with_context[first] == (alone[first][0], pytest.approx(alone[first][1], abs=1e-5))
    assert all(with_context[s][1] != pytest.approx(alone[s][1], abs=1e-5) for s in others)


@pytest.mark.slow
def test_the_order_of_a_document_counts_for_hm_gdc_and_not_for_the_sentence_transformer(hm_gdc):
    shuffled = tuple(SENTENCES[k] for k in (2, 1, 3, 0))
    before, after = translated(hm_gdc, SENTENCES, shuffled)
    assert all(before[s][1] != pytest.approx(after[s][1], abs=1e-6) for s in SENTENCES)
    before, after = translated(first_step(hm_gdc), SENTENCES, shuffled)
    for sentence in SENTENCES:
        text, log_probability = before[sentence]
        assert after[sentence] == (text, pytest.approx(log_probability, abs=1e-5))
