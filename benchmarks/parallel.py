"""Parallel document decoding beside greedy search from left to right, on a trained run.

    python benchmarks/parallel.py RUN [--kind tokens] [--passes 2 4] [--corpus SOURCE TARGET]

The baseline is greedy search in batches, as `docmt translate` does it. Greedy search and parallel
decoding of one instance after the other show what each costs for a single document: parallel
decoding has no batches. Limited to so many passes its result may differ from greedy search; the
agreement is the share of sentences that are the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from statistics import mean

import torch

from corpus import add_corpus_argument, read_documents
from docmt.data import Instance, InstanceSettings, cut
from docmt.data.collate import collate_source
from docmt.decoding import (
    BeamSearchTranslator,
    ParallelResult,
    batches_by_length,
    search,
    search_in_parallel,
)
from docmt.systems import EncoderDecoder, System
from measuring import (
    Report,
    Timings,
    add_arguments,
    count_operations,
    percent,
    print_table,
    take_turns,
)

Sentences = list[tuple[int, ...]]
Decode = Callable[[Sequence[Instance]], tuple[Sentences, float]]
"""Translates instances: their sentences, and the mean number of passes (0 for greedy search)."""


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    add_corpus_argument(parser, "test")
    parser.add_argument("run", type=Path)
    parser.add_argument("--kind", choices=["tokens", "whole"], default="tokens")
    parser.add_argument("--passes", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--documents", type=int, help="only the first so many")
    arguments = parser.parse_args()
    report = Report(arguments)
    translator = BeamSearchTranslator.load(arguments.run, device="cpu", beam_size=1)
    settings = InstanceSettings(kind=arguments.kind)
    instances = [
        instance
        for document in read_documents(arguments.corpus)[: arguments.documents]
        for instance in cut(
            translator.encode(document), settings, translator.pipeline.special_tokens
        )
    ]
    sentences = sum(len(instance.source) for instance in instances)
    print(f"{len(instances)} instances, {sentences} sentences, cut by {arguments.kind}\n")
    system = translator.system.eval()
    ways = Decoder(translator, system).ways(arguments.passes)
    # A copy has plain linear layers, which are counted.
    counted = Decoder(translator, deepcopy(system)).ways(arguments.passes)
    operations = {name: count_operations(partial(way, instances)) for name, way in counted.items()}
    found: dict[str, tuple[Sentences, float]] = {}

    def decode(name: str) -> None:
        found[name] = ways[name](instances)

    timings = take_turns({name: partial(decode, name) for name in ways}, arguments.repeats)
    print_ways(report, found, timings, operations)
    report.finish()


def print_ways(
    report: Report,
    found: dict[str, tuple[Sentences, float]],
    timings: dict[str, Timings],
    operations: dict[str, int],
) -> None:
    """All ways beside the first."""
    first, clock = next(iter(timings)), report.clock
    rows = []
    for name, (sentences, passes) in found.items():
        expected = found[first][0]
        agreement = mean(a == b for a, b in zip(expected, sentences, strict=True))
        median = timings[name].median(clock)
        share = report.share(timings[name], operations[name], "fp32")
        report.add(name, timings[name], passes=passes, agreement=agreement, matrix_share=share)
        rows.append(
            [
                name,
                f"{median:.2f}",
                timings[name].spread(clock),
                f"{timings[name].median('cpu'):.2f}",
                f"{timings[first].median(clock) / median:.2f}",
                f"{passes:.1f}" if passes else "",
                f"{agreement:.3f}",
                percent(timings[name].system_share),
                percent(share),
            ]
        )
    print_table(
        [
            "",
            "seconds",
            "range",
            "core-seconds",
            "times as fast",
            "passes",
            "agreement",
            "system",
            "of matrix rate",
        ],
        rows,
    )


class Decoder:
    """Greedy search and parallel decoding.

    Args:
        translator: whose pipeline and search settings are used.
        system: its system, or a copy.
    """

    def __init__(self, translator: BeamSearchTranslator, system: System) -> None:
        assert isinstance(system, EncoderDecoder), "parallel decoding needs another system"
        self.system, self.settings = system, translator.search
        self.special_tokens = translator.pipeline.special_tokens
        self.banned = sorted(
            translator.pipeline.target_vocabulary.special_ids
            - {self.special_tokens.target_begin, self.special_tokens.target_end}
        )

    def ways(self, limits: Sequence[int]) -> dict[str, Decode]:
        """All ways that are compared, the baseline first.

        Args:
            limits: numbers of passes that parallel decoding is limited to.
        """
        ways: dict[str, Decode] = {
            "greedy, batches": self.in_batches,
            "greedy, one by one": self.one_by_one,
            "parallel": self.in_parallel,
        }
        for passes in limits:
            ways[f"parallel, {passes} passes"] = partial(self.in_parallel, max_passes=passes)
        return ways

    def in_batches(self, instances: Sequence[Instance]) -> tuple[Sentences, float]:
        """Greedy search of instances of like length together."""
        sentences: dict[int, Sentences] = {}
        for group in batches_by_length(
            instances,
            self.settings,
            self.special_tokens,
            one_pass=self.system.writing_order.in_one_pass,
        ):
            decoded = self.greedy([instances[index] for index in group])
            sentences.update(zip(group, decoded, strict=True))
        return [s for index in range(len(instances)) for s in sentences[index]], 0

    def one_by_one(self, instances: Sequence[Instance]) -> tuple[Sentences, float]:
        """Greedy search of one instance after the other."""
        return [s for instance in instances for s in self.greedy([instance])[0]], 0

    def greedy(self, instances: Sequence[Instance]) -> list[Sentences]:
        """The sentences of each instance."""
        found = search(
            self.system,
            collate_source(instances, self.special_tokens),
            self.special_tokens,
            beam_size=1,
            max_lengths=self.limits(instances),
            banned=self.banned,
        )
        return [list(hypotheses[0].sentences) for hypotheses in found]

    def in_parallel(
        self, instances: Sequence[Instance], *, max_passes: int | None = None
    ) -> tuple[Sentences, float]:
        """Parallel decoding of one instance after the other."""
        settled: list[ParallelResult] = []
        for instance in instances:
            settled += search_in_parallel(
                self.system,
                collate_source([instance], self.special_tokens),
                self.special_tokens,
                max_lengths=self.limits([instance]),
                banned=self.banned,
                max_passes=max_passes,
            )
        sentences = [sentence for s in settled for sentence in s.hypothesis.sentences]
        return sentences, mean(s.passes for s in settled)

    def limits(self, instances: Sequence[Instance]) -> torch.Tensor:
        """The most tokens of each sentence's translation."""
        lengths = torch.tensor([len(s) for instance in instances for s in instance.source])
        settings = self.settings
        return (settings.max_length_factor * lengths + settings.max_length_offset).long()


if __name__ == "__main__":
    main()
