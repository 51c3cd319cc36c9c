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
    from papers_verdicts import verdict_text

    return verdict_text(CLAIMS[number - 1], results)


FINE, SENTENCE, CONTINUED = "g-transformer-finetuned", "sentence", "sentence-continued"


def scored(**bleu):
    """The s-BLEU of experiments, as results have it."""
    return {
        name.replace("_", "-"): {"scores": {"s-BLEU": {"mean": mean}}}
        for name, mean in bleu.items()
    }


def fine_against(own, *, no_context):
    """Results of claim 2, whose controls hold."""
    found = results_of(
        comparison(FINE, SENTENCE, *own),
        comparison(FINE, CONTINUED, 2.0, 0.001),
        comparison(f"{FINE}-no-context", FINE, -2.0, 0.001),
    )
    for name, values in scored(sentence=29.0).items():
        found.setdefault(name, {}).update(values)
    found[f"{FINE}-no-context"]["scores"] = {"s-BLEU": {"mean": no_context}}
    return found


@pytest.mark.parametrize(
    ("own", "no_context", "expected"),
    [
        ((0.5, 0.01), 29.0, "supported"),
        ((0.5, 0.2), 29.0, "too small to see"),
        ((-0.5, 0.2), 29.0, "too small to see"),
        ((-0.5, 0.01), 29.0, "against"),
        ((-0.5, 0.01), 28.1, "against"),
        ((-0.5, 0.01), 27.9, "not tested"),  # the ablation has not recovered
    ],
)
def test_a_verdict_follows_from_the_tests(papers, own, no_context, expected):
    assert verdict(2, fine_against(own, no_context=no_context)) == expected
    assert verdict(2, results_of(comparison(FINE, SENTENCE, *own))) == "not tested"


def test_what_a_control_has_as_well_is_not_supported(papers):
    tests = [
        comparison("hm-gdc", "sentence", -4.0, 0.001),
        comparison("hm-gdc", "document-transformer-random", 2.0, 0.001),
        comparison("hm-gdc-finetuned", "document-transformer", 0.5, 0.2),
        comparison("hm-gdc-finetuned", "sentence-continued", 0.5, 0.2),
    ]
    expected = "against · too small to see · too small to see"
    assert verdict(8, results_of(*tests)) == expected
    tests[-1] = comparison("hm-gdc-finetuned", "sentence-continued", 0.5, 0.001)
    assert verdict(8, results_of(*tests)) == "against · supported · too small to see"


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0.6, 0.7], "supported"),
        ([1.3, -0.1], "too small to see · supported"),  # the seeds do not agree
        ([0.2, 0.3], "too small to see · supported"),  # less than seeds alone make of it
    ],
)
def test_a_difference_is_as_large_as_seeds_alone_make_none(papers, differences, expected):
    mean = sum(differences) / 2
    others = [  # two pairs of which the seeds differ by 0.4
        comparison(name, "sentence", 0, 1.0, "d-BLEU", differences={"1": 0.2, "2": -0.2})
        for name in ("window", "document")
    ]
    results = results_of(
        comparison(
            "g-transformer", "g-transformer-group", mean, 0.001, "d-BLEU",
            differences=by_seed(differences),
        ),
        comparison("g-transformer", "g-transformer-global", 3.0, 0.001, "d-BLEU"),
        *others,
    )  # fmt: skip
    assert verdict(10, results) == expected


def test_the_smallest_visible_effect_falls_with_the_root_of_the_seeds(papers):
    from papers_findings import better
    from papers_verdicts import smallest_visible

    def visible(*differences):
        own = comparison(FINE, SENTENCE, 0.5, 0.1, differences=by_seed(differences))
        return smallest_visible(better(FINE, SENTENCE), results_of(own))

    assert visible(0.4, 0.6) == pytest.approx(2.8 * 0.02**0.5 / 2**0.5)
    assert visible(0.4, 0.5, 0.6) == pytest.approx(2.8 * 0.1 / 3**0.5)
    assert smallest_visible(better(FINE, SENTENCE), {}) is None


