"""English text in American spelling, with its punctuation apart, and text in the right encoding."""

from __future__ import annotations

import re
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.recipes import Recipe
from docmt_nmt.text import Pipeline, TextSettings
from docmt_nmt.text.english import AmericanSpelling, EnglishPunctuation
from docmt_nmt.text.normalization import EncodingRepair, Normalization

VARCON = """# color <verified> (level 10)
A Cv DV: color / B C D: colour
A Cv DV: color's / B C D: colour's
## A comment.

# organize (level 20)
A Z: organize / B: organise   # so

# gray (level 35)
A Cv: gray / AV B C: grey

# ax (level 35)
A: ax / A. B: axe

# analyze (level 35)
A C: analyzes / B Cv: analyses
A B: analyses | -- pl: analysis

# disk (level 10)
A B: disk / Av Bv: disc | <N> :1
A B: disc / Av Bv: disk | :2

# bark (level 40)
A: bark / Av B: barque | (-) ship

# meter (level 35)
A: meter / B: metre | <N>
A 1: metier / B 2: metre | :2

# donut (level 35)
A B: doughnut / AV: donut / B-: doughnot

# junk (level 95)
A: junkor / B: junkour

# facade (level 50)
A B: facade / AV B: façade
"""

PUNCTUATION = EnglishPunctuation()
REPAIR = EncodingRepair()
ANY = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" ab.,;:()“”‘’'\"␣⁀…-"))


@pytest.fixture
def varcon(tmp_path) -> Path:
    path = tmp_path / "varcon.txt"
    path.write_text(VARCON, encoding="latin-1")
    return path


@pytest.mark.parametrize(
    ("text", "american"),
    [
        ("Colour, COLOUR and colour’s", "Color, COLOR and color’s"),
        ("colours cOlour colourless", "colours cOlour colourless"),
        (
            "organise organise.org a@organise organise.",
            "organize organise.org a@organise organize.",
        ),
        ("grey axe", "gray axe"),
        ("analyses disc barque metre junkour donut", "analyses disc barque metre junkour donut"),
        ("doughnot façade", "doughnot façade"),
        ("colour\u0301 colour-blind", "colour\u0301 color-blind"),
    ],
)
def test_words_in_american_spelling(varcon, text, american):
    spelling = AmericanSpelling.from_varcon(varcon)
    assert spelling.apply(text) == american
    assert spelling.invert(american) == american


@given(ANY)
def test_american_text_is_left_alone(text):
    spelling = AmericanSpelling({"colour": "color", "ab": "ba"})
    once = spelling.apply(text.replace("b", "").replace("B", ""))
    assert spelling.apply(once) == once


def test_the_spellings_of_a_run_are_read_back(varcon, tmp_path):
    spelling = AmericanSpelling.from_varcon(varcon)
    spelling.save(tmp_path / "a.txt")
    assert AmericanSpelling.load(tmp_path / "a.txt").spellings == spelling.spellings
    (tmp_path / "a.txt").write_text("colour\tcolor\ncolour color\n")
    with pytest.raises(InputError, match=r"a.txt, line 2: .*is not a word, a tab"):
        AmericanSpelling.load(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "no such file"),
        ("colour color\n", "line 1: 'colour color' is not tags"),
        ("# nothing\n", "is not the list VarCon"),
        ("\xff\xfe", "line 1: 'ÿþ' is not tags"),
    ],
)
def test_another_file_than_varcon_is_an_error(tmp_path, text, problem):
    path = tmp_path / "other.txt"
    if text is not None:
        path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=f"{problem}.*wordlist.aspell.net"):
        AmericanSpelling.from_varcon(path)


