"""Packages that an installation of docmt may lack, and how to install each: `pip install docmt`
brings what translates with compiled models, extras bring the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from docmt_files.base.errors import InputError

TRAIN, COMPILE = "docmt[train]", "docmt[compile]"
"""The extra with PyTorch, and the one with the makers of graphs."""

_REQUIREMENTS = {
    "accelerate": TRAIN,
    "ctranslate2": "ctranslate2",
    "ftfy": "ftfy",
    "huggingface_hub": TRAIN,
    "mcp": "docmt[mcp]",
    "onnx": COMPILE,
    "onnxscript": COMPILE,
    "pyarrow": "pyarrow",
    "sacrebleu": "sacrebleu",
    "simplemma": "simplemma",
    "tokenizers": "tokenizers",
    "torch": TRAIN,
}
"""What installs a package; small packages, which a translation or an evaluation may need, alone."""


def has_torch() -> bool:
    """Return whether PyTorch is installed."""
    try:
        return find_spec("torch") is not None
    except (ImportError, ValueError):  # hidden by a program that wants none of it
        return False


def not_installed(package: str) -> InputError:
    """The error for a package that is not installed.

    >>> str(not_installed("torch"))
    "this needs the package torch. Install it: `pip install 'docmt[train]'`."
    """
    requirement = _REQUIREMENTS[package]
    quoted = f"'{requirement}'" if "[" in requirement else requirement
    return InputError(
        f"this needs the package {package}", cure=f"Install it: `pip install {quoted}`"
    )


@contextmanager
def naming_extras() -> Iterator[None]:
    """Turn the failed import of a package of an extra into an `InputError` with the cure."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _REQUIREMENTS:
            raise
        raise not_installed(package) from None
