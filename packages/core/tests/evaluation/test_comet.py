"""COMET and document COMET, with a model whose scores can be worked out by hand in the place of a
trained one. It has the interface of the models of the package unbabel-comet 2.2.7."""

from __future__ import annotations

import importlib.machinery
import json
import sys
from types import ModuleType, SimpleNamespace

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.evaluation import (
    Comet,
    MetricSettings,
    SignificanceTest,
    compare,
    evaluate,
    evaluate_systems,
    evaluation_settings,
)
from docmt_nmt.recipes.evaluation import EvaluationSettings
from docmt_nmt.runs.system_run import SystemRun

SEPARATOR = "</s>"


class Tokenizer:
    sep_token = SEPARATOR

    def __call__(self, text):
        return {"input_ids": ["<s>", *text.split(), "</s>"]}


class Model:
    """The share of the words of the reference, or else of the source, that the translation has.
    With context only the words after the last separator count."""

    def __init__(self, *, references=True, context=True, max_positions=100):
        self.encoder = SimpleNamespace(tokenizer=Tokenizer(), max_positions=max_positions)
        self.use_context, self._can, self._references = False, context, references
        self.samples: list[dict[str, str]] = []

    def requires_references(self):
        return self._references

    def enable_context(self):
        self.use_context = self._can

    def predict(self, samples, *, batch_size, gpus, progress_bar):
        assert batch_size > 0 and gpus == 0 and not progress_bar
        self.samples += samples
        scores = [self._score(s["mt"], s.get("ref", s["src"])) for s in samples]
        return SimpleNamespace(scores=scores, system_score=sum(scores) / len(scores))

    def _score(self, ours, theirs):
        if self.use_context:
            ours, theirs = (side.split(SEPARATOR)[-1] for side in (ours, theirs))
        expected = theirs.split()
        return sum(word in ours.split() for word in expected) / len(expected)


def documents(*sides):
    return [Document(str(i), tuple(s), tuple(t)) for i, (s, t) in enumerate(sides)]


HYPOTHESIS = documents(
    (["s1", "s2", "s3", "s4"], ["a b", "c x", "d", "e f"]), (["s5", "s6"], ["g", "x"])
)
REFERENCE = documents(
    (["s1", "s2", "s3", "s4"], ["a b", "c d", "d", "e y"]), (["s5", "s6"], ["g", "h"])
)


def score(metric, model, hypothesis=HYPOTHESIS, references=REFERENCE, **settings):
    comet = Comet("stub", model=model, context=settings.pop("context", 2))
    return evaluate(
        hypothesis, references, MetricSettings(metrics=[metric], comet=comet, **settings)
    )[0]


def test_comet_is_a_hundred_times_the_mean_of_its_models_scores():
    model = Model()
    found = score("comet", model)
    assert found.score == pytest.approx(100 * (1 + 0.5 + 1 + 0.5 + 1 + 0) / 6)
    assert model.samples[1] == {"src": "s2", "mt": "c x", "ref": "c d"}
    assert str(found) == (
        "COMET 66.67 · docs 2 · sents 6 · unit sentence · nrefs:1|model:stub|scale:100|"
        "version:unknown"
    )
    assert found.notes == ()


def test_document_comet_puts_the_sentences_of_the_reference_before_each_sentence():
    model = Model()
    found = score("doc-comet", model)
    # The states of the context do not count, so the stub's score is that of the sentence alone.
    assert found.score == pytest.approx(score("comet", Model()).score)
    assert "|context:2|mt-context:ref|" in found.settings
    assert model.samples == [
        {"src": "s1", "mt": "a b", "ref": "a b"},
        {"src": "s1 </s> s2", "mt": "a b </s> c x", "ref": "a b </s> c d"},
        {"src": "s1 </s> s2 </s> s3", "mt": "a b </s> c d </s> d", "ref": "a b </s> c d </s> d"},
        {"src": "s2 </s> s3 </s> s4", "mt": "c d </s> d </s> e f", "ref": "c d </s> d </s> e y"},
        {"src": "s5", "mt": "g", "ref": "g"},
        {"src": "s5 </s> s6", "mt": "g </s> x", "ref": "g </s> h"},
    ]


