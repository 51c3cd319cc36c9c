"""Systems side by side, each with one training or several of different seeds."""

from __future__ import annotations

import json
from math import sqrt

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.evaluation import MetricSettings, evaluate, evaluate_systems, system_files

REFERENCE = [
    Document(str(d), tuple(f"this is sentence {i} of document {d}" for i in range(3)))
    for d in range(20)
]
REFERENCE = [d.translated(d.source) for d in REFERENCE]


def spoiled(every: int) -> list[Document]:
    """The reference, with a word left out of the sentences of every so many documents."""
    return [
        d.translated([s if number % every else s.replace(" is ", " ") for s in d.source])
        for number, d in enumerate(REFERENCE)
    ]


SYSTEMS = {
    "g-transformer": [spoiled(9), spoiled(8), spoiled(7)],
    "sentence": [spoiled(3), spoiled(2), spoiled(4)],
    "other": [spoiled(5)],
}


def test_the_mean_and_the_spread_of_seeds_are_those_by_hand():
    found = evaluate_systems(SYSTEMS, REFERENCE, MetricSettings(metrics=["s-bleu", "ter"]))
    score = found.scores[0]
    values = [
        evaluate(one, REFERENCE, MetricSettings(metrics=["s-bleu"]))[0].score
        for one in SYSTEMS[score.system]
    ]
    mean = sum(values) / 3
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / 2)
    assert (score.mean, score.deviation) == (pytest.approx(mean), pytest.approx(deviation))
    assert score.spread == f"{mean:.2f} ± {deviation:.2f}"
    assert score.low < mean < score.high
    assert str(score).startswith(
        f"s-BLEU of g-transformer {mean:.2f} ± {deviation:.2f} "
        f"({', '.join(f'{value:.2f}' for value in values)}) [{score.low:.2f} to "
    )
    assert "seeds 3 · docs 20 · sents 60 · unit sentence · nrefs:1" in score.signature
    assert [(s.system, s.scores[0].name) for s in found.scores] == [
        (name, metric) for name in SYSTEMS for metric in ("s-BLEU", "TER")
    ]
    assert found.scores[-1].deviation is None and "seeds" not in found.scores[-1].signature


def test_all_others_are_compared_with_each_baseline():
    found = evaluate_systems(
        SYSTEMS, REFERENCE, MetricSettings(metrics=["s-bleu"]), baselines=["sentence"]
    )
    compared = [(c.system_name, c.baseline_name, c.difference > 0) for c in found.comparisons]
    assert compared == [("g-transformer", "sentence", True), ("other", "sentence", True)]
    assert [c.p is None for c in found.comparisons] == [False, True]
    assert (
        "with 2 comparisons, the chance that one of them seems different is higher"
        in found.notes[0]
    )
    values = json.loads(json.dumps(found.to_dict()))
    assert values["systems"][0]["mean"] == found.scores[0].mean
    assert len(values["systems"][0]["scores"]) == 3
    assert values["comparisons"][1]["p"] is None


def test_a_baseline_must_be_one_of_the_systems():
    with pytest.raises(InputError, match="the baseline 'sentense' is not one of the systems"):
        evaluate_systems(
            SYSTEMS, REFERENCE, MetricSettings(metrics=["s-bleu"]), baselines=["sentense"]
        )


def test_options_name_systems_and_the_files_of_their_seeds():
    options = ["a=1,2", "b=3", "a=4", "out/c.de", "d=with,comma", "e=f.de"]
    files = system_files(options, {"with,comma", "e=f.de"}.__contains__)
    assert files == {
        "a": ["1", "2", "4"],
        "b": ["3"],
        "out/c.de": ["out/c.de"],
        "d": ["with,comma"],
        "e=f.de": ["e=f.de"],
    }


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("a=", "names no file"),
        ("=b", "names no file"),
        ("a=b,,c", "names no file"),
        ("a=b,b", "has the file b twice"),
    ],
)
def test_a_system_without_files_of_its_own_is_an_error(option, message):
    with pytest.raises(InputError, match=message):
        system_files([option], lambda _: False)
