"""A run behind an endpoint works where torch is missing."""

from __future__ import annotations

import subprocess
import sys

from docmt_nmt import recipes
from docmt_nmt.runs.run import Run
from language_models.scripted_server import Reply, chat, serving, translating

WITHOUT_TORCH = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "accelerate", "safetensors", "transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from docmt.cli import main
main(sys.argv[1:])
"""


def docmt(*arguments, cwd):
    command = [sys.executable, "-c", WITHOUT_TORCH, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_file_goes_through_a_language_model(tmp_path):
    (tmp_path / "in.html").write_text("<p>Open <b>the</b> file.</p>\n")

    def answer(received):
        if received.method == "GET":
            return Reply({"object": "list", "data": [{"id": "m", "object": "model"}]})
        if "sentence" not in received.body["messages"][-1]["content"]:
            return chat("{}")
        return translating(received)

    with serving(answer) as server:
        made = docmt(
            "import", "language-model", server.url, "--model", "m", "--run", "run", cwd=tmp_path
        )
        assert made.returncode == 0, made.stderr
        done = docmt("translate", "--run", "run", "in.html", "-o", "out.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "<b>" in (tmp_path / "out.html").read_text()


def test_a_service_answers(tmp_path):
    Run.make(tmp_path / "run", recipes.load_any("language-model"))
    code = """
from pathlib import Path
from starlette.testclient import TestClient
from docmt_serve.cli.served_models import load_models
from docmt_serve.web.app import make_app
from docmt_serve.web.server import run_server
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings

service = Service.of(ServiceSettings(), load_models(["run"], {"beam_size": 2}), Path("jobs"))
with TestClient(make_app(service), "http://localhost") as client:
    assert client.get("/languages").json()[0]["code"] == "en"
"""
    command = [sys.executable, "-c", WITHOUT_TORCH.partition("from docmt.cli")[0] + code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