def test_a_model_without_references_reads_the_translation_as_context():
    model = Model(references=False)
    found = score("doc-comet", model, context=1)
    assert model.samples[1] == {"src": "s1 </s> s2", "mt": "a b </s> c x"}
    assert found.settings.startswith("nrefs:0|context:1|mt-context:mt|")


def test_context_that_does_not_fit_is_left_out_from_its_beginning():
    # <s>, one separator, </s> and the words of two sentences are 7 tokens, of 9 - 2.
    model = Model(max_positions=9)
    found = score("doc-comet", model)
    assert model.samples[1]["mt"] == "a b </s> c x"
    assert model.samples[3] == {"src": "s3 </s> s4", "mt": "d </s> e f", "ref": "d </s> e y"}
    assert found.notes == ()


def test_a_sentence_that_is_cut_off_is_reported():
    (note,) = score("comet", Model(max_positions=5)).notes
    assert note == "3 sentences with more tokens than the COMET model reads; the rest was ignored"


def test_a_model_that_joins_the_sides_reads_them_in_one_limit():
    """COMET-Kiwi and xCOMET; other models read each side on its own."""
    model = Model(max_positions=12)
    assert score("comet", model).notes == ()
    model.hparams = {"input_segments": ["mt", "src", "ref"]}
    (note,) = score("comet", model).notes
    assert "more tokens than the COMET model reads" in note


def test_several_references_are_averaged():
    other = [d.translated(["a b", "c x", "d", "e f"][: len(d)]) for d in REFERENCE[:1]]
    other += [REFERENCE[1].translated(["g", "x"])]
    found = score("comet", Model(), references=[REFERENCE, other])
    assert found.score == pytest.approx((100 * 4 / 6 + 100) / 2)
    assert found.settings.startswith("nrefs:2|refs:mean|")


def test_empty_translations_are_reported():
    empty = [HYPOTHESIS[0].translated(["a b", "", "d", "e f"]), HYPOTHESIS[1]]
    assert score("comet", Model(), empty).notes == (
        "1 translation without words, which COMET cannot score",
    )


def test_the_source_must_be_known_and_fit():
    lines = [document.translated(document.source) for document in HYPOTHESIS]
    with pytest.raises(InputError, match="the translation comes without it"):
        score("comet", Model(), lines)
    assert score("comet", Model(), lines, sources=HYPOTHESIS).score == 0
    with pytest.raises(InputError, match="the source has 1 document and 4 sentences, the transl"):
        score("comet", Model(), sources=HYPOTHESIS[:1])


def test_a_model_that_has_no_context_is_an_error():
    with pytest.raises(InputError, match="stub cannot score with context"):
        score("doc-comet", Model(context=False))
    assert score("comet", Model(context=False)).score > 0


def test_joined_sentences_cannot_be_scored():
    joined = [document.join([len(document)]) for document in HYPOTHESIS]
    with pytest.raises(InputError, match="not aligned with those of the reference"):
        score("comet", Model(), joined)


def test_systems_are_compared_by_comet_and_every_sentence_is_scored_once():
    model = Model()
    comet = Comet("stub", model=model)
    better = REFERENCE
    (found,) = compare(
        better,
        HYPOTHESIS,
        REFERENCE,
        MetricSettings(metrics=["comet"], comet=comet),
        SignificanceTest(trials=99),
    )
    assert (found.score, found.baseline) == pytest.approx((100, 100 * 4 / 6))
    assert (found.sign.better, found.sign.worse) == (3, 0)
    assert found.settings.startswith("nrefs:1|model:stub")
    before = len(model.samples)
    evaluate_systems(
        {"a": [better, HYPOTHESIS]}, REFERENCE, MetricSettings(metrics=["comet"], comet=comet)
    )
    assert len(model.samples) == before == 9


