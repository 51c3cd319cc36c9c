"""The study of a document language model: explore on development data, measure once on the test.

python document_lm.py explore WORK --run runs/pt-en --model MODEL.gguf --ctxpro DIR --ntrex DIR
python document_lm.py measure WORK …     # once
python document_lm.py report WORK        # tables, intervals and the criterion
python document_lm.py store WORK         # which cases are right, without text, into results/
python document_lm.py decisions WORK     # accuracies from the stored decisions alone
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import sacrebleu

import results
import suite
from docmt_files.base.documents import Document
from docmt_llm.document_language_model.document_lm import (
    DocumentLM,
    DocumentLMSettings,
    context_before,
)
from docmt_llm.document_language_model.document_lm_runs import document_lm_over
from docmt_llm.document_language_model.document_lm_tuning import (
    ScoredSentence,
    chosen_texts,
    score_contexts,
)
from docmt_llm.in_process.text_model import TextGroup, TextModel, TextProbabilities, TextProbability
from docmt_llm.in_process.text_probabilities import CausalTextModel
from docmt_nmt.base.translations import Candidate, Translation
from docmt_nmt.runs.open_run import load
from docmt_nmt.translators.requests import Revision, TranslationRequest

LENGTHS = (2, 4)
LENGTH, TOGETHER = 4, 32
WEIGHTS = [round(0.05 * number, 2) for number in range(25)]
N_BEST = 6
SETTINGS = ((0.1, True), (0.5, True), (0.5, False))
"""The weights of the tables, with and without the table of forms."""


class RememberingModel(TextModel):
    """Computes each group once."""

    def __init__(self, model: TextModel) -> None:
        self._model = model
        self._known: dict[TextGroup, list[TextProbability]] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._model.identity

    def log_probabilities(self, groups: Sequence[TextGroup]) -> TextProbabilities:
        new = [group for group in dict.fromkeys(groups) if group not in self._known]
        found = self._model.log_probabilities(new)
        self._known |= dict(zip(new, found.groups, strict=True))
        return TextProbabilities([self._known[group] for group in groups], found.tokens)


def explored(
    lm: DocumentLM, cases: list[suite.Case], path: Path, lengths: tuple[int, ...]
) -> list[dict[str, Any]]:
    """The candidates of the last sentences, with what the contexts say of them; kept in a file."""
    if path.exists():
        return _read(path)
    begin = time.process_time()
    documents = suite.documents_of(cases, max(lengths))
    request = TranslationRequest(documents, n_best=N_BEST)
    translations = lm.translator.translate(request)
    known = tuple(each.document for each in translations)
    last = frozenset((owner, len(each) - 1) for owner, each in enumerate(documents))
    wanted = replace(request, revision=Revision(known, last))
    translated = time.process_time()
    scored = score_contexts(lm, wanted, translations, lengths, progress=_progress)
    print(f"{path.name}: {translated - begin:.0f} s, {time.process_time() - translated:.0f} s")
    found = []
    for owner, target in enumerate(_targets(translations)):
        one = scored.get((owner, len(target) - 1))
        own = Candidate(target[-1], translations[owner].log_probabilities[-1])
        in_best = {each.sentences[-1] for each in translations[owner].alternatives}
        candidates = [own] if one is None else one.candidates
        information = {k: [0.0] for k in lengths} if one is None else one.information
        found.append(
            {
                "context": target[:-1],
                "candidates": candidates,
                "n_best": [each.text in in_best for each in candidates],
                "information": information,
            }
        )
    path.write_text(json.dumps(found, ensure_ascii=False), "utf-8")
    return _read(path)


def _read(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return rows


def _targets(translations: Sequence[Translation]) -> list[tuple[str, ...]]:
    return [each.document.target or () for each in translations]


def chosen(one: dict[str, Any], weight: float, length: int, *, table: bool = True) -> str:
    """The chosen text."""
    kept = [index for index, each in enumerate(one["n_best"]) if each or table]
    candidates = [Candidate(*one["candidates"][index]) for index in kept]
    values = [one["information"][str(length)][index] for index in kept]
    return ScoredSentence(candidates, {length: values}).chosen(weight, length).text


def explore(arguments: argparse.Namespace) -> None:
    """Score the candidates of a part of the development data, and print what each setting gives."""
    lm, path = _document_lm(arguments), arguments.work / f"explore-{arguments.part}.json"
    if arguments.part == "documents":
        _explore_documents(lm, suite.read_documents(arguments.ntrex, test=False), path)
        return
    cases, control = suite.read_cases(arguments.ctxpro, "dev")
    if arguments.part == "cases":
        cases = suite.sample(cases, arguments.cases)
        _print_accuracy(cases, explored(lm, cases, path, LENGTHS), LENGTHS)
        return
    control = suite.sample(control, min(arguments.cases, len(control)))
    found = explored(lm, control, path, LENGTHS)
    for length in LENGTHS:
        for table in (True, False):
            losses = []
            for weight in WEIGHTS[::2]:
                right = [
                    case.is_right(chosen(one, weight, length, table=table))
                    for case, one in zip(control, found, strict=True)
                    if case.is_right(one["candidates"][0][0])
                ]
                losses.append(f"{weight}: {100 - 100 * sum(right) / len(right):.1f}")
            print(f"control k={length} table={table} n={len(right)}: loss", *losses)


def _explore_documents(lm: DocumentLM, documents: list[Document], path: Path) -> None:
    """BLEU and chrF of whole documents by weight and context length."""
    request = TranslationRequest([Document(each.id, each.source) for each in documents])
    translations = lm.translator.translate(replace(request, n_best=N_BEST))
    scored = score_contexts(lm, request, translations, LENGTHS, progress=_progress)
    references = [text for each in documents for text in each.target or ()]
    rows = []
    for length in LENGTHS:
        for weight in WEIGHTS[::2]:
            texts = chosen_texts(translations, scored, weight, length)
            bleu = sacrebleu.corpus_bleu(texts, [references]).score
            chrf = sacrebleu.corpus_chrf(texts, [references]).score
            rows.append((length, weight, round(bleu, 2), round(chrf, 2)))
    path.write_text(json.dumps(rows), "utf-8")
    print(*rows, sep="\n")


def _print_accuracy(
    cases: list[suite.Case], found: list[dict[str, Any]], lengths: tuple[int, ...]
) -> None:
    pairs = list(zip(cases, found, strict=True))
    alone = sum(case.is_right(one["candidates"][0][0]) for case, one in pairs)
    possible = sum(any(case.is_right(text) for text, _ in one["candidates"]) for case, one in pairs)
    total = len(cases)
    print(f"alone {100 * alone / total:.1f}, possible {100 * possible / total:.1f}")
    for length in lengths:
        for table in (True, False):
            values = [
                sum(case.is_right(chosen(one, weight, length, table=table)) for case, one in pairs)
                for weight in WEIGHTS
            ]
            shown = (f"{w}: {100 * v / total:.1f}" for w, v in zip(WEIGHTS, values, strict=True))
            print(f"  k={length} table={table}:", *list(shown)[::2])


def measure(arguments: argparse.Namespace) -> None:
    """Score the candidates of a part of the test data, block after block, each kept in a file. The
    context is what the translator alone has translated."""
    lm, part = _document_lm(arguments), arguments.part
    cases: list[suite.Case] = []
    if part == "documents":
        documents, size = suite.read_documents(arguments.ntrex, test=True), 7
        documents = [Document(each.id, each.source) for each in documents]
    else:
        read = suite.read_cases(arguments.ctxpro, "devtest")
        cases, size = suite.shuffled(read[part == "control"]), 100
        documents = suite.documents_of(cases, LENGTH)
    for number, begin in enumerate(range(0, len(documents), size)):
        path = arguments.work / f"{part}-{number:02}.json"
        if path.exists() or not arguments.first <= number < arguments.end:
            continue
        films = [case.film for case in cases[begin : begin + size]] if part == "cases" else None
        found = _scored(lm, documents[begin : begin + size], films, whole=part == "documents")
        path.write_text(json.dumps(found, ensure_ascii=False), "utf-8")
        print(path.name, found["cost"], flush=True)


def _scored(
    lm: DocumentLM, documents: list[Document], films: list[str] | None, *, whole: bool
) -> dict[str, Any]:
    """The candidates of documents, or of their last sentences, with what the context says of them
    and, given films, what the context of another film says."""
    begin = time.process_time()
    request = TranslationRequest(documents, n_best=N_BEST)
    translations = lm.translator.translate(request)
    translated = time.process_time()
    targets = _targets(translations)
    if not whole:
        last = frozenset((owner, len(each) - 1) for owner, each in enumerate(documents))
        known = tuple(each.document for each in translations)
        request = replace(request, revision=Revision(known, last))
    choices = list(lm.candidates(request, translations).items())
    exchanged = time.process_time()
    order = suite.permutation(films) if films else []
    is_suspicious = lm.is_suspicious
    assert is_suspicious is not None
    rows, tokens = [], 0
    for first in range(0, len(choices), TOGETHER):
        part = choices[first : first + TOGETHER]
        groups = []
        for (owner, index), candidates in part:
            contexts = [(), context_before(targets[owner], index, LENGTH)]
            if films:
                other = targets[order[owner]]
                contexts.append(context_before(other, len(other) - 1, LENGTH))
            texts = tuple(each.text for each in candidates)
            groups += [TextGroup(context, texts) for context in contexts]
        found = lm.model.log_probabilities(groups)
        tokens += found.tokens
        size = len(groups) // len(part)
        for number, ((owner, index), candidates) in enumerate(part):
            best = {each.sentences[index] for each in translations[owner].alternatives}
            source = documents[owner].source[index]
            values = found.groups[number * size : (number + 1) * size]
            rows.append(
                {
                    "sentence": (owner, index),
                    "candidates": candidates,
                    "n_best": [each.text in best for each in candidates],
                    "fine": [not is_suspicious(source, *each) for each in candidates],
                    "information": [
                        [(a.log_probability - b.log_probability) / a.tokens for a, b in pairs]
                        for pairs in (zip(each, values[0], strict=True) for each in values[1:])
                    ],
                }
            )
    seconds = {
        "translated": round(translated - begin, 1),
        "exchanged": round(exchanged - translated, 1),
        "scored": round(time.process_time() - exchanged, 1),
        "tokens": tokens,
        "sentences": len(choices),
    }
    return {"targets": targets, "rows": rows, "cost": seconds}


def report(arguments: argparse.Namespace) -> None:
    """Print the results of all blocks there are, with one weight."""
    read = suite.read_cases(arguments.ctxpro, "devtest")
    cases, control = map(suite.shuffled, read)
    documents = suite.read_documents(arguments.ntrex, test=True)
    for part, size, items, show in (
        ("cases", 100, cases, results.report_cases),
        ("control", 100, control, results.report_control),
        ("documents", 7, documents, results.report_documents),
    ):
        for table in (True, False):
            of_blocks: list[Any] = []
            texts: dict[str, list[Any]] = {"alone": [], "in context": [], "shuffled": []}
            for path in sorted(arguments.work.glob(f"{part}-*.json")):
                begin = size * int(path.stem[-2:])
                block = json.loads(path.read_text("utf-8"))
                of_blocks += items[begin : begin + size]
                chosen_texts_of(block, texts, arguments.weight, table=table)
                if table:
                    print(path.name, block["cost"])
            if of_blocks:
                print(f"{part}, {'with' if table else 'without'} the table of forms")
                show(of_blocks, texts)


def store(arguments: argparse.Namespace) -> None:
    """Store which cases of all blocks are right, by setting, without any text."""
    cases, control = map(suite.shuffled, suite.read_cases(arguments.ctxpro, "devtest"))
    stored: dict[str, Any] = {}
    for part, items in (("cases", cases), ("control", control)):
        for weight, table in SETTINGS:
            of_blocks: list[suite.Case] = []
            texts: dict[str, list[Any]] = {"alone": [], "in context": [], "shuffled": []}
            for path in sorted(arguments.work.glob(f"{part}-*.json")):
                begin = 100 * int(path.stem[-2:])
                of_blocks += items[begin : begin + 100]
                block = json.loads(path.read_text("utf-8"))
                chosen_texts_of(block, texts, weight, table=table)
            if of_blocks:
                name = f"{part}, weight {weight}" + ("" if table else ", six best alone")
                stored[name] = results.decisions(of_blocks, texts)
    results.write_decisions(stored)


def show_decisions(_: argparse.Namespace) -> None:
    """Print the accuracies of the stored decisions."""
    results.report_decisions()


def chosen_texts_of(
    block: dict[str, Any], texts: dict[str, list[Any]], weight: float, *, table: bool
) -> None:
    """Add the targets of the documents of a block: of the translator alone, chosen in context and,
    where it is there, chosen in the context of another film."""
    chosen_ones = [[list(target) for target in block["targets"]] for _ in range(2)]
    for row in block["rows"]:
        owner, index = row["sentence"]
        for targets, values in zip(chosen_ones, row["information"], strict=False):
            scores = [
                each[1] + weight * value
                for each, value in zip(row["candidates"], values, strict=True)
            ]
            order = sorted(range(len(scores)), key=lambda number: -scores[number])
            kept = (n for n in order if table or row["n_best"][n])
            allowed = (n for n in kept if n == 0 or row["fine"][n])
            targets[owner][index] = row["candidates"][next(allowed)][0]
    texts["alone"] += block["targets"]
    texts["in context"] += chosen_ones[0]
    texts["shuffled"] += chosen_ones[1]


def _document_lm(arguments: argparse.Namespace, **settings: float) -> DocumentLM:
    translator = load(arguments.run, device="cpu")
    model = CausalTextModel.load(str(arguments.model), device="cpu", precision="bf16")
    chosen_settings = DocumentLMSettings.read({"n_best": N_BEST, **settings})
    return document_lm_over(translator, RememberingModel(model), chosen_settings)


def _progress(done: int, total: int) -> None:
    print(f"{done} of {total}, {time.process_time():.0f} s", flush=True)


COMMANDS = {
    "explore": explore,
    "measure": measure,
    "report": report,
    "store": store,
    "decisions": show_decisions,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("work", type=Path)
    for name in ("run", "model", "ctxpro", "ntrex"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--part", choices=["cases", "control", "documents"])
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--weight", type=float)
    parser.add_argument("--first", type=int, default=0, help="first block")
    parser.add_argument("--end", type=int, default=99, help="the block to end before")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    COMMANDS[arguments.command](arguments)


if __name__ == "__main__":
    main()