@pytest.mark.parametrize(
    ("document", "g", "p", "expected"),
    [
        (0.7, 25.0, 0.001, "supported"),
        (0.5, 1.0, 0.001, "supported · against · supported"),  # neither learns
        (20.0, 25.0, 0.001, "against · supported · supported"),  # both do
        (6.0, 25.0, 0.001, "not tested · supported · supported"),  # in between
        (20.0, 1.0, 1.0, "against · against · too small to see"),
    ],
)
def test_failing_and_learning_are_both_needed(papers, document, g, p, expected):
    test = comparison("g-transformer", "document", g - document, p, "d-BLEU")
    assert verdict(1, results_of(test, document=document, g_transformer=g)) == expected


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ([0.1, 0.1], [0.7, 0.6], "supported"),
        ([1.0, 1.0], [0.2, 0.2], "supported · supported · against"),
        ([0.1, 0.5], [0.7, 0.4], "too small to see · supported · too small to see"),
        ([0.1, 0.1, 0.1], [0.7, 0.6], "supported"),
        ([0.1, 0.1, 0.9], [0.7, 0.6, 0.5], "supported · supported · too small to see"),
        ([-0.5, -0.5], [0.7, 0.6], "against · supported · supported"),
    ],
)
def test_source_context_must_be_worth_more_than_target_context(papers, target, source, expected):
    def test(a, b, differences):
        return comparison(a, b, sum(differences) / 2, 0.01, differences=by_seed(differences))

    results = results_of(
        test(FINE, f"{FINE}-no-target", target),
        test(f"{FINE}-no-target", f"{FINE}-no-context", source),
    )
    assert verdict(3, recovered(results)) == expected


def recovered(results):
    """Results in which the ablation without any context is as good as its start."""
    results.setdefault("sentence", {})["scores"] = {"s-BLEU": {"mean": 29.0}}
    ablation = results.setdefault(f"{FINE}-no-context", {})
    ablation["scores"] = {"s-BLEU": {"mean": 29.0}}
    return results


def run(bits, bleu):
    """A run with this entropy of cross-attention, of 8 bits, and this d-BLEU."""
    attention = [{"bits": bits, "uniform_bits": 8.0}]
    return {"cross_attention": attention, "scores": {"d-BLEU": bleu}}


@pytest.mark.parametrize(
    ("document", "aligned", "expected"),
    [
        ((7.9, 1.0), (4.0, 20.0), "supported"),
        ((5.0, 1.0), (4.0, 20.0), "against · supported"),
        ((7.9, 1.0), (7.9, 20.0), "supported · against"),
        ((5.0, 1.0), (7.9, 20.0), "against"),
        ((7.9, 1.0), (7.9, 1.0), "supported · not tested"),  # nothing learns
        ((4.0, 20.0), (4.0, 20.0), "not tested · supported"),  # nothing fails
        ((4.0, 5.0), (4.0, 5.0), "not tested"),
    ],
)
def test_failing_and_learning_show_in_entropy(papers, document, aligned, expected):
    results = {
        "document": {"runs": [run(*document)]},
        "document-aligned": {"runs": [run(*aligned)]},
    }
    assert verdict(6, results) == expected
    if expected == "supported":
        del results["document-aligned"]
        assert verdict(6, results) == "not tested"


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
    assert said.endswith(f"`{FINE}` against `{SENTENCE}`; `{FINE}` against `{CONTINUED}`.")
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
        ([3, 2, 1, 1], [5, 4, 3, 2], 20, "supported"),
        ([5, 4, 2, 1], [5, 4, 3, 2], 20, "supported · against"),
        ([5, 4, 3, 3], [5, 4, 3, 2], 20, "supported · against"),
        ([3, 2, 1, 1], [5, 4, 3, 2], 2, "supported · not tested"),
    ],
)
def test_half_the_time_is_that_to_the_loss_of_a_system_that_learns(
    papers, own, aligned, bleu, expected
):
    from papers_experiments import LENGTHS

    results = {name: timed(own, 20) for name in ("g-transformer", *LENGTHS.values())}
    results["document-aligned"] = timed(aligned, bleu)
    assert verdict(5, results) == expected
    if expected == "supported":
        results["document-aligned"]["costs"] = {}
        assert verdict(5, results) == "supported · not tested"
        results["document-aligned"]["costs"] = {"b": {"update_seconds": 1.0}}
        assert verdict(5, results) == "supported · not tested", "of another machine"
        results["document-aligned"]["costs"] = {"a": {"update_seconds": 0.5}}
        assert verdict(5, results) == "supported · against"
        results["document-aligned"]["costs"] = {"a": {"update_seconds": 1.0}}
        results["g-transformer-1024-tokens"] = timed(own, 17)
        assert verdict(5, results) == "against · supported"
        del results["g-transformer-1024-tokens"]
        assert verdict(5, results) == "not tested · supported"


