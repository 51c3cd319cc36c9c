import json
import random
from pathlib import Path

import pytest

from adapter_data import Line
from adapter_page import page
from adapter_pronouns import (
    antecedent_lines,
    completed_pronouns,
    has_pronoun,
    people_cases,
    pronoun_lines,
    stretches,
)
from adapter_records import write_records
from adapter_tasks import TASKS, task_of, write_task
from adapter_teacher import shown, teacher_record
from docmt_nmt.base.translations import Translation

WORDS = {
    "O carro azul.": "The blue car.",
    "Ele caiu.": "He fell.",
    "O carro caiu.": "The car fell.",
    "o carro.": "the car.",
    "Caiu.": "Fell.",
    "": "",
}


class Dictionary:
    """Translates sentences that it has."""

    def translate(self, request, **_):
        return [
            Translation.of(d.id, d.source, [WORDS[s] for s in d.source])
            for d in (request if isinstance(request, list) else request.plain_documents)
        ]


def line(before, sentence, *, film="1", **row):
    known = {
        "src pronoun": "Ele",
        "intrasegmental": False,
        "ante distance": 1,
        "src ante head": "carro",
        "src ante head gender": "Masc",
        "expected": "it",
        "ref segment": "It fell.",
        "ref ante segment": "The blue car.",
    }
    return Line(film, tuple(before), sentence, known | row)


def test_the_teacher_writes_it_where_the_noun_was(monkeypatch):
    monkeypatch.setattr("adapter_pronouns.translate", lambda t, documents: t.translate(documents))
    monkeypatch.setattr(
        "docmt_research.completion.teacher.translate",
        lambda t, documents, **_: t.translate(documents),
    )
    lines = [line(["O carro azul."], "Ele caiu."), line(["O carro azul."], "Caiu.")]
    (document,) = completed_pronouns(Dictionary(), lines, random.Random(1))
    assert document.source == ("O carro azul.", "Ele caiu.")
    assert document.target == ("The blue car.", "It fell.")


def test_the_teacher_is_measured_beside_the_start(monkeypatch):
    monkeypatch.setattr("adapter_pronouns.translate", lambda t, texts, **_: t.translate(texts))
    lines = [
        line(["O carro azul."], "Ele caiu."),
        line(["O carro azul."], "Caiu.", film="2"),
        line(["O carro azul."], "Ele caiu.", film="2", **{"src pronoun": "o"}),
    ]
    lines[1].row["ref segment"] = "She fell."
    lines[2].row["ref segment"] = "He fell."
    record = teacher_record(Dictionary(), lines)
    assert (record["it alone"], record["it taught"]) == ("00", "10")
    assert (record["completed"], record["films"]) == ("10", [0, 1])
    assert (record["she"], record["people alone"]) == ("10", "01")
    assert "it taught: 50.0 % of 2 (0.0 to 100.0)\nhe alone: 100.0 % of 1" in shown(record)


def test_the_page_has_the_shares_of_the_teacher():
    root = Path(__file__).parents[3]
    record = json.loads((root / "studies/adapter/results/it/teacher.json").read_text())
    told = (root / "docs/results/adapter.md").read_text().replace("**", "")
    for row in shown(record).splitlines():
        share, interval = row.split(": ")[1].split(" % ")[0], row[row.index("(") :]
        assert f"{share} {interval}" in told


def test_cases_have_a_subject_pronoun_and_an_antecedent_in_an_earlier_line():
    good = line(["x."], "Ele caiu.")
    others = [
        line(["x."], "Vi-o.", **{"src pronoun": "o"}),
        line(["x."], "Ele caiu.", intrasegmental=True),
        line(["x."], "Ele caiu.", **{"ante distance": 0}),
    ]
    assert pronoun_lines([good, *others]) == [good]


def test_the_line_with_the_antecedent_has_the_lines_before_it():
    (found,) = antecedent_lines([line(["a.", "O carro azul.", "b."], "x.", **{"ante distance": 2})])
    assert (found.before, found.sentence) == (("a.",), "O carro azul.")
    assert found.row["ref segment"] == "The blue car."
    assert antecedent_lines([line(["O carro azul."], "x.")]) == []


def test_people_are_in_the_translation_by_people_and_only_one_of_them():
    lines = [
        line(["x."], "Ele caiu.", **{"ref segment": "He fell."}),
        line(["x."], "Ela caiu.", **{"ref segment": "She fell."}),
        line(["x."], "Ele viu-a.", **{"ref segment": "He saw her."}),
    ]
    assert [case.expected for case in people_cases(lines)] == ["he", "she"]


@pytest.mark.parametrize(
    ("text", "pronoun", "has"),
    [
        ("It's there.", "it", True),
        ("Its door.", "it", False),
        ("He sat with his dog.", "he", True),
        ("He saw her.", "he", False),
    ],
)
def test_a_pronoun_is_there_as_a_word_and_of_one_person(text, pronoun, has):
    assert has_pronoun(text, pronoun) == has


def test_stretches_of_one_kind_end_in_a_pronoun():
    lines = [line(["Um.", "Ela viu.", f"{n}.", "Cinco."], "x.") for n in range(40)]
    found = stretches(lines, random.Random(1), pronoun=True)
    assert [each.source for each in found] == [("Um.", "Ela viu.")]
    others = stretches(lines, random.Random(1), pronoun=False)
    assert {len(each.source) for each in others} == {2, 3, 4}


@pytest.fixture
def work(tmp_path):
    """A study of *it* in which the switch writes *it* in all cases and for two of ten people."""
    write_task(tmp_path, "it")
    for folder in ("texts", "made", "data"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data/data.json").write_text("{}")
    (tmp_path / "thresholds.json").write_text('{"1": {"threshold": 2}}')
    return tmp_path


def write_made(work, name, expected, rows, number):

    text = {"source": ["O carro.", "Ele caiu."], "measured": [1], "references": [], "distance": 1}
    texts = [{**text, "group": str(n), "expected": expected} for n in range(number)]
    for path, values in (
        (f"texts/{name}", texts),
        (f"made/start.{name}", [["He fell."]] * number),
        (f"made/context-1.{name}", rows),
    ):
        (work / f"{path}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in values))


def test_people_that_are_lost_fail_the_criterion(work, tmp_path):
    assert task_of(work) == TASKS["it"]
    changed, other = [["It fell.", 5.0, []]], [[]]
    write_made(work, "test", "it", [changed] * 20, 20)
    write_made(work, "test-other", "it", [other] * 20, 20)
    write_made(work, "people", "he", [changed] * 2 + [other] * 8, 10)
    (work / "made/own-1.test.jsonl").write_text('["He fell."]\n' * 20)
    write_records(work, tmp_path / "results")
    shown = page(tmp_path / "results", TASKS["it"])
    assert "| context | 20 | 100.0 | 100.0 |  |  |" in shown
    assert "| he | 10 | 100.0 | 80.0 | 2 | 0 | -20.0" in shown
    assert "Criterion A: does not hold." in shown
    write_made(work, "people", "he", [other] * 10, 10)
    write_records(work, tmp_path / "results")
    assert "Criterion A: holds." in page(tmp_path / "results", TASKS["it"])
