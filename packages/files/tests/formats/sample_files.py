"""Samples of formats that are files: `packages/files/tests/formats/samples/FORMAT/NAME`."""

from pathlib import Path

_FOLDER = Path(__file__).parent / "samples"


def sample(path: str) -> str:
    """The text of a sample, with its line ends."""
    return (_FOLDER / path).read_bytes().decode()
