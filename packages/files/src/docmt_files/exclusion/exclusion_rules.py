"""`ExclusionRules`: what a translation leaves as it is, from a small file.

    [[leave]]
    style = "Code*"                     # of paragraphs and characters in Word
    [[leave]]
    sheet = "Prices"
    column = ["B", "Notes"]
    [[leave]]
    pattern = 'ACME-\\d+'

All conditions of a rule hold at once, and one value of a list is enough. Values have the wildcards
`*` and `?`. A rule with a pattern leaves the parts of texts that match, other rules whole texts.
`placeholders = ['%\\w+%']` above the rules is short for rules with a pattern alone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from html import unescape
from typing import Any, cast, get_args

import regex

from docmt_files.base.errors import InputError, name_of
from docmt_files.base.wording import did_you_mean
from docmt_files.core.scopes import Scope, ScopeKind, key_path
from docmt_files.markup.html_tokens import attributes, html_tokens
from docmt_files.storage.files import PathLike, read_bytes

_MAX_BYTES = 1 << 20
_MAX_PATTERN = 2000
"""The maximum number of characters of a pattern."""
_NAMES = ("style", "element", "key", "sheet", "column", "slide", "part")
"""Conditions with names, which are also kinds of scopes."""
_KEYS = (*_NAMES, "hidden", "language", "pattern", "file")
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*leave[ \t]*\]\]", re.MULTILINE)
_SELECTOR = re.compile(
    r"([\w:*-]*)((?:\.[\w-]+|#[\w-]+|\[[\w:-]+(?:=(?:\"[^\"]*\"|[^\]\"]*))?\])*)"
)
_DETAIL = re.compile(r"\.([\w-]+)|#([\w-]+)|\[([\w:-]+)(?:=(?:\"([^\"]*)\"|([^\]\"]*)))?\]")

Fits = Callable[[Scope], bool]
"""Whether a single scope fulfills a condition."""


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """A rule.

    Attributes:
        title: the rule in words, for notes.
        line: the line of the file; 0 for a rule of an option.
        conditions: for each kind of scope whether a scope of the kind fits.
        pattern: the parts of texts to leave; None for whole texts.
        language: the code of a language, of which texts are left; None for any.
        file: the names of the files to which the rule applies.
    """

    title: str
    line: int
    conditions: Mapping[ScopeKind, Fits] = field(default_factory=dict, repr=False)
    pattern: regex.Pattern[str] | None = None
    language: str | None = None
    file: str = "*"

    def applies_to(self, path: PathLike) -> bool:
        """Return whether the rule is for a file, by its name or the end of its path."""
        name = str(path).replace("\\", "/")
        return any(fnmatchcase(name, pattern) for pattern in (self.file, f"*/{self.file}"))


@dataclass(frozen=True, slots=True)
class ExclusionRules:
    """The rules of a file. They count their matches.

    Attributes:
        rules: the rules.
        path: the file; None for rules of options alone.
        used: the rules that have left something; changed by their application.
    """

    rules: tuple[ExclusionRule, ...]
    path: PathLike | None = None
    used: set[int] = field(default_factory=set, repr=False, compare=False)

    def with_hidden(self) -> ExclusionRules:
        """The rules, and one for hidden content."""
        return replace(self, rules=(*self.rules, _HIDDEN))

    def with_placeholders(self, patterns: Sequence[str]) -> ExclusionRules:
        """The rules, and one for each regular expression of placeholders.

        Raises:
            InputError: one is not a regular expression, or is too long.
        """
        further = (ExclusionRule(each, 0, {}, _pattern(each)) for each in patterns)
        return replace(self, rules=(*self.rules, *further))

    @property
    def languages(self) -> dict[int, str]:
        """The rules about languages, with the codes."""
        return {i: rule.language for i, rule in enumerate(self.rules) if rule.language is not None}

    def unused(self) -> list[str]:
        """A note for each rule of the file that has left nothing in any file so far."""
        left = [rule for index, rule in enumerate(self.rules) if index not in self.used]
        return [
            f"{name_of(self.path or '')}, line {rule.line}: the rule ({rule.title}) matched nothing"
            for rule in left
            if rule.line
        ] + [
            f"the pattern of placeholders {rule.title} matched nothing"
            for rule in left
            if rule.pattern is not None and not rule.line
        ]


_HIDDEN = ExclusionRule("hidden", 0, {"hidden": lambda _: True})


def read_exclusion_rules(path: PathLike) -> ExclusionRules:
    """Read a file of rules.

    Raises:
        InputError: it is not TOML in UTF-8, has an unknown key or a value that no rule can have.
    """
    try:
        text = read_bytes(path, _MAX_BYTES).decode("utf-8-sig")
        values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InputError("is not in UTF-8", path=path, cure="Save it in UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        problem = f"is not valid TOML ({str(error).partition(' (at')[0]})"
        raise InputError(
            problem,
            path=path,
            line=int(line[1]) if line else None,
            cure='Write rules as [[leave]] and lines such as key = "errors.*"',
        ) from None
    reader = _Reader(path, text)
    for key in values:
        if key not in ("leave", "placeholders"):
            raise reader.error(f"unknown key {key!r}", 0, key, "Write each rule under [[leave]]")
    tables = values.get("leave", [])
    placeholders = list(reader.placeholders(values))
    if not isinstance(tables, list) or not (tables or placeholders):
        raise InputError("has no rules", path=path, cure="Write each rule under [[leave]]")
    rules = [reader.rule(i, table) for i, table in enumerate(tables)]
    return ExclusionRules((*rules, *placeholders), path)


def _pattern(text: str) -> regex.Pattern[str]:
    """Compile a regular expression.

    Raises:
        InputError: it is not one, or is too long.
    """
    parameters = ("placeholders",)
    if len(text) > _MAX_PATTERN:
        problem = f"`placeholders` has more than {_MAX_PATTERN} characters"
        raise InputError(problem, cure="Use several shorter patterns", parameters=parameters)
    try:
        return regex.compile(text)
    except regex.error as error:
        problem = f"`placeholders` is not a regular expression ({error})"
        raise InputError(
            problem,
            cure="Correct it, or put \\ before each character that stands for itself",
            parameters=parameters,
        ) from None


class _Reader:
    """Makes rules of the tables of a file."""

    def __init__(self, path: PathLike, text: str) -> None:
        self.path, self.text = path, text
        self.starts = [match.start() for match in _HEADER.finditer(text)]

    def error(self, problem: str, start: int, key: str, cure: str) -> InputError:
        """An error about a key, which is looked for from an offset on."""
        match = re.compile(rf"^\s*\[*\s*\"?{re.escape(key)}\b", re.MULTILINE).search(
            self.text, start
        )
        place = self.text.find(key, start) if match is None else match.end()
        line = self.text.count("\n", 0, max(place, 0)) + 1
        return InputError(problem, path=self.path, line=line, cure=cure)

    def placeholders(self, values: Mapping[str, Any]) -> Iterator[ExclusionRule]:
        """The rules of the patterns above all tables."""
        given = _listed(values.get("placeholders", []))
        if not all(isinstance(each, str) and each for each in given):
            cure = "Write placeholders = ['%\\w+%']"
            problem = "'placeholders' is neither a text nor a list of texts"
            raise self.error(problem, 0, "placeholders", cure)
        for each in given:
            line = self.text.count("\n", 0, max(self.text.find(each), 0)) + 1
            pattern = self._pattern(each, 0, "placeholders")
            yield ExclusionRule(f"placeholders = {each}", line, {}, pattern)

    def rule(self, index: int, table: Any) -> ExclusionRule:
        """The rule of a table."""
        start = self.starts[index] if index < len(self.starts) else 0
        if not isinstance(table, dict) or not set(table) - {"file"}:
            problem = "a rule without a condition"
            raise self.error(problem, start, "leave", f"Name one of {', '.join(_KEYS)}")
        for key, value in table.items():
            if key not in _KEYS:
                maybe = did_you_mean(key, _KEYS)
                problem = f"unknown key {key!r}" + (f": {maybe}" if maybe else "")
                raise self.error(problem, start, key, f"Known keys are {', '.join(_KEYS)}")
            self._check(key, value, start)
        if "language" in table and set(table) - {"language", "file"}:
            cure = "Write it as a rule of its own"
            raise self.error("`language` excludes other conditions", start, "language", cure)
        title = ", ".join(f"{key} = {_shown(value)}" for key, value in table.items())
        conditions: dict[ScopeKind, Fits] = {}
        for kind in get_args(ScopeKind):
            if kind in _NAMES and kind in table:
                conditions[cast(ScopeKind, kind)] = self._fits(kind, _listed(table[kind]), start)
        if "hidden" in table:
            conditions["hidden"] = lambda _: True
        return ExclusionRule(
            title,
            self.text.count("\n", 0, start) + 1,
            conditions,
            self._pattern(table["pattern"], start) if "pattern" in table else None,
            table.get("language"),
            table.get("file", "*"),
        )

    def _check(self, key: str, value: Any, start: int) -> None:
        """Refuse a value of the wrong type."""
        if key == "hidden":
            if value is not True:
                raise self.error("`hidden` is not true", start, key, "Write hidden = true")
        elif key in _NAMES:
            values = _listed(value)
            if not values or not all(isinstance(each, str) and each for each in values):
                problem = f"{key!r} is neither a text nor a list of texts"
                raise self.error(problem, start, key, f'Write {key} = "…"')
        elif not isinstance(value, str) or not value:
            raise self.error(f"{key!r} is not a text", start, key, f'Write {key} = "…"')

    def _pattern(self, text: str, start: int, key: str = "pattern") -> regex.Pattern[str]:
        if len(text) > _MAX_PATTERN:
            problem = f"`{key}` has more than {_MAX_PATTERN} characters"
            raise self.error(problem, start, key, "Write several rules")
        try:
            return regex.compile(text)
        except regex.error as error:
            problem = f"`{key}` is not a regular expression ({error})"
            raise self.error(problem, start, key, "Correct it") from None

    def _fits(self, kind: str, names: Sequence[str], start: int) -> Fits:
        """Return a check of scopes for a condition."""
        if kind == "element":
            for name in names:
                if _SELECTOR.fullmatch(name) is None:
                    cure = 'Write a name, a class or an attribute: "code", ".note", "[lang=la]"'
                    raise self.error(f"{name!r} does not select elements", start, kind, cure)
            return lambda scope: _is_selected(scope.value, names)
        if kind == "key":
            return lambda scope: any(fnmatchcase(key_path(scope), name) for name in names)
        folded = [name.casefold() for name in names]
        return lambda scope: any(fnmatchcase(scope.value.casefold(), name) for name in folded)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _shown(value: Any) -> str:
    return "true" if value is True else ", ".join(map(str, _listed(value)))


def _is_selected(tag: str, selectors: Sequence[str]) -> bool:
    """Return whether a start tag fits one of some selectors."""
    token = next(html_tokens(tag), None)
    if token is None or token.kind != "start":
        return False
    values = {
        name: unescape(tag[value.start : value.end])
        for name, value in attributes(tag, token).items()
    }
    return any(_fits_selector(token.name, values, selector) for selector in selectors)


def _fits_selector(name: str, values: Mapping[str, str], selector: str) -> bool:
    match = _SELECTOR.fullmatch(selector)
    assert match is not None, "selectors are checked when rules are read"
    if match[1] and not fnmatchcase(name, match[1].lower()):
        return False
    for class_, id_, attribute, *given in _DETAIL.findall(match[2]):
        wanted = next(filter(None, given), "*")
        if (
            (class_ and class_ not in values.get("class", "").split())
            or (id_ and values.get("id") != id_)
            or (
                attribute
                and not (
                    attribute.lower() in values and fnmatchcase(values[attribute.lower()], wanted)
                )
            )
        ):
            return False
    return True
