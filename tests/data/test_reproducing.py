"""The guide to reproducing the papers, on miniature corpora in the formats as published."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docmt import corpora, recipes
from docmt.data.prepare import prepare

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "reproduce.md"
SMALL = ["text.subword=words", "text.vocabulary_size=100"]
VARCON = "# color (level 10)\nA Cv DV: color / B C D: colour\n"
WORDS = {"en": "One two three, talk {}.", "de": "Eins zwei drei, Vortrag {}."}
SETS = ["TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012"]


def evaluation_set(kind: str, side: str, systems: int = 1) -> str:
    """Two documents of two segments in the markup of NIST, WMT and IWSLT."""
    documents = "".join(
        f'<doc docid="{name}" sysid="{system}">\n<p>\n'
        f'<seg id="1">{WORDS[side].format(name)}</seg>\n'
        f'<seg id="2">A &amp; B {system}</seg>\n</p>\n</doc>\n'
        for system in range(systems)
        for name in (7, 8)
    )
    return f'<{kind} setid="x" srclang="any">\n{documents}</{kind}>\n'


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A folder with the corpora as they are published, to work in."""
    monkeypatch.chdir(tmp_path)
    Path("iwslt14").mkdir()
    Path("data").mkdir()
    Path("data/varcon.txt").write_text(VARCON)
    for side in ("en", "de"):
        talks = [
            f"<url>x</url>\n<talkid>{n}</talkid>\n<title>T</title>\n{WORDS[side].format(n)}\nA.\n"
            + ("\n" if n == 2 else "")
            for n in range(1, 15)
        ]
        Path(f"iwslt14/train.tags.en-de.{side}").write_text("".join(talks))
        kind = "srcset" if side == "en" else "refset"
        for name in SETS:
            text = f'<?xml version="1.0"?>\n<mteval>\n{evaluation_set(kind, side)}</mteval>\n'
            Path(f"iwslt14/IWSLT14.{name}.en-de.{side}.xml").write_text(text)
    return tmp_path


def test_iwslt_is_prepared_from_its_published_files(published, capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    exec(compile(code, GUIDE.name, "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "valid: 10 documents, 20 sentence pairs",
        "train: 4 documents, 9 sentence pairs",
        "test: 10 documents, 20 sentence pairs",
    ]
    recipe = recipes.load("iwslt14-sentence", [*SMALL, "data.filter.empty=true"])
    report = prepare(recipe, "prepared")
    assert {name: split.sentences for name, split in report.splits.items()} == {
        "train": 8, "valid": 20, "test": 20,
    }  # fmt: skip
    assert report.filtered["empty"].sentences == 1


def test_evaluation_sets_take_the_place_of_the_files_of_a_recipe(published):
    Path("src.sgm").write_text(evaluation_set("srcset", "en"))
    Path("ref.sgm").write_text(evaluation_set("refset", "de", systems=4))
    corpora.write(corpora.read("src.sgm", "ref.sgm"), "train.en", "train.de")
    sets = "{source: src.sgm, target: ref.sgm}"
    train = "{source: train.en, target: train.de, boundaries: markers}"
    overrides = [f"data.train={train}", f"data.valid={sets}", f"data.test={sets}", *SMALL]
    for name in ("nist-sentence", "wmt14-sentence"):
        chinese = ["text.chinese_script=keep", "text.segment=none"] if "nist" in name else []
        recipe = recipes.load(name, [*overrides, *chinese])
        assert recipe.data.valid is not None and recipe.data.valid.references == ()
        assert prepare(recipe, f"prepared-{name}").splits["test"].documents == 2
