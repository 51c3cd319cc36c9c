"""Names that a document had so far."""

from __future__ import annotations

from docmt_llm.prompting.name_translations import NameTranslations
from docmt_llm.prompting.prompt_context import Passage

PAIRS = [
    ("The Dark Forest is old.", "Der Dunkelwald ist alt."),
    ("We saw Lady Ashgrove in the Dark Forest.", "Wir sahen Frau Eschenhain im Dunkelwald."),
    ("Nobody knew Lady Ashgrove.", "Niemand kannte Frau Eschenhain."),
    ("It rained all day.", "Es regnete den ganzen Tag."),
    ("Then we met Lady Ashgrove again.", "Dann trafen wir Frau Eschenhain wieder."),
    ("We left Paris.", "Wir verließen Paris."),
    ("I like Paris.", "Ich mag Paris."),
]


def test_names_have_the_translations_that_they_had():
    names = NameTranslations(("en", "de"))
    for source, target in PAIRS:
        names.add(source, target)
    assert names.find("The Dark Forest frightened Lady Ashgrove.") == (
        Passage("Dark Forest", "Dunkelwald"),
        Passage("Lady Ashgrove", "Frau Eschenhain"),
    )
    assert names.find("They reached Paris.") == (Passage("Paris", "Paris"),)


def test_a_name_is_known_from_its_second_sentence_on():
    names = NameTranslations(("en", "de"))
    names.add(*PAIRS[1])
    assert names.find("There is Lady Ashgrove.") == ()
    names.add(*PAIRS[2])
    assert names.find("There is Lady Ashgrove.") == (Passage("Lady Ashgrove", "Frau Eschenhain"),)


def test_a_first_word_is_no_name_for_its_capital():
    names = NameTranslations(("en", "de"))
    for _ in range(3):
        names.add("Nobody came.", "Niemand kam.")
        names.add("He left. Nobody came.", "Er ging. Niemand kam.")
    assert names.find("Nobody came. Nobody left.") == ()


def test_an_unclear_translation_is_none():
    names = NameTranslations(("en", "de"))
    names.add("We saw Lady Ashgrove.", "Wir sahen Frau Eschenhain.")
    names.add("We met Lady Ashgrove.", "Wir trafen Gräfin Aschgrün.")
    names.add("We left Lady Ashgrove.", "Wir verließen sie.")
    assert names.find("There is Lady Ashgrove.") == ()


def test_languages_without_capitals_have_names_that_stay():
    names = NameTranslations(("en", "zh"))
    for _ in range(2):
        names.add("We use Firefox on Debian.", "我们在 Debian 上使用火狐。")
    assert names.find("Open Firefox on Debian.") == (Passage("Debian", "Debian"),)
