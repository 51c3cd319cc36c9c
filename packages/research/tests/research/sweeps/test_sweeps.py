"""`docmt sweep`: every point once, whoever is killed, fails or works beside."""

from __future__ import annotations

import csv
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt_nmt.recipes import dump
from docmt_nmt.runs.system_run import SystemRun
from docmt_research.sweeps import Sweep
from docmt_research.sweeps.execution import Execution
from docmt_research.sweeps.folder import Claim
from killed_commands import run_command
from killing import begin, kill, kill_itself
from toy import toy_recipe, write_toy_corpus

AXES = """
recipe: toy.yaml
axes:
  instances.window: [1, 2]
  size:
    small: {system: {d_model: 16}}
"""

PAIR = "recipe: toy.yaml\naxes: {instances.window: [1, 2]}\n"

SWEEP = f"""{AXES}
seeds: [1, 2]
figures:
  window: {{x: instances.window, y: d-BLEU, lines: size}}
  loss: {{kind: curves, y: [train.loss, valid.loss], lines: size, panels: instances.window}}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, a recipe for it and a sweep."""
    folder = tmp_path_factory.mktemp("sweep")
    write_toy_corpus(folder, documents=10)
    training = {"max_steps": 4, "validate_every": 2}
    recipe = dump(toy_recipe(folder, training=training)).replace("stages: []\n", "")
    (folder / "toy.yaml").write_text(recipe)
    (folder / "sweep.yaml").write_text(SWEEP)
    return folder


@pytest.fixture(scope="module")
def finished(files: Path) -> Path:
    """The folder of a finished sweep. Tests must not write into it."""
    result = sweep(str(files / "sweep.yaml"), "-o", str(files / "out"), "--jobs", "2")
    assert result.exit_code == 0, result.output
    return files / "out"


def sweep(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["sweep", *arguments])


def write(folder: Path, text: str) -> str:
    """A sweep file beside the recipe."""
    path = folder / f"{time.monotonic_ns()}.yaml"
    path.write_text(text)
    return str(path)


def results(folder: Path) -> list[Path]:
    return sorted(folder.glob("points/*/result.json"))


def stamps(folder: Path) -> dict[Path, int]:
    """When each result was written."""
    return {path: path.stat().st_mtime_ns for path in results(folder)}


def test_a_sweep_trains_and_scores_every_combination_with_every_seed(finished: Path) -> None:
    table = list(csv.DictReader((finished / "results.tsv").open(), dialect="excel-tab"))
    found = [(row["instances.window"], row["size"], row["seed"]) for row in table]
    assert found == [(w, "small", n) for w in "12" for n in "12"]
    for row in table:
        assert float(row["valid.loss"]) > 0 and 0 <= float(row["d-BLEU"]) <= 100
        assert row["updates"] == "4" and float(row["tokens_per_second"]) > 0
        run = finished / "points" / row["point"] / "run"
        assert (run / "evaluation" / "test" / "scores.json").is_file()
        kept = json.loads((run / "evaluation" / "test" / "scores.json").read_text())["scores"]
        assert [s["score"] for s in kept if s["name"] == "d-BLEU"] == [float(row["d-BLEU"])]


def test_the_results_have_the_spread_over_seeds(finished: Path) -> None:
    found = json.loads((finished / "results.json").read_text())
    assert len(found["over_seeds"]) == 2 and found["failures"] == {}
    for point in found["points"]:
        scores = finished / "points" / point["name"] / "run" / "evaluation" / "test" / "scores.json"
        notes = [text for s in json.loads(scores.read_text())["scores"] for text in s["notes"]]
        assert all(any(text in shown for shown in point["notes"]) for text in notes)
    losses = [point["measures"]["valid.loss"] for point in found["points"][:2]]
    spread = found["over_seeds"][0]["measures"]["valid.loss"]
    assert (spread["low"], spread["high"]) == (min(losses), max(losses))
    assert spread["mean"] == pytest.approx(sum(losses) / 2)
    assert spread["deviation"] == pytest.approx(abs(losses[0] - losses[1]) / 2**0.5)
    assert losses[0] != losses[1]


