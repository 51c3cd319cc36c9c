"""`docmt serve` in a process of its own, and a client of it."""

from __future__ import annotations

import json
import socket
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

from killed_commands import run_command
from killing import begin, kill


def free_port():
    """A port on loopback that nobody listens to."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


class Client:
    """Asks a service with nothing but the standard library."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as answer:
            return answer.read()

    def post(self, path, body, kind="application/json"):
        request = urllib.request.Request(f"{self.url}{path}", body, {"Content-Type": kind})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def translate(self, text):
        asked = {"q": text, "source": "en", "target": "de"}
        return self.post("/translate", json.dumps(asked).encode())["translatedText"]

    def add_file(self, name, content):
        parts = [("source", None, b"en"), ("target", None, b"de"), ("file", name, content)]
        body = b""
        for field, file, value in parts:
            kept = f'; filename="{file}"' if file else ""
            head = f'--line\r\nContent-Disposition: form-data; name="{field}"{kept}\r\n\r\n'
            body += head.encode() + value + b"\r\n"
        return self.post("/jobs", body + b"--line--\r\n", "multipart/form-data; boundary=line")

    def job(self, job_id):
        return json.loads(self.get(f"/jobs/{job_id}"))

    def wait_for(self, job_id, check):
        end = time.monotonic() + 300
        while not check(state := self.job(job_id)):
            assert state["status"] != "error", state
            assert time.monotonic() < end, state
            time.sleep(0.02)

    def wait_until_ready(self, process):
        while process.is_alive():
            try:
                return self.get("/ready")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        raise AssertionError("the service did not start")


@contextmanager
def serving(forkserver, *options, temporary=None):
    """A process that serves, and a client of it; at the end it is killed.

    Args:
        forkserver: the fixture.
        options: of `docmt serve`.
        temporary: the folder for temporary files.
    """
    port = free_port()
    process = begin(forkserver, _serve, temporary, "--port", str(port), *options)
    client = Client(port)
    try:
        client.wait_until_ready(process)
        yield process, client
    finally:
        kill(process)


def _serve(temporary, *options):
    """Serve, with temporary files in a folder."""
    if temporary is not None:
        tempfile.tempdir = str(temporary)
    run_command("serve", *options)
