"""The fake accelerator fails where work on a GPU would, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from fake_accelerator import ReadBackError, fake_accelerator, run_as_program, write_results


def train() -> list[str]:
    """Forward, backward and a step of the optimizer; the devices and formats it ends with."""
    with fake_accelerator() as device:
        linear = nn.Linear(2, 3, device=device)
        optimizer = torch.optim.AdamW(linear.parameters(), fused=True)
        with torch.autocast(device.type, torch.bfloat16):
            y = linear(torch.tensor([[1.0, 2.0]], device=device))
        y.float().sum().backward()
        optimizer.step()
        return [str(y.dtype), str(linear.weight.grad.dtype), linear.weight.grad.device.type]


def raises_read_back(read: Any) -> bool:
    with fake_accelerator() as device, pytest.raises(ReadBackError):
        read(torch.ones(2, device=device))
    return True


def mix_devices() -> Tensor:
    with fake_accelerator() as device:
        return torch.ones(2) + torch.ones(2, device=device)


@pytest.fixture(scope="module")
def results(forkserver: Any) -> dict[str, Any]:
    return run_as_program(forkserver, __file__)


def test_a_step_of_training_runs_in_lower_precision(results):
    assert results["train"] == ["torch.bfloat16", "torch.float32", "gpu"]


@pytest.mark.parametrize("way", ["item", "int", "tolist"])
def test_reading_a_value_raises(results, way):
    assert results[way] is True


def test_tensors_on_two_devices_cannot_meet(results):
    assert "FakeTensorDeviceMismatchError" in results["mix devices"]


if __name__ == "__main__":
    write_results(
        {
            "train": train,
            "item": lambda: raises_read_back(lambda x: x[0].item()),
            "int": lambda: raises_read_back(lambda x: int(x.sum())),
            "tolist": lambda: raises_read_back(lambda x: x.tolist()),
            "mix devices": mix_devices,
        }
    )
