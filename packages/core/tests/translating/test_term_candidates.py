"""Terms and names of a file are proposed for a glossary."""

from __future__ import annotations

import numpy as np

from docmt.alignment.aligned_sentence import AlignedSentence
from docmt.glossaries import read
from docmt.output import Output
from docmt.translating import translate_files
from docmt.translating.file_terms import terms_of_file, terms_of_review
from docmt.translating.term_candidates import term_candidates, write_candidates
from docmt_files import Input
from docmt_files.base.documents import Document
from docmt_nmt.translators.glossary import Glossary, Term
from shouting_translator import Shouting

PAIRS = [
    ("Open the valve with Acme Tools now .", "Jetzt das Ventil mit Acme Tools öffnen ."),
    ("Close the valve now .", "Jetzt das Ventil schließen ."),
    ("Check the valve of Acme Tools .", "Prüfen das Ventil von Acme Tools ."),
    ("Open The Control Panel And Wait", "Das Bedienfeld öffnen und warten"),
]
LINKED = [(2, 2), (2, 2), (2, 2), (3, 1)]
"""The source and the target word that are linked, in each sentence."""


def _candidates(glossary=None):
    aligned = []
    for (source, target), link in zip(PAIRS, LINKED, strict=True):
        weights = np.zeros((len(source.split()), len(target.split())), np.float32)
        weights[link] = 1
        aligned.append(AlignedSentence(source.split(), target.split(), weights))
    documents = [Document("a", *map(tuple, zip(*PAIRS, strict=True)))]
    return term_candidates(documents, [aligned], ("en", "de"), glossary)


def test_terms_and_names_come_with_translations_counts_and_an_example():
    term, name = _candidates()
    assert (term.kind, term.source, term.translations) == ("term", "valve", [(("Ventil",), 3)])
    assert (name.kind, name.source, name.sentences) == ("name", "Acme Tools", 2)
    assert name.translations == [(("Acme Tools",), 2)]
    assert term.example == name.example == PAIRS[0][0]


def test_what_a_glossary_has_is_not_proposed_again():
    (name,) = _candidates(Glossary([Term(("valve",), ("Schieber",))]))
    assert name.source == "Acme Tools"


def test_the_table_is_a_glossary(tmp_path):
    write_candidates(tmp_path / "t.tsv", _candidates())
    terms = read(tmp_path / "t.tsv", ("en", "de")).terms
    assert [(term.source, term.target) for term in terms] == [
        (("valve",), ("Ventil",)),
        (("Acme Tools",), ("Acme Tools",)),
    ]


def test_a_review_proposes_the_words_of_the_person(tmp_path):
    text = "".join(f"We use Acme Tools in room {n}.\n\n" for n in range(8))
    (tmp_path / "a.md").write_text(text)
    paths = [str(tmp_path / "a.md")], [str(tmp_path / "a.xlf")]
    translate_files(Shouting("en", "de"), *paths, form=Output("xliff"))
    edited = (tmp_path / "a.xlf").read_text().replace("ACME TOOLS", "Acme-Werkzeuge")
    (tmp_path / "a.xlf").write_text(edited)
    (name,) = (each for each in terms_of_review(tmp_path / "a.xlf") if each.kind == "name")
    assert (name.source, name.sentences) == ("Acme Tools", 8)
    found = terms_of_file(Shouting("en", "de"), tmp_path / "a.md", Input())
    assert [each.source for each in found if each.kind == "name"] == ["Acme Tools"]
