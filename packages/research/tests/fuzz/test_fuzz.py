"""Damaged input of every kind is read or refused: no crash, no hang, no lost text."""

import pytest

from fuzz.harness import fuzz
from fuzz.table import shares
from fuzz.targets import TARGETS

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)


@pytest.mark.by_default(20)
@pytest.mark.parametrize(
    "target", [target for target in TARGETS if target.inputs is None], ids=lambda each: each.name
)
def test_damaged_input_is_read_or_refused(target):
    assert fuzz(target, range(shares(250, cases=20)[target.name])).faults == []


@pytest.mark.slow
@every_target
def test_much_damaged_input_is_read_or_refused(target):
    # Other seeds than those of the default run.
    count = shares(100_000)[target.name]
    assert fuzz(target, range(1_000_000, 1_000_000 + count)).faults == []
