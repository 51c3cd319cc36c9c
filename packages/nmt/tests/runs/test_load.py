"""`docmt_nmt.load`: a trained run gives beam search, and none is overwritten."""

from __future__ import annotations

import pytest

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.run import Run


def test_a_trained_run_gives_beam_search(tiny_run):
    translator = docmt_nmt.load(tiny_run.directory, beam_size=2)
    assert isinstance(translator, BeamSearchTranslator)
    assert translator.search.beam_size == 2


def test_a_trained_run_has_no_budget(tiny_run):
    with pytest.raises(InputError, match="`max_tokens_total` has no effect"):
        docmt_nmt.load(tiny_run.directory, max_tokens_total=5)


def test_a_run_is_not_written_over(tiny_run):
    with pytest.raises(InputError, match="is already a run directory"):
        Run.make(tiny_run.directory, tiny_run.recipe)
