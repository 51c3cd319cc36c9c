"""The papers' claims: their verdicts follow from the results, and the page from both."""

from __future__ import annotations

import pytest


def by_seed(differences):
    """The differences of the first seeds."""
    return dict(zip("123", differences, strict=False))


def comparison(system, baseline, difference, p, metric="s-BLEU", **more):
    """The test of a system against another, as results have it."""
    test = {
        "baseline": baseline,
        "metric": metric,
        "difference": difference,
        "p": p,
        "low": difference - 0.1,
        "high": difference + 0.1,
        "seeds": 2,
        "seeds_p": None,
        "differences": {"1": difference, "2": difference},
    }
    return {system: [test | more]}


def results_of(*tests, **scores):
    """Results with these tests, and these d-BLEU (or results) of experiments."""
    found: dict = {}
    for one in tests:
        for system, own in one.items():
            found.setdefault(system, {"comparisons": []})["comparisons"] += own
    for system, bleu in scores.items():
        score = {"mean": bleu, "low": bleu - 0.5, "high": bleu + 0.5}
        result = found.setdefault(system.replace("_", "-"), {})
        result["scores"] = {"d-BLEU": score}
    return found


def verdict(number, results):
    from papers_claims import CLAIMS

    return CLAIMS[number - 1].verdict(results)


FINE, SENTENCE, CONTINUED = "g-transformer-finetuned", "sentence", "sentence-continued"


@pytest.mark.parametrize(
    ("own", "control", "none", "expected"),
    [
        ((0.5, 0.01), (0.3, 0.01), (0.3, 0.01), "confirmed"),
        ((0.5, 0.01), (0.3, 0.2), (0.3, 0.01), "confirmed, but not against the controls"),
        ((0.5, 0.01), (0.3, 0.01), (-0.3, 0.01), "confirmed, but not against the controls"),
        ((0.5, 0.2), (0.3, 0.01), (0.3, 0.01), "not confirmed"),
        ((0.25, 0.2), (0.3, 0.01), (0.3, 0.01), "undecided"),  # 0.30 is in the interval
        ((-0.5, 0.2), (0.3, 0.01), (0.3, 0.01), "not confirmed"),
        ((-0.5, 0.01), (0.3, 0.01), (0.3, 0.01), "contradicted"),
    ],
)
def test_a_verdict_follows_from_the_tests(papers, own, control, none, expected):
    tests = [
        comparison(FINE, SENTENCE, *own),
        comparison(FINE, CONTINUED, *control),
        comparison(f"{FINE}-no-context", FINE, -none[0], none[1]),
    ]
    assert verdict(2, results_of(*tests)) == expected
    assert verdict(2, results_of(*tests[:2])) == "not measured yet"


def test_a_failed_control_shows_in_what_is_partly_confirmed(papers):
    tests = [
        comparison("hm-gdc", "sentence", -4.0, 0.01),
        comparison("hm-gdc", "document-transformer-random", 2.0, 0.01),
        comparison("hm-gdc-finetuned", "document-transformer", 0.5, 0.2),
        comparison("hm-gdc-finetuned", "sentence-continued", 0.5, 0.2),
    ]
    expected = "partly confirmed, partly contradicted, but not against the controls"
    assert verdict(8, results_of(*tests)) == expected
    tests[-1] = comparison("hm-gdc-finetuned", "sentence-continued", 0.5, 0.01)
    assert verdict(8, results_of(*tests)) == "partly confirmed, partly contradicted"


@pytest.mark.parametrize(
    ("document", "g", "p", "expected"),
    [
        (0.7, 25.0, 0.001, "confirmed"),
        (0.5, 1.0, 0.001, "partly confirmed, partly contradicted"),  # neither learns
        (20.0, 25.0, 0.001, "partly confirmed, partly contradicted"),  # both do
        (6.0, 25.0, 0.001, "partly confirmed"),
        (20.0, 1.0, 1.0, "contradicted"),
    ],
)
def test_failing_and_learning_are_both_needed(papers, document, g, p, expected):
    test = comparison("g-transformer", "document", g - document, p, "d-BLEU")
    assert verdict(1, results_of(test, document=document, g_transformer=g)) == expected


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ([0.1, 0.1], [0.7, 0.6], "confirmed"),
        ([1.0, 1.0], [0.2, 0.2], "partly confirmed"),
        ([0.1, 0.5], [0.7, 0.4], "partly confirmed"),  # the seeds do not agree
        ([0.1, 0.1, 0.1], [0.7, 0.6], "confirmed"),
        ([0.1, 0.1, 9.0], [0.7, 0.6, 0.5], "partly confirmed"),
        ([-0.5, -0.5], [0.7, 0.6], "partly confirmed, partly contradicted"),
    ],
)
def test_source_context_must_be_worth_more_than_target_context(papers, target, source, expected):
    def test(a, b, differences):
        return comparison(a, b, sum(differences) / 2, 0.01, differences=by_seed(differences))

    results = results_of(
        test(FINE, f"{FINE}-no-target", target),
        test(f"{FINE}-no-target", f"{FINE}-no-context", source),
    )
    assert verdict(3, results) == expected


