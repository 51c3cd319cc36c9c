"""Run a module of the tests as a program, with the helpers of all distributions' tests importable.

python tests/module.py planted.table --runs RUNS
python tests/module.py fuzz.table 1000 --target NAME
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folders = [ROOT / "tests", *sorted(ROOT.glob("packages/*/tests"))]
    sys.path[:1] = map(str, folders)
    _, name, *arguments = sys.argv
    sys.argv = [name, *arguments]
    runpy.run_module(name, run_name="__main__", alter_sys=True)
