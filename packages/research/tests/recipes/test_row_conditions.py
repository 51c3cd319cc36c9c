"""The rows of a results table share their conditions: what differs is listed, with its reason.

`row_differences.yaml` has for each paper the row that the others of a table are compared with, and
the keys in which a row differs from it in any of its stages, with their values there. Nothing else
may differ, and nothing may be listed that does not.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from docmt_nmt import recipes
from docmt_nmt.recipes.yaml_source import read
from recipes.test_results_tables import ROWS, loaded

DIFFERENCES = read(Path(__file__).parent / "row_differences.yaml")[0]

CONDITIONS: dict[str, tuple[str, ...]] = {
    "data": ("source_language", "target_language", "valid", "test"),
    "data.filter": (),
    "text": (),
    "system": (
        "layers",
        "decoder_layers",
        "d_model",
        "ffn_dim",
        "heads",
        "norm",
        "dropout",
        "attention_dropout",
        "share_embeddings",
    ),
    "training": (),
    "search": (),
    "evaluation": ("lowercase",),
}
"""The keys that rows share, by section; all keys of a section that names none."""

TREATMENTS = {
    "training.accumulate_batches",
    "training.batch_sentences",
    "training.batch_tokens",
    "training.copied_context",
    "training.word_dropout_epochs",
    "training.word_dropout_source",
    "training.word_dropout_target",
    "training.word_dropout_token",
    "search.first_pass",
    "search.oracle",
    "search.windows",
}
"""What rows are made to differ in, or what follows from their instances; a batch is compared by
`training.sentences_per_update` and `training.tokens_per_update`."""


def conditions(command: str) -> dict[str, list[Any]]:
    """The values of all conditions of a row, over its stages, in order and without repeats."""
    found: dict[str, list[Any]] = {}
    for _, stage in recipes.stages(loaded(command), Path("run")):
        for key, value in _of_stage(stage.model_dump(mode="json")).items():
            if value not in found.setdefault(key, []):
                found[key].append(value)
    return found


def _of_stage(values: dict[str, Any]) -> dict[str, Any]:
    training = values["training"]
    found = {
        f"training.{unit}_per_update": (training[f"batch_{unit}"] or 0)
        * training["accumulate_batches"]
        for unit in ("sentences", "tokens")
    }
    for section, keys in CONDITIONS.items():
        name, _, below = section.partition(".")
        part = values[name][below] if below else values[name]
        found |= {f"{section}.{key}": part[key] for key in keys or part if key in part}
    return {key: value for key, value in found.items() if key not in TREATMENTS}


@cache
def differences(row: str) -> dict[str, list[Any]]:
    """The conditions of a row that are not those of the row it is compared with, where its system
    has them."""
    others = conditions(ROWS[reference(row)])
    own = conditions(ROWS[row])
    return {key: own[key] for key in own.keys() & others if own[key] != others[key]}


def reference(row: str) -> str:
    """The row that a row is compared with; by default the first of its table."""
    paper, _, rest = row.partition(", ")
    for pattern, name in DIFFERENCES[paper].get("compared with", {}).items():
        if fnmatchcase(rest, pattern):
            return f"{paper}, {name}"
    table = row.rpartition(": ")[0]
    return next(other for other in ROWS if other.startswith(f"{table}: "))


def allowed(row: str) -> dict[str, list[Any]]:
    """The differences that are listed for a row, of all entries that match it."""
    paper, _, rest = row.partition(", ")
    found: dict[str, list[Any]] = {}
    for entry in DIFFERENCES[paper]["differences"]:
        if any(fnmatchcase(rest, pattern) for pattern in entry["rows"]):
            assert entry["reason"].strip()
            overlap = found.keys() & entry["values"].keys()
            assert not overlap, f"{row} has two reasons for {overlap}"
            found |= entry["values"]
    return found


@pytest.mark.parametrize("row", ROWS)
def test_a_row_differs_from_its_table_in_what_is_listed_alone(row):
    listed = {k: v if isinstance(v, list) else [v] for k, v in allowed(row).items()}
    assert differences(row) == listed


@pytest.mark.parametrize("paper", sorted(DIFFERENCES))
def test_every_entry_is_of_a_row(paper):
    rows = [row.partition(", ")[2] for row in ROWS if row.startswith(f"{paper}, ")]
    for entry in DIFFERENCES[paper]["differences"]:
        for pattern in entry["rows"]:
            assert any(fnmatchcase(row, pattern) for row in rows), pattern


@pytest.mark.parametrize("row", ROWS)
def test_lowercase_output_is_scored_without_case(row):
    for _, stage in recipes.stages(loaded(ROWS[row]), Path("run")):
        assert stage.evaluation.lowercase or stage.text.case != "lower"
