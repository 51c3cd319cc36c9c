"""`load_detector`: the detector of py3langid, unpacked once, of which a text reads what it needs.

The package has its model compressed, and unpacking it takes longer than all the rest of a short
translation. So the unpacked arrays are kept in the user's cache folder, some 60 MB. A sentence
needs some hundred rows of them, which are read one by one: to map the files takes more memory.
"""

from __future__ import annotations

import math
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from struct import calcsize
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import read_at
from docmt_files.storage.files import whole_directory

_FORMAT = 2
"""The format of the unpacked files, to be raised when other languages are chosen."""

_SMALL = ("priors", "classes", "state_rows", "state_features")
"""The arrays that are read whole."""

_BYTES = 256
"""The states after a state, one for each byte."""

_Choose = Callable[[Collection[str]], Collection[str]]


class _Rows(dict[int, memoryview]):
    """The rows of an array in a file, read when they are first asked for.

    Raises:
        ValueError: the file does not have this size.
    """

    def __init__(self, path: Path, rows: int, columns: int, code: Literal["i", "H"]) -> None:
        super().__init__()
        self._file, self._code, self._size = path.open("rb"), code, columns * calcsize(code)
        if os.fstat(self._file.fileno()).st_size != rows * self._size:
            raise ValueError("the file has another size")

    def __missing__(self, row: int) -> memoryview:
        read = read_at(self._file.fileno(), self._size, row * self._size)
        found = self[row] = memoryview(read).cast(self._code)
        return found


class LanguageDetector:
    """Naive Bayes over byte n-grams, which an automaton finds (Lui and Baldwin 2011).

    Args:
        folder: the arrays; shapes: F n-grams, L classes, S states.

    Attributes:
        labels: the languages; some classes stand for the same one.

    Raises:
        OSError, ValueError: the arrays cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        arrays = [np.load(folder / f"{name}.npy", allow_pickle=False) for name in _SMALL]
        self._priors, classes, rows, features = arrays
        self.labels: list[str] = list(dict.fromkeys(classes.tolist()))
        self._labels_of = np.array([*map(self.labels.index, classes)])
        # Single numbers are read faster of a memory view.
        self._state_rows, self._features = memoryview(rows), memoryview(features)
        self._next = _Rows(folder / "next_states", int(rows.max()) + 1, _BYTES, "i")
        self._scores = _Rows(folder / "scores", int(features.max()) + 1, len(classes), "H")

    def rank(self, text: str) -> list[tuple[str, float]]:
        """The languages with their probabilities, the most probable first."""
        text = unicodedata.normalize("NFC", text.lower() if text.isupper() else text)
        data = text.encode("utf-8", "surrogatepass")
        scores = self._scores_of(data) * (1 / math.sqrt(len(data) or 1))
        scores = np.exp(scores - scores.max())
        shares = np.zeros(len(self.labels), np.float32)
        np.add.at(shares, self._labels_of, scores / scores.sum())
        pairs = zip(self.labels, shares.tolist(), strict=True)
        return sorted(pairs, key=itemgetter(1), reverse=True)

    def _scores_of(self, data: bytes) -> NDArray[np.float32]:
        """The score of each class, (L,)."""
        found, state, rows, features = [], 0, self._state_rows, self._features
        for byte in data:
            state = self._next[rows[state]][byte]
            found.append(features[state])
        counts = Counter(found)
        del counts[-1]  # no n-gram ends there
        if not counts:
            return np.zeros(len(self._labels_of), np.float32)
        joined = b"".join(map(self._scores.__getitem__, counts))
        table = np.frombuffer(joined, np.float16).reshape(len(counts), -1)
        weights = np.log1p(np.array([*counts.values()], np.float32))
        scores: NDArray[np.float32] = weights @ table + self._priors
        return scores


def load_detector(choose: _Choose) -> LanguageDetector:
    """Load the detector.

    Args:
        choose: gives the languages to tell apart, of those of the model.
    """
    from platformdirs import user_cache_path

    folder = user_cache_path("docmt") / f"language-detector-{version('py3langid')}-{_FORMAT}"
    with suppress(OSError, ValueError, EOFError):
        return LanguageDetector(folder)
    with suppress(InputError, OSError):
        return _unpacked(folder, choose)
    # Without the cache, the model is unpacked each time.
    with TemporaryDirectory(prefix="docmt-") as temporary:
        return _unpacked(Path(temporary) / folder.name, choose)


def _unpacked(folder: Path, choose: _Choose) -> LanguageDetector:
    """Unpack the model of the package into a folder, with the scores of the chosen languages."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    whole = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    whole.set_languages(choose(whole.labels))
    small = (whole.nb_pc, whole.nb_classes, whole.tk_row, whole.tk_output)
    with whole_directory(folder) as part:
        for name, array in zip(_SMALL, small, strict=True):
            np.save(part / name, np.asarray(array, np.int32 if "state" in name else None))
        np.asarray(whole.tk_nextmove, np.int32).tofile(part / "next_states")
        np.asarray(whole.nb_ptc, np.float16).tofile(part / "scores")
    return LanguageDetector(folder)
