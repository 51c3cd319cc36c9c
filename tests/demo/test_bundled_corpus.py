"""The bundled corpus is found, and its README has the right numbers."""

from __future__ import annotations

import re

import pytest

from docmt import corpora
from docmt.demo import corpus_file, resolve
from docmt.errors import InputError


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_numbers_in_the_readme_are_those_of_the_files(split):
    documents = list(corpora.read(corpus_file(f"{split}.en.xz"), corpus_file(f"{split}.de.xz")))
    numbers = [
        len(documents),
        sum(len(document) for document in documents),
        sum(len(s.split()) for document in documents for s in document.source),
        sum(len(s.split()) for document in documents for s in document.target),
    ]
    readme = (corpus_file("test.en.xz").parent / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"\| `{split}` \|(.*)\|", readme)
    assert [int(cell.replace(",", "")) for cell in row[1].split("|")] == numbers


def test_bundled_paths_are_resolved_and_others_left_alone():
    assert resolve("bundled:dev.de.xz") == corpus_file("dev.de.xz")
    assert resolve("my/train.en") == "my/train.en"


@pytest.mark.parametrize("name", ["nothing.xz", "../__init__.py", "LICENSE"])
def test_a_file_that_is_not_bundled_is_an_error_that_names_those_that_are(name):
    with pytest.raises(InputError, match=r"no bundled file .*dev\.de\.xz, dev\.docids\.xz"):
        corpus_file(name)
