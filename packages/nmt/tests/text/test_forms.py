"""Forms that only the context may decide are exchanged for those of another group."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from docmt_nmt.text.forms import FormTable

ENGLISH = FormTable.of("en-GB")


@pytest.mark.parametrize(
    "sentence, expected",
    [
        ("He’s there.", {"She’s there.", "It’s there."}),
        ("I saw her.", {"I saw him.", "I saw his.", "I saw it.", "I saw its."}),
        ("Nothing.", set()),
    ],
)
def test_all_forms_of_one_group_are_exchanged(sentence, expected):
    assert set(ENGLISH.exchanged(sentence)) == expected


def test_groups_are_found_by_whole_words():
    assert ENGLISH.groups_in("It's hers, whether he likes it or not.") == {"he", "she", "it"}
    assert ENGLISH.groups_in("The item") == frozenset()


def test_a_language_without_a_table_has_none():
    assert FormTable.of("xx") is None


def test_the_identity_is_the_same_in_every_process():
    code = "from docmt_nmt.text.forms import FormTable; print(FormTable.of('en').identity)"
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(ENGLISH.identity)
