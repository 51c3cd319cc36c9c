"""Calls that not every operating system has, and what stands in for them: the only module that asks
which system it is. Linux has all of them; macOS lacks the count of usable processors; Windows lacks
owners, modes, handles of directories and several flags of `open`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Lock

_ON_WINDOWS = os.name == "nt"

_PLACE = Lock()
"""Of all descriptors that are read from a place."""


def open_flags(*names: str) -> int:
    """Flags of `os.open` by name, such as `O_NOFOLLOW`, as far as the system has them. Windows
    would change line ends without `O_BINARY`.

    >>> open_flags("O_RDONLY") == os.O_RDONLY
    True
    """
    flags = getattr(os, "O_BINARY", 0)
    for name in names:
        flags |= getattr(os, name, 0)
    return flags


def processor_count() -> int:
    """Number of processors that this process may use, or of all where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def has_cheap_forks() -> bool:
    """Return whether a process can divide into several that share its memory. macOS can, but its
    libraries do not outlive it."""
    return sys.platform == "linux" and hasattr(os, "fork")


def is_own(status: os.stat_result) -> bool:
    """Return whether a file belongs to this user. Windows has no owners by number, and keeps the
    files of others from being written."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def others_may(status: os.stat_result, bits: int) -> bool:
    """Return whether the mode of a file or folder gives others these rights. The modes of Windows
    say nothing about others."""
    return hasattr(os, "geteuid") and bool(status.st_mode & bits)


def read_at(descriptor: int, size: int, start: int) -> bytes:
    """Read up to `size` bytes of a file from byte `start` on. Without `pread`, as on Windows, a
    descriptor has one place for all threads, and they wait for each other."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, start)
    with _PLACE:
        os.lseek(descriptor, start, os.SEEK_SET)
        return os.read(descriptor, size)


def check_readable(descriptor: int) -> None:
    """Read a byte of a new descriptor, and go back.

    Raises:
        OSError: the file can be opened, but not read.
    """
    os.read(descriptor, 1)
    os.lseek(descriptor, 0, os.SEEK_SET)


def is_alive(process: int) -> bool:
    """Return whether there is a process of this number. On Windows every process counts as alive:
    asking by a signal would end it."""
    if _ON_WINDOWS:
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # It belongs to somebody else.
        return True
    return True


def lock_path(directory: Path) -> Path:
    """The path that is locked for a directory: itself or, on Windows, which opens no directory, a
    hidden file beside it."""
    return directory.with_name(f".{directory.name}.lock") if _ON_WINDOWS else directory


def open_for_lock(path: Path) -> int:
    """A descriptor of a `lock_path`.

    Raises:
        OSError: it cannot be opened.
    """
    if _ON_WINDOWS:
        return os.open(path, open_flags("O_RDWR", "O_CREAT"), 0o600)
    return os.open(path, open_flags("O_RDONLY", "O_DIRECTORY", "O_CLOEXEC"))


def write_to_disk(path: Path) -> None:
    """Make the system write a file or directory to the disk now. Windows writes directories by
    itself, and files by a descriptor that may write alone.

    Raises:
        OSError: it cannot be written.
    """
    if _ON_WINDOWS and path.is_dir():
        return
    descriptor = os.open(path, open_flags("O_RDWR" if _ON_WINDOWS else "O_RDONLY"))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
