"""Candidates per second of contrastive evaluation, with and without sharing what they begin with.

    python benchmarks/contrast.py [--cases 250] [--candidates 4] [--corpus SOURCE TARGET]

A case is consecutive sentences of a document (four, or `--sentences`), with the translations of all
but the last as context. Its candidates are the last sentence's translation and those of other
sentences, of like length. Systems of base size with random weights decode them: a G-Transformer and
a sentence-level Transformer. `shared` is `SystemForcedDecoder.candidate_log_probabilities`; `apart`
gives each candidate as a case of a document of its own, so that its source and its context are
computed again.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from corpus import TestCorpus, add_corpus_argument, add_size_arguments, random_system
from docmt_files.base.documents import Document
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.nn import prepack_weights
from docmt_nmt.recipes.search import SearchSettings
from docmt_research.forced_decoding.forced_decoder import Candidates
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from measuring import Report, add_arguments, print_table, take_turns


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser, repeats=2)
    add_size_arguments(parser)
    add_corpus_argument(parser, "test")
    parser.add_argument("--cases", type=int, default=250)
    parser.add_argument("--candidates", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=4)
    arguments = parser.parse_args()
    report = Report(arguments)
    corpus = TestCorpus.load(arguments.corpus, arguments.vocabulary_size)
    made = cases(corpus.documents, arguments)
    apart = list(chain.from_iterable(map(each_apart, made)))
    number = sum(len(case.targets) for case in made)
    print(f"{len(made)} cases, {number} candidates, size {arguments.preset}\n")
    rows = []
    for name, kind in (("g-transformer", "tokens"), ("transformer", "sentence")):
        system = prepack_weights(random_system(name, arguments.preset, corpus.vocabulary_size))
        instances = InstanceSettings.read({"kind": kind})
        search = SearchSettings.read({})
        forced_decoder = SystemForcedDecoder(
            BeamSearchTranslator.build(system, corpus.pipeline, instances, search)
        )
        found = take_turns(
            {
                "shared": partial(forced_decoder.candidate_log_probabilities, made),
                "apart": partial(forced_decoder.candidate_log_probabilities, apart),
            },
            arguments.repeats,
        )
        for way, timings in found.items():
            seconds = timings.median(arguments.clock)
            ratio = found["apart"].median(arguments.clock) / seconds
            report.add(f"{name} {way}", timings, candidates=number, ratio=ratio)
            rows.append(
                [
                    name,
                    way,
                    f"{seconds:.1f}",
                    f"{number / seconds:.0f}",
                    f"{ratio:.2f}",
                    f"{10_000 * seconds / number / 60:.1f}",
                ]
            )
    head = ["system", "candidates", "seconds", "candidates/s", "speed : apart", "min for 10,000"]
    print_table(head, rows)
    report.finish()


def cases(documents: Sequence[Document], arguments: argparse.Namespace) -> list[Candidates]:
    """As many cases and candidates as are asked for, drawn from documents."""
    draw = random.Random(1)
    every = sorted({text for d in documents for text in d.target or ()}, key=len)
    rank = {text: index for index, text in enumerate(every)}
    found = []
    for document in documents:
        for end in range(arguments.sentences, len(document) + 1):
            target = (document.target or ())[end - arguments.sentences : end]
            near = rank[target[-1]]
            like = every[max(near - 20, 0) : near] + every[near + 1 : near + 20]
            others = draw.sample(like, arguments.candidates - 1)
            source = document.source[end - arguments.sentences : end]
            part = Document(f"{document.id}.{end}", source, target)
            found.append(Candidates(part, (target[-1], *others)))
    return draw.sample(found, min(arguments.cases, len(found)))


def each_apart(case: Candidates) -> list[Candidates]:
    """Each candidate as a case whose source differs from the others' by a last character."""
    made = []
    for number, target in enumerate(case.targets):
        *before, last = case.document.source
        source = (*before, last + "."[:number] * number)
        made.append(Candidates(replace(case.document, source=source), (target,)))
    return made


if __name__ == "__main__":
    main()
