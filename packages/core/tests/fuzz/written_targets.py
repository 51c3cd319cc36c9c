"""Translation memories, XLIFF and other files of both sides, written from hostile text."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from lxml import etree

import docmt_nmt
from docmt.output import Output
from docmt_files import FORMATS, BlockSkeleton, Input
from docmt_files.core.xml_events import XML_LANG
from docmt_nmt.base.translations import Translation
from formats.every_format import samples_of, write_sample

PARTS = [
    *("word", " ", "  ", "<b>", "</b>", "&", "&amp;", "&#0;", "]]>", "<![CDATA[", "-->", "<!--"),
    *(
        "\t",
        "\r",
        "\n",
        "\x0b",
        "\x1b",
        "\0",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ufffe",
        "\uffff",
        "\ud800",
    ),
    *(
        "中",
        "e\u0301",
        "😀",
        "\u202e",
        '"',
        "'",
        "{0}",
        "%s",
        "<ph/>",
        "<seg>",
        "<?x?>",
        "\\",
        "$",
        "%",
    ),
    *(
        "</seg></tuv>",
        "</target>",
        "&lt;",
        "&nbsp;",
        "&#x41;",
        "<script>",
        "{{x}}",
        "\ue000",
        "\xa0",
    ),
]


def _text(draw: random.Random, longest: int = 8) -> str:
    return "".join(draw.choices(PARTS, k=draw.randint(0, longest)))


def _sentence(draw: random.Random) -> str:
    """A sentence as readers give them: on one line, without space around it."""
    return " ".join("".join(c for c in _text(draw) if c not in "\0\ud800").split()) or "a"


def write_view(folder: Path, draw: random.Random) -> None:
    """What shows both sides is read by other programs and by docmt, with the same sentences."""
    sources = [_sentence(draw) for _ in range(draw.randint(1, 4))]
    path = folder / "in.jsonl"
    path.write_text(json.dumps({"id": _sentence(draw), "source": sources}) + "\n")
    (document,), skeleton = Input().read(path, "en")
    target = tuple(" ".join(f"a{_text(draw)}".splitlines()) for _ in sources)
    translation = Translation.of(document.id, document.source, target)
    kind: Any = draw.choice(["tmx", "tmx", "tsv", "jsonl"])
    form = Output(kind)
    form.check([document])
    languages = draw.choice([("en", "de"), ("en_XX", "zh_Hans"), ("und", "und")])
    view = folder / f"out.{kind}"
    written = form.write(view, [translation], skeleton, languages=languages)
    expected = list(zip(sources, target, strict=True))
    if kind == "tmx":
        pairs = [
            tuple("".join(seg.itertext()) for seg in unit.iter("seg"))
            for unit in etree.fromstring(view.read_bytes()).iter("tu")
        ]
        _check_pairs(expected, pairs, written)
    else:
        (again,) = docmt_nmt.read(view)
        _check_pairs(expected, list(zip(again.source, again.target or (), strict=True)), written)


def _check_pairs(
    expected: list[tuple[str, str]], found: list[tuple[str, ...]], written: Any
) -> None:
    """Compare sentence pairs, but for white space; what a file cannot hold is noted."""
    assert len(found) == len(expected)
    kept = 0
    for (source, target), (source_read, target_read) in zip(expected, found, strict=True):
        if _words(target_read) != _words(target):
            kept += 1
            assert _words(target_read) == _words(source_read)
        if _words(source) != _words(source_read):
            assert "\ufffd" in source_read and written.notes
    assert kept <= written.kept and (not kept or written.notes), (expected, found)


def _words(text: str) -> list[str]:
    return text.split()


BILINGUAL = [f for f in FORMATS if f.name in ("tmx", "xliff")]


def write_bilingual_samples(folder: Path) -> None:
    """Sound files of both sides."""
    for file_format in BILINGUAL:
        for name, content in samples_of(file_format).SAMPLES.items():
            write_sample(folder, name, content)


def fill_hostile(folder: Path, draw: random.Random) -> None:
    """A filled file is well-formed for lxml, has its sources, and in its targets the words of the
    translations, or a note."""
    file = draw.choice(sorted(folder.iterdir()))
    (document,), skeleton = Input().read(file, "en", "ar")
    assert isinstance(skeleton, BlockSkeleton)
    target = [draw.choice(["Wort", ""]) + _text(draw) for _ in document.source]
    before = etree.fromstring(file.read_bytes())
    filled = skeleton.fill_and_report([document.translated(target)])
    after = etree.fromstring(filled.data)
    assert _sources(before) == _sources(after)
    text = "".join("".join(after.itertext()).split())
    for index, sentence in enumerate(target):
        words = [w for w in sentence.split() if w.isalpha()]
        found = all(word in text for word in words)
        assert found or filled.kept, (index, sentence)
    path = folder / f"again{file.suffix}"
    path.write_bytes(filled.data)
    (again,), _ = Input().read(path, "en", "ar")
    assert again.source == document.source


def _sources(root: Any) -> list[str]:
    """The texts of sources."""
    texts = []
    for element in root.iter(etree.Element):
        name = etree.QName(element).localname
        language = element.get(XML_LANG, element.get("lang", ""))
        if name == "source" or (name == "tuv" and language.startswith("en")):
            texts.append(etree.tostring(element, encoding="unicode", with_tail=False))
    return texts
