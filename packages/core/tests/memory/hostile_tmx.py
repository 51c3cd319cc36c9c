"""Damaged and hostile TMX files: each is read without a loss, or refused with an `InputError`.

python packages/core/tests/memory/hostile_tmx.py 10000
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from copy import deepcopy
from pathlib import Path

from lxml import etree

from docmt.memory import TranslationMemory, Unit
from docmt.memory.tmx_units import read_tmx, write_tmx
from docmt_files.base.errors import InputError

_PIECES = (
    b"<", b">", b"</seg>", b"<seg>", b"<tu>", b"</tu>", b"<ph/>", b"<bpt i='1'>", b"<sub>", b"]]>",
    b"<!--", b"&#0;", b"&lt;", b"&x;", b"\0", b"\xff", b"\xed\xa0\x80", b"xml:lang='de'", b"\n",
    b"<![CDATA[", b"<?x?>", b"<!DOCTYPE a>", b"\xe2\x80\xae", b"<hi>", b"<tuv xml:lang='en'>",
    b"changedate=\"x\"", b"<prop type='prev'>", b"<a xmlns='b'/>", b"&#xFFFE;", b" " * 1000,
)  # fmt: skip

_TEXTS = ("", " ", "a", "A  b\n c", "日本。", "\u202e", "\U0001f600", "<b>", "\ufeff", "x" * 3000)
_NAMES = (
    "{http://www.w3.org/XML/1998/namespace}lang",
    "lang",
    "i",
    "x",
    "changeid",
    "srclang",
    "type",
)

_UNITS = [
    Unit("Open the file.", "Öffnen.", "", "Wait 2 s.", "k", ((5, 9), (0, 7)), "a"),
    Unit("Wait 2 s.", "Warten.", "Open the file.", origin="a"),
    Unit('<b> & "c"', "日本", origin="b", is_reviewed=False),
]
_OTHER = b"""<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="*all*"><prop type="x">y</prop><note>n</note></header><body>
<tu tuid="1"><note>n</note><prop type="x-context-pre">&lt;seg>A&lt;/seg></prop>
<tuv xml:lang="en-GB"><seg>One <bpt i="1" x="1">&lt;i></bpt>two<ept i="1">&lt;/i></ept> <hi>x</hi>.
</seg></tuv><tuv lang="de"><seg>Eins <bpt i="1"/>zwei<ept i="1"/>.<it pos="begin">z</it></seg></tuv>
<tuv xml:lang="fr"><seg>Un</seg></tuv></tu><tu><tuv xml:lang="en"><seg/></tuv></tu></body></tmx>"""

SEEDS = ("".join(write_tmx(_UNITS, "en", "de")).encode(), _OTHER, _OTHER.decode().encode("utf-16"))


def _mutated_tree(draw: random.Random, seed: bytes) -> bytes:
    """A file with some elements lost, doubled, moved, renamed or filled: well-formed XML."""
    root = etree.fromstring(seed)
    for _ in range(draw.randint(1, 6)):
        elements = list(root.iter(etree.Element))
        one, other = draw.choice(elements), draw.choice(elements)
        what = draw.randrange(6)
        parent = one.getparent()
        if what == 0 and parent is not None:
            parent.remove(one)
        elif what == 1 and one is not root:
            other.insert(draw.randint(0, len(other)), deepcopy(one))
        elif what == 2:
            one.tag = draw.choice(("tu", "tuv", "seg", "prop", "ph", "bpt", "hi", "sub", "x", "TU"))
        elif what == 3:
            one.text, one.tail = draw.choice(_TEXTS), draw.choice(_TEXTS)
        elif what == 4:
            one.attrib[draw.choice(_NAMES)] = draw.choice(("en", "de", "docmt", "1", "", "prev"))
        elif one.attrib:
            del one.attrib[draw.choice(one.attrib.keys())]
    return etree.tostring(root, encoding=draw.choice(("utf-8", "utf-16", "iso-8859-1")))


def mutated(draw: random.Random, seed: bytes) -> bytes:
    """A file with some bytes lost, doubled, moved or put in, or a mutated tree."""
    if draw.random() < 0.6:
        return _mutated_tree(draw, seed)
    data = bytearray(seed)
    for _ in range(draw.randint(1, 6)):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.choice((0, 1, 5, 40, 400)))
        cut = bytes(data[start:end])
        new = draw.choice(
            (b"", cut * 2, cut[::-1], draw.choice(_PIECES), bytes([draw.randrange(256)]))
        )
        data[start:end] = new
        if draw.random() < 0.2:
            place = draw.randrange(len(data) + 1)
            data[place:place] = cut
    return bytes(data)


def _count_units(data: bytes) -> int:
    """The number of `<tu>` as another parser sees them."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    tags = (element.tag for element in etree.fromstring(data, parser).iter(etree.Element))
    return sum(str(tag).rpartition("}")[2].rpartition(":")[2].lower() == "tu" for tag in tags)


def try_mutation(draw: random.Random, seed: bytes, folder: Path) -> str:
    """Read a damaged file into a memory, and the memory's own file again. Returns what came of it.

    Raises:
        AssertionError: a unit was lost on the way.
    """
    path = folder / "a.tmx"
    data = mutated(draw, seed)
    path.write_bytes(data)
    notes: list[str] = []
    try:
        units = list(read_tmx(path, ("en", "de"), notes.append))
    except InputError:
        return "refused"
    left = sum(int(note.removeprefix(f"{path}: ").split()[0]) for note in notes)
    assert len(units) + left == _count_units(data), "each unit is read, or counted as left out"
    with TranslationMemory(None, ("en", "de")) as memory:
        memory.add(units)
        path.write_text("".join(write_tmx(memory.units(), "en", "de")), encoding="utf-8")
        assert list(read_tmx(path, ("en", "de"), notes.append)) == list(memory.units())
        for unit in units:
            assert memory.exact(unit.source)
    return "read"


def main() -> None:
    """Try as many files as asked for."""
    draw = random.Random(55)
    with tempfile.TemporaryDirectory() as folder:
        counts = Counter(
            try_mutation(draw, draw.choice(SEEDS), Path(folder)) for _ in range(int(sys.argv[1]))
        )
    told = ", ".join(f"{number:,} {what}" for what, number in sorted(counts.items()))
    sys.stdout.write(f"{told}\n")


if __name__ == "__main__":
    main()
