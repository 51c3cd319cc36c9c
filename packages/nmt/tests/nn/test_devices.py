"""The choice of a device."""

from __future__ import annotations

import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.nn.devices import chosen_device


def test_a_device_is_a_gpu_if_there_is_one(monkeypatch):
    for found, name in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda found=found: found)
        assert chosen_device(None) == name
    assert chosen_device("cpu") == "cpu"


@pytest.mark.parametrize("name", ["abacus", "cpu:x"])
def test_a_device_that_is_not_there_is_an_error(name):
    with pytest.raises(InputError, match=rf"nothing can be computed on device '{name}'"):
        chosen_device(name)
