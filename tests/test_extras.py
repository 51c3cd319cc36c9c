"""Packages of extras: a base installation works without them, and names the extra where one is
needed."""

import shutil
import subprocess
import sys

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.base.extras import naming_extras
from docmt_nmt.runs.bundled import resolve

HIDDEN = (
    "accelerate", "ftfy", "huggingface_hub", "onnx", "onnxscript", "pyarrow", "sacrebleu",
    "tokenizers", "torch", "transformers",
)  # fmt: skip
"""What an installation without extras lacks."""

BASE = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HIDDEN}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
from docmt.cli import main
main(sys.argv[1:])
"""
"""The command line in an installation without extras."""


def base(*arguments, cwd):
    command = [sys.executable, "-c", BASE, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "package"),
    [
        (["train", "demo-transformer", "--run", "run"], "docmt[train]"),
        (["evaluate", "--hypothesis", "a.txt", "--reference", "a.txt"], "sacrebleu"),
    ],
)
def test_a_command_names_what_is_missing_on_one_line(tmp_path, arguments, package):
    (tmp_path / "a.txt").write_text("One.\nTwo.\n")
    done = base(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert "pip install" in last and package in last


def test_the_bundled_model_translates_without_extras(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "in.md").write_text("Open the **file**.\n")
    done = base("translate", "--run", "bundled:en-de", "in.md", "-o", "-", cwd=tmp_path)
    assert done.stdout == "Öffnen Sie die **Datei**.\n"
    assert "in the compiled form, in fp32" in done.stderr


def test_a_run_whose_graphs_do_not_come_with_docmt_names_the_extra(tmp_path):
    shutil.copytree(resolve("bundled:en-de"), tmp_path / "run")
    (tmp_path / "run" / "alignment.json").unlink()
    (tmp_path / "in.txt").write_text("Open the file.\n")
    done = base("translate", "--run", "run", "in.txt", "-o", "-", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "docmt[train]" in done.stderr


def test_another_missing_module_is_not_explained_away():
    with pytest.raises(ModuleNotFoundError), naming_extras():
        import docmt.no_such_module  # noqa: F401
    with pytest.raises(InputError, match="torch"), naming_extras():
        raise ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")
