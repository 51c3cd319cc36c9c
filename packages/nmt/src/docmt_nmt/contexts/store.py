"""`EncodingStore`: a folder of encodings, computed once and read by many runs.

    000000/keys.npy      (n, 16) the digest of each passage
    000000/lengths.npy   (n,) the number of tokens of each
    000000/states.npy    (tokens, d_model) the states of all, in 16 bits

A part such as `000000` is written whole or not at all and never changes, so a process may be killed
at any time, and others may read meanwhile. If several processes want to write, one writes and the
others wait. States are read from disk when they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_files.storage.files import whole_directory
from docmt_files.storage.locks import locked
from docmt_files.storage.stored_files import open_stored
from docmt_files.storage.temporary_files import remove_leftovers

DIGEST_BYTES = 16
"""Length of a digest."""

States = NDArray[np.float16]
"""(n, d_model) the encoding of a passage of n tokens."""


class EncodingStore:
    """The encodings of one encoder.

    Args:
        directory: the folder; it is made by the first `writing`.
        d_model: the size of the states.

    Raises:
        InputError: a part is damaged, or the states in it have another size.
    """

    def __init__(self, directory: Path, d_model: int) -> None:
        self.directory, self.d_model = directory, d_model
        self._indices: dict[bytes, int] = {}
        # For each encoding the states of the part, and the first and last token in the part.
        self._encodings: list[tuple[States, int, int]] = []
        self._parts: set[str] = set()
        self.refresh()

    def __len__(self) -> int:
        return len(self._indices)

    def refresh(self) -> None:
        """Read the parts written since the last refresh."""
        if not self.directory.is_dir():
            return
        for path in sorted(self.directory.iterdir()):
            if path.name.isdecimal() and path.name not in self._parts:
                self._read_part(path)

    def find(self, digest: bytes) -> int | None:
        """The index of an encoding by digest; None if it is missing."""
        return self._indices.get(digest)

    def states(self, index: int) -> States:
        """The encoding of an index, (n, d_model), mapped from disk."""
        states, start, end = self._encodings[index]
        return states[start:end]

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder's lock, and read the parts written before by others.

        Raises:
            InputError: the folder cannot be written, or a part is damaged.
        """
        with locked(self.directory):
            remove_leftovers(self.directory)
            self.refresh()
            yield

    def add(self, digests: Sequence[bytes], states: Sequence[States]) -> None:
        """Write a part, inside `writing`.

        Raises:
            InputError: it cannot be written; nothing of it is left.
        """
        number = max((int(name) for name in self._parts), default=-1) + 1
        path = self.directory / f"{number:06d}"
        with whole_directory(path) as part:
            keys = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, DIGEST_BYTES)
            np.save(part / "keys.npy", keys)
            np.save(part / "lengths.npy", np.array([len(s) for s in states], np.int64))
            np.save(part / "states.npy", np.concatenate(states).astype(np.float16))
        self._read_part(path)

    def _read_part(self, path: Path) -> None:
        """Read the digests of one part and map the states into memory."""
        keys, lengths = _load_array(path / "keys.npy"), _load_array(path / "lengths.npy")
        states = _load_array(path / "states.npy", mapped=True)
        ends = np.cumsum(lengths)
        total = int(ends[-1]) if len(ends) else 0
        fits = keys.shape == (len(lengths), DIGEST_BYTES) and states.shape == (total, self.d_model)
        if not fits or states.dtype != np.float16:
            raise _damaged(path, f"states of {states.shape}, not ({total}, {self.d_model})")
        for key, length, end in zip(keys, lengths.tolist(), ends.tolist(), strict=True):
            self._indices.setdefault(key.tobytes(), len(self._encodings))
            self._encodings.append((states, end - length, end))
        self._parts.add(path.name)


def _load_array(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """An array of a part; mapped from disk instead of read if `mapped`.

    Raises:
        InputError: the file is missing or damaged.
    """
    try:
        open_stored(path).close()
        # An array without elements cannot be mapped.
        empty = mapped and path.stat().st_size <= 128
        array: NDArray[Any] = np.load(path, mmap_mode="r" if mapped and not empty else None)
    except InputError as error:
        raise _damaged(path.parent, f"{path.name} {error.problem}") from None
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path.parent, str(error)) from None
    return array


def _damaged(path: Path, how: str) -> InputError:
    """The error for a part that differs from the output of `add`."""
    return InputError(
        f"not encodings as docmt writes them ({how})",
        path=path,
        cure="Remove this folder; it is made again",
    )
