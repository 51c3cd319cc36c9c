"""What is fuzzed: the readers of office files and e-books."""

from __future__ import annotations

import random
from pathlib import Path
from zipfile import is_zipfile

from docmt_files import BlockSkeleton, Input
from fuzz.mutations import mutate_file, mutate_part


def fill_office(folder: Path, draw: random.Random) -> None:
    """As `fill_markup`, for packages, of which the archive or a part is damaged."""
    file = draw.choice(sorted(folder.iterdir()))
    if draw.random() < 0.2 or not is_zipfile(file):
        mutate_file(file, draw)
    else:
        mutate_part(file, draw)
    (document,), skeleton = Input().read(file, "en")
    assert isinstance(skeleton, BlockSkeleton)
    assert skeleton.fill_and_report([document.translated(document.source)]).data == (
        file.read_bytes()
    )
    language = draw.choice(["de", "ar"])
    (document,), skeleton = Input().read(file, "en", language)
    assert isinstance(skeleton, BlockSkeleton)
    change = draw.choice([str.upper, lambda sentence: f"{sentence[::-1]} * [", lambda _: ""])
    target = document.translated([change(s) for s in document.source])
    file.write_bytes(skeleton.fill_and_report([target]).data)
    _, again = Input().read(file, language)  # what is marked as in another language is not text
    assert isinstance(again, BlockSkeleton)
    assert len(again.found.blocks) == len(skeleton.found.blocks)
