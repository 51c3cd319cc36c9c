"""The results of several series of runs, joined."""

from __future__ import annotations

import json

import pytest


def bits(value, *seeds):
    """Mean bits per sentence, with an interval of 0.2."""
    return {"bits": value, "low": value - 0.1, "high": value + 0.1, "seeds": [*seeds]}


def result(seeds, score, difference, p, gain):
    """The results of an experiment in one series."""
    test = {
        "baseline": "sentence",
        "metric": "s-BLEU",
        "difference": difference,
        "p": p,
        "low": difference - 1.0,
        "high": difference + 1.0,
        "seeds": len(seeds),
        "seeds_p": 0.3,
        "differences": {str(seed): difference for seed in seeds},
    }
    runs = [
        {"parameters": 7, "valid_loss": 2.0, "scores": {"s-BLEU": score + 0.1 * n}}
        for n, _ in enumerate(seeds)
    ]
    worth = {"own": bits(gain, *seeds), "own-shuffled": bits(gain / 2, *seeds)}
    return {
        "experiment": "window",
        "seeds": [*seeds],
        "runs": runs,
        "curves": [{"step": [seed], "loss": [2.0]} for seed in seeds],
        "scores": {
            "s-BLEU": {"mean": score, "low": score - 1, "high": score + 1, "deviation": None},
            "LTCR": {"mean": 50 + score},
        },
        "comparisons": [test],
        "likelihood": [
            {"baseline": "sentence", **bits(gain, *seeds), "phenomena": {"short": bits(1, *seeds)}}
        ],
        "context": {
            **worth,
            "examples": [f"of {min(seeds)}"],
            "phenomena": {"short": {"sentences": 5, **worth}},
        },
    }


def test_means_are_those_of_all_seeds(papers):
    from papers_series import joined

    later, first = result([3], 26.0, 3.0, 0.04, 0.9), result([1, 2], 20.0, 1.5, 0.01, 0.3)
    for order in ([first, later], [later, first]):
        found = joined(order)
        assert found["seeds"] == [1, 2, 3]
        assert [curve["step"] for curve in found["curves"]] == [[1], [2], [3]]
        scores = found["scores"]
        assert scores["s-BLEU"]["mean"] == pytest.approx(22.0)
        assert scores["s-BLEU"]["low"] == pytest.approx(21.0)
        assert scores["s-BLEU"]["deviation"] == pytest.approx(3.4356, abs=1e-3)
        assert scores["LTCR"] == {"mean": pytest.approx(72.0)}
        (test,) = found["comparisons"]
        assert test["difference"] == pytest.approx(2.0)
        assert (test["low"], test["high"]) == (pytest.approx(1.0), pytest.approx(3.0))
        assert test["p"] == pytest.approx(2 * (2 * 0.01 + 0.04) / 3)
        assert test["seeds"] == 3
        assert test["differences"] == {"1": 1.5, "2": 1.5, "3": 3.0}
        (gain,) = found["likelihood"]
        assert gain["bits"] == pytest.approx(0.5)
        assert gain["seeds"] == gain["phenomena"]["short"]["seeds"] == [1, 2, 3]
        assert found["context"]["own-shuffled"]["bits"] == pytest.approx(0.25)
        assert found["context"]["phenomena"]["short"]["own"]["bits"] == pytest.approx(0.5)
        assert found["context"]["phenomena"]["short"]["sentences"] == 5
        assert found["context"]["examples"] == ["of 1"]


def test_a_series_that_says_the_opposite_does_not_make_a_difference_significant(papers):
    from papers_series import joined

    one, other = result([1], 20.0, 3.0, 0.001, 0.1), result([2], 20.0, -2.0, 0.001, 0.1)
    (test,) = joined([one, other])["comparisons"]
    assert test["difference"] == pytest.approx(0.5)
    assert test["p"] == 1.0
    one["comparisons"][0]["p"] = None
    assert joined([one, other])["comparisons"][0]["p"] is None


def test_what_one_series_alone_has_stays_as_it_is(papers):
    from papers_series import joined

    one, other = result([1], 20.0, 3.0, 0.01, 0.1), result([2], 20.0, 2.0, 0.03, 0.1)
    other["comparisons"][0]["baseline"] = other["likelihood"][0]["baseline"] = "document"
    found = joined([one, other])
    assert [test["p"] for test in found["comparisons"]] == [0.01, 0.03]
    assert [test["seeds_p"] for test in found["comparisons"]] == [0.3, 0.3]
    assert [gain["seeds"] for gain in found["likelihood"]] == [[1], [2]]


def test_a_seed_that_was_trained_again_counts_once(papers):
    from papers_series import joined

    first, again = result([1, 2], 20.0, 3.0, 0.01, 0.1), result([2], 25.0, 1.0, 0.01, 0.1)
    assert joined([first, again]) == joined([again, first]) == first, "it has more seeds"
    other = result([1, 2], 24.0, 3.0, 0.01, 0.1)
    assert joined([first, other]) == other
    assert joined([other, again, first]) == first
    third = result([3], 24.0, 3.0, 0.01, 0.1)
    assert joined([again, first, third])["seeds"] == [1, 2, 3]


def test_an_encoder_has_no_scores(papers):
    from papers_series import joined

    def encoder(seed):
        return {"experiment": "encoder", "seeds": [seed], "runs": [{}], "curves": [{}]}

    assert joined([encoder(1), encoder(2)])["seeds"] == [1, 2]


def test_costs_are_by_series(papers, tmp_path):
    from papers_series import load_results

    for series, experiments in (("a", ("window", "sentence")), ("b", ("window",))):
        folder = tmp_path / series
        folder.mkdir()
        costs = {name: {"update_seconds": 1.0} for name in experiments}
        text = json.dumps({"machine": f"machine {series}", "experiments": costs})
        (folder / "costs.json").write_text(text, encoding="utf-8")
        seeds = [1] if series == "a" else [2]
        for name in ("window", "sentence", "document")[: 3 if series == "a" else 1]:
            values = json.dumps(result(seeds, 20.0, 1.0, 0.01, 0.1))
            (folder / f"{name}.json").write_text(values, encoding="utf-8")
    results = load_results(tmp_path)
    assert [*results] == ["sentence", "document", "window"]
    assert results["window"]["seeds"] == [1, 2]
    assert results["document"]["costs"] == {}
    assert results["window"]["costs"] == {
        series: {"update_seconds": 1.0, "machine": f"machine {series}"} for series in "ab"
    }
    assert [*results["sentence"]["costs"]] == ["a"]
