"""Checkpoints: what they hold, which are kept, and which are averaged."""

from __future__ import annotations

import re

import pytest
import torch
from torch import nn

from docmt_files.base.errors import InputError
from docmt_nmt.recipes.training import AverageSettings
from docmt_nmt.training.checkpoints import (
    Checkpoints,
    average_weights,
    max_checkpoints_kept,
    steps_to_average,
    steps_to_keep,
)
from docmt_nmt.training.run_record import TrainingRecord, ValidationResult

COSTS = [(10, 5.0), (20, 3.0), (30, 4.0), (40, 2.0), (50, 2.5), (60, 9.0)]


def settings(kind: str, checkpoints: int = 2) -> AverageSettings:
    return AverageSettings.read(
        {"kind": kind} | ({"checkpoints": checkpoints} if kind != "none" else {})
    )


def trained(
    seed: int = 1, kind: type[torch.optim.Optimizer] = torch.optim.AdamW
) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A small system after two steps of an optimizer, one of its parameters frozen."""
    torch.manual_seed(seed)
    system = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    system[0].bias.requires_grad_(False)
    learning = [p for p in system.parameters() if p.requires_grad]
    optimizer = kind([{"params": learning[:1]}, {"params": learning[1:]}], lr=0.1)  # type: ignore[call-arg]
    for _ in range(2):
        system(torch.randn(5, 3)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return system, optimizer


def history(costs: list[tuple[int, float]]) -> list[ValidationResult]:
    return [ValidationResult(step=step, loss=loss) for step, loss in costs]


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.Adadelta, torch.optim.SGD])
def test_weights_moments_and_state_come_back_bit_for_bit(tmp_path, kind):
    system, optimizer = trained(kind=kind)
    record = TrainingRecord(
        step=70, epoch=3, batches=4, history=history(COSTS), scaler={"scale": 4.0}
    )
    checkpoints = Checkpoints(tmp_path, settings("none"))
    checkpoints.save(record, system, optimizer)

    other, other_optimizer = trained(seed=2, kind=kind)
    assert checkpoints.steps() == [70]
    assert checkpoints.newest_record() == record
    checkpoints.restore(70, other, other_optimizer)
    for name, tensor in system.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name])
    before, after = optimizer.state_dict(), other_optimizer.state_dict()
    assert before["param_groups"] == after["param_groups"]
    for parameter, moments in before["state"].items():
        for name, tensor in moments.items():
            if tensor is not None:  # SGD lists a momentum that it does not have
                assert torch.equal(tensor, after["state"][parameter][name])


def test_before_the_first_checkpoint_the_record_is_empty(tmp_path):
    assert Checkpoints(tmp_path / "none", settings("none")).newest_record() == TrainingRecord()


def test_a_checkpoint_of_another_system_is_an_error(tmp_path):
    system, optimizer = trained()
    checkpoints = Checkpoints(tmp_path, settings("none"))
    checkpoints.save(TrainingRecord(step=1), system, optimizer)
    for parameter in system.parameters():
        parameter.requires_grad_(True)
    everything = torch.optim.AdamW(system.parameters())
    with pytest.raises(InputError, match=r"optimizer\.safetensors: does not fit"):
        checkpoints.restore(1, system, everything)
    with pytest.raises(InputError, match=r"weights\.safetensors: the weights do not fit"):
        checkpoints.restore(1, nn.Linear(3, 4), everything)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is not valid JSON, or only part of it"),
        ("{", "is not valid JSON, or only part of it"),
        ('{"step": "many"}', "is not a valid training record (step: Input should be"),
    ],
)
def test_a_damaged_state_is_an_error_that_says_what_to_do(tmp_path, text, problem):
    checkpoints = Checkpoints(tmp_path, settings("none"))
    checkpoints.save(TrainingRecord(step=1), *trained())
    (tmp_path / "000001" / "state.json").write_text(text)
    with pytest.raises(
        InputError,
        match=rf"state\.json: {re.escape(problem)}.*\. Copy .*{tmp_path} to train from the start",
    ):
        checkpoints.newest_record()


@pytest.mark.parametrize("name", ["weights", "optimizer"])
def test_damaged_weights_of_a_checkpoint_are_an_error_that_says_what_to_do(tmp_path, name):
    checkpoints = Checkpoints(tmp_path, settings("none"))
    checkpoints.save(TrainingRecord(step=1), *trained())
    path = tmp_path / "000001" / f"{name}.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(
        InputError,
        match=rf"{name}\.safetensors: is damaged.* or remove {tmp_path} to train from the start",
    ):
        checkpoints.restore(1, *trained())


@pytest.mark.parametrize(
    ("kind", "checkpoints", "steps"),
    [
        ("none", 5, []),
        ("last", 1, [60]),
        ("last", 3, [40, 50, 60]),
        ("last", 9, [10, 20, 30, 40, 50, 60]),
        ("best", 1, [40]),
        ("best", 2, [40, 50]),
        ("best", 3, [30, 40, 50]),
        ("best", 9, [10, 20, 30, 40, 50, 60]),
    ],
)
def test_the_steps_that_are_averaged(kind, checkpoints, steps):
    assert steps_to_average(COSTS, settings(kind, checkpoints)) == steps


def test_of_equal_means_the_first_is_averaged():
    assert steps_to_average([(1, 2.0), (2, 2.0), (3, 2.0)], settings("best", 2)) == [1, 2]


@pytest.mark.parametrize("kind", ["none", "last", "best"])
@pytest.mark.parametrize("checkpoints", [1, 2, 3, 5])
def test_every_checkpoint_that_will_be_averaged_has_been_kept(kind, checkpoints):
    kept: set[int] = set()
    for end in range(1, len(COSTS) + 1):
        now = steps_to_keep(COSTS[:end], settings(kind, checkpoints))
        assert now <= kept | {COSTS[end - 1][0]}
        assert COSTS[end - 1][0] in now
        assert set(steps_to_average(COSTS[:end], settings(kind, checkpoints))) <= now
        assert len(now) <= max_checkpoints_kept(settings(kind, checkpoints))
        kept = now


def test_old_checkpoints_go_and_only_the_newest_can_be_resumed_from(tmp_path):
    checkpoints = Checkpoints(tmp_path, settings("last", 2))
    for end in range(1, 4):
        checkpoints.save(TrainingRecord(step=COSTS[end - 1][0]), *trained())
        checkpoints.prune(COSTS[:end])
    assert checkpoints.steps() == [20, 30]
    assert not (tmp_path / "000020" / "optimizer.safetensors").exists()
    assert (tmp_path / "000030" / "optimizer.safetensors").exists()


def test_the_best_validation_is_the_first_of_equals():
    record = TrainingRecord(history=history([(1, 3.0), (2, 2.0), (3, 2.0), (4, 5.0)]))
    assert record.best("loss").step == 2
    assert record.validations_since_best("loss") == 2
    assert TrainingRecord().best("loss") is None
    assert TrainingRecord().validations_since_best("loss") == 0


def test_selection_by_bleu_prefers_more():
    record = TrainingRecord(
        history=[
            ValidationResult(step=1, loss=1.0, bleu=10.0),
            ValidationResult(step=2, loss=2.0, bleu=12.0),
        ]
    )
    assert record.best("s-bleu").step == 2
    assert record.best("loss").step == 1


def test_an_average_is_the_arithmetic_mean_of_every_weight(tmp_path):
    checkpoints = Checkpoints(tmp_path, settings("last", 3))
    systems = [trained(seed)[0] for seed in (1, 2, 3)]
    for step, seed in enumerate((1, 2, 3), 1):
        checkpoints.save(TrainingRecord(step=step), *trained(seed))
    mean = average_weights([checkpoints.weights(step) for step in (1, 2, 3)])
    for name, tensor in mean.items():
        expected = torch.stack([s.state_dict()[name].double() for s in systems]).mean(dim=0)
        assert torch.equal(tensor, expected.float())
        assert tensor.dtype == torch.float32
