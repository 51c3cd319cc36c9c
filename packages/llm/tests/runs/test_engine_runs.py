"""The run directories of language models."""

from __future__ import annotations

import pytest

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.evaluation import MetricSettings, evaluation_settings
from docmt_nmt.runs.open_run import open_run
from docmt_nmt.runs.run import Run
from docmt_nmt.runs.system_run import SystemRun


@pytest.fixture
def engine_run(tmp_path):
    return Run.make(tmp_path / "qwen", recipes.load_any("language-model"))


def test_the_run_of_a_language_model_is_its_recipe_alone(engine_run):
    names = {path.name for path in engine_run.directory.iterdir()}
    assert names == {"recipe.yaml", "format.json"}
    assert open_run(engine_run.directory) == engine_run


@pytest.mark.parametrize(
    "override", [{"beam_size": 4}, {"windows": "sliding"}, {"precision": "int8"}, {"oracle": True}]
)
def test_options_of_search_are_refused_for_a_language_model(engine_run, override):
    (name,) = override
    with pytest.raises(InputError, match=f"`{name}` has no effect with .*language-model") as caught:
        docmt_nmt.load(engine_run.directory, **override)
    assert "it takes `device`, `max_tokens_total`, `seed`, `temperature`" in str(caught.value)


def test_a_device_is_refused_where_an_endpoint_computes(engine_run):
    with pytest.raises(InputError, match="`device` has no effect"):
        docmt_nmt.load(engine_run.directory, device="cpu")


def test_what_needs_weights_refuses_the_run_of_a_language_model(engine_run):
    with pytest.raises(InputError, match="neither weights nor a text pipeline") as caught:
        SystemRun.load(engine_run.directory)
    assert "Name the run of a system that docmt trained or imported" in str(caught.value)


def test_scores_of_files_take_metrics_and_language_from_the_run_of_a_language_model(tmp_path):
    recipe = recipes.load_any("language-model", ["evaluation.metrics=[d-bleu]"])
    run = Run.make(tmp_path / "run", recipe).directory
    settings = evaluation_settings(MetricSettings(), run)
    assert (settings.metrics, settings.language, settings.pipeline) == (("d-bleu",), "de", None)
    # A language model does not cut documents into instances, so there are no scores by instance.
    with_source = evaluation_settings(MetricSettings(), run, list)
    assert (with_source.metrics, with_source.instances) == (("d-bleu",), None)
