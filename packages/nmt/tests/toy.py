"""A toy corpus that is learned in seconds, and a recipe for it."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path
from typing import Any

from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.merging import merge

ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

GERMAN = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]

CLOCK = ("time", "tokens_per_second")
"""Keys of a line of a log that depend on the clock."""


def write_toy_corpus(folder: Path, *, documents: int = 200, seed: int = 1) -> None:
    """Documents of digits in words, English and German, in line files with `<d>` lines."""
    draw = random.Random(seed)
    for split, number in (("train", documents), ("valid", 6), ("test", 6)):
        source, target = [], []
        for _ in range(number):
            source.append("<d>")
            target.append("<d>")
            for _ in range(draw.randint(2, 5)):
                digits = [draw.randrange(10) for _ in range(draw.randint(1, 6))]
                source.append(" ".join(ENGLISH[d] for d in digits))
                target.append(" ".join(GERMAN[d] for d in digits))
        (folder / f"{split}.en").write_text("\n".join(source) + "\n", encoding="utf-8")
        (folder / f"{split}.de").write_text("\n".join(target) + "\n", encoding="utf-8")


def write_real_corpus(folder: Path, *, documents: int) -> Path:
    """The first documents of each split of the bundled corpus, in files of the same names."""
    folder.mkdir()
    for split, bundled in (("train", "train"), ("valid", "dev"), ("test", "test")):
        for side in ("en", "de"):
            packed = corpus_file(f"{bundled}.{side}.xz").read_bytes()
            kept = lzma.decompress(packed).decode().split("<d>\n")[1 : documents + 1]
            (folder / f"{split}.{side}").write_text("".join("<d>\n" + part for part in kept))
    return folder


def toy_recipe(corpus: Path, **sections: Any) -> Recipe:
    """A recipe for the toy corpus that trains in seconds; sections are put over its own."""
    values: dict[str, dict[str, Any]] = {
        "data": {
            split: {"source": str(corpus / f"{split}.en"), "target": str(corpus / f"{split}.de")}
            for split in ("train", "valid", "test")
        },
        "text": {"subword": "words", "vocabulary_size": 64},
        "instances": {"kind": "window", "window": 2},
        "system": {
            "layers": 1,
            "d_model": 32,
            "heads": 2,
            "ffn_dim": 64,
            "norm": "pre",
            "dropout": 0.0,
        },
        "training": {
            "max_steps": 20,
            "batch_tokens": 512,
            "warmup_steps": 30,
            "learning_rate": 0.01,
            "validate_every": 10,
        },
        "search": {"beam_size": 2},
    }
    return Recipe.read(merge(values, sections, Recipe))


def trained(corpus: Path, directory: Path, **sections: Any):
    """A run of the toy recipe with sections put over its own."""
    from docmt_nmt.training import train

    return train(toy_recipe(corpus, **sections), directory, progress=False)


def log_lines(run, kind: str | None = None) -> list[dict[str, Any]]:
    """The lines of a run's log but for what depends on the clock."""
    found = [json.loads(line) for line in run.log.read_text("utf-8").splitlines()]
    return [
        {name: value for name, value in line.items() if name not in CLOCK}
        for line in found
        if kind in (None, line["kind"])
    ]


def masked_run(corpus: Path, directory: Path, side: str, **sections: Any):
    """A run that has learned a little to write the masked sentences of one side of a corpus."""
    from docmt_nmt.training import train

    files = {
        split: {name: str(corpus / f"{split}.{side}") for name in ("source", "target")}
        for split in ("train", "valid", "test")
    }
    recipe = toy_recipe(
        corpus,
        data={**files, "source_language": side, "target_language": side},
        instances={"kind": "masked", "window": 3},
        system={"layers": 1, "d_model": 16, "heads": 2, "ffn_dim": 32},
        training={"max_steps": 20, "validate_every": 10},
        **sections,
    )
    return train(recipe, directory, progress=False)
