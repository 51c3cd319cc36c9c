"""Loading a recipe: what a file extends, overrides, stages and keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.base.settings import OTHER_NAMES
from docmt_nmt.data import InstanceSettings
from docmt_nmt.recipes import Recipe, loading, yaml_source
from docmt_nmt.recipes import keys as all_keys
from docmt_nmt.systems import SYSTEMS, system_class, system_names
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings

DATA = "data: {source_language: en}\n"


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.by_default(9)
@pytest.mark.parametrize("name", [*recipes.names()[::12], "demo-language-model"])
def test_a_dumped_or_shown_recipe_loads_as_the_same_recipe(name: str, tmp_path: Path) -> None:
    recipe = recipes.load_any(name)
    for text in (recipes.dump(recipe), recipes.show(recipe)):
        assert recipes.load_any(write(tmp_path, text)) == recipe


def test_bundled_files_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    monkeypatch.setattr(loading, "read", lambda path: read.append(path) or yaml_source.read(path))
    loading._read_bundled.cache_clear()
    first = recipes.load("demo-g-transformer-finetuned")
    count = len(read)
    assert count == len(set(read)) > 1
    assert recipes.load("demo-g-transformer-finetuned") == first
    assert len(read) == count


def test_overrides_are_yaml_and_go_over_the_file() -> None:
    recipe = recipes.load(
        "demo-sentence",
        [
            "training.learning_rate=2e-4",
            "training.betas=[0.8, 0.9]",
            "training.patience=null",
            "data.test.source=a=b.en",
            "initialize={run: runs/old}",
            "description='no: yaml'",
        ],
    )
    assert recipe.training.learning_rate == 2e-4
    assert recipe.training.betas == (0.8, 0.9)
    assert recipe.training.patience is None
    assert recipe.data.test is not None and recipe.data.test.source == "a=b.en"
    assert recipe.initialize is not None and recipe.initialize.run == "runs/old"
    assert recipe.description == "no: yaml"


def test_the_later_of_two_overrides_wins() -> None:
    assert recipes.load("sentence", ["training.seed=2", "training.seed=3"]).training.seed == 3


def test_a_preset_set_over_a_recipe_sets_all_sizes_but_those_set_with_it() -> None:
    system = recipes.load("demo-sentence", ["system.layers=2", "system.preset=big"]).system
    assert (system.layers, system.d_model, system.heads, system.dropout) == (2, 1024, 16, 0.1)


def test_another_system_leaves_the_keys_of_the_first_behind() -> None:
    recipe = recipes.load("demo-g-transformer", ["system.name=transformer"])
    expected = recipes.load("demo-document", ["system.count_positions=sentence"])
    assert recipe.system == expected.system


IDLE = [
    ("text.merges=800", "text.subword=unigram", "merges: 800 has no effect with subword: unigram"),
    (
        "text.vocabulary_size=900",
        "text.subword=bpe",
        "vocabulary_size: 900 has no effect with subword: bpe",
    ),
    ("text.character_coverage=0.99", "text.subword=words", "character_coverage: 0.99 .* subword"),
    ("instances.window=2", "instances.kind=whole", "window: 2 has no effect with kind: whole"),
    (
        "instances.max_tokens=99",
        "instances.kind=sentence",
        "max_tokens: 99 .* kind: sentence.* set kind to tokens",
    ),
    (
        "training.average.checkpoints=2",
        "training.average.kind=none",
        "checkpoints: 2 .* kind: none",
    ),
    ("system.encoder_context_layers=1", "system.source_context=false", "source_context: false"),
    ("system.decoder_context_layers=1", "system.language_locality=false", "language_locality"),
    ("system.cross_context_layers=1", "system.translation_locality=false", "set .* to true"),
]


@pytest.mark.parametrize(("key", "switch", "message"), IDLE)
def test_a_value_without_effect_is_an_error_that_names_both_keys(
    key: str, switch: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        recipes.load("g-transformer", [key, switch])


@pytest.mark.parametrize(("key", "switch", "message"), IDLE)
def test_a_switch_leaves_the_keys_behind_that_have_no_effect_any_more(
    key: str, switch: str, message: str, tmp_path: Path
) -> None:
    enabling = {
        "text.merges": "bpe",
        "text.vocabulary_size": "words",
        "text.character_coverage": "unigram",
        "instances.window": "window",
        "instances.max_tokens": "tokens",
        "training.average.checkpoints": "last",
    }
    name, other = key.partition("=")[0], switch.partition("=")[0]
    first = [key, f"{other}={enabling.get(name, 'true')}"]
    (tmp_path / "first.yaml").write_text(recipes.dump(recipes.load("demo-g-transformer", first)))
    second = recipes.load(tmp_path / "first.yaml", [switch])
    (tmp_path / "second.yaml").write_text(recipes.dump(second))
    assert recipes.load(tmp_path / "second.yaml") == second


def test_a_stage_leaves_the_keys_behind_that_have_no_effect_in_it(tmp_path: Path) -> None:
    overrides = ["instances.max_tokens=100", "stages.document.instances.max_tokens=200"]
    recipe = recipes.load("demo-g-transformer-finetuned", overrides)
    (_, sentence), (_, document) = recipes.stages(recipe, tmp_path)
    assert sentence.instances == InstanceSettings(kind="sentence")
    assert document.instances == InstanceSettings(kind="tokens", max_tokens=200)


def test_a_system_without_a_name_is_the_transformer(tmp_path: Path) -> None:
    recipe = recipes.load(write(tmp_path, DATA + "system: {preset: tiny}\n"))
    assert (recipe.system.name, recipe.system.d_model) == ("transformer", 128)


def test_an_override_reaches_the_keys_of_one_stage() -> None:
    recipe = recipes.load(
        "demo-g-transformer-finetuned",
        ["stages.document.training.max_steps=7", "stages.sentence.training.max_steps=8"],
    )
    steps = {name: stage.training.max_steps for name, stage in recipes.stages(recipe, Path("run"))}
    assert steps == {"sentence": 8, "document": 7}


def test_a_recipe_extends_others_each_counted_once(tmp_path: Path) -> None:
    write(tmp_path, DATA + "training: {max_steps: 1, seed: 1, patience: 1}\n", "root.yaml")
    write(tmp_path, "extends: root.yaml\ntraining: {seed: 2}\n", "left.yaml")
    write(tmp_path, "extends: root.yaml\ntraining: {patience: 3}\n", "right.yaml")
    top = write(tmp_path, "extends: [left.yaml, right.yaml]\ntraining: {max_steps: 4}\n")
    training = recipes.load(top).training
    # `root` stands below both, so that `right` does not bring its seed back.
    assert (training.max_steps, training.seed, training.patience) == (4, 2, 3)


def test_a_recipe_extends_a_bundled_one(tmp_path: Path) -> None:
    mine = write(tmp_path, "extends: demo-g-transformer\ntraining: {max_steps: 5}\n")
    recipe = recipes.load(mine)
    assert isinstance(recipe.system, GTransformerSettings)
    assert recipe.training.max_steps == 5
    assert recipe.training.warmup_steps == recipes.load("demo-g-transformer").training.warmup_steps


def test_a_source_that_holds_both_sides_drops_the_inherited_keys_of_line_files(
    tmp_path: Path,
) -> None:
    changes = "extends: demo-sentence\ndata: {valid: {source: dev.tsv}, test: {source: t.en.xz}}\n"
    data = recipes.load(write(tmp_path, changes), ["data.train.source=train.jsonl.gz"]).data
    assert data.train and data.valid and data.test
    for corpus in (data.train, data.valid):
        assert (corpus.target, corpus.docids, corpus.boundaries) == (None, None, "markers")
    assert data.test.target is not None
    recipe = recipes.load(write(tmp_path, changes), ["data.valid.target=dev.de"])
    assert recipe.data.valid and recipe.data.valid.target == "dev.de"  # reading it is an error


def test_a_recipe_without_stages_is_its_own_only_stage() -> None:
    recipe = recipes.load("demo-sentence")
    assert recipes.stages(recipe, Path("run")) == [("", recipe)]
    assert recipes.directories(recipe, Path("run")) == [Path("run")]


def test_the_last_stage_is_the_run_itself() -> None:
    recipe = recipes.load("demo-g-transformer-finetuned")
    first, last = recipes.directories(recipe, Path("run"))
    assert (first, last) == (Path("run/stages/sentence"), Path("run"))


def test_a_stage_may_start_from_elsewhere_and_inherits_the_other_keys_of_initialize() -> None:
    recipe = recipes.load(
        "demo-g-transformer-finetuned",
        [
            "initialize={run: runs/old, leave_out: ['*.gate.*'], freeze: [loaded]}",
            "stages.document.initialize.run=runs/other",
        ],
    )
    (_, first), (_, second) = recipes.stages(recipe, Path("run"))
    assert first.initialize is not None and first.initialize.run == "runs/old"
    assert first.initialize.leave_out == ("*.gate.*",)
    assert second.initialize is not None and second.initialize.run == "runs/other"
    assert second.initialize.leave_out == ()
    assert second.initialize.freeze == ("loaded",)


def test_differences_are_named_as_a_user_writes_them() -> None:
    one = recipes.load("demo-sentence")
    two = recipes.load("demo-sentence", ["training.max_steps=5", "data.filter.empty=true"])
    assert recipes.differences(one, one) == []
    assert recipes.differences(one, two) == ["data.filter.empty", "training.max_steps"]


def test_other_names_stand_for_keys_that_there_are() -> None:
    keys = {key.name.rpartition(".")[2] for key in all_keys()}
    assert set(OTHER_NAMES.values()) <= keys
    assert not set(OTHER_NAMES) & (keys - {"leave_out", "position", "tokens"})


def test_every_key_has_help() -> None:
    for key in all_keys():
        assert key.help, key.name
        assert key.kind


NEEDED = {
    "document-transformer": ["instances={kind: sentence, previous_sentences: 2}"],
    "flat-transformer": ["instances={kind: sentence, previous_sentences: 2}"],
    "parallel-stack": ["instances.kind=sentence"],
    "rnnsearch": ["instances.kind=sentence"],
    "cross-sentence-rnn": ["instances={kind: sentence, previous_sentences: 3}"],
    "cache-rnnsearch": ["instances.kind=whole"],
    "multi-encoder-rnn": ["instances={kind: window, window: 2}"],
    "language-model": ["system.model=any", "system.url=http://127.0.0.1:8080/v1"],
}
"""What a system asks of the rest of a recipe."""


T5 = ["translator=t5", "settings.model=google/madlad400-3b-mt"]


def test_the_default_of_every_key_is_valid_yaml_that_an_override_takes() -> None:
    for name in system_names():
        system_class(name)
    for key in all_keys():
        if key.default and "NAME" not in key.name and not key.name.startswith("initialize."):
            value = "transformer" if key.name == "system.name" else key.default
            only = re.search(r"Only `system.name: (\S+?)[ `]", key.help)
            system = only[1] if only else "transformer"
            if key in all_keys("t5"):
                recipes.load_any("language-model", [*T5, f"{key.name}={value}"])
                continue
            if key in all_keys("language-model"):
                system = "language-model"
            prefix = [f"system.name={system}", *NEEDED.get(system, [])]
            if key.name == "system.url":  # only a model in this process has none
                prefix.append("system.dialect=transformers")
            recipes.load_any("demo-document", [*prefix, f"{key.name}={value}"])


def test_keys_name_the_systems_they_belong_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docmt_nmt.systems.system_registry._loaded", {})
    keys = {key.name: key for key in all_keys()}
    assert keys["system.name"].kind.split(" | ") == [*SYSTEMS, "language-model"]
    assert "Only `system.name: language-model`" in keys["system.url"].help
    assert "Only with `system.name: language-model`" in keys["request"].help
    assert "Only" not in keys["data"].help + keys["data.train"].help
    assert "Only `system.name: transformer | g-transformer`" in keys["system.count_positions"].help
    assert "Only `system.name: g-transformer`" in keys["system.source_context"].help
    assert "Only" not in keys["system.d_model"].help
    assert keys["training.betas"].default == "[0.9, 0.98]"
    assert keys["training.betas"].kind == "list of numbers ≥ 0 and < 1"
    assert keys["training.patience"].kind == "integer ≥ 1 or null"


def test_a_shown_recipe_explains_each_key_above_it() -> None:
    lines = recipes.show(recipes.load("demo-sentence")).splitlines()
    index = lines.index("  beam_size: 4")
    comment = " ".join(line.strip(" #") for line in lines[index - 2 : index])
    assert comment.startswith("Number of hypotheses kept per instance; 1 is greedy search")


def test_a_recipe_cannot_be_changed() -> None:
    recipe: Recipe = recipes.load("demo-sentence")
    with pytest.raises(ValueError, match="frozen"):
        recipe.description = "other"  # type: ignore[misc]
