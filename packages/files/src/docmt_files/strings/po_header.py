"""The header of a PO file: the encoding, the language, and the number of its plural forms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from docmt_files.base.languages import primary_language
from docmt_files.core.encodings import text_codec
from docmt_files.core.patches import Patch
from docmt_files.strings.plural_forms import gettext_formula, read_formula
from docmt_files.strings.po_entries import PoEntry

_FIELD = r'({name}:[ \t]*)((?:[^"\\\r\n]|\\(?!n))*)(?=\\n)'
_HEADER = re.compile(
    rb"^[ \t]*msgid[ \t]*\"\"[ \t]*[\r\n]+[ \t]*msgstr[ \t]*((?:\"[^\r\n]*+[\r\n]*+[ \t]*+)++)",
    re.MULTILINE,
)
_LANGUAGE, _PLURAL, _CHARSET = (
    re.compile(_FIELD.format(name=name)) for name in ("Language", "Plural-Forms", "Content-Type")
)


def is_header(text: str, entry: PoEntry) -> bool:
    """Return whether an entry has no source, as the header has none."""
    return "msgctxt" not in entry.strings and not entry.value(text, "msgid")


def header_of(text: str, entries: Iterable[PoEntry]) -> PoEntry | None:
    """The header of a file, or None."""
    return next((entry for entry in entries if is_header(text, entry)), None)


def plural_forms(
    text: str, header: PoEntry | None, target_language: str | None
) -> tuple[int, dict[int, str]]:
    """Number of plural forms of a translation, and the content of some forms: the form of the
    number one is filled with the singular (`one`), the form of most other numbers with the plural
    (`other`).

    Args:
        text: the file.
        header: the header of the file.
        target_language: the code of the target language.
    """
    formula = _wanted(text, header, target_language) or "nplurals=2; plural=(n != 1);"
    count_and_forms = read_formula(formula)
    if count_and_forms is None:
        return 2, {0: "one", 1: "other"}
    count, forms = count_and_forms
    if count == 1:
        return 1, {0: "other"}
    one = forms[1]
    most = Counter(form for form in forms if form != one).most_common(1)
    return count, {one: "one", **({most[0][0]: "other"} if most else {})}


def _own(text: str, header: PoEntry | None, field: re.Pattern[str]) -> re.Match[str] | None:
    return None if header is None else field.search(text, *header.strings["msgstr"])


def names_language(text: str, header: PoEntry | None, language: str | None) -> bool:
    """Return whether the header names a language, in any region."""
    field = _own(text, header, _LANGUAGE)
    primary = re.split(r"[_@.-]", field[2].strip())[0].lower() if field is not None else ""
    return language is not None and primary == primary_language(language)


def declared_language(text: str, header: PoEntry | None) -> str:
    """The language named by the header, or ""."""
    field = _own(text, header, _LANGUAGE)
    return "" if field is None else field[2].strip()


def _is_other_language(text: str, header: PoEntry | None, target_language: str | None) -> bool:
    """Return whether the header names another language than the target, or none."""
    return target_language is not None and not names_language(text, header, target_language)


def _wanted(text: str, header: PoEntry | None, target_language: str | None) -> str | None:
    """The formula of the output: the formula of the file, if it is valid and for the target
    language."""
    field = _own(text, header, _PLURAL)
    valid = field[2].strip() if field is not None and read_formula(field[2]) is not None else None
    known = gettext_formula(target_language) if target_language is not None else None
    if valid is not None and not _is_other_language(text, header, target_language):
        return valid
    return known or valid


def declared_charset(data: bytes) -> str | None:
    """The label of the encoding named by the header of a file, or None. Templates name none: they
    have `CHARSET` in its place."""
    header = _HEADER.search(data)
    match = header and re.search(rb"charset=(?!CHARSET\b)([\w.:+-]+)", header[1])
    return match[1].decode("ascii", "replace") if match else None


def with_charset(text: str, header: PoEntry | None, name: str) -> str:
    """A file with the name of an encoding in its header, unless the header has no such field or
    another name of the encoding."""
    field = _own(text, header, _CHARSET)
    match = field and re.search(r"charset=([\w.:+-]*)", field[2])
    if field is None or match is None or text_codec(match[1]) == text_codec(name):
        return text
    start, end = (field.start(2) + place for place in match.span(1))
    return f"{text[:start]}{name}{text[end:]}"


def header_patches(
    text: str, header: PoEntry | None, target_language: str | None
) -> Iterator[Patch]:
    """The patches of the fields with the language and the plural forms.

    Args:
        text: the file.
        header: the header of the file.
        target_language: the code of the target language.
    """
    if header is None or target_language is None:
        return
    start, end = header.strings["msgstr"]
    newline = "\r\n" if "\r\n" in text[start:end] else "\n"
    missing = ""
    field = _own(text, header, _LANGUAGE)
    name = target_language.replace("-", "_")
    if field is None:
        missing += f'{newline}"Language: {name}\\n"'
    elif _is_other_language(text, header, target_language):
        space = "" if field[1].endswith((" ", "\t")) else " "
        yield field.start(2), field.end(2), space + name
    wanted = _wanted(text, header, target_language)
    field = _own(text, header, _PLURAL)
    if field is not None and wanted is not None and field[2].strip() != wanted:
        space = "" if field[1].endswith((" ", "\t")) else " "
        yield field.start(2), field.end(2), space + wanted
    elif field is None and wanted is not None and "msgid_plural" in text:
        missing += f'{newline}"Plural-Forms: {wanted}\\n"'
    if missing and text.startswith('\\n"', end - 3):
        yield end, end, missing
