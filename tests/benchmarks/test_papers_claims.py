"""The papers' claims: their verdicts follow from the results, and the page from both."""

from __future__ import annotations

import pytest


def test_the_tables_of_the_page_are_those_of_the_results(papers):
    from papers_page import FIGURE, PAGE, with_tables
    from papers_results import load_results

    page = PAGE.read_text("utf-8")
    assert with_tables(page, load_results()) == page, "run `python benchmarks/papers.py tables`"
    if f"figures/{FIGURE.name}" in page:
        assert FIGURE.exists()


def results_with(difference, p, **more):
    """Results of an experiment that is compared with another."""
    test = {
        "baseline": "sentence", "metric": "s-BLEU", "difference": difference, "p": p,
        "low": difference - 0.1, "high": difference + 0.1, "seeds": 2, "seeds_p": None,
        "differences": [difference, difference],
    }  # fmt: skip
    return {"g-transformer-finetuned": {"comparisons": [test | more], "scores": {"s-BLEU": {}}}}


@pytest.mark.parametrize(
    ("difference", "p", "verdict"),
    [
        (0.5, 0.01, "confirmed"),
        (0.5, 0.2, "not confirmed"),
        (-0.5, 0.01, "not confirmed"),
    ],
)
def test_a_verdict_follows_from_the_test(papers, difference, p, verdict):
    from papers_claims import CLAIMS

    assert CLAIMS[1].verdict(results_with(difference, p)) == verdict


def test_without_results_there_is_no_verdict(papers):
    from papers_claims import CLAIMS, UNKNOWN

    assert [claim.number for claim in CLAIMS] == list(range(1, 11))
    assert {claim.verdict({}) for claim in CLAIMS} == {UNKNOWN}
    for claim in CLAIMS:
        assert all(finding.text.endswith(UNKNOWN) for finding in claim.findings({}))


def test_a_comparison_holds_in_both_directions(papers):
    from papers_claims import difference

    results = results_with(0.5, 0.01)
    found = difference(results, "sentence", "g-transformer-finetuned", "s-BLEU")
    assert (found["difference"], found["low"], found["high"]) == (-0.5, -0.6, -0.4)


def test_claims_name_experiments_that_are_compared(papers):
    from papers_claims import CLAIMS
    from papers_experiments import EXPERIMENTS

    for claim in CLAIMS:
        for finding in claim.findings({}):
            names = [part for part in finding.text.split("`")[1::2] if part in EXPERIMENTS]
            if " against `" in finding.text and finding.text.startswith("`"):
                first, second = (EXPERIMENTS[name] for name in names)
                assert second.name in first.compare or first.name in second.compare, finding.text
        assert set(claim.experiments) <= set(EXPERIMENTS)


def test_failing_and_learning_show_in_entropy(papers):
    from papers_claims import CLAIMS

    def results(bits, bleu):
        attention = [{"bits": bits, "uniform_bits": 8.0}]
        runs = [{"cross_attention": attention, "scores": {"d-BLEU": bleu}}]
        return {"document": {"runs": runs}}

    verdicts = [CLAIMS[5].verdict(results(*case)) for case in ((7.9, 1.0), (5.0, 20.0), (5.0, 1.0))]
    assert verdicts == ["confirmed", "confirmed", "not confirmed"]


def test_seeds_that_disagree_deserve_a_third(papers):
    from papers_results import disagreeing

    agreeing = results_with(0.1, 0.5, differences=[0.3, 0.1])
    assert disagreeing(agreeing) == []
    opposed = results_with(0.1, 0.5, differences=[0.3, -0.1])
    assert disagreeing(opposed) == ["sentence", "g-transformer-finetuned"]
