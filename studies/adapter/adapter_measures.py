"""Measures of the arms: each sentence alone, in context, and what the context prefers. Translations
stay in the work folder; the results have decisions and scores, and no text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from adapter_data import has_form
from adapter_pronouns import PRONOUNS, has_pronoun
from adapter_tasks import task_of
from adapter_texts import Text, load_texts
from docmt.in_context.context_switch import ContextSwitch
from docmt_files.base.documents import Document
from docmt_nmt.base.translations import Translation
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.text.context_cues import has_cue
from docmt_nmt.translators import translate
from docmt_nmt.translators.requests import Revision, TranslationRequest

START = "start"

_BLOCK = 300
"""Texts that are measured and stored together."""


def measure(work: Path, arm: str, name: str, most: int | None = None) -> None:
    """Measure an arm on a text, and append to `made/ARM.NAME.jsonl`. A measurement goes on where it
    was stopped.

    Args:
        work: the folder of the study.
        arm: `start`, `own-1`, `context-1`, …
        name: the text.
        most: the number of texts, the first ones in their random order. Default: all.
    """
    path = work / "made" / f"{arm}.{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    done = path.read_text("utf-8").count("\n") if path.exists() else 0
    texts = list(islice(load_texts(work, name), most))
    starts = made_by(work, START, name) if arm.startswith("context") else []
    if arm.startswith("context"):
        texts = texts[: len(starts)]
    translator = _translator(work, arm)
    for begin in range(done, len(texts), _BLOCK):
        block = texts[begin : begin + _BLOCK]
        rows: Sequence[Sequence[Any]]
        if isinstance(translator, ContextSwitch):
            rows = in_context(translator, block, starts[begin : begin + _BLOCK])
        else:
            rows = _alone(translator, block)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(lines))


def _translator(work: Path, arm: str) -> BeamSearchTranslator | ContextSwitch:
    """The translator of an arm; that of a context adapter reads the adapter's file."""
    run = work / "runs" / arm
    if not arm.startswith("context"):
        return BeamSearchTranslator.load(run)
    switch = ContextSwitch.load(work / "runs" / START, run / ADAPTER)
    return replace(switch, cues=())


def _alone(translator: BeamSearchTranslator, texts: Sequence[Text]) -> list[list[str]]:
    """The translations of the measured sentences, each alone: an arm that sees its own sentence
    does not read those before it."""
    sentences = dict.fromkeys(text.source[i] for text in texts for i in text.measured)
    made = translate(translator, [Document(str(n), (s,)) for n, s in enumerate(sentences)])
    known = {s: (m.document.target or ("",))[0] for s, m in zip(sentences, made, strict=True)}
    return [[known[text.source[i]] for i in text.measured] for text in texts]


def in_context(
    switch: ContextSwitch, texts: Sequence[Text], starts: Sequence[Sequence[str]]
) -> list[list[list[Any]]]:
    """For each measured sentence what differs in context: its translation, the margin, and what it
    loses; nothing where nothing differs."""
    documents, alone, wanted = [], [], set()
    for owner, (text, start) in enumerate(zip(texts, starts, strict=True)):
        target = [""] * len(text.source)
        for index, translation in zip(text.measured, start, strict=True):
            target[index] = translation
            wanted.add((owner, index))
        documents.append(Document(str(owner), text.source))
        alone.append(Translation.of(str(owner), text.source, target))
    revision = Revision(tuple(each.document for each in alone), frozenset(wanted))
    request = TranslationRequest(documents, revision=revision)
    decisions = {(d.document, d.sentence): d for d in switch.decisions(request, alone)}
    return [
        [
            [d.in_context, round(d.margin, 4), list(d.lost)]
            if (d := decisions.get((owner, index))) is not None
            else []
            for index in text.measured
        ]
        for owner, text in enumerate(texts)
    ]


def made_by(work: Path, arm: str, name: str) -> list[Any]:
    """What was made so far."""
    path = work / "made" / f"{arm}.{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def sentences(work: Path, arm: str, name: str) -> Iterator[dict[str, Any]]:
    """Each measured sentence of a text, as far as it was measured: what is known of it, the
    translation of the start and that of the arm, with margin and losses."""
    starts = made_by(work, START, name)
    cues = [task_of(work).cue]
    rows = starts if arm == START else made_by(work, arm, name)
    for text, start, row in zip(load_texts(work, name), starts, rows, strict=False):
        for number, (index, alone) in enumerate(zip(text.measured, start, strict=True)):
            made, margin, lost = alone, 0.0, []
            if arm.startswith("context") and row[number]:
                made, margin, lost = row[number]
            elif not arm.startswith("context"):
                made = row[number]
            yield {
                "group": text.group,
                "source": text.source[index],
                "first": index == 0,
                "cue": has_cue(text.source[index], cues),
                "distance": text.distance,
                "expected": text.expected,
                "references": [reference[number] for reference in text.references],
                "alone": alone,
                "made": made,
                "margin": margin,
                "lost": bool(lost),
            }


def is_taken(sentence: dict[str, Any], threshold: float | None) -> bool:
    """Return whether the translation in context is taken; without a threshold, always."""
    if threshold is None:
        return bool(sentence["made"] != sentence["alone"])
    return sentence["margin"] > threshold and not sentence["lost"]


def final(sentence: dict[str, Any], threshold: float | None) -> str:
    """The translation of a sentence by the switch."""
    return str(sentence["made"] if is_taken(sentence, threshold) else sentence["alone"])


def is_right(sentence: dict[str, Any], translation: str) -> bool:
    """Return whether a translation has the expected form."""
    expected = sentence["expected"]
    if expected in PRONOUNS:
        return has_pronoun(translation, expected)
    return has_form(translation, expected)
