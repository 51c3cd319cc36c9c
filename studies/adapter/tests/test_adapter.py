import json
import random
from pathlib import Path

import numpy as np
import pytest

from adapter_arms import recipe_of
from adapter_data import Case, Line, completed_lines, has_form, ordinary_stretches
from adapter_measures import final, is_taken, sentences
from adapter_page import _interval, page, text_rows, verdict
from adapter_reading import count, sign_test, write_sheet
from adapter_records import _record, write_records
from adapter_tasks import TASKS
from adapter_texts import of_cases, with_other_context
from docmt_files.base.errors import InputError
from shipped_adapter import stretches


def line(before, sentence, verb="know", distance=1, film="1"):
    return Line(
        film, tuple(before), sentence, {"ante distance": distance, "src ante verb lemma": verb}
    )


def test_an_ellipsis_is_completed_after_as_many_lines_as_reach_the_antecedent():
    lines = [line(["Hm.", "Did you know?", "Well."], "I did.", distance=2)]
    (document,) = completed_lines(lines, random.Random(1))
    assert document.completed == "I did know."
    assert document.source[-1] == "I did."
    assert "Did you know?" in document.source


@pytest.mark.parametrize(
    "unfit",
    [
        line(["Did you know?"], "I did.", distance=4),
        line(["Did you know?"], "I did.", verb="do"),
        line(["Did you know?"], "I knew."),
        line(["", "x"], "I did.", distance=2),
    ],
)
def test_what_cannot_be_completed_is_left_out(unfit):
    assert completed_lines([unfit], random.Random(1)) == []


def test_a_pair_of_lines_is_completed_once():
    both = [line(["Did you know?"], "I did."), line(["Did you know?"], "I DID.")]
    assert len(completed_lines(both, random.Random(1))) == 1


def test_ordinary_stretches_have_no_clause_that_ends_in_an_auxiliary():
    lines = [line(["One.", "Two.", "Three.", "Four.", "Five."], "x"), line(["I did."] * 5, "x")]
    (document,) = ordinary_stretches(lines, random.Random(1))
    assert document.completed is None
    assert 2 <= len(document.source) <= 5


def test_another_context_is_of_another_case():
    cases = [Case(str(n), (f"{n}?",), "I do.", "faço", 1, "") for n in range(4)]
    assert [case.before for case in with_other_context(cases)] == [
        ("2?",),
        ("3?",),
        ("0?",),
        ("1?",),
    ]
    (first, *_) = of_cases(cases)
    assert (first.source, first.measured) == (("0?", "I do."), (1,))


def test_a_form_counts_as_a_word_of_its_own():
    assert has_form("Sim, Sabia!", "sabia")
    assert not has_form("sabiam", "sabia")


def test_there_is_a_recipe_for_every_arm_and_no_other():
    with pytest.raises(InputError, match="there is no training"):
        recipe_of("blind-1", None)


def test_a_translation_in_context_is_taken_above_the_threshold_if_nothing_is_lost():
    found = {"made": "b", "alone": "a", "margin": 7.0, "lost": False}
    assert is_taken(found, 6.0)
    assert not is_taken(found, 8.0)
    assert not is_taken({**found, "lost": True}, 6.0)
    assert is_taken(found, None)
    assert (final(found, 6.0), final(found, 8.0)) == ("b", "a")


