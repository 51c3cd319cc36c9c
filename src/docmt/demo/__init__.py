"""What comes with docmt to try it on: a small corpus of real documents in English and German,
described in `corpus/README.md`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from docmt.errors import InputError


def corpus_file(name: str) -> Path:
    """The path of a file of the bundled corpus, for example `train.en.xz`.

    Raises:
        InputError: there is no file of that name.
    """
    # Packages are installed as files, never zipped, so the resource is a path on the disk.
    folder = Path(str(files(__name__))) / "corpus"
    names = sorted(path.name for path in folder.glob("*.xz"))
    if name not in names:
        raise InputError(
            f"no bundled file {name!r}", cure=f"Take one of {', '.join(names)}"
        )  # fmt: skip
    return folder / name
