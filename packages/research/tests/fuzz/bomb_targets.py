"""Bombs made on purpose: small files that become huge, or that take more than linear time."""

from __future__ import annotations

import gzip
import json
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from docmt import glossaries
from docmt.interop import import_huggingface
from docmt_files import Input
from docmt_files.storage.json_files import read_json
from docmt_nmt import corpora, recipes
from docmt_nmt.evaluation import MetricSettings, evaluate_files
from docmt_nmt.runs.weights import read_weights
from docmt_research.analysis.contrastive_suites import read_suite
from fuzz.package_bombs import read_and_fill

# Text

UNITS = {
    ".md": [
        *("*", "_", "[", "](", "![", "`", "``a", "> ", "- ", "<b>", "<!--", "|", "\\", "&amp;"),
        *("[a](", "[a][b]", "**a ", "~", "$", "1. ", "#", "    ", "\t", "[^1]", "{", "a\n", "***a"),
        *("<a ", "|a", "\n|-", "](<", "[a]: b\n", "![a][", "http://a.b/", "&", "<a href='", "a**"),
    ],
    ".html": [
        *("<b>", "<p>", "<table>", "<tr>", "</b>", "<a href='", "&", "&lt;", "<!--", "<script>"),
        *("<div ", "a='b' ", "<br>", "<svg>", "<select>", "<template>", "<![CDATA[", "<textarea>"),
        *("<i>x</b>", "<pre>\n", "<p>x. ", "<td>", "<li>", "<ruby>", "-->", "<", "="),
    ],
    ".json": ["[", '{"a":', '"a",', "9", "\\u0000", '"', '{"a":"b c"},', "e9", ",", "-", "\\ud800"],
    ".po": [
        *('msgid "a b"\n', '"a b"\n', 'msgstr[9] "a"\n', "#, fuzzy\n", "\\n", "#~ ", "%s ", "("),
        *('msgid_plural "x"\n', "nplurals=9", "n?", '\\"', 'msgctxt "a"\n', "#| "),
    ],
    ".srt": [
        "1\n00:00:01,000 --> 00:00:02,000\nx y\n\n",
        "<i>",
        "{\\an8}",
        "- a\n",
        "9",
        "-->",
        ":",
    ],
    ".vtt": ["00:01.000 --> 00:02.000\nx y\n\n", "<c.a>", "&lt;", "NOTE\n", "<v ", "<00:01.000>"],
    ".properties": ["\\\n", "a=b c\n", "\\u0041", "'", "{", "{0,choice,", "=", "!", "'{", "\\"],
    ".strings": ['"a b" = "c d";\n', "/*", "\\", '"', "//", "\\U0041", "%@", "=", ";"],
    ".xml": [
        "<string name='a'>b c</string>",
        "<plurals>",
        "\\'",
        "<item>",
        "%1$s",
        "&lt;",
        '"',
        "<a>",
    ],
    ".xlf": ["<trans-unit id='1'><source>a b</source></trans-unit>", "<g id='1'>", "<x id='1'/>"],
    ".tmx": ["<tu><tuv xml:lang='en'><seg>a b</seg></tuv></tu>", "<hi>", "<ph/>", "<bpt i='1'/>"],
    ".txt": [
        "a. ",
        "A.B",
        "a\n\n",
        "…",
        "(",
        '"',
        "\u0301",
        "中",
        ". . ",
        "a@b.c ",
        "1,",
        "\u200d",
    ],
    ".csv": ["a,", '"', '""', "a b\n", ";", '",\n', "\r"],
}
WRAPPED = {
    ".po": ('msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n!=1;\\n"\n\n', ""),
    ".srt": ("1\n00:00:01,000 --> 00:00:02,000\nx y ", "\n"),
    ".vtt": ("WEBVTT\n\n00:01.000 --> 00:02.000\nx y ", "\n"),
    ".properties": ("a=b c ", "\n"),
    ".strings": ('"a" = "b c ', '";\n'),
    ".json": ('{"a": "b c', '"}'),
    ".xml": ("<resources><string name='a'>b c ", "</string></resources>"),
    ".xlf": (
        '<xliff version="1.2"><file source-language="en" target-language="de"><body>'
        '<trans-unit id="1"><source>a b ',
        "</source></trans-unit></body></file></xliff>",
    ),
    ".tmx": (
        '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a b ',
        "</seg></tuv></tu></body></tmx>",
    ),
    ".csv": ("id,text\n1,a b ", "\n"),
}


