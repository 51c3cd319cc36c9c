"""Hidden files and folders that hold an output until it is complete.

They lie beside the output, under a name such as `.out.txt.1f0c9a3b-4711-8a6f0c12.part`: the name of
the output, which system and process writes it, and a random part. They are created, never opened:
a file or a link of that name that somebody else put there is not touched.

A process that is killed leaves them behind. The next process that writes in the same folder removes
those of processes that have ended, as far as it can tell: processes of this system since it was
started, in the same container.
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

_LEFTOVER = re.compile(
    r"\.(?P<name>.+)\.(?P<system>[0-9a-f]{8})-(?P<process>[1-9]\d{0,8})-[0-9a-f]{8}"
    r"\.(?P<purpose>part|old)"
)

_Created = TypeVar("_Created")

_MAX_NAME_BYTES = 200
"""So much of an output's name is repeated; file systems limit names to 255 bytes."""


def hidden_path(path: Path, purpose: Literal["part", "old"]) -> Path:
    """A new hidden path beside a file or directory, for its new content while it is written
    (`part`) or for what it replaces (`old`)."""
    name = path.name
    if purpose == "part":
        name = os.fsdecode(os.fsencode(name)[:_MAX_NAME_BYTES])
    owner = f"{_system()}-{os.getpid()}-{secrets.token_hex(4)}"
    return path.with_name(f".{name}.{owner}.{purpose}")


def create_hidden_file(path: Path) -> tuple[Path, IO[bytes]]:
    """Create the hidden file that is to become `path`, and open it for writing.

    Raises:
        OSError: it cannot be created.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    part, descriptor = _create_hidden(path, functools.partial(os.open, flags=flags, mode=0o666))
    return part, os.fdopen(descriptor, "wb")


def create_hidden_directory(path: Path) -> Path:
    """Create the hidden directory that is to become `path`.

    Raises:
        OSError: it cannot be created.
    """
    return _create_hidden(path, Path.mkdir)[0]


def _create_hidden(path: Path, create: Callable[[Path], _Created]) -> tuple[Path, _Created]:
    """Create what is to become `path` under a hidden name that nothing has yet."""
    _sweep_once(path.parent.absolute())
    while True:
        part = hidden_path(path, "part")
        with suppress(FileExistsError):
            return part, create(part)


def remove_leftovers(directory: Path) -> None:
    """Remove what killed processes left in a directory. No other process may be writing there.

    Raises:
        OSError: it may not be removed.
    """
    for path in directory.iterdir():
        if match := _LEFTOVER.fullmatch(path.name):
            _restore_or_remove(path, match)


@functools.lru_cache(maxsize=1024)
def _sweep_once(directory: Path) -> None:
    """Remove from a directory what ended processes of this system left there, once per process."""
    try:
        folder = directory.stat()
        entries = list(directory.iterdir())
    except OSError:  # whoever writes there learns the reason
        return
    # Where others may rename what is ours, a folder of ours could bear the name of a leftover.
    trusted = not folder.st_mode & 0o022 or bool(folder.st_mode & stat.S_ISVTX)
    for path in entries:
        match = _LEFTOVER.fullmatch(path.name)
        if not match or match["system"] != _system() or _is_alive(int(match["process"])):
            continue
        try:
            if trusted or not stat.S_ISDIR(path.lstat().st_mode):
                _restore_or_remove(path, match)
        except OSError:  # somebody else's, or somebody else was faster
            continue


def _restore_or_remove(path: Path, leftover: re.Match[str]) -> None:
    """Remove a leftover, unless its process was killed between putting the replaced directory
    aside and putting the new one in its place: then the old one gets its name back."""
    output = path.with_name(leftover["name"])
    if leftover["purpose"] == "old" and not os.path.lexists(output):
        path.rename(output)
    elif stat.S_ISDIR(path.lstat().st_mode):
        shutil.rmtree(path)
    else:
        path.unlink()


def _is_alive(process: int) -> bool:
    """Return whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to somebody else
        return True
    return True


@functools.cache
def _system() -> str:
    """A digest of what decides whether a process number means the same process: the host, when it
    was started, and the container. On systems other than Linux the host alone."""
    known = [platform.node()]
    try:
        known.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        known.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    except OSError:
        pass
    return blake2b("\n".join(known).encode(), digest_size=4).hexdigest()
