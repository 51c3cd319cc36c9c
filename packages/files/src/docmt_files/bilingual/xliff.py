"""XLIFF 1.2 and 2.0 to 2.2, with the extensions of other tools.

The sources of segments are translated, in the order of the file, into their targets. Possible work
of a person in a target is kept; a note counts such targets. Inline elements are codes, with all
attributes. Written states follow the specifications: `needs-review-translation` with the qualifier
`leveraged-mt` (1.2), and `translated` with a substate of docmt (2.x). Tools show both as not yet
reviewed, and docmt translates such segments again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import language_tag, primary_subtag
from docmt_files.base.wording import counted
from docmt_files.bilingual.xliff_inline import inline_1, inline_2, sub_flows
from docmt_files.bilingual.xliff_matches import XliffMatches
from docmt_files.bilingual.xliff_segments import (
    SUBSTATE,
    Segment,
    is_to_fill,
    is_version_2,
    segments,
)
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import has_word
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.skeleton import NoTextError
from docmt_files.core.xml_events import XML_LANG, raw_name
from docmt_files.storage.files import PathLike
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.xml_strings import (
    XmlText,
    content_patch,
    kept_sections,
    read_xml,
    section_note,
    set_attributes,
    xml_string,
)

_CURE = "Check that it is an XLIFF file, version 1.2 or 2.0 to 2.2"
_AGAIN = "empty its target or set its state to needs-translation (in version 2: initial)"
_XML_ATTRIBUTE = re.compile(r"\s(?:xml:space|xmlns(?::[^\s=]+)?)\s*=\s*(?:\"[^\"]*\"|'[^']*')")


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_xml(path)
    file = XmlText.read(text, path)
    if not (is_version_2(file) or file.events[0].local_name == "xliff"):
        raise InputError("is not XLIFF", path=path, cure=_CURE)
    segments_of_file = list(segments(file))
    sources = frozenset(
        index
        for index, segment in enumerate(segments_of_file)
        if _is_source_text(file, segment, language, target_language)
    )
    chosen = sources | {
        i for i, segment in enumerate(segments_of_file) if is_to_fill(file, segment)
    }
    notes = list(_notes(file, segments_of_file, chosen, language, target_language))
    notes += _notes_of_sources(file, [segments_of_file[index] for index in sorted(sources)])
    kept = [segment for index, segment in enumerate(segments_of_file) if index not in chosen]
    _check_languages(file, kept, target_language, path)
    if kept and not chosen:
        raise NoTextError(
            "its only segment is translated already"
            if len(kept) == 1
            else f"all of its {counted(len(kept), 'segment')} are translated already",
            path=path,
            cure=f"To translate one again, {_AGAIN}",
        )
    text = _with_targets(file, [segments_of_file[index] for index in sorted(chosen - sources)])
    prepared = XmlText.read(text, path)
    patches = list(_patches(prepared, chosen, target_language))
    find = partial(_strings, chosen=chosen, path=path)
    documents, skeleton = read_strings(
        path, text, find, language, patches=patches, notes=notes, encode=encode
    )
    ends = [prepared.end(segment.holder) for segment in segments(prepared)]
    starts = (block.parts[0].start for block in skeleton.found.blocks)
    rules = XliffMatches([bisect_right(ends, start) for start in starts], file)
    return documents, replace(skeleton, rules=rules)


def _strings(text: str, *, chosen: Collection[int], path: PathLike) -> list[FileString]:
    """The strings of a file with targets in all segments to translate."""
    file = XmlText.read(text, path)
    inline = inline_2 if is_version_2(file) else inline_1
    return [
        xml_string(file, element, inline, preserve=segment.preserve)._replace(scope=segment.scope)
        for index, segment in enumerate(segments(file))
        if index in chosen and segment.target >= 0
        for element in _marked_segments(file, segment.target) or [segment.target]
    ]


def _marked_segments(file: XmlText, element: int) -> list[int]:
    """The `<mrk mtype="seg">` in an element, without nested ones."""
    marked: list[int] = []
    end = -1
    for index in range(element + 1, file.partners[element]):
        event = file.events[index]
        if (
            event.kind == "start"
            and index > end
            and event.local_name == "mrk"
            and event.attributes.get("mtype") == "seg"
        ):
            marked.append(index)
            end = file.partners[index]
    return marked


def _with_targets(file: XmlText, segments_of_file: list[Segment]) -> str:
    """The file with copies of the sources as the targets of segments."""
    patches: list[Patch] = []
    for segment in segments_of_file:
        start, end = file.content(segment.source)
        copy = file.text[start:end]
        if segment.target < 0:
            patches.append(_new_target(file, segment, copy))
        else:
            patches.append(content_patch(file, segment.target, copy))
    return apply_patches(file.text, patches)


def _new_target(file: XmlText, segment: Segment, copy: str) -> Patch:
    """A target behind a source, on a line of its own if the source is."""
    source = file.events[segment.source]
    prefix, colon, _ = raw_name(file.text, source).rpartition(":")
    name = f"{prefix}{colon}target"
    tag = file.text[source.start : source.end]
    kept = "".join(match[0] for match in _XML_ATTRIBUTE.finditer(tag))
    end = file.end(segment.source)
    return end, end, f"{file.indent(segment.source)}<{name}{kept}>{copy}</{name}>"


def _patches(
    file: XmlText, chosen: Collection[int], target_language: str | None
) -> Iterator[Patch]:
    """The patches of states and languages of translated segments."""
    filled = [segment for index, segment in enumerate(segments(file)) if index in chosen]
    for segment in filled:
        if is_version_2(file):
            yield from set_attributes(
                file, segment.holder, {"state": "translated", "subState": SUBSTATE}
            )
        else:
            if file.events[segment.holder].attributes.get("approved") == "yes":
                yield from set_attributes(file, segment.holder, {"approved": "no"})
            states = {"state": "needs-review-translation", "state-qualifier": "leveraged-mt"}
            yield from set_attributes(file, segment.target, states)
        if target_language and XML_LANG in file.events[segment.target].attributes:
            yield from set_attributes(
                file, segment.target, {XML_LANG: language_tag(target_language)}
            )
    if target_language:
        key = "trgLang" if is_version_2(file) else "target-language"
        holders = [0] if is_version_2(file) else sorted({segment.file for segment in filled})
        for holder in holders:
            state = file.events[holder].attributes.get(key)
            if state is None or primary_subtag(state) != primary_subtag(target_language):
                yield from set_attributes(file, holder, {key: language_tag(target_language)})


def _is_source_text(
    file: XmlText, segment: Segment, language: str, target_language: str | None
) -> bool:
    """Return whether a target is text in the source language, as in files of developers whose
    sources are keys (`button.save`), and so is what to translate."""
    if target_language is None or segment.target < 0:
        return False
    name = primary_subtag(_language_of(file, segment, "trgLang", "target-language"))
    source = _language_of(file, segment, "srcLang", "source-language") or language
    is_source = name == primary_subtag(source) != primary_subtag(target_language)
    return is_source and has_word(file.meaning(segment.target))


def _notes_of_sources(file: XmlText, of_file: list[Segment]) -> Iterator[str]:
    """The note on targets that were translated in place of their sources."""
    differ = sum(file.meaning(each.target) != file.meaning(each.source) for each in of_file)
    if differ:
        language = _language_of(file, of_file[0], "trgLang", "target-language")
        yield (
            f"{counted(differ, 'target')} translated, not the source, because the file has "
            f"{language} as the language of both"
        )


def _check_languages(
    file: XmlText, kept: list[Segment], target_language: str | None, path: PathLike
) -> None:
    """Refuse kept translations into another language than the target language."""
    for segment in kept:
        language_of_file = _language_of(file, segment, "trgLang", "target-language")
        if (
            language_of_file
            and target_language
            and primary_subtag(language_of_file) != primary_subtag(target_language)
        ):
            raise InputError(
                f"has translations into {language_of_file}, not {target_language}",
                path=path,
                line=file.text.count("\n", 0, file.events[segment.target].start) + 1,
                cure="Remove its targets, or translate into that language",
            )


def _language_of(file: XmlText, segment: Segment, name_2: str, name_1: str) -> str:
    """The language named by the file for a segment; "" for none."""
    if is_version_2(file):
        return file.events[0].attributes.get(name_2, "")
    return file.events[segment.file].attributes.get(name_1, "")


def _notes(
    file: XmlText,
    segments_of_file: list[Segment],
    chosen: Collection[int],
    language: str,
    target_language: str | None,
) -> Iterator[str]:
    """Return notes on segments left untranslated."""
    kept = len(segments_of_file) - len(chosen)
    if kept:
        yield (
            f"{counted(kept, 'segment')} kept, which {'is' if kept == 1 else 'are'} translated "
            f"already; to translate one again, {_AGAIN}"
        )
    subs = sum(sub_flows(file, segments_of_file[index].source) for index in chosen)
    if subs:
        yield f"{counted(subs, 'text')} in inline codes (<sub>) not translated"
    yield from section_note(
        sum(kept_sections(file, segments_of_file[index].source) for index in chosen)
    )
    named = {
        _language_of(file, segments_of_file[index], "srcLang", "source-language")
        for index in chosen
    }
    for name in sorted(named - {""}):
        if primary_subtag(name) != primary_subtag(language):
            yield f"the file names {name} as its source language; it was read as {language}"
    asked_for = {
        _language_of(file, segments_of_file[index], "trgLang", "target-language")
        for index in chosen
    }
    same = {primary_subtag(name) for name in (*named, language, target_language or "") if name}
    for name in sorted(asked_for - {""}):
        if target_language and primary_subtag(name) not in same:
            yield f"the file named {name} as its target language; it names {target_language} now"
