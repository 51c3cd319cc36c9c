"""The container file keeps what the documentation promises of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from service_process import Client, free_port

ROOT = Path(__file__).parents[4]
FILE = ROOT / "Dockerfile"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="needs the repository")


def _stages():
    """The stages of the file, each a list of an instruction and what it says."""
    text = re.sub(r"^\s*#.*\n", "", FILE.read_text("utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    instructions = [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]
    stages = []
    for instruction in instructions:
        if instruction[0] == "FROM":
            stages.append([])
        stages[-1].append(instruction)
    return stages


def _values(stage, name):
    return [rest for instruction, rest in stage if instruction == name]


def _yaml(text):
    return YAML(typ="safe").load(text)


def test_a_linter_finds_nothing():
    if shutil.which("hadolint") is None:
        pytest.skip("needs hadolint")
    found = subprocess.run(["hadolint", str(FILE)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_it_has_two_stages_of_one_pinned_image():
    build, final = _stages()
    images = {_values(stage, "FROM")[0].split()[0] for stage in (build, final)}
    (image,) = images
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", image)
    assert _values(final, "COPY") == ["--from=build /opt/docmt /opt/docmt"]


def test_nothing_is_downloaded_when_it_runs():
    build, final = _stages()
    assert "HF_HUB_OFFLINE=1" in " ".join(_values(final, "ENV"))
    for stage in (build, final):
        assert _values(stage, "ADD") == []
    commands = " ".join(_values(final, "RUN"))
    assert not any(word in commands for word in ("pip", "apt", "curl", "wget"))
    installs = [run for run in _values(build, "RUN") if "pip install" in run]
    assert all("-c constraints.txt" in run for run in installs)


def test_it_runs_as_a_user_who_is_not_root_and_writes_only_in_its_volume():
    _, final = _stages()
    (user,) = _values(final, "USER")
    assert int(user.split(":")[0]) >= 10_000
    names = [instruction for instruction, _ in final]
    assert names.index("USER") > max(i for i, name in enumerate(names) if name in ("RUN", "COPY"))
    assert _values(final, "VOLUME") == ["/data"]
    assert "PYTHONDONTWRITEBYTECODE=1" in " ".join(_values(final, "ENV"))


MOUNT = "mount -o remount,bind,ro / && mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /mnt"
SERVE = (
    'touch /read-only 2> /dev/null || exec "$0" -m docmt serve --folder /mnt --port "$1" '
    "bundled:en-de"
)


@pytest.mark.slow
def test_what_it_starts_works_on_a_read_only_file_system():
    """With a folder for files and one for temporary files, as the image has them."""
    own = ["unshare", "--mount", "bash", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*own, MOUNT], check=False).returncode:
        pytest.skip("needs to be allowed to mount file systems")
    port = free_port()
    command = [*own, f"{MOUNT} && {SERVE}", sys.executable, str(port)]
    values = {"HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
    with subprocess.Popen(command, env=os.environ | values, cwd="/") as process:
        try:
            client = Client(port)
            end = time.monotonic() + 120
            while True:
                assert process.poll() is None
                try:
                    client.get("/ready")
                    break
                except (urllib.error.URLError, ConnectionError):
                    assert time.monotonic() < end
                    time.sleep(0.1)
            assert client.translate("Open the file.") == "Öffnen Sie die Datei."
            job = client.add_file("a.md", b"Open the **file**.\n")["id"]
            client.wait_for(job, lambda state: state["status"] == "done")
            assert client.get(f"/jobs/{job}/result") == "Öffnen Sie die **Datei**.\n".encode()
        finally:
            process.terminate()
    assert process.returncode == 0


def test_it_needs_keys_unless_somebody_says_otherwise_and_gets_signals_itself():
    _, final = _stages()
    entry, arguments = (json.loads(_values(final, name)[0]) for name in ("ENTRYPOINT", "CMD"))
    assert entry == ["docmt", "serve", "--host", "0.0.0.0", "--folder", "/data"]
    assert arguments[0] == "--keys"
    assert "/ready" in _values(final, "HEALTHCHECK")[0]


def test_what_it_copies_is_there_and_the_rest_is_not_sent():
    build, _ = _stages()
    copied = {name for line in _values(build, "COPY") for name in line.split()[:-1]}
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in ignored if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == copied
    assert all((ROOT / name).exists() for name in copied)
    torch = re.search(r"^torch==(.+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    pinned = re.search(r"torch==([\w.+]+)", FILE.read_text("utf-8"))
    assert torch is None or torch[1] == pinned[1]


def test_compose_runs_the_image_read_only_with_models_by_variable():
    service = _yaml((ROOT / "compose.yaml").read_text("utf-8"))["services"]["docmt"]
    assert service["read_only"] and service["tmpfs"] == ["/tmp"]
    assert service["ports"] == ["127.0.0.1:5000:5000"]  # It needs no key.
    assert service["volumes"] == ["docmt:/data"]
    _, final = _stages()
    assert "DOCMT_MODELS=/data/models" in " ".join(_values(final, "ENV"))
    assert service["environment"]["DOCMT_GET"].endswith("en-pt pt-en}")
    health = _values(final, "HEALTHCHECK")[0]
    program = json.loads(health[health.index("[") :])
    assert service["healthcheck"]["test"] == ["CMD", *program]


def test_ci_names_a_model_where_it_translates_without_models():
    jobs = _yaml((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))["jobs"]
    (action,) = (step for step in jobs["action"]["steps"] if step.get("uses") == "./action")
    assert action["with"].get("run") or action["with"].get("models")
    (started,) = re.findall(r"docker run .*", str(jobs["container"]["steps"][-1]["run"]))
    assert "bundled:" in started or "DOCMT_GET" in started


def test_kubernetes_asks_what_the_service_answers(client):
    objects = YAML(typ="safe").load_all((ROOT / "kubernetes.yaml").read_text("utf-8"))
    (deployment,) = (each for each in objects if each["kind"] == "Deployment")
    spec = deployment["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert asked["port"] == container["ports"][0]["containerPort"]
        assert client.get(asked["path"]).status_code == 200
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}
    # The variables of a service named docmt would be variables of docmt.
    assert spec["enableServiceLinks"] is False
    _, final = _stages()
    assert spec["securityContext"]["fsGroup"] == int(_values(final, "USER")[0].split(":")[1])
