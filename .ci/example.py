"""Run the examples of a page in an empty folder, Python and shell alike, but for its installation:
`example.py README.md`. Programs that an example leaves behind are ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path


def run(command: list[str], folder: str) -> int:
    """The exit code of a command, after it and all that it started have ended."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    process = subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True)
    try:
        return process.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)


def main(page: str) -> int:
    """Run the examples of a page; return the exit code of the first that fails."""
    text = Path(page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    examples = [(kind, code) for kind, code in blocks if not code.startswith("pip install")]
    programs = {"python": [sys.executable, "-c"], "sh": ["bash", "-euc"]}
    with tempfile.TemporaryDirectory() as folder:
        codes = (run([*programs[kind], code], folder) for kind, code in examples)
        failed = next((code for code in codes if code), 0)
    if failed or not examples:
        print(f"{page}: {'the example fails' if examples else 'no example'}", file=sys.stderr)
    return failed or int(not examples)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