def test_the_decline_along_the_window_needs_a_common_seed(papers):
    test = comparison("long-short", "window", 0.5, 0.01)
    results = results_of(test) | {"window": {"seeds": [1], "runs": [{"positions": [20.0, 18.0]}]}}
    results["long-short"] |= {"seeds": [2], "runs": [{"positions": [20.0, 19.0]}]}
    assert verdict(7, results) == "supported · not tested"
    results["long-short"]["seeds"] = [1]
    assert verdict(7, results) == "supported"
    results["window"]["runs"][0]["positions"] = [20.0, 19.5]
    assert verdict(7, results) == "supported · against"


def test_search_must_be_slower_in_the_order_of_the_paper(papers):
    names = ("stack-sentence", "bert-fused", "multi-source", "multi-context")
    tests = [
        comparison("multi-context", "bert-fused", 0.5, 0.01),
        comparison("bert-fused", "stack-sentence", 0.5, 0.01),
    ]
    results = {name: {} for name in names} | results_of(*tests)
    assert verdict(9, results) == "supported · supported · not tested"
    for name, speed in zip(names, (12.0, 7.0, 5.0, 4.0), strict=True):
        results[name]["costs"] = {"a": {"sentences_per_second": speed}}
    assert verdict(9, results) == "supported"
    results["multi-context"]["costs"]["a"] = {"sentences_per_second": 6.0}
    assert verdict(9, results) == "supported · supported · against"
    results["multi-context"]["costs"] = {"b": {"sentences_per_second": 4.0}}
    assert verdict(9, results) == "supported · supported · not tested"


def test_the_largest_drop_must_be_that_of_locality(papers):
    steps = ("", "-no-word-dropout", "-no-language-locality")
    names = [*(f"g-transformer{step}" for step in steps), "document-aligned"]

    def results(*drops):
        pairs = zip(names, names[1:], drops, strict=False)
        return results_of(*(comparison(a, b, drop, 0.01, "d-BLEU") for a, b, drop in pairs))

    assert verdict(4, results(0.4, 1.8, 14.7)) == "supported"
    assert verdict(4, results(0.4, 15.0, 14.7)) == "supported · against · supported"
    assert verdict(4, results(-1.3, 1.8, 14.7)) == "supported · supported · against"
    assert verdict(4, results(0.4, 1.8)) == "not tested · not tested · supported"


def test_the_drop_needs_a_seed_that_all_steps_have(papers):
    chain = [f"{FINE}", f"{FINE}-no-target", f"{FINE}-no-context"]
    tests = [
        comparison(chain[0], chain[1], 0.1, 0.01, differences={"1": 0.1}),
        comparison(chain[1], chain[2], 0.7, 0.01, differences={"2": 0.7}),
    ]
    third = lambda: verdict(3, recovered(results_of(*tests))).split(" · ")[-1]  # noqa: E731
    assert third() == "not tested"
    tests[1] = comparison(chain[1], chain[2], 0.7, 0.01, differences={"1": 0.7, "2": -9.0})
    assert third() == "supported"


def test_without_results_there_is_no_verdict(papers):
    from papers_claims import CLAIMS
    from papers_findings import State

    assert [claim.number for claim in CLAIMS] == list(range(1, 11))
    assert {verdict(claim.number, {}) for claim in CLAIMS} == {"not tested"}
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
