"""The patterns of Fluent files as strings: text, placeables as codes, and the variants of selectors
as strings of their own within the code of the selector.

Lines of a pattern are joined by a line break, whatever their indentation. In a variant for a
number, the placeable of the number has an example number as its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fluent.syntax import ast

from docmt_files.core.inline import Code
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import read_literal
from docmt_files.strings.plural_branches import CATEGORIES, examples
from docmt_files.strings.string_blocks import FileString

_LINE_END = re.compile(r"[ ]*(?:\r?\n[ ]*)+")
_BRACES = re.compile(r"[{}]")


class Number(NamedTuple):
    """The number of a variant: the name of the variable, and an example."""

    variable: str
    example: str


class Selector(NamedTuple):
    """What a select expression looks at.

    Attributes:
        variable: the name of the variable; empty for anything else, such as a term.
        is_plural: whether all variants are categories of numbers, or numbers.
        is_ordinal: whether the numbers are ordinal.
    """

    variable: str
    is_plural: bool
    is_ordinal: bool


def range_of(node: ast.BaseNode) -> tuple[int, int]:
    """The range of a node in the text."""
    span = getattr(node, "span", None)
    assert isinstance(span, ast.Span), "the parser gives the ranges of nodes"
    return span.start, span.end


def name_of_variant(variant: ast.Variant) -> str:
    """Return the key of a variant."""
    key = variant.key
    return key.name if isinstance(key, ast.Identifier) else str(key.value)


def selector_of(select: ast.SelectExpression) -> Selector:
    """Return what a select expression looks at."""
    is_plural = all(
        isinstance(each.key, ast.NumberLiteral) or name_of_variant(each) in CATEGORIES
        for each in select.variants
    )
    return Selector(_variable_of(select.selector), is_plural, _is_ordinal(select.selector))


def _variable_of(expression: object) -> str:
    """The name of a variable, also one in `NUMBER($variable)`; empty for another expression."""
    if isinstance(expression, ast.FunctionReference) and expression.id.name == "NUMBER":
        expression = next(iter(expression.arguments.positional), None)
    return expression.id.name if isinstance(expression, ast.VariableReference) else ""


def _is_ordinal(expression: object) -> bool:
    """Return whether an expression is of ordinal numbers, as `NUMBER($n, type: "ordinal")`."""
    return isinstance(expression, ast.FunctionReference) and any(
        each.name.name == "type" and each.value.value == "ordinal"
        for each in expression.arguments.named
    )


class PatternReader(NamedTuple):
    """Reads the patterns of a file.

    Attributes:
        text: the file.
        language: the code of the language whose numbers stand for placeables.
        terms: the texts of the terms of the file, by their names.
    """

    text: str
    language: str
    terms: Mapping[str, str]

    def strings(
        self, pattern: ast.Pattern, scope: Scope, number: Number | None = None
    ) -> Iterator[FileString]:
        """A pattern as a string, followed by the variants of the selectors in it."""
        if not pattern.elements:
            return
        values: list[str] = []
        offsets: list[int] = []
        codes: list[Code] = []
        inner: list[ast.SelectExpression] = []
        position = range_of(pattern.elements[0])[0]
        placeables = [each for each in pattern.elements if isinstance(each, ast.Placeable)]
        shown = [each for each in placeables if _shows(each, number)]
        for placeable in placeables:
            start, end = range_of(placeable)
            self._add_text(values, offsets, position, start)
            position = end
            expression = placeable.expression
            if isinstance(expression, ast.SelectExpression):
                inner.append(expression)
            words = self._words(expression)
            if number is not None and shown == [placeable]:
                words = number.example or words
            codes.append(Code(len(offsets), len(offsets) + 1, "protected", words=words))
            values.append("\0")
            offsets.append(start)
        end = range_of(pattern.elements[-1])[1]
        self._add_text(values, offsets, position, end)
        yield FileString("".join(values), [*offsets, end], _escape, codes=tuple(codes), scope=scope)
        for select in inner:
            for string in self._variants(select, scope, number):
                yield string._replace(is_nested=True)

    def _add_text(self, values: list[str], offsets: list[int], start: int, end: int) -> None:
        literal = read_literal(self.text, start, end, _LINE_END, _meaning)
        values.append(literal.value)
        offsets += literal.offsets[:-1]

    def _variants(
        self, select: ast.SelectExpression, scope: Scope, number: Number | None
    ) -> Iterator[FileString]:
        selector = selector_of(select)
        numbers = examples(self.language, ordinal=selector.is_ordinal)
        for variant in select.variants:
            name = name_of_variant(variant)
            own = number
            if selector.is_plural:
                default = name if isinstance(variant.key, ast.NumberLiteral) else ""
                own = Number(selector.variable, numbers.get(name, default))
            yield from self.strings(variant.value, Scope("key", name, scope), own)

    def _words(self, expression: object) -> str:
        """The words in the place of a placeable: the text of a term of the file, or a name in
        braces; empty for other expressions."""
        name = _variable_of(expression)
        if isinstance(expression, (ast.TermReference, ast.MessageReference)):
            name = expression.id.name
        if isinstance(expression, ast.TermReference) and name in self.terms:
            return self.terms[name]
        return f"{{{name}}}" if name else ""


def _meaning(line_end: str) -> str:
    """Return one line break, or two for blank lines, without indentation."""
    return "\n" * min(line_end.count("\n"), 2)


def _shows(placeable: ast.Placeable, number: Number | None) -> bool:
    """Return whether a placeable shows the number of a variant."""
    variable = _variable_of(placeable.expression)
    return number is not None and variable != "" and variable == number.variable


def _escape(text: str) -> str:
    return _BRACES.sub(lambda brace: f'{{"{brace[0]}"}}', text)
