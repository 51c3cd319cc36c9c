"""The order of the batches follows from the seed and what was done, not from who does it."""

from __future__ import annotations

from itertools import chain, islice
from types import SimpleNamespace
from typing import Any

import numpy as np

from docmt.data.sampler import Sampler
from docmt.recipes.schema import TrainingSettings
from docmt.training.checkpoints import State
from docmt.training.trainer import upcoming


def job(state: State, processes: int) -> Any:
    """What `upcoming` looks at: eleven batches of one instance, two of which make an update of
    each process."""
    lengths = np.full(11, 10)
    return SimpleNamespace(
        settings=TrainingSettings(batch_tokens=10, accumulate_batches=2),
        state=state,
        accelerator=SimpleNamespace(num_processes=processes),
        sampler=Sampler(lengths, lengths, 10),
    )


def taken(state: State, processes: int, count: int) -> list[list[int]]:
    """The instances of the next updates."""
    return [
        [int(members[0]) for members in update.batches]
        for update in islice(upcoming(job(state, processes)), count)
    ]


def test_every_batch_comes_once_an_epoch_and_its_last_update_takes_what_is_left() -> None:
    state = State()
    sizes = [len(update) for update in taken(state, 2, 4)]
    assert sizes == [4, 4, 3, 4]
    assert (state.step, state.epoch, state.batches) == (4, 2, 4)


def test_other_processes_go_on_where_the_first_ones_stopped() -> None:
    state = State()
    first = taken(state, 2, 1)
    rest = taken(State.model_validate_json(state.model_dump_json()), 1, 4)
    assert [len(update) for update in (*first, *rest)] == [4, 2, 2, 2, 1]
    assert sorted(chain(*first, *rest)) == list(range(11))
