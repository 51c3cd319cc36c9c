"""A paragraph takes time in proportion to its sentences: a transcript may be one paragraph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docmt_files import Input

LINES = {
    "md": "Select **OK** and `cmd` or [link](http://a.b/c) now.\n",
    "adoc": "Select *OK* and `cmd` or link:http://a.b/c[link] now.\n",
    "rst": "Select **OK** and ``cmd`` or `link <http://a.b/c>`__ now.\n",
    "html": "Select <b>OK</b> and <code>cmd</code> or <a href='c'>link</a> now.\n",
}


class CountedParts(tuple[Any, ...]):
    """The parts of a block, and how many of them were looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[Any]:
        for part in super().__iter__():
            CountedParts.looked_at += 1
            yield part

    def __reversed__(self) -> Iterator[Any]:
        for index in reversed(range(len(self))):
            yield self[index]

    def __getitem__(self, index: Any) -> Any:
        CountedParts.looked_at += 1
        return super().__getitem__(index)


def parts_looked_at(folder: Path, suffix: str, sentences: int) -> int:
    """How many parts are looked at to write a translated paragraph."""
    path = folder / f"long.{suffix}"
    text = LINES[suffix] * sentences
    path.write_text(f"<p>{text}</p>" if suffix == "html" else text, encoding="utf-8")
    (document,), skeleton = Input().read(str(path), "en", "de")
    assert len(document) == sentences
    (block,) = skeleton.found.blocks
    counted = replace(block, parts=CountedParts(block.parts))
    skeleton = replace(skeleton, found=skeleton.found._replace(blocks=[counted]))
    CountedParts.looked_at = 0
    target = [text.replace("now", "jetzt") for text in document.source]
    written = skeleton.fill([document.translated(target)])
    assert written.count("jetzt") == sentences
    return CountedParts.looked_at


@pytest.mark.parametrize("suffix", LINES)
def test_twice_the_sentences_of_a_paragraph_are_written_by_twice_the_work(tmp_path, suffix):
    once, twice = (parts_looked_at(tmp_path, suffix, count) for count in (20, 40))
    assert 1.5 * once < twice < 2.2 * once
