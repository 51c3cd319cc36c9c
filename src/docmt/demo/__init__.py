"""What comes with docmt to try it on: a small corpus of real documents in English and German,
described in `corpus/README.md`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from docmt.errors import InputError
from docmt.files import PathLike

BUNDLED = "bundled:"
"""What the name of a bundled file begins with where a path may stand, as in a recipe."""


def corpus_file(name: str) -> Path:
    """The path of a file of the bundled corpus, for example `train.en.xz`.

    Raises:
        InputError: there is no file of that name.
    """
    # Packages are installed as files, never zipped, so the resource is a path on the disk.
    folder = Path(str(files(__name__))) / "corpus"
    names = sorted(path.name for path in folder.glob("*.xz"))
    if name not in names:
        raise InputError(f"no bundled file {name!r}", cure=f"Take one of {', '.join(names)}")
    return folder / name


def resolve(path: PathLike) -> PathLike:
    """A path as the file system knows it: that of a bundled file for `bundled:NAME`, any other as
    it is.

    Raises:
        InputError: there is no bundled file of that name.
    """
    name = str(path)
    return corpus_file(name.removeprefix(BUNDLED)) if name.startswith(BUNDLED) else path
