"""The order of the updates depends on the seed and the record, not on the number of processes."""

from __future__ import annotations

from itertools import chain, islice
from types import SimpleNamespace
from typing import Any

import numpy as np

from docmt.data.sampler import BatchSampler
from docmt.recipes.training import TrainingSettings
from docmt.training.run_record import TrainingRecord
from docmt.training.trainer import remaining_updates


def training_state(record: TrainingRecord, processes: int) -> Any:
    """What `remaining_updates` reads: eleven batches of one instance, two of them per process and
    update."""
    lengths = np.full(11, 10)
    return SimpleNamespace(
        settings=TrainingSettings(batch_tokens=10, accumulate_batches=2),
        record=record,
        accelerator=SimpleNamespace(num_processes=processes),
        sampler=BatchSampler(lengths, lengths, 10),
        train_dataset=SimpleNamespace(draw=lambda *_: None),
    )


def next_updates(record: TrainingRecord, processes: int, count: int) -> list[list[int]]:
    """The instances of the next updates."""
    return [
        [int(members[0]) for members in update.batches]
        for update in islice(remaining_updates(training_state(record, processes)), count)
    ]


def test_every_batch_comes_once_per_epoch_and_the_last_update_takes_the_rest() -> None:
    record = TrainingRecord()
    sizes = [len(update) for update in next_updates(record, 2, 4)]
    assert sizes == [4, 4, 3, 4]
    assert (record.step, record.epoch, record.batches) == (4, 2, 4)


def test_another_number_of_processes_resumes_where_the_first_stopped() -> None:
    record = TrainingRecord()
    first = next_updates(record, 2, 1)
    rest = next_updates(TrainingRecord.model_validate_json(record.model_dump_json()), 1, 4)
    assert [len(update) for update in (*first, *rest)] == [4, 2, 2, 2, 1]
    assert sorted(chain(*first, *rest)) == list(range(11))
