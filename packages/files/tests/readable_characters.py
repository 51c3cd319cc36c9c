"""Characters that some reader refuses, or takes for something else."""

from __future__ import annotations

from hypothesis import strategies as st

CHARACTERS = [chr(code) for code in (*range(0x20), 0x7F, 0x85, 0x9F, 0xAD, 0x200B, 0x2028)] + [
    *("\ufeff", "\ufffe", "\uffff", "\ud800", "\udfff", "\ue000", "\ue001", "\U0001f469")
]
INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0xFEFF))
"""Characters left out of the sentences of a file."""


marks = st.lists(st.sampled_from(CHARACTERS), min_size=1, max_size=4).map("".join)


def on_one_line(text: str) -> str:
    """A text as it is written, without line breaks, and without other space."""
    return "".join("".join(text.splitlines()).split())
