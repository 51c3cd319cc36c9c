"""Run the examples of a page in an empty folder, Python and shell alike, but for its installation:
`example.py README.md`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

page = Path(sys.argv[1]).resolve().read_text(encoding="utf-8")
blocks = re.findall(r"^```(python|sh)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
examples = [(kind, code) for kind, code in blocks if not code.startswith("pip install")]
if not examples:
    sys.exit(f"{sys.argv[1]} has no example")
programs = {"python": [sys.executable, "-c"], "sh": ["bash", "-euc"]}
path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
with tempfile.TemporaryDirectory() as folder:
    for kind, code in examples:
        subprocess.run(
            [*programs[kind], code], check=True, cwd=folder, env={**os.environ, "PATH": path}
        )
