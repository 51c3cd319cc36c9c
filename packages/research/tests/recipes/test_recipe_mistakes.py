"""Every mistake that a user can make in a recipe is an error that says where it is."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import recipes

DATA = "data: {source_language: en}\n"


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_recipes_that_extend_each_other_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, "extends: b.yaml\n", "a.yaml")
    b = write(tmp_path, "extends: a.yaml\n", "b.yaml")
    with pytest.raises(InputError, match=r"b\.yaml → a\.yaml → b\.yaml"):
        recipes.load(b)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("trainin: {}\n" + DATA, 1, "unknown key 'trainin', did you mean 'training'"),
        (DATA + "training:\n  learning_rat: 1\n", 3, "did you mean 'learning_rate'"),
        (DATA + "system:\n  name: g-transformer\n  heds: 2\n", 4, "unknown key 'system.heds'"),
        (DATA + "system:\n  name: transformer\n  encoder_context_layers: 2\n", 4, "unknown key"),
        (DATA + "system: {name: mamba}\n", 2, "Known: transformer, g-transformer, "),
        (DATA + "training:\n  max_steps: 0\n", 3, "greater than or equal to 1"),
        (DATA + "training:\n  learning_rate: .inf\n", 3, "finite number"),
        ("data:\n  source_language: English\n", 2, "'English' is not a valid language code"),
        (DATA + "training: 5\n", 2, "key 'training'"),
        (DATA + "system:\n  d_model: 100\n  heads: 3\n", 2, "heads 3 must divide d_model 100"),
        (DATA + "text: {joint: false}\n", None, "system.share_embeddings needs text.joint"),
        (
            DATA + "instances: {previous_sentences: 2}\n",
            None,
            "instances.previous_sentences 2 needs a system",
        ),
        (
            DATA + "system: {name: document-transformer}\n"
            "instances: {kind: sentence, previous_sentences: 1, next_sentences: 1}\n",
            None,
            "instances.next_sentences 1 needs a system that reads the sentences after",
        ),
        (
            DATA + "system: {name: flat-transformer}\ninstances: {kind: sentence, "
            "previous_sentences: 1, next_sentences: 1, current_in_context: true}\n",
            None,
            "instances.current_in_context cannot be used with next_sentences",
        ),
        (
            DATA + "system: {name: document-transformer}\ninstances: {kind: sentence}\n",
            None,
            "system.name document-transformer reads the previous sentences as context; "
            "set instances.previous_sentences to 1 or more",
        ),
        (
            DATA + "system: {name: hm-gdc}\nsearch: {method: parallel}\n",
            3,
            "key 'search.method': Input should be 'beam' or 'sampling'",
        ),
        (
            DATA + "system: {name: hm-gdc, layers: 2, document_layers: 3}\n",
            None,
            "document_layers 3 is more than layers 2",
        ),
        (
            DATA + "system: {name: hm-gdc}\ninstances: {kind: sentence}\n",
            None,
            "hm-gdc cannot be trained on instances.kind sentence; set it to tokens or whole",
        ),
        ("data:\n  train:\n    target: x.de\n", 2, "key 'data.train.source' is missing"),
        ("description: no data\n", None, "key 'data' is missing"),
        (DATA + "stages:\n- name: one\n  training:\n    step: 3\n", 5, "stage 'one': unknown key"),
        (DATA + "stages:\n- name: one\n  training: {max_steps: x}\n", 4, "stage 'one'"),
        (DATA + "stages:\n- name: One\n", 3, "should match pattern"),
        (DATA + "stages:\n- name: one\n- name: one\n", None, "two stages are named 'one'"),
        (DATA + "training: {}\ntraining: {}\n", 3, "occurs twice, first on line 2"),
        (DATA + "training: {max_steps: 1, max_steps: 2}\n", 2, "'max_steps' occurs twice"),
        (DATA + "1: x\n", 2, "the key '1' is not text"),
        (DATA + "true: x\n", 2, "the key 'true' is not text"),
        (DATA + "on: x\n", 2, "unknown key 'on'"),
        (DATA + "training: [\n", None, "is not valid YAML"),
        (DATA + "\ttraining: 1\n", 2, "is not valid YAML"),
        (DATA + "x: !!python/object/apply:os.system [true]\n", 2, "holds the YAML tag"),
        (DATA + "description: !!bool q\n", 2, "holds the YAML tag"),
        (DATA + "description: !!timestamp x\n", 2, "holds the YAML tag"),
        (DATA + "description: ! x\n", 2, "holds the YAML tag"),
        (DATA + "description: a\x07b\n", 2, "holds the control character U+0007. Remove it"),
        (DATA + "search: {}\n\x1b\n", 3, "holds the control character U+001B"),
        (DATA + 'description: "a\\0b"\n', 2, "holds the control character U+0000"),
        (DATA + 'description: "\\ud83d"\n', 2, "holds the control character U+D83D"),
        (DATA + "description: 2020-99-99\n", None, "is not valid YAML"),
        (DATA + "description: =\n", None, "is not valid YAML"),
        (DATA + "stages: 3\n", 2, "key 'stages': Input should be a valid tuple"),
        (DATA + "stages: [3]\n", 2, "key 'stages.0'"),
        (DATA + "stages: [{name: [1]}]\n", 2, "key 'stages.0.name'"),
        (DATA + "system: {preset: [1]}\n", 2, "key 'system.preset'"),
        (DATA + "system: {preset: {a: b}}\n", 2, "key 'system.preset'"),
        (DATA + "system: {name: [1]}\n", 2, "key 'system'"),
        ("extends: " + "x" * 300 + "\n", None, "cannot be the name of a recipe"),
        ("extends: " + "x" * 300 + "/y.yaml\n", None, "cannot be the name of a recipe"),
        (DATA + "training: {seed: 1" + "0" * 30 + "}\n", 2, "less than or equal to 4294967295"),
        (DATA + "search: {length_penalty: 1e308}\n", 2, "less than or equal to 10"),
        (DATA + "search: {beam_size: 100000}\n", 2, "less than or equal to 1000"),
        (DATA + "search: {max_length_factor: 1e15}\n", 2, "less than or equal to 100"),
        (DATA + "system: {d_model: 1000000000}\n", 2, "less than or equal to 1000000"),
        (DATA + "system: {layers: 100000}\n", 2, "less than or equal to 1000"),
        (DATA + "training: {max_steps: 10000000000}\n", 2, "less than or equal to 1000000000"),
        (DATA + "x: *nowhere\n", 2, "undefined alias"),
        (DATA + "x: &x [*x]\n", 2, "nested deeper"),
        (DATA + BOMB, None, "more than 10,000 values"),
        (DATA + "x: " + "[" * 20_000, None, "nested deeper"),
        (DATA + "x: " + "9" * 5000, 2, "holds a number of 5,000 digits"),
        (DATA + "x: " + "y" * 20_000, 2, "holds a text of 20,000 characters"),
        ("just words\n", None, "has no keys"),
        ("", None, "key 'data' is missing"),
        ("a: 1\n" + "# much\n" * 200_000, None, "is longer than 1,000,000 characters"),
        (DATA + "extends: 5\n", 2, "not the name of a recipe"),
        ("extends: [{a: b}]\n", 1, "not the name of a recipe"),
        ("extends: demo-sentense\n", None, ". Did you mean 'demo-sentence'?"),
    ],
)
def test_a_mistake_in_a_file_names_the_file_the_line_and_the_key(
    text: str, line: int | None, message: str, tmp_path: Path
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        recipes.load(path)
    assert message in str(caught.value)
    if line is not None:
        assert (caught.value.path, caught.value.line) == (str(path), line)


LARGE = {
    "keys": "".join(f"a{i}: 1\n" for i in range(80_000)),
    "items": "a: [" + "1," * 450_000 + "]",
    "one text": "a: " + "x " * 450_000,
    "one quoted text": "a: '" + "x" * 900_000 + "'",
    "a comment": "# " + "x" * 900_000 + "\nx: 1",
    "times": "a: 1" + ":59" * 300_000,
    "digits": "a: " + "9" * 900_000,
    "underscores": "a: 1" + "_" * 900_000,
    "spaces": "a:" + " " * 900_000 + "1",
    "brackets": "a: " + "[" * 900_000,
    "braces": "a: " + "{a: " * 200_000,
    "dashes": "- " * 450_000,
    "question marks": "? " * 450_000,
    "anchors": "".join(f"a{i}: &a{i} 1\n" for i in range(60_000)),
}
"""Files of up to 1 MB that no recipe resembles."""


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=() if name in ("keys", "times") else pytest.mark.slow)
        for name, text in LARGE.items()
    ],
)
def test_a_large_file_ends_in_a_short_time(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, text[:999_000])
    start = process_time()
    with pytest.raises(InputError):
        recipes.load(path)
    assert process_time() - start < 8


def test_a_link_to_itself_is_not_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.symlink_to(path)
    with pytest.raises(InputError, match=r"mine.*Too many levels of symbolic links"):
        recipes.load(path)


def test_a_mistake_in_an_extended_file_names_that_file(tmp_path: Path) -> None:
    parent = write(tmp_path, DATA + "training: {max_steps: many}\n", "parent.yaml")
    with pytest.raises(InputError) as caught:
        recipes.load(write(tmp_path, "extends: parent.yaml\ntraining: {seed: 1}\n"))
    assert (caught.value.path, caught.value.line) == (str(parent), 2)


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, DATA + "training: {max_steps: 0}\nsearch:\n  beam_sise: 3\n")
    with pytest.raises(InputError) as caught:
        recipes.load(path)
    assert "key 'training.max_steps'" in str(caught.value)
    assert f"{path}, line 4: unknown key 'search.beam_sise', did you mean 'beam_size'" in str(
        caught.value
    )


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"data: {}\ndescription: f\xfcr\n")
    with pytest.raises(InputError, match="line 2: invalid UTF-8"):
        recipes.load(path)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("training.stepps=3", "did you mean 'max_steps'"),
        ("system.hidden_size=64", "unknown key 'system.hidden_size', did you mean 'd_model'"),
        ("training.update_freq=2", "did you mean 'accumulate_batches'"),
        ("training.max_steps", "is not of the form key=value"),
        ("=3", "is not of the form key=value"),
        ("training..max_steps=3", "is not of the form key=value"),
        ("training.max_steps=[", "is not valid YAML"),
        ("training.max_steps=many", "override training.max_steps=many: key 'training.max_steps'"),
        ("stages.first.training.max_steps=3", "the recipe has no stage 'first'. Its stages: none"),
        ("description.x=3", "key 'description'"),
        ("description=a\x1bb", "description=a\\x1bb, line 1: holds the control character U+001B"),
        ("description=[1, 2", "is not valid YAML"),
        ("a(b=3", "unknown key 'a(b'"),
        ("stages=3", "key 'stages'"),
    ],
)
def test_a_mistake_in_an_override_names_it(override: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        recipes.load("demo-sentence", [override])
    assert message in str(caught.value)


def test_an_override_that_does_not_fit_the_files_keys_is_named_and_not_the_file(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, DATA + "text: {subword: bpe, merges: 10}\n")
    with pytest.raises(InputError) as caught:
        recipes.load(path, ["text.vocabulary_size=500"])
    message = str(caught.value)
    assert message.startswith(
        "override text.vocabulary_size=500: key 'text': vocabulary_size: 500 has no"
    )
    assert "(got {" not in message


def test_a_mistake_in_an_override_of_a_stage_names_the_override() -> None:
    override = "stages.document.training.stepps=3"
    with pytest.raises(InputError, match=f"override {override}: stage 'document': unknown key"):
        recipes.load("demo-g-transformer-finetuned", [override])


def test_an_override_of_an_unknown_stage_names_the_stages() -> None:
    with pytest.raises(InputError, match=r"no stage 'third'\. Its stages: sentence, document"):
        recipes.load("demo-g-transformer-finetuned", ["stages.third.training.max_steps=3"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("demo-g-transfomer", ". Did you mean 'demo-g-transformer'?"),
        ("x" * 300, "cannot be the name of a recipe (File name too long)"),
        ("x\0/y.yaml", "cannot be the name of a recipe (embedded null byte)"),
        ("qqqqqqqq", "there is no recipe 'qqqqqqqq'"),
        ("missing.yaml", "no such file"),
        ("missing/recipe", "no such file"),
    ],
)
def test_an_unknown_recipe_is_an_error(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        recipes.load(name)
    assert message in str(caught.value)
