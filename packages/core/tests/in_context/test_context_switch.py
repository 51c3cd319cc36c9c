"""A context adapter and its switch, from a tiny model in the form of Firefox's."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
import torch

import marian_models
from docmt.in_context import context_search
from docmt.in_context.candidate_scores import Candidates, candidate_gains
from docmt.in_context.context_option import CONTEXT
from docmt.in_context.context_search import ContextSearch
from docmt.in_context.context_stretches import stretches_of
from docmt.in_context.context_switch import ContextSwitch
from docmt.interop import import_marian
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora, recipes
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.runs.context_adapters import ContextAdapter, base_hash
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weights import write_difference
from docmt_nmt.systems.g_transformer import GTransformer
from docmt_nmt.training import train
from docmt_nmt.translators.checks.candidate_checks import losses
from docmt_nmt.translators.requests import Revision, TranslationRequest
from docmt_nmt.translators.translator import Translator

OPEN, CLOSE, ANSWER = "Open the file?", "Close the list?", "Yes, I did."
ALONE = {OPEN: "Datei?", CLOSE: "Liste?", ANSWER: "Ja."}
"""The translations that the base learns."""

IN_CONTEXT = {OPEN: "Datei?", CLOSE: "Liste?"}
"""The translations of the answer after each question, which the adapter learns."""

SIZES = ["system.sentences_before=1", "system.encoder_context_layers=1"]

SENTENCES = (OPEN, ANSWER, CLOSE, ANSWER, CLOSE)
DOCUMENTS = [Document("letter", SENTENCES), Document("note", (CLOSE, ANSWER))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A base that knows single sentences, and a training of an adapter over it."""
    folder = tmp_path_factory.mktemp("adapter")
    (folder / "model").mkdir()
    marian_models.make_firefox(folder / "model")
    import_marian(folder / "model", folder / "imported")
    singles = [
        Document(f"{number}-{text}", (text,), (ALONE[text],))
        for number in range(8)
        for text in ALONE
    ]
    corpora.write(singles, folder / "singles.jsonl")
    keys = [*_keys(folder, "singles", "imported"), "training.max_steps=150"]
    train(recipes.load("sentence-firefox", keys), folder / "base", progress=False)
    pairs = [
        Document(
            f"{number}-{first}-{second}",
            (first, ANSWER, second, ANSWER, first),
            (ALONE[first], IN_CONTEXT[first], ALONE[second], IN_CONTEXT[second], ALONE[first]),
        )
        for number in range(4)
        for first in IN_CONTEXT
        for second in IN_CONTEXT
    ]
    corpora.write(pairs, folder / "pairs.jsonl")
    keys = [*_keys(folder, "pairs", "base"), *SIZES, "training.max_steps=100"]
    train(recipes.load("context-adapter-firefox", keys), folder / "run", progress=False)
    return folder


def _keys(folder, corpus, start):
    return [
        "data.source_language=en",
        "data.target_language=de",
        f"data.train.source={folder / corpus}.jsonl",
        f"data.valid.source={folder / corpus}.jsonl",
        f"initialize.run={folder / start}",
        "initialize.loaded_learning_rate=null",
        f"system.d_model={marian_models.D}",
        f"system.heads={marian_models.HEADS}",
        f"system.ffn_dim={marian_models.FFN}",
        "system.layers=2",
        "training.batch_tokens=512",
        "training.accumulate_batches=1",
        "training.validate_every=50",
        "training.learning_rate=0.02",
        "training.warmup_steps=2",
    ]


@pytest.fixture
def adapter(folder):
    return folder / "run" / "context_adapter.safetensors"


@pytest.fixture
def switch(folder, adapter):
    return ContextSwitch.load(folder / "base", adapter)


@pytest.mark.slow
def test_a_training_over_frozen_weights_writes_an_adapter_with_the_new_weights_alone(
    folder, adapter
):
    read, base = ContextAdapter.read(adapter), SystemRun.load(folder / "base").state()
    assert read.tensors
    assert all(".global_attention." in name or ".gate." in name for name in read.tensors)
    assert read.description.base == base_hash(base)
    assert read.description.languages == ("en", "de")
    assert adapter.stat().st_size < (folder / "run" / "weights.safetensors").stat().st_size / 2


