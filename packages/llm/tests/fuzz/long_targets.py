"""Documents of 200,000 sentences in every format: read, filled and written in linear time."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from docmt.output import Output, OutputFormat
from docmt.translating import translate_files
from docmt_files import FORMATS, BlockSkeleton, Input
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from formats.every_format import samples_of, write_sample
from fuzz.unfinished_targets import Capitals

SENTENCES = 200_000


def _sentences(draw: random.Random) -> list[str]:
    words = ["he", "it", "we", "red", "far", "old"]
    return [f"{draw.choice(words)} {i}." for i in range(SENTENCES)]


def _paragraphs(draw: random.Random, joint: str) -> str:
    """All sentences, in paragraphs of as many as are drawn."""
    size = draw.choice([1, 5, 200, SENTENCES])
    sentences = _sentences(draw)
    return joint.join(" ".join(sentences[i : i + size]) for i in range(0, SENTENCES, size))


def _html(draw: random.Random) -> str:
    return f"<html><body><p>{_paragraphs(draw, '</p><p>')}</p></body></html>"


def _json(draw: random.Random) -> str:
    return json.dumps({str(i): s for i, s in enumerate(_sentences(draw))})


def _cues(draw: random.Random) -> str:
    lines = []
    for i, sentence in enumerate(_sentences(draw)):
        minutes, second = divmod(i, 60)
        hours, minute = divmod(minutes, 60)
        time = f"{hours:02}:{minute:02}:{second:02}"
        lines.append(f"{i + 1}\n{time},000 --> {time},900\n{sentence}\n")
    return "\n".join(lines)


TEXTS: dict[str, Callable[[random.Random], str]] = {
    "in.txt": lambda draw: _paragraphs(draw, "\n\n"),
    "in.md": lambda draw: _paragraphs(draw, draw.choice(["\n\n", "\n\n- ", "\n\n> "])),
    "in.html": _html,
    "in.json": _json,
    "in.properties": lambda draw: "".join(f"k{i}={s}\n" for i, s in enumerate(_sentences(draw))),
    "in.strings": lambda draw: "".join(f'"{i}" = "{s}";\n' for i, s in enumerate(_sentences(draw))),
    "in.po": lambda draw: "".join(f'msgid "{s}"\nmsgstr ""\n\n' for s in ["", *_sentences(draw)]),
    "in.srt": _cues,
}


def fill_long(folder: Path, draw: random.Random) -> None:
    """Translate a file of 200,000 sentences, into itself or what shows both sides."""
    name = draw.choice(list(TEXTS))
    source = folder / name
    source.write_text(TEXTS[name](draw), encoding="utf-8")
    kind = draw.choice(["same", "same", "same", *get_args(OutputFormat)])
    output = folder / f"out{Output(kind).added_suffix}{source.suffix}"
    translate_files(Capitals(), [str(source)], [str(output)], form=Output(kind))
    if kind == "same":
        assert output.read_text("utf-8").count("IT") >= source.read_text("utf-8").count("it ")


PARAGRAPHS = {
    "docx": 1_900,
    "pptx": 2_800,
    "odf": 12_000,
    "epub": 18_000,
    "xlsx": 20_000,
    "xliff": 20_000,
}
"""Paragraphs of long files by their format; more equal ones in a package are taken for a bomb."""


def read_long_corpus(folder: Path, draw: random.Random) -> None:
    """Write and read a document of 200,000 sentences as a corpus."""
    sentences = tuple(_sentences(draw))
    document = Document("d", sentences, sentences)
    suffix = draw.choice([".tsv", ".jsonl", ".parquet", ""])
    files = [folder / f"a{suffix}"] if suffix else [folder / "a.en", folder / "a.de"]
    corpora.write([document], *files)
    (again,) = corpora.read(*files)  # Files of lines do not hold ids.
    assert (again.source, again.target) == (sentences, sentences)


def fill_long_sample(folder: Path, draw: random.Random) -> None:
    """Translate a long file in one of the formats that are packages or XML."""
    file_format = draw.choice([f for f in FORMATS if f.name in PARAGRAPHS])
    name, content = samples_of(file_format).long_file(PARAGRAPHS[file_format.name])
    path = write_sample(folder, name, content)
    documents, skeleton = Input().read(str(path), "en", "ar")
    assert isinstance(skeleton, BlockSkeleton)
    filled = skeleton.fill_and_report(
        [document.translated([s.upper() for s in document.source]) for document in documents]
    )
    assert filled.kept == 0
