"""YAML files as plain values, with the line of every key; and plain values as YAML.

YAML is read by ruamel.yaml, which follows YAML 1.2: `5e-4` is a number and `on` is text. Keys must
be text and different, and size and depth are limited, so that aliases cannot expand without end.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from docmt.errors import InputError
from docmt.files import PathLike, read_lines

MAX_CHARACTERS = 1_000_000
"""Maximum size of a recipe file."""

MAX_VALUES = 10_000
"""Maximum number of values in a recipe, counted with aliases expanded."""

MAX_DEPTH = 20
"""Maximum number of values nested in each other."""

KeyPath = tuple[str, ...]


class Location(NamedTuple):
    """Where a key was written."""

    path: str
    line: int | None = None


Locations = Mapping[KeyPath, Location]


def read(path: PathLike) -> tuple[dict[str, Any], dict[KeyPath, Location]]:
    """The values of a YAML file, and the location of each key.

    Raises:
        InputError: naming file and line: there is no such file, it is not UTF-8 or not valid YAML,
            a key occurs twice or is not text, or the file is too large.
    """
    lines, size = [], 0
    for line in read_lines(path):
        lines.append(line)
        size += len(line) + 1
        if size > MAX_CHARACTERS:
            raise InputError(
                f"is longer than {MAX_CHARACTERS:,} characters", path=str(path),
                cure="Name a recipe: a short YAML file",
            )  # fmt: skip
    return parse("\n".join(lines), str(path))


def parse(text: str, name: str) -> tuple[dict[str, Any], dict[KeyPath, Location]]:
    """The same for YAML in memory; `name` stands for the file in error messages."""
    value, locations = parse_value(text, name)
    if value is None:
        return {}, {}
    if not isinstance(value, dict):
        raise InputError(
            "has no keys",
            path=name,
            cure="Write `key: value` lines, as `docmt recipes show` does",
        )
    return value, locations


def parse_value(text: str, name: str) -> tuple[Any, dict[KeyPath, Location]]:
    """The same for any YAML value, not only a mapping."""
    yaml = YAML(typ="safe", pure=True)
    try:
        node = yaml.compose(text)
        if node is None:
            return None, {}
        survey = _Survey(name)
        survey.visit(node, ())
        return yaml.constructor.construct_document(node), survey.locations
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(
            f"is not valid YAML: {error.problem or error.context}", path=name,
            line=mark.line + 1 if mark else None, cure="Fix this line or the one above it",
        ) from None  # fmt: skip
    except (YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())
        raise InputError(
            f"is not valid YAML: {reason}",
            path=name,
            cure="Compare it with `docmt recipes show`",
        ) from None


def dump_value(value: Any, *, one_line: bool = False, width: int = 100) -> str:
    """Plain values as YAML, with a newline at the end.

    Args:
        value: mappings, lists, text, numbers, true and false, null.
        one_line: write mappings and lists in brackets.
        width: where long texts are broken.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.width, yaml.allow_unicode = width, True
    yaml.default_flow_style = one_line
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]  # declared as None
    stream = io.StringIO()
    yaml.dump(value, stream)
    return stream.getvalue()


class _Survey:
    """A walk over parsed YAML before values are constructed from it.

    Attributes:
        locations: where each key was written, by its path.
    """

    def __init__(self, name: str) -> None:
        self.locations: dict[KeyPath, Location] = {}
        self._name = name
        self._values = 0

    def visit(self, node: Node, path: KeyPath) -> None:
        """Note the location of each key below a node, and refuse what must not be constructed."""
        self._values += 1
        if self._values > MAX_VALUES:
            raise self._error(
                node, f"has more than {MAX_VALUES:,} values, aliases expanded", "Write them out"
            )
        if len(path) > MAX_DEPTH:
            raise self._error(
                node, f"is nested deeper than {MAX_DEPTH} levels",
                "Look for an alias inside its own value, or a bracket that is not closed",
            )  # fmt: skip
        if isinstance(node, SequenceNode):
            for index, item in enumerate(node.value):
                self.visit(item, (*path, str(index)))
        elif isinstance(node, MappingNode):
            for key, value in node.value:
                if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                    raise self._error(key, f"the key {key.value!r} is not text", "Put it in quotes")
                inner = (*path, key.value)
                if (first := self.locations.get(inner)) is not None:
                    problem = f"key {key.value!r} occurs twice, first on line {first.line}"
                    raise self._error(key, problem, "Remove one of them")
                self.locations[inner] = Location(self._name, _line_of(key))
                self.visit(value, inner)

    def _error(self, node: Node, problem: str, cure: str) -> InputError:
        return InputError(problem, path=self._name, line=_line_of(node), cure=cure)


def _line_of(node: Node) -> int:
    """The line a node begins on, from 1."""
    return int(node.start_mark.line) + 1
