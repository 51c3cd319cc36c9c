"""`import docmt` and the faces of all packages: what they offer is there, is light, and is all that
packages use of each other. The distributions are of one version."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import docmt
from docmt.cli import COMMANDS, load_command

ROOT = Path(__file__).parents[1]
PROJECTS = sorted(ROOT.glob("packages/*/pyproject.toml"))
FOLDERS = sorted(ROOT.glob("packages/*/src/docmt*/__init__.py"))


def _module_name(path: Path, root: Path) -> str:
    """The name of the module in a file: `docmt_nmt.nn.attention`."""
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    _module_name(path, root): path
    for root in (folder.parent for folder in FOLDERS)
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
    """The package that a module belongs to: `docmt_nmt.nn` for
    `docmt_nmt.nn.kernels.attend`. A module at
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
        if _package(use.importer) == _package(use.home) or use.module in ("docmt", "docmt_nmt"):
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
        module, _, function = entry.object.partition(":")
        public = {
            node.name
            for node in _tree(module).body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        }
        listed = getattr(loaded[name], "commands", {function: loaded[name]})
        # Other packages add theirs.
        commands = {each for each, of in listed.items() if of.callback.__module__ == module}
        assert public == {command.replace("-", "_") for command in commands}


def test_the_reference_lists_all_names() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    listed = re.findall(r"^::: docmt\.(\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted({*docmt.__all__} - {"__version__"})


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.parent.name)
def test_the_table_of_packages_has_every_layer_of_the_contracts(project: Path) -> None:
    page = (ROOT / "docs" / "concepts" / "architecture.md").read_text("utf-8")
    table = page.split("| packages | content |")[1].split("\n\n")[0]
    listed = {name for row in table.splitlines() for name in re.findall(r"`([\w.]+)`", row[:200])}
    contracts = tomllib.loads(project.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (first,) = [contract for contract in contracts if contract["id"] == "layers"]
    if project.parent.name in ("nmt", "core"):
        layers = {name for row in first["layers"] for name in re.findall(r"\w+", row)}
        assert layers - {"__main__"} <= listed


def test_all_distributions_have_one_version_and_ask_for_it_in_each_other() -> None:
    projects = [
        tomllib.loads(path.read_text("utf-8"))["project"]
        for path in (ROOT / "pyproject.toml", *PROJECTS)
    ]
    assert len(projects) == 7
    assert {project["version"] for project in projects} == {docmt.__version__}
    for project in projects:
        ours = [text for text in project["dependencies"] if text.startswith("docmt")]
        assert all(text.endswith(f"=={docmt.__version__}") for text in ours)
