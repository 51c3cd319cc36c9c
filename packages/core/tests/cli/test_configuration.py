"""Options from `docmt.toml` and from variables, `docmt config`, and `--quiet`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docmt.cli import command_names, load_command, main
from docmt.cli.configuration import EVERYDAY, Configuration, option_names

RUN = ("--run", "bundled:en-de")
USER = Path("user/docmt/docmt.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, and a user's folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("docmt.cli.configuration.user_file", lambda: tmp_path / USER)
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    (tmp_path / USER).parent.mkdir(parents=True)
    (tmp_path / "a.txt").write_text("Open the file.\n")
    return tmp_path


def docmt(*arguments: str, code: int = 0) -> tuple[str, str]:
    """Run a command. Returns what it printed and what it noted."""
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def values() -> dict[str, tuple[object, str]]:
    """What `docmt config` shows: values and places by option."""
    settings = json.loads(docmt("config", "--json")[0])["settings"]
    return {
        f"{each['command']} {each['option']}".strip(): (each["value"], each["from"])
        for each in settings
    }


def test_the_command_line_comes_first_then_variables_the_folder_and_the_user(folder, monkeypatch):
    (folder / USER).write_text('to = "fr"\nfrom = "es"\nglossary = "a.tsv"\nformality = "less"\n')
    (folder / "docmt.toml").write_text('to = "pt"\nfrom = "en"\nglossary = "b.tsv"\n')
    monkeypatch.setenv("DOCMT_TO", "de")
    monkeypatch.setenv("DOCMT_GLOSSARY", "")
    user = str(folder / USER)
    assert values() == {
        "--to": ("de", "DOCMT_TO"),
        "--from": ("en", "docmt.toml"),
        "--glossary": ("b.tsv", "docmt.toml"),
        "--formality": ("less", user),
    }
    _, notes = docmt("translate", "--to", "it", "a.txt", code=2)
    assert "docmt: with --from en --glossary b.tsv (docmt.toml); --formality less" in notes
    assert "no installed model translates from en into it" in notes


def test_an_everyday_option_is_of_the_commands_that_translate(folder, monkeypatch):
    (folder / "docmt.toml").write_text('run = "bundled:en-de"\nmemory = "m.tmx"\n')
    monkeypatch.setenv("DOCMT_RUN", "elsewhere")
    _, notes = docmt("translate", "--memory", "a.tsv", "a.txt", code=2)
    assert notes.startswith("docmt: with --run elsewhere (DOCMT_RUN)\ndocmt: elsewhere")
    # `docmt merge --memory` writes into a memory, and takes none from here.
    assert "--memory" not in docmt("merge", "a.xlf", "-o", "b.txt", code=2)[1]


def test_a_run_that_is_named_takes_the_place_of_a_model_that_is_set(folder):
    (folder / "docmt.toml").write_text('model = "acme"\n')
    assert "no model 'acme' is installed" in docmt("translate", "a.txt", code=2)[1]
    assert docmt("translate", "--run", "other", "a.txt", code=2)[1].startswith("docmt: other: ")
    (folder / USER).write_text('run = "bundled:en-de"\n')
    assert set(values()) == {"--model"}


def test_a_section_has_all_options_of_a_command(folder):
    (folder / "docmt.toml").write_text(
        '[translate]\nbeam_size = 1\nrun = "other"\noutput-format = "tsv"\n'
        '[models]\nregistry = "none.json"\n[models.get]\narchitecture = "tiny"\n'
    )
    assert values()["models get --architecture"] == ("tiny", "docmt.toml")
    _, notes = docmt("translate", "a.txt", code=2)
    assert "with --beam-size 1 --run other --output-format tsv (docmt.toml)" in notes
    for command in (["models"], ["models", "get", "en-pt"]):
        assert "none.json: no such file" in docmt(*command, code=2)[1]


def test_lists_flags_and_paths(folder, monkeypatch):
    (folder / USER).write_text('memory = ["m.tmx", "/n.tmx"]\nto = ["de", "fr"]\nstrict = true\n')
    found = {each.name: each.value for each in Configuration.load(command_names()).everyday()}
    own = str((folder / USER).with_name("m.tmx"))
    assert found == {"memory": [own, "/n.tmx"], "to": ["de", "fr"], "strict": True}
    _, notes = docmt("translate", "a.txt", code=2)
    assert f"with --memory {own} /n.tmx --to de,fr --strict" in notes
    monkeypatch.setenv("DOCMT_MEMORY", "x.tmx:y.tmx")
    assert "--memory x.tmx y.tmx (DOCMT_MEMORY)" in docmt("translate", "a.txt", code=2)[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\nglosary = "a"', "line 2: 'glosary' is neither an everyday option nor a command. Did "),
        ("to = \n", "line 1: is not valid TOML (Invalid value)"),
        ("[adapt]\nminuts = 1", "line 2: 'minuts' is not an option of `docmt adapt`. Did you mean"),
        ("[models.git]\na = 1", "line 2: 'git' is not a command of `docmt models`. Did you mean"),
        ('formality = "x"', "line 1: 'formality' does not fit: 'x' is not one of 'default'"),
        ('[adapt]\nminutes = "x"', "line 2: 'minutes' does not fit: Input should be a valid"),
        ("to = true", "line 1: 'to' is true or false. Write a value"),
        ("[to]\na = 1", "line 1: 'to' is a table. Write a value"),
    ],
)
def test_what_is_wrong_is_named_with_the_line(folder, text, message):
    (folder / "docmt.toml").write_text(text)
    assert f"docmt.toml, {message}" in docmt("config", code=2)[1]


def test_a_value_that_does_not_fit_is_named_by_the_command_too(folder, monkeypatch):
    monkeypatch.setenv("DOCMT_FORMALITY", "x")
    _, notes = docmt("translate", *RUN, "a.txt", code=2)
    assert notes == (
        "docmt: DOCMT_FORMALITY: 'formality' does not fit: 'x' is not one of 'default', 'more', "
        "'less'\n"
    )
    docmt("translate", *RUN, "a.txt", "--formality", "default")


def test_a_misspelt_variable_is_named(monkeypatch):
    monkeypatch.setenv("DOCMT_GLOSARY", "a.tsv")
    assert (
        "DOCMT_GLOSARY is not a variable of docmt: did you mean 'DOCMT_GLOSSARY'?"
        in (docmt("config")[1])
    )


def test_every_everyday_option_is_one_of_its_commands():
    for name, commands in EVERYDAY.items():
        for command in commands or command_names():
            options = option_names(load_command(command).params)
            is_group = bool(getattr(load_command(command), "commands", {}))
            assert name in options or is_group or (name, command) in NOT_THERE, (name, command)


NOT_THERE = {("strict", "review"), *((name, "terms") for name in EVERYDAY)}
"""Options that are set for all commands that translate, of which one has no use for them."""


def test_the_help_of_config_lists_the_everyday_options():
    text = load_command("config").help
    assert [name for name in EVERYDAY if f"`{name}`" not in text] == []


def test_quiet_leaves_out_notes_and_keeps_warnings_and_errors(folder):
    (folder / "b.txt").write_text("Der Hund schläft, und die Katze sitzt vor dem alten Haus.\n" * 3)
    assert docmt("-q", "translate", *RUN, "a.txt") == ("Öffnen Sie die Datei.\n", "")
    _, notes = docmt("translate", "--quiet", *RUN, "b.txt")
    assert "check 3 of 3 sentences" in notes and "3 sentences, translated" not in notes
    assert "no such file" in docmt("-q", "translate", *RUN, "c.txt", code=2)[1]
    assert docmt("-q", "models", "remove", "x", code=2)[1].startswith("docmt: ")


def test_options_of_a_group_reach_its_commands_or_are_refused():
    _, notes = docmt("models", "--registry", "none.json", "get", "en-pt", code=2)
    assert "none.json: no such file" in notes
    _, notes = docmt(
        "models", "--registry", "a.json", "get", "en-pt", "--registry", "b.json", code=2
    )
    assert "b.json: no such file" in notes
    _, notes = docmt("models", "--json", "get", "en-pt", code=2)
    assert "--json is an option of `docmt models`, and not of `docmt models get`" in notes


def test_a_command_that_translates_needs_a_run_or_a_language(folder, monkeypatch):
    for command in (["translate", "a.txt"], ["review", "a.txt"], ["terms", "a.txt", "-o", "t.tsv"]):
        _, notes = docmt(*command, code=2)
        assert "no target language is named" in notes and "`docmt models get en-pt`" in notes
    assert (
        "no installed model translates from en into pt"
        in (docmt("translate", "--to", "pt", "--text", "Save", code=2)[1])
    )
    notes = docmt("translate", "--to", "en", "--text", "Hello", code=2)[1]
    assert "no installed model translates into English (en)" in notes and "from fr" not in notes
    _installed(folder, "en-pt")
    assert "installed models translate into pt" in docmt("translate", "a.txt", code=2)[1]


def test_languages_and_models_are_completed(folder, monkeypatch):
    for pair in ("en-pt", "en-de", "fr-en"):
        _installed(folder, pair)
    for words, expected in (
        ("translate --to ", {"pt", "de", "en"}),
        ("translate --to p", {"pt"}),
        ("translate --to de,", {"de,pt", "de,en"}),
        ("review --from f", {"fr"}),
        ("translate --model en-", {"en-pt", "en-de"}),
        ("models remove f", {"fr-en"}),
    ):
        variables = {"_DOCMT_COMPLETE": "complete_bash", "COMP_WORDS": f"docmt {words}"}
        variables["COMP_CWORD"] = str(len(words.split(" ")))
        result = CliRunner().invoke(main, [], env=variables, prog_name="docmt")
        assert set(result.stdout.split()) == expected, words


def _installed(folder: Path, pair: str) -> None:
    """Make a model look installed."""
    path = folder / "models" / pair / "model.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"pair": pair}))
