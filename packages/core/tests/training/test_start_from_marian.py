"""The recipes that begin with a model of Firefox: each is trained on, resumed and translated with,
from a tiny model of the same form."""

from __future__ import annotations

import lzma
import shutil

import pytest
import torch
from safetensors.torch import load_file

import docmt_nmt
import marian_models
from docmt.interop import import_marian
from docmt_nmt import recipes
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.training import train, trainer

RECIPES = ("sentence", "g-transformer", "recurrence", "concatenation", "long-short")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An imported run, and the first documents of the bundled corpus."""
    folder = tmp_path_factory.mktemp("from-marian")
    (model := folder / "model").mkdir()
    marian_models.make_firefox(model)
    import_marian(model, folder / "imported")
    for split, bundled, documents in (("train", "train", 6), ("valid", "dev", 2)):
        for side in ("en", "de"):
            packed = corpus_file(f"{bundled}.{side}.xz").read_bytes()
            kept = lzma.decompress(packed).decode().split("<d>\n")[1 : documents + 1]
            kept = ["\n".join(part.split("\n")[:6]).strip() + "\n" for part in kept]
            (folder / f"{split}.{side}").write_text("".join("<d>\n" + part for part in kept))
    return folder


def _recipe(name, folder):
    overrides = [
        f"initialize.run={folder / 'imported'}",
        f"system.d_model={marian_models.D}",
        f"system.heads={marian_models.HEADS}",
        f"system.ffn_dim={marian_models.FFN}",
        "system.layers=2",
        "training.max_steps=4",
        "training.validate_every=2",
        "training.batch_tokens=256",
        "training.warmup_steps=2",
    ]
    for split in ("train", "valid"):
        overrides += [
            f"data.{split}.source={folder / split}.en",
            f"data.{split}.target={folder / split}.de",
        ]
    return recipes.load(f"demo-{name}-firefox", overrides)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "g-transformer" else pytest.mark.slow)
        for name in RECIPES
    ],
)
def test_a_system_begins_with_an_imported_model(name, folder, tmp_path, monkeypatch):
    recipe = _recipe(name, folder)
    assert recipe.system.decoder_recurrence == "ssru"
    train_step = trainer.train_step

    def copied_in_update_3(state, update):
        if state.record.step == 3:  # what is left if the training is killed now
            shutil.copytree(tmp_path / "run", tmp_path / "killed")
        return train_step(state, update)

    monkeypatch.setattr(trainer, "train_step", copied_in_update_3)
    run = train(recipe, tmp_path / "run", progress=False)
    monkeypatch.setattr(trainer, "train_step", train_step)
    again = train(recipe, tmp_path / "killed", progress=False)
    assert again.weights.read_bytes() == run.weights.read_bytes()

    imported = load_file(folder / "imported" / "weights.safetensors")
    learned = load_file(run.weights)
    recurrence = "decoder.0.recurrence.sublayer.forget.bias"
    torch.testing.assert_close(learned[recurrence], imported[recurrence], atol=0.05, rtol=0)
    assert not learned[recurrence].equal(imported[recurrence])

    document = docmt_nmt.Document("letter", ("Open the file.", "It is on the desk.", "Close it."))
    (translation,) = docmt_nmt.load(run.directory).translate([document])
    assert len(translation.document.target) == 3