def test_points_with_the_same_corpus_share_its_preparation(finished: Path) -> None:
    assert len([path for path in (finished / "corpora").iterdir() if path.is_dir()]) == 1


def test_figures_are_drawn_with_what_they_show(finished: Path) -> None:
    for name in ("window", "loss"):
        for suffix in ("png", "svg", "json"):
            assert (finished / "figures" / f"{name}.{suffix}").stat().st_size > 500
    shown = json.loads((finished / "figures" / "loss.json").read_text())["series"]
    assert {(line["panel"], line["line"], line["measure"]) for line in shown} == {
        (f"k = {k}", "small", name) for k in (1, 2) for name in ("training loss", "validation loss")
    }
    assert [line["x"] for line in shown[:2]] == [[1, 2, 4], [2, 4]]


def test_a_finished_sweep_is_not_done_again(files: Path, finished: Path) -> None:
    before = stamps(finished)
    result = sweep(str(files / "sweep.yaml"), "-o", str(finished))
    assert result.exit_code == 0 and stamps(finished) == before
    assert "4 done, 0 running, 0 failed, 0 open" in result.stdout


@pytest.mark.slow
def test_a_killed_sweep_goes_on_and_redoes_nothing(
    files: Path, tmp_path: Path, forkserver: Any
) -> None:
    command = ("sweep", write(files, PAIR), "-o", str(tmp_path / "out"))
    process = begin(forkserver, run_command, *command)
    while not results(tmp_path / "out"):
        assert process.is_alive()
        time.sleep(0.01)
    kill(process)
    before = stamps(tmp_path / "out")
    assert len(before) == 1
    assert sweep(*command[1:]).exit_code == 0
    after = stamps(tmp_path / "out")
    assert len(after) == 2 and before.items() <= after.items()


@pytest.mark.slow
def test_processes_that_share_a_folder_do_each_point_once(
    files: Path, tmp_path: Path, forkserver: Any
) -> None:
    command = ("sweep", write(files, AXES), "-o", str(tmp_path / "out"))
    both = [begin(forkserver, run_command, *command) for _ in range(2)]
    for process in both:
        process.join(timeout=120)
        assert process.exitcode == 0
    logs = [path.read_text() for path in tmp_path.glob("out/points/*/output.log")]
    assert [log.count("is finished: ") for log in logs] == [1] * 2
    assert not list(tmp_path.glob("out/points/*/claim.lock"))


def test_a_point_that_another_process_works_on_is_left_to_it(files: Path, tmp_path: Path) -> None:
    opened = Sweep.open(write(files, PAIR), tmp_path / "out")
    claim = Claim(opened.folder.of(opened.folder.points[0]))
    assert claim.acquire()
    assert not Claim(opened.folder.of(opened.folder.points[0])).acquire()
    opened.run(jobs=2, wait=False)
    assert opened.counts() == {"done": 1, "running": 1, "failed": 0, "open": 0}
    claim.release()
    assert opened.counts()["open"] == 1


