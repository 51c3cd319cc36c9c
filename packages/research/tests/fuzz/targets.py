"""What is fuzzed: every reader of foreign files, on mutations of real ones."""

from __future__ import annotations

import gzip
import lzma
import random
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from docmt_files import BlockSkeleton, Input, Skeleton
from docmt_files.base.documents import Document
from docmt_nmt import corpora, recipes
from docmt_nmt.corpora import Boundaries
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.evaluation import FileSettings, MetricSettings, evaluate_files
from docmt_nmt.text import Pipeline, TextSettings
from fuzz.bomb_targets import explode_compressed, explode_stored, swell_text
from fuzz.format_targets import FORMAT_TARGETS
from fuzz.glossary_targets import read_glossary, write_glossaries
from fuzz.harness import Target
from fuzz.long_targets import SENTENCES, fill_long, fill_long_sample, read_long_corpus
from fuzz.message_targets import fill_message
from fuzz.mutations import TOKENS, insert, mutate, mutate_file
from fuzz.package_bombs import explode_package, swell_part, write_packages
from fuzz.research_targets import (
    draw_log,
    open_sweep,
    read_damaged_suite,
    read_sweep_file,
    read_word_lists,
    report_damaged,
    write_logs,
    write_report,
    write_suites,
    write_sweep,
    write_sweep_files,
    write_word_lists,
)
from fuzz.run_targets import (
    import_checkpoint,
    import_marian_model,
    import_model,
    read_answers,
    read_run,
    write_answers,
    write_checkpoint,
    write_marian,
    write_models,
    write_run,
)
from fuzz.table_targets import fill_table, write_tables
from fuzz.unfinished_targets import (
    finish_folder,
    go_on,
    translate_any_folder,
    write_half_a_folder,
    write_unfinished,
)
from fuzz.written_targets import fill_hostile, write_bilingual_samples, write_view

BOUNDARIES: list[Boundaries] = ["markers", "blank", "docids", "sentences", "none"]

ALPHABET = [
    "a",
    "B",
    " ",
    "  ",
    ".",
    "…",
    "\u00a0",
    "\u2028",
    "\u0085",
    "\x1c",
    "ß",
    "中",
    "。",
    "<d>",
    "<s>",
    "@@",
    "▁",
    "&amp;",
    "\t",
    "\ufeff",
    "e\u0301",
    "😀",
    "\u202e",
    "\\n",
    '"',
]


# Corpora


def documents(draw: random.Random) -> list[Document]:
    """Documents of strange text."""

    def sentence() -> str:
        return "".join(draw.choices(ALPHABET, k=draw.randint(1, 12)))

    return [
        Document(f"d{number}", *zip(*[(sentence(), sentence()) for _ in range(count)], strict=True))
        for number, count in enumerate(draw.choices([1, 2, 5], k=draw.randint(1, 4)))
    ]


def round_trip(folder: Path, draw: random.Random) -> None:
    """What is written is read again as it was, unless it is refused."""
    written = documents(draw)
    suffix = draw.choice([".tsv", ".jsonl", ".parquet", "", ".gz", ".xz"])
    if suffix in (".tsv", ".jsonl", ".parquet"):
        corpora.write(written, folder / f"corpus{suffix}")
        assert list(corpora.read(folder / f"corpus{suffix}")) == written
        return
    files = folder / f"corpus.en{suffix}", folder / f"corpus.de{suffix}"
    boundaries = draw.choice(BOUNDARIES[:3])
    corpora.write(written, *files, boundaries=boundaries, docids=folder / "corpus.docids")
    read = corpora.read(*files, boundaries=boundaries, docids=folder / "corpus.docids")
    assert list(read) == written


def write_corpora(folder: Path) -> None:
    """A few real documents in every format."""
    found = list(corpora.read(corpus_file("dev.en.xz"), corpus_file("dev.de.xz")))[:4]
    kept = [Document(d.id, d.source[:6], (d.target or ())[:6]) for d in found]
    for suffix in (".tsv", ".jsonl", ".parquet"):
        corpora.write(kept, folder / f"both{suffix}")
    for boundaries in ("markers", "blank", "docids"):
        sides = folder / f"{boundaries}.en", folder / f"{boundaries}.de"
        corpora.write(kept, *sides, boundaries=boundaries, docids=folder / f"{boundaries}.docids")


