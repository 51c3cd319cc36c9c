"""Inline codes where a translator has put them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from docmt.translating import translate_files
from docmt.translating.codes_in_place import CodesInPlace
from docmt.translating.word_aligner import code_aligner
from docmt_files.base.documents import Document, InlineCode, Sentence
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptSettings
from docmt_nmt.base.translations import TranslatedSentence
from scripted_model import ScriptedModel, as_object, sentences_of


def test_sentences_without_places_are_aligned_otherwise():
    document = Document("d", ("a b", "c d"), ("x y", "z w"))
    asked = []

    def others(document, indices):
        asked.extend(indices)
        return {}

    sentences = [Sentence(text, codes=(InlineCode(2),)) for text in document.source]
    translated = [TranslatedSentence("a b", "x y", codes=(2,)), TranslatedSentence("c d", "z w")]
    aligner = CodesInPlace(sentences, translated, others)
    assert aligner(document, [0, 1]) == {0: (2,)}
    assert asked == [1]


SENTENCES = {
    "Select ⟦1⟧Open⟦2⟧ in the menu.": "Im Menü ⟦1⟧Öffnen⟦2⟧ wählen.",
    "The ⟦1⟧old⟦2⟧ and the ⟦3⟧new⟦4⟧ gate.": "Das ⟦3⟧neue⟦4⟧ und das ⟦1⟧alte⟦2⟧ Tor.",
    "Nobody⟦1⟧ knew ⟦2⟧him⟦3⟧.": "⟦2⟧Ihn⟦3⟧ kannte niemand⟦1⟧.",
    "Run ⟦1⟧ in ⟦2⟧this folder⟦3⟧ now.": "Jetzt ⟦1⟧ in ⟦2⟧diesem Ordner⟦3⟧ ausführen.",
    "Water is H⟦1⟧2⟦2⟧O, un⟦3⟧believ⟦4⟧ably.": "水はH⟦1⟧2⟦2⟧Oで、信じ⟦3⟧られ⟦4⟧ない。",
    "The ⟦1⟧old⟦2⟧ town": "Die ⟦1⟧Alt⟦2⟧stadt",
}
SOURCE = """\
Select **Open** in the menu.

The *old* and the **new** gate.

Nobody[^1] knew *him*.

Run `make install` in *this folder* now.

Water is H*2*O, un*believ*ably.

The _old_ town

[^1]: He.
"""
TRANSLATION = """\
Im Menü **Öffnen** wählen.

Das **neue** und das *alte* Tor.

*Ihn* kannte niemand[^1].

Jetzt `make install` in *diesem Ordner* ausführen.

水はH*2*Oで、信じ*られ*ない。

Die _Altstadt_

[^1]: Er.
"""


@pytest.mark.parametrize("shape", ["sentence", "batch"])
def test_a_language_model_puts_codes_where_its_words_are(tmp_path: Path, shape):
    def answers(sentences, request):
        known = {**SENTENCES, "He.": "Er."}
        texts = {key: known[text] for key, text in sentences.items()}
        return as_object(texts) if None not in texts else f'"{texts[None]}"'

    (tmp_path / "a.md").write_text(SOURCE, encoding="utf-8")
    model = ScriptedModel(answers)
    made = LanguageModelTranslator.of(model, ("en", "de"), request=PromptSettings(shape=shape))
    files = [str(tmp_path / name) for name in ("a.md", "b.md")]
    translate_files(made, files[:1], files[1:])
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == TRANSLATION


def test_lost_codes_are_placed_by_the_words(tmp_path: Path):
    def answers(sentences, request):
        (text,) = sentences_of(request).values()
        assert "⟦1⟧Berlin⟦2⟧" in text
        return '"Im Jahr 1900 war Berlin groß."'

    (tmp_path / "a.md").write_text("In 1900, **Berlin** was large.\n")
    made = LanguageModelTranslator.of(ScriptedModel(answers), ("en", "de"))
    files = [str(tmp_path / name) for name in ("a.md", "b.md")]
    counts = translate_files(made, files[:1], files[1:])
    assert (tmp_path / "b.md").read_text() == "Im Jahr 1900 war **Berlin** groß.\n"
    assert counts.suspicious_sentences == counts.moved_codes == 0


def test_codes_around_whole_words_instead_of_parts_are_counted(tmp_path: Path):
    def answers(sentences, request):
        known = {
            "It is un⟦1⟧believ⟦2⟧able.": "Das ist unglaublich.",
            "Use H⟦1⟧2⟦2⟧O.": "H2O hilft.",
        }
        (text,) = sentences_of(request).values()
        return f'"{known[text]}"'

    (tmp_path / "a.md").write_text("It is un*believ*able.\n\nUse H*2*O.\n")
    made = LanguageModelTranslator.of(ScriptedModel(answers), ("en", "de"))
    files = [str(tmp_path / name) for name in ("a.md", "b.md")]
    notes = []
    counts = translate_files(made, files[:1], files[1:], note=notes.append)
    assert (tmp_path / "b.md").read_text() == "Das ist *unglaublich*.\n\nH*2*O hilft.\n"
    assert counts.moved_codes == 1
    assert notes[-1].endswith("put around whole words: unbelievable")


def test_codes_of_a_translator_without_attention_are_aligned_by_its_text():
    made = LanguageModelTranslator.of(ScriptedModel(), ("en", "de"))
    aligner, notes = code_aligner(made)
    rng = random.Random(1)
    words = {f"source{number}": f"ziel{number}" for number in range(30)}
    drawn = [rng.sample(sorted(words), 4) for _ in range(60)]
    target = [" ".join(words[word] for word in (*sentence[1:], sentence[0])) for sentence in drawn]
    document = Document("d", tuple(map(" ".join, drawn)), tuple(target))
    found = aligner(document, [3, 4])
    assert [found[index].argmax(1).tolist() for index in (3, 4)] == [[3, 0, 1, 2]] * 2
    assert aligner(Document("d", ("a b",), ("x y",)), [0]) == {} and notes() == []