@pytest.fixture
def package(monkeypatch):
    """A package `comet` that loads the stub."""
    module = ModuleType("comet")
    module.__spec__ = importlib.machinery.ModuleSpec("comet", None)
    loaded: list[str] = []

    def download_model(name):
        if name == "nonsense":
            raise KeyError("Model 'nonsense' not supported by COMET.")
        return f"{name}/model.ckpt"

    def load_from_checkpoint(path):
        loaded.append(path)
        return Model()

    module.download_model, module.load_from_checkpoint = download_model, load_from_checkpoint
    monkeypatch.setitem(sys.modules, "comet", module)
    return loaded


def run(folder, *arguments):
    for name, side in (("s", 0), ("h", 1), ("r", 2)):
        lines = []
        for ours, theirs in zip(HYPOTHESIS, REFERENCE, strict=True):
            lines += ["<d>", *(ours.source, ours.target, theirs.target)[side]]
        (folder / name).write_text("\n".join(lines) + "\n")
    files = ["--hypothesis", str(folder / "h"), "--reference", str(folder / "r")]
    return CliRunner().invoke(main, ["evaluate", *files, *arguments])


def test_the_command_scores_with_the_source_and_the_model_that_it_names(package, tmp_path):
    source = ("--source", str(tmp_path / "s"))
    metrics = ("--metric", "comet", "--metric", "doc-comet", "--json")
    result = run(tmp_path, *source, *metrics)
    assert result.exit_code == 0, result.output
    scores = json.loads(result.stdout)["scores"]
    assert [s["score"] for s in scores] == [pytest.approx(100 * 4 / 6)] * 2
    assert package == ["Unbabel/wmt22-comet-da/model.ckpt"]
    run(tmp_path, *source, *metrics, "--comet-model", "my.ckpt")
    assert package[1:] == ["my.ckpt"]


@pytest.fixture
def foreign(tiny_run, tmp_path):
    """A run whose recipe names a COMET model."""
    evaluation = EvaluationSettings(metrics=["comet"], comet_model="foreign.ckpt")
    recipe = tiny_run.recipe.model_copy(update={"evaluation": evaluation})
    return SystemRun.create(tmp_path / "run", recipe, tiny_run.pipeline)


def test_a_model_that_only_a_run_names_is_not_loaded(package, tmp_path, foreign):
    of_run = ("--source", str(tmp_path / "s"), "--run", str(foreign.directory))
    result = run(tmp_path, *of_run)
    assert result.exit_code == 2 and package == []
    assert "If you trust it, name it with --comet-model foreign.ckpt" in " ".join(
        result.stderr.split()
    )
    result = run(tmp_path, *of_run, "--comet-model", "foreign.ckpt")
    assert result.exit_code == 0 and package == ["foreign.ckpt"]


def test_a_split_is_not_scored_by_a_model_that_only_a_run_names(package, foreign):
    arguments = ["evaluate", "--run", str(foreign.directory), "--split", "test"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2 and package == []
    assert "--comet-model foreign.ckpt" in " ".join(result.stderr.split())


def test_the_model_of_ones_own_recipe_is_used(package, foreign):
    with pytest.raises(InputError, match="names the COMET model"):
        evaluation_settings(MetricSettings(), foreign.directory)
    settings = evaluation_settings(MetricSettings(), foreign.directory, own_recipe=True)
    assert settings.comet.name == "foreign.ckpt"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "comet"], "the translation comes without it"),
        (["--metric", "comet", "--source", "s", "--comet-model", "nonsense"], "cannot be loaded"),
        (["--comet-model", "a"], "--comet-model has no effect without a metric of COMET"),
    ],
)
def test_mistakes_with_comet_are_explained(package, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = run(tmp_path, *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_without_the_package_the_error_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setattr("docmt_nmt.evaluation.comet.find_spec", lambda _: None)
    result = run(tmp_path, "--metric", "doc-comet")
    assert result.exit_code == 2
    assert "COMET is not installed (the package unbabel-comet)" in " ".join(result.stderr.split())
    assert "pip install 'docmt[comet]'" in " ".join(result.stderr.split())
