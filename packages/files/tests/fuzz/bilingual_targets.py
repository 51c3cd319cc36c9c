"""Fuzzing of files with sources and targets: sources stay, and targets get their codes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from docmt_files import BlockSkeleton, Input
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_subtag
from docmt_files.core.xml_encodings import decode_xml, encode_xml
from docmt_files.core.xml_events import XML_LANG
from docmt_files.strings.xml_strings import XmlText
from fuzz.mutations import mutate_file


def fill_bilingual(folder: Path, draw: random.Random) -> None:
    """What is filled has the blocks of the file, and all that is not in a target."""
    file = draw.choice(sorted(folder.iterdir()))
    if draw.random() < 0.5:
        mutate_file(file, draw)
    else:
        rearrange(file, draw)
    form = Input(file_format="tmx") if file.suffix == ".tmx" else Input()
    (document,), skeleton = form.read(file, "en", draw.choice(["de", "ar", None]))
    assert isinstance(skeleton, BlockSkeleton) and skeleton.find is not None
    again = replace(skeleton, found=skeleton.found._replace(patches=()))
    assert again.fill([document.translated(document.source)]) == skeleton.text
    change = draw.choice([str.upper, lambda sentence: f"{sentence[::-1]} * [<", lambda _: ""])
    target = document.translated([change(s) for s in document.source])
    filled = again.fill([target])
    assert len(skeleton.find(filled).blocks) == len(skeleton.found.blocks)
    data = skeleton.fill_and_report([target]).data
    assert outside_targets(decode_xml(data)) == outside_targets(decode_xml(file.read_bytes()))


def rearrange(path: Path, draw: random.Random) -> None:
    """Delete, repeat or move elements, so that the file stays well-formed."""
    data = path.read_bytes()
    path.unlink()
    text = decode_xml(data)
    for _ in range(draw.choice([1, 2, 5])):
        file = XmlText.read(text, path)
        starts = [i for i, event in enumerate(file.events) if event.kind == "start"][1:]
        if not starts:
            break
        index, other = draw.choice(starts), draw.choice(starts)
        start, end = file.events[index].start, file.events[file.partners[index]].end
        at = file.events[other].end if draw.random() < 0.5 else file.events[other].start
        own = text[start:end] if draw.random() < 0.7 else ""
        text = f"{text[:at]}{own}{text[at:]}"
        if draw.random() < 0.3 and not start <= at < end:
            shift = len(own) if at <= start else 0
            text = f"{text[: start + shift]}{text[end + shift :]}"
        try:
            XmlText.read(text, path)
        except InputError:
            text = decode_xml(data)  # It was put into an empty-element tag.
    path.write_bytes(encode_xml(text, data))


def is_target(file: XmlText, index: int) -> bool:
    """Whether an element is a target, or the variant of a memory that may be one."""
    event = file.events[index]
    language = event.attributes.get(XML_LANG, event.attributes.get("lang", "en"))
    return event.local_name == "target" or (
        event.local_name == "tuv" and primary_subtag(language) != "en"
    )


def outside_targets(text: str) -> list[tuple[str, str]]:
    """The names of elements and the texts of a file that are not in targets; texts without their
    white space."""
    file = XmlText.read(text, "in.xml")
    found: list[tuple[str, str]] = []
    end = -1
    for index, event in enumerate(file.events):
        if event.kind == "start" and is_target(file, index) and index > end:
            end = file.partners[index]
        elif index > end and event.kind == "start":
            found.append(("start", event.name))
        elif index > end and event.text.strip():
            found.append((event.kind, event.text))
    return found
