"""Beam search with terms, compared with beam search without, on a trained run.

    python benchmarks/glossary.py RUN [--terms 1 2] [--documents 3] [--corpus SOURCE TARGET]

The terms of a sentence are words of its reference, drawn at random: what a glossary would ask for,
and what the system may be far from writing. "no terms" is the search with terms where no sentence
has any; a translator does not use it then.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from corpus import add_corpus_argument, read_documents
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance, cut
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import (
    BeamSearchTranslator,
    GlossaryTerms,
    Hypothesis,
    TermConstraint,
    TermConstraints,
    batches_by_length,
    search,
)
from docmt_nmt.decoding.limits import limits
from docmt_nmt.translators.glossary import Glossary
from measuring import Report, Timings, add_arguments, print_table, take_turns

LETTERS = 5
"""The fewest letters of a term."""

Sentences = list[list[TermConstraint]]
"""What each sentence must contain."""


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    add_corpus_argument(parser, "test")
    parser.add_argument("run", type=Path)
    parser.add_argument("--terms", type=int, nargs="*", default=[1, 2], help="of each sentence")
    parser.add_argument("--documents", type=int, default=3)
    parser.add_argument("--beam-size", type=int)
    arguments = parser.parse_args()
    report = Report(arguments)
    translator = BeamSearchTranslator.load(
        arguments.run, device="cpu", beam_size=arguments.beam_size
    )
    search_with_terms = Search(translator, read_documents(arguments.corpus)[: arguments.documents])
    print(
        f"{len(search_with_terms.instances)} instances, {search_with_terms.sentences} sentences, "
        f"beam {translator.search.beam_size}\n"
    )
    numbers = {"beam search": None, "no terms": 0} | {f"{n} terms": n for n in arguments.terms}
    steps: dict[str, list[list[Hypothesis]]] = {}

    def run(name: str) -> None:
        steps[name] = search_with_terms.run(numbers[name])

    timings = take_turns({name: partial(run, name) for name in numbers}, arguments.repeats)
    print_ratios(report, timings, steps)
    report.finish()


def print_ratios(
    report: Report, timings: dict[str, Timings], found: dict[str, list[list[Hypothesis]]]
) -> None:
    """All searches, compared with that without terms."""
    first, clock, rows = next(iter(timings)), report.clock, []
    for name, timing in timings.items():
        median = timing.median(clock)
        best = [hypotheses[0] for hypotheses in found[name]]
        tokens = sum(len(s) + 1 for hypothesis in best for s in hypothesis.sentences)
        truncated = sum(sum(hypothesis.truncated) for hypothesis in best)
        ratio = median / timings[first].median(clock)
        report.add(name, timing, ratio=ratio, tokens=tokens, truncated=truncated)
        rows.append(
            [
                name,
                f"{median:.2f}",
                timing.spread(clock),
                f"{ratio:.2f}",
                str(tokens),
                str(truncated),
            ]
        )
    print_table(["", "seconds", "range", "times as long", "tokens written", "truncated"], rows)


class Search:
    """Searches instances with different numbers of terms.

    Args:
        translator: whose system, pipeline and settings are used.
        documents: with references.
    """

    def __init__(self, translator: BeamSearchTranslator, documents: Sequence[Document]) -> None:
        self.translator = translator
        pipeline = translator.pipeline
        self.terms = GlossaryTerms(Glossary(()), pipeline, translator.search)
        self.instances: list[Instance] = []
        self.references: list[Sequence[str]] = []
        for document in documents:
            alone = Document(document.id, document.source)
            own = cut(
                translator.encode(alone), translator.instances.disjoint, pipeline.special_tokens
            )
            self.instances += own
            self.references += [
                (document.target or ())[i.first : i.first + i.document_sentences] for i in own
            ]
        self.sentences = sum(len(instance.source) for instance in self.instances)
        self._drawn: dict[int, list[Sentences]] = {}

    def run(self, number: int | None) -> list[list[Hypothesis]]:
        """Search with so many terms in each sentence; None for plain beam search."""
        translator, special_tokens = self.translator, self.translator.pipeline.special_tokens
        settings = translator.search
        found: list[list[Hypothesis]] = [[] for _ in self.instances]
        for batch in batches_by_length(self.instances, settings, special_tokens):
            source = collate_source([self.instances[index] for index in batch], special_tokens)
            terms = None
            if number is not None:
                sentences = [s for index in batch for s in self.constraints(number)[index]]
                terms = TermConstraints(sentences, self.terms.edges)
            lengths = source.sentences.host_lengths - special_tokens.source_overhead
            results = search(
                translator.eager.eval(),
                source,
                special_tokens,
                beam_size=settings.beam_size,
                terms=terms,
                **limits(lengths, translator.pipeline, settings),
            )
            for index, hypotheses in zip(batch, results, strict=True):
                found[index] = hypotheses
        return found

    def constraints(self, number: int) -> list[Sentences]:
        """So many terms of each sentence, of all instances."""
        if number not in self._drawn:
            draw = random.Random(1)
            self._drawn[number] = [
                [self._constraints(text, number, draw) for text in references]
                for references in self.references
            ]
        return self._drawn[number]

    def _constraints(self, text: str, number: int, draw: random.Random) -> list[TermConstraint]:
        """So many words of a sentence, or as many as it has."""
        stripped = {word.strip("„“‚‘.,;:?!()") for word in text.split()}
        words = sorted(word for word in stripped if len(word) >= LETTERS and word.isalpha())
        found = []
        for word in draw.sample(words, min(number, len(words))):
            try:
                found.append(self.terms.constraint(word))
            except InputError:
                continue  # a vocabulary of words does not have it
        return found


if __name__ == "__main__":
    main()
