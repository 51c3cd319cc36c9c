"""A training step reads back from the device once, for the log, and mixes no devices: a whole step
runs on a fake accelerator, where anything else raises."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
import torch

from cases import SPECIAL_TOKENS, VOCABULARY, g_transformer, transformer
from docmt_nmt.data import Instance
from docmt_nmt.data.sampler import Update
from docmt_nmt.recipes.training import TrainingSettings
from docmt_nmt.systems import build
from docmt_nmt.training import train_step as steps
from docmt_nmt.training.loss import Loss
from docmt_nmt.training.optimizer import make_optimizer, set_learning_rates
from docmt_nmt.training.precision import make_grad_scaler
from docmt_nmt.training.run_record import TrainingRecord
from docmt_nmt.training.training_metrics import StepMetrics
from fake_accelerator import ReadBackError, fake_accelerator, run_as_program, write_results

SYSTEMS = {
    "transformer": transformer(layers=1, dropout=0.1, output_bias=True, share_output=False),
    "g-transformer": g_transformer(layers=2, dropout=0.1, encoder_context_layers=1),
    "dropped attention": g_transformer(layers=2, attention_dropout=0.1, encoder_context_layers=1),
}
CASES = [
    *product(("transformer",), ("fp32", "bf16", "fp16"), ("adam",)),
    *product(("g-transformer", "dropped attention"), ("bf16",), ("adam",)),
    *product(("transformer",), ("fp32",), ("adadelta", "sgd")),
]
DOCUMENTS = [[[5, 6, 7], [8, 9]], [[10, 11], [12], [13, 14, 15]]]


def host_state(precision: str, optimizer: str) -> Any:
    """What `train_step` reads of a training state, but for what lies on a device."""
    vocabulary = SimpleNamespace(unk_id=3)
    pipeline = SimpleNamespace(
        special_tokens=SPECIAL_TOKENS, source_vocabulary=vocabulary, target_vocabulary=vocabulary
    )
    return SimpleNamespace(
        settings=TrainingSettings(
            precision=precision, optimizer=optimizer, clip_norm=1.0, word_dropout_source=0.1
        ),
        record=TrainingRecord(step=1),
        train_dataset=[Instance(str(i), 0, d, d) for i, d in enumerate(DOCUMENTS)],
        run=SimpleNamespace(pipeline=pipeline),
        drafts=None,
    )


def put_on_device(state: Any, system: str, device: torch.device) -> None:
    """Add a system, its optimizer and a process of that device."""
    with device:
        built = build(SYSTEMS[system], VOCABULARY, VOCABULARY, seed=1)
    state.loss = Loss(built, state.settings.label_smoothing)
    state.optimizer = make_optimizer(built, state.settings)
    state.scaler = make_grad_scaler(device, state.settings.precision)
    state.accelerator = SimpleNamespace(
        device=device,
        num_processes=1,
        process_index=0,
        reduce=lambda tensor, _: tensor,
        no_sync=lambda _: nullcontext(),
    )


def read_backs(system: str, precision: str, optimizer: str) -> int:
    """How often a training step reads back in `_read_metrics`; elsewhere it is an error."""
    state, update = host_state(precision, optimizer), Update([[0, 1]])
    state.accelerator = SimpleNamespace(process_index=0, num_processes=1)
    batches = steps._collate_own_batches(state, update)
    count = 0

    def count_read(sums: torch.Tensor, grad_norm: torch.Tensor) -> StepMetrics:
        nonlocal count
        with pytest.raises(ReadBackError):
            read_metrics(sums, grad_norm)
        count += 1
        return StepMetrics(loss=0.0, nll=0.0, labels=1.0, grad_norm=0.0)

    read_metrics = steps._read_metrics
    with (
        patch.object(steps, "_collate_own_batches", lambda *_: batches),
        patch.object(steps, "_read_metrics", count_read),
        fake_accelerator() as device,
    ):
        put_on_device(state, system, device)
        set_learning_rates(state.optimizer, 0.5)
        steps.train_step(state, update)
    return count


@pytest.fixture(scope="module")
def results(forkserver: Any) -> dict[str, Any]:
    return run_as_program(forkserver, __file__)


@pytest.mark.parametrize(("system", "precision", "optimizer"), CASES)
def test_a_step_reads_back_once(results, system, precision, optimizer):
    assert results[f"{system} {precision} {optimizer}"] == 1


if __name__ == "__main__":
    write_results({" ".join(case): partial(read_backs, *case) for case in CASES})