def test_a_failing_point_is_reported_and_stops_no_other(files: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.en"
    path = write(
        files,
        "recipe: toy.yaml\naxes:\n  data:\n    whole: {training.max_steps: 2}\n"
        f"    missing: {{data.train.source: {missing}, training.max_steps: 2}}\n",
    )
    folder = str(tmp_path / "out")
    result = sweep(path, "-o", folder)
    assert result.exit_code == 4
    assert (
        f"failed: data missing, seed 1: {missing}: no such file. Check the path." in result.stderr
    )
    assert "1 done, 0 running, 1 failed, 0 open" in result.stdout
    status = sweep(path, "-o", folder, "--status")
    assert status.exit_code == 4 and f"{missing}: no such file" in status.stdout
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [*found["failures"].values()] == [f"{missing}: no such file. Check the path."]
    shutil.copy(files / "train.en", missing)
    assert sweep(path, "-o", folder).exit_code == 0
    assert len(results(tmp_path / "out")) == 2


def test_a_point_whose_process_is_killed_has_failed(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docmt_research.sweeps.execution.work", kill_itself)
    opened = Sweep.open(write(files, PAIR), tmp_path / "out")
    Execution(opened.folder, jobs=2).run()
    assert opened.counts()["failed"] == 2
    failure = opened.folder.failure(opened.folder.points[0])
    assert failure is not None and "killed by signal 9" in failure.error


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (SWEEP + "overrides: {training.max_steps: 5}\n", "training.max_steps"),
        (SWEEP + "split: valid\n", "split (was test, is valid)"),
        (SWEEP.replace("d_model: 16", "d_model: 64"), "system.d_model"),
        (SWEEP.replace("[1, 2]\nfigures", "[1]\nfigures"), "seed=2"),
    ],
)
def test_a_changed_file_is_refused_with_what_differs(
    files: Path, finished: Path, text: str, keys: str
) -> None:
    before = stamps(finished)
    result = sweep(write(files, text), "-o", str(finished))
    assert result.exit_code == 2
    assert "was begun with another file" in result.stderr and keys in result.stderr
    assert "Restore what was changed" in result.stderr
    assert stamps(finished) == before


def test_points_can_be_added(files: Path, finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "out")
    before = stamps(tmp_path / "out")
    more = write(files, SWEEP.replace("[1, 2]\nfigures", "[1, 2, 3]\nfigures"))
    status = sweep(more, "-o", str(tmp_path / "out"), "--status")
    assert status.stdout == "4 done, 0 running, 0 failed, 2 open\n"
    assert sweep(more, "-o", str(tmp_path / "out"), "training.seed=4").exit_code == 2
    assert stamps(tmp_path / "out") == before


def test_the_status_writes_nothing(files: Path, tmp_path: Path) -> None:
    result = sweep(str(files / "sweep.yaml"), "-o", str(tmp_path / "out"), "--status")
    assert (result.exit_code, result.stdout) == (0, "0 done, 0 running, 0 failed, 4 open\n")
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_left_alone(files: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    result = sweep(str(files / "sweep.yaml"), "-o", str(tmp_path))
    assert result.exit_code == 2
    assert "is not the folder of a sweep and not empty (it holds thesis.tex)" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_points_share_the_stages_they_have_in_common(files: Path, tmp_path: Path) -> None:
    staged = write(
        files,
        "extends: toy.yaml\nstages:\n"
        "- {name: sentence, instances: {kind: sentence}}\n"
        "- {name: document, initialize: {loaded_learning_rate: 0.001}}\n",
    )
    path = write(files, f"recipe: {staged}\naxes: {{stages.document.training.max_steps: [2, 4]}}\n")
    assert sweep(path, "-o", str(tmp_path / "out"), "-j", "2").exit_code == 0
    (stage,) = [found for found in tmp_path.glob("out/stages/*") if found.is_dir()]
    for run in tmp_path.glob("out/points/*/run"):
        recipe = SystemRun.load(run).recipe
        assert recipe.initialize is not None and recipe.initialize.run == str(stage)
        assert recipe.instances.kind == "window"
    assert SystemRun.load(stage).recipe.instances.kind == "sentence"


@pytest.mark.parametrize(
    "stages",
    [
        "stages:\n- {name: sentence}\n- {name: middle}\n- {name: last, training: {seed: 2}}\n",
        pytest.param("", marks=pytest.mark.slow),
    ],
)
def test_a_point_goes_on_under_another_path_of_the_folder(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stages: str
) -> None:
    recipe = write(files, f"extends: toy.yaml\n{stages}")
    path = write(files, f"recipe: {recipe}\naxes: {{instances.window: [2]}}\n")
    assert sweep(path, "-o", str(tmp_path / "out")).exit_code == 0
    weights = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("weights.safetensors")}
    (point,) = tmp_path.glob("out/points/*")
    (point / "result.json").unlink()
    monkeypatch.chdir(tmp_path)
    assert sweep(path, "-o", "out").exit_code == 0, (point / "output.log").read_text()
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("weights.safetensors")} == (
        weights
    )
    (point / "result.json").unlink()
    (tmp_path / "out").rename(tmp_path / "moved")
    assert sweep(path, "-o", str(tmp_path / "moved")).exit_code == 0
    prepared = SystemRun.load(
        tmp_path / "moved" / "points" / point.name / "run"
    ).recipe.data.prepared
    assert prepared is not None and prepared.startswith(str(tmp_path / "moved"))


