"""Translation with consistent terms (`--consistent`), compared with translation as ever, on a
trained run: how consistent words are translated, how good the translation is, and what it costs.

    python benchmarks/consistent.py RUN [--max-loss 0 0.25 inf] [--corpus SOURCE TARGET]

Consistency is measured as `docmt discourse` does, with its statistical aligner, which learns from
the bundled training split as well, and not with the attention by which terms are found: over all
words that a document repeats, and over the terms that were found. `--max-loss` is how much less the
mean log-probability per token of a sentence may be after a change; with inf every sentence is
changed that can be.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from corpus import add_corpus_argument, bundled, read_documents
from docmt.alignment.statistical import align_words
from docmt.translating.consistent_terms import ConsistentTerms
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import Translation
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.translators import translate as translate_documents
from docmt_nmt.translators.lost_words import LostWords
from docmt_research.discourse import Text, lexical_consistency
from docmt_research.discourse.terms import Term
from measuring import Report, Timings, add_arguments, print_table, take_turns


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser, repeats=1)
    add_corpus_argument(parser, "test")
    parser.add_argument("run", type=Path)
    parser.add_argument("--max-loss", type=float, nargs="*", default=[ConsistentTerms.max_loss])
    parser.add_argument("--documents", type=int, help="only so many, the longest")
    parser.add_argument("--beam-size", type=int)
    parser.add_argument("--learn-from", type=int, default=5000, help="sentences for the aligner")
    arguments = parser.parse_args()
    report = Report(arguments)
    translator = BeamSearchTranslator.load(
        arguments.run, device="cpu", beam_size=arguments.beam_size
    )
    documents = sorted(read_documents(arguments.corpus), key=len)[-(arguments.documents or 0) :]
    sources = [Document(d.id, d.source) for d in documents]
    found: dict[str, list[Translation]] = {}

    def translate(name: str, max_loss: float | None) -> None:
        if max_loss is None:
            found[name] = translate_documents(translator, sources)
        else:
            repairs = (LostWords(), ConsistentTerms(max_loss))
            found[name] = translate_documents(translator, sources, repairs)

    losses = {f"consistent, {loss:g}": loss for loss in arguments.max_loss}
    contestants = {
        name: partial(translate, name, loss) for name, loss in {"as ever": None, **losses}.items()
    }
    timings = take_turns(contestants, arguments.repeats, warm_up=False)
    last = found[list(found)[-1]]
    terms = sorted({term.source.lower() for translation in last for term in translation.terms})
    print(
        f"{len(documents)} documents, {sum(map(len, documents))} sentences, {len(terms)} terms "
        f"with several translations, beam {translator.search.beam_size}\n"
    )
    measure = Measure(documents, translator.pipeline.languages, terms, arguments.learn_from)
    print_results(report, timings, found, measure)
    report.finish()


class Measure:
    """Scores translations.

    Args:
        documents: with references.
        languages: codes of source and target.
        terms: the terms that were found, in lower case.
        learn_from: how many sentences of the bundled training split the aligner learns from.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        languages: tuple[str, ...],
        terms: Sequence[str],
        learn_from: int,
    ) -> None:
        self.documents = documents
        self._languages = languages[0], languages[1]
        self._terms = [Term(tuple(term.split())) for term in terms]
        more = read_documents(bundled("train"))
        pairs = [(s, t) for d in more for s, t in zip(d.source, d.target or (), strict=True)]
        self._more = [(_lowered(s.split()), _lowered(t.split())) for s, t in pairs[:learn_from]]

    def __call__(self, translations: Sequence[Translation]) -> dict[str, float]:
        """The figures of translations."""
        hypotheses = [translation.document for translation in translations]
        names = ["d-bleu", "s-bleu", "s-chrf"]
        scores = evaluate(hypotheses, self.documents, MetricSettings(metrics=names))
        figures = {name: one.score for name, one in zip(names, scores, strict=True)}
        text = Text.of(self.documents, hypotheses, None, languages=self._languages)
        pairs = [(_lowered(s.source), _lowered(s.hypothesis)) for s in text.sentences]
        alignment = align_words(pairs, self._more)
        for name, terms in (("all", None), ("terms", self._terms)):
            keys: dict[str, Any] = {} if terms is None else {"terms": terms}
            try:
                ltcr, most = lexical_consistency(text, alignment, **keys)
            except InputError:  # no term was found
                figures[f"LTCR, {name}"] = figures[f"most frequent, {name}"] = 0.0
            else:
                figures[f"LTCR, {name}"] = ltcr.score
                figures[f"most frequent, {name}"] = most.score
        return figures


def _lowered(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]


def print_results(
    report: Report,
    timings: dict[str, Timings],
    found: dict[str, list[Translation]],
    measure: Measure,
) -> None:
    """All translations side by side."""
    rows: list[list[str]] = []
    figures: dict[str, float] = {}
    first = next(iter(timings.values())).median(report.clock)
    for name, translations in found.items():
        figures = measure(translations)
        changed = sum(
            len({index for term in translation.terms for index in term.changed})
            for translation in translations
        )
        ratio = timings[name].median(report.clock) / first
        report.add(name, timings[name], ratio=ratio, changed=changed, **figures)
        rows.append([name, str(changed), *(f"{v:.2f}" for v in figures.values()), f"{ratio:.2f}"])
    print_table(["", "changed", *figures, "times as long"], rows)


if __name__ == "__main__":
    main()
