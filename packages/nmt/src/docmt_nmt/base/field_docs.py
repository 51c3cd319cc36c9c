"""The docstrings below the fields of settings classes, read from the source only for help texts:
computations do not wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache


@cache
def field_docs(settings: type) -> Mapping[str, str]:
    """The docstring below each field of a class and of the base classes, on one line, by field
    name.

    >>> from docmt_files.base.entry_points import Plugin
    >>> field_docs(Plugin)
    {}
    """
    import ast

    docs: dict[str, str] = {}
    for base in reversed(settings.__mro__[:-1]):
        if base.__module__.partition(".")[0] in ("pydantic", "builtins", "abc"):
            continue
        (node,) = ast.parse(_source(base)).body
        assert isinstance(node, ast.ClassDef)
        for statement, after in zip(node.body, node.body[1:], strict=False):
            match statement, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    docs[name] = " ".join(text.split())
    return docs


def _source(settings: type) -> str:
    """The source of a class. Python's own function parses the whole module to find it, which every
    command would wait for."""
    import inspect
    import linecache
    import re
    import sys
    from itertools import takewhile
    from textwrap import dedent

    if settings.__qualname__ == settings.__name__:
        lines = linecache.getlines(sys.modules[settings.__module__].__file__ or "")
        head = re.compile(rf"class {settings.__name__}\b")
        for index, line in enumerate(lines):
            if head.match(line):
                body = takewhile(lambda line: line[0] in " \n)", lines[index + 1 :])
                return "".join([line, *body])
    return dedent(inspect.getsource(settings))
