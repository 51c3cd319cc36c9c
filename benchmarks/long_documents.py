"""How time and memory of search grow with the document, which is translated whole.

    python benchmarks/long_documents.py [--tokens 512 1024 2048 4096] [--corpus SOURCE TARGET]

The corpus is read as one document; its first so many tokens are translated in one pass by a
G-Transformer with random weights of base size, every sentence to the length of its reference. The
exponent is the slope between the shortest and the longest document on logarithmic scales: 1 is
linear growth.
"""

from __future__ import annotations

import argparse
import math
from functools import partial
from itertools import accumulate
from pathlib import Path

import torch

from docmt.data import Instance
from docmt.decoding import search
from docmt.nn import in_precision, prepack_weights
from material import (
    Material,
    add_arguments,
    load,
    machine,
    only_by_length,
    packed,
    print_table,
    system_of,
    timed,
)

STATUS = Path("/proc/self/status")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    parser.add_argument("--tokens", type=int, nargs="+", default=[512, 1024, 2048, 4096])
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--precision", choices=["fp32", "bf16", "int8"], default="fp32")
    arguments = parser.parse_args()
    material = load(arguments.corpus, arguments.types)
    system = system_of("g-transformer", arguments.preset, material.types)
    system = prepack_weights(in_precision(system, arguments.precision))
    print(machine())
    print(f"beam {arguments.beam_size}, size {arguments.preset}, {arguments.precision}\n")
    rows, curve = [], []
    peak = Peak()
    # Ascending, for a peak is only ever seen to rise.
    for tokens in sorted(arguments.tokens):
        document = beginning(material, tokens)
        source, lengths = packed([document], material.special_tokens)
        work = partial(search, beam_size=arguments.beam_size, banned=only_by_length(material))
        wall, cores = timed(partial(work, system, source, material.special_tokens, longest=lengths))
        written = int(lengths.sum()) + 2 * len(lengths)
        curve.append((written, cores))
        rows.append(
            [
                str(len(source.tokens)), str(len(lengths)), str(written), f"{wall:.1f}",
                f"{1e3 * cores / written:.1f}", str(peak),
            ]
        )  # fmt: skip
    print_table(
        ["source tokens", "sentences", "tokens written", "seconds", "core-ms/token", "peak + MiB"],
        rows,
    )
    if len(curve) > 1:
        (least, fast), (most, slow) = curve[0], curve[-1]
        exponent = math.log(slow / fast) / math.log(most / least)
        print(f"\ntime grows with the tokens to the power {exponent:.2f}")


def beginning(material: Material, tokens: int) -> Instance:
    """The sentences of the corpus, as one document, up to so many source tokens."""
    sources = [s for document in material.encoded for s in document.source]
    targets = [s for document in material.encoded for s in document.target or ()]
    ends = accumulate(len(s) + 2 for s in sources)
    count = max(1, sum(end <= tokens for end in ends))
    return Instance("corpus", 0, sources[:count], targets[:count])


class Peak:
    """The most memory that searches take beyond what the process held before; Linux alone tells."""

    def __init__(self) -> None:
        self.known = STATUS.exists()
        if self.known:
            (STATUS.parent / "clear_refs").write_text("5")  # what was held before is forgotten
            self.before = memory("VmRSS")

    def __str__(self) -> str:
        return f"{memory('VmHWM') - self.before:.0f}" if self.known else "unknown"


def memory(key: str) -> float:
    """A figure of the process' memory, in MiB."""
    line = next(line for line in STATUS.read_text("utf-8").splitlines() if line.startswith(key))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    with torch.inference_mode():
        main()
