"""What is measured of a run: contrastive accuracy with its controls, bits per sentence, BLEU and
chrF, and pronouns in free output. Numbers alone are kept, no text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_nmt import corpora
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.translators import translate
from docmt_research.analysis import contrast
from docmt_research.analysis.contrastive_suites import ContrastiveCase, Suite, read_suite
from docmt_research.analysis.sentence_probabilities import sentence_log_probabilities
from docmt_research.discourse import DiscourseOptions, evaluate_discourse
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from docmt_research.suites import PronounTable, SuiteSettings, make_suite, read_table, write_suite
from docmt_research.suites.dropped_pronouns import source_pronouns
from docmt_research.suites.exchange import pronouns_of, split_words

LANGUAGES = ("zh", "en")
SUITES = {
    "dropped": SuiteSettings(context=12, most=500),
    "overt": SuiteSettings(context=12, most=200, overt=True),
}
"""The suites that are made of the episodes of the held-out series."""


def make_suites(data: Path, split: str) -> None:
    """Make the suites of `valid` or `test`."""
    documents = _read(data, f"{split}-suite")
    for name, settings in SUITES.items():
        write_suite(
            make_suite(documents, read_table(LANGUAGES), settings), _suite(data, split, name)
        )


def _suite(data: Path, split: str, name: str) -> Path:
    return data / f"{split}-{name}.jsonl"


def _read(data: Path, split: str) -> list[Document]:
    return list(corpora.read(data / f"{split}.zh", data / f"{split}.en"))


def measure(
    run: Path, data: Path, split: str, *, only_suites: bool = False, source: Path | None = None
) -> dict[str, Any]:
    """The measures of a run on a split, kept beside it.

    Args:
        run: the directory of the run.
        data: the folder of the corpus.
        split: `valid` or `test`.
        only_suites: leave out translating.
        source: a checkout of TVsub, for its official test set.
    """
    path = run.with_name(f"{run.name}.{split}.json")
    found: dict[str, Any] = read_json(path) if path.exists() else {}
    forced_decoder = SystemForcedDecoder.load(run)
    for name in SUITES:
        if name not in found:
            suite = read_suite(_suite(data, split, name))
            found[name] = contrastive(forced_decoder, suite)
            write_text(path, json.dumps(found) + "\n")
    if only_suites or "scores" in found:
        return found
    documents = _read(data, split)
    found["bits"] = bits(forced_decoder, documents)
    translation = run.with_name(f"{run.name}.{split}.en.jsonl")
    sources = [replace(document, target=None) for document in documents]
    translated = [one.document for one in translate(_translator(run), sources)]
    corpora.write(translated, translation)
    metrics = MetricSettings(metrics=("s-bleu", "d-bleu", "s-chrf"), language="en")
    scores = evaluate(translated, documents, metrics)
    found["free"] = free_pronouns(documents, translated, read_table(LANGUAGES))
    reference = data / f"{split}.jsonl"
    corpora.write(documents, reference)
    options = DiscourseOptions(languages=LANGUAGES, metrics=("apt",))
    apt = evaluate_discourse(str(translation), [str(reference)], options=options)
    found["apt"] = apt.systems[0].scores[0].score
    if source is not None:
        found["official"] = official(run, source)
    found["scores"] = {score.name: score.to_dict() for score in scores}
    write_text(path, json.dumps(found) + "\n")
    return dict(read_json(path))


def _translator(run: Path) -> BeamSearchTranslator:
    return BeamSearchTranslator.load(run, precision="bf16")


def official(run: Path, source: Path) -> dict[str, Any]:
    """BLEU and chrF on the official test set of TVsub with its three references, which are
    lower-cased and tokenized: detokenized here, and compared without case.

    Args:
        run: the directory of the run.
        source: a checkout of TVsub.
    """
    data = source / "data"
    references = [
        [_detokenized(document) for document in reference]
        for reference in corpora.read_references(data / "processed/test/test_trg.sgm")
    ]
    lines = (data / "orignal/test/test.orignal.zh").read_text("utf-8").splitlines()
    documents, first = [], 0
    for reference in references[0]:
        end = first + len(reference)
        documents.append(Document(reference.id, tuple(line.strip() for line in lines[first:end])))
        first = end
    translated = [one.document for one in translate(_translator(run), documents)]
    metrics = MetricSettings(metrics=("s-bleu", "s-chrf"), language="en", lowercase=True)
    return {score.name: score.to_dict() for score in evaluate(translated, references, metrics)}


def _detokenized(document: Document) -> Document:
    """A reference, whose file has one side, with its English detokenized."""
    from sacremoses import MosesDetokenizer  # importing it is slow

    detokenizer = MosesDetokenizer(lang="en")
    plain = tuple(detokenizer.detokenize(sentence.split()) for sentence in document.source)
    return replace(document, target=plain)


def contrastive(forced_decoder: SystemForcedDecoder, suite: Suite) -> list[dict[str, Any]]:
    """For each case its episode, pair and distance, and whether it was decided right in its
    context, without any, and in that of another case."""
    result = contrast(forced_decoder, suite)
    conditions = (result.decisions, *result.controls)
    return [
        {
            "episode": episode_of(case),
            "pair": case.phenomenon,
            "distance": case.distance,
            "sentences_before": len(case.context),
            **{one.name: one.right[index] for one in conditions},
        }
        for index, case in enumerate(suite.cases)
    ]


def episode_of(case: ContrastiveCase) -> str:
    """The episode that a case is from."""
    return case.id.split(":")[0]


def bits(forced_decoder: SystemForcedDecoder, documents: Sequence[Document]) -> list[list[float]]:
    """The bits of each reference sentence of each episode, as the system translates."""
    found: dict[str, list[float]] = {document.id: [] for document in documents}
    for one in sentence_log_probabilities(forced_decoder, documents):
        if one.probability is not None:
            found[one.document].append(-one.probability.log_probability / log(2))
    return list(found.values())


def free_pronouns(
    references: Sequence[Document], translated: Sequence[Document], table: PronounTable
) -> list[list[bool]]:
    """For each episode, whether each sentence whose source has no pronoun, and whose reference has
    pronouns of one person only, is translated with pronouns of that person and no other."""
    found = []
    for document, translation in zip(references, translated, strict=True):
        rows = zip(document.source, document.target or (), translation.target or (), strict=True)
        right = []
        for source, reference, own in rows:
            expected = set(pronouns_of(split_words(reference, table), table))
            if len(expected) == 1 and not source_pronouns(source, table):
                right.append(set(pronouns_of(split_words(own, table), table)) == expected)
        found.append(right)
    return found
