"""The examples in the docstrings of the packages' faces are run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import docmt
import docmt_files
import docmt_llm
import docmt_nmt
import docmt_research
import docmt_serve
from docmt_nmt.corpora.demo import resolve

DISTRIBUTIONS = (docmt_files, docmt_nmt, docmt, docmt_llm, docmt_serve, docmt_research)
PACKAGES = [
    package
    for top in DISTRIBUTIONS
    for package in (
        top.__name__,
        *(m.name for m in pkgutil.walk_packages(top.__path__, f"{top.__name__}.") if m.ispkg),
    )
]


def _public(package: str) -> Iterator[tuple[str, Any]]:
    """Yield the classes and functions of a face that docmt defines; what the face of a distribution
    offers of another package belongs to the face of that one."""
    module = importlib.import_module(package)
    for name in getattr(module, "__all__", ()):
        item = getattr(module, name, None)
        if not (inspect.isclass(item) or inspect.isroutine(item)):
            continue
        home = ".".join(item.__module__.split(".")[:2])
        elsewhere = "." not in package and name in getattr(sys.modules[home], "__all__", ())
        if item.__module__.startswith("docmt") and not elsewhere:
            yield name, item


def _examples(name: str, item: Any) -> list[doctest.DocTest]:
    """Return the examples of a function, or of a class and its methods, with the names of its
    module."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = vars(importlib.import_module(item.__module__))
    module = inspect.getmodule(item)
    return [test for test in finder.find(item, name, module, globs=dict(names)) if test.examples]


@pytest.fixture
def small_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the bundled training split by the validation split, which is prepared sooner."""
    monkeypatch.setattr(
        "docmt_nmt.data.preparation.resolve",
        lambda path: resolve(str(path).replace("bundled:train.", "bundled:dev.")),
    )


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.usefixtures("small_corpus")
def test_the_examples_of_a_face_give_what_they_show(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS, verbose=False
    )
    wrong: list[str] = []
    for name, item in _public(package):
        for test in _examples(name, item):
            runner.run(test, out=wrong.append)
    assert "".join(wrong) == ""
