"""List what makes the figures of the documentation again, with the cost: `make results`.

python benchmarks/list_results.py
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("results.toml")


def results() -> list[dict[str, Any]]:
    """The figures, each with page, command, minutes and, for some, what is needed."""
    listed: list[dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))["result"]
    return listed


def main() -> None:
    """Print the list by page."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    page = ""
    for one in results():
        if one["page"] != page:
            page = one["page"]
            print(f"\n{page}")
        minutes = one["minutes"]
        cost = f"{minutes:g} min" if minutes < 120 else f"{minutes / 60:g} h"
        needs = f"; needs {one['needs']}" if "needs" in one else ""
        needs += f"; in commit {one['commit']}" if "commit" in one else ""
        print(f"  {one['what']} ({cost}{needs})\n    {one['command']}")


if __name__ == "__main__":
    main()
