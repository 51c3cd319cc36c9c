"""Bundled files to try docmt on: a small corpus of real documents in English and German
(`corpus/README.md`), a test set of technical documentation (`manuals/README.md`), and two files to
translate.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike

__all__ = ["BUNDLED", "corpus_file", "file_to_translate", "resolve"]

BUNDLED = "bundled:"
"""The prefix of the name of a bundled file where a path may be given, as in a recipe."""


def corpus_file(name: str) -> Path:
    """The path of a file of the bundled corpus, for example `train.en.xz`, or of the test set of
    technical documentation: `manuals.en.xz`, `manuals.de.xz`, `manuals.docids.xz`.

    Raises:
        InputError: there is no file with that name.

    >>> corpus_file("train.en.xz").name
    'train.en.xz'
    """
    paths = {path.name: path for path in sorted(_folder().glob("*/*.xz"))}
    if name not in paths:
        raise InputError(f"no bundled file {name!r}", cure=f"Choose one of {', '.join(paths)}")
    return paths[name]


def file_to_translate(name: str) -> Path:
    """The path of an English file that `docmt demo` translates: `guide.md` or `video.srt`.

    >>> file_to_translate("guide.md").read_text(encoding="utf-8").splitlines()[1]
    'title: Share a workbook'
    """
    return _folder() / "files" / name


def _folder() -> Path:
    # Packages are installed as files, never zipped, so the resource is a path on the disk.
    return Path(str(files(__name__)))


def resolve(path: PathLike) -> PathLike:
    """Replace `bundled:NAME` by the path of that bundled file; return any other path unchanged.

    Raises:
        InputError: there is no bundled file with that name.

    >>> resolve("bundled:test.en.xz").name, resolve("mine.en")
    ('test.en.xz', 'mine.en')
    """
    name = str(path)
    return corpus_file(name.removeprefix(BUNDLED)) if name.startswith(BUNDLED) else path
