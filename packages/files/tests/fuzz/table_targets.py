"""Tables of which a column is translated, for damaging them."""

from __future__ import annotations

import random
from pathlib import Path

from docmt_files import BlockSkeleton, Columns, Input
from fuzz.mutations import mutate_file

TABLES = {
    "a.csv": 'id,text,title\r\n1,"a ""b"", c",One two\r\n2,"e\r\n\r\nf",g h\r\n' * 3,
    "b.csv": "\ufeffid;text\n1;see <b>it</b> {n}\n2;Two. Three.\n\n" * 3,
    "c.tsv": 'id\ttext\n1\t"a\tb"\n2\tHe said "x" now\n' * 3,
    "d.tab": "id\ttext\n1\tÖl ist da\n" * 3,
}


def write_tables(folder: Path) -> None:
    """Tables with several delimiters and quoting."""
    for name, text in TABLES.items():
        encoding = "utf-16-le" if name == "d.tab" else "utf-8"
        mark = "\ufeff" if name == "d.tab" else ""
        (folder / name).write_bytes((mark + text).encode(encoding))


def fill_table(folder: Path, draw: random.Random) -> None:
    """A table filled with its own sentences is the same; with others it has the same cells."""
    file = draw.choice(sorted(folder.iterdir()))
    mutate_file(file, draw)
    columns = Columns((draw.choice(["text", "2"]),))
    (document,), skeleton = Input(columns=columns).read(file, "en", "de")
    assert isinstance(skeleton, BlockSkeleton) and skeleton.find is not None
    same = skeleton.fill_and_report([document.translated(document.source)])
    assert same.data == file.read_bytes()
    change = draw.choice([str.upper, lambda sentence: f'{sentence[::-1]}", ;\t<', lambda _: ""])
    filled = skeleton.fill_and_report([document.translated([change(s) for s in document.source])])
    assert len(skeleton.find(filled.text).blocks) == len(skeleton.found.blocks)