@pytest.mark.parametrize(
    ("text", "separate"),
    [
        ("“Yes,” he said.", "“ Yes , ” he said ."),
        ("Mr. Smith of the U.S. doesn’t.", "Mr. Smith of the U.S. doesn’t ."),
        ("It costs $3.14 (or 5%), e.g. today...", "It costs $ 3.14 ( or 5 % ) , e.g. today ..."),
        ("and/or well-known -- a@b.org", "and/or well-known -- a@b.org"),
        ("yes—no", "yes ⁀ — ⁀ no"),
        ("so ?", "so ␣ ?"),
        ("␣ a ␣␣", "␣␣ a ␣␣␣"),
        ("", ""),
    ],
)
def test_punctuation_apart_from_words(text, separate):
    assert PUNCTUATION.apply(text) == separate
    assert PUNCTUATION.invert(separate) == text


@given(ANY)
def test_punctuation_comes_back_where_it_was(text):
    normalized = Normalization("nfkd", "en").apply(text)
    assert PUNCTUATION.invert(PUNCTUATION.apply(normalized)) == normalized


@given(ANY)
def test_any_output_of_a_model_can_be_joined(text):
    joined = PUNCTUATION.invert(text)
    assert re.sub(r"[\s␣⁀]", "", joined) == re.sub(r"[\s␣⁀]", "", text)


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("schÃ¶n â€œja\u2019s â€\u009d Ã\xa0 la", "schön “ja’s ” à la"),
        ("sch\u00c3\u0192\u00c2\u00b6n", "schön"),
        ("ä½\xa0å¥½", "你好"),
        ("schön “ja” À la ½ № & &amp;", "schön “ja” À la ½ № & &amp;"),
        ("half \ud83d", "half \ud83d"),
    ],
)
def test_encodings_are_repaired(text, repaired):
    assert REPAIR.apply(text) == repaired


@given(ANY)
def test_repaired_text_needs_no_repair(text):
    once = REPAIR.apply(text)
    assert REPAIR.apply(once) == once
    assert REPAIR.invert(text) == text


@pytest.mark.by_default(3)
@pytest.mark.parametrize("filling", ["Ã", "Ã¶", "a.", "colour.", "'", "␣⁀", "a\u0301", "“"])
def test_long_lines_take_little_time(filling):
    text = filling * (200_000 // len(filling))
    spelling = AmericanSpelling({"colour": "color"})
    start = process_time()
    REPAIR.apply(text)
    PUNCTUATION.invert(PUNCTUATION.apply(spelling.apply(text)))
    assert process_time() - start < 5


def test_the_pipeline_of_the_paper_for_english_and_german(varcon, tmp_path):
    values = {
        "repair_encoding": True,
        "normalize": "nfkd",
        "quotes": "directional",
        "american_spelling": str(varcon),
        "english_punctuation": "separate",
        "case": "lower",
        "vocabulary_size": 290,
    }
    english = ["The colour, he said, is 'grey'.", "A cafÃ© (old) -- the best!"] * 20
    german = ["Die Farbe sei 'grau', colour.", "Ein altes CafÃ©."] * 20
    pipeline = Pipeline.fit(
        TextSettings.read(values), lambda: english, lambda: german, languages=("en-GB", "de")
    )
    pipeline.save(tmp_path / "text")
    varcon.unlink()
    for one in (pipeline, Pipeline.load(tmp_path / "text")):
        decoded = [one.decode_sentence(one.encode_sentence(s), "source") for s in english[:2]]
        assert decoded == ["the color, he said, is 'gray'.", "a café (old) -- the best!"]
        decoded = [one.decode_sentence(one.encode_sentence(s, "target")) for s in german[:2]]
        assert decoded == ["die farbe sei 'grau', colour.", "ein altes café."]
        assert "".join(one.subwords("said, so")) == "▁said▁,▁so"
    assert (tmp_path / "text" / "american-spelling.source.txt").exists()
    assert not (tmp_path / "text" / "american-spelling.target.txt").exists()


@pytest.mark.parametrize(
    "values", [{"american_spelling": "varcon.txt"}, {"english_punctuation": "separate"}]
)
def test_steps_for_english_need_an_english_side(values):
    (key,) = values
    data = {"source_language": "de", "target_language": "fr"}
    with pytest.raises(InputError, match=f"text.{key}: .* is English"):
        Recipe.read({"data": data, "text": values})
