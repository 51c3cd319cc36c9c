"""Ray Data translates each document once, whatever is killed, and names those that it cannot."""

from __future__ import annotations

import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import docmt
from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.translating.on_ray import BatchTranslator, translate_on_ray

_TOO_LONG = "x " * 30_000

_DRIVER = """
import sys, ray
from docmt.translating.on_ray import translate_on_ray
ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
source, target, checkpoint = sys.argv[1:]
print(translate_on_ray(source, target, checkpoint=checkpoint, actors=2, batch_documents=2))
"""

_WHO_WORKS = """
import os, sys, time, ray
import pyarrow as pa
from docmt.translating import on_ray

class Who:
    def __init__(self, **arguments):
        pass

    def __call__(self, batch):
        time.sleep(0.2)
        pid = [str(os.getpid())]
        targets = pa.array([pid] * len(batch), pa.list_(pa.string()))
        batch = batch.append_column("target", targets)
        return batch.append_column("error", pa.array([None] * len(batch), pa.string()))

on_ray.BatchTranslator = Who
ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
on_ray.translate_on_ray(*sys.argv[1:], actors=2, batch_documents=8)
"""


def _rows(count):
    return [{"id": f"d{i}", "source": ["Open the file.", f"Save item {i}."]} for i in range(count)]


def test_a_document_that_cannot_be_translated_does_not_keep_others_from_it():
    rows = [*_rows(2), {"id": "long", "source": [_TOO_LONG]}, {"id": "empty", "source": []}]
    table = BatchTranslator(search={"beam_size": 1})(pa.Table.from_pylist(rows))
    assert table.column_names == ["id", "source", "target", "error"]
    one, other, long, empty = table.to_pylist()
    assert [one["error"], other["error"]] == [None, None]
    assert one["target"][0] == "Öffnen Sie die Datei."
    assert (long["target"], "more than 10,000" in long["error"]) == (None, True)
    assert (empty["target"], "no sentences" in empty["error"]) == (None, True)


def test_without_ray_it_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"docmt\[ray\]"):
        translate_on_ray("in", "out")


@pytest.mark.slow
def test_a_killed_translation_goes_on_and_has_every_document(tmp_path):
    pytest.importorskip("ray", reason="needs docmt[ray]")
    source, target, checkpoint = (tmp_path / name for name in ("in", "out", "checkpoint"))
    source.mkdir()
    rows = _rows(60)
    for number in range(6):
        pq.write_table(pa.Table.from_pylist(rows[number::6]), source / f"{number}.parquet")
    # Relative paths are of the folder of the driver, not of the processes of Ray.
    command = [sys.executable, "-c", _DRIVER, source.name, target.name, checkpoint.name]
    driver = subprocess.Popen(command, cwd=tmp_path)
    end = time.monotonic() + 300
    while not list(target.glob("*.parquet")) and driver.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    subprocess.run(command, check=True, timeout=300, cwd=tmp_path)
    translated = {row["id"]: row for row in pq.read_table(target).to_pylist()}
    assert set(translated) == {row["id"] for row in rows}
    documents = [Document(row["id"], tuple(row["source"])) for row in rows]
    for translation in docmt.load().translate(documents):
        row = translated[translation.document.id]
        assert (tuple(row["target"]), row["error"]) == (translation.document.target, None)


@pytest.mark.slow
def test_the_documents_of_one_file_are_shared_by_all_translators(tmp_path):
    pytest.importorskip("ray", reason="needs docmt[ray]")
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    rows = _rows(100)
    pq.write_table(pa.Table.from_pylist(rows), source / "one.parquet")
    command = [sys.executable, "-c", _WHO_WORKS, str(source), str(target)]
    subprocess.run(command, check=True, timeout=300)
    translated = pq.read_table(target).to_pylist()
    assert sorted(row["id"] for row in translated) == sorted(row["id"] for row in rows)
    assert len({row["target"][0] for row in translated}) == 2
