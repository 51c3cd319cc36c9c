"""Weights stored as the difference from those of another run, in codes of a byte: of a system that
was tuned, the difference needs half of what the weights need in 16 bits, and less than a hundredth
of it is lost.

The file of a difference is a weights file (`docmt_nmt.runs.weight_arrays`) whose metadata name the
other run, a folder beside the own run, and the hash of its weights. It is added when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import parse_json
from docmt_nmt.runs.compiled_files import file_hash

BASE = "base"
"""The metadata key of a weights file for the run that it is a difference from."""


@dataclass(frozen=True, slots=True)
class DifferenceBase:
    """The run that weights are a difference from.

    Attributes:
        run: the name of its folder, which is beside the folder of the own run.
        sha256: the hash of its file of weights.
    """

    run: str
    sha256: str

    @classmethod
    def of(cls, run: Path) -> DifferenceBase:
        """The base of a run directory as it is now.

        Raises:
            InputError: it has no weights.
        """
        return cls(run.name, file_hash(run / "weights.safetensors"))

    @classmethod
    def read(cls, metadata: Mapping[str, str]) -> DifferenceBase | None:
        """The base in the metadata of a file; None if the weights are whole.

        Raises:
            ValueError, KeyError, TypeError: the metadata are damaged.
        """
        if BASE not in metadata:
            return None
        values = parse_json(metadata[BASE])
        run, sha256 = str(values["run"]), str(values["sha256"])
        if not run or Path(run).name != run or run.startswith("."):
            raise ValueError(f"the name of the base is {run!r}")
        return cls(run, sha256)

    def metadata(self) -> dict[str, str]:
        """The entry of the metadata of a weights file."""
        return {BASE: json.dumps({"run": self.run, "sha256": self.sha256}, sort_keys=True)}

    def weights(self, path: Path) -> Path:
        """The file with the weights of the base.

        Args:
            path: the file of the difference.

        Raises:
            InputError: the base is gone, or has other weights now.
        """
        found = path.absolute().parent.parent / self.run / path.name
        cure = (
            f"Put the model {self.run} back as it was, or adapt again; a compiled form translates "
            "without it"
        )
        if not found.is_file():
            raise InputError(
                f"holds a difference from the model {self.run}, which is not beside it",
                path=path,
                cure=cure,
            )
        if file_hash(found) != self.sha256:
            raise InputError(
                f"holds a difference from the model {self.run}, which has other weights now",
                path=path,
                cure=cure,
            )
        return found


def base_of(path: Path) -> str:
    """The name of the run that the weights in a file are a difference from; "" for none, and for a
    file that cannot be read."""
    base = _base(path)
    return "" if base is None else base.run


def weights_of_base(path: Path) -> Path | None:
    """The file of weights that the weights in a file are a difference from; None for none, and for
    a file that cannot be read.

    Raises:
        InputError: the base is gone, or has other weights now.
    """
    base = _base(path)
    return None if base is None else base.weights(path)


def _base(path: Path) -> DifferenceBase | None:
    try:
        with safe_open(path, framework="numpy") as file:
            return DifferenceBase.read(file.metadata() or {})
    except (SafetensorError, OSError, ValueError, KeyError, TypeError):
        return None
