"""YAML files as plain values, with the line of every key; and plain values as YAML.

ruamel.yaml reads YAML 1.2: `5e-4` is a number and `on` is text. Keys must be text and different.
Values must be plain, without tags and control characters. Size and depth are limited during
reading, so a large file is rejected early and aliases cannot expand without end.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import lru_cache, partial
from itertools import count
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent, ScalarEvent
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode
from ruamel.yaml.reader import ReaderError

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, read_lines

MAX_CHARACTERS = 1_000_000
"""Maximum size of a recipe file."""

MAX_VALUES = 10_000
"""Maximum number of values in a recipe, counted with aliases expanded."""

MAX_DEPTH = 20
"""Maximum number of values nested in each other."""

MAX_VALUE_CHARACTERS = 10_000
"""Maximum length of a text."""

MAX_DIGITS = 400
"""Maximum length of a number."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters not allowed in file names and lines of text."""

_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")

KeyPath = tuple[str, ...]


class Location(NamedTuple):
    """The location of a key."""

    path: str
    line: int | None = None


Locations = Mapping[KeyPath, Location]
"""The locations of the keys of a file."""

OVERRIDE = "override "
"""The beginning of the location of an override."""


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
                f"is longer than {MAX_CHARACTERS:,} characters",
                path=str(path),
                cure="Name a recipe: a short YAML file",
            )
    return parse("\n".join(lines), str(path))


def parse(text: str, name: str) -> tuple[dict[str, Any], dict[KeyPath, Location]]:
    """Do as `read` for YAML in memory; `name` stands for the file in error messages."""
    value, locations = parse_value(text, name)
    if value is None:
        return {}, {}
    if not isinstance(value, dict):
        raise InputError(
            "has no keys", path=name, cure="Write `key: value` lines, as `docmt recipes show` does"
        )
    return value, locations


def parse_value(text: str, name: str) -> tuple[Any, dict[KeyPath, Location]]:
    """Do as `parse` for any YAML value, not only a mapping."""
    value, locations = _parsed(text, name)
    return deepcopy(value), dict(locations)


@lru_cache(maxsize=64)
def _parsed(text: str, name: str) -> tuple[Any, dict[KeyPath, Location]]:
    """The value of a text: recipes extend the same few, and are read again for each of their runs,
    while a long one takes a tenth of a second."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = partial(_Composer, name=name)  # type: ignore[assignment]  # called only
    try:
        node = yaml.compose(text)
        if node is None:
            return None, {}
        locations = _locate_keys(node, name)
        return yaml.constructor.construct_document(node), locations
    except ReaderError as error:
        character = chr(error.character)
        line = text.count("\n", 0, text.find(character)) + 1
        raise _control_character(character, name, line) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(
            f"is not valid YAML: {error.problem or error.context}",
            path=name,
            line=mark.line + 1 if mark else None,
            cure="Fix this line or the one above it",
        ) from None
    except InputError:
        raise
    # Besides its own errors, ruamel.yaml raises errors of values.
    except (
        YAMLError,
        ValueError,
        RecursionError,
        ArithmeticError,
        LookupError,
        TypeError,
        AttributeError,
        AssertionError,
    ) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"is not valid YAML: {reason}", path=name, cure="Compare it with `docmt recipes show`"
        ) from None


def parse_override(override: str) -> tuple[KeyPath, Any, dict[KeyPath, Location]]:
    """The key, the value and the locations of a text `key.sub=value`.

    Raises:
        InputError: the text has no `=`, or the value is not valid YAML.
    """
    key, sign, text = override.partition("=")
    path = tuple(key.split("."))
    if not sign or not all(path):
        raise InputError(
            f"the override {override!r} is not of the form key=value",
            cure="Write for example training.max_steps=500",
        )
    return path, *parse_value(text, f"{OVERRIDE}{override}")


def nearest_location(locations: Locations, path: Sequence[str], least: int = 1) -> Location | None:
    """The location of a key or, if the key was not written, of the innermost section around it.

    Args:
        least: minimum number of matching parts of the path.
    """
    for length in range(len(path), least - 1, -1):
        if location := locations.get(tuple(path[:length])):
            return location
    return None


def text_of(path: PathLike, key: str) -> str:
    """The text of a top-level key of a YAML file, which is read no further; "" if there is no such
    key. Only for files known to be valid."""
    yaml = YAML(typ="safe", pure=True)
    depth, nodes, before = 0, 0, ""
    for event in yaml.parse("\n".join(read_lines(path))):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth == 1 and isinstance(event, ScalarEvent | CollectionEndEvent):
            text = str(getattr(event, "value", ""))
            if nodes % 2 and before == key:
                return text
            nodes, before = nodes + 1, text
    return ""


def dump_value(value: Any, *, one_line: bool = False, width: int = 100) -> str:
    """Plain values as YAML, with a newline at the end.

    Args:
        one_line: write mappings and lists in brackets.
        width: the width at which long texts are broken.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.width, yaml.allow_unicode = width, True
    yaml.default_flow_style = one_line
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]  # declared as None
    stream = io.StringIO()
    yaml.dump(value, stream)
    return stream.getvalue()