def run(bits, bleu):
    """A run with this entropy of cross-attention, of 8 bits, and this d-BLEU."""
    attention = [{"bits": bits, "uniform_bits": 8.0}]
    return {"cross_attention": attention, "scores": {"d-BLEU": bleu}}


@pytest.mark.parametrize(
    ("document", "aligned", "expected"),
    [
        ((7.9, 1.0), (4.0, 20.0), "confirmed"),
        ((5.0, 1.0), (4.0, 20.0), "partly confirmed"),
        ((7.9, 1.0), (7.9, 20.0), "partly confirmed"),
        ((5.0, 1.0), (7.9, 20.0), "not confirmed"),
        ((7.9, 1.0), (7.9, 1.0), "confirmed, as far as it can be tested here"),  # nothing learns
        ((4.0, 20.0), (4.0, 20.0), "confirmed, as far as it can be tested here"),  # nothing fails
        ((4.0, 5.0), (4.0, 5.0), "not testable here"),
    ],
)
def test_failing_and_learning_show_in_entropy(papers, document, aligned, expected):
    results = {
        "document": {"runs": [run(*document)]},
        "document-aligned": {"runs": [run(*aligned)]},
    }
    assert verdict(6, results) == expected
    if expected == "confirmed":
        del results["document-aligned"]
        assert verdict(6, results) == "not measured yet"


def test_entropy_falls_with_every_seed(papers):
    from papers_findings import entropy_falls

    curves = [{"cross_global": [7.8, 6.9, 6.2]}, {"cross_global": [7.7, 7.8, 7.7]}]
    found = entropy_falls("document").find({"document": {"curves": curves[:1]}})
    assert (found.state, found.figures) == ("yes", "7.80 to 6.20 bits")
    found = entropy_falls("document").find({"document": {"curves": curves}})
    assert (found.state, found.figures) == ("no", "7.80 to 6.20, 7.70 to 7.70 bits")
    assert entropy_falls("document").find({}).state == "not measured yet"


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [(0.1, 0.5, "yes"), (-0.1, 0.5, "not significant"), (-0.5, -0.1, "no, the opposite")],
)
def test_likelihood_is_compared_in_both_directions(papers, low, high, state):
    from papers_findings import likelier

    test = {"baseline": SENTENCE, "bits": (low + high) / 2, "low": low, "high": high}
    results = {FINE: {"likelihood": [test]}}
    found = likelier(FINE, SENTENCE).find(results)
    assert found.state == state
    assert found.figures == f"{(low + high) / 2:+.2f} ({low:+.2f} to {high:+.2f})"
    results = {SENTENCE: {"likelihood": [test | {"baseline": FINE}]}}
    opposite = {"yes": "no, the opposite", "no, the opposite": "yes"}
    assert likelier(FINE, SENTENCE).find(results).state == opposite.get(state, state)
    assert likelier(FINE, CONTINUED).find(results).state == "not measured yet"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.01, 0.02, 0.04], [0.01, 0.02, 0.04]),
        ([0.02, 0.021, 0.022], [1.0, 1.0, 1.0]),  # three times the first is more than 0.05
        ([0.001, 0.03, 0.04], [0.001, 1.0, 1.0]),  # twice the second is
        ([0.001, 0.01, 0.2], [0.001, 0.01, 0.2]),
    ],
)
def test_all_tests_are_corrected_together(papers, values, expected):
    from papers_claims import corrected

    def found(results):
        return [one["p"] for result in results.values() for one in result["comparisons"]]

    first, second, third = values
    results = results_of(
        comparison(FINE, SENTENCE, 5.0, first),
        comparison(FINE, CONTINUED, 5.0, second),
        comparison(f"{FINE}-no-context", FINE, -5.0, third),
    )
    count, changed = corrected(results)
    assert count == 3
    assert found(changed) == expected
    assert found(results) == values, "these stay as they are"


