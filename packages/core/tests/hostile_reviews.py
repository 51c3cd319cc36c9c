"""Damaged and hostile reviews: none may crash `docmt merge`, and no translation may be lost in
silence.

    python packages/core/tests/hostile_reviews.py 10000 [FIRST_SEED]

A seed gives a review in one of three forms, and one to four changes: bytes flipped, parts cut,
doubled, moved or replaced, things inserted that break readers. Either the file is refused, or each
translation that an independent parser finds in it is in the merged file or its unit is named in a
note; and so is each unit that has none.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from docmt.output import Output
from docmt.translating import translate_files
from docmt.translating.reviews import merge_review
from docmt_files.base.errors import InputError
from shouting_translator import Shouting

TEXT = """# The **first** part

Press **OK** now. Wait `20` seconds. See [the *page* of](http://example.org) it.

- Open *the* file.
- Close {name} again.

> Never mind. Nobody _reads **this**_ twice.

Open *the* file.
"""
KINDS = {"xliff": ".xlf", "xliff-1.2": ".xlf", "json": ".json"}
_IDS = re.compile(r"\bu\d+\b")
_INSERTED = (
    b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"&#0;", b"&#xD800;", b"]]>", b"<![CDATA[", b"-->",
    b"<!--", b"<?x?>", b"<a>" * 300, b"\0", b"\xff", b"\xed\xa0\x80", "\u202e\u00ad".encode(),
    b"</target>", b"<target>", b"<target/>", b"<unit id='u1'/>", b'<ph id="99"/>', b"<mrk>",
    b"</mrk>", b'<g id="1"/>', b'{"id": "1", "kind": "open"}', b"null", b"1e999", b"NaN",
    b"[" * 2000,
    b'\\ud800', b'"target": null,', b'"units": [],', b"state='final'", b"u2", b"s2", b"9" * 5000,
)  # fmt: skip


def reviews(folder: Path) -> dict[str, bytes]:
    """The reviews of a file in each form; the file is in the folder."""
    source = folder / "a.md"
    source.write_text(TEXT)
    made = {}
    for kind in ("xliff", "xliff-1.2", "html-review"):
        output = folder / ("a.html" if kind == "html-review" else "a.xlf")
        translate_files(Shouting("en", "de"), [str(source)], [str(output)], form=Output(kind))
        made[kind] = output.read_bytes()
    page = etree.HTML(made.pop("html-review"))
    values = json.loads(page.xpath("//script[@id='review']")[0].text)
    return made | {"json": json.dumps(values, ensure_ascii=False, indent=1).encode()}


def changed(content: bytes, chance: random.Random) -> bytes:
    """A review with one to four changes, half of the reviews by whole elements and words alone."""
    changes = _CHANGES if chance.random() < 0.5 else (_elements, _words)
    for _ in range(chance.randint(1, 4)):
        content = chance.choice(changes)(content, chance)
    return content


def _flip(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) or 1)
    return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]


def _span(content: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(content) or 1)
    return start, start + chance.choice((1, 3, 10, 50, 400))


def _cut(content: bytes, chance: random.Random) -> bytes:
    start, end = _span(content, chance)
    return content[:start] + content[end:]


def _double(content: bytes, chance: random.Random) -> bytes:
    start, end = _span(content, chance)
    return content[:end] + content[start:]


def _truncate(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) or 1)]


def _insert(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) or 1)
    return content[:at] + chance.choice(_INSERTED) + content[at:]


def _elements(content: bytes, chance: random.Random) -> bytes:
    """Whole elements or objects cut, doubled or exchanged, so that the file is well-formed."""
    parts = list(
        re.finditer(
            rb"<(unit|group|segment|trans-unit|target|source|pc|g|notes)\b.*?</\1>", content, re.S
        )
    )
    parts = parts or list(re.finditer(rb"\{[^{}]*\}", content))
    if not parts:
        return content
    first, second = chance.choice(parts), chance.choice(parts)
    replacement = chance.choice((b"", first[0] * 2, second[0]))
    return content[: first.start()] + replacement + content[first.end() :]


def _words(content: bytes, chance: random.Random) -> bytes:
    """A word or an id in place of another."""
    words = list(re.finditer(rb"\w+", content))
    if not words:
        return content
    first, second = chance.choice(words), chance.choice(words)
    return content[: first.start()] + second[0] + content[first.end() :]


_CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip, _cut, _double, _truncate, _insert, _elements, _words,
)  # fmt: skip


def targets_in(kind: str, content: bytes) -> Iterator[tuple[str, str]]:
    """The units of a review with their texts between codes, as another parser reads them."""
    if kind == "json":
        for unit in json.loads(content)["units"]:
            for segment in unit["segments"]:
                for part in segment["target"] or ():
                    if isinstance(part, str):
                        yield unit["id"], part
        return
    # Of a damaged declaration docmt is more tolerant.
    content = re.sub(rb"\A<\?xml.*?\?>", b"", content)
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, huge_tree=True))
    namespace = etree.QName(root).namespace
    space = f"{{{namespace}}}" if namespace else ""
    holders = root.iter(f"{space}segment", f"{space}trans-unit")
    for holder in holders:
        ancestors = [holder, *holder.iterancestors()]
        names = {etree.QName(each).localname for each in ancestors}
        if names - {"xliff", "file", "body", "group", "unit", "segment", "trans-unit"}:
            continue
        id_ = (
            holder.get("id", "").rpartition("-")[0]
            if kind == "xliff-1.2"
            else holder.getparent().get("id", "")
        )
        for target in holder.findall(f"{space}target")[:1]:
            for part in target.itertext():
                yield id_, part


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def check(kind: str, content: bytes, folder: Path) -> str:
    """Merge a review.

    Returns:
        How it ended.

    Raises:
        AssertionError: a translation is lost in silence.
    """
    edited = folder / f"edited{KINDS[kind]}"
    edited.write_bytes(content)
    notes: list[str] = []
    output = folder / "merged.md"
    output.unlink(missing_ok=True)
    try:
        problems = merge_review(edited, output, source=folder / "a.md", note=notes.append).problems
    except InputError:
        assert not output.exists(), "what is refused is not written"
        return "refused"
    merged, named = _letters(output.read_text()), set(_IDS.findall(" ".join(notes[1:])))
    found = set()
    for name, text in targets_in(kind, content):
        if _letters(text):
            found.add(name)
            fits = _letters(text) in merged or name in named or "not in the file" in " ".join(notes)
            assert fits, f"the translation of {name} is lost: {text!r}"
    lost = {f"u{index + 1}" for index in range(6)} - found - named
    assert not lost, f"not translated, and not named: {lost}"
    return "merged with notes" if problems else "merged"


def main(number: int, first: int = 0) -> Counter[str]:
    """Try reviews, from a seed on."""
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sound = reviews(folder)
        for seed in range(first, first + number):
            chance = random.Random(seed)
            kind = chance.choice(list(sound))
            content = changed(sound[kind], chance)
            try:
                ends[check(kind, content, folder)] += 1
            except Exception as error:
                error.add_note(f"seed {seed}, {kind}")
                raise
    return ends


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", type=int, help="the number of reviews")
    parser.add_argument("first", type=int, nargs="?", default=0, help="the first seed")
    asked = parser.parse_args()
    sys.stdout.write(f"{dict(main(asked.number, asked.first))}\n")