def read_corpora(folder: Path, draw: random.Random) -> None:
    """Read a damaged corpus, plain or compressed."""
    kind = draw.choice([".tsv", ".jsonl", ".parquet", *BOUNDARIES])
    if kind.startswith("."):
        mutate_file(folder / f"both{kind}", draw)
        list(corpora.read(folder / f"both{kind}", allow_empty=draw.random() < 0.5))
        return
    name = kind if kind in ("markers", "blank", "docids") else "markers"
    damaged = folder / draw.choice([f"{name}.en", f"{name}.de", f"{name}.docids"])
    mutate_file(damaged, draw)
    files = [folder / f"{name}.en", folder / f"{name}.de"]
    pack = {".gz": gzip.compress, ".xz": lzma.compress}
    if (suffix := draw.choice(["", "", *pack])) and files[0].is_file():
        packed = folder / f"{name}.en{suffix}"
        data = pack[suffix](files[0].read_bytes())
        packed.write_bytes(mutate(data, draw) if draw.random() < 0.5 else data)
        files[0] = packed
    docids = folder / f"{name}.docids" if kind in ("markers", "docids") else None
    list(corpora.read(*files, boundaries=kind, docids=docids))


def write_published(folder: Path) -> None:
    """A few real documents in the formats in which corpora are published."""
    found = list(corpora.read(corpus_file("dev.en.xz"), corpus_file("dev.de.xz")))[:3]
    kept = [Document(d.id, d.source[:5], (d.target or ())[:5]) for d in found]
    corpora.write(kept, folder / "set.en.sgm", folder / "set.de.sgm")
    for number, side in enumerate(("en", "de")):
        talks = [
            f"<url>x</url>\n<talkid>{d.id}</talkid>\n"
            + "\n".join((d.source, d.target or ())[number])
            for d in kept
        ]
        (folder / f"train.tags.en-de.{side}").write_text("\n".join(talks), encoding="utf-8")
    pairs = [(d.id, *p) for d in kept for p in zip(d.source, d.target or (), strict=True)]
    units = [
        f'<tu><prop type="document">{i}</prop><tuv xml:lang="en"><seg>{escape(a)}</seg></tuv>'
        f'<tuv xml:lang="de"><seg>{escape(b)}</seg></tuv></tu>'
        for i, a, b in pairs
    ]
    text = f'<tmx version="1.4"><header srclang="en"/><body>{"".join(units)}</body></tmx>'
    (folder / "memory.tmx").write_text(text, encoding="utf-8")
    documents = [
        f'<doc id="{d.id}"><src><p>{_segments(d.source)}</p></src>'
        f"<ref><p>{_segments(d.target or ())}</p></ref></doc>"
        for d in kept
    ]
    (folder / "set.xml").write_text(f"<dataset>{''.join(documents)}</dataset>", encoding="utf-8")


def _segments(sentences: Sequence[str]) -> str:
    return "".join(f"<seg>{escape(sentence)}</seg>" for sentence in sentences)


def read_published(folder: Path, draw: random.Random) -> None:
    """Read damaged corpora as they are published."""
    name = draw.choice(["set.{}.sgm", "train.tags.en-de.{}", "memory.tmx", "set.xml"])
    mutate_file(folder / name.format(draw.choice(["en", "de"])), draw)
    allow_empty = draw.random() < 0.5
    if name == "memory.tmx":
        languages = draw.choice([(None, None), ("en", "de")])
        list(corpora.read(folder / name, allow_empty=allow_empty, languages=languages))
        return
    if name == "set.xml":
        list(corpora.read(folder / name, allow_empty=allow_empty))
        corpora.read_references(folder / name, allow_empty=allow_empty)
        return
    files = folder / name.format("en"), folder / name.format("de")
    list(corpora.read(*files, allow_empty=allow_empty))
    if name.endswith(".sgm"):
        corpora.read_references(files[1], files[0], allow_empty=allow_empty)


# Text formats


def write_texts(folder: Path) -> None:
    """Real text as running text and as sentences."""
    (document,) = list(corpora.read(corpus_file("dev.en.xz")))[:1]
    lines = [" ".join(document.source[i : i + 3]) for i in range(0, 30, 3)]
    (folder / "running.txt").write_text("\n\n".join(lines), encoding="utf-8")
    (folder / "segmented.txt").write_text("\n".join(document.source[:30]), encoding="utf-8")


