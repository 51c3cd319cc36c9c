"""What is slow to import is imported where it is needed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from textwrap import dedent

import pytest
import typer.core

from docmt.cli import load_command
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.runs.known_graphs import compile_known, known_shape
from docmt_nmt.runs.trained_run import open_translation_run


def test_what_is_slow_to_import_is_imported_where_it_is_needed(tiny_run):
    # One process, for most of the time of each would go into importing torch.
    code = f"""
        import sys
        from contextlib import suppress

        import docmt
        from docmt.cli import main

        docmt.load({str(tiny_run.directory)!r})
        assert not {{"docmt_research", "docmt_nmt.training", "transformers"}} & set(sys.modules)

        with suppress(SystemExit):
            main(["recipes", "show", "sentence"])
        assert not {{"torch._dynamo", "pyarrow", "accelerate", "sacrebleu"}} & set(sys.modules)

        import docmt.translating
        from docmt_nmt.text.language_detection import other_language

        assert other_language(["Bonjour."], "en") is None
        assert not {{"py3langid", "babel"}} & set(sys.modules), "texts this short have no language"
    """
    command = [sys.executable, "-c", dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "d_model" in done.stdout


OWN_MODULES = 214
"""Budget for the translation of one sentence by a compiled run: modules of docmt. NumPy, pydantic,
typer, ONNX Runtime, the stemmers and what they import of Python are some 430 more."""


def test_one_sentence_is_translated_within_a_budget_of_modules(tmp_path):
    run = tmp_path / "run"
    shutil.copytree(resolve("bundled:en-de"), run)
    opened = open_translation_run(run)
    known = known_shape(opened)
    assert known is not None
    compile_known(opened, known)
    code = f"""
        import json
        import sys
        from contextlib import suppress

        from docmt.cli import main

        with suppress(SystemExit):
            main(["translate", "--text", "Open the file.", "--run", {str(run)!r}])
        print(json.dumps([*sys.modules]))
    """
    command = [sys.executable, "-c", dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    translation, modules = done.stdout.splitlines()
    assert translation == "Öffnen Sie die Datei."
    loaded = json.loads(modules)
    packages = {name.partition(".")[0] for name in loaded}
    unneeded = {"torch", "babel", "filelock", "rapidfuzz", "ruamel", "sqlite3"}
    assert unneeded & packages == set()
    # Higher distributions, which may be installed here, add their decorators.
    own = [name for name in loaded if name.split(".")[0] in ("docmt", "docmt_nmt", "docmt_files")]
    assert len(own) <= OWN_MODULES, f"{len(own)} modules: {' '.join(own)}"


@pytest.mark.skipif(not hasattr(typer.core, "build_runtime_param"), reason="another typer")
def test_only_options_that_are_given_get_a_validator(monkeypatch):
    made, make = [], typer.core.build_runtime_param
    monkeypatch.setattr(
        typer.core, "build_runtime_param", lambda each: made.append(each) or make(each)
    )
    load_command.cache_clear()
    command = load_command("translate", documented=False)
    with command.make_context(
        "translate", ["--text", "Open it.", "--memory-threshold", "0.8"]
    ) as given:
        values = given.params
    assert sorted(each.annotation.__name__ for each in made) == [
        "bool",
        "float",
        "str",
    ]  # and --help
    assert (values["given_text"], values["memory_threshold"]) == ("Open it.", 0.8)
    defaults = ("formality", "inputs", "memory", "output", "strict")
    assert [values[name] for name in defaults] == ["default", (), (), None, False]


def test_help_texts_are_read_only_for_the_help():
    load_command.cache_clear()
    quiet, documented = load_command("translate", documented=False), load_command("translate")
    assert not any(each.help for each in quiet.params if each.name == "formality")
    assert [each.name for each in quiet.params] == [each.name for each in documented.params]
    (formality,) = (each for each in documented.params if each.name == "formality")
    assert "informal" in formality.help
