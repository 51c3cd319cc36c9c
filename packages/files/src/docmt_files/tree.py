"""`find_tree`: the contents of a folder to translate as a whole, and the path of each output.

Files of known formats are translated, others are copied, so the output can take the place of the
input: pictures and style sheets are found by pages. Hidden files are left out, and so is everything
outside the folder itself: links leading out of it, pipes and devices.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, NamedTuple

from docmt_files.base.errors import InputError, name_of
from docmt_files.base.messages import Message
from docmt_files.core.inline import has_word
from docmt_files.format_registry import format_of, plain_suffix
from docmt_files.reading.input import Input, is_configuration
from docmt_files.storage.files import PathLike, resolved

_HEAD = 4096
"""The bytes of a file read to tell text from other data."""

OtherFiles = Literal["copy", "skip"]
"""Treatments of files left untranslated."""


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Choice of the files of a folder to translate, and treatment of the others."""

    exclude: tuple[str, ...] = ()
    """For a folder: leave out files and folders of this name (`*.json`) or path (`en/api/*`); may
    be given several times."""

    other_files: OtherFiles = "copy"
    """For a folder: treatment of files left untranslated, such as pictures."""

    def excludes(self, path: Path) -> bool:
        """Return whether a path in the folder is left out."""
        return any(
            fnmatchcase(path.name, pattern) or fnmatchcase(path.as_posix(), pattern)
            for pattern in self.exclude
        )


class Reason(NamedTuple):
    """Reason why a file is not translated.

    Attributes:
        what: the kind of file, in a few words.
        cure: the way to have it translated, in one sentence without a full stop; empty if there is
            nothing to translate.
    """

    what: str
    cure: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder and the output path of each part. All paths are in the folder, and in order.

    Attributes:
        folder: the folder.
        output: the folder of the translation.
        translated: the files to translate, each with the path of its output.
        copied: the files to copy, with the reason.
        folders: the folders in it.
        links: the links to files in it, with their targets as written.
        left_out: everything else, with the reason.
        unreadable: the unreadable folders in it, with the reason.
    """

    folder: Path
    output: Path
    translated: list[tuple[Path, Path]] = field(default_factory=list)
    copied: list[tuple[Path, Reason]] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    links: list[tuple[Path, str]] = field(default_factory=list)
    left_out: list[tuple[Path, Reason]] = field(default_factory=list)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)


def find_tree(
    folder: PathLike,
    output: PathLike,
    input_form: Input,
    options: TreeOptions,
    added_suffix: str = "",
) -> Tree:
    """Go through a folder.

    Args:
        folder: the folder.
        output: the folder of the translation. It need not exist.
        input_form: settings of reading. With a format, only files of the format are translated.
        options: the choice of files to leave out.
        added_suffix: the suffix to add to the names of translated files, for outputs of another
            format than the input's: other files are not copied then.

    Raises:
        InputError: one of the folders is within the other, the output is a file, or nothing in the
            folder can be translated.

    >>> import pathlib
    >>> pathlib.Path("manual").mkdir()
    >>> _ = pathlib.Path("manual/guide.md").write_text("Select **OK**.")
    >>> tree = find_tree("manual", "handbuch", Input(), TreeOptions())
    >>> [output.name for _, output in tree.translated]
    ['guide.md']
    """
    if input_form.for_lines:
        raise InputError(
            "is a folder, and `segmented`, `boundaries` and `docids` are for files",
            path=folder,
            cure="Name the files in it",
            parameters=("segmented", "boundaries", "docids"),
        )
    tree = Tree(Path(folder), Path(output))
    _check_folders(tree)
    is_translated = input_form.chooser()
    keeps_names = not added_suffix
    for path in _entries(tree, options, keep_links=keeps_names):
        if is_translated(tree.folder / path):
            tree.translated.append((path, path.with_name(path.name + added_suffix)))
        else:
            is_copied = keeps_names and options.other_files == "copy"
            reason = _reason(tree.folder / path, input_form)
            (tree.copied if is_copied else tree.left_out).append((path, reason))
    if not tree.translated:
        formats = input_form.file_format or "a format that docmt translates"
        raise InputError(
            f"has no file of {formats}", path=folder, cure="Name another folder, or files"
        )
    return tree


def _reason(path: Path, input_form: Input) -> Reason:
    """The reason why a file is not translated: the refusal of the file by itself, or the reason
    against it in a folder."""
    # What knows corpora and first bytes takes long to load.
    from docmt_files.storage.corpus_names import is_line_file
    from docmt_files.text.columns import TABLE_SUFFIXES
    from docmt_files.text.plain_text import PICTURE, has_plain_name, what_it_is

    if input_form.file_format is not None or input_form.columns is not None:
        return Reason("of other formats")
    if is_configuration(path):
        return Reason("a configuration file by its name", _BY_ITSELF)
    file_format = format_of(path)
    if file_format is not None and file_format.mostly_other:
        return Reason("settings or code by its name and folder", _BY_ITSELF)
    if plain_suffix(path) in TABLE_SUFFIXES:
        cure = Message("Translate it with `columns`, by names or numbers", ["columns"])
        return Reason("a table", cure)
    kind = what_it_is(path)
    if kind is not None and kind != PICTURE:
        return Reason(*kind)
    try:
        if not is_line_file(path):
            return Reason("a corpus or data by its name", _BY_ITSELF)
    except InputError as error:
        return Reason(error.problem, error.cure or "")
    if kind is not None or not _is_text(path):
        return Reason("no text")
    if has_plain_name(path):
        return Reason("plain text by its name, but not .txt", _BY_ITSELF)
    cure = Message(f"{_BY_ITSELF}, as plain text with `file_format=text`", ["file_format=text"])
    return Reason("text in a format that docmt does not know", cure)


_BY_ITSELF = "Where it is to be translated, translate it by itself"


def _is_text(path: Path) -> bool:
    """Return whether a file begins as text in UTF-8 does, with a word in it."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
    return has_word(text) and not set("\0\ufffd") & set(text)


