"""Memory of preparing a corpus and of reading it for training, by the size of the corpus.

    python benchmarks/prepared_memory.py [--times 1 8] [--documents N]

The corpus is the training split of the bundled one, so many times. Each row is a process for
`docmt prepare` and one that makes the dataset of a training on instances of 512 tokens from what
was prepared. Learning the vocabulary takes memory for each sentence, of two million at most; so the
table has the most memory before and after it. Memory of a dataset is what the process cannot give
back (`RssAnon`): mapped files are not in it.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from docmt_nmt import recipes
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data import preparation
from firefox_engines import peak_memory
from latency import in_process

RECIPE = "demo-g-transformer"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--documents", type=int, help="documents of the corpus; default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        what, folder = arguments.part
        json.dump({"prepare": prepare, "dataset": dataset}[what](Path(folder)), sys.stdout)
        return
    from measuring import machine, print_table

    print(machine("pyarrow", "sentencepiece"))
    figures, rows = {}, []
    for times in arguments.times:
        with TemporaryDirectory() as folder:
            pairs = write_corpus(Path(folder), times, arguments.documents)
            found = {"pairs": pairs}
            for what in ("prepare", "dataset"):
                found |= in_process([__file__, "--part", what, folder])
        figures[str(times)] = found
        keys = ("start", "vocabulary", "prepared", "dataset")
        rows.append([f"{pairs:,}", *(f"{found[key] / 1e6:.0f}" for key in keys)])
    heads = ["before", "with the vocabulary learned", "at the end", "dataset"]
    print_table(["pairs", *(f"{head}, MB" for head in heads)], rows)
    if arguments.json:
        arguments.json.write_text(json.dumps({"figures": figures}, indent=1), "utf-8")


def write_corpus(folder: Path, times: int, documents: int | None) -> int:
    """Write the corpus, so many times; the number of sentence pairs."""
    pairs = 0
    for language in ("en", "de"):
        text = lzma.decompress(corpus_file(f"train.{language}.xz").read_bytes()).decode()
        kept = "".join("<d>\n" + part for part in text.split("<d>\n")[1:][:documents])
        (folder / f"train.{language}").write_text(kept * times, "utf-8")
        pairs = times * sum(line != "<d>" for line in kept.splitlines())
    return pairs


def prepare(folder: Path) -> dict[str, Any]:
    """The most memory of preparing until there is a vocabulary, and until the end."""
    train = [f"data.train.{name}={folder / 'train'}.{code}" for name, code in SIDES.items()]
    recipe = recipes.load(RECIPE, [*train, "data.train.docids=null"])
    found, fit = {"start": peak_memory()}, preparation._fit

    def measured(*arguments: Any) -> Any:
        pipeline = fit(*arguments)
        found["vocabulary"] = peak_memory()
        return pipeline

    with patch.object(preparation, "_fit", measured):
        preparation.prepare(recipe, folder / "prepared")
    return {**found, "prepared": peak_memory()}


SIDES = {"source": "en", "target": "de"}


def dataset(folder: Path) -> dict[str, Any]:
    """The memory that the dataset of a training takes."""
    from docmt_nmt.base.special_tokens import SpecialTokens
    from docmt_nmt.data import InstanceSettings
    from docmt_nmt.data.dataset import InstanceDataset
    from docmt_nmt.data.split import Split

    before = private_memory()
    special = SpecialTokens((0,), (2,), 0, 2)
    found = InstanceDataset(
        Split(folder / "prepared" / "train.parquet"), InstanceSettings(), special
    )
    return {"dataset": private_memory() - before, "instances": len(found)}


def private_memory() -> int:
    """The memory of this process that is in no file, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    main()
