"""Settings, in files and overrides, that some stages do not follow are noted; those that no stage
follows are errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import recipes


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


def _file(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_setting_of_a_file_that_no_stage_follows_is_an_error_with_its_line(tmp_path):
    mine = _file(tmp_path, "extends: demo-g-transformer-finetuned\ntraining: {max_steps: 900}\n")
    with pytest.raises(InputError) as caught:
        recipes.load(mine)
    assert (caught.value.path, caught.value.line) == (str(mine), 2)
    assert "training.max_steps: 900 has no effect" in caught.value.problem
    assert "stages sentence and document set their own" in caught.value.problem
    assert "document: {training: {max_steps: 900}}" in (caught.value.cure or "")


def test_the_cure_of_a_setting_without_effect_is_valid_in_the_file(tmp_path):
    text = "extends: demo-g-transformer-finetuned\n"
    with pytest.raises(InputError) as caught:
        recipes.load(_file(tmp_path, text + "training: {max_steps: 900}\n"))
    cure = (caught.value.cure or "").partition("`")[2].partition("`")[0]
    recipe = recipes.load(_file(tmp_path, text + cure + "\n", "cured.yaml"))
    assert [r.training.max_steps for _, r in recipes.stages(recipe, Path("RUN"))] == [900, 900]


def test_no_setting_of_a_file_that_all_stages_of_a_bundled_recipe_replace_is_silent(tmp_path):
    tried = 0
    for name in recipes.names():
        for stage in (stages := getattr(recipes.load_any(name), "stages", ()))[:1]:
            for key, value in stage.training.items():
                if type(value) is not int or not all(key in s.training for s in stages):
                    continue
                tried += 1
                mine = _file(tmp_path, f"extends: {name}\ntraining: {{{key}: {value + 100_000}}}\n")
                with pytest.raises(InputError, match=rf"training\.{key}: .* has no effect"):
                    recipes.load(mine)
    assert tried >= 5


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("training: {max_steps: 7}", "stages one and two set their own"),
        (
            "system: {name: g-transformer, encoder_context_layers: 1}",
            "stages one and two set their own",
        ),
    ],
)
def test_a_setting_beside_stages_that_all_replace_it_is_an_error(tmp_path, text, because):
    stages = "\n".join(
        f"- {{name: {name}, system: {{name: transformer}}, training: {{max_steps: 3}}}}"
        for name in ("one", "two")
    )
    mine = _file(tmp_path, f"extends: demo-sentence\n{text}\nstages:\n{stages}\n")
    with pytest.raises(InputError, match=because):
        recipes.load(mine)


def test_a_key_that_no_stage_has_is_an_error(tmp_path):
    base = "extends: demo-g-transformer\nstages: [{name: one, system: {name: transformer}}]\n"
    _file(tmp_path, base, "base.yaml")
    mine = _file(tmp_path, "extends: base.yaml\nsystem: {encoder_context_layers: 1}\n")
    with pytest.raises(InputError, match=r"encoder_context_layers: 1 has no effect: no stage has"):
        recipes.load(mine)


def test_a_setting_that_some_stages_do_not_follow_is_noted_if_its_file_does_not_list_them(tmp_path):
    notes: list[str] = []
    mine = _file(tmp_path, "extends: demo-multi-context\ntraining: {max_steps: 4}\n")
    recipes.load(mine, [], notes.append)
    (note,) = notes
    assert f"{mine}, line 2: training.max_steps: 4 has no effect in part" in note
    assert "`stages: {context: {training: {max_steps: 4}}}`" in note


@pytest.mark.parametrize(
    "text",
    [
        "extends: demo-multi-context\ntraining: {max_steps: 600}",  # what the stage has
        "extends: demo-multi-context\ntraining: {max_steps: 4}\n"
        "stages: {context: {training: {max_steps: 5}}}",  # the user knows
        "extends: demo-sentence\ntraining: {max_steps: 4}\n"
        "stages: [{name: one}, {name: two, training: {max_steps: 5}}]",  # what both share
    ],
)
def test_a_setting_of_a_file_that_stages_follow_or_say_otherwise_of_is_not_noted(tmp_path, text):
    notes: list[str] = []
    recipes.load(_file(tmp_path, text), [], notes.append)
    assert not notes


def test_a_setting_that_is_replaced_by_a_file_or_an_override_is_not_an_error(tmp_path):
    _file(
        tmp_path,
        "extends: demo-sentence\ntraining: {max_steps: 4}\nstages: [{name: one}]\n",
        "base.yaml",
    )
    mine = _file(
        tmp_path,
        "extends: base.yaml\ntraining: {max_steps: 5}\nstages: [{name: two, training: {}}]\n",
    )
    assert recipes.load(mine).training.max_steps == 5
    assert recipes.load(mine, ["training.max_steps=6"]).training.max_steps == 6


@pytest.mark.slow
def test_every_bundled_recipe_is_read_again_as_it_is_shown_without_a_note(tmp_path):
    notes: list[str] = []
    for name in recipes.names():
        recipe = recipes.load_any(name, [], notes.append)
        if getattr(recipe, "stages", ()):
            shown = _file(tmp_path, recipes.show(recipe), "shown.yaml")
            assert recipes.load(shown, [], notes.append) == recipe
    assert not notes
