"""The order of the updates depends on the seed and the record, not on the number of processes."""

from __future__ import annotations

from itertools import chain, islice
from types import SimpleNamespace
from typing import Any

import numpy as np

from docmt_nmt.data.sampler import BatchSampler
from docmt_nmt.recipes.training import TrainingSettings
from docmt_nmt.training.run_record import TrainingRecord
from docmt_nmt.training.trainer import remaining_updates


def training_state(record: TrainingRecord, processes: int, **settings: int) -> Any:
    """What `remaining_updates` reads: eleven batches of one instance, two of them per process and
    update."""
    lengths = np.full(11, 10)
    return SimpleNamespace(
        settings=TrainingSettings(batch_tokens=10, accumulate_batches=2, **settings),
        record=record,
        accelerator=SimpleNamespace(num_processes=processes),
        sampler=BatchSampler(lengths, lengths, 10),
        train_dataset=SimpleNamespace(draw=lambda *_: None),
    )


def next_updates(record: TrainingRecord, processes: int, count: int) -> list[list[int]]:
    """The instances of the next updates."""
    return [
        [int(members[0]) for members in update.batches]
        for update, _ in islice(remaining_updates(training_state(record, processes)), count)
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


def last_updates(record: TrainingRecord, **settings: int) -> list[bool]:
    """Which of the updates that are left is said to be the last."""
    return [is_last for _, is_last in remaining_updates(training_state(record, 2, **settings))]


def test_training_ends_after_its_epochs_and_says_which_update_is_the_last() -> None:
    record = TrainingRecord()
    assert last_updates(record, max_epochs=2) == [False] * 5 + [True]
    assert record.step == 6
    # A run that was resumed after its last update has none left.
    assert last_updates(record, max_epochs=2) == []
    assert last_updates(TrainingRecord(step=4, epoch=2, batches=4), max_epochs=2) == [False, True]


def test_the_sooner_of_steps_and_epochs_ends_the_training() -> None:
    assert last_updates(TrainingRecord(), max_epochs=2, max_steps=2) == [False, True]
    assert last_updates(TrainingRecord(), max_epochs=1, max_steps=9) == [False, False, True]


def test_training_ends_with_the_update_that_is_said_to_be_the_last() -> None:
    record = TrainingRecord()
    found = list(remaining_updates(training_state(record, 2, max_epochs=2), lambda step: step == 4))
    assert [is_last for _, is_last in found] == [False, False, False, True]
    assert record.step == 4
