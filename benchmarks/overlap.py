"""Instances that overlap (`search.overlap`), compared with instances that do not, on a trained run.

    python benchmarks/overlap.py RUN [--overlap 0 1 2] [--first 2] [--corpus SOURCE TARGET]

"cold" are the first sentences of the instances that do not overlap, but for those of a document's
first instance: sentences that are translated without what comes before them. The same sentences are
scored with every overlap. Documents of one instance are left out, as nothing changes for them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path

from corpus import add_corpus_argument, read_documents
from docmt_files.base.documents import Document
from docmt_nmt.base.translations import Translation
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.translators import TranslationRequest, translate
from measuring import Report, add_arguments, print_table, take_turns


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser, repeats=1)
    add_corpus_argument(parser, "test")
    parser.add_argument("run", type=Path)
    parser.add_argument("--overlap", type=int, nargs="*", default=[0, 1, 2], help="in sentences")
    parser.add_argument("--first", type=int, default=2, help="how many sentences are cold")
    parser.add_argument("--beam-size", type=int)
    parser.add_argument("--batch-tokens", type=int, help="search.batch_tokens")
    arguments = parser.parse_args()
    report = Report(arguments)
    translators = {
        overlap: BeamSearchTranslator.load(
            arguments.run,
            device="cpu",
            overlap=overlap,
            beam_size=arguments.beam_size,
            batch_tokens=arguments.batch_tokens,
        )
        for overlap in sorted({0, *arguments.overlap})
    }
    documents = longer_than_an_instance(translators[0], read_documents(arguments.corpus))
    sources = [Document(d.id, d.source) for d in documents]
    found: dict[int, list[Translation]] = {}

    def search(overlap: int) -> None:
        found[overlap] = translate(translators[overlap], sources)

    contestants = {str(overlap): partial(search, overlap) for overlap in translators}
    timings = take_turns(contestants, arguments.repeats, warm_up=False)
    cold = [
        [
            index
            for index in cold_sentences(translation.chunks, arguments.first)
            if (document.target or ())[index]
        ]
        for translation, document in zip(found[0], documents, strict=True)
    ]
    print(
        f"{len(documents)} documents, {sum(map(len, documents))} sentences, "
        f"{sum(map(len, cold))} of them cold, beam {translators[0].search.beam_size}\n"
    )
    rows = []
    for overlap, translations in found.items():
        timing = timings[str(overlap)]
        ratio = timing.median(report.clock) / timings["0"].median(report.clock)
        hypotheses = [translation.document for translation in translations]
        scores = {
            **score(hypotheses, documents, ["d-bleu", "s-bleu", "s-chrf"]),
            "cold s-chrf": score(parts(hypotheses, cold), parts(documents, cold), ["s-chrf"])[
                "s-chrf"
            ],
        }
        instances = sum(len(translation.chunks) for translation in translations)
        report.add(str(overlap), timing, ratio=ratio, instances=instances, **scores)
        rows.append(
            [
                str(overlap),
                str(instances),
                *(f"{value:.2f}" for value in scores.values()),
                f"{timing.median(report.clock):.1f}",
                f"{ratio:.2f}",
            ]
        )
    head = ["overlap", "instances", *scores, "seconds", "times as long"]
    print_table(head, rows)
    report.finish()


def longer_than_an_instance(
    translator: BeamSearchTranslator, documents: Sequence[Document]
) -> list[Document]:
    """The documents that are cut into several instances."""
    return [
        document
        for document in documents
        if len(translator.plan(TranslationRequest([document])).documents[0].instances) > 1
    ]


def cold_sentences(chunks: Sequence[int], first: int) -> list[int]:
    """The indices of the first sentences of each chunk but the first."""
    begins = list(accumulate(chunks))[:-1]
    pairs = zip(begins, chunks[1:], strict=True)
    return [begin + index for begin, size in pairs for index in range(min(first, size))]


def parts(documents: Sequence[Document], kept: Sequence[Sequence[int]]) -> list[Document]:
    """Documents of these sentences alone."""
    return [
        Document(
            document.id,
            tuple(document.source[index] for index in own),
            tuple((document.target or ())[index] for index in own),
        )
        for document, own in zip(documents, kept, strict=True)
        if own
    ]


def score(
    hypotheses: Sequence[Document], references: Sequence[Document], metrics: Sequence[str]
) -> dict[str, float]:
    """The scores of translations by metric."""
    found = evaluate(hypotheses, references, MetricSettings(metrics=metrics))
    return {metric: one.score for metric, one in zip(metrics, found, strict=True)}


if __name__ == "__main__":
    main()
