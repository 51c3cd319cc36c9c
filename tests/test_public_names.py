"""`import docmt`: what it offers, and that it is light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import docmt


@pytest.mark.parametrize("name", docmt.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(docmt, name)
    assert name in dir(docmt)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'translte'"):
        docmt.translte  # type: ignore[attr-defined]  # noqa: B018


def test_importing_docmt_and_reading_a_corpus_do_not_load_torch() -> None:
    code = "import docmt, sys; docmt.read; docmt.Document; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
