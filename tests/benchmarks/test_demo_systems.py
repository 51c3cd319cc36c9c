"""The benchmark that trains every system for equally long."""

from pathlib import Path

import pytest

from docmt_nmt import recipes
from docmt_nmt.systems import system_names


@pytest.mark.usefixtures("benchmark")
def test_updates_are_shared_among_stages():
    from demo_systems import shortened

    assert shortened("demo-sentence", 40, []).training.max_steps == 40
    staged = shortened("demo-g-transformer-finetuned", 40, [])
    stages = [stage.training.max_steps for _, stage in recipes.stages(staged, Path("run"))]
    assert len(stages) == 2
    assert sum(stages) in (39, 40), "shares are rounded down"


@pytest.mark.usefixtures("benchmark")
def test_every_system_has_a_row():
    from demo_systems import RECIPES

    # Stacks need encoders first.
    listed = {recipes.load(name).system.name for name in RECIPES}
    assert listed == set(system_names()) - {"parallel-stack"}
