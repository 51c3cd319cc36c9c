"""The optimizers, rates, schedules, normalizations and losses of the papers' rows learn, on small
systems and with a warm-up of twenty updates."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from docmt_nmt.corpora import read, write
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.recipes import Recipe, directories, load, stages
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train

pytestmark = pytest.mark.slow

ROWS = [
    "iwslt-cache-rnnsearch",
    "iwslt-cache-transformer",
    "iwslt-han",
    "iwslt14-sentence",
    "pegasus-en",
    "subtitles-cadec",
    "subtitles-g-transformer",
    "subtitles-window",
    "talks-hm-gdc",
    "ted-han",
    "ted-hybrid-context",
    "ted-san",
    "wmt14-sentence",
]
"""Rows that share conditions with those of their tables, with settings of their own."""

SIZES = {"layers": 2, "d_model": 32, "heads": 2, "ffn_dim": 64, "document_layers": 2}
TRAINING = {
    "max_steps": 60,
    "max_epochs": None,
    "batch_tokens": 512,
    "batch_sentences": None,
    "accumulate_batches": 1,
    "validate_every": 20,
    "log_attention": False,
}


@pytest.fixture(scope="module")
def few(tmp_path_factory) -> Path:
    """Eight documents of real text, in both languages."""
    folder = tmp_path_factory.mktemp("few")
    sides = [corpus_file(f"dev.{side}.xz") for side in ("en", "de")]
    write(list(read(*sides))[:8], folder / "few.en", folder / "few.de")
    return folder


def small(stage: Recipe, folder: Path) -> Recipe:
    """A stage with its training, on a small system and corpus."""
    values = stage.model_dump(mode="json")
    masked = values["instances"]["kind"] == "masked"
    files = {"source": folder / "few.en", "target": folder / ("few.en" if masked else "few.de")}
    corpus = {key: str(path) for key, path in files.items()}
    languages = {"source_language": "en", "target_language": "en" if masked else "de"}
    values["data"] = languages | dict.fromkeys(("train", "valid", "test"), corpus)
    joint = values["text"]["joint"]
    values["text"] = {"subword": "unigram", "vocabulary_size": 600, "joint": joint}
    values["system"] |= {key: value for key, value in SIZES.items() if key in values["system"]}
    values["training"] |= TRAINING
    values["training"]["warmup_steps"] = min(20, values["training"]["warmup_steps"])
    return Recipe.read(values)


@pytest.mark.parametrize("name", ROWS)
def test_the_training_of_a_row_learns_in_every_stage(name, few, tmp_path):
    recipe = load(name)
    places = directories(recipe, tmp_path / "run")
    for (_, stage), place in zip(stages(recipe, tmp_path / "run"), places, strict=True):
        train(small(stage, few), place, progress=False)
        log = read_log(place / "log.jsonl")
        losses = [line["loss"] for line in log if line["kind"] == "valid"]
        assert len(losses) == 3
        assert all(later < earlier for earlier, later in pairwise(losses)), losses
