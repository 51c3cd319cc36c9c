"""Fuzzing of users' files: a target for every format of `docmt_files.FORMATS`.

What is damaged are the samples of the format and, for some, longer files. A format whose files are
text and whose filled files are compared by their blocks needs nothing here.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from docmt_files import FORMATS, BlockSkeleton, Format, Input
from docmt_files.core.xml_encodings import decode_xml
from docmt_files.strings.qt_messages import qt_messages
from docmt_files.strings.xml_strings import XmlText
from formats.every_format import samples_of, write_sample
from fuzz.bilingual_targets import fill_bilingual
from fuzz.harness import Target
from fuzz.mutations import mutate_file
from fuzz.office_targets import fill_office
from fuzz.subtitle_targets import fill_messages, fill_subtitles

DOCS = Path(__file__).parents[4] / "docs"


def fill_markup(folder: Path, draw: random.Random) -> None:
    """A file filled with its own sentences is the same; with others it has the same blocks."""
    file = draw.choice(sorted(folder.iterdir()))
    mutate_file(file, draw)
    target_language = draw.choice([None, "de", "ar"])
    (document,), skeleton = Input().read(file, "en", target_language)
    assert isinstance(skeleton, BlockSkeleton)
    if draw.random() < 0.5:
        (document,), skeleton = skeleton.keep_words([], lambda *_: True)
    again = replace(skeleton, found=skeleton.found._replace(patches=()))
    same = again.fill_and_report([document.translated(document.source)])
    # For a target language, a message may have further plural forms.
    assert same.text == skeleton.text
    assert target_language is not None or same.data == file.read_bytes()
    change = draw.choice([str.upper, lambda sentence: f"{sentence[::-1]} * [", lambda _: ""])
    target = document.translated([change(s) for s in document.source])
    skeleton.fill([target])
    filled = again.fill([target])
    assert skeleton.find is not None
    assert len(skeleton.find(filled).blocks) == len(skeleton.found.blocks)


def fill_translations(folder: Path, draw: random.Random) -> None:
    """A file with sources and translations keeps the sources and the finished translations."""
    file = draw.choice(sorted(folder.iterdir()))
    mutate_file(file, draw)
    (document,), skeleton = Input().read(file, "en", draw.choice([None, "de", "ru", "ja"]))
    assert isinstance(skeleton, BlockSkeleton)
    original = decode_xml(file.read_bytes(), file)  # reads a mark of the encoding, too
    plain = replace(skeleton, found=skeleton.found._replace(patches=()), rules=None)
    assert plain.fill([document.translated(document.source)]) == skeleton.text
    change = draw.choice([str.upper, lambda sentence: f"{sentence[::-1]} &{{", lambda _: ""])
    target = document.translated([change(s) for s in document.source])
    assert skeleton.find is not None
    blocks = skeleton.find(plain.fill([target])).blocks
    assert len(blocks) == len(skeleton.found.blocks)
    kept = kept_in_catalog if file.suffix == ".xcstrings" else kept_in_qt
    assert kept(original) <= kept(skeleton.fill([target]))


def kept_in_catalog(text: str) -> set[str]:
    """The parts of a string catalog without localizations that are new or to be reviewed."""
    found = set()
    for key, entry in json.loads(text.removeprefix("\ufeff"))["strings"].items():
        localizations = entry.pop("localizations", {}) if isinstance(entry, dict) else {}
        found.add(json.dumps([key, entry]))
        for language, each in localizations.items() if isinstance(localizations, dict) else ():
            states = re.findall(r'"state": "(\w*)"', json.dumps(each))
            if set(states) - {"new", "needs_review"}:
                found.add(json.dumps([key, language, each]))
    return found


def kept_in_qt(text: str) -> set[str]:
    """The sources of a file of Qt, with the translations that are finished or not in use."""
    file = XmlText.read(text.removeprefix("\ufeff"), "-")
    return {
        repr(
            (
                file.meaning(message.source),
                message.is_to_fill(file, again=False)
                or [file.meaning(form) for form in message.forms(file)],
            )
        )
        for message in qt_messages(file)
    }


def write_markdown(folder: Path) -> None:
    """Real Markdown."""
    for name in ("concepts/text.md", "how-to/translate.md", "systems/san.md"):
        text = (DOCS / name).read_text(encoding="utf-8")
        start = len(text) // 3
        (folder / Path(name).name).write_text(text[start : start + 3000], encoding="utf-8")


def write_html(folder: Path) -> None:
    """Pages with what HTML has."""
    parts = [
        "<title>A title</title>",
        "<p>One <b>two <i>three</i></b>.\n Four.<br>Five</p>",
        "<p lang=en title='a b'>x <code>y</code> z</p>",
        "<ul><li>One<li>Two</ul>",
        "<script>if (a < b) c()</script>",
        "<!-- comment -->",
        "<pre>a\nb</pre>",
        "a&nbsp;b &lt; c",
        "<table><tr><td>a b<td>c d</table>",
        "<p translate=no>no <a href=x>link</a></p>",
        "<img alt=Logo src='a'>",
        "<p>{count} <span class=notranslate>x</span> of %s</p>",
    ]
    for seed in range(4):
        draw = random.Random(seed)
        body = "\n".join(draw.choices(parts, k=12))
        page = f'<!DOCTYPE html>\n<html lang="en"><body>\n{body}\n</body></html>\n'
        (folder / f"{seed}.html").write_text(page, encoding="utf-8")


RUN: Mapping[str, Callable[[Path, random.Random], None]] = {
    **dict.fromkeys(("docx", "pptx", "xlsx", "odf", "epub", "idml"), fill_office),
    **dict.fromkeys(("xliff", "tmx"), fill_bilingual),
    **dict.fromkeys(("subrip", "webvtt", "ass", "ttml"), fill_subtitles),
    "po": fill_messages,
    **dict.fromkeys(("qt", "xcstrings"), fill_translations),
}
"""How files of formats are damaged and filled; those of others by `fill_markup`."""

LONGER: Mapping[str, Callable[[Path], None]] = {"markdown": write_markdown, "html": write_html}
"""What writes longer files."""

COST = {
    "docx": 10,
    "pptx": 12,
    "xlsx": 8,
    "odf": 10,
    "epub": 12,
    "xliff": 20,
    "tmx": 12,
    "markdown": 30,
    "html": 7,
    "properties": 10,
    "android": 8,
    "resx": 8,
    "stringsdict": 10,
    "qt": 10,
    "xcstrings": 6,
    "fluent": 10,
}
"""Milliseconds of a case, where it takes more than a few."""


def write_files(folder: Path, file_format: Format) -> None:
    """The samples of a format and its longer files."""
    for name, content in samples_of(file_format).SAMPLES.items():
        write_sample(folder, name, content)
    if file_format.name in LONGER:
        LONGER[file_format.name](folder)


FORMAT_TARGETS = [
    Target(
        each.name,
        partial(write_files, file_format=each),
        RUN.get(each.name, fill_markup),
        cost=COST.get(each.name, 4),
        is_format=True,
    )
    for each in FORMATS
]
