"""What each memory of a language model takes in requests and tokens, on a real document.

    python benchmarks/memories.py MODEL WORK [--sentences 6]

MODEL is a decoder-only model that follows instructions: a GGUF file, a folder of transformers or a
name on the hub. It translates the first sentences of the shortest page of the bundled test set of
technical documentation by the recipe `language-model-delta`, with one memory left out at a time and
with none, and by `language-model-chat`. As the document is short, so are the memories: a summary
each three sentences, one sentence just before, and one of the last six. Each way is a run in WORK,
whose answers are kept: a repeated command asks for the others only.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from docmt.interop import import_huggingface
from docmt_files.base.documents import Document
from docmt_nmt.corpora import read
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.runs.open_run import load

SIZES = {
    "names": [],
    "summary": ["context.summary_sentences=3"],
    "long-term memory": ["context.recalled_sentences=1", "context.recall_window=6"],
    "short-term memory": ["context.sentences_before=1"],
}
WITHOUT = {
    "names": "context.names=false",
    "summary": "context.summary=off",
    "long-term memory": "context.recalled_sentences=0",
    "short-term memory": "context.sentences_before=0",
}
COLUMNS = ("requests", "prompt tokens", "answer tokens", "left", "marked", "s-chrF")


def ways() -> dict[str, tuple[str, list[str]]]:
    """The recipe and the keys of each way, by name."""
    every = [key for keys in SIZES.values() for key in keys]
    found = {"all memories": ("language-model-delta", every)}
    for name, left_out in WITHOUT.items():
        kept = [key for key in every if key not in SIZES[name]]
        found[f"without {name}"] = ("language-model-delta", [*kept, left_out])
    found["recalled by words"] = ("language-model-delta", [*every, "context.recall_by=words"])
    found["none"] = ("language-model-delta", list(WITHOUT.values()))
    found["chat"] = ("language-model-chat", [])
    return found


def translated(model: str, folder: Path, recipe: str, keys: list[str], document: Document) -> str:
    """The cells of a row of the table: a translation by the run in a folder, made if need be."""
    if not folder.exists():
        import_huggingface(
            model,
            folder,
            recipe=recipe,
            overrides=["request.max_tokens_factor=3", *keys],
            languages=("en", "de"),
        )
    (translation,) = load(folder).translate([Document(document.id, document.source)])
    answers = [json.loads(line) for line in (folder / "answers.jsonl").open(encoding="utf-8")]
    usage = [tokens for *_, tokens in answers]
    kinds = [warning.kind for warning in translation.warnings]
    (score,) = evaluate([translation.document], [document], MetricSettings(metrics=["s-chrf"]))
    cells = (
        len(answers),
        sum(prompt for prompt, _, _ in usage),
        sum(answer for _, _, answer in usage),
        kinds.count("not-translated"),
        len({warning.sentence for warning in translation.warnings}),
    )
    return " | ".join([*(f"{cell:,}" for cell in cells), f"{score.score:.1f}"])


def main() -> None:
    """Translate in every way, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", help="GGUF file, folder of transformers or name on the hub")
    parser.add_argument("work", type=Path, help="folder for the runs")
    parser.add_argument("--sentences", type=int, default=6)
    arguments = parser.parse_args()
    pages = read(corpus_file("manuals.en.xz"), corpus_file("manuals.de.xz"))
    page = min(pages, key=len)
    kept = slice(arguments.sentences)
    document = Document(page.id, page.source[kept], (page.target or ())[kept])
    print(f"| memories | {' | '.join(COLUMNS)} |", flush=True)
    print(f"| --- |{' ---: |' * len(COLUMNS)}", flush=True)
    for name, (recipe, keys) in ways().items():
        folder = arguments.work / name.replace(" ", "-")
        cells = translated(arguments.model, folder, recipe, keys, document)
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
