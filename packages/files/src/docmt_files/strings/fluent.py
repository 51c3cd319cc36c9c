"""Fluent files (`.ftl`): messages, their attributes, terms, and the variants of selectors.

Mozilla's parser gives the places of patterns. Names, comments, placeables and references stay, and
so does what is no valid Fluent. A selector by number gets the categories of the target language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fluent.syntax import FluentParser, ast, visitor

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import MAX_CHARACTERS, read_encoded_text
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.scopes import Scope
from docmt_files.storage.files import PathLike
from docmt_files.strings.fluent_patterns import (
    PatternReader,
    name_of_variant,
    range_of,
    selector_of,
)
from docmt_files.strings.plural_branches import branches_for
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings

_KEYS = frozenset(("accesskey", "commandkey", "key", "keycode", "shortcut", "style"))
"""Attributes with keys of the keyboard and sizes, not text."""
_MAX_DEPTH = 3
"""Selectors deeper in others keep the variants of the source."""


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    notes = list(_notes(text, _parsed(text, path)))
    if target_language is not None:
        text = _with_variants(text, language, target_language, path)
    names = [name for name, _ in _named_strings(text, language, path)]
    find = partial(_strings, names=names, language=target_language or language, path=path)
    return read_strings(path, text, find, language, notes=notes, encode=encode)


def _parsed(text: str, path: PathLike) -> ast.Resource:
    """The entries of a file."""
    if text.startswith("\ufeff"):
        text = f"\n{text[1:]}"  # The parser would read it as junk.
    try:
        return FluentParser().parse(text)
    except RecursionError:
        raise InputError(
            "has placeables nested too deeply", path=path, cure="Remove the superfluous braces"
        ) from None


def _notes(text: str, resource: ast.Resource) -> Iterator[str]:
    """Notes on entries that are not valid, on names of brands, and on keys of the keyboard."""
    junk = [range_of(entry)[0] for entry in resource.body if isinstance(entry, ast.Junk)]
    if junk:
        line = text.count("\n", 0, junk[0]) + 1
        yield (
            f"{counted(len(junk), 'entry', 'entries')} not valid in Fluent, and left as before; "
            f"the first at line {line:,}"
        )
    if brands := sum(_is_brand(entry) for entry in resource.body):
        yield f"{counted(brands, 'term')} with the name of a brand not translated"
    keys = sum(
        attribute.id.name in _KEYS
        for entry in resource.body
        if isinstance(entry, ast.Message)
        for attribute in entry.attributes
    )
    if keys:
        yield f"{counted(keys, 'attribute')} with keys or sizes (such as accesskey) not translated"


def _is_brand(entry: ast.BaseNode) -> bool:
    """Return whether an entry is the name of a brand, by Mozilla's conventions for names."""
    return isinstance(entry, ast.Term) and "brand" in entry.id.name


_Name = tuple[str, ...]
"""Names a string: the message, the attribute, the variants, and a number if all else is equal."""


def _named_strings(text: str, language: str, path: PathLike) -> Iterator[tuple[_Name, FileString]]:
    """The strings of a file in order, each with its name."""
    resource = _parsed(text, path)
    terms = {
        entry.id.name: entry.value.elements[0].value
        for entry in resource.body
        if isinstance(entry, ast.Term)
        and len(entry.value.elements) == 1
        and isinstance(entry.value.elements[0], ast.TextElement)
    }
    reader = PatternReader(text, language, terms)
    seen: dict[_Name, int] = {}
    for pattern, scope in _patterns(resource):
        for string in reader.strings(pattern, scope):
            assert string.scope is not None
            name = tuple(each.value for each in string.scope.nearest() if each.kind == "key")
            seen[name] = seen.get(name, 0) + 1
            yield (*name, str(seen[name])), string


def _patterns(resource: ast.Resource) -> Iterator[tuple[ast.Pattern, Scope]]:
    """The patterns with text, each with its name and the comments on it."""
    group: Scope | None = None
    for entry in resource.body:
        if isinstance(entry, ast.GroupComment):
            group = Scope("note", entry.content) if entry.content else None
        if not isinstance(entry, (ast.Message, ast.Term)) or _is_brand(entry):
            continue
        comment = entry.comment and entry.comment.content
        outer = Scope("note", comment, group) if comment else group
        scope = Scope("key", ("-" if isinstance(entry, ast.Term) else "") + entry.id.name, outer)
        if entry.value is not None:
            yield entry.value, scope
        for attribute in entry.attributes if isinstance(entry, ast.Message) else ():
            if attribute.id.name not in _KEYS:
                yield attribute.value, Scope("key", attribute.id.name, scope)


def _strings(
    text: str, *, names: Sequence[_Name], language: str, path: PathLike
) -> list[FileString]:
    """The strings of these names. One that is missing, because a translation is not valid, is
    empty, so that the others are compared with themselves."""
    found = dict(_named_strings(text, language, path))
    strings: list[FileString] = []
    position = 0
    for name in names:
        string = found.get(name) or FileString("", [position], str)
        position = string.offsets[0]
        strings.append(string)
    return strings


class _Selects(visitor.Visitor):
    """Collects the select expressions of a depth, from 0 for those outside of others."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.found: list[ast.SelectExpression] = []

    def visit_SelectExpression(self, node: ast.SelectExpression) -> None:
        if self.depth == 0:
            self.found.append(node)
            return
        self.depth -= 1
        self.generic_visit(node)
        self.depth += 1


def _with_variants(text: str, language: str, target_language: str, path: PathLike) -> str:
    """A file in which selectors by number have the categories of the target language."""
    for depth in range(_MAX_DEPTH):
        selects = _Selects(depth)
        selects.visit(_parsed(text, path))
        patches = [
            patch
            for select in selects.found
            for patch in _variant_patches(text, select, language, target_language)
        ]
        grown = len(text) + sum(len(new) - (end - start) for start, end, new in patches)
        if grown > MAX_CHARACTERS:
            raise InputError(
                f"has more than {MAX_CHARACTERS:,} characters with the plural forms of "
                f"{target_language}",
                path=path,
                cure="Divide it into several files",
            )
        text = apply_patches(text, patches)
    return text


def _variant_patches(
    text: str, select: ast.SelectExpression, language: str, target_language: str
) -> Iterator[Patch]:
    """The patches that add and remove variants, in order."""
    selector = selector_of(select)
    own = {name_of_variant(each): each for each in select.variants}
    if not selector.is_plural or not 1 < len(own) == len(select.variants):
        return
    chosen = branches_for(list(own), language, target_language, ordinal=selector.is_ordinal)
    names = [name for name, _ in chosen]
    missing = [name for name in names if name not in own]
    lines = {name: _line_start(text, range_of(each)[0]) for name, each in own.items()}
    starts = [*lines.values(), _line_start(text, range_of(select)[1])]
    for number, (name, variant) in enumerate(own.items()):
        if name == "other" and missing:
            begin = range_of(variant)[0]
            indent = text[lines[name] : begin] + (" " if variant.default else "")
            rest = text[range_of(variant.key)[1] : starts[number + 1]]
            new = "".join(f"{indent}[{each}{rest}" for each in missing)
            yield lines[name], lines[name], new
        elif name not in names and not variant.default:
            yield lines[name], starts[number + 1], ""


def _line_start(text: str, offset: int) -> int:
    """The offset at which a line starts."""
    return text.rfind("\n", 0, offset) + 1