def test_an_adapter_is_the_same_bytes_again(adapter, tmp_path):
    ContextAdapter.read(adapter).write(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == adapter.read_bytes()


def test_an_adapter_is_refused_by_name_for_another_model(folder, adapter, tmp_path):
    (tmp_path / "model").mkdir()
    marian_models.make_firefox(tmp_path / "model")
    other = import_marian(tmp_path / "model", tmp_path / "other")
    state = other.state()
    name = next(iter(state))
    other.save_weights({**state, name: state[name] + 1})
    with pytest.raises(InputError, match="belongs to another model 'base'"):
        ContextSwitch.load(tmp_path / "other", adapter)


def _tuned(folder, tmp_path):
    """A start and, beside it, a model that was tuned from it, stored as a difference."""
    start = shutil.copytree(folder / "base", tmp_path / "start")
    tuned = shutil.copytree(folder / "base", tmp_path / "tuned")
    state = SystemRun.load(start).state()
    moved = {name: tensor + 1e-4 for name, tensor in state.items()}
    write_difference(tuned / "weights.safetensors", moved, start, state)
    return start, tuned


def test_an_adapter_serves_what_was_tuned_from_its_model(folder, adapter, tmp_path):
    _, tuned = _tuned(folder, tmp_path)
    assert not torch.equal(
        *(next(iter(SystemRun.load(run).state().values())) for run in (tuned, folder / "base"))
    )
    (made, _) = ContextSwitch.load(tuned, adapter).translate(DOCUMENTS)
    assert made.document.target == (
        *(ALONE[OPEN], IN_CONTEXT[OPEN], ALONE[CLOSE], IN_CONTEXT[CLOSE], ALONE[CLOSE]),
    )


def test_a_tuned_model_has_the_adapter_of_its_start(folder, adapter, tmp_path):
    start, tuned = _tuned(folder, tmp_path)
    over = CONTEXT.load("auto")
    assert not isinstance(over(BeamSearchTranslator.load(tuned)), ContextSwitch)
    shutil.copyfile(adapter, start / ADAPTER)
    assert isinstance(over(BeamSearchTranslator.load(tuned)), ContextSwitch)


def test_a_file_that_is_no_adapter_is_refused(folder):
    with pytest.raises(InputError, match="is not a context adapter"):
        ContextAdapter.read(folder / "base" / "weights.safetensors")


def test_weights_that_were_trained_as_a_whole_are_no_adapter(folder, tmp_path):
    recipe = recipes.load(
        "context-adapter-firefox",
        [*_keys(folder, "pairs", "base"), *SIZES, "initialize.freeze=[]", "training.max_steps=4"],
    )
    run = train(recipe, tmp_path / "run", progress=False)
    assert not (tmp_path / "run" / "context_adapter.safetensors").exists()
    with pytest.raises(InputError, match="no adapter"):
        ContextAdapter.of_run(run, SystemRun.load(folder / "base"))


@torch.no_grad()
def test_a_sentence_alone_has_the_translation_and_the_score_of_the_base(folder, switch):
    base = BeamSearchTranslator.load(folder / "base")
    alone = [Document(str(n), (sentence,)) for n, sentence in enumerate(SENTENCES)]
    expected = base.translate(alone)
    for translator in (switch, switch.in_context):
        made = translator.translate(alone)
        assert [m.document for m in made] == [e.document for e in expected]
        for one, other in zip(made, expected, strict=True):
            assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-6)


def test_the_translation_in_context_is_taken_where_the_context_prefers_it(switch):
    made = switch.translate(DOCUMENTS)
    answers = [IN_CONTEXT[OPEN], IN_CONTEXT[CLOSE]]
    assert [m.document.target for m in made] == [
        (ALONE[OPEN], answers[0], ALONE[CLOSE], answers[1], ALONE[CLOSE]),
        (ALONE[CLOSE], answers[1]),
    ]


def test_what_is_taken_is_over_the_threshold_and_loses_nothing(switch):
    alone = switch.translator.translate(DOCUMENTS)
    decisions = switch.decisions(TranslationRequest(DOCUMENTS), alone)
    assert {(each.document, each.sentence) for each in decisions} == {(0, 1), (0, 3), (1, 1)}
    for each in decisions:
        assert each.alone == ALONE[ANSWER]
        assert each.margin > switch.threshold
        assert not each.lost
    lowest = min(each.margin for each in decisions)
    kept = replace(switch, threshold=lowest).translate(DOCUMENTS)
    changed = [
        text != other
        for made, before in zip(kept, alone, strict=True)
        for text, other in zip(made.document.target, before.document.target, strict=True)
    ]
    assert sum(changed) == 2


def test_nothing_changes_over_a_high_threshold_and_in_first_sentences(switch):
    alone = switch.translator.translate(DOCUMENTS)
    assert replace(switch, threshold=1e9).translate(DOCUMENTS) == alone
    everything = replace(switch, threshold=-1e9).translate(DOCUMENTS)
    assert [t.document.target[0] for t in everything] == [t.document.target[0] for t in alone]