def test_each_position_of_a_sliding_window_is_scored(files: Path, tmp_path: Path) -> None:
    path = write(
        files,
        "recipe: toy.yaml\noverrides: {instances.stride: 1, search.windows: sliding}\n"
        "axes: {instances.window: [1, 3]}\nsplit: valid\n"
        "figures: {j: {kind: positions, y: s-chrF, lines: instances.window}}\n",
    )
    assert sweep(path, "-o", str(tmp_path / "out")).exit_code == 0
    one, three = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    # Each sentence is translated as the last of a window.
    assert len(three["positions"]) == 3
    assert three["positions"][-1]["s-chrF"] == three["measures"]["s-chrF"]
    assert three["positions"][0]["s-chrF"] != three["measures"]["s-chrF"]
    drawn = json.loads((tmp_path / "out" / "figures" / "j.json").read_text())["series"]
    assert [(line["line"], line["x"]) for line in drawn] == [("k = 1", [1]), ("k = 3", [1, 2, 3])]
    assert drawn[0]["y"][0]["mean"] == one["measures"]["s-chrF"]


def test_a_stage_is_not_trained_if_a_later_one_cannot_be(files: Path, tmp_path: Path) -> None:
    path = write(
        files,
        "recipe: demo-multi-context\noverrides: {system.contexts.B.run: nowhere}\n"
        "axes: {training.max_steps: [2]}\n",
    )
    result = sweep(path, "-o", str(tmp_path / "out"))
    assert result.exit_code == 4 and "is not a trained run" in result.stderr
    assert not list(tmp_path.glob("out/stages/*"))


def test_a_claim_that_another_machine_no_longer_renews_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docmt_research.sweeps.folder.LEASE_SECONDS", 0.5)
    mine = Claim(tmp_path)
    assert mine.acquire()
    record = (tmp_path / "claim.lock").read_text()
    mine.release()
    host = next(line for line in record.splitlines() if line.startswith("host="))
    theirs = record.replace(host, "host=elsewhere").replace(f"pid={os.getpid()}", "pid=4711")
    (tmp_path / "claim.lock").write_text(theirs)
    began = time.monotonic()
    assert not mine.acquire()
    while not mine.acquire():
        time.sleep(0.02)
    assert 0.5 <= time.monotonic() - began < 10
    mine.release()


@pytest.mark.parametrize("name", ["sweep.json", "points/*/result.json"])
@pytest.mark.parametrize(
    "change", ["{}", '{"split": 1}', '{"split": "test", "points": []}', '{"measures": {"x": {}}}']
)
def test_a_damaged_file_of_the_folder_is_an_error(
    files: Path, finished: Path, tmp_path: Path, name: str, change: str
) -> None:
    shutil.copytree(finished, tmp_path / "out")
    next((tmp_path / "out").glob(name)).write_text(change)
    result = sweep(str(files / "sweep.yaml"), "-o", str(tmp_path / "out"))
    assert result.exit_code == 2 and Path(name).name in result.output
    assert "Remove" in result.output


def test_a_device_in_the_folder_is_not_read(files: Path, finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "out")
    for name in ("points/*/result.json", "sweep.json"):
        path = next((tmp_path / "out").glob(name))
        path.unlink()
        path.symlink_to("/dev/zero")
        result = sweep(str(files / "sweep.yaml"), "-o", str(tmp_path / "out"))
        assert result.exit_code == 2 and "is not a regular file" in result.output