def test_measured_sentences_stand_beside_those_of_the_start(tmp_path):
    text = {"group": "g", "source": ["A.", "I did."], "measured": [1], "expected": "x"}
    for folder, name, value in (
        ("texts", "dev", text),
        ("made", "start.dev", ["a"]),
        ("made", "context-1.dev", [["b", 7.5, []]]),
        ("made", "own-1.dev", ["c"]),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        full = {"references": [], "distance": 1, **value} if folder == "texts" else value
        (tmp_path / folder / f"{name}.jsonl").write_text(json.dumps(full) + "\n")
    (context,), (own,) = (list(sentences(tmp_path, arm, "dev")) for arm in ("context-1", "own-1"))
    assert (context["alone"], context["made"], context["margin"]) == ("a", "b", 7.5)
    assert context["cue"]
    assert not context["first"]
    assert own["made"] == "c"


def test_an_interval_is_drawn_over_groups():
    low, high = _interval(np.array([1.0, 1.0, 0.0, 0.0]), [0, 0, 1, 1], 95)
    assert (low, high) == (0.0, 1.0)


def other_sentences(changed_to, number=40):
    """Sentences of which the first is changed."""
    return [
        {
            "group": str(index),
            "first": False,
            "distance": 0,
            "cue": False,
            "references": ["O carro azul foi embora."],
            "alone": "O carro azul foi embora.",
            "made": changed_to if index == 0 else "O carro azul foi embora.",
            "margin": 9.0 if index == 0 else 0.0,
            "lost": False,
        }
        for index in range(number)
    ]


def test_one_worse_sentence_of_forty_is_outside_of_what_is_allowed():
    found = other_sentences("Uma casa.")
    (row,), holds = text_rows("news", _record("news", found, 8.0, TASKS["ellipsis"]))
    assert "| 40 | 1 (2.50 %) | 1 (2.50 %) |" in row
    assert not holds
    (row,), holds = text_rows("news", _record("news", found, 10.0, TASKS["ellipsis"]))
    assert "| 40 | 0 (0.00 %) | 0 (0.00 %) | 100.00 | +0.00 (+0.00 to +0.00) |" in row
    assert holds


def test_a_criterion_fails_or_is_not_decided_or_holds():
    assert verdict(True, []) == "holds"
    assert verdict(True, ["own"]) == "not decided, as own is missing"
    assert verdict(False, ["own"]) == "does not hold"


def test_nine_of_ten_are_beyond_chance_and_six_of_ten_are_not():
    assert sign_test(9, 1) == pytest.approx(22 / 1024)
    assert sign_test(6, 4) > 0.5
    assert sign_test(0, 0) == 1.0


@pytest.fixture
def work(tmp_path):
    """The folder of a study in which the switch changes twenty cases."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "made").mkdir()
    (tmp_path / "thresholds.json").write_text(json.dumps({"1": {"threshold": 8}}))
    texts, start, context = [], [], []
    for number in range(20):
        source = ["Did you know?", f"Yes, {number} did."]
        texts.append({"group": str(number), "source": source, "measured": [1], "references": []})
        texts[-1] |= {"expected": "sabia", "distance": 1}
        start.append(["Sim, fez."])
        context.append([[f"Sim, {number} sabia.", 9.0, []]])
    for folder, name, rows in (
        ("texts", "test", texts),
        ("made", "start.test", start),
        ("made", "context-1.test", context),
    ):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / folder / f"{name}.jsonl").write_text(lines)
    for folder, names in (
        ("texts", ("subtitles", "news", "chats")),
        (
            "made",
            [f"{a}.{t}" for a in ("start", "context-1") for t in ("subtitles", "news", "chats")],
        ),
    ):
        for name in names:
            (tmp_path / folder / f"{name}.jsonl").write_text("")
    return tmp_path


def test_a_reading_is_blind_and_counts_for_the_right_side(work, monkeypatch):
    monkeypatch.setattr("adapter_reading.__file__", str(work / "adapter_reading.py"))
    write_sheet(work, 1, 12, 100)
    pairs = [json.loads(line) for line in (work / "reading-1.jsonl").read_text().splitlines()]
    assert len(pairs) == 12
    ours = ["A" if "sabia" in pair["A"] else "B" for pair in pairs]
    assert {"A", "B"} == set(ours)
    (work / "reading-1.txt").write_text("".join([*ours[:10], "=", "AB"[ours[11] == "A"]]))
    found = count(work, 1)
    assert found["test"] == {"better": 10, "neither": 1, "worse": 1, "p": 0.012}
    assert "sabia" not in (work / "results/reading-1.json").read_text()


def test_a_reading_has_a_letter_for_each_pair(work):
    write_sheet(work, 1, 12, 100)
    (work / "reading-1.txt").write_text("AB")
    with pytest.raises(InputError, match="2 letters for 12 pairs"):
        count(work, 1)


def test_stretches_of_repeated_lines_have_ids_of_their_own():
    lines = ["One.", "Two."] * 20 + ["Three.", "I did.", "", "Four."]
    found = stretches(lines, 6, random.Random(1))
    assert len({each.id for each in found}) == 6
    assert not any("I did." in each.source or "" in each.source for each in found)


def test_tables_are_made_from_records_without_text(work, tmp_path):
    (work / "data").mkdir()
    (work / "data/data.json").write_text("{}")
    for arm, row in (("own-1.test", ["Sim, fez."]), ("context-1.test-other", [[]])):
        (work / "made" / f"{arm}.jsonl").write_text(20 * (json.dumps(row) + "\n"))
    for folder in ("made", "texts"):
        name = "start.test" if folder == "made" else "test"
        content = (work / folder / f"{name}.jsonl").read_text()
        (work / folder / f"{name}-other.jsonl").write_text(content)
    news = {"group": "n", "source": ["A.", "B."], "measured": [0, 1], "expected": "", "distance": 0}
    for folder, name, value in (
        ("texts", "news", {**news, "references": [["X.", "Y."]]}),
        ("made", "start.news", ["X.", "Y."]),
        ("made", "context-1.news", [[], ["Z.", 5.0, []]]),
    ):
        (work / folder / f"{name}.jsonl").write_text(json.dumps(value) + "\n")
    for name in ("subtitles", "chats"):
        (work / "made" / f"context-1.{name}.jsonl").unlink()
    folder = tmp_path / "results"
    write_records(work, folder)
    written = "".join(path.read_text() for path in folder.glob("*.json"))
    assert "sabia" not in written
    assert "did" not in written
    shown = page(folder)
    assert "| context | 20 | 100.0 | 100.0 |  |  |" in shown
    assert "| own | 20 | 0.0 | 0.0 |  | +100.0 (100.0 to 100.0) |" in shown
    assert "Criterion A: holds." in shown
    assert "| news | 2 | 0 (0.00 %) |" in shown
    assert "Criterion B: not decided, as subtitles and chats are missing." in shown


def test_the_stored_tables_are_those_of_the_stored_records():
    folder = Path(__file__).parents[1] / "results"
    assert page(folder) == (folder / "results.md").read_text()


def test_the_page_has_the_figures_of_the_tables():
    root = Path(__file__).parents[3]
    tables = (root / "studies/adapter/results/results.md").read_text()
    shown = (root / "docs/results/adapter.md").read_text().replace("−", "-").replace("**", "")
    for arm in ("start", "context", "context without switch", "own", "another film's context"):
        for row in (line for line in tables.splitlines() if line.startswith(f"| {arm} |")):
            share, gap = (row.split(" | ")[index].strip(" |") for index in (2, 5))
            assert share in shown
            assert gap in shown
