"""The results that benchmarks of several systems keep and print."""

import pytest


@pytest.fixture
def outcomes(benchmark):
    """The module, which the fixture `benchmark` makes importable."""
    import outcomes

    return outcomes


def test_what_is_saved_is_loaded_again(outcomes, tmp_path):
    outcome = outcomes.Outcome(10, 4, 100, 2.5, (20.0, 21.0, 40.0), 0.5, 3.0)
    assert outcomes.Outcome.load(tmp_path / "system-1.json") is None
    outcome.save(tmp_path / "system-1.json")
    assert outcomes.Outcome.load(tmp_path / "system-1.json") == outcome


def test_times_are_ratios_to_the_first_system(outcomes, capsys):
    first = [outcomes.Outcome(10, 10, 100, 2.0, (20.0, 21.0, 40.0), 0.5, 3.0)]
    seeds = [
        outcomes.Outcome(20, 4, 100, loss, (20.0, 21.0, 40.0), 1.0, 1.5) for loss in (2.0, 3.0)
    ]
    outcomes.print_outcomes({"first": first, "second": seeds}, first)
    _, *rows = capsys.readouterr().out.splitlines()
    assert "3 s (1.00 ×)" in rows[0]
    assert "2.50 (2.00–3.00)" in rows[1]
    assert "1 s (2.00 ×)" in rows[1]
    assert "1.5 s (0.50 ×)" in rows[1]
