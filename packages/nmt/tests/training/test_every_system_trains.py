"""Every system on real documents: it learns, resumes where it was killed, translates, and is
scored."""

from __future__ import annotations

import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import pytest

from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data.preparation import prepare
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import evaluate
from docmt_nmt.recipes import Recipe
from docmt_nmt.systems import WritingOrder, system_class, system_names
from docmt_nmt.training import train, trainer
from toy import toy_recipe, trained

SECTIONS = {
    "transformer": {"instances": {"kind": "tokens", "max_tokens": 128}},
    "g-transformer": {
        "instances": {"kind": "tokens", "max_tokens": 128},
        "system": {
            "encoder_context_layers": 1,
            "decoder_context_layers": 1,
            "cross_context_layers": 1,
        },
    },
    "long-short": {
        "instances": {"kind": "window", "window": 3, "stride": 2},
        "search": {"windows": "sliding"},
    },
    "parallel-stack": {
        "instances": {"kind": "sentence"},
        "system": {
            "stack": "Ds(p,c) => Dt(p,n)",
            "contexts": {"D": {"kind": "trained", "layers": 1}},
        },
    },
    "san": {
        "instances": {"kind": "tokens", "max_tokens": 256},
        "system": {"integration": "decoder", "context": "offline"},
    },
}
"""The sections of a small recipe for a system, but for its name, where those that `sections_of`
chooses are not enough."""

TEXT = {"subword": "words", "vocabulary_size": 300}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first documents of the bundled corpus, and what preparation makes of them."""
    folder = tmp_path_factory.mktemp("real")
    for split, bundled, documents in (
        ("train", "train", 6),
        ("valid", "dev", 2),
        ("test", "test", 1),
    ):
        for side in ("en", "de"):
            packed = corpus_file(f"{bundled}.{side}.xz").read_bytes()
            kept = lzma.decompress(packed).decode().split("<d>\n")[1 : documents + 1]
            kept = ["\n".join(part.split("\n")[:8]).strip() + "\n" for part in kept]
            (folder / f"{split}.{side}").write_text("".join("<d>\n" + part for part in kept))
    prepare(toy_recipe(folder, text=TEXT), folder / "prepared")
    return folder


def sections_of(name: str) -> dict[str, Any]:
    """The sections of a small recipe for a system, but for its name: instances as it needs them."""
    if name in SECTIONS:
        return SECTIONS[name]
    settings = system_class(name).settings_class
    kind = "tokens" if "tokens" in settings.instance_kinds else settings.instance_kinds[0]
    size = {"tokens": {"max_tokens": 256}, "window": {"window": 3}}.get(kind, {})
    previous = {"previous_sentences": 2} if settings.outer_context != "none" else {}
    return {"instances": {"kind": kind, **size, **previous}}


@pytest.fixture(scope="module")
def base(corpus: Path) -> Path:
    """A run of a Transformer on sentences, which writes drafts."""
    run = trained(
        corpus,
        corpus / "base",
        text=TEXT,
        data={"prepared": str(corpus / "prepared")},
        instances={"kind": "sentence"},
    )
    return run.directory


def recipe_of(name: str, corpus: Path, **more: Any) -> Recipe:
    sections = sections_of(name) | more
    return toy_recipe(
        corpus,
        **{
            **sections,
            "text": TEXT,
            "data": {"prepared": str(corpus / "prepared")},
            "system": {"name": name, "dropout": 0.1, **sections.get("system", {})},
            "training": {
                "max_steps": 6,
                "validate_every": 2,
                "batch_tokens": 256,
                "warmup_steps": 12,
                "clip_norm": 1.0,
            },
        },
    )


@pytest.mark.parametrize("name", system_names())
def test_it_learns_resumes_translates_and_is_scored(name, corpus, base, tmp_path, monkeypatch):
    more = (
        {"initialize": {"run": str(base)}}
        if system_class(name).writing_order is WritingOrder.CORRECTING
        else {}
    )
    recipe = recipe_of(name, corpus, **more)
    train_step = trainer.train_step

    def copied_in_update_5(state, update):
        if state.record.step == 5:  # what is left if the training is killed now
            shutil.copytree(tmp_path / "run", tmp_path / "killed")
        return train_step(state, update)

    monkeypatch.setattr(trainer, "train_step", copied_in_update_5)
    run = train(recipe, tmp_path / "run", progress=False)
    monkeypatch.setattr(trainer, "train_step", train_step)
    log = [json.loads(line) for line in run.log.read_text().splitlines()]
    losses = [line["loss"] for line in log if line["kind"] == "valid"]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1

    again = train(recipe, tmp_path / "killed", progress=False)
    assert again.weights.read_bytes() == run.weights.read_bytes()

    references = list(corpora.read(corpus / "test.en", corpus / "test.de"))
    found = BeamSearchTranslator.load(run.directory).translate(references)
    scores = evaluate([translation.document for translation in found], references)
    assert [score.sentences for score in scores] == [sum(map(len, references))] * 3
    assert all(0 <= score.score <= 100 and score.empty == 0 for score in scores)
