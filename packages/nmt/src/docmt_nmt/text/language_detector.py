"""`load_detector`: the detector of py3langid, unpacked once.

The package has its model compressed, and unpacking it takes longer than all the rest of a short
translation. So the unpacked arrays are kept in the user's cache folder, some 60 MB, and mapped into
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docmt_files.base.errors import InputError
from docmt_files.storage.files import whole_directory

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_FORMAT = 1
"""The format of the unpacked files, to be raised when other languages are chosen."""

_ARRAYS = ("scores", "priors", "classes", "next_states", "state_rows", "state_features")
"""The arrays of the model, in the order in which py3langid's constructor takes them."""


def load_detector(choose: Callable[[Collection[str]], Collection[str]]) -> LanguageIdentifier:
    """Load the detector.

    Args:
        choose: gives the languages to tell apart, of those of the model.
    """
    from platformdirs import user_cache_path
    from py3langid.langid import LanguageIdentifier

    name = f"language-detector-{version('py3langid')}-{_FORMAT}"
    folder = user_cache_path("docmt") / name
    arrays: tuple[Any, ...] | None = None
    with suppress(OSError, ValueError, EOFError):
        arrays = tuple(_mapped(folder))
    if arrays is None:
        arrays = _unpacked(choose)
        # Without the cache, the model is unpacked each time.
        with suppress(InputError, OSError), whole_directory(folder) as part:
            for array_name, array in zip(_ARRAYS, arrays, strict=True):
                np.save(part / f"{array_name}.npy", array)
    scores, priors, classes, *automaton = arrays
    # The detector reads single numbers, which takes a memory view a fraction of an array's time.
    next_states, rows, features = (memoryview(array) for array in automaton)
    return LanguageIdentifier(
        scores, priors, classes.tolist(), next_states, features, norm_probs=True, tk_row=rows
    )


def _mapped(folder: Path) -> Iterator[Any]:
    """The arrays of a folder, mapped into memory."""
    for name in _ARRAYS:
        array = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        yield np.asarray(array)


def _unpacked(choose: Callable[[Collection[str]], Collection[str]]) -> tuple[Any, ...]:
    """The arrays of the model in the package, with the scores of the chosen languages alone."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    whole = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    whole.set_languages(choose(whole.labels))
    automaton = (whole.tk_nextmove, whole.tk_row, whole.tk_output)
    return (
        np.ascontiguousarray(whole.nb_ptc),
        whole.nb_pc,
        np.array(whole.nb_classes),
        *(np.asarray(each, np.int32) for each in automaton),
    )
