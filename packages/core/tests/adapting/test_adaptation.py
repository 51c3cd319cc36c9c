"""From a person's translations to a model: made if it is better, resumed, listed, gone on with.

The model translates digits in words. The person translates two of them by other words that the
model knows.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace

import pytest
import torch

from docmt.adapting import Adaptation, TooFewPairsError, adapt, general_text, tuning
from docmt.adapting.tuning import TuningSettings
from docmt.models import InstalledModels, PairTranslators
from docmt.models.adding import add_run
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weight_differences import base_of
from toy import ENGLISH, GERMAN

QUICK = TuningSettings(
    learning_rate=0.005, batch_tokens=512, max_epochs=8, min_updates=10, tuned_share=1.0
)
PERSON = {"two": "acht", "zero": "neun"}


@pytest.fixture
def models(tiny_run, tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    found = InstalledModels.default()
    add_run(found, tiny_run.directory)
    draw = random.Random(3)
    # No digits of the person: they are to stay as they are.
    texts = tuple(" ".join(draw.choices(["one", "three", "four"], k=4)) for _ in range(150))
    monkeypatch.setattr(general_text, "for_measuring", lambda _: texts[:50])
    monkeypatch.setattr(general_text, "for_mixing", lambda _: texts[50:])
    # Which precision is faster is measured, and results depend on it.
    monkeypatch.setattr(tuning, "training_speed", lambda *_: 0.0)
    return found


def write_material(path, number=150, *, seed=5, person=PERSON):
    """Documents of ten sentences, as a person translates them."""
    draw = random.Random(seed)
    documents = []
    known = dict(zip(ENGLISH, GERMAN, strict=True)) | person
    for index in range(number):
        source = [" ".join(draw.choices(ENGLISH, k=draw.randint(4, 6))) for _ in range(10)]
        target = [" ".join(known[word] for word in text.split()) for text in source]
        documents.append(Document(f"{path.stem}{index}", source, target))
    corpora.write(documents, path)
    return path


def adaptation(models, *inputs, name="acme", start="en-de", **given):
    values = {"settings": QUICK, **given}
    return Adaptation(models, models.named(start), name, inputs, **values)


@pytest.fixture
def material(tmp_path):
    return write_material(tmp_path / "own.jsonl")


def test_a_model_learns_how_a_person_translates_and_is_listed(models, material):
    lines = []
    outcome = adapt(adaptation(models, material), lines.append)
    assert outcome.verdict.reason_against == ""
    bleu, _ = outcome.verdict.comparisons
    assert bleu.difference > 5
    model = models.named("acme")
    assert (model.start, model.pair, model.languages) == ("en-de", "en-de", ("en", "de"))
    assert "own.jsonl" in model.material
    assert "BLEU" in model.verdict
    assert any("pairs to learn" in line for line in lines)
    translators = PairTranslators(models)
    assert (
        "acht"
        in translators.named("acme")
        .translate([Document("1", ("two two two",))])[0]
        .document.target[0]
    )
    # The model of the pair stays.
    assert translators.runs()["en", "de"].endswith("/en-de")
    assert [each.name for each in translators.further()] == ["acme"]
    assert not list(models.folder.glob(".*adapting*"))
    assert not list(models.folder.glob(".*candidate*"))


@pytest.mark.slow
def test_the_model_is_a_difference_of_half_the_size_and_needs_its_start(models, material):
    adapt(adaptation(models, material), lambda _: None)
    run = SystemRun.load(models.named("acme").directory)
    assert base_of(run.weights) == "en-de"
    start = models.named("en-de").directory / "weights.safetensors"
    assert run.weights.stat().st_size < 0.5 * start.stat().st_size
    with pytest.raises(InputError, match="acme cannot do without en-de"):
        models.remove("en-de")
    models.remove("acme")
    models.remove("en-de")


@pytest.mark.slow
def test_an_adapted_model_can_become_the_model_of_the_pair(models, material, tmp_path):
    adapt(adaptation(models, material), lambda _: None)
    elsewhere = InstalledModels(tmp_path / "other")
    made = add_run(elsewhere, models.named("acme").directory, "en-de")
    assert base_of(made.directory / "weights.safetensors") == ""
    assert (made.is_of_pair, made.start) == (True, "en-de")
    (translation,) = (
        PairTranslators(elsewhere)
        .translator("en", "de")
        .translate([Document("1", ("two two two",))])
    )
    assert "acht" in translation.document.target[0]
    with pytest.raises(InputError, match="there is a model of en-de already"):
        add_run(models, models.named("acme").directory, "en-de")
    before = SystemRun.load(models.named("acme").directory).state()
    add_run(models, models.named("acme").directory, "en-de", replace=True)
    # What it differed from is gone, so it is whole now.
    run = SystemRun.load(models.named("acme").directory)
    assert base_of(run.weights) == ""
    assert all(
        torch.allclose(tensor.float(), before[name], atol=1e-3)
        for name, tensor in run.state().items()
    )


@pytest.mark.slow
def test_what_a_model_learned_stays_when_it_goes_on(models, material, tmp_path):
    short = replace(QUICK, max_epochs=1)
    first = adapt(adaptation(models, material, settings=short, keep=True), lambda _: None)
    more = write_material(tmp_path / "more.jsonl", 80, seed=6)
    again = adapt(adaptation(models, more, start="acme"), lambda _: None)
    assert again.verdict.reason_against == ""
    held_out = {document.id for document in first.division.held_out}
    assert held_out <= {document.id for document in again.division.held_out}
    model = models.named("acme")
    assert model.start == "en-de"
    assert base_of(model.directory / "weights.safetensors") == "en-de"
    assert "own.jsonl" in model.material
    assert "more.jsonl" in model.material


def test_an_interrupted_training_goes_on(models, material):
    asked = adaptation(models, material)
    updates = 0

    def interrupt(_seconds, _most):
        nonlocal updates
        updates += 1
        if updates == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adapt(asked, lambda _: None, interrupt)
    assert models.get("acme") is None
    lines = []
    seen = []
    outcome = adapt(asked, lines.append, lambda seconds, _: seen.append(seconds))
    assert lines[0].startswith("going on")
    assert not any("read:" in line for line in lines)
    assert outcome.verdict.reason_against == ""


@pytest.mark.slow
def test_other_material_begins_anew(models, material):
    asked = adaptation(models, material)

    def interrupt(_seconds, _most):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adapt(asked, lambda _: None, interrupt)
    write_material(material, 151)
    lines = []
    adapt(asked, lines.append)
    assert any("read: 1,510 pairs" in line for line in lines)


def test_a_model_that_learned_nothing_is_not_made(models, tmp_path):
    same = write_material(tmp_path / "same.jsonl", person={})
    settings = TuningSettings(learning_rate=1e-9, batch_tokens=512, max_epochs=1, min_updates=5)
    outcome = adapt(adaptation(models, same, settings=settings), lambda _: None)
    assert outcome.model is None
    assert "is not better" in outcome.verdict.reason_against
    assert models.get("acme") is None
    assert not list(models.folder.glob(".acme*"))
    kept = adapt(adaptation(models, same, settings=settings, keep=True), lambda _: None)
    assert kept.model is not None
    assert "kept although" in models.named("acme").verdict
    record = json.loads((kept.model.directory / "verdict.json").read_text())
    assert record["reason_against"] == outcome.verdict.reason_against


def shuffled(path):
    """The sides of a material, shuffled against each other."""
    documents = list(corpora.read(path))
    targets = [text for document in documents for text in document.target]
    random.Random(1).shuffle(targets)
    rest = iter(targets)
    corpora.write(
        (Document(d.id, d.source, tuple(next(rest) for _ in d.source)) for d in documents), path
    )
    return path


def test_shuffled_sides_make_no_model(models, material):
    lines = []
    with pytest.raises(TooFewPairsError):
        adapt(adaptation(models, shuffled(material)), lines.append)
    assert any("do not belong together" in line for line in lines)
    assert models.get("acme") is None


def test_one_sentence_5000_times_makes_no_model(models, tmp_path):
    path = tmp_path / "same.jsonl"
    corpora.write([Document("1", ("one two three",) * 5000, ("eins acht drei",) * 5000)], path)
    lines = []
    with pytest.raises(TooFewPairsError, match="1 pair "):
        adapt(adaptation(models, path), lines.append)
    assert "  4,999 there already" in lines


def test_empty_targets_make_no_model(models, tmp_path):
    path = tmp_path / "empty.tsv"
    rows = [f"1\tone two {word}\t\n" for word in ENGLISH] * 100
    path.write_text("".join(rows), encoding="utf-8")
    lines = []
    with pytest.raises(TooFewPairsError):
        adapt(adaptation(models, path), lines.append)
    assert "  1,000 without a translation" in lines


def test_a_missing_file_is_named_before_anything_is_read(models, tmp_path):
    with pytest.raises(InputError, match="is missing"):
        adapt(adaptation(models, tmp_path / "none.tmx"), lambda _: None)
    shutil.rmtree(models.folder / ".acme.adapting", ignore_errors=True)


def test_a_refused_material_leaves_nothing_behind(models, tmp_path):
    few = write_material(tmp_path / "few.jsonl", 10)
    with pytest.raises(TooFewPairsError):
        adapt(adaptation(models, few), lambda _: None)
    assert not list(models.folder.glob(".acme*"))
