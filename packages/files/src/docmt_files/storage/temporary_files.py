"""Hidden files and folders for outputs, until they are complete.

They lie beside the output, under a name such as `.out.txt.1f0c9a3b-4711-8a6f0c12.part`: the name of
the output, the writing system and process, and a random part. They are created, never opened:
another program's file or link of the same name is not touched.

A killed process leaves them behind. The next process writing in the same folder removes the
leftovers of ended processes, as far as it can tell: processes of this system since the last start,
in the same container.
"""

from __future__ import annotations

import functools
import os
import platform
import re
import secrets
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Literal, TypeVar

from docmt_files.base.system_calls import is_alive, open_flags, others_may

_LEFTOVER = re.compile(
    r"\.(?P<name>.+)\.(?P<system>[0-9a-f]{8})-(?P<process>[1-9]\d{0,8})-[0-9a-f]{8}"
    r"\.(?P<purpose>part|old)"
)

_Created = TypeVar("_Created")

_MAX_NAME_BYTES = 200
"""So much of an output's name is repeated; file systems limit names to 255 bytes."""


def hidden_path(path: Path, purpose: Literal["part", "old"]) -> Path:
    """A new hidden path beside a file or directory, for the new content while it is written
    (`part`) or for the replaced content (`old`)."""
    name = path.name
    if purpose == "part":
        name = os.fsdecode(os.fsencode(name)[:_MAX_NAME_BYTES])
    owner = f"{_system()}-{os.getpid()}-{secrets.token_hex(4)}"
    return path.with_name(f".{name}.{owner}.{purpose}")


def create_hidden_file(path: Path) -> tuple[Path, IO[bytes]]:
    """Create the hidden file for `path`, and open it for writing.

    Raises:
        OSError: it cannot be created.
    """
    flags = open_flags("O_WRONLY", "O_CREAT", "O_EXCL", "O_NOFOLLOW", "O_CLOEXEC")
    part, descriptor = _create_hidden(path, functools.partial(os.open, flags=flags, mode=0o666))
    return part, os.fdopen(descriptor, "wb")


def create_hidden_directory(path: Path) -> Path:
    """Create the hidden directory for `path`.

    Raises:
        OSError: it cannot be created.
    """
    return _create_hidden(path, Path.mkdir)[0]


def _create_hidden(path: Path, create: Callable[[Path], _Created]) -> tuple[Path, _Created]:
    """Create the hidden file or directory for `path` under an unused name."""
    _sweep_once(path.parent.absolute())
    while True:
        part = hidden_path(path, "part")
        with suppress(FileExistsError):
            return part, create(part)


def remove_leftovers(directory: Path) -> None:
    """Remove the leftovers of killed processes from a directory. No other process may be writing
    there.

    Raises:
        OSError: it may not be removed.
    """
    for path in directory.iterdir():
        if match := _LEFTOVER.fullmatch(path.name):
            _restore_or_remove(path, match)


@functools.lru_cache(maxsize=1024)
def _sweep_once(directory: Path) -> None:
    """Remove the leftovers of ended processes of this system from a directory, once per process."""
    try:
        folder = directory.stat()
        entries = list(directory.iterdir())
    except OSError:  # whoever writes there learns the reason
        return
    # Where other users may rename our files, a folder of ours could bear the name of a leftover.
    trusted = not others_may(folder, 0o022) or bool(folder.st_mode & stat.S_ISVTX)
    for path in entries:
        match = _LEFTOVER.fullmatch(path.name)
        if not match or match["system"] != _system() or is_alive(int(match["process"])):
            continue
        try:
            if trusted or not stat.S_ISDIR(path.lstat().st_mode):
                _restore_or_remove(path, match)
        except OSError:  # somebody else's, or somebody else was faster
            continue


def _restore_or_remove(path: Path, leftover: re.Match[str]) -> None:
    """Remove a leftover. The exception is a replaced directory whose process was killed before it
    put the new one in place: the old directory gets the former name back."""
    output = path.with_name(leftover["name"])
    if leftover["purpose"] == "old" and not os.path.lexists(output):
        path.rename(output)
    elif stat.S_ISDIR(path.lstat().st_mode):
        shutil.rmtree(path)
    else:
        path.unlink()


@functools.cache
def _system() -> str:
    """A digest of everything that identifies a process number: the host, the time of the host's
    start, and the container. On systems other than Linux the host alone."""
    known = [platform.node()]
    try:
        known.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        known.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    except OSError:
        pass
    return blake2b("\n".join(known).encode(), digest_size=4).hexdigest()
