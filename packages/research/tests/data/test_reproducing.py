"""The guide to reproducing the papers, on miniature corpora in the formats as published."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest

from docmt.cli import main
from docmt_nmt import corpora, recipes
from docmt_nmt.data.preparation import prepare
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.yaml_source import read
from docmt_nmt.text import TextSettings

ROOT = Path(__file__).parents[4]
GUIDE = ROOT / "docs" / "how-to" / "reproduce.md"
TABLES = sorted(ROOT.glob("packages/research/tests/recipes/results_tables/*.yaml"))
SMALL = ["text.subword=words", "text.vocabulary_size=100"]
BPE = {"merges", "character_coverage"}
VARCON = "# color (level 10)\nA Cv DV: color / B C D: colour\n"
WORDS = {
    "en": ("The colour of talk {}.", "It is R&D."),
    "de": ("Die Farbe von Vortrag {}.", "Es ist F&E."),
    "ru": ("Цвет разговора {}.", "Это он."),
    "zh": ("這是第 {} 個演講。", "他说：“你好。”"),
}


def sentences(side: str, *names: object) -> list[str]:
    """Two sentences for each document."""
    return [text.format(name) for name in names for text in WORDS[side]]


def put(path: str, text: str) -> None:
    file = Path("published", path)
    file.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


def maruf() -> None:
    """Line files with `<d>` lines, and Europarl with the tags of its source release."""
    for folder in ("IWSLT2017", "NC-2016", "Europarl7"):
        for number, part in enumerate(("train", "dev", "test")):
            for side in ("en", "de"):
                if (folder, part) != ("Europarl7", "train"):
                    names = range(3 * number, 3 * number + 3)
                    lines = ["<d>\n" + "\n".join(sentences(side, n)) for n in names]
                    put(f"{folder}/concatenated_en2de_{part}_{side}.txt", "\n".join(lines) + "\n\n")
    for side in ("en", "de"):
        speeches = [
            f'<SPEAKER ID={n} LANGUAGE="EN" NAME="X">\n<P>\n' + "\n".join(sentences(side, n))
            for n in range(3, 11)  # 3 to 8 are also in the other splits
        ]
        put(f"europarl-v7/{side}/ep-00-01-17.txt", "<CHAPTER ID=1>\n" + "\n".join(speeches) + "\n")


def evaluation_set(kind: str, side: str, systems: int = 1) -> str:
    """Two documents in the markup of NIST, WMT and IWSLT."""
    documents = "".join(
        f'<doc docid="{name}" sysid="{system}">\n<p>\n'
        + "".join(
            f'<seg id="{i}">{escape(s)}</seg>\n' for i, s in enumerate(sentences(side, name), 1)
        )
        + "</p>\n</doc>\n"
        for system in range(systems)
        for name in (7, 8)
    )
    return f'<{kind} setid="x" srclang="any">\n{documents}</{kind}>\n'


def iwslt() -> None:
    """Training data and evaluation sets of three years."""
    for year, source, target, sets in [
        ("14", "en", "de", "TED.dev2010 TEDX.dev2012 TED.tst2010 TED.tst2011 TED.tst2012"),
        ("14", "de", "en", "TEDX.dev2012 TEDX.tst2013 TEDX.tst2014"),
        ("15", "zh", "en", "TED.dev2010 TED.tst2010 TED.tst2011 TED.tst2012 TED.tst2013"),
        ("17", "zh", "en", "TED.dev2010 TED.tst2012 TED.tst2013 TED.tst2014 TED.tst2015"),
    ]:
        for side, kind in ((source, "srcset"), (target, "refset")):
            talks = [
                f"<url>x</url>\n<talkid>{n}</talkid>\n<title>T</title>\n"
                + "\n".join([*sentences(side, n), *([""] if n == 2 else [])])
                for n in range(1, 15)
            ]
            put(f"iwslt{year}/train.tags.{source}-{target}.{side}", "\n".join(talks) + "\n")
            for name in sets.split():
                text = f'<?xml version="1.0"?>\n<mteval>\n{evaluation_set(kind, side)}</mteval>\n'
                put(f"iwslt{year}/IWSLT{year}.{name}.{source}-{target}.{side}.xml", text)


def nist() -> None:
    """Evaluation sets with four references, and training data in its place."""
    for name in ("mt03", "mt04", "mt05", "mt06", "mt08"):
        put(f"nist/{name}-src.sgm", evaluation_set("srcset", "zh"))
        put(f"nist/{name}-ref.sgm", evaluation_set("refset", "en", systems=4))
    for folder in ("nist", "news-zh-en"):
        Path("data", folder).mkdir(parents=True)
        for side in ("zh", "en"):
            text = "\n".join(sentences(side, *range(4))) + "\n"
            Path("data", folder, f"train.{side}").write_text("<d>\n" * (folder == "nist") + text)


def wmt() -> None:
    """Line files with an empty line, TSV with documents, and SGML."""
    for side in ("en", "de"):
        for corpus in ("europarl-v7", "commoncrawl"):
            put(f"wmt/{corpus}.de-en.{side}", "\n".join(["", *sentences(side, corpus)]) + "\n")
        lines = [*sentences(side, 1), "", *sentences(side, 3), "Nowhere."]
        put(f"wmt/news-commentary-v9.de-en.{side}", "\n".join(lines) + "\n")
    for name in ("news-commentary-v15", "rapid2019"):
        pairs = zip(sentences("de", 1, 2, 3), sentences("en", 1, 2, 3), strict=True)
        rows = ["\t".join(pair) + "\n\t" * (i % 2) for i, pair in enumerate(pairs)]
        put(f"wmt/{name}.de-en.tsv.gz", "\n".join(rows) + "\n")
    for stem in ("newstest2013", "newstest2014-deen"):
        put(f"wmt/{stem}-src.en.sgm", evaluation_set("srcset", "en"))
        put(f"wmt/{stem}-ref.de.sgm", evaluation_set("refset", "de"))


def subtitles() -> None:
    """Four sentences on a line, and one."""
    for part in ("train", "dev", "test"):
        for side in ("en", "ru"):
            lines = [" _eos ".join(sentences(side, n, n + 1)) for n in range(3)]
            put(f"subtitles/{part}.{side}", "\n".join(lines) + "\n")
    for side in ("en", "ru"):
        put(f"subtitles/pairs.{side}", "\n".join(sentences(side, 1, 2)) + "\n")


def mc4() -> None:
    """Pages in JSON lines."""
    for language in ("en", "de", "zh"):
        for part in ("", "-validation"):
            pages = [{"text": "\n".join(sentences(language, n)), "url": "x"} for n in range(3)]
            text = "".join(json.dumps(page) + "\n" for page in [*pages, {"text": " "}])
            put(f"mc4/c4-{language}{part}.tfrecord-00000-of-00001.json.gz", text)


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Iterator[list[str]]:
    """What the Python of the guide prints about the corpora as they are published. The working
    directory has what it makes."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(tmp_path_factory.mktemp("reproducing"))
        for publish in (maruf, iwslt, nist, wmt, subtitles, mc4):
            publish()
        Path("data/varcon.txt").write_text(VARCON)
        printed: list[str] = []
        names: dict[str, Any] = {"print": printed.append}
        for code in re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.M | re.S):
            exec(compile(code, GUIDE.name, "exec"), names)
        yield printed


