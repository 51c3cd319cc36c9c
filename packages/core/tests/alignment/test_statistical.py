"""The aligner, against loops over the paper's formulas and on text whose alignment is known."""

from __future__ import annotations

import math
import random
from collections import defaultdict

import numpy as np
import pytest

from docmt.alignment import statistical as aligner
from docmt.alignment.statistical import _align, _digamma, align_words
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.text.word_splitting import split_words, stem


@pytest.fixture(scope="module")
def dev():
    """The words of the bundled validation split."""
    return [
        (split_words(source, "en"), split_words(target, "de"))
        for document in corpora.read(
            corpus_file("dev.en.xz"), corpus_file("dev.de.xz"), boundaries="markers"
        )
        for source, target in zip(document.source, document.target, strict=True)
    ]


@pytest.mark.parametrize(
    ("x", "expected"),
    # Abramowitz and Stegun, Table 6.1 and 6.3.3; for 0.01 by the recurrence from ψ(1.01).
    [(1.0, -0.5772156649), (0.5, -1.9635100260), (2.0, 0.4227843351), (0.01, -100.5608854579)],
)
def test_digamma_has_the_values_of_tables(x, expected):
    assert _digamma(np.array([x]))[0] == pytest.approx(expected, abs=1e-9)


def align_by_loops(pairs):
    """Dyer et al. 2013, section 2, one word at a time."""

    def prior(i, j, n, m, tension):
        """Of source word j of n (0 is none) for target word i of m, both from 1."""
        if j == 0:
            return 0.08
        weights = [math.exp(-tension * abs(k / n - i / m)) for k in range(1, n + 1)]
        return 0.92 * weights[j - 1] / sum(weights)

    targets = {e for _, target in pairs for e in target}
    theta = defaultdict(lambda: 1 / len(targets))
    tension = 4.0
    for iteration in range(5):
        counts, observed = defaultdict(float), 0.0
        for source, target in pairs:
            n, m = len(source), len(target)
            for i, e in enumerate(target, 1):
                joint = [
                    theta[f, e] * prior(i, j, n, m, tension) for j, f in enumerate([None, *source])
                ]
                for j, f in enumerate([None, *source]):
                    counts[f, e] += joint[j] / sum(joint)
                    observed -= joint[j] / sum(joint) * (abs(j / n - i / m) if j else 0.0)
        if iteration > 0:
            words = sum(len(target) for _, target in pairs)
            for _ in range(8):
                expected = -sum(
                    prior(i, j, len(s), len(t), tension) * abs(j / len(s) - i / len(t))
                    for s, t in pairs
                    for i in range(1, len(t) + 1)
                    for j in range(1, len(s) + 1)
                )
                tension = min(max(tension + 20 * (observed - expected) / words, 0.1), 14)
        totals = defaultdict(float)
        for (f, _), count in counts.items():
            totals[f] += count
        theta = {
            (f, e): math.exp(
                _digamma(np.array([c + 0.01]))[0]
                - _digamma(np.array([totals[f] + 0.01 * len(targets)]))[0]
            )
            for (f, e), c in counts.items()
        }
    links = []
    for source, target in pairs:
        found = set()
        for i, e in enumerate(target, 1):
            joint = [
                theta[f, e] * prior(i, j, len(source), len(target), tension)
                for j, f in enumerate([None, *source])
            ]
            if best := max(range(len(joint)), key=joint.__getitem__):
                found.add((best - 1, i - 1))
        links.append(found)
    return links


def test_links_are_those_of_the_formulas(dev, monkeypatch):
    pairs = [pair for pair in dev if len(pair[0]) < 12][:40]
    expected = align_by_loops(pairs)
    assert _align(pairs, 40) == expected
    monkeypatch.setattr(aligner, "_BLOCK", 500)
    assert _align(pairs, 40) == expected


def test_a_dictionary_is_learned_from_text_that_is_translated_word_by_word():
    chance = random.Random(1)
    pairs, expected = [], []
    for _ in range(200):
        source = [f"s{chance.randrange(40)}" for _ in range(chance.randrange(3, 9))]
        order = list(range(len(source)))
        k = chance.randrange(len(source) - 1)
        order[k], order[k + 1] = order[k + 1], order[k]
        pairs.append((source, ["t" + source[i][1:] for i in order]))
        expected.append({(i, j) for j, i in enumerate(order)})
    found = align_words(pairs)
    right = sum(len(a & b) for a, b in zip(found.links, expected, strict=True))
    assert right / sum(map(len, expected)) > 0.97
    assert right / sum(map(len, found.links)) > 0.97
    assert found.method == aligner.METHOD == "fast_align-5-grow-diag-final-and"


def test_pronouns_of_real_text_are_aligned(dev):
    pairs = [(stem(en, "en"), stem(de, "de")) for en, de in dev]
    links = align_words(pairs).links
    once = [
        (en.index("I"), [word.lower() for word in de].index("ich"), found)
        for (en, de), found in zip(dev, links, strict=True)
        if en.count("I") == 1 and [word.lower() for word in de].count("ich") == 1
    ]
    assert len(once) > 50
    assert sum((i, j) in found for i, j, found in once) / len(once) > 0.9


def test_a_sentence_that_has_no_words_has_no_links():
    assert align_words([([], ["a"]), (["b"], []), (["b"], ["a"])]).links == [set(), set(), {(0, 0)}]
    assert align_words([([], [])]).links == [set()]
    assert align_words([]).links == []


def test_more_text_helps_and_is_not_in_the_result():
    pair = (["a", "b"], ["y", "x"])
    more = [(["a"], ["x"]), (["b"], ["y"])] * 20
    assert align_words([pair], more).links == [{(0, 1), (1, 0)}]