def fill_texts(folder: Path, draw: random.Random) -> None:
    """A file filled with its own sentences has all its characters but some of its white space."""
    name = draw.choice(["running", "segmented"])
    file = folder / f"{name}.txt"
    mutate_file(file, draw)
    segmented = name == "segmented"
    boundaries = draw.choice([None, None, "blank", "none"]) if segmented else None
    form = Input(
        segmented=segmented, boundaries=boundaries, file_format=draw.choice([None, "text"])
    )
    found, skeleton = form.read(file, "en")
    assert isinstance(skeleton, Skeleton | BlockSkeleton)
    filled = skeleton.fill([Document(d.id, d.source, d.source) for d in found])
    if isinstance(skeleton, BlockSkeleton):
        assert filled.encode() == file.read_bytes()
    assert "".join(filled.split()) == "".join(file.read_text(encoding="utf-8").split())


# Recipes


def write_recipes(folder: Path) -> None:
    """A recipe of each form."""
    for name in ("demo-g-transformer-finetuned", "demo-stack", "talks-hm-gdc", "long-short"):
        (folder / f"{name}.yaml").write_text(recipes.show(recipes.load(name)), encoding="utf-8")


def read_recipe(folder: Path, draw: random.Random) -> None:
    """Read a damaged recipe, or a sound one with damaged overrides."""
    file = draw.choice(sorted(folder.iterdir()))
    if draw.random() < 0.7:
        mutate_file(file, draw)
        recipes.load(str(file))
        return
    key = draw.choice(
        ["description", "system.layers", "training.seed", "stages", "data.train", "x"]
    )
    value = draw.choice(["1", "[1]", "{a: b}", "text", "1e3", "null"])
    override = mutate(f"{key}={value}".encode(), draw).decode("utf-8", "surrogateescape")
    recipes.load(str(file), [override])


def extreme_values(folder: Path, draw: random.Random) -> None:
    """Every key with an extreme value."""
    file = draw.choice(sorted(folder.iterdir()))
    key = draw.choice(recipes.keys()).name
    value = draw.choice([*(t.decode("utf-8", "replace") for t in TOKENS), "-1", "1e30", "9" * 30])
    recipes.load(str(file), [f"{key}={value}"])


# Text pipelines

PIPELINES: dict[str, dict[str, Any]] = {
    "unigram": {"subword": "unigram", "vocabulary_size": 400, "quotes": "directional"},
    "bpe": {"subword": "bpe", "merges": 200, "tokenize": "moses", "case": "first-word"},
    "words": {
        "subword": "words",
        "vocabulary_size": 100,
        "case": "truecase",
        "tokenize": "moses",
        "normalize": "moses",
    },
}


def write_pipelines(folder: Path) -> None:
    """Text pipelines of several kinds, fitted on real text."""
    found = list(corpora.read(corpus_file("dev.en.xz"), corpus_file("dev.de.xz")))[:6]
    source = [sentence for document in found for sentence in document.source]
    target = [sentence for document in found for sentence in document.target or ()]
    for name, keys in PIPELINES.items():
        pipeline = Pipeline.fit(
            TextSettings.read(keys), lambda: source, lambda: target, languages=("en", "de")
        )
        pipeline.save(folder / name)


def read_pipeline(folder: Path, draw: random.Random) -> None:
    """Load a damaged pipeline, and encode strange text with a sound one."""
    chosen = folder / draw.choice(list(PIPELINES))
    damaged = draw.random() < 0.7
    if damaged:
        mutate_file(draw.choice(sorted(chosen.iterdir())), draw)
    pipeline = Pipeline.load(chosen)
    text = "".join(draw.choices(ALPHABET, k=draw.randint(1, 40)))
    text = insert(text.encode(), draw).decode("utf-8", "replace")
    ids = pipeline.encode_sentence(text)
    assert pipeline.decode_sentence(ids) is not None