def swell_text(folder: Path, draw: random.Random) -> None:
    """Read a text in which something, or two things in turn, are repeated many thousand times."""
    suffix = draw.choice(list(UNITS))
    units = draw.choices(UNITS[suffix], k=draw.choice([1, 1, 2]))
    times = draw.choice([1_000, 10_000, 50_000])
    middle = "".join(units) * times if draw.random() < 0.6 else "".join(u * times for u in units)
    before, after = WRAPPED.get(suffix, ("", "")) if draw.random() < 0.8 else ("", "")
    path = folder / f"in{suffix}"
    path.write_text(f"{before}{middle}{after}", encoding="utf-8")
    if suffix == ".csv":
        from docmt_files import Columns

        form = Input(columns=Columns((draw.choice(["text", "2"]),)))
    else:
        form = Input(file_format="tmx" if suffix == ".tmx" else None)  # else it is a corpus
    documents, skeleton = form.read(str(path), "en", "de")
    skeleton.fill_and_report([document.translated(document.source) for document in documents])
    if draw.random() < 0.3:
        changed = [d.translated([s.upper() for s in d.source]) for d in documents]
        skeleton.fill_and_report(changed)


# Compressed text, JSON, tables and weights


def _suite(path: Path) -> None:
    read_suite(path)


def _corpus(path: Path) -> None:
    sum(len(document) for document in corpora.read(path, allow_empty=True))


def _sentences(path: Path) -> None:
    sum(len(d) for d in corpora.read(path, boundaries="none", allow_empty=True))


def _glossary(path: Path) -> None:
    glossaries.read(path, ("en", "de"))


def _evaluation(path: Path) -> None:
    reference = path.with_name("reference")
    reference.write_text("<d>\na\n")
    settings = MetricSettings(metrics=["s-bleu"])
    evaluate_files(str(path), [str(reference)], settings)


COMPRESSED: list[tuple[str, Callable[[Path], None]]] = [
    ("in.txt", _sentences),
    ("in.tsv", _corpus),
    ("in.jsonl", _corpus),
    ("in.sgm", _corpus),
    ("in.tmx", _corpus),
    ("in.xml", _corpus),
    ("suite.json", _suite),
    ("suite.jsonl", _suite),
    ("terms.tsv", _glossary),
    ("terms.csv", _glossary),
    ("terms.tbx", _glossary),
    ("out.txt", _evaluation),
    ("out.jsonl", _evaluation),
    ("notes.txt", read_and_fill),
    ("page.html", read_and_fill),
]


