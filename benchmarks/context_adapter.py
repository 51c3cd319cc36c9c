"""The price of a context adapter in time: sentences alone, in context, and in context where a
sentence has a cue.

    python benchmarks/context_adapter.py RUN ADAPTER [--corpus SOURCE TARGET] [--documents 20]

RUN is the base, such as an imported model of Firefox, and ADAPTER the file of its adapter. The
three ways take turns.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from corpus import add_corpus_argument, read_documents
from docmt.in_context.context_switch import ContextSwitch
from docmt_files.base.documents import Document
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.text.context_cues import has_cue
from docmt_nmt.translators import translate
from docmt_nmt.translators.translator import Translator
from measuring import Report, add_arguments, print_table, take_turns

CUES = ("english-final-auxiliary",)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser, repeats=3)
    add_corpus_argument(parser, "test")
    parser.add_argument("run", type=Path, help="the base")
    parser.add_argument("adapter", type=Path, help="the file of the adapter")
    parser.add_argument("--documents", type=int, default=20, help="so many, the first ones")
    arguments = parser.parse_args()
    report = Report(arguments)
    documents = read_documents(arguments.corpus)[: arguments.documents]
    sources = [Document(each.id, each.source) for each in documents]
    switch = ContextSwitch.load(arguments.run, arguments.adapter, device="cpu")
    ways: dict[str, Translator] = {
        "alone": BeamSearchTranslator.load(arguments.run, device="cpu"),
        "in context": replace(switch, cues=()),
        "in context, with cues": replace(switch, cues=switch.cues or CUES),
    }
    contestants = {name: partial(_translate, way, sources) for name, way in ways.items()}
    timings = take_turns(contestants, arguments.repeats)
    sentences = [sentence for each in sources for sentence in each.source]
    cues = sum(has_cue(sentence, switch.cues or CUES) for sentence in sentences)
    print(f"{len(sources)} documents, {len(sentences):,} sentences, {cues:,} with a cue\n")
    rows = []
    alone = timings["alone"].median(report.clock)
    for name, timing in timings.items():
        ratio = timing.median(report.clock) / alone
        report.add(name, timing, ratio=ratio)
        rows.append([name, f"{timing.median(report.clock):.1f}", f"{ratio:.2f}"])
    print_table(["way", "seconds", "times alone"], rows)
    report.finish()


def _translate(translator: Translator, documents: Sequence[Document]) -> None:
    translate(translator, documents)


if __name__ == "__main__":
    main()