def test_sentences_without_a_cue_are_not_searched_again(switch, monkeypatch):
    asked = []
    translate = BeamSearchTranslator.translate

    def counted(self, request, **keys):
        if isinstance(self.search_batch, ContextSearch):
            asked.extend(sorted(request.request.revision.sentences))
        return translate(self, request, **keys)

    monkeypatch.setattr(BeamSearchTranslator, "translate", counted)
    replace(switch, cues=("english-final-auxiliary",)).translate(DOCUMENTS)
    assert asked == [(0, 1), (0, 3), (1, 1)]
    asked.clear()
    replace(switch, cues=("english-it",)).translate(DOCUMENTS)
    assert asked == []


def test_a_revision_is_answered_in_context_as_well(switch):
    known = [each.document for each in switch.translator.translate(DOCUMENTS)]
    revision = Revision(tuple(known), frozenset({(0, 3)}))
    made = switch.translate(TranslationRequest(DOCUMENTS, revision=revision))
    assert made[0].document.target[3] == IN_CONTEXT[CLOSE]
    assert made[0].document.target[1] == ALONE[ANSWER]


def test_a_journal_keeps_what_was_taken(switch, monkeypatch):
    journal = Kept()
    made = switch.translate(DOCUMENTS, journal=journal)
    monkeypatch.delattr(ContextSwitch, "decisions")
    assert switch.translate(DOCUMENTS, journal=Kept(journal.values)) == made


class Kept:
    """A journal in memory."""

    def __init__(self, values=()):
        self.values, self._left = [], list(values)

    def next(self):
        return self._left.pop(0) if self._left else None

    def add(self, value):
        self.values.append(value)

    def discard(self):
        self._left = []


def test_stretches_are_as_short_as_what_is_read():
    assert [s.indices for s in stretches_of(0, range(20), [2, 9, 16], 4)] == [
        (0, 1, 2),
        (5, 6, 7, 8, 9),
        (12, 13, 14, 15, 16),
    ]
    (whole,) = stretches_of(0, [0, 2, 3, 7], [1, 3], None)
    assert (whole.indices, whole.wanted) == ((0, 2, 3, 7), (1, 3))
    (joined,) = stretches_of(0, range(20), [5, 8], 4)
    assert (joined.indices, joined.wanted) == ((1, 2, 3, 4, 5, 6, 7, 8), (4, 7))


@torch.no_grad()
def test_gains_of_candidates_are_those_of_the_full_pass(switch):
    translator = switch.in_context
    pipeline, system = translator.pipeline, translator.eager
    case = Candidates(SENTENCES, {1: ("Datei.", "Ja"), 3: ("Liste der Namen", "Liste x")})
    (found,) = candidate_gains(system, pipeline, translator.instances, [case])
    assert sorted(found) == [1, 3]
    sums = []
    for rank in range(2):
        target = ["" for _ in SENTENCES]
        for index, texts in case.targets.items():
            target[index] = texts[rank]
        encoded = pipeline.encode(Document("d", SENTENCES, tuple(target)))
        instance = Instance("d", 0, encoded.source, encoded.target)
        batch = collate([instance], pipeline.special_tokens)
        logs = system(batch).log_softmax(dim=1)
        gains = logs.gather(1, batch.labels.clamp(min=0)[:, None]).squeeze(1)
        gains *= batch.labels >= 0
        sums.append([float(gains[batch.target.sentences.index == i].sum()) for i in (1, 3)])
    expected = [second - first for first, second in zip(*sums, strict=True)]
    assert [found[1], found[3]] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("before", [1, None])
def test_what_is_found_from_the_translations_alone_is_what_a_whole_search_finds(
    switch, monkeypatch, before
):
    switch = replace(switch, sentences_before=before)
    alone = switch.translator.translate(DOCUMENTS)
    request = TranslationRequest(DOCUMENTS)
    stepped = []
    decode = context_search.decode_units

    def counted(system, state, beams):
        stepped.append(len(state.units))
        return decode(system, state, beams)

    monkeypatch.setattr(context_search, "decode_units", counted)
    found = switch.decisions(request, alone)
    # The closing sentences have the same translation in context, and are not searched.
    assert sum(stepped) == len(found) == 3
    monkeypatch.setattr(
        ContextSearch, "__call__", lambda _, *batch: batch[0].search_batch(*batch[1:])
    )
    whole = switch.decisions(request, alone)
    assert [d._replace(margin=0, log_probability=0) for d in found] == [
        d._replace(margin=0, log_probability=0) for d in whole
    ]
    for one, other in zip(found, whole, strict=True):
        assert one.margin == pytest.approx(other.margin, abs=1e-3)
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-4)