class _Composer(Composer):
    """Builds nodes, and stops at the first not allowed in a recipe, so the time for a file is
    bounded by the time for the largest recipe."""

    def __init__(self, loader: Any = None, *, name: str) -> None:
        super().__init__(loader=loader)
        self.warn_double_anchors = False
        self._name = name
        self._nodes = 0
        self._depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Build the next node, with the nodes in it."""
        event = self.parser.peek_event()
        self._nodes += 1
        if self._nodes > 2 * MAX_VALUES:  # keys are nodes too
            raise _error(self._name, event, *_TOO_MANY)
        if self._depth > MAX_DEPTH:
            raise _error(self._name, event, *_TOO_DEEP)
        if (tag := getattr(event, "ctag", None)) is not None:
            raise _error(
                self._name, event, f"holds the YAML tag {tag}", "Write the value without it"
            )
        self._check_scalar(event)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if node.tag in _NUMBERS and len(node.value) > MAX_DIGITS:
            problem = f"holds a number of {len(node.value):,} digits"
            raise _error(self._name, node, problem, f"Write one of at most {MAX_DIGITS}")
        return node

    def _check_scalar(self, event: Any) -> None:
        """Check the length and the characters of a text."""
        if not isinstance(event, ScalarEvent):
            return
        if len(event.value) > MAX_VALUE_CHARACTERS:
            problem = f"holds a text of {len(event.value):,} characters"
            raise _error(
                self._name, event, problem, f"Write one of at most {MAX_VALUE_CHARACTERS:,}"
            )
        if match := _CONTROL.search(event.value):
            raise _control_character(match[0], self._name, _line_of(event))


_TOO_MANY = f"has more than {MAX_VALUES:,} values, aliases expanded", "Write them out"
_TOO_DEEP = (
    f"is nested deeper than {MAX_DEPTH} levels",
    "Look for an alias inside its own value, or a bracket that is not closed",
)


def _control_character(character: str, name: str, line: int) -> InputError:
    """The error about a character not allowed in a recipe."""
    return InputError(
        f"holds the control character U+{ord(character):04X}",
        path=name,
        line=line,
        cure="Remove it",
    )


def _locate_keys(root: Node, name: str) -> dict[KeyPath, Location]:
    """Record the location of each key by path, and refuse keys and values not allowed in a
    recipe."""
    locations: dict[KeyPath, Location] = {}
    values = count(1)

    def visit(node: Node, path: KeyPath) -> None:
        if next(values) > MAX_VALUES:
            raise _error(name, node, *_TOO_MANY)
        if len(path) > MAX_DEPTH:
            raise _error(name, node, *_TOO_DEEP)
        if isinstance(node, SequenceNode):
            for index, item in enumerate(node.value):
                visit(item, (*path, str(index)))
        elif isinstance(node, MappingNode):
            for key, value in node.value:
                if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                    raise _error(
                        name, key, f"the key {key.value!r} is not text", "Put it in quotes"
                    )
                inner = (*path, key.value)
                if (first := locations.get(inner)) is not None:
                    problem = f"key {key.value!r} occurs twice, first on line {first.line}"
                    raise _error(name, key, problem, "Remove one of them")
                locations[inner] = Location(name, _line_of(key))
                visit(value, inner)

    visit(root, ())
    return locations


def _error(name: str, where: Any, problem: str, cure: str) -> InputError:
    """The error about a node or an event of a file."""
    return InputError(problem, path=name, line=_line_of(where), cure=cure)


def _line_of(node: Any) -> int:
    """The first line of a node or an event, from 1."""
    return int(node.start_mark.line) + 1


def as_one_line(value: Any) -> str:
    """A plain value as YAML on one line."""
    if isinstance(value, bool | int | float | str | None):
        return _scalar_as_yaml(value)
    return dump_value([value], one_line=True, width=10_000).strip()[1:-1]


@lru_cache(maxsize=1024, typed=True)
def _scalar_as_yaml(value: bool | int | float | str | None) -> str:
    """A value that has no others in it; a recipe has few different ones, and each takes long."""
    return dump_value([value], one_line=True, width=10_000).strip()[1:-1]
