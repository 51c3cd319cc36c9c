"""Measures of a run, in translations that the run generates: expected forms in the context of the
case and in the context of another case, and BLEU. Numbers alone are kept, no text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.storage.files import write_text
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.translators import translate
from ellipsis_data import Case, has_form, load_cases

START = "start"


def measure(work: Path, name: str) -> None:
    """Measure a run, and write `runs/NAME.measures.json`.

    Args:
        work: the folder of the study's data and runs.
        name: of the run. The start translates sentences alone, and is measured in their own
            context only.
    """
    path = work / "runs" / f"{name}.measures.json"
    if path.exists():
        return
    translator = BeamSearchTranslator.load(work / "runs" / name)
    test = load_cases(work / "data/test.jsonl")
    own = translated(translator, test, [case.context for case in test])
    found: dict[str, Any] = {"own": decisions(test, own)}
    if name == START:
        forms = set(json.loads((work / "data/forms.json").read_text("utf-8")))
        verbs = [first_verb(context, forms) for context, _ in own]
        right = [verb == case.expected for verb, case in zip(verbs, test, strict=True)]
        found["rule"] = _digits(right)
    else:
        contexts = shuffled_contexts(test)
        found["shuffled"] = decisions(test, translated(translator, test, contexts))
        *_, end = read_log(work / "runs" / name / "log.jsonl")
        found |= {"gates": end.get("context_share", {}), "loss": end["loss"]}
    scored = load_cases(work / "data/bleu.jsonl")
    pairs = translated(translator, scored, [case.context for case in scored])
    found["bleu"] = bleu(scored, [sentence for _, sentence in pairs])
    write_text(path, json.dumps(found) + "\n")


def translated(
    translator: BeamSearchTranslator, cases: Sequence[Case], contexts: Sequence[str]
) -> list[tuple[str, str]]:
    """The translations of each sentence before and of each case, as documents of two sentences."""
    documents = [
        Document(str(index), (context, case.sentence))
        for index, (case, context) in enumerate(zip(cases, contexts, strict=True))
    ]
    sides = [one.document.target or () for one in translate(translator, documents)]
    return [(context, sentence) for context, sentence in sides]


def shuffled_contexts(cases: Sequence[Case]) -> list[str]:
    """For each case the sentence before another case, of another film.

    >>> one, two = (Case(film, film + "?", "I do.", "", 1, "") for film in "ab")
    >>> shuffled_contexts([one, two])
    ['b?', 'a?']
    """
    half = len(cases) // 2
    others = [*cases[half:], *cases[:half]]
    assert all(a.film != b.film for a, b in zip(cases, others, strict=True))
    return [other.context for other in others]


def decisions(cases: Sequence[Case], translations: Sequence[tuple[str, str]]) -> str:
    """A digit for each case: 1 where its translation has the expected form."""
    return _digits(
        has_form(sentence, case.expected)
        for case, (_, sentence) in zip(cases, translations, strict=True)
    )


def first_verb(sentence: str, forms: set[str]) -> str | None:
    """The first word of a sentence that is one of these forms, in lower case.

    >>> first_verb("Não, ele sabe?", {"sabe"})
    'sabe'
    """
    words = sentence.lower().split()
    return next((word for word in (w.strip(".,;:!?…\"'-–—") for w in words) if word in forms), None)


def bleu(cases: Sequence[Case], translations: Sequence[str]) -> float:
    """BLEU of sentences against the translations by people, in percent."""
    source = tuple(case.sentence for case in cases)
    references = [Document("test", source, tuple(case.reference for case in cases))]
    settings = MetricSettings(metrics=("s-bleu",), language="pt")
    (score,) = evaluate([Document("test", source, tuple(translations))], references, settings)
    return score.score


def _digits(flags: Any) -> str:
    return "".join("01"[flag] for flag in flags)