def long_lines(folder: Path, draw: random.Random) -> None:
    """A step of text takes linear time on any line."""
    pipeline = Pipeline.load(folder / draw.choice(list(PIPELINES)))
    unit = draw.choice(["....", "……", "DOTDOT", "中。", "<", "&amp;", "a.", "'s ", "\u0301", "-- "])
    pipeline.encode_sentence(unit * (draw.choice([2_000, 10_000]) // len(unit)))


# Evaluation


def write_translations(folder: Path) -> None:
    """A reference, and translations of it."""
    target = [
        Document(d.id, (d.target or ())[:5])
        for d in list(corpora.read(corpus_file("dev.en.xz"), corpus_file("dev.de.xz")))[:3]
    ]
    for name in ("hypothesis", "reference", "baseline"):
        corpora.write(target, folder / name)
    corpora.write([Document(d.id, d.source, d.source) for d in target], folder / "both.jsonl")


def evaluate_damaged(folder: Path, draw: random.Random) -> None:
    """Score damaged files."""
    hypothesis = draw.choice(["hypothesis", "hypothesis", "both.jsonl"])
    mutate_file(folder / draw.choice([hypothesis, hypothesis, "reference"]), draw)
    evaluate_files(
        str(folder / hypothesis),
        [str(folder / "reference")],
        MetricSettings(metrics=["s-bleu"]),
        files=FileSettings(boundaries=draw.choice([None, "markers", "blank", "none"])),
    )


def nothing(folder: Path) -> None:
    """No files."""


_LONG = {"inputs": 8, "seconds": 240, "mebibytes": 4096}
_BOMB = {"inputs": 60}

TARGETS = [
    Target("corpora, written and read", nothing, round_trip, cost=8),
    Target("corpora, damaged", write_corpora, read_corpora, cost=3),
    Target("corpora, as published", write_published, read_published, cost=3),
    Target("text formats", write_texts, fill_texts, cost=2, is_format=True),
    *FORMAT_TARGETS,
    Target("columns of tables", write_tables, fill_table, cost=3, is_format=True),
    Target("messages with quotes and choices", nothing, fill_message, cost=3),
    Target("TMX and XLIFF, filled", write_bilingual_samples, fill_hostile, cost=12),
    Target("TMX and other views, written", nothing, write_view, cost=3),
    Target("glossaries", write_glossaries, read_glossary, cost=4, is_format=True),
    Target("recipes", write_recipes, read_recipe, cost=25),
    Target("recipe values", write_recipes, extreme_values, cost=40),
    Target("text pipelines", write_pipelines, read_pipeline, cost=17),
    Target("long lines", write_pipelines, long_lines, cost=28),
    Target("evaluation", write_translations, evaluate_damaged, cost=3),
    Target("contrastive suites", write_suites, read_damaged_suite, cost=3),
    Target("lists of words", write_word_lists, read_word_lists, cost=6),
    Target("training logs", write_logs, draw_log, cost=3),
    Target("runs", write_run, read_run, cost=40),
    Target("answers of language models", write_answers, read_answers, cost=3),
    Target("fairseq imports", write_checkpoint, import_checkpoint, cost=70),
    Target("Hugging Face imports", write_models, import_model, cost=40),
    Target("Marian imports", write_marian, import_marian_model, cost=20),
    Target("sweep files", write_sweep_files, read_sweep_file, cost=30),
    Target("sweep folders", write_sweep, open_sweep, cost=100),
    Target("reports", write_report, report_damaged, cost=130),
    Target("unfinished translations", write_unfinished, go_on, cost=150),
    Target("folders half translated", write_half_a_folder, finish_folder, cost=15),
    Target("folders of anything", nothing, translate_any_folder, cost=15),
    Target("bombs: parts of packages", write_packages, explode_package, cost=200, **_BOMB),
    Target("bombs: XML in packages", write_packages, swell_part, cost=800, **_BOMB),
    Target("bombs: text", nothing, swell_text, cost=800, inputs=120, seconds=60),
    Target("bombs: compressed text", nothing, explode_compressed, cost=900, seconds=30, **_BOMB),
    # Each in a process of its own, as pyarrow keeps the memory of others.
    Target("bombs: JSON, weights, tables", nothing, explode_stored, cost=60_000, **_BOMB),
    Target(f"documents of {SENTENCES:,} sentences", nothing, fill_long, cost=20_000, **_LONG),
    Target(f"corpora of {SENTENCES:,} sentences", nothing, read_long_corpus, cost=3_000, **_LONG),
    Target(
        "packages and XLIFF of 20,000 paragraphs", nothing, fill_long_sample, cost=20_000, **_LONG
    ),
]
