"""The pages of the papers' claims are those of the results."""

from __future__ import annotations

import re

FINE, SENTENCE, CONTINUED = "g-transformer-finetuned", "sentence", "sentence-continued"


def test_the_tables_of_the_page_are_those_of_the_results(papers):
    from papers_figures import FIGURES, draw_figures
    from papers_page import NAMES, PAGES, with_tables
    from papers_series import load_results

    results, pages = load_results(), {name: (PAGES / name).read_text("utf-8") for name in NAMES}
    written = with_tables(pages, results, draw_figures(results))
    assert written == pages, "run `python benchmarks/papers.py tables`"
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


def test_the_readme_says_what_was_found(papers):
    from papers_findings import is_better
    from papers_series import load_results
    from papers_tables import against_control

    readme = " ".join((papers.parent / "README.md").read_text("utf-8").split())
    said = readme.split("## Does context help?")[1].split(" ## ")[0]
    results = load_results()
    long = results["g-transformer-finetuned-sentence-positions-no-word-dropout"]
    short = results["g-transformer-finetuned-sentence-positions-no-word-dropout-128-tokens"]
    (gain,) = (one for one in short["likelihood"] if one["baseline"] == CONTINUED)
    assert gain["low"] > 0
    figures = f"({gain['low']:.2f} to {gain['high']:.2f}, two seeds)"
    assert f"gives references {gain['bits']:.2f} bits per sentence more" in said
    assert figures in said
    assert len(gain["seeds"]) == 2
    none = "g-transformer-finetuned-sentence-positions-no-word-dropout-128-tokens-no-context"
    (context,) = (one for one in short["likelihood"] if one["baseline"] == none)
    assert 0.5 < context["bits"] / gain["bits"] < 1, "most of it"
    worth = "{bits:.2f} bits ({low:.2f} to {high:.2f}) are gained over the same".format(**context)
    assert worth in said
    titles = gain["phenomena"]["second or third in document"]
    assert f"sentences of a document ({titles['bits']:.2f} bits)" in said
    (gain,) = (one for one in long["likelihood"] if one["baseline"] == CONTINUED)
    assert gain["phenomena"]["second or third in document"]["low"] > 0 > gain["low"]
    assert gain["high"] > 0
    assert not any(is_better(one) for one in against_control(results, "comparisons").values())
    (test,) = (
        one
        for one in results[FINE]["comparisons"]
        if (one["baseline"], one["metric"]) == (SENTENCE, "s-BLEU")
    )
    assert f"stays {-test['difference']:.1f} s-BLEU below the sentence-level system" in said
