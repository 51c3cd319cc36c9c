"""The pages of the papers' claims are those of the results."""

from __future__ import annotations

import re


def test_the_tables_of_the_page_are_those_of_the_results(papers):
    from papers_figures import FIGURES, draw_figures
    from papers_page import NAMES, PAGES, with_tables
    from papers_series import load_results

    results, pages = load_results(), {name: (PAGES / name).read_text("utf-8") for name in NAMES}
    written = with_tables(pages, results, draw_figures(results))
    assert written == pages, "run `python studies/papers/papers.py tables`"
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
