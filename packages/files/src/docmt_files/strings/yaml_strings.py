r"""YAML files of strings: locales of Rails, Symfony, Hugo, and any other.

String values with the look of text are translated, in every style; keys, comments, anchors, aliases
and all else stay. In memory, each string stands between two control characters, which YAML does not
allow: `key: \2text\3`. When the file is written, these go, and a string without quotation marks
gets them if its translation needs them (`: `, `yes`, `%{name}` at the beginning).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.languages import language_tag, primary_language, primary_subtag
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import Encode, read_encoded_text
from docmt_files.core.inline import Code
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import Literal
from docmt_files.storage.files import PathLike
from docmt_files.strings.message_branches import for_target
from docmt_files.strings.plural_forms import missing_categories
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.string_kinds import names_language
from docmt_files.strings.yaml_scalars import (
    Key,
    Scalar,
    Scalars,
    escape_double,
    is_read,
    needs_quotes,
    read_scalar,
    read_scalars,
)

_MARKED = re.compile("\x02([^\x02\x03]*)\x03")
_MARKS = re.compile("[\x02\x03]")
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_CATEGORIES = frozenset(("zero", "one", "two", "few", "many", "other"))
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
_IDENTIFIERS = frozenset(("id", "$ref"))
"""Keys whose values name something."""


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    found = read_scalars(text, path)
    notes = []
    if target_language is not None:
        forms = list(_plural_forms(text, found, language, target_language))
        if forms:
            text = apply_patches(text, sorted(forms))
            found = read_scalars(text, path)
            notes.append(
                f"{counted(len(forms), 'message')} with plural forms: the further forms of the "
                f"target language ({target_language}) have the text of the form other; check them"
            )
    outermost = [key.name for key in found.keys if key.owner == 0]
    strings = [
        replace(each, scope=_without_language(each.scope, outermost))
        for each in found.strings
        if _is_known(text, each)
    ]
    if unknown := len(found.strings) - len(strings):
        notes.append(f"{counted(unknown, 'string')} with unusual folding of lines not translated")
    if found.ambiguous:
        notes.append(
            f"{counted(found.ambiguous, 'word')} such as yes or no, true or false for YAML 1.1, "
            "not translated; if a string is meant, put it in quotation marks"
        )
    marks = [(at, at, sign) for s in strings for at, sign in ((s.start, "\x02"), (s.end, "\x03"))]
    patches = list(_language_patches(text, found.keys, language, target_language))
    find = partial(_strings, scalars=strings)
    marked = apply_patches(text, marks)
    marked = for_target(marked, find(marked), language, target_language, path)
    before = [mark[0] for mark in marks]
    return read_strings(
        path,
        marked,
        find,
        language,
        patches=[(_moved(s, before), _moved(e, before), new) for s, e, new in patches],
        notes=notes,
        encode=_Writer(text, strings, encode),
        message_language=target_language or language,
    )


def _is_known(text: str, scalar: Scalar) -> bool:
    return is_read(read_scalar(text, scalar.start, scalar.end, scalar), scalar)


def _without_language(scope: Scope, outermost: Sequence[str]) -> Scope:
    """A key without the outermost one, if that is the only one and names a language: programs ask
    for `menu.open`, and not for `en.menu.open`."""
    chain = list(scope.chain())
    if len(outermost) != 1 or len(chain) < 2 or not _LANGUAGE.fullmatch(outermost[0]):
        return scope
    inner: Scope | None = None
    for each in reversed(chain[:-1]):
        inner = Scope(each.kind, each.value, inner)
    return inner or scope


def _moved(offset: int, marks: Sequence[int]) -> int:
    """The offset of a character after marks before it. Marks are never within a key."""
    return offset + sum(mark <= offset for mark in marks)


def _strings(text: str, *, scalars: Sequence[Scalar]) -> list[FileString]:
    """The strings of a marked text, in order."""
    strings = []
    for match, scalar in zip(_MARKED.finditer(text), scalars, strict=False):
        literal = read_scalar(text, *match.span(1), scalar)
        assert literal is not None, "a translation keeps the header of a block"
        kept = scalar.scope.value in _IDENTIFIERS or names_language(
            scalar.scope.value, scalar.value
        )
        escape = _ESCAPES[scalar.style]
        codes = () if scalar.style == "|" else tuple(_paragraph_ends(text, literal))
        strings.append(
            FileString(*literal, escape, False if kept else None, codes, scope=scalar.scope)
        )
    return strings


def _paragraph_ends(text: str, literal: Literal) -> Iterator[Code]:
    """The line breaks of a string whose lines are folded, which an author has written as empty
    lines: they end blocks."""
    for index, character in enumerate(literal.value):
        if character == "\n" and text[literal.offsets[index]] != "\\":
            yield Code(index, index + 1, "void", text="\n\n")


def _escape_single(text: str) -> str:
    return _CONTROL.sub("\ufffd", text).replace("'", "''")


def _escape_block(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


def _escape_plain(text: str) -> str:
    """A text without quotation marks; the writer adds them."""
    return _MARKS.sub("\ufffd", text)


_ESCAPES: dict[str, Callable[[str], str]] = {
    "": _escape_plain,
    "'": _escape_single,
    '"': escape_double,
    "|": _escape_block,
    ">": _escape_block,
}


class _Writer:
    """Writes a marked text as a file.

    Args:
        text: the file without marks.
        scalars: the marked strings.
        encode: the bytes of a text.
    """

    def __init__(self, text: str, scalars: Sequence[Scalar], encode: Encode) -> None:
        self.scalars = scalars
        self.plain = [text[scalar.start : scalar.end] for scalar in scalars]
        self.encode = encode
        styles = Counter(scalar.style for scalar in scalars)
        self.prefers_double = styles['"'] >= styles["'"]

    def __call__(self, text: str) -> bytes:
        parts = []
        position = 0
        for match, scalar, before in zip(
            _MARKED.finditer(text), self.scalars, self.plain, strict=True
        ):
            parts.append(text[position : match.start()])
            written = match[1]
            if scalar.style or written == before:
                parts.append(written)
            else:
                parts.append(self._quoted(written, in_flow=scalar.in_flow))
            position = match.end()
        return self.encode("".join([*parts, text[position:]]))

    def _quoted(self, written: str, *, in_flow: bool) -> str:
        """A plain scalar, in quotation marks if it needs them."""
        value = re.sub(r"[ \t]*[\r\n][ \t\r\n]*", " ", written)
        if not needs_quotes(value, in_flow=in_flow):
            return written
        if _CONTROL.search(written) or self.prefers_double or "'" in value:
            lines = re.split(r"(\r\n|\r|\n)", written)
            return f'"{"".join(escape_double(x) if x.strip() else x for x in lines)}"'
        return f"'{_escape_single(written)}'"


def _language_patches(
    text: str, keys: Sequence[Key], language: str, target_language: str | None
) -> Iterator[Patch]:
    """The change of a key around the whole file that names the source language, as in Rails."""
    outermost = [key for key in keys if key.owner == 0]
    if target_language is None or len(outermost) != 1 or outermost[0].name == "":
        return
    (key,) = outermost
    if not names_language("lang", key.name) or primary_subtag(key.name) != primary_language(
        language
    ):
        return
    new = language_tag(target_language)
    new = new.replace("-", "_") if "_" in key.name else new
    quote = text[key.start] if text[key.start] in "'\"" else ""
    if not quote and needs_quotes(new, in_flow=False):
        quote = '"'
    yield key.start, key.end, f"{quote}{new}{quote}"


def _plural_forms(
    text: str, found: Scalars, language: str, target_language: str
) -> Iterator[Patch]:
    """The plural forms of the target language that the source lacks, as copies of the form
    `other`, in tables whose keys are such forms."""
    missing = missing_categories(language, target_language)
    keys: defaultdict[int, list[Key]] = defaultdict(list)
    for key in found.keys:
        keys[key.owner].append(key)
    if not missing:
        return
    strings: defaultdict[int, list[Scalar]] = defaultdict(list)
    for scalar in found.strings:
        strings[scalar.owner].append(scalar)
    for owner, of_table in keys.items():
        names = [key.name for key in of_table]
        new = [name for name in missing if name not in names]
        others = [s for s in strings[owner] if s.scope.value == "other"]
        is_plural = {"one", "other"} <= set(names) <= _CATEGORIES
        if not (is_plural and new and len(others) == 1):
            continue
        (other,) = others
        key = of_table[names.index("other")]
        before = text[text.rfind("\n", 0, key.start) + 1 : key.start]
        written = text[key.end : other.end]
        if other.in_flow:
            yield other.end, other.end, "".join(f", {name}{written}" for name in new)
        elif not before.strip() and "&" not in written.partition(text[other.start])[0]:
            ends = written.endswith(("\n", "\r"))
            line_end = "\r\n" if "\r\n" in text else "\n"
            lines = (f"{before}{name}{written}" for name in new)
            if ends:
                yield other.end, other.end, "".join(lines)
            else:
                end = re.compile(r"[^\r\n]*").match(text, other.end)
                assert end is not None
                yield end.end(), end.end(), "".join(f"{line_end}{line}" for line in lines)
