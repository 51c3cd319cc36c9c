"""From a person's translations to a model: made if it is better, resumed, listed, gone on with.

The model translates digits in words. The person translates two of them by other words that the
model knows.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from itertools import count
from typing import NamedTuple

import pytest
import torch

from docmt.adapting import Adaptation, Outcome, TooFewPairsError, adapt, general_text
from docmt.adapting.tuning import TuningSettings
from docmt.adapting.verdict import MIN_GENERAL_CHRF
from docmt.models import InstalledModels, PairTranslators
from docmt.models.adding import add_run
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weight_differences import base_of
from toy import ENGLISH, GERMAN

SHARES = (1.0, 0.75, 0.5, 0.25)
QUICK = TuningSettings(
    learning_rate=0.01, batch_tokens=512, max_epochs=4, min_updates=10, tuned_shares=SHARES
)
PERSON = {"two": "acht", "zero": "neun"}


def installed(run, folder, monkeypatch):
    """A model of the toy corpus alone in a folder, and general sentences of its words."""
    monkeypatch.setenv("DOCMT_MODELS", str(folder))
    found = InstalledModels.default()
    add_run(found, run.directory)
    draw = random.Random(3)
    # No digits of the person: they are to stay as they are.
    texts = tuple(" ".join(draw.choices(["one", "three", "four"], k=4)) for _ in range(90))
    monkeypatch.setattr(general_text, "of_language", lambda language: texts * (language == "en"))
    monkeypatch.setattr(general_text, "_MEASURED", 30)
    return found


@pytest.fixture
def models(tiny_run, tmp_path, monkeypatch):
    return installed(tiny_run, tmp_path / "models", monkeypatch)


def write_material(path, number=110, *, seed=5, person=PERSON):
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


class Adapted(NamedTuple):
    """An adaptation that was interrupted and went on."""

    models: InstalledModels
    outcome: Outcome
    lines: list[str]
    lines_before: list[str]
    was_there: bool


@pytest.fixture(scope="module")
def adapted(tiny_run, tmp_path_factory):
    """Tests must not change it."""
    folder = tmp_path_factory.mktemp("adapted")
    with pytest.MonkeyPatch.context() as monkeypatch:
        models = installed(tiny_run, folder / "models", monkeypatch)
        asked = adaptation(models, write_material(folder / "own.jsonl"))
        before, lines, updates = [], [], count(1)

        def interrupt(_seconds, _most):
            if next(updates) == 15:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            adapt(asked, before.append, interrupt)
        was_there = models.get("acme") is not None
        yield Adapted(models, adapt(asked, lines.append), lines, before, was_there)


def test_a_model_learns_how_a_person_translates_and_is_listed(adapted):
    models, outcome = adapted.models, adapted.outcome
    assert outcome.verdict.reason_against == ""
    bleu, _ = outcome.verdict.comparisons
    assert bleu.difference > 5
    model = models.named("acme")
    assert (model.start, model.pair, model.languages) == ("en-de", "en-de", ("en", "de"))
    assert "own.jsonl" in model.material
    assert "BLEU" in model.verdict
    assert any("pairs to learn" in line for line in adapted.lines_before)
    translators = PairTranslators(models)
    (translation,) = translators.named("acme").translate([Document("1", ("two two two",))])
    assert "acht" in translation.document.target[0]
    # The model of the pair stays.
    assert translators.runs()["en", "de"].endswith("/en-de")
    assert [each.name for each in translators.further()] == ["acme"]
    assert not list(models.folder.glob(".*adapting*"))
    assert not list(models.folder.glob(".*candidate*"))


def test_the_largest_share_of_the_tuned_weights_is_taken_that_general_text_bears(adapted):
    (line,) = [line for line in adapted.lines if "what was learned" in line]
    assert adapted.outcome.verdict.general.chrf >= MIN_GENERAL_CHRF
    # With more of them, other words than the person's are translated in another way, too.
    assert line == "50% of what was learned is taken, as much as general text bears"
    directory = adapted.models.named("acme").directory
    assert json.loads((directory / "verdict.json").read_text("utf-8"))["tuned_share"] == 0.5


def test_an_interrupted_adaptation_goes_on(adapted):
    assert not adapted.was_there
    assert adapted.lines[0].startswith("going on")
    assert not any("read:" in line for line in adapted.lines)


def test_the_model_is_a_difference_of_half_the_size_and_needs_its_start(adapted, tmp_path):
    shutil.copytree(adapted.models.folder, tmp_path / "models")
    models = InstalledModels(tmp_path / "models")
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


NOTHING = TuningSettings(learning_rate=1e-9, batch_tokens=128, max_epochs=0.1, min_updates=100)


def test_a_model_that_learned_nothing_is_not_made(models, tmp_path):
    same = write_material(tmp_path / "same.jsonl", 60, person={})
    outcome = adapt(adaptation(models, same, settings=NOTHING), lambda _: None)
    assert outcome.model is None
    assert "is not better" in outcome.verdict.reason_against
    assert models.get("acme") is None
    assert not list(models.folder.glob(".acme*"))


@pytest.mark.slow
def test_a_model_that_is_not_better_is_made_where_it_is_asked_for(models, tmp_path):
    same = write_material(tmp_path / "same.jsonl", 60, person={})
    kept = adapt(adaptation(models, same, settings=NOTHING, keep=True), lambda _: None)
    assert kept.model is not None
    assert "kept although" in models.named("acme").verdict
    record = json.loads((kept.model.directory / "verdict.json").read_text())
    assert record["reason_against"] == kept.verdict.reason_against != ""


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


@pytest.mark.slow
def test_without_general_text_little_of_what_was_learned_is_taken(models, material, monkeypatch):
    monkeypatch.setattr(general_text, "of_language", lambda _: ())
    lines = []
    outcome = adapt(adaptation(models, material), lines.append)
    assert outcome.verdict.general.sentences == 0
    assert any("general text is not measured" in line for line in lines)
    assert "25% of what was learned is taken, to be careful" in lines


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