def test_the_sentences_of_all_batches_are_searched_together(switch, monkeypatch):
    alone = switch.translator.translate(DOCUMENTS)
    request = TranslationRequest(DOCUMENTS)
    expected = switch.decisions(request, alone)
    search = switch.in_context.search.model_copy(update={"batch_tokens": 1})
    in_context = replace(switch.in_context, search=search)
    searched = []
    decode, find = context_search.decode_units, ContextSearch.__call__

    def decoded(system, state, beams):
        searched.append(len(state.units))
        return decode(system, state, beams)

    def found(self, *batch):
        searched.append("batch")
        return find(self, *batch)

    monkeypatch.setattr(context_search, "decode_units", decoded)
    monkeypatch.setattr(ContextSearch, "__call__", found)
    assert replace(switch, in_context=in_context).decisions(request, alone) == expected
    assert searched == ["batch", 3, "batch"]


def test_the_layers_that_see_one_sentence_are_computed_once_for_each(switch, monkeypatch):
    computed = []
    lower = GTransformer.lower_states

    def counted(self, source):
        computed.append(source.tokens.tolist())
        return lower(self, source)

    expected = switch.translate(DOCUMENTS)
    monkeypatch.setattr(GTransformer, "lower_states", counted)
    assert switch.translate(DOCUMENTS) == expected
    # Alone, and never again in context, for the scores, or to name what decides.
    assert len(computed) == 1


def test_the_note_names_the_sentence_that_decides(switch):
    made = switch.translate(DOCUMENTS)
    request = TranslationRequest(DOCUMENTS)
    assert switch.notes(request, made)[-1] == (
        "the sentences before decided 3 sentences (letter, sentence 2 by sentence 1; letter, "
        "sentence 4 by sentence 3; note, sentence 2 by sentence 1)"
    )
    assert "decided" not in " ".join(switch.notes(request, made))


def test_the_fingerprint_depends_on_adapter_threshold_and_cues(switch):
    request = TranslationRequest(DOCUMENTS)
    others = [
        replace(switch, threshold=9.0),
        replace(switch, cues=("english-it",)),
        replace(switch, identity="other"),
        switch.translator,
    ]
    prints = {each.fingerprint(request) for each in (switch, *others)}
    assert len(prints) == 5


@pytest.mark.parametrize(
    ("source", "known", "candidate", "lost"),
    [
        ("Did he? Yes.", "Ele sabia? Sim.", "Sim.", ["sentences: 1 instead of 2"]),
        ("Ask Emma.", "Pergunte a Emma.", "Pergunte a ela.", ["names: Emma"]),
        ("It costs 250.", "Custa 250.", "Custa 260.", ["numbers: 250 became 260"]),
        ("Yes, I did.", "Sim, eu fiz.", "Sim, eu sabia.", []),
    ],
)
def test_what_a_candidate_loses_is_named(source, known, candidate, lost):
    assert list(losses(source, known, candidate)) == lost


def test_the_option_takes_the_adapter_of_the_run_or_a_file_or_none(folder, adapter):
    base = BeamSearchTranslator.load(folder / "base")
    assert CONTEXT.load("off")(base) is base
    assert CONTEXT.load("auto")(base) is base
    switch = CONTEXT.load(str(adapter))(base)
    assert isinstance(switch, ContextSwitch)
    # One system in memory serves both passes.
    assert switch.translator.eager is switch.in_context.eager
    expected = ContextSwitch.load(folder / "base", adapter).translate(DOCUMENTS)
    assert [t.target for t in switch.translate(DOCUMENTS)] == [t.target for t in expected]


def test_an_adapter_beside_the_weights_is_taken_by_itself(folder, adapter, tmp_path):
    run = shutil.copytree(folder / "base", tmp_path / "base")
    shutil.copy(adapter, run / ADAPTER)
    switch = CONTEXT.load("auto")(BeamSearchTranslator.load(run))
    assert isinstance(switch, ContextSwitch)
    # The run of the training has the adapter of another model beside its weights.
    trained = BeamSearchTranslator.load(folder / "run")
    assert CONTEXT.load("auto")(trained) is trained


def test_a_file_is_refused_for_a_translator_without_weights(adapter):
    assert not CONTEXT.takes(Uppercase())
    with pytest.raises(InputError, match="stands over a model"):
        CONTEXT.load(str(adapter))(Uppercase())
    assert isinstance(CONTEXT.load("auto")(Uppercase()), Uppercase)


class Uppercase(Translator):
    """Another translator."""

    languages = ("en", "de")

    def translate(self, request, **_):
        raise NotImplementedError
