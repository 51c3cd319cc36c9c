"""The models that come with docmt: run directories to translate with. `en-de/README.md` is the card
of the one there is.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from docmt.demo import BUNDLED
from docmt.errors import InputError
from docmt.files import PathLike

__all__ = ["DEFAULT", "names", "resolve"]

DEFAULT = f"{BUNDLED}en-de"
"""The model that translates where no run is named: technical documentation, English to German."""


def names() -> list[str]:
    """The names of the bundled models: the two languages."""
    return sorted(path.parent.name for path in _folder().glob("*/recipe.yaml"))


def resolve(run: PathLike) -> Path:
    """Replace `bundled:NAME` by the run directory of that bundled model; return any other path
    unchanged.

    Raises:
        InputError: there is no bundled model with that name.
    """
    name = str(run)
    if not name.startswith(BUNDLED):
        return Path(run)
    name = name.removeprefix(BUNDLED)
    if name not in names():
        raise InputError(f"no bundled model {name!r}", cure=f"Choose one of {', '.join(names())}")
    return _folder() / name


def _folder() -> Path:
    # Packages are installed as files, never zipped, so the resource is a path on the disk.
    return Path(str(files(__name__)))
