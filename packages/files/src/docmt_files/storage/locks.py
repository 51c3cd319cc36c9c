"""Locks of directories: only the process holding the lock writes there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from docmt_files.base.system_calls import lock_path, open_for_lock
from docmt_files.storage.files import PathLike, reporting_write_errors


@contextmanager
def locked(path: PathLike, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a directory. A missing directory is made, and removed again if the work
    under the lock fails and leaves nothing in it.

    The operating system keeps the lock on the directory itself: no lock file is left behind, and
    the lock of a process is released when the process dies. Where a file system has no such locks
    (some network file systems), nothing is guarded and the work goes on.

    Args:
        wait: whether to wait while another process holds the lock.

    Raises:
        BlockingIOError: another process holds the lock, and `wait` is false.
        InputError: the directory cannot be made or opened.
    """
    path = Path(path)
    new: list[Path] = []
    descriptor = -1
    try:
        # The process that made the directory may have removed it before we held the lock.
        while descriptor < 0 or not is_open_on(lock_path(path), descriptor):
            if descriptor >= 0:
                os.close(descriptor)
            descriptor = _open_directory(path, new)
            _lock(path, descriptor, wait=wait)
        yield
    except BaseException:
        with suppress(OSError):
            for directory in reversed(new):
                directory.rmdir()
        raise
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _lock(path: Path, descriptor: int, *, wait: bool) -> None:
    """Lock an open directory, where the file system has locks."""
    from filelock import lock_descriptor  # slow to import

    try:
        acquired = lock_descriptor(descriptor, blocking=wait)
    except OSError:
        return
    if not acquired:
        raise BlockingIOError(errno.EAGAIN, "locked by another process", str(path))


def _open_directory(path: Path, new: list[Path]) -> int:
    """Open a directory. Missing directories of the path are made, and added to `new`."""
    with reporting_write_errors(path):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            with suppress(FileExistsError):  # somebody else was faster
                folder.mkdir()
                new.append(folder)
        return open_for_lock(lock_path(path))


def is_open_on(path: Path, descriptor: int) -> bool:
    """Return whether a descriptor is open on the file or directory now at this path, which may have
    been removed since."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
