"""The repair of the guide for contributors works as it says."""

from __future__ import annotations

from pathlib import Path

import docmt_nmt
from docmt_nmt.translators import STANDARD
from translators.test_repairs import Answering

GUIDE = Path(__file__).parents[4] / "CONTRIBUTING.md"


def test_the_repair_of_the_guide_asks_for_lost_questions():
    section = GUIDE.read_text(encoding="utf-8").partition("## Add a repair")[2]
    names: dict = {}
    exec(section.partition("```python\n")[2].partition("```")[0], names)
    made = Answering({"Who?": ["Wer.", "Wer?"], "What?": ["Was.", "Was!"]})
    document = docmt_nmt.Document("d", ("Who?", "What?", "He."))
    (translation,) = docmt_nmt.translate(made, [document], [*STANDARD, names["LostQuestions"]()])
    assert translation.document.target == ("Wer?", "Was.", "HE.")
    assert made.requests[1].revision.required == {(0, 0): [("?",)], (0, 1): [("?",)]}
