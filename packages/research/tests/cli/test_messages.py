"""The library names parameters in its messages; only the command line speaks of options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import docmt
import docmt_research

ROOT = Path(docmt.__file__).parent
OPTION = re.compile(r"(?:^|[\s(\"'`])--[a-z]")
SHELL_COMMAND = re.compile(r"`[a-z]+ [^`]*(?:`|$)")
"""What users may type as it stands, such as `docmt export --run RUN -o DIR`."""


def messages(path: Path) -> Iterator[ast.Constant]:
    """The texts in a module that are not docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in docstrings:
            yield node


def test_no_message_of_the_library_names_an_option() -> None:
    wrong = [
        f"{path.relative_to(root)}:{node.lineno}: {node.value}"
        for root in (ROOT, Path(docmt_research.__file__).parent)
        for path in sorted(root.rglob("*.py"))
        if "cli" not in path.relative_to(root).parts
        for node in messages(path)
        if OPTION.search(SHELL_COMMAND.sub("", node.value))
    ]
    assert wrong == []
