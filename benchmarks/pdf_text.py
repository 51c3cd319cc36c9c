"""How much of the structure of a text comes back out of a PDF, by libraries that read PDF.

    python benchmarks/pdf_text.py PAGE.md [PAGE.md …]       # pip install pypdfium2 pdfplumber pypdf

Each Markdown page becomes a PDF by LibreOffice. Its paragraphs, headings, items and cells of more
than 30 characters are looked for in what a library reads: in all of it, and as a unit of its own (a
box of pdfminer.six, a line of the others). Order is the share of neighbors that keep their order.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark").enable("table")
LEAST = 30


def units_of_pypdfium2(path: str) -> list[str]:
    pages = import_module("pypdfium2").PdfDocument(path)
    return [line for page in pages for line in page.get_textpage().get_text_range().splitlines()]


def units_of_pypdf(path: str) -> list[str]:
    pages = import_module("pypdf").PdfReader(path).pages
    return [line for page in pages for line in page.extract_text().splitlines()]


def units_of_pdfplumber(path: str) -> list[str]:
    with import_module("pdfplumber").open(path) as document:
        return [line for page in document.pages for line in page.extract_text().splitlines()]


def units_of_pdfminer(path: str) -> list[str]:
    container = import_module("pdfminer.layout").LTTextContainer
    pages = import_module("pdfminer.high_level").extract_pages(path)
    return [box.get_text() for page in pages for box in page if isinstance(box, container)]


READERS: dict[str, Callable[[str], list[str]]] = {
    "pypdfium2": units_of_pypdfium2,
    "pypdf": units_of_pypdf,
    "pdfplumber": units_of_pdfplumber,
    "pdfminer.six": units_of_pdfminer,
}


def joined(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


def blocks_of(markdown: str) -> list[str]:
    """The texts of the blocks of a page."""
    inline = (token for token in MARKDOWN.parse(markdown) if token.type == "inline")
    texts = (
        "".join(child.content for child in token.children or () if child.content)
        for token in inline
    )
    return [joined(text) for text in texts if len(text) > LEAST]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", type=Path, nargs="+")
    for page in parser.parse_args().pages:
        markdown = page.read_text(encoding="utf-8")
        blocks = blocks_of(markdown)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "page.html"
            body = MARKDOWN.render(markdown)
            source.write_text(f"<meta charset=utf-8>{body}", encoding="utf-8")
            for kind, name in (("odt", "page.html"), ("pdf", "page.odt")):
                command = ["soffice", "--headless", "--writer", "--convert-to", kind, name]
                subprocess.run(command, cwd=folder, check=True, capture_output=True)
            for reader, read in READERS.items():
                units = [joined(unit).removeprefix("•") for unit in read(f"{folder}/page.pdf")]
                text = "".join(units)
                places = [text.find(block) for block in blocks if block in text]
                order = [first <= second for first, second in pairwise(places)]
                print(
                    f"{page.name}\t{reader}\t{len(blocks)} blocks\t{len(places)} in the text\t"
                    f"{sum(block in set(units) for block in blocks)} units\t"
                    f"order {sum(order) / max(1, len(order)):.2f}"
                )


if __name__ == "__main__":
    main()
