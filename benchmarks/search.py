"""Words a second of search: documents and sentences, in every precision, beside other programs.

    python benchmarks/search.py [--documents 20] [--beam 5] [--corpus SOURCE TARGET]

The first 512 tokens of each document are translated with random weights of base size: whole, by a
G-Transformer, and sentence by sentence, by a Transformer and by the peers that are installed
(`pip install docmt[benchmark]`). Every sentence is written to the length of its reference, so all
do the same work. Words are those of the references.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Sequence
from functools import partial

import torch

from docmt.data import Instance
from docmt.decoding import groups, search
from docmt.nn import Precision, in_precision, prepack_weights
from docmt.recipes.search import SearchSettings
from docmt.systems import System
from material import (
    Material,
    add_arguments,
    first_pieces,
    load,
    machine,
    only_by_length,
    packed,
    print_table,
    system_of,
    timed,
)
from peers import CTranslate2, Generate, Sentence

PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16", "int8")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=512, help="tokens of each document")
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=1, help="the best of so many counts")
    arguments = parser.parse_args()
    material = load(arguments.corpus, arguments.types)
    pieces = first_pieces(material, arguments.documents, arguments.tokens)
    sentences = [
        Instance(piece.document, piece.first + i, [source], [target])
        for piece in pieces
        for i, (source, target) in enumerate(zip(piece.source, piece.target or (), strict=True))
    ]
    words = sum(
        len(sentence.split())
        for piece, document in zip(pieces, material.documents, strict=False)
        for sentence in (document.target or ())[: len(piece.source)]
    )
    print(machine("transformers", "ctranslate2"))
    print(f"{len(pieces)} documents, {len(sentences)} sentences, {words} words, ", end="")
    print(f"beam {arguments.beam_size}, size {arguments.preset}\n")
    contestants = [
        *ours("documents", "g-transformer", pieces, material, arguments),
        *ours("sentences", "transformer", sentences, material, arguments),
        *theirs(sentences, material, arguments),
    ]
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in contestants}
    for _ in range(arguments.repeats):
        for name, work in contestants:
            seconds[name].append(timed(work))
    print_speeds({name: min(times) for name, times in seconds.items()}, words)


Work = tuple[str, Callable[[], object]]


def ours(
    unit: str,
    name: str,
    instances: Sequence[Instance],
    material: Material,
    arguments: argparse.Namespace,
) -> list[Work]:
    """docmt in every precision."""
    return [
        (
            f"docmt {unit} {precision}",
            partial(
                translate,
                prepack_weights(
                    in_precision(system_of(name, arguments.preset, material.types), precision)
                ),
                instances,
                material,
                arguments.beam_size,
            ),
        )
        for precision in PRECISIONS
    ]


def translate(
    system: System, instances: Sequence[Instance], material: Material, beam_size: int
) -> None:
    """Search all instances, those of like length together."""
    for group in groups(instances, SearchSettings(beam_size=beam_size)):
        source, lengths = packed([instances[number] for number in group], material.special_tokens)
        search(
            system, source, material.special_tokens,
            beam_size=beam_size, longest=lengths, banned=only_by_length(material),
        )  # fmt: skip


def theirs(
    sentences: Sequence[Instance], material: Material, arguments: argparse.Namespace
) -> list[Work]:
    """The peers that are installed."""
    given: list[Sentence] = [
        (instance.source[0], len((instance.target or [[]])[0]) + 1) for instance in sentences
    ]
    found: list[Work] = []
    if importlib.util.find_spec("transformers"):
        generate = Generate(arguments.preset, material.types, material.special_tokens.target_end)
        found.append(("transformers fp32", partial(generate.translate, given, arguments.beam_size)))
    if importlib.util.find_spec("ctranslate2"):
        for precision in ("fp32", "int8"):
            translator = CTranslate2(arguments.preset, material.types, precision)
            work = partial(translator.translate, given, arguments.beam_size)
            found.append((f"ctranslate2 {precision}", work))
    if not found:
        print("no peer is installed: pip install docmt[benchmark]\n")
    return found


def print_speeds(seconds: dict[str, tuple[float, float]], words: int) -> None:
    """Words a second, and ratios to the peer of equal precision where there is one."""
    rows = []
    for name, (wall, cores) in seconds.items():
        precision = name.split()[-1]
        peers = [f"transformers {precision}", f"ctranslate2 {precision}"]
        ratios = [f"{seconds[peer][0] / wall:.2f}" if peer in seconds else "" for peer in peers]
        rows.append([name, f"{words / wall:.0f}", f"{words / cores:.0f}", *ratios])
    print_table(
        ["", "words/s", "words/core-s", "times transformers", "times CTranslate2"],
        rows,
    )


if __name__ == "__main__":
    with torch.inference_mode():
        main()
