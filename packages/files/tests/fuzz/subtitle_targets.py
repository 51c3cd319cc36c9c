"""Damaged subtitles and files of messages."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from docmt_files import BlockSkeleton, Input
from docmt_files.strings.po_entries import po_entries
from docmt_files.subtitles.subtitle_cues import read_cues
from fuzz.mutations import mutate_file


def fill_subtitles(folder: Path, draw: random.Random) -> None:
    """A file filled with its own sentences is the same; with others it has the same cues at the
    same times, and none of them lost its text."""
    file = draw.choice(sorted(folder.iterdir()))
    mutate_file(file, draw)
    (document,), skeleton = Input().read(file, "en", "de")
    assert isinstance(skeleton, BlockSkeleton)
    again = replace(skeleton, found=skeleton.found._replace(patches=()))
    same = again.fill_and_report([document.translated(document.source)])
    assert same.data == file.read_bytes()
    change = draw.choice(
        [
            str.upper,
            lambda sentence: f"{sentence[::-1]} --> - ♪ [",
            lambda _: "",
            lambda _: "Wort",
            lambda sentence: f"{sentence} {sentence}",
            lambda sentence: f"- {sentence}: 1\n2\n\n3",
        ]
    )
    filled = skeleton.fill([document.translated([change(s) for s in document.source])])
    before, after = read_cues(skeleton.text, file).cues, read_cues(filled, file).cues
    assert [cue[:3] for cue in after] == [cue[:3] for cue in before]
    assert [bool(cue.lines) for cue in after] == [bool(cue.lines) for cue in before]


def fill_messages(folder: Path, draw: random.Random) -> None:
    """A filled file has the entries of the file, with the same sources and keywords."""
    file = draw.choice(sorted(folder.iterdir()))
    mutate_file(file, draw)
    (document,), skeleton = Input().read(file, "en", draw.choice(["de", "ru", "ja"]))
    assert isinstance(skeleton, BlockSkeleton)
    assert skeleton.fill([document.translated(document.source)]) == skeleton.text
    change = draw.choice(
        [
            str.upper,
            lambda sentence: f'{sentence[::-1]} %s \\ " &x',
            lambda _: "",
            lambda sentence: f"{sentence} {sentence}",
        ]
    )
    filled = skeleton.fill([document.translated([change(s) for s in document.source])])
    before, after = po_entries(skeleton.text, file), po_entries(filled, file)
    for old, new in zip(before, after, strict=True):
        assert list(old.strings) == list(new.strings)
        assert old.is_fuzzy == new.is_fuzzy or not any(new.values(filled))
        for key in old.strings:
            if not key.startswith("msgstr"):
                assert old.value(skeleton.text, key) == new.value(filled, key)
