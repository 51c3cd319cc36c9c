"""Seconds of the processor for one paragraph of many sentences with codes, such as a transcript.

    python benchmarks/long_blocks.py [--sentences 1000 2000 4000] [--json FILE]

Each row is a format; each cell is the time to read a file with one paragraph of so many sentences,
and to write it with a translation. Nothing is searched: the translation is the source with a word
changed. The last column is how many times as long four times as many sentences take.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from docmt_files import read
from measuring import machine, print_table

LINES = {
    "md": "Select **OK** and `cmd` or [link](http://a.b/c) now.\n",
    "adoc": "Select *OK* and `cmd` or link:http://a.b/c[link] now.\n",
    "rst": "Select **OK** and ``cmd`` or `link <http://a.b/c>`__ now.\n",
    "html": "Select <b>OK</b> and <code>cmd</code> or <a href='c'>link</a> now.\n",
    "txt": "Select OK and cmd or link now.\n",
}
"""A sentence with codes in each format."""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, nargs="+", default=[1000, 2000, 4000])
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    arguments = parser.parse_args()
    print(machine("docmt-files"))
    figures: dict[str, dict[str, float]] = {}
    rows = []
    with TemporaryDirectory() as folder:
        for suffix in LINES:
            seconds(Path(folder), suffix, 10)  # what a format loads
            times = [seconds(Path(folder), suffix, count) for count in arguments.sentences]
            figures[suffix] = dict(zip(map(str, arguments.sentences), times, strict=True))
            growth = times[-1] / times[0]
            rows.append([suffix, *(f"{value:.2f}" for value in times), f"{growth:.1f}"])
    heads = [f"{count:,} sentences, CPU-s" for count in arguments.sentences]
    print_table(["one paragraph", *heads, "times as long"], rows)
    if arguments.json:
        arguments.json.write_text(json.dumps({"figures": figures}, indent=1), "utf-8")


def seconds(folder: Path, suffix: str, sentences: int) -> float:
    """Seconds of the processor to read a paragraph of so many sentences and to write it."""
    path = folder / f"long.{suffix}"
    text = LINES[suffix] * sentences
    path.write_text(f"<p>{text}</p>" if suffix == "html" else text, "utf-8")
    start = time.process_time()
    documents, skeleton = read(path, "en", "de")
    translations = [
        document.translated([text.replace("now", "jetzt") for text in document.source])
        for document in documents
    ]
    skeleton.write(translations, folder / f"out.{suffix}")
    return time.process_time() - start


if __name__ == "__main__":
    main()
