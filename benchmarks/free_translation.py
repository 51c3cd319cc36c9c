"""A free translation by a language model in one table with the bundled model.

    python benchmarks/free_translation.py MODEL WORK [--pages 6]

MODEL is a decoder-only model that follows instructions: a GGUF file, a folder of transformers or a
name on the hub. It translates the shortest pages of the bundled test set of technical documentation
from English into German, each page as a whole: greedy search with a repetition penalty, as small
models repeat themselves without. The bundled model translates the same pages, once as documents
and once each sentence alone. WORK gets the texts (`source.en`, `reference.de`, `model.de`,
`bundled.de`, `alone.de`); translations that are there are kept. The table is that of

    docmt evaluate --realign --source source.en --reference reference.de --language de \\
        --system model=model.de --system bundled=bundled.de --system alone=alone.de \\
        --baseline bundled
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_nmt.corpora import read, write
from docmt_nmt.corpora.demo import corpus_file

REPETITION_PENALTY = 1.1
ASKED = "Translate this page from English into German. Answer with the translation only.\n\n"


def pages(number: int) -> list[Document]:
    """The shortest pages of the test set, the shortest first."""
    sides = (corpus_file("manuals.en.xz"), corpus_file("manuals.de.xz"))
    documents = read(*sides, docids=corpus_file("manuals.docids.xz"))
    return sorted(documents, key=len)[:number]


def translate_freely(model: str, documents: Sequence[Document]) -> list[Document]:
    """Each page as a language model translates it in one answer; every line is a sentence of it."""
    import torch

    from docmt_llm.in_process.pretrained_causal import load_causal

    causal, tokenizer, _ = load_causal(model, device="cpu")
    translated = []
    for document in documents:
        message = {"role": "user", "content": ASKED + "\n".join(document.source)}
        prompt = tokenizer.apply_chat_template(
            [message], add_generation_prompt=True, return_dict=True, return_tensors="pt"
        )
        length = prompt["input_ids"].shape[1]
        with torch.inference_mode():
            ids = causal.generate(
                **prompt, max_new_tokens=2 * length, repetition_penalty=REPETITION_PENALTY
            )
        answer = str(tokenizer.decode(ids[0, length:], skip_special_tokens=True))
        lines = tuple(line.strip() for line in answer.splitlines() if line.strip())
        print(f"{document.id}: {length} tokens, {ids.shape[1] - length} in the answer", flush=True)
        translated.append(Document(document.id, lines or ("",)))
    return translated


def translate_bundled(documents: Sequence[Document], *, alone: bool) -> list[Document]:
    """The bundled model's translation of pages, or of each sentence as a document of its own."""
    import docmt

    translator = docmt.load()
    asked = [Document(one.id, one.source) for one in documents]
    if alone:
        asked = [
            Document(f"{one.id} {number}", (sentence,))
            for one in asked
            for number, sentence in enumerate(one.source)
        ]
    found = [each.document.target or () for each in docmt.translate(translator, asked)]
    if alone:
        sentences = iter(target[0] for target in found)
        found = [tuple(next(sentences) for _ in one.source) for one in documents]
    return [Document(one.id, target) for one, target in zip(documents, found, strict=True)]


def main() -> None:
    """Translate what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", help="GGUF file, folder of transformers or name on the hub")
    parser.add_argument("work", type=Path, help="folder for the texts")
    parser.add_argument("--pages", type=int, default=6)
    arguments = parser.parse_args()
    work: Path = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    documents = pages(arguments.pages)
    write(documents, work / "source.en", work / "reference.de")
    ways: dict[str, Callable[[], list[Document]]] = {
        "model": lambda: translate_freely(arguments.model, documents),
        "bundled": lambda: translate_bundled(documents, alone=False),
        "alone": lambda: translate_bundled(documents, alone=True),
    }
    for name, translate in ways.items():
        if not (work / f"{name}.de").exists():
            write(translate(), work / f"{name}.de")
    from rich.console import Console

    from docmt.output.score_tables import print_systems
    from docmt_nmt.evaluation import FileSettings, MetricSettings, evaluate_system_files

    found = evaluate_system_files(
        {name: [str(work / f"{name}.de")] for name in ("model", "bundled", "alone")},
        [str(work / "reference.de")],
        MetricSettings(language="de"),
        baselines=["bundled"],
        files=FileSettings(source=str(work / "source.en"), realign=True),
    )
    print_systems(found, Console(width=120))


if __name__ == "__main__":
    main()
