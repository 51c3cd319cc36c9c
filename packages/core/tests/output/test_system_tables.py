"""Tables of several systems side by side."""

from __future__ import annotations

from rich.console import Console

from docmt.output.score_tables import print_systems, system_table
from docmt_files.base.documents import Document
from docmt_nmt.evaluation import MetricSettings, evaluate_systems

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


def test_tables_of_systems_fit_a_terminal():
    found = evaluate_systems(
        SYSTEMS,
        REFERENCE,
        MetricSettings(metrics=["s-bleu", "d-bleu", "s-chrf"]),
        baselines=["sentence"],
    )
    console = Console(width=80)
    with console.capture() as capture:
        print_systems(found, console)
    lines = [" ".join(line.split()) for line in capture.get().splitlines()]
    scores = [score.spread for score in found.scores if score.system == "sentence"]
    assert f"sentence 3 {' '.join(scores)}" in lines
    first = found.comparisons[0]
    assert "compared with sentence" in lines
    start = f"s-BLEU g-transformer {first.difference:+.2f} {first.low:+.2f} to "
    assert any(line.startswith(start) for line in lines)
    assert len([line for line in lines if line.startswith("note: s-BLEU, d-BLEU, s-chrF: ")]) == 1


def test_names_of_systems_are_not_folded_where_there_is_room():
    found = evaluate_systems({"sentence.out.ru": [spoiled(3)]}, REFERENCE)
    console = Console(width=60)
    with console.capture() as capture:
        console.print(system_table(found))
    assert "sentence.out.ru" in capture.get()
