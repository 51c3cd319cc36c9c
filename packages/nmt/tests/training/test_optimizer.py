"""Which parameters are trained, and at which learning rate."""

from __future__ import annotations

import shutil

import pytest
import torch
from torch import nn

from docmt_files.base.errors import InputError
from docmt_nmt.recipes.training import InitializeSettings, TrainingSettings
from docmt_nmt.runs.weights import read_weights
from docmt_nmt.training import train
from docmt_nmt.training.optimizer import make_optimizer, set_learning_rates
from toy import toy_recipe

SETTINGS = TrainingSettings(learning_rate=5e-4, betas=(0.8, 0.9), epsilon=1e-6, weight_decay=0.01)


class Toy(nn.Module):
    """An encoder, a decoder whose output is tied to its embedding, and a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(2, 2)
        self.embedding = nn.Embedding(3, 2)
        self.output = nn.Linear(2, 3, bias=False)
        self.output.weight = self.embedding.weight
        self.gate = nn.Linear(2, 2)


LOADED = ("encoder.weight", "encoder.bias", "embedding.weight", "output.weight")


def initialize(**keys: object) -> InitializeSettings:
    return InitializeSettings(run="before", **keys)


def members(optimizer: torch.optim.Optimizer, system: nn.Module) -> dict[str, set[str]]:
    names = {id(parameter): name for name, parameter in system.named_parameters()}
    return {g["name"]: {names[id(p)] for p in g["params"]} for g in optimizer.param_groups}


def test_from_random_weights_all_learn_at_one_rate():
    system = Toy()
    optimizer = make_optimizer(system, SETTINGS)
    assert members(optimizer, system) == {"learning_rate": set(dict(system.named_parameters()))}
    group = optimizer.param_groups[0]
    assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.8, 0.9), 1e-6, 0.01)


def test_new_and_loaded_parameters_have_rates_of_their_own():
    system = Toy()
    optimizer = make_optimizer(system, SETTINGS, initialize(loaded_learning_rate=1e-4), LOADED)
    assert members(optimizer, system) == {
        "learning_rate": {"gate.weight", "gate.bias"},
        "loaded_learning_rate": {"encoder.weight", "encoder.bias", "embedding.weight"},
    }
    assert set_learning_rates(optimizer, 0.5) == {
        "learning_rate": pytest.approx(2.5e-4),
        "loaded_learning_rate": pytest.approx(5e-5),
    }
    assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([2.5e-4, 5e-5])


def test_loaded_parameters_learn_at_the_one_rate_unless_they_are_given_another():
    rates = set_learning_rates(make_optimizer(Toy(), SETTINGS, initialize(), LOADED), 1.0)
    assert set(rates.values()) == {5e-4}


@pytest.mark.parametrize(
    ("patterns", "frozen"),
    [
        (["encoder.*"], {"encoder.weight", "encoder.bias"}),
        (["*.bias"], {"encoder.bias", "gate.bias"}),
        (["output.weight"], {"embedding.weight"}),
        (["loaded"], {"encoder.weight", "encoder.bias", "embedding.weight"}),
        (["gate.weight", "encoder.b*"], {"gate.weight", "encoder.bias"}),
    ],
)
def test_frozen_parameters_are_in_no_group_and_ask_for_no_gradient(patterns, frozen):
    system = Toy()
    optimizer = make_optimizer(system, SETTINGS, initialize(freeze=tuple(patterns)), LOADED)
    learning = set().union(*members(optimizer, system).values())
    assert learning == set(dict(system.named_parameters())) - frozen
    assert {n for n, p in system.named_parameters() if not p.requires_grad} == frozen


def test_a_pattern_without_a_match_is_an_error_with_similar_names():
    with pytest.raises(InputError, match=r"'encodr\.\*' matches no parameter.*encoder\.bias"):
        make_optimizer(Toy(), SETTINGS, initialize(freeze=("encodr.*",)), LOADED)


def test_freezing_everything_is_an_error():
    with pytest.raises(InputError, match="no parameter to train"):
        make_optimizer(Toy(), SETTINGS, initialize(freeze=("*",)), LOADED)


@pytest.mark.parametrize("optimizer", ["adam", "adadelta", "sgd"])
def test_two_updates_are_those_of_the_definition(optimizer):
    keys = {"betas": (0.8, 0.9), "epsilon": 1e-6} if optimizer == "adam" else {}
    if optimizer == "adadelta":
        keys = {"rho": 0.95, "epsilon": 1e-6}
    system = nn.Linear(3, 1, bias=False).double()
    weights = system.weight.detach().clone()
    found = make_optimizer(system, TrainingSettings(optimizer=optimizer, learning_rate=0.1, **keys))
    gradients = [torch.tensor([[0.5, -2.0, 0.0]]), torch.tensor([[1.0, 1.0, -3.0]])]
    first, second = torch.zeros(1, 3).double(), torch.zeros(1, 3).double()
    for n, gradient in enumerate(gradients, 1):
        g = gradient.double()
        system.weight.grad = g.clone()
        found.step()
        if optimizer == "sgd":
            weights -= 0.1 * g
        elif optimizer == "adadelta":  # Zeiler 2012, algorithm 1
            first = 0.95 * first + 0.05 * g**2
            change = ((second + 1e-6).sqrt() / (first + 1e-6).sqrt()) * g
            second = 0.95 * second + 0.05 * change**2
            weights -= 0.1 * change
        else:  # Kingma and Ba 2015, algorithm 1
            first, second = 0.8 * first + 0.2 * g, 0.9 * second + 0.1 * g**2
            mean, variance = first / (1 - 0.8**n), second / (1 - 0.9**n)
            weights -= 0.1 * mean / (variance.sqrt() + 1e-6)
        torch.testing.assert_close(system.weight.detach(), weights)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("optimizer", ["adadelta", "sgd"])
def test_other_optimizers_resume_as_if_nothing_had_happened(tinier_corpus, tmp_path, optimizer):
    keys = {
        "optimizer": optimizer,
        "learning_rate": 0.1,
        "schedule": "epoch",
        "warmup_steps": 0,
        "decay_epoch": 2,
        "batch_sentences": 64,
        "validate_every": 3,
    }
    recipe = toy_recipe(tinier_corpus, training={**keys, "max_steps": 6})
    whole = train(recipe, tmp_path / "whole", progress=False)
    train(recipe, tmp_path / "part", progress=False)
    shutil.rmtree(tmp_path / "part" / "checkpoints" / "000006")
    log = tmp_path / "part" / "log.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    part = train(recipe, tmp_path / "part", progress=False)
    for name, tensor in read_weights(whole.weights).items():
        assert torch.equal(tensor, read_weights(part.weights)[name])
