"""The test suites of other programs and their clients against the service.

    python benchmarks/peer_suites.py --deepl-python CHECKOUT --deepl-node CHECKOUT
        --libretranslate CHECKOUT --weblate-python FILE --node-modules FOLDER

Suites whose option is left out do not run. In the checkout of deepl-node, `npm ci` must have run;
`--weblate-python` names a Python that has Weblate (its modules need neither a database server nor
what it draws and reads images with); `--node-modules` names a folder where npm has installed
`libretranslate` and `deepl-node`, which docmt's own tests of clients use, beside the Python package
`openai`. `docmt serve` runs in a process of its own, with keys, over one run of a language model
for all languages; the model is scripted (`peer_model.py`) and knows the words of the suites. The
program prints the passed, failed and skipped tests of each suite, and each failed test with the
reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from docmt_serve.stores.api_keys import add_key
from hostile_clients import serving
from measuring import print_table
from peer_model import PeerModel, example_texts
from peer_model import serving as serving_model

_HERE = Path(__file__).resolve().parent

_CLIENT_TESTS = (
    "packages/serve/tests/serving/test_clients.py",
    "packages/serve/tests/serving/test_node_clients.py",
)

_RUN = "peer"
"""Name of the run."""

_FILE_LIMIT = 30_000_000
"""DeepL's limit of bytes of a file, which deepl-node's tests exceed."""

_JEST_OUTCOMES = {"pending": "skipped", "todo": "skipped"}

Environment = dict[str, str]

Suite = tuple[str, "list[Test]"]


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a suite. The reason is empty if the test passed."""

    name: str
    outcome: str
    reason: str = ""


@contextmanager
def _service(examples: Mapping[str, str], folder: Path) -> Iterator[Environment]:
    """Run the service over a run of all languages. Yields the environment of a suite."""
    with serving_model(PeerModel(examples)) as url:
        run, keys = folder / _RUN, folder / "keys.toml"
        command = [sys.executable, "-m", "docmt", "import", "language-model", url]
        command += ["--model", "peer", "--dialect", "openai", "--languages", ",".join(examples)]
        command += ["--run", str(run), "request.keep_answers=false"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        key = add_key(keys, "suite")
        options = ["--keys", str(keys), "--folder", str(folder / "service"), "--suggestions"]
        options += ["--file-limit", str(_FILE_LIMIT)]
        with serving(str(run), *options) as (port, _):
            address = {"DEEPL_SERVER_URL": f"http://localhost:{port}", "DEEPL_AUTH_KEY": key}
            yield os.environ | address


def _pytest(
    checkout: Path, tests: Sequence[str], environment: Environment, *options: str
) -> list[Test]:
    """Run tests of Python in a checkout."""
    path = os.pathsep.join([str(checkout), str(_HERE), environment.get("PYTHONPATH", "")])
    own = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += [*options, f"--junitxml={report.name}", *tests]
        _run(command, checkout, environment | own)
        return [_python_test(case) for case in etree.parse(report.name).iter("testcase")]


def _python_test(case: Any) -> Test:
    name = f"{case.get('classname')}::{case.get('name')}"
    for outcome in ("failure", "error", "skipped"):
        if (found := case.find(outcome)) is not None:
            reason = (found.get("message") or "").partition("\n")[0]
            return Test(name, "skipped" if outcome == "skipped" else "failed", reason)
    return Test(name, "passed")


def _jest(checkout: Path, environment: Environment) -> list[Test]:
    """Run the tests of deepl-node, a file at a time: a file that replaces the file system or cuts
    off the network would otherwise disturb the next."""
    tests: list[Test] = []
    reporter = _HERE / "peer_reporter.cjs"
    for file in sorted(checkout.glob("tests/**/*.test.ts")):
        name = file.relative_to(checkout)
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as report:
            command = ["npx", "jest", str(name), "--runInBand", f"--reporters={reporter}"]
            _run(command, checkout, environment | {"PEER_REPORT": report.name})
            lines = Path(report.name).read_text("utf-8").splitlines()
        lines = lines or ['["file", "failed", "it did not run"]']
        for told, outcome, reason in map(json.loads, lines):
            tests.append(Test(f"{name.name}::{told}", _JEST_OUTCOMES.get(outcome, outcome), reason))
    return tests


def _weblate(python: Path, environment: Environment) -> list[Test]:
    """Run the modules of Weblate."""
    address = environment["DEEPL_SERVER_URL"], environment["DEEPL_AUTH_KEY"]
    command = [str(python.absolute()), str(_HERE / "peer_weblate.py"), *address, _RUN]
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("[")]
    return [Test(*json.loads(line)) for line in lines]


def _run(command: Sequence[str], folder: Path, environment: Environment) -> None:
    """Run a suite. Its exit code tells about failed tests, which the report tells, too."""
    subprocess.run(
        command,
        cwd=folder,
        env=environment,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _suites(arguments: argparse.Namespace, environment: Environment) -> Iterator[Suite]:
    """The suites that are asked for, each with its tests."""
    plugin = ("-p", "peer_plugin", "-o", "addopts=")
    if (checkout := arguments.deepl_python) is not None:
        yield "deepl-python", _pytest(checkout, ["tests"], environment, *plugin)
    if (checkout := arguments.deepl_node) is not None:
        yield "deepl-node", _jest(checkout, environment)
    if (checkout := arguments.libretranslate) is not None:
        tests = ["libretranslate/tests/test_api"]
        yield "LibreTranslate", _pytest(checkout, tests, environment, *plugin)
    if (python := arguments.weblate_python) is not None:
        yield "Weblate", _weblate(python, environment)
    if (folder := arguments.node_modules) is not None:
        own = environment | {"NODE_PATH": str(folder / "node_modules")}
        options = ("-o", "addopts=", "-m", "")
        yield "clients of others", _pytest(_HERE.parent, _CLIENT_TESTS, own, *options)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("--deepl-python", "--deepl-node", "--libretranslate", "--node-modules"):
        parser.add_argument(name, type=Path, metavar="FOLDER")
    parser.add_argument("--weblate-python", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        examples = example_texts(arguments.deepl_python)
        environment = stack.enter_context(_service(examples, Path(folder)))
        suites = dict(_suites(arguments, environment))
    outcomes = ("passed", "failed", "skipped")
    rows = [
        (name, str(len(tests)), *(str(sum(t.outcome == o for t in tests)) for o in outcomes))
        for name, tests in suites.items()
    ]
    print_table(("suite", "tests", *outcomes), rows)
    for name, tests in suites.items():
        for test in tests:
            if test.outcome == "failed":
                print(f"\n{name}: {test.name}\n    {test.reason[:300]}")


if __name__ == "__main__":
    main()
