"""Strict YAML: a file of plain values, and the line each key stands on.

PyYAML takes the last of two equal keys, expands aliases without limit and reads `5e-4` as text.
Here the first two are errors and the third is a number.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import yaml

from docmt.errors import InputError
from docmt.files import PathLike, read_lines

LARGEST_FILE = 1_000_000
"""Characters a recipe may have."""

MOST_VALUES = 10_000
"""Values a recipe may have once its aliases are expanded."""

DEEPEST = 20
"""Values that may lie in each other."""

KeyPath = tuple[str, ...]


class Place(NamedTuple):
    """Where a key was written."""

    path: str
    line: int | None = None


Places = Mapping[KeyPath, Place]


class Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with the floats of YAML 1.2: `5e-4` needs neither a dot nor a sign."""


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def read(path: PathLike) -> tuple[dict[str, Any], dict[KeyPath, Place]]:
    """The values of a YAML file, and where each key stands.

    Raises:
        InputError: naming file and line: no such file, not UTF-8, not YAML, a key twice, a key
            that is no text, or too much of it.
    """
    lines, size = [], 0
    for line in read_lines(path):
        lines.append(line)
        size += len(line) + 1
        if size > LARGEST_FILE:
            raise InputError(
                f"is longer than {LARGEST_FILE:,} characters", path=str(path),
                cure="Name a recipe: a short YAML file",
            )  # fmt: skip
    return parse("\n".join(lines), str(path))


def parse(text: str, name: str) -> tuple[dict[str, Any], dict[KeyPath, Place]]:
    """The same for YAML at hand; `name` is for the error message."""
    value, places = parse_value(text, name)
    if value is None:
        return {}, {}
    if not isinstance(value, dict):
        raise InputError(
            "holds no keys",
            path=name,
            cure="Write `key: value` lines, as `docmt recipes show` does",
        )
    return value, places


def parse_value(text: str, name: str) -> tuple[Any, dict[KeyPath, Place]]:
    """Any YAML value, not only a mapping."""
    loader = Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, {}
        survey = Survey(name)
        survey.visit(node, ())
        return loader.construct_document(node), survey.places
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(
            f"is no valid YAML: {error.problem or error.context}", path=name,
            line=mark.line + 1 if mark else None, cure="Mend this line or the one before it",
        ) from None  # fmt: skip
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())
        raise InputError(
            f"is no valid YAML: {reason}", path=name, cure="Compare it with `docmt recipes show`"
        ) from None
    finally:
        loader.dispose()


class Survey:
    """A walk over parsed YAML before values are made of it.

    Attributes:
        places: where each key stands, by its path.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[KeyPath, Place] = {}
        self.values = 0

    def visit(self, node: yaml.Node, path: KeyPath) -> None:
        """Note the places of all keys below a node; refuse what must not be constructed."""
        self.values += 1
        if self.values > MOST_VALUES:
            raise InputError(
                f"holds more than {MOST_VALUES:,} values, aliases expanded", path=self.name,
                line=line_of(node), cure="Write the values out",
            )  # fmt: skip
        if len(path) > DEEPEST:
            raise InputError(
                f"is nested deeper than {DEEPEST} levels", path=self.name, line=line_of(node),
                cure="Look for an alias of what it lies in, or brackets that are not closed",
            )  # fmt: skip
        if isinstance(node, yaml.SequenceNode):
            for place, item in enumerate(node.value):
                self.visit(item, (*path, str(place)))
        elif isinstance(node, yaml.MappingNode):
            self.visit_mapping(node, path)

    def visit_mapping(self, node: yaml.MappingNode, path: KeyPath) -> None:
        """The same for a mapping; its keys must be text and different."""
        lines: dict[Hashable, int] = {}
        for key, value in node.value:
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                raise InputError(
                    f"the key {key.value!r} is no text", path=self.name, line=line_of(key),
                    cure="Put it in quotes",
                )  # fmt: skip
            if key.value in lines:
                raise InputError(
                    f"key {key.value!r} occurs twice, first on line {lines[key.value]}",
                    path=self.name, line=line_of(key), cure="Remove one of them",
                )  # fmt: skip
            lines[key.value] = line_of(key)
            self.places[(*path, key.value)] = Place(self.name, line_of(key))
            self.visit(value, (*path, key.value))


def line_of(node: yaml.Node) -> int:
    """The line a node begins on, from 1."""
    return int(node.start_mark.line) + 1
