"""No file of a run, whatever it is replaced by, costs more than an error that names it."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import resolved
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.decoding.fingerprint import run_identity
from docmt_nmt.runs.attention_choice import AttentionChoice
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train
from fuzz.harness import limits
from fuzz.run_targets import write_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    write_run(folder)
    run = SystemRun.load(folder / "run")
    AttentionChoice(0, "output").save(run)
    thresholds = run.thresholds()
    (run.directory / "thresholds.json").write_text(thresholds.to_json())
    recipe = run.directory / "recipe.yaml"  # as if the training had been stopped
    recipe.write_text(recipe.read_text().replace("max_steps: 4", "max_steps: 6"))
    run.log.write_text("".join(run.log.read_text().splitlines(keepends=True)[:-1]))
    return run.directory


def _translate(run):
    """Translate, and ask for all that a run has learned."""
    loaded = SystemRun.load(run)
    BeamSearchTranslator.load(run, device="cpu").translate([Document("d", ("one two", "three"))])
    loaded.thresholds(), AttentionChoice.of_run(loaded), run_identity(loaded), read_log(loaded.log)


def _resume(run):
    train(SystemRun.load(run).recipe, run, progress=False)


def _pipe(path):
    os.mkfifo(path)


def _huge(path):
    with path.open("wb") as out:
        out.truncate(1 << 36)  # without content


REPLACEMENTS = {
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a pipe that no one writes into": _pipe,
    "a folder": lambda path: path.mkdir(),
    "a link to what cannot be read": lambda path: path.symlink_to("/proc/self/mem"),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a file of 64 GiB": _huge,
}


NOT_READ = "data/test.parquet"
"""The file that neither translating nor training needs."""


FIRST, *OTHERS = REPLACEMENTS


@pytest.mark.parametrize(
    "replacement", [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
)
def test_a_file_of_a_run_that_is_something_else_is_refused(trained, tmp_path, replacement):
    files = [p.relative_to(trained) for p in trained.rglob("*") if p.is_file()]
    tried = 0
    for name in sorted(str(path) for path in files if not path.name.endswith(".lock")):
        folder = tmp_path / "copy"
        shutil.copytree(trained, folder)
        (folder / name).unlink()
        REPLACEMENTS[replacement](folder / name)
        use = _resume if name.startswith(("checkpoints", "data")) else _translate
        with limits(), _refusing(not name.startswith(NOT_READ)) as caught:
            use(folder)
        # Two files make their folder a run or a prepared corpus: then the folder is named.
        named = (folder / name, (folder / name).parent, resolved(folder / name))
        assert caught is None or Path(caught.value.path) in named
        tried += 1
        shutil.rmtree(folder)
    assert tried >= 15


@contextmanager
def _refusing(expected):
    if expected:
        with pytest.raises(InputError) as caught:
            yield caught
    else:
        yield None