def explode_compressed(folder: Path, draw: random.Random) -> None:
    """Read compressed files that become gigabytes."""
    name, read = draw.choice(COMPRESSED)
    unit = draw.choice(
        [b"\0", b"\n", b"x", b"x\n", b"x\ty\n", b"[", b"<a>", b'{"a":1}\n', b'"', b" "]
    )
    start = draw.choice(
        [b"", b"", b"[", b"{", b"<tmx>", b'{"source": ["', b"<?xml version='1.0'?><a>"]
    )
    block = unit * ((1 << 20) // len(unit))
    # A file may hold lines without number; what ends no line has an end.
    times = draw.choice([8, 30, 30 if unit.strip() and unit.endswith(b"\n") else 2_000])
    path = folder / f"{name}{draw.choice(['.gz', '.xz', '.gz'])}"
    if path.suffix == ".gz":
        head, body = gzip.compress(start), gzip.compress(block)
    else:
        head, body = lzma.compress(start), lzma.compress(block, preset=0)
    path.write_bytes(head + body * times)
    read(path)


def explode_stored(folder: Path, draw: random.Random) -> None:
    """Read JSON, weights, tables and recipes that claim or become more than there is."""
    kind = draw.choice(["json", "weights", "parquet", "recipe", "model"])
    times = draw.choice([1_000, 100_000, 2_000_000])
    if kind == "json":
        unit = draw.choice(["[", '{"a":', '"a":1,', "9", "[[],", "1e9,", '"\\u0000"'])
        path = folder / "a.json"
        path.write_text('{"a": ' + unit * times)
        read_json(path)
    elif kind == "weights":
        shape = draw.choice([[1 << 40], [1 << 31, 1 << 31], [0] * 1_000, [-1], [times]])
        entry = {"dtype": "F32", "shape": shape, "data_offsets": [0, draw.choice([4, 1 << 62])]}
        header = json.dumps(
            dict.fromkeys(map(str, range(draw.choice([1, 50_000]))), entry)
        ).encode()
        length = draw.choice([len(header), 1 << 62, 100_000_000])
        path = folder / "weights.safetensors"
        path.write_bytes(length.to_bytes(8, "little") + header + b"\0" * 64)
        read_weights(path)
    elif kind == "parquet":
        _write_rows(folder / "a.parquet", draw, times)
        _corpus(folder / "a.parquet")
    elif kind == "recipe":
        _write_yaml(folder / "a.yaml", draw, min(times, 100_000))
        recipes.load(str(folder / "a.yaml"))
    else:
        config = {
            "model_type": draw.choice(["marian", "m2m_100", "mbart", "bert"]),
            "vocab_size": draw.choice([10**6, 10**12]),
            "d_model": draw.choice([512, 10**9]),
            "encoder_layers": draw.choice([2, 10**7]),
            "decoder_layers": draw.choice([2, 10**7]),
            "max_position_embeddings": draw.choice([512, 10**12]),
        }
        (folder / "model").mkdir()
        (folder / "model" / "config.json").write_text(json.dumps(config))
        import_huggingface(str(folder / "model"), folder / "run", languages=("en", "de"))


def _write_rows(path: Path, draw: random.Random, times: int) -> None:
    """A table of documents with many equal sentences, which takes few bytes however many they
    are."""
    count = min(times, 500_000)  # What writes them takes memory of the case, too.
    sentences = pa.array(["x " * draw.choice([1, 1, 20])] * count)
    lists = pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), sentences)
    table = pa.table({"id": pa.array(["a"]), "source": lists, "target": lists})
    with pq.ParquetWriter(path, table.schema, compression=draw.choice(["zstd", "none"])) as writer:
        for _ in range(draw.choice([1, 1, 30])):
            writer.write_table(table)


def _write_yaml(path: Path, draw: random.Random, times: int) -> None:
    """A recipe with something many times."""
    text = draw.choice(
        [
            "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*a, *a]\n" for i in range(min(times, 2_000))),
            "l0: &l0 [x]\n"
            + "".join(f"l{i}: &l{i} [{f'*l{i - 1}, ' * 9}x]\n" for i in range(1, 40)),
            "[" * times,
            "a: " + "{b: " * times,
            "- " * times,
            "? " * times,
            "a:\n" + "".join(" " * i + "a:\n" for i in range(min(times, 2_000))),
            "description: '" + "x" * times * 5 + "'",
            "system: {layers: " + "9" * times + "}",
            "".join(f"k{i}: 1\n" for i in range(times)),
            "extends: a.yaml\n",
            "<<: " * times,
        ]
    )
    path.write_text(text, encoding="utf-8")
