"""The study of a document language model: explore on development data, measure once on the test.

python document_lm.py explore WORK --run runs/pt-en --model MODEL.gguf --ctxpro DIR --ntrex DIR
python document_lm.py measure WORK …     # once
python document_lm.py report WORK        # tables, intervals and the criterion
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import sacrebleu
import suite
from docmt.ground.documents import Document
from docmt.language_models.text_probabilities import CausalTextModel
from docmt.runs.open_run import load
from docmt.translating.document_lm_runs import with_document_lm
from docmt.translating.document_lm_tuning import ScoredSentence, chosen_texts, score_contexts
from docmt.translators.document_lm import Candidate, DocumentLM, DocumentLMSettings
from docmt.translators.requests import Revision, TranslationRequest

LENGTHS = (2, 4)
WEIGHTS = [round(0.05 * number, 2) for number in range(25)]
N_BEST = 6


def explored(
    lm: DocumentLM, cases: list[suite.Case], path: Path, lengths: tuple[int, ...]
) -> list[dict]:
    """The candidates of the last sentences, with what the contexts say of them; kept in a file."""
    if path.exists():
        return json.loads(path.read_text("utf-8"))
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
    for owner, document in enumerate(known):
        one = scored.get((owner, len(document) - 1))
        own = Candidate(document.target[-1], translations[owner].log_probabilities[-1])
        in_best = {each.sentences[-1] for each in translations[owner].alternatives}
        candidates = [own] if one is None else one.candidates
        information = {k: [0.0] for k in lengths} if one is None else one.information
        found.append(
            {
                "context": document.target[:-1],
                "candidates": candidates,
                "n_best": [each.text in in_best for each in candidates],
                "information": information,
            }
        )
    path.write_text(json.dumps(found, ensure_ascii=False), "utf-8")
    return json.loads(path.read_text("utf-8"))


def chosen(one: dict, weight: float, length: int, *, table: bool = True) -> str:
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
    references = [text for each in documents for text in each.target]
    rows = []
    for length in LENGTHS:
        for weight in WEIGHTS[::2]:
            texts = chosen_texts(translations, scored, weight, length)
            bleu = sacrebleu.corpus_bleu(texts, [references]).score
            chrf = sacrebleu.corpus_chrf(texts, [references]).score
            rows.append((length, weight, round(bleu, 2), round(chrf, 2)))
    path.write_text(json.dumps(rows), "utf-8")
    print(*rows, sep="\n")


def _print_accuracy(cases: list[suite.Case], found: list[dict], lengths: tuple[int, ...]) -> None:
    alone = sum(case.is_right(one["candidates"][0][0]) for case, one in zip(cases, found))
    possible = sum(
        any(case.is_right(text) for text, _ in one["candidates"]) for case, one in zip(cases, found)
    )
    total = len(cases)
    print(f"alone {100 * alone / total:.1f}, possible {100 * possible / total:.1f}")
    for length in lengths:
        for table in (True, False):
            values = [
                sum(
                    case.is_right(chosen(one, weight, length, table=table))
                    for case, one in zip(cases, found)
                )
                for weight in WEIGHTS
            ]
            shown = (f"{w}: {100 * v / total:.1f}" for w, v in zip(WEIGHTS, values))
            print(f"  k={length} table={table}:", *list(shown)[::2])


def _document_lm(arguments: argparse.Namespace) -> DocumentLM:
    translator = load(arguments.run, device="cpu")
    model = CausalTextModel.load(str(arguments.model), device="cpu", precision="bf16")
    lm = with_document_lm(translator, model, DocumentLMSettings(n_best=N_BEST))
    assert isinstance(lm, DocumentLM)
    return lm


def _progress(done: int, total: int) -> None:
    if done % 50 == 0:
        print(f"{done} of {total}, {time.process_time():.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["explore"])
    parser.add_argument("work", type=Path)
    for name in ("run", "model", "ctxpro", "ntrex"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--part", choices=["cases", "control", "documents"])
    parser.add_argument("--cases", type=int, default=400)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    explore(arguments)


if __name__ == "__main__":
    main()
