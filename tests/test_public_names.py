"""`import docmt` and the faces of its packages: what they offer is there, is light, and is all that
packages use of each other."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import docmt
import docmt_research
from docmt.cli import COMMANDS, load_command
from docmt.interop.importers import import_commands

ROOT = Path(docmt.__file__).parent


RESEARCH = Path(docmt_research.__file__).parent


def _module_name(path: Path, root: Path) -> str:
    """The name of the module in a file: `docmt.nn.attention`."""
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    _module_name(path, root): path
    for root in (ROOT, RESEARCH)
    for path in sorted(root.rglob("*.py"))
}
PACKAGES = [name for name, path in MODULES.items() if path.name == "__init__.py"]


class Import(NamedTuple):
    """`from MODULE import NAME` in the module `importer`."""

    importer: str
    module: str
    name: str

    @property
    def home(self) -> str:
        """The module that defines the name or, if the name is a module, that module."""
        whole = f"{self.module}.{self.name}"
        return whole if whole in MODULES else self.module


def _is_docstring(node: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def _package(module: str) -> str:
    """The package that a module belongs to: `docmt.nn` for `docmt.nn.kernels.attend`. A module at
    the top stands for itself."""
    return ".".join(module.split(".")[:2])


def _imports() -> Iterator[Import]:
    """All imports of names from modules of docmt, also those within functions."""
    for importer in MODULES:
        for node in ast.walk(_tree(importer)):
            if isinstance(node, ast.ImportFrom) and (node.module or "") in MODULES:
                for alias in node.names:
                    yield Import(importer, str(node.module), alias.name)


def _face(package: str) -> list[str]:
    return list(getattr(importlib.import_module(package), "__all__", ()))


def _documented(module: str) -> set[str]:
    """The names that a module defines at its top level together with a docstring. A `Literal`
    documents itself."""
    names = set()
    body = _tree(module).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        if isinstance(node, defined) and ast.get_docstring(node):
            names.add(node.name)
        if isinstance(node, ast.Assign | ast.AnnAssign) and (
            _is_docstring(following) or ast.unparse(node.value or node).startswith("Literal[")
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                names |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return names


@pytest.mark.parametrize("name", docmt.__all__)
def test_every_public_name_of_docmt_is_there(name: str) -> None:
    assert getattr(docmt, name)
    assert name in dir(docmt)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'translte'"):
        docmt.translte  # type: ignore[attr-defined]  # noqa: B018


def test_importing_docmt_and_reading_a_corpus_do_not_load_torch() -> None:
    code = (
        "import docmt, sys; docmt.read; docmt.Document; docmt.Translation; "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_what_it_offers_and_has_it(package: str) -> None:
    module = importlib.import_module(package)
    if not hasattr(module, "__all__"):
        assert len(_tree(package).body) == 1, "modules imported one by one are its face"
        return
    assert _face(package), "an empty __all__"
    for name in _face(package):
        assert f"{package}.{name}" in MODULES or hasattr(module, name), name
        assert not name.startswith("_") or name == "__version__"


def test_packages_use_public_names_of_each_other_that_are_documented() -> None:
    wrong = []
    for use in _imports():
        if _package(use.importer) == _package(use.home) or use.module == "docmt":
            continue
        in_face = use.module in PACKAGES and use.name in _face(use.module)
        is_module = use.home in MODULES and use.home != use.module
        if use.name.startswith("_") or not (
            in_face or is_module or use.name in _documented(use.module)
        ):
            wrong.append(f"{use.importer}: from {use.module} import {use.name}")
    assert wrong == []


def test_private_names_stay_in_their_module_and_private_modules_in_their_package() -> None:
    wrong = []
    for use in _imports():
        private_module = any(part.startswith("_") for part in use.home.split("."))
        if use.name.startswith("_") and use.name != "__version__" and use.home == use.module:
            wrong.append(f"{use.importer}: from {use.module} import {use.name}")
        if private_module and _package(use.importer) != _package(use.home):
            wrong.append(f"{use.importer}: from {use.module} import {use.name}")
    assert wrong == []


def test_the_command_line_has_commands_and_no_other_public_functions() -> None:
    loaded = {name: load_command(name) for name in COMMANDS}
    for name, entry in COMMANDS.items():
        module = entry.object.partition(":")[0]
        public = {
            node.name
            for node in _tree(module).body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        }
        commands = getattr(loaded[name], "commands", [module.rpartition(".")[2]])
        of_packages = {*import_commands()} if name == "import" else set()
        own = {*commands} - of_packages
        assert public == {command.replace("-", "_") for command in own}


def test_the_reference_lists_all_names() -> None:
    page = (ROOT.parents[1] / "docs" / "reference" / "python.md").read_text("utf-8")
    listed = re.findall(r"^::: docmt\.(\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted({*docmt.__all__} - {"__version__"})


def test_the_table_of_packages_is_the_contract() -> None:
    page = (ROOT.parents[1] / "docs" / "concepts" / "architecture.md").read_text("utf-8")
    table = page.split("| packages | content |")[1].split("\n\n")[0]
    listed = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row[:200])}
    contract = (ROOT.parents[1] / "pyproject.toml").read_text("utf-8").split("layers = [")[1]
    layers = {*re.findall(r"\w+", contract.split("]")[0])} - {"__main__"}
    assert layers <= listed
