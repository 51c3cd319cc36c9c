"""Run the tests of distributions, each in an environment with only what the distribution declares.

    .venv/bin/python .ci/alone.py files nmt -- -k glossary

For each name, `.venv/alone/NAME` becomes a virtual environment with links to the packages of .venv
that `docmt-NAME[test]` requires, directly or through others, and to nothing else: a test that
imports a package which is not declared fails. Then the tests in `packages/NAME/tests` run there;
arguments after `--` are for pytest. The name `together` stands for the tests in `tests`, which need
all. Name first what takes longest: as many run beside each other as there are cores, because two
processes of one distribution collect its tests and make its fixtures twice.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).parents[1]
SITE = Path(sysconfig.get_path("purelib"))
INSTALLED = {
    canonicalize_name(each.metadata["Name"]): each for each in distributions(path=[str(SITE)])
}
OURS = {f"docmt-{path.parent.name}": path.parent for path in ROOT.glob("packages/*/pyproject.toml")}


def required(name: NormalizedName, extra: str) -> dict[NormalizedName, Distribution]:
    """The distribution with an extra, and all that it requires, by name."""
    found: dict[NormalizedName, Distribution] = {}
    seen: set[tuple[NormalizedName, str]] = set()
    waiting = [(name, extra)]
    while waiting:
        wanted = waiting.pop()
        if wanted in seen or wanted[0] not in INSTALLED:
            continue
        seen.add(wanted)
        distribution = found[wanted[0]] = INSTALLED[wanted[0]]
        for text in distribution.requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": wanted[1]}):
                name = canonicalize_name(requirement.name)
                waiting += [(name, chosen) for chosen in ("", *requirement.extras)]
    return found


def entries(distribution: Distribution) -> Iterator[Path]:
    """The files of a distribution in the folder of packages."""
    for file in distribution.files or ():
        if file.parts[0] not in ("..", "__pycache__"):
            yield Path(*file.parts)


@cache
def owners_of_folders() -> Counter[str]:
    """How many distributions have files in each folder of packages."""
    return Counter(
        top for each in INSTALLED.values() for top in {file.parts[0] for file in entries(each)}
    )


def link(found: dict[NormalizedName, Distribution], site: Path) -> None:
    """Link the files of distributions into a folder: whole folders where they have one owner."""
    owners = owners_of_folders()
    for name, distribution in found.items():
        for file in entries(distribution):
            if name in OURS and not file.parts[0].endswith(".dist-info"):
                continue
            shared = owners[file.parts[0]] > 1
            target = site / (file if shared else file.parts[0])
            if not target.exists() and not target.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(SITE / (file if shared else file.parts[0]))
    paths = [str(OURS[name] / "src") for name in found if name in OURS]
    (site / "docmt.pth").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")


def environment(name: str) -> Path:
    """Make the environment of a distribution; return its folder."""
    folder = ROOT / ".venv" / "alone" / name
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, symlinks=True, with_pip=False)
    found = required(canonicalize_name(f"docmt-{name}"), "test")
    (site,) = folder.glob("lib/python*/site-packages")
    link(found, site)
    for distribution in found.values():
        for point in distribution.entry_points.select(group="console_scripts"):
            script = folder / "bin" / point.name
            script.write_text(
                f"#!{folder}/bin/python\nimport sys\nfrom {point.module} import {point.attr}\n"
                f"sys.exit({point.attr}())\n",
                encoding="utf-8",
            )
            script.chmod(0o755)
    return folder


def tests_of(name: str, options: list[str]) -> tuple[int, Counter[str]]:
    """Run the tests of a name, print what they print, and return the status and the counts."""
    python = sys.executable if name == "together" else environment(name) / "bin" / "python"
    tests = "tests" if name == "together" else f"packages/{name}/tests"
    command = [python, "-m", "pytest", *options, tests]
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(f"--- {name}\n{ended.stdout}", end="", flush=True)
    last = ended.stdout.rstrip().rpartition("\n")[2]
    counts = re.findall(r"(\d+) (passed|failed|error|skipped)", last)
    return ended.returncode, Counter({word: int(count) for count, word in counts})


def in_memory() -> str | None:
    """A folder in memory with room for what tests write, if there is one: they write and delete
    many small files, and a disk takes its time over them."""
    folder = Path("/dev/shm")
    roomy = folder.is_dir() and shutil.disk_usage(folder).free > 4 << 30
    return str(folder) if roomy and os.access(folder, os.W_OK) else None


def main(arguments: list[str]) -> int:
    """Run the tests, a distribution a core beside each other, and print the counts."""
    names, _, options = " ".join(arguments).partition("--")
    cores = len(os.sched_getaffinity(0))
    beside = min(len(names.split()), cores)
    shared = ["-n", str(cores // beside), "--dist", "worksteal"] if cores > beside else ["-n", "0"]
    with (
        tempfile.TemporaryDirectory(prefix="t", dir=in_memory()) as files,
        ThreadPoolExecutor(beside) as pool,
    ):
        os.environ["TMPDIR"] = os.environ["TESTS_SHARE"] = files
        ended = list(pool.map(lambda name: tests_of(name, shared + options.split()), names.split()))
    failed = any(status for status, _ in ended)
    totals = sum((counts for _, counts in ended), Counter[str]())
    lost = totals["failed"] + totals["error"] or int(failed)
    print(f"{totals['passed']} passed, {lost} failed, {totals['skipped']} skipped")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