def _check_folders(tree: Tree) -> None:
    """Refuse an output that is a file, and two folders with one in the other."""
    source, target = resolved(tree.folder), resolved(tree.output)
    if target.exists() and not target.is_dir():
        raise InputError(
            "is a file, but the translation of a folder is a folder",
            path=tree.output,
            cure="Choose another `output`",
            parameters=("output",),
        )
    if source == target or source in target.parents or target in source.parents:
        raise InputError(
            f"is within the folder {name_of(tree.folder)}"
            if source in target.parents
            else f"is the folder {name_of(tree.folder)} or one around it",
            path=tree.output,
            cure="Choose a folder outside of it as `output`",
            parameters=("output",),
        )


def _entries(tree: Tree, options: TreeOptions, *, keep_links: bool) -> Iterator[Path]:
    """The files in a folder, by name, without hidden and excluded ones. Everything else in the tree
    is noted."""
    waiting = [Path()]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(tree.folder / folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            tree.unreadable.append((folder, f"the folder cannot be read ({error.strerror})"))
            continue
        inner: list[Path] = []
        for entry in entries:
            path = folder / entry.name
            if entry.name.startswith("."):
                tree.left_out.append((path, Reason("hidden")))
            elif options.excludes(path):
                tree.left_out.append((path, Reason("excluded")))
            elif entry.is_symlink():
                if keep_links:
                    _note_link(tree, path)
                else:
                    tree.left_out.append((path, Reason("links, as files are named otherwise")))
            elif entry.is_dir():
                tree.folders.append(path)
                inner.append(path)
            elif entry.is_file():
                yield path
            else:
                tree.left_out.append((path, Reason("neither files nor folders")))
        waiting += reversed(inner)


def _note_link(tree: Tree, path: Path) -> None:
    """Keep a link by a relative path to something in the folder; leave out others."""
    whole = tree.folder / path
    written = str(whole.readlink())
    goal = Path(os.path.normpath(path.parent / written))
    inside = not Path(written).is_absolute() and ".." not in goal.parts and whole.exists()
    if inside and resolved(whole).is_relative_to(resolved(tree.folder)):
        tree.links.append((path, written))
    else:
        reason = Reason("links that lead out of the folder or nowhere")
        tree.left_out.append((path, reason))
