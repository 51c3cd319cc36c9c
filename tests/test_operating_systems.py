"""docmt translates and serves on systems that lack calls of Linux. Here they are simulated; on the
systems themselves, the tests run in CI."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from other_systems import SYSTEMS, run_on

ROOT = Path(__file__).parents[1]

DOCMT = """
from docmt.cli import main

for arguments in sys.argv[1].split(";"):
    try:
        main(arguments.split())
    except SystemExit as ended:
        assert not ended.code
"""

MISSING = re.compile(
    r"os\.(O_(?!RD|WR|CREAT|EXCL|APPEND|TRUNC)\w+|sched_\w+|cpu_count|process_cpu_count|get[e]?[ug]id"
    r"|pread|kill\b|fork\b|mkfifo|fchmod|sysconf|statvfs)"
    r"|^\s*(?:import|from) (?:fcntl|pwd|grp|termios|pty)\b",
    re.MULTILINE,
)
"""Calls that some system lacks, or that mean something else there."""

HOME = "packages/files/src/docmt_files/base/system_calls.py"


def test_one_module_alone_calls_what_some_system_lacks():
    found = {
        str(path.relative_to(ROOT)): MISSING.findall(path.read_text(encoding="utf-8"))
        for path in ROOT.glob("packages/*/src/**/*.py")
    }
    assert [path for path, calls in found.items() if calls] == [HOME]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("system", SYSTEMS)
def test_files_and_folders_are_translated(system, tmp_path):
    (tmp_path / "a.txt").write_text("Open the file.\n", newline="\r\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b.md").write_text("# Close the file.\n")
    run = "translate --run bundled:en-de"
    folder = f"{run} folder -o into"  # The second time, what is finished is not translated again.
    run_on(system, DOCMT, ";".join((f"{run} a.txt -o b.txt", folder, folder)), cwd=tmp_path)
    assert (tmp_path / "b.txt").read_bytes() == "Öffnen Sie die Datei.\r\n".encode()
    assert (tmp_path / "into" / "b.md").read_text(encoding="utf-8").startswith("# ")


@pytest.mark.by_default(1)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_service_translates_texts_and_files(system, tmp_path):
    told = run_on(
        system,
        """
import time
from pathlib import Path
from starlette.testclient import TestClient
from docmt_nmt.runs.open_run import load
from docmt_serve.web.app import make_app
from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key

key = add_key(Path("keys.toml"), "one")
models = Models([Model("en-de", load("bundled:en-de"))])
service = Service.of(ServiceSettings(keys=Path("keys.toml")), models, Path("service"))
with TestClient(make_app(service), "http://localhost") as client:
    client.headers["Authorization"] = f"Bearer {key}"
    asked = {"q": "Open the file.", "source": "en", "target": "de"}
    print(client.post("/translate", json=asked).json()["translatedText"])
    files = {"file": ("a.md", b"Open the file.")}
    job = client.post("/jobs", data={"source": "en", "target": "de"}, files=files).json()
    while client.get(f"/jobs/{job['id']}").json()["status"] in ("queued", "translating"):
        time.sleep(0.05)
    print(client.get(f"/jobs/{job['id']}/result").text)
    assert b"docmt_requests" in client.get("/metrics").content
""",
        cwd=tmp_path,
    )
    assert told.splitlines() == ["Öffnen Sie die Datei.", "Öffnen Sie die Datei."]


@pytest.mark.parametrize("system", SYSTEMS)
def test_two_processes_do_not_write_into_the_same_folder(system, tmp_path):
    told = run_on(
        system,
        """
import subprocess
from docmt_files.storage.locks import locked

code = sys.argv[1] + '''
from docmt_files.storage.locks import locked
try:
    with locked("folder", wait=False):
        print("got it")
except BlockingIOError:
    print("locked")
'''
def other():
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()

with locked("folder"):
    print(other())
print(other())
""",
        SYSTEMS[system],
        cwd=tmp_path,
    )
    assert told.split("\n")[:2] == ["locked", "got it"]
