"""The pages of the papers' claims are those of the results."""

from __future__ import annotations

import json
import re

import pytest


def test_the_tables_of_the_page_are_those_of_the_results(papers):
    from papers_figures import FIGURES, draw_figures
    from papers_page import NAMES, PAGES, SUMMARY, with_summary, with_tables
    from papers_series import load_results

    results, pages = load_results(), {name: (PAGES / name).read_text("utf-8") for name in NAMES}
    written = with_tables(pages, results, draw_figures(results))
    assert written == pages, "run `python studies/papers/papers.py tables`"
    summary = SUMMARY.read_text("utf-8")
    assert with_summary(summary, results) == summary, "run `python studies/papers/papers.py tables`"
    for figure in re.findall(r"\(figures/([\w-]+\.png)\)", "".join(pages.values())):
        assert (FIGURES / figure).exists()


def test_lengths_are_drawn_from_two_on(papers):
    from papers_experiments import LENGTHS
    from papers_figures import draw_figures, lengths, positions

    score = {"mean": 20.0, "low": 19.0, "high": 22.0}
    results = {LENGTHS[64]: {"scores": {"d-BLEU": score}}}
    assert lengths(results) is None
    assert "lengths" not in draw_figures(results)
    results[LENGTHS[512]] = {"scores": {"d-BLEU": score | {"mean": 21.0}}}
    axes = lengths(results).axes[0]
    assert [float(x) for x in axes.get_xticks()] == [64, 512]
    assert list(axes.lines[0].get_ydata()) == [20.0, 21.0]
    assert "lengths" in draw_figures(results)
    assert positions(results) is None


def test_what_follows_from_the_stored_results_is_recomputed(papers):
    """Differences, and the permutation over seeds, from the scores of runs, where the runs of both
    are in one series."""
    from itertools import combinations

    from papers_series import FOLDER

    def means(scores):
        return sum(scores) / len(scores)

    checked = 0
    for series in sorted(FOLDER.glob("series-*")):
        stored = {path.stem: json.loads(path.read_text("utf-8")) for path in series.glob("*.json")}
        for one in stored.values():
            for test in one.get("comparisons", ()):
                if test["baseline"] not in stored:
                    continue
                other, metric = stored[test["baseline"]], test["metric"]
                common = [seed for seed in one["seeds"] if seed in other["seeds"]]
                ours, theirs = (
                    [r["runs"][r["seeds"].index(s)]["scores"].get(metric) for s in common]
                    for r in (one, other)
                )
                if None in (*ours, *theirs) or {*map(str, common)} != {*test["differences"]}:
                    continue
                for seed, a, b in zip(common, ours, theirs, strict=True):
                    assert test["differences"][str(seed)] == pytest.approx(a - b, abs=2e-3)
                assert test["difference"] == pytest.approx(means(ours) - means(theirs), abs=2e-3)
                if test["seeds_p"] is not None:
                    every, found = [*ours, *theirs], abs(means(ours) - means(theirs))
                    splits = list(combinations(range(len(every)), len(ours)))
                    as_large = [
                        abs(means([every[i] for i in chosen])
                            - means([x for i, x in enumerate(every) if i not in chosen]))
                        >= found - 1e-9
                        for chosen in splits
                    ]  # fmt: skip
                    assert test["seeds_p"] == pytest.approx(means(as_large), abs=1e-3)
                checked += 1
    assert checked > 300
