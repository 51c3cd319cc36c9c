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

    >>> from docmt.formats import Output
    >>> field_docs(Output)["n_best"].split()[0]
    'Number'
    """
    import ast
    import inspect
    import textwrap

    docs: dict[str, str] = {}
    for base in reversed(settings.__mro__[:-1]):
        if base.__module__.partition(".")[0] in ("pydantic", "builtins", "abc"):
            continue
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(node, ast.ClassDef)
        for statement, after in zip(node.body, node.body[1:], strict=False):
            match statement, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    docs[name] = " ".join(text.split())
    return docs
