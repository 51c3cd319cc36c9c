"""What is left out of a person's translations, and the reasons that are counted."""

from __future__ import annotations

import random

import pytest

from docmt.adapting.belonging import LEAST, share_that_belongs
from docmt.adapting.cleaning import Cleaner, clean_all, key_of
from docmt.adapting.material import FileMaterial
from docmt_files.base.documents import Document
from docmt_nmt.corpora import read
from docmt_nmt.corpora.demo import corpus_file


def material(pairs, name="memory.tmx"):
    source, target = zip(*pairs, strict=True)
    return FileMaterial(name, [Document(name, source, target)])


def cleaned(*pairs, languages=("en", "pt")):
    return Cleaner(languages).clean(material(pairs))


GOOD = ("Open the file that you saved.", "Abra o arquivo que você salvou.")


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (("Open the file.", ""), "without a translation"),
        (("", "Abra o arquivo."), "without a translation"),
        (("4711", "4711"), "without words"),
        (("Project Operations", "project  operations"), "not translated"),
        (("Open the café.", "Abra o cafÃ©."), "with broken characters"),
        (
            ("Open the file {name}.", "Abra o arquivo {nome}."),
            "with other codes in the translation",
        ),
        (("Open the file %s.", "Abra o arquivo."), "with other codes in the translation"),
        (("Yes, of course, this can be done at any time.", "Sim."), "of very unequal lengths"),
        (
            ("Open the file that you saved.", "Öffnen Sie die Datei, die Sie gespeichert haben."),
            "in another language",
        ),
        (("word " * 300, "palavra " * 300), "of more than 1,000 characters"),
    ],
)
def test_a_pair_with_a_fault_is_left_out_and_counted(pair, reason):
    found = cleaned(GOOD, pair)
    assert found.left_out == {reason: 1}
    assert [d.source for d in found.documents] == [(GOOD[0],)]


def test_a_sentence_that_comes_again_and_again_is_learned_once():
    found = cleaned(*[GOOD] * 5000)
    assert found.left_out == {"there already": 4999}
    assert sum(map(len, found.documents)) == 1


def test_sentences_that_differ_in_numbers_alone_are_learned_five_times():
    pairs = [(f"Wait {n} seconds.", f"Aguarde {n} segundos.") for n in range(10, 40)]
    found = cleaned(*pairs)
    assert found.left_out == {"there already with other numbers": 25}


def test_the_key_of_a_sentence_has_neither_case_nor_punctuation_nor_numbers():
    assert key_of("Wait 10 s!") == key_of("wait 5 S") != key_of("wait a s")


def demo_pairs(number):
    documents = read(corpus_file("test.en.xz"), corpus_file("test.de.xz"))
    pairs = [pair for d in documents for pair in zip(d.source, d.target, strict=True)]
    return pairs[:number]


def test_a_file_in_another_language_is_left_out_whole_and_named():
    found = Cleaner(("en", "pt")).clean(material(demo_pairs(200)))
    assert found.documents == []
    assert found.left_out == {"in a file whose target is German": 200}
    assert found.notes == ["memory.tmx: its target is German: left out"]


def test_a_file_with_exchanged_sides_is_turned_round():
    found = Cleaner(("de", "en")).clean(material(demo_pairs(100)))
    assert "exchanged" in found.notes[0]
    assert found.documents[0].source[0] == demo_pairs(100)[0][1]


def by_word(pairs):
    """A translator that knows the person's translations, but for the last word."""
    known = {source: " ".join(target.split()[:-1]) for source, target in pairs}
    return lambda sentences: [known[sentence] for sentence in sentences]


def test_shuffled_sides_do_not_belong_together():
    pairs = demo_pairs(400)
    targets = [target for _, target in pairs]
    random.Random(1).shuffle(targets)
    shuffled = list(zip((s for s, _ in pairs), targets, strict=True))
    translate = by_word(pairs)
    assert share_that_belongs(material(pairs).documents, translate) > 0.9
    assert share_that_belongs(material(shuffled).documents, translate) < LEAST
    both = [material(pairs), material(shuffled, "shuffled.tmx")]
    found = clean_all(both, ("en", "de"), lambda d: share_that_belongs(d, translate), LEAST)
    assert found.left_out["in a file whose sides do not belong together"] > 200
    assert "shuffled.tmx: its sides do not belong together" in found.notes[0]
    assert {document.id for document in found.documents} == {"memory.tmx"}


def test_few_sentences_say_nothing_about_whether_sides_belong_together():
    assert share_that_belongs(material(demo_pairs(5)).documents, lambda s: s) is None