def test_the_guide_makes_all_corpora_from_their_published_files(report):
    counts = dict(line.split(": ") for line in report)
    assert counts["iwslt14/valid"] == "10 documents, 20 sentence pairs"
    assert counts["iwslt14/train"] == "4 documents, 8 sentence pairs"
    assert counts["talks/test"] == "8 documents, 16 sentence pairs"
    assert counts["ted/train"] == "3 documents, 6 sentence pairs"
    assert counts["europarl/train"] == "2 documents, 4 sentence pairs"
    assert counts["nist/test"] == "8 documents, 16 sentence pairs"
    assert counts["wmt14/rapid-2019"] == "3 documents, 6 sentence pairs"
    assert counts["wmt14/news-commentary-v9"] == "2 documents, 4 sentence pairs"
    assert counts["wmt14/news-commentary-v9, left out"] == "2 sentence pairs"
    articles = list(corpora.read("data/wmt14/news-commentary-v9.en"))
    assert [document.source[0] for document in articles] == [sentences("en", n)[0] for n in (1, 3)]
    assert counts["subtitles/train"] == "3 documents, 12 sentence pairs"
    assert len(list(corpora.read("data/subtitles/pairs.en", boundaries="sentences"))) == 4
    assert [len(d) for d in corpora.read("data/mc4/train.zh")] == [2, 2, 2]


