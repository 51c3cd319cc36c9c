"""Random identifiers, and names of uploaded files."""

from __future__ import annotations

import secrets
from pathlib import Path

_MAX_NAME = 200
"""Maximum bytes of the name of a file."""


def new_id() -> str:
    """Make a random id of 128 bits, in the form that DeepL's clients know."""
    return secrets.token_hex(16).upper()


def new_secret() -> str:
    """Make a random key of a job, of 256 bits, in the form that DeepL's clients know."""
    return secrets.token_hex(32).upper()


def safe_name(name: str | None) -> str:
    """The name of an uploaded file without folders, and without characters of special meaning to a
    file system or a header.

    >>> safe_name("../../etc/pass\\nwd.docx")
    'pass_wd.docx'
    """
    base = (name or "").replace("\\", "/").rpartition("/")[2]
    kept = "".join(c if c.isprintable() and c not in '"\\/:*?<>|' else "_" for c in base)
    kept = kept.lstrip(". ") or "file"
    suffix = Path(kept).suffix[-20:]
    stem = kept.removesuffix(suffix)
    while len((stem + suffix).encode()) > _MAX_NAME:
        stem = stem[:-1]
    return stem + suffix
