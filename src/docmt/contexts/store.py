"""A folder of encodings, made once and read by many runs.

    000000/keys.npy      (n, 16) what was encoded, as a digest
    000000/lengths.npy   (n,) tokens of each
    000000/states.npy    (tokens, d_model) the states of all, of 16 bits

A part is written whole or not at all and never changes, so that a process may be killed at any time
and others may read meanwhile; of several that would write, one does and the others wait. States are
read from the disk when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt.errors import InputError
from docmt.files import locked, remove_leftovers, whole_directory

KEY = 16
"""Bytes of a key."""

States = NDArray[np.float16]


class Store:
    """The encodings of one model.

    Args:
        directory: the folder; it is made when something is put in.
        d_model: the d_model of the states.

    Raises:
        InputError: a part is damaged or of another d_model.
    """

    def __init__(self, directory: Path, d_model: int) -> None:
        self.directory, self.d_model = directory, d_model
        self.rows: dict[bytes, int] = {}
        self.places: list[tuple[States, int, int]] = []
        self.read: set[str] = set()
        self.refresh()

    def __len__(self) -> int:
        return len(self.rows)

    def refresh(self) -> None:
        """Take note of parts that were written since."""
        if not self.directory.is_dir():
            return
        for path in sorted(self.directory.iterdir()):
            if path.name.isdecimal() and path.name not in self.read:
                self.read_part(path)

    def read_part(self, path: Path) -> None:
        """Take note of one part."""
        keys, lengths = load(path / "keys.npy"), load(path / "lengths.npy")
        states = load(path / "states.npy", mapped=True)
        ends = np.cumsum(lengths)
        whole = int(ends[-1]) if len(ends) else 0
        fits = keys.shape == (len(lengths), KEY) and states.shape == (whole, self.d_model)
        if not fits or states.dtype != np.float16:
            raise damaged(path, f"states of {states.shape} and not ({whole}, {self.d_model})")
        for key, length, end in zip(keys, lengths.tolist(), ends.tolist(), strict=True):
            self.rows.setdefault(key.tobytes(), len(self.places))
            self.places.append((states, end - length, end))
        self.read.add(path.name)

    def find(self, key: bytes) -> int | None:
        """The row of a key; None where it is missing."""
        return self.rows.get(key)

    def states(self, row: int) -> States:
        """The states of a row: (tokens, d_model), still on the disk."""
        states, start, end = self.places[row]
        return states[start:end]

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the one that writes; what others wrote before is known then."""
        with locked(self.directory):
            remove_leftovers(self.directory)
            self.refresh()
            yield

    def add(self, keys: Sequence[bytes], states: Sequence[States]) -> None:
        """Put in a part, inside `writing`.

        Raises:
            InputError: it cannot be written; nothing of it is left then.
        """
        number = max((int(name) for name in self.read), default=-1) + 1
        path = self.directory / f"{number:06d}"
        with whole_directory(path) as part:
            digests = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, KEY)
            np.save(part / "keys.npy", digests)
            np.save(part / "lengths.npy", np.array([len(s) for s in states], np.int64))
            np.save(part / "states.npy", np.concatenate(states).astype(np.float16))
        self.read_part(path)


def load(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """An array of a part; left on the disk where it is mapped.

    Raises:
        InputError: the file is missing or damaged.
    """
    try:
        # An empty file cannot be mapped.
        empty = mapped and path.stat().st_size <= 128
        array: NDArray[Any] = np.load(path, mmap_mode="r" if mapped and not empty else None)
    except (OSError, ValueError, EOFError) as error:
        raise damaged(path.parent, str(error)) from None
    return array


def damaged(path: Path, how: str) -> InputError:
    """The error for a part that is not as `add` left it."""
    return InputError(
        f"no encodings as docmt writes them ({how})", path=path,
        cure="Remove this folder; it is made again",
    )  # fmt: skip
