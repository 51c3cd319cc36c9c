"""What tests of several parts share: the toy corpus on disk, runs trained on it, and a browser.

What needs torch is imported where it is used: the process that starts the others needs none of it.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Tests run beside each other, in a process a core; so do the programs that they start.
# OpenMP reads this when torch is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

_GOLDEN_RATIO = (5**0.5 - 1) / 2

# Properties are tried on the same examples in every run, so that a change alone makes a test fail;
# `pytest --hypothesis-profile nightly` tries more, and `search` draws others, and many more. On a
# busy machine an example may take long, whatever it does.
hypothesis.settings.register_profile(
    "docmt", deadline=None, derandomize=True, database=None, max_examples=10
)
hypothesis.settings.register_profile(
    "nightly", deadline=None, derandomize=True, database=None, max_examples=100
)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("docmt")


def pytest_configure() -> None:
    """Collect no garbage while modules are imported and tests collected, which leaves none."""
    gc.disable()
    # Tests kill programs and not the machine, so what they write need not reach the disk.
    os.fsync = lambda _: None
    # A shell lets what it starts in the background ignore interrupts, and so would the programs
    # that are interrupted here.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test with the mark `by_default(n)`, leave n; the others are slow.

    Cases of several parameters stand in rows, and those of every k-th place may all have the same
    value of one parameter; places of the golden ratio have all values of each.
    """
    cases: dict[tuple[object, str], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("by_default"):
            name = getattr(item, "originalname", item.name)
            cases.setdefault((item.parent, name), []).append(item)
    for group in cases.values():
        (count,) = group[0].get_closest_marker("by_default").args  # type: ignore[union-attr]
        places = sorted(range(len(group)), key=lambda place: place * _GOLDEN_RATIO % 1)
        for place in places[count:]:
            group[place].add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """From here on collect garbage, but do not look through what was imported again and again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Gives the folder of a name, filled by a function: once for all processes of `.ci/alone.py`,
    which names a folder for them, and else once for this one."""

    def made(name: str, fill: Callable[[Path], object]) -> Path:
        shared = os.environ.get("TESTS_SHARE")
        if shared is None:
            fill(folder := tmp_path_factory.mktemp(name))
            return folder
        if not (folder := Path(shared) / name).exists():
            fill(filling := Path(tempfile.mkdtemp(dir=shared)))
            with suppress(OSError):  # Another process was faster, with the same content.
                filling.rename(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def tiny_corpus(made_once: Callable[..., Path]) -> Path:
    """A folder with `train`, `valid` and `test` files, `.en` and `.de`."""
    from toy import write_toy_corpus

    return made_once("corpus", write_toy_corpus)


@pytest.fixture(scope="session")
def tinier_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with fewer documents, for training that need not learn anything."""
    from toy import write_toy_corpus

    folder = tmp_path_factory.mktemp("corpus")
    write_toy_corpus(folder, documents=30)
    return folder


@pytest.fixture(scope="session")
def tiny_run(tiny_corpus: Path, made_once: Callable[..., Path]):
    """A finished run on the toy corpus. Tests must not write into its directory."""
    from docmt_nmt.runs.system_run import SystemRun
    from toy import trained

    training = {"max_steps": 200, "validate_every": 100, "label_smoothing": 0.0}
    folder = made_once(
        "run", lambda folder: trained(tiny_corpus, folder / "run", training=training)
    )
    return SystemRun.load(folder / "run")


@pytest.fixture(scope="session")
def forkserver() -> Any:
    """Starts processes that need not import everything again, and that a test may kill."""
    context = multiprocessing.get_context("forkserver")
    # The first step of an optimizer imports torch._dynamo.
    modules = [
        "docmt_nmt.training",
        "docmt_nmt.decoding",
        "docmt.interop",
        "docmt.cli",
        "torch._dynamo",
    ]
    context.set_forkserver_preload(modules)
    return context


@pytest.fixture(scope="session")
def long_short_run(tinier_corpus: Path, tmp_path_factory: pytest.TempPathFactory):
    """A short run of a system of two streams, over windows that slide. Tests must not write into
    its directory."""
    from toy import trained

    return trained(
        tinier_corpus,
        tmp_path_factory.mktemp("long-short") / "run",
        system={"name": "long-short"},
        instances={"kind": "window", "window": 3, "stride": 1},
        search={"windows": "sliding"},
    )


@pytest.fixture(scope="session")
def en_pt(tmp_path_factory: pytest.TempPathFactory):
    """The model of Firefox from English to Portuguese."""
    from docmt.interop import import_marian
    from docmt_nmt.runs.open_run import load
    from firefox_models import FOLDERS

    run = import_marian(FOLDERS["enpt"], tmp_path_factory.mktemp("firefox") / "enpt")
    return load(run.directory, precision="fp32")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no Chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser) -> Iterator[Any]:
    """An empty page."""
    opened = browser.new_page()
    yield opened
    opened.close()
