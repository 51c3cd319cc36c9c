"""How many line ends of real files end a passage, and how many are those of wrapped text.

    python benchmarks/short_lines.py FOLDER [FOLDER …] [--files 400]

The Markdown, HTML and text files below the folders are read, at most so many of each format, drawn
at random, of up to 200 kB each.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from docmt_files import Block, BlockSkeleton, Code, Text
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.inline import LineEnd
from docmt_files.core.sentence_cutting import cut_into_sentences
from docmt_files.markup import html, markdown
from docmt_files.text import running

READERS: dict[str, Callable[[Path, str], tuple[list[Document], BlockSkeleton]]] = {
    ".md": markdown.read,
    ".html": html.read,
    ".txt": partial(running.read, plain_text=True),
}


def main() -> None:
    """Print a row for each format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--files", type=int, default=400)
    arguments = parser.parse_args()
    found = sorted(chain.from_iterable(folder.rglob("*") for folder in arguments.folders))
    print("| format | files | blocks | of several lines | line ends | changed blocks |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for suffix, read in READERS.items():
        files = [path for path in found if _suffix(path) == suffix and path.is_file()]
        files = [path for path in files if path.stat().st_size < 200_000]
        random.Random(1).shuffle(files)
        counts = [0] * 5
        for path in files[: arguments.files]:
            try:
                _, skeleton = read(path, "en")
            except InputError:
                continue
            counts[0] += 1
            for number, count in enumerate(_counts(skeleton), start=1):
                counts[number] += count
        print(f"| `{suffix}` | " + " | ".join(f"{count:,}" for count in counts) + " |")


def _suffix(path: Path) -> str:
    """The suffix of a file; texts of packages have none."""
    return ".txt" if path.name in ("copyright", "README", "LICENSE", "NEWS") else path.suffix


def _counts(skeleton: BlockSkeleton) -> Iterator[int]:
    """The numbers of blocks, of those with several lines, of the line ends in these, and of those
    with other sentences than if all lines went on."""
    ends = [
        sum(isinstance(p, LineEnd) or (isinstance(p, Code) and p.text == "\n") for p in block.parts)
        for block in skeleton.found.blocks
    ]
    yield len(ends)
    yield sum(map(bool, ends))
    yield sum(ends)
    yield sum(
        [s.text for s in cut_into_sentences(block, "en")]
        != [s.text for s in cut_into_sentences(_on_one_line(block), "en")]
        for block, count in zip(skeleton.found.blocks, ends, strict=True)
        if count
    )


def _on_one_line(block: Block) -> Block:
    """A block whose lines all go on."""
    parts = (
        Text(part.start, part.end, part.text)
        if isinstance(part, LineEnd)
        else replace(part, text=" " if part.text == "\n" else part.text)
        for part in block.parts
    )
    return replace(block, parts=tuple(parts))


if __name__ == "__main__":
    main()
