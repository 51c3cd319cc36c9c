"""Files of translations of Qt (`.ts`): each `<source>` is translated into its `<translation>`.

Finished translations are kept, and obsolete messages left alone. New translations are marked as
unfinished, to be reviewed. A message with a number gets the forms of the target language, each
translated with a number of the form. The file is prepared with the sources in the places of the
translations, as for PO.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language, primary_subtag
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import Block, Code
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.skeleton import FileRules
from docmt_files.storage.characters import escape_text
from docmt_files.storage.files import PathLike
from docmt_files.strings.plural_forms import qt_formula, read_formula
from docmt_files.strings.qt_messages import QtMessage, qt_messages
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.xml_strings import (
    InlineElement,
    XmlText,
    content_patch,
    read_xml,
    set_attributes,
    xml_string,
)

_NUMBER = re.compile(r"%L?n")
_UNFINISHED = {"type": "unfinished"}


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_xml(path)
    file = XmlText.read(text, path)
    if file.events[0].name != "TS":
        raise InputError(
            f"has <{file.events[0].name}> in the place of <TS>, so it has no translations of Qt",
            path=path,
            cure="Name the format that it has with `file_format`",
            parameters=("file_format",),
        )
    messages = list(qt_messages(file))
    named = primary_subtag(file.events[0].attributes.get("language", ""))
    target = primary_subtag(target_language or "")
    from_target = named == primary_language(language) != target
    chosen = [i for i, each in enumerate(messages) if each.is_to_fill(file, again=from_target)]
    kept = sum(each.has_translation(file) for each in messages) - sum(
        messages[index].has_translation(file) for index in chosen
    )
    other = target_language is not None and named not in ("", primary_language(target_language))
    if kept and other and not from_target:
        raise InputError(
            f"has translations into {named}, not into {target_language}",
            path=path,
            cure=f"Translate it into {named}, or a file without translations",
        )
    if kept and not chosen:
        raise InputError(
            "its only message is translated already"
            if kept == 1
            else f"all of its {kept:,} messages are translated already",
            path=path,
            cure='To translate one again, mark it with type="unfinished"',
        )
    numbers = _numbers(file, messages, target_language or named)
    patches = [
        patch
        for index in chosen
        for patch in _prepared(file, messages[index], numbers, from_target=from_target)
    ]
    if target_language is not None and named != primary_language(target_language):
        patches += set_attributes(file, 0, {"language": target_language.replace("-", "_")})
    prepared = apply_patches(text, sorted(patches))
    find = partial(_strings, path=path, chosen=chosen, numbers=numbers)
    documents, skeleton = read_strings(path, prepared, find, language, encode=encode)
    rules = QtRules(text, prepared, skeleton.found.blocks, chosen, kept)
    return documents, replace(skeleton, rules=rules)


def _numbers(file: XmlText, messages: Sequence[QtMessage], language: str) -> list[str]:
    """An example number for each form of a language, in order. A file with forms says how many."""
    counts = Counter(len(each.forms(file)) for each in messages if each.is_numerus)
    own = counts.most_common(1)[0][0] if counts else 0
    named = primary_subtag(file.events[0].attributes.get("language", ""))
    formula = read_formula(qt_formula(language) or "") if language else None
    if formula is not None and (own in (0, formula[0]) or named != primary_subtag(language)):
        count, forms = formula
        return [
            str(next((n for n in (*range(1, 200), 0) if forms[n] == form), 2))
            for form in range(count)
        ]
    return ["2"] if own == 1 else ["1", "2", *["5"] * (own - 2)]


def _prepared(
    file: XmlText, message: QtMessage, numbers: Sequence[str], *, from_target: bool
) -> Iterator[Patch]:
    """The patches that put the source of a message in the place of its translation."""
    texts = [file.text[slice(*file.content(message.source))]]
    if from_target and message.has_translation(file):
        texts = [file.text[slice(*file.content(form))] for form in message.forms(file)]
    content = texts[0]
    before = file.indent(message.source)
    if message.is_numerus:
        content, after = "", before
        gap = f"{before}    " if before else ""
        if forms := message.forms(file):
            gap = file.indent(forms[0])
            assert message.translation is not None
            after = file.text[file.end(forms[-1]) : file.content(message.translation)[1]]
        for number in numbers:
            own = texts[0] if number == "1" else texts[-1]
            content += f"{gap}<numerusform>{own}</numerusform>"
        content += after
    if message.translation is None:
        end = file.content(message.element)[1] - len(_last_indent(file, message.element))
        yield end, end, f'{before}<translation type="unfinished">{content}</translation>'
        return
    event = file.events[message.translation]
    if file.end(message.translation) == event.end:
        yield event.start, event.end, f'<translation type="unfinished">{content}</translation>'
        return
    yield content_patch(file, message.translation, content)
    yield from set_attributes(file, message.translation, _UNFINISHED)


def _last_indent(file: XmlText, element: int) -> str:
    """The white space before the end tag of an element."""
    inner = file.text[slice(*file.content(element))]
    return inner[len(inner.rstrip()) :]


def _strings(
    text: str, *, path: PathLike, chosen: Sequence[int], numbers: Sequence[str]
) -> list[FileString]:
    """The translations to fill, in order; `chosen` has the indices of their messages."""
    file = XmlText.read(text, path)
    messages = list(qt_messages(file))
    has_quotes = "&quot;" in text or "&apos;" in text
    strings = []
    for message in (messages[index] for index in chosen if index < len(messages)):
        forms = message.forms(file) if message.is_numerus else [message.translation]
        for form, number in zip(forms, numbers if message.is_numerus else [""], strict=False):
            if form is None:
                continue
            string = qt_string(file, form, number)
            escape = _escape_quotes if has_quotes else string.escape
            strings.append(string._replace(scope=message.scope, escape=escape))
    return strings


def qt_string(file: XmlText, element: int, number: str = "") -> FileString:
    """A source or a form of a translation, given its element; with a number that may stand for its
    `%n`."""
    string = xml_string(file, element, _inline, preserve=True)
    spans = [match.span() for match in _NUMBER.finditer(string.value)]
    words = number if len(spans) == 1 else ""
    codes = [*string.codes, *(Code(*span, "protected", words=words) for span in spans)]
    return string._replace(codes=tuple(sorted(codes, key=lambda code: code.start)))


def _escape_quotes(text: str) -> str:
    return escape_text(text).replace('"', "&quot;").replace("'", "&apos;")


def _inline(_: XmlText, __: int) -> InlineElement:
    """A `<byte>` is a character that XML lacks."""
    return InlineElement("void")


@dataclass(frozen=True, slots=True)
class QtRules(FileRules):
    """The rules for the filled forms of a file.

    Attributes:
        original: the file.
        prepared: the file with sources as translations.
        blocks: the blocks of the prepared file.
        chosen: the indices of the messages to translate.
        kept: how many translations are kept.
    """

    original: str
    prepared: str
    blocks: Sequence[Block]
    chosen: Sequence[int]
    kept: int

    def finish(self, text: str) -> str:
        return text

    def leave(self, text: str, blocks: Collection[int]) -> str:
        """A file with the messages of untranslated blocks as they were."""
        if not blocks:
            return text
        original, prepared, now = (
            XmlText.read(file, "-") for file in (self.original, self.prepared, text)
        )
        starts = sorted(self.blocks[index].parts[0].start for index in blocks)
        patches = []
        sides = zip(*map(qt_messages, (original, prepared, now)), strict=True)
        for before, between, after in sides:
            first, last = prepared.content(between.element)
            if any(first <= start < last for start in starts):
                old = original.text[slice(*original.content(before.element))]
                patches.append((*now.content(after.element), old))
        return apply_patches(text, patches)

    def notes(self, text: str) -> Iterator[str]:
        """How many messages are translated, kept and left."""
        now = XmlText.read(text, "-")
        original = XmlText.read(self.original, "-")
        pairs = list(zip(qt_messages(original), qt_messages(now), strict=True))
        left = sum(
            original.text[slice(*original.content(before.element))]
            == now.text[slice(*now.content(after.element))]
            for before, after in (pairs[index] for index in self.chosen)
        )
        if self.kept:
            yield (
                f"{counted(self.kept, 'message')} kept, translated already; to translate one "
                'again, mark it with type="unfinished"'
            )
        yield (
            f"{counted(len(self.chosen) - left, 'message')} translated and marked as unfinished, "
            "to be reviewed"
        )
        if left:
            yield f"{counted(left, 'message')} left as before"
