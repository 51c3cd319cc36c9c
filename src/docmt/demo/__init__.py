"""The bundled corpus: a small set of real documents in English and German, to try docmt on.
`corpus/README.md` describes it.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from docmt.errors import InputError
from docmt.files import PathLike

__all__ = ["BUNDLED", "corpus_file", "resolve"]

BUNDLED = "bundled:"
"""The prefix of the name of a bundled file where a path may be given, as in a recipe."""


def corpus_file(name: str) -> Path:
    """The path of a file of the bundled corpus, for example `train.en.xz`.

    Raises:
        InputError: there is no file with that name.
    """
    # Packages are installed as files, never zipped, so the resource is a path on the disk.
    folder = Path(str(files(__name__))) / "corpus"
    names = sorted(path.name for path in folder.glob("*.xz"))
    if name not in names:
        raise InputError(f"no bundled file {name!r}", cure=f"Choose one of {', '.join(names)}")
    return folder / name


def resolve(path: PathLike) -> PathLike:
    """Replace `bundled:NAME` by the path of that bundled file; return any other path unchanged.

    Raises:
        InputError: there is no bundled file with that name.
    """
    name = str(path)
    return corpus_file(name.removeprefix(BUNDLED)) if name.startswith(BUNDLED) else path
