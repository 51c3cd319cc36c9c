"""What comes with docmt: models, which are run directories to translate with, and context adapters
of models that do not come with it. `en-de/README.md` and `adapters/README.md` are the cards.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, resolved
from docmt_nmt.corpora.demo import BUNDLED

__all__ = [
    "DEFAULT",
    "adapter_names",
    "check_not_bundled",
    "is_bundled",
    "names",
    "resolve",
    "resolve_adapter",
]

DEFAULT = f"{BUNDLED}en-de"
"""The model that translates where no run is named: technical documentation, English to German."""


def names() -> list[str]:
    """The names of the bundled models: the two languages.

    >>> names()
    ['en-de']
    """
    return sorted(path.parent.name for path in _folder().glob("*/recipe.yaml"))


def resolve(run: PathLike) -> Path:
    """Replace `bundled:NAME` by the run directory of that bundled model; return any other path
    unchanged.

    Raises:
        InputError: there is no bundled model with that name.

    >>> resolve("bundled:en-de").name, resolve("runs/mine").name
    ('en-de', 'mine')
    """
    name = _bundled(run, names(), "model")
    return Path(run) if name is None else _folder() / name


def adapter_names() -> list[str]:
    """The names of the bundled context adapters: the two languages.

    >>> adapter_names()
    ['en-pt']
    """
    return sorted(path.stem for path in (_folder() / "adapters").glob("*.safetensors"))


def resolve_adapter(adapter: PathLike) -> Path:
    """Replace `bundled:NAME` by the file of that bundled context adapter; return any other path
    unchanged.

    Raises:
        InputError: there is no bundled adapter with that name.

    >>> resolve_adapter("bundled:en-pt").name, resolve_adapter("mine.safetensors").name
    ('en-pt.safetensors', 'mine.safetensors')
    """
    name = _bundled(adapter, adapter_names(), "context adapter")
    return Path(adapter) if name is None else _folder() / "adapters" / f"{name}.safetensors"


def _bundled(path: PathLike, known: list[str], kind: str) -> str | None:
    """The NAME of `bundled:NAME`, one of those that are known; None for any other path."""
    if not str(path).startswith(BUNDLED):
        return None
    name = str(path).removeprefix(BUNDLED)
    if name not in known:
        raise InputError(f"no bundled {kind} {name!r}", cure=f"Choose one of {', '.join(known)}")
    return name


def is_bundled(run: PathLike) -> bool:
    """Return whether a run directory comes with docmt.

    >>> is_bundled("bundled:en-de"), is_bundled("runs/mine")
    (True, False)
    """
    return str(run).startswith(BUNDLED) or resolved(run).is_relative_to(resolved(_folder()))


def check_not_bundled(run: PathLike) -> None:
    """Check that a run directory that will be written into is not one that comes with docmt.

    Raises:
        InputError: it is.

    >>> check_not_bundled("runs/mine")
    """
    if is_bundled(run):
        raise InputError(
            "comes with docmt, and is not changed",
            path=run,
            cure=f"Copy it (`docmt export --run {run} -o DIR`), and name the copy",
        )


def _folder() -> Path:
    # Packages are installed as files, never zipped, so the resource is a path on the disk.
    return Path(str(files(__name__)))
