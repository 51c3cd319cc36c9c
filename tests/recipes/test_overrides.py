"""Overrides that some stages do not follow are noted; those that no stage follows are errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt import recipes
from docmt.errors import InputError


def test_an_override_that_some_stages_do_not_follow_is_noted_with_the_key_that_reaches_them() -> (
    None
):
    notes: list[str] = []
    recipes.load("demo-multi-context", ["training.max_steps=4"], notes.append)
    (note,) = notes
    assert "training.max_steps=4 has no effect in part" in note and "stage context" in note
    assert "stages.context.training.max_steps=4" in note


def test_a_section_that_is_emptied_is_noted_where_a_stage_has_keys_in_it() -> None:
    notes: list[str] = []
    recipes.load("talks-hm-gdc-finetuned", ["data.train=null"], notes.append)
    (note,) = notes
    assert "data.train=null has no effect in part" in note and "stage sentence" in note


@pytest.mark.parametrize(
    "overrides",
    [
        ["training.max_steps=4", "stages.context.training.max_steps=5"],  # the user knows
        ["training.max_steps=600"],  # what the stage has
        ["training.seed=4"],  # no stage's own
        ["system.dropout=0.1", "description=short"],
    ],
)
def test_an_override_that_stages_follow_or_say_otherwise_of_is_not_noted(
    overrides: list[str],
) -> None:
    notes: list[str] = []
    recipes.load("demo-multi-context", overrides, notes.append)
    assert not notes


def test_an_override_that_no_stage_follows_is_an_error_that_names_the_keys_that_do() -> None:
    with pytest.raises(InputError) as caught:
        recipes.load("g-transformer-finetuned", ["training.word_dropout_source=0.2"])
    message = str(caught.value)
    assert "training.word_dropout_source=0.2 has no effect" in message
    assert "stages sentence and document set their own" in message
    assert "stages.document.training.word_dropout_source=0.2" in message


def test_a_size_beside_a_preset_of_the_only_stage_that_has_it_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "data: {source_language: en}\nstages:\n- {name: one, system: {preset: tiny}}\n", "utf-8"
    )
    with pytest.raises(InputError, match=r"Set stages\.one\.system\.d_model=64"):
        recipes.load(path, ["system.d_model=64"])


def test_another_source_drops_the_references_of_the_old_one() -> None:
    data = recipes.load("nist-sentence", ["data.valid.source=a", "data.valid.target=b"]).data
    assert data.valid is not None and data.test is not None
    assert (data.valid.references, len(data.test.references)) == ((), 3)
