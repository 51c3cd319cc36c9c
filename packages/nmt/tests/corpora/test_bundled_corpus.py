"""The bundled corpus is found."""

from __future__ import annotations

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.corpora.demo import corpus_file, resolve


def test_bundled_paths_are_resolved_and_others_left_alone():
    assert resolve("bundled:dev.de.xz") == corpus_file("dev.de.xz")
    assert resolve("my/train.en") == "my/train.en"


@pytest.mark.parametrize("name", ["nothing.xz", "../__init__.py", "LICENSE"])
def test_a_file_that_is_not_bundled_is_an_error_that_names_those_that_are(name):
    with pytest.raises(InputError, match=r"no bundled file .*dev\.de\.xz, dev\.docids\.xz"):
        corpus_file(name)
