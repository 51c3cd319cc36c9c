"""Recipes are read, checked and explained where torch is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TORCHLESS = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "accelerate", "transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""


def without_torch(code: str, *arguments: str, cwd: Path | None = None) -> str:
    command = [sys.executable, "-c", TORCHLESS + code, *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def docmt(*arguments: str, cwd: Path | None = None) -> str:
    return without_torch("from docmt.cli import main\nmain(sys.argv[1:])", *arguments, cwd=cwd)


def test_every_recipe_of_docmt_is_read_and_shown_and_a_trained_run_is_opened_and_served(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    without_torch("""
from docmt_nmt import recipes
from docmt_nmt.recipes.bundle import packages
from docmt_nmt.runs.open_run import open_run
from docmt_serve.cli.served_models import load_models

assert open_run("bundled:en-de").recipe.languages == ("en", "de")
assert load_models(["bundled:en-de"], {"beam_size": 2})[0].source == "en"
for name, package in packages().items():
    if package == "docmt-nmt":
        assert recipes.show(recipes.load_any(name))
""")


def test_the_keys_of_recipes_are_explained():
    keys = without_torch("""
from docmt.cli import main

for system in (["g-transformer"], []):
    main(["recipes", "keys", *system], standalone_mode=False)
""")
    assert "system.context_attention" in keys and "training.max_steps" in keys


def test_the_recipe_of_a_trained_run_is_read_before_a_translation(tmp_path):
    for version in ("old", "new"):
        (tmp_path / f"{version}.txt").write_text("Open the file.\n")
    (tmp_path / "old.de.txt").write_text("Öffnen Sie die Datei.\n")
    files = ("new.txt", "--previous", "old.txt", "old.de.txt")
    docmt("translate", *files, "--run", "bundled:en-de", "--dry-run", cwd=tmp_path)