def stages_with_every_corpus() -> dict[str, tuple[str, Recipe]]:
    """For each corpus of the rows of the papers, the first row and stage that has it."""
    found: dict[str, tuple[str, Recipe]] = {}
    tables = (table for paper in TABLES for table in read(paper)[0].values())
    # Without overrides, which do not change the corpus.
    rows = dict.fromkeys(shlex.split(command)[0] for table in tables for command in table.values())
    for command in rows:
        for _, stage in recipes.stages(recipes.load(command), Path("run")):
            files = stage.data.model_dump_json(include={"train", "valid", "test", "additional"})
            found.setdefault(files, (command, stage))
    return found


def test_every_corpus_of_the_rows_is_prepared(report):
    found = stages_with_every_corpus()
    assert len(found) > 10
    for number, (files, (row, stage)) in enumerate(found.items()):
        missing = [file for file in re.findall(r'"(data/[^"]+)"', files) if not Path(file).exists()]
        assert not missing, f"{row}: let {GUIDE.name} make {missing} from what is published"
        steps = stage.text.model_dump(exclude=BPE)
        text = TextSettings.read({**steps, "subword": "words", "vocabulary_size": 100})
        some = stage.data.filter.model_copy(update={"empty": True})
        data = stage.data.model_copy(update={"filter": some})
        small = stage.model_copy(update={"text": text, "data": data, "initialize": None})
        splits = prepare(small, f"prepared/{number}").splits
        assert all(split.sentences > 0 for split in splits.values()), row


def test_a_row_is_prepared_from_the_shell(report, capsys):
    command = ["prepare", "iwslt14-sentence", *SMALL, "--output", "prepared/shell"]
    with pytest.raises(SystemExit) as stopped:
        main(command)
    assert not stopped.value.code
    assert re.search(r"train +4 +8 ", capsys.readouterr().out)


def test_evaluation_sets_take_the_place_of_the_files_of_a_recipe(report):
    sets = "{source: published/nist/mt06-src.sgm, target: published/nist/mt06-ref.sgm}"
    recipe = recipes.load("nist-sentence", [f"data.valid={sets}", f"data.test={sets}", *SMALL])
    assert recipe.data.valid is not None and recipe.data.valid.references == ()
    assert prepare(recipe, "prepared/sets").splits["test"].documents == 2


def test_moses_files_with_a_docids_file_take_the_place_of_the_files_of_a_recipe(report):
    for side in ("en", "de"):
        put(f"moses/train.{side}", "\n".join(sentences(side, 1, 2)) + "\n")
    put("moses/train.docids", "first\t1\nsecond\t3\n")
    files = ", ".join(
        f"{key}: published/moses/train.{name}"
        for key, name in [("source", "en"), ("target", "de"), ("docids", "docids")]
    )
    recipe = recipes.load("ted-sentence", [f"data.train={{{files}, boundaries: docids}}", *SMALL])
    assert prepare(recipe, "prepared/moses").splits["train"].documents == 2


def test_an_evaluation_set_is_translated_and_scored_as_published(report, tiny_run, capsys):
    stem = "published/iwslt17/IWSLT17.TED.tst2012.zh-en"
    for command in (
        f"translate --run {tiny_run.directory} {stem}.zh.xml --output-format jsonl "
        "-o tst2012.jsonl",
        f"evaluate --run {tiny_run.directory} --hypothesis tst2012.jsonl --reference {stem}.en.xml",
    ):
        with pytest.raises(SystemExit) as stopped:
            main(shlex.split(command))
        assert not stopped.value.code, capsys.readouterr().err
    assert "docs 2 · sents 4" in capsys.readouterr().out