def test_the_page_says_what_correction_changes(papers):
    from papers_page import _holm

    results = results_of(
        comparison(FINE, SENTENCE, 5.0, 0.03),
        comparison(FINE, CONTINUED, 5.0, 0.04),
        comparison(f"{FINE}-no-context", FINE, -5.0, 0.001),
    )
    said = _holm(results)
    assert "over the 3 tests of the claims and their controls" in said
    assert f"`{FINE}` against `{SENTENCE}`; `{FINE}` against `{CONTINUED}`. Claim 2" in said
    assert said.endswith("Claim 2 would be *not confirmed*.")
    assert _holm({}).endswith("the same ones are significant.")


def timed(losses, bleu, seconds=1.0):
    """A run with these validation losses, one at each hundredth update."""
    steps = [100 * number for number, _ in enumerate(losses, 1)]
    score = {"mean": bleu, "low": bleu - 0.5, "high": bleu + 0.5}
    return {
        "seeds": [1],
        "scores": {"d-BLEU": score},
        "curves": [{"step": steps, "loss": losses}],
        "costs": {"a": {"update_seconds": seconds}},
    }


@pytest.mark.parametrize(
    ("own", "aligned", "bleu", "expected"),
    [
        ([3, 2, 1, 1], [5, 4, 3, 2], 20, "confirmed"),
        ([5, 4, 2, 1], [5, 4, 3, 2], 20, "partly confirmed"),
        ([5, 4, 3, 3], [5, 4, 3, 2], 20, "partly confirmed"),
        ([3, 2, 1, 1], [5, 4, 3, 2], 2, "confirmed, as far as it can be tested here"),
    ],
)
def test_half_the_time_is_that_to_the_loss_of_a_system_that_learns(
    papers, own, aligned, bleu, expected
):
    from papers_experiments import LENGTHS

    results = {name: timed(own, 20) for name in ("g-transformer", *LENGTHS.values())}
    results["document-aligned"] = timed(aligned, bleu)
    assert verdict(5, results) == expected
    if expected == "confirmed":
        results["document-aligned"]["costs"] = {}
        assert verdict(5, results) == "not measured yet"
        results["document-aligned"]["costs"] = {"b": {"update_seconds": 1.0}}
        assert verdict(5, results) == "not measured yet", "of another machine"
        results["document-aligned"]["costs"] = {"a": {"update_seconds": 0.5}}
        assert verdict(5, results) == "partly confirmed"
        results["document-aligned"]["costs"] = {"a": {"update_seconds": 1.0}}
        results["g-transformer-1024-tokens"] = timed(own, 17)
        assert verdict(5, results) == "partly confirmed"
        del results["g-transformer-1024-tokens"]
        assert verdict(5, results) == "not measured yet"


def test_the_decline_along_the_window_needs_a_common_seed(papers):
    test = comparison("long-short", "window", 0.5, 0.01)
    results = results_of(test) | {"window": {"seeds": [1], "runs": [{"positions": [20.0, 18.0]}]}}
    results["long-short"] |= {"seeds": [2], "runs": [{"positions": [20.0, 19.0]}]}
    assert verdict(7, results) == "not measured yet"
    results["long-short"]["seeds"] = [1]
    assert verdict(7, results) == "confirmed"
    results["window"]["runs"][0]["positions"] = [20.0, 19.5]
    assert verdict(7, results) == "partly confirmed"


def test_search_must_be_slower_in_the_order_of_the_paper(papers):
    names = ("stack-sentence", "bert-fused", "multi-source", "multi-context")
    tests = [
        comparison("multi-context", "bert-fused", 0.5, 0.01),
        comparison("bert-fused", "stack-sentence", 0.5, 0.01),
    ]
    results = {name: {} for name in names} | results_of(*tests)
    assert verdict(9, results) == "not measured yet"
    for name, speed in zip(names, (12.0, 7.0, 5.0, 4.0), strict=True):
        results[name]["costs"] = {"a": {"sentences_per_second": speed}}
    assert verdict(9, results) == "confirmed"
    results["multi-context"]["costs"]["a"] = {"sentences_per_second": 6.0}
    assert verdict(9, results) == "partly confirmed"
    results["multi-context"]["costs"] = {"b": {"sentences_per_second": 4.0}}
    assert verdict(9, results) == "not measured yet"


