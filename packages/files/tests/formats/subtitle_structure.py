"""What of a file of subtitles stays in its translation. Blocks do not: another language may end its
sentences elsewhere."""

from __future__ import annotations

import re

from docmt_files import BlockSkeleton
from docmt_files.core.inline import has_word
from docmt_files.subtitles.subtitle_cues import read_cues


def structure(skeleton: BlockSkeleton) -> list[object]:
    """The times of each cue, what is around its text, whether it has words, and the tags of the
    file that are no pair."""
    path = "a.vtt" if skeleton.text.lstrip("\ufeff").startswith("WEBVTT") else "a.srt"
    file = read_cues(skeleton.text, path)
    found: list[object] = []
    end = 0
    for cue in file.cues:
        first, last = cue.text_range()
        around = "".join(file.text[end:first].split())
        found.append((cue.start, cue.end, around, has_word(file.visible(first, last))))
        end = last
    found.append(sorted(re.findall(r"<v [^>]*>|<\d[\d:.]*>|\{\\an\d\}|♪", file.text)))
    return found
