"""Options that make context pay: its loss discounted, words of the last sentence alone dropped, and
instances of several sizes in one training."""

from __future__ import annotations

import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance, InstanceSettings
from docmt_nmt.data.collate import collate
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.recipes import Recipe
from docmt_nmt.systems import build
from docmt_nmt.training import train, trainer
from docmt_nmt.training.loss import Loss, smoothed_cross_entropy
from docmt_nmt.training.word_dropout import drop_words
from toy import toy_recipe

SPECIAL_TOKENS = SpecialTokens((), (2,), 2, 2)
UNKNOWN = 3

INSTANCES = [
    Instance("d", 0, [[5, 6], [7, 8]], [[9], [10, 11]]),
    Instance("e", 0, [[5]], [[9, 9]]),
    Instance("f", 0, [[6], [6], [5]], [[8], [8], [7]]),
]
LAST_SOURCE = [0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1]
LAST_TARGET = [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1]


def batch(instances=INSTANCES):
    return collate(instances, SPECIAL_TOKENS)


def test_the_last_sentence_of_each_instance_is_the_one_with_context():
    assert batch().source.in_last_sentence.tolist() == LAST_SOURCE
    assert batch().target.in_last_sentence.tolist() == LAST_TARGET


def test_an_instance_without_sentences_has_no_last_one():
    context = collate([Instance("d", 0, [[5]], [[5]]), *INSTANCES[:1]], SPECIAL_TOKENS).source
    assert context.context.in_last_sentence.tolist() == []


@pytest.mark.parametrize("last_only", [True, False])
def test_words_of_the_last_sentence_alone_are_dropped(last_only):
    found = drop_words(
        batch(),
        SPECIAL_TOKENS,
        source=0.999999999,
        target=0.999999999,
        written=(UNKNOWN, UNKNOWN),
        generator=torch.Generator().manual_seed(1),
        last_only=last_only,
    )
    for side, expected in ((found.source, LAST_SOURCE), (found.target, LAST_TARGET)):
        before = getattr(batch(), "source" if side is found.source else "target").tokens
        dropped = side.tokens == UNKNOWN
        in_last = torch.tensor(expected, dtype=torch.bool)
        words = before != 2  # all but the special tokens
        assert torch.equal(dropped, words & in_last if last_only else words)


def test_weights_of_labels_multiply_their_loss_and_gradient_and_not_their_nll():
    torch.manual_seed(1)
    labels, weights = torch.tensor([4, -100, 0, 6]), torch.tensor([1.0, 1.0, 0.25, 0.0])
    logits = torch.randn(4, 7, requires_grad=True)
    identity = torch.eye(7)
    found = smoothed_cross_entropy(logits, identity, labels, 0.1, None, weights)
    single = [smoothed_cross_entropy(logits[i : i + 1], identity, labels[i : i + 1], 0.1)
              for i in range(4)]  # fmt: skip
    torch.testing.assert_close(found.loss, single[0].loss + 0.25 * single[2].loss)
    torch.testing.assert_close(found.nll, sum(one.nll for one in single))
    (gradient,) = torch.autograd.grad(found.loss, logits)
    (expected,) = torch.autograd.grad(single[0].loss + 0.25 * single[2].loss, logits)
    torch.testing.assert_close(gradient, expected)
    assert int(found.labels) == 3


def test_discounted_context_leaves_the_loss_of_the_last_sentences(tinier_corpus):
    recipe = toy_recipe(tinier_corpus)
    system = build(recipe.system, 64, 64)
    losses = {weight: Loss(system, 0.1, weight)(batch()).loss.item() for weight in (0.0, 0.5, 1.0)}
    only_last = batch()
    labels = only_last.labels.masked_fill(~only_last.target.in_last_sentence, -100)
    states = system.states(only_last)
    expected = smoothed_cross_entropy(states, system.output_weight, labels, 0.1).loss.item()
    assert losses[0.0] == pytest.approx(expected)
    assert losses[0.5] == pytest.approx((losses[0.0] + losses[1.0]) / 2)


def test_an_epoch_has_every_document_once_for_each_size(tinier_corpus, tmp_path, monkeypatch):
    seen = []

    def recorded(state, update):
        seen.append(state.train_dataset)
        raise KeyboardInterrupt

    recipe = toy_recipe(
        tinier_corpus,
        instances={"kind": "tokens", "max_tokens": 16},
        training={"instance_sizes": [8, 1]},
    )
    monkeypatch.setattr(trainer, "train_step", recorded)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "run", progress=False)
    (dataset,) = seen
    prepared = PreparedCorpus.load(tmp_path / "run" / "data")
    documents, sentences = len(prepared.split("train")), prepared.split("train").first_sentences[-1]
    assert dataset.sentences.sum() == 3 * sentences
    members = [dataset[i] for i in range(len(dataset))]
    assert sum(instance.first == 0 for instance in members) == 3 * documents
    longest = [max(map(len, (i.source, i.target))) for i in members]
    assert longest[-sentences:] == [1] * sentences


def test_windows_of_other_sizes_do_not_overlap():
    settings = InstanceSettings(kind="window", window=4, stride=1)
    assert settings.resized(2) == InstanceSettings(kind="window", window=2)


def test_a_run_learns_with_all_of_it_the_same_every_time(tinier_corpus, tmp_path):
    options = {
        "context_loss": 0.01,
        "instance_sizes": [1],
        "word_dropout_source": 0.2,
        "word_dropout_sentences": "last",
    }
    weights = {}
    for name, more in (("a", options), ("b", options), ("plain", {})):
        recipe = toy_recipe(tinier_corpus, training={"max_steps": 4, **more})
        weights[name] = train(recipe, tmp_path / name, progress=False).weights.read_bytes()
    assert weights["a"] == weights["b"] != weights["plain"]


@pytest.mark.parametrize(
    ("instances", "training", "message"),
    [
        ({"kind": "sentence"}, {"context_loss": 0.1}, "context_loss needs instances of several"),
        (
            {"kind": "sentence"},
            {"word_dropout_sentences": "last", "word_dropout_source": 0.1},
            "word_dropout_sentences needs instances of several",
        ),
        ({}, {"word_dropout_sentences": "last"}, "has no effect without"),
        ({"kind": "whole"}, {"instance_sizes": [3]}, "needs instances.kind tokens or window"),
        ({}, {"instance_sizes": [1, 1]}, r"\[1, 1\] has a size twice, or that of `instances`, 2"),
        ({}, {"instance_sizes": [2]}, "has a size twice"),
        ({}, {"instance_sizes": [1], "copied_context": 0.5}, "cannot be used with"),
    ],
)
def test_options_without_effect_are_refused(instances, training, message, tinier_corpus):
    values = toy_recipe(tinier_corpus).model_dump(mode="json")
    values["instances"] = {"kind": "window", "window": 2, **instances}
    if "kind" in instances:
        values["instances"].pop("window")
    values["training"] |= training
    with pytest.raises(InputError, match=message):
        Recipe.read(values)