def test_the_largest_drop_must_be_that_of_locality(papers):
    steps = ("", "-no-word-dropout", "-no-language-locality")
    names = [*(f"g-transformer{step}" for step in steps), "document-aligned"]

    def results(*drops):
        pairs = zip(names, names[1:], drops, strict=False)
        return results_of(*(comparison(a, b, drop, 0.01, "d-BLEU") for a, b, drop in pairs))

    assert verdict(4, results(0.4, 1.8, 14.7)) == "confirmed"
    assert verdict(4, results(0.4, 15.0, 14.7)) == "partly confirmed"
    assert verdict(4, results(0.4, 1.8)) == "not measured yet"


def test_the_drop_needs_a_seed_that_all_steps_have(papers):
    chain = [f"{FINE}", f"{FINE}-no-target", f"{FINE}-no-context"]
    tests = [
        comparison(chain[0], chain[1], 0.1, 0.01, differences={"1": 0.1}),
        comparison(chain[1], chain[2], 0.7, 0.01, differences={"2": 0.7}),
    ]
    assert verdict(3, results_of(*tests)) == "not measured yet"
    tests[1] = comparison(chain[1], chain[2], 0.7, 0.01, differences={"1": 0.7, "2": -9.0})
    assert verdict(3, results_of(*tests)) == "confirmed"


def test_without_results_there_is_no_verdict(papers):
    from papers_claims import CLAIMS
    from papers_findings import State

    assert [claim.number for claim in CLAIMS] == list(range(1, 11))
    assert {claim.verdict({}) for claim in CLAIMS} == {State.UNKNOWN}
    for claim in CLAIMS:
        assert all(finding.state == State.UNKNOWN for finding in claim.findings({}))


def test_a_comparison_holds_in_both_directions(papers):
    from papers_findings import difference

    results = results_of(comparison(FINE, SENTENCE, 0.5, 0.01))
    found = difference(results, SENTENCE, FINE, "s-BLEU")
    assert (found["difference"], found["low"], found["high"]) == (-0.5, -0.6, -0.4)


def test_claims_name_experiments_that_are_compared(papers):
    from papers_claims import CLAIMS
    from papers_experiments import EXPERIMENTS

    for claim in CLAIMS:
        assert claim.experiments
        for part in (*claim.parts, *claim.controls, *claim.more):
            if part.metric is not None:
                first, second = (EXPERIMENTS[name] for name in part.experiments)
                assert second.name in first.compare or first.name in second.compare


def test_seeds_that_disagree_get_a_third(papers):
    from papers_claims import disagreeing

    def found(*pair, metric="s-BLEU", differences=(0.3, -0.1)):
        test = comparison(*pair, 0.1, 0.5, metric, differences=by_seed(differences))
        return disagreeing(results_of(test))

    assert found(FINE, SENTENCE, differences=(0.3, 0.1)) == []
    assert found(FINE, SENTENCE, differences=(0.3, 0.1, -0.1)) == []
    assert found(FINE, SENTENCE) == [SENTENCE, FINE]
    assert found(FINE, SENTENCE, metric="s-chrF") == []
    assert found("document", SENTENCE, metric="d-BLEU") == [SENTENCE, "document"]
    # Claim 10 is about d-BLEU.
    both = results_of(
        comparison("g-transformer-group", "g-transformer", 0.1, 0.5),
        comparison(
            "g-transformer-group", "g-transformer", 0.1, 0.5, "d-BLEU", differences=by_seed([1, -1])
        ),
    )
    assert disagreeing(both) == ["g-transformer", "g-transformer-group"]


def test_the_page_says_which_systems_lack_a_third_seed(papers):
    from papers_page import progress

    names = ("sentence-continued", "hm-gdc-finetuned")
    results = results_of(comparison(*reversed(names), 0.1, 0.5, differences=by_seed([0.3, -0.1])))
    first, second = (results.setdefault(name, {}) for name in names)
    first["seeds"] = second["seeds"] = [1, 2]
    both = ", ".join(f"`{name}`" for name in names)
    assert f"Seeds 1 and 2 disagree on {both}; without a third so far: {both}." in progress(results)
    first["seeds"] = [1, 2, 3]
    assert "; without a third so far: `hm-gdc-finetuned`." in progress(results)
    second["seeds"] = [1, 2, 3]
    assert f"disagree on {both}, which have a third." in progress(results)
