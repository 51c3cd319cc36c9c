"""No stand-in that the source lacks reaches a file, whatever a system makes of the stand-ins."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import docmt
from docmt.translating.passage import Layout, Passage
from docmt_files import FORMATS, BlockSkeleton, Format
from docmt_nmt.base.translations import TranslatedSentence, Translation, warnings_by_sentence
from docmt_nmt.decoding.literal_finder import LiteralFinder, find_literals
from docmt_nmt.decoding.literals import NAMES, PLACEHOLDERS, Restoring
from docmt_nmt.translators import Translator, planned
from formats.every_format import read, samples_of, write_sample

STAND_INS = (*PLACEHOLDERS, *NAMES)
_STAND_IN = regex.compile("|".join(rf"(?<!\w){regex.escape(each)}(?!\w)" for each in STAND_INS))
_TEXT = "Read {b}this{/b}: {{name}} → ÷ %(x)s of 東京 `a_b` costs £5, ﷽ or %1."
"""Placeholders of many kinds, and characters that a vocabulary lacks."""


@dataclass(frozen=True)
class Mangling(Translator):
    """Loses, doubles, moves, breaks and glues stand-ins, at random."""

    finder: LiteralFinder
    seed: int
    gives = frozenset({"sentences", "words"})
    languages = ("en", "de")

    def can_keep(self, sentence, words):
        found = self.finder.find(sentence, words)
        return found is not None and (found.copied or bool(found.stand_ins))

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        return [self._translated(each) for each in planned(self, request).request.sources]

    def _translated(self, document):
        draw = random.Random(self.seed)
        literals = find_literals(document.sentences, None, self.finder.pipeline, marks_only=False)
        restoring = Restoring(literals)
        targets = []
        for index, (sentence, found) in enumerate(zip(document.sentences, literals, strict=True)):
            written = sentence.text if found is None else found.text
            for stand_in in dict.fromkeys(() if found is None else found.stand_ins):
                if stand_in in STAND_INS:
                    written = written.replace(stand_in, mangled(stand_in, draw))
            targets.append(restoring.text(index, written))
        warnings = warnings_by_sentence(restoring.warnings(targets), len(targets))
        pairs = zip(document.source, targets, warnings, strict=True)
        sentences = tuple(TranslatedSentence(s, t).warned(w) for s, t, w in pairs)
        return Translation(document.id, sentences, (len(sentences),))


def mangled(stand_in: str, draw: random.Random) -> str:
    """What a bad system makes of a stand-in."""
    return draw.choice(
        [
            stand_in, "", f"{stand_in} {stand_in}", f"x{stand_in}", f"{stand_in}x",
            f"{stand_in[0]} {stand_in[1:]}", f"{stand_in}{stand_in}", f"({stand_in}", "%2",
            f"{stand_in} {draw.choice(PLACEHOLDERS)}", f"{stand_in[0]}{stand_in}{stand_in[1:]}",
        ]
    )  # fmt: skip


@pytest.fixture(scope="module")
def finder() -> LiteralFinder:
    return LiteralFinder(docmt.load().pipeline)


def leaked(source: str, target: str) -> list[str]:
    """The stand-ins that a text has more often than its source."""
    before, after = (sorted(_STAND_IN.findall(text)) for text in (source, target))
    return [each for each in after if after.count(each) > before.count(each)]


@given(seed=st.integers(0, 1 << 20), words=st.lists(st.sampled_from(_TEXT.split()), min_size=1))
def test_no_stand_in_stays_in_a_sentence(
    finder: LiteralFinder, seed: int, words: list[str]
) -> None:
    source = " ".join(words)
    protected = [each for each in ("{b}", "{/b}", "{{name}}", "%(x)s", "%1") if each in source]
    found = finder.find(source, protected)
    if found is not None and found.stand_ins:
        draw = random.Random(seed)
        written = found.text
        for stand_in in dict.fromkeys(s for s in found.stand_ins if s in STAND_INS):
            written = written.replace(stand_in, mangled(stand_in, draw))
        assert not leaked(written if found.copied else source, found.restore(written)[0])


@pytest.mark.parametrize("file_format", FORMATS, ids=lambda each: each.name)
def test_no_stand_in_reaches_a_file(
    tmp_path: Path, finder: LiteralFinder, file_format: Format
) -> None:
    samples: dict[str, Any] = samples_of(file_format).SAMPLES
    name, content = next(iter(samples.items()))
    documents, skeleton = read(file_format, write_sample(tmp_path, name, content), "de")
    for seed in range(3):
        translator = Mangling(finder, seed)
        passage = Passage.of(documents, skeleton, translator, every_language=True)
        found = translator.translate(Layout.of_file(passage).request())
        filled = passage.filled_by(found, None)
        assert isinstance(filled.skeleton, BlockSkeleton)
        written = filled.skeleton.fill_and_report([found[0].document], filled.align).text
        assert not leaked(skeleton.text, written)
