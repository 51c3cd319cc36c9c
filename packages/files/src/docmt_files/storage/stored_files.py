"""Reading the files of a run, a prepared corpus or a pretrained model, in a folder from anywhere:
only regular files, and none beyond the possible size.
"""

from __future__ import annotations

import os
from io import BufferedReader
from stat import S_ISDIR, S_ISREG

from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import check_readable, open_flags
from docmt_files.storage.files import COPY_AGAIN, PathLike, reporting_open_errors

MAX_STORED_BYTES = 1 << 28
"""Maximum size of a file read as a whole, 256 MiB; tokenizers of 250,000 subwords have 20 MiB."""


def open_stored(
    path: PathLike, *, max_bytes: int | None = None, cure: str = COPY_AGAIN
) -> BufferedReader:
    """Open a regular file, or a link to one, for reading.

    Args:
        max_bytes: maximum size of the file. Default: the actual size.
        cure: the cure for changed contents.

    Raises:
        InputError: the file is missing, a directory, a device, a pipe or too large, or may not be
            read.
    """
    with reporting_open_errors(path):
        # Without waiting for who would write into a pipe.
        descriptor = os.open(path, open_flags("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC"))
        try:
            status = os.fstat(descriptor)
            if S_ISDIR(status.st_mode):
                raise InputError("is a directory, not a file", path=path, cure=cure)
            if not S_ISREG(status.st_mode):
                raise InputError("is not a regular file", path=path, cure=cure)
            if max_bytes is not None and status.st_size > max_bytes:
                raise InputError(f"is larger than {max_bytes >> 20:,} MiB", path=path, cure=cure)
            check_readable(descriptor)  # Some files of the system can be opened but not read.
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise


def read_stored(path: PathLike, *, cure: str = COPY_AGAIN) -> bytes:
    """The content of a file opened by `open_stored`, of at most `MAX_STORED_BYTES`."""
    with (
        open_stored(path, max_bytes=MAX_STORED_BYTES, cure=cure) as stream,
        reporting_open_errors(path),
    ):
        return stream.read(MAX_STORED_BYTES)
