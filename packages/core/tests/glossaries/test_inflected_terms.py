"""Words of a glossary are found and written in their other forms."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from docmt.glossaries import Glossary, Term, with_inflections
from docmt_files.base.errors import InputError

LEMMAS = {
    "en": {"file": "file", "files": "file", "filed": "file", "filing": "file", "step": "step",
           "steps": "step", "setting": "setting", "settings": "setting"},
    "pt": {"arquivo": "arquivo", "arquivos": "arquivo", "arquivozinho": "arquivo",
           "etapa": "etapa", "etapas": "etapa", "arquivo-": "arquivo", "ajustes": "ajuste",
           **{f"criar{ending}": "criar" for ending in ("", *"aáie", "am", "as", "ei")}},
}  # fmt: skip


@pytest.fixture
def simplemma(monkeypatch):
    """A package of dictionaries of a few words."""
    module = ModuleType("simplemma.strategies.dictionaries")

    class Factory:
        def get_dictionary(self, code):
            if code not in LEMMAS:
                raise ValueError(code)
            return LEMMAS[code]

    module.DefaultDictionaryFactory = Factory
    for name in ("simplemma", "simplemma.strategies"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)


def inflected(*terms, languages=("en-US", "pt-BR")):
    return with_inflections(Glossary(terms), languages).terms


@pytest.mark.usefixtures("simplemma")
def test_nouns_have_their_forms_and_those_of_verbs_are_left_out():
    (term,) = inflected(Term(("file",), ("arquivo",), every=True))
    assert term == Term(("file", "files"), ("arquivo", "arquivos"), every=True)
    (match,) = Glossary([term]).find("Open the Files.")
    assert match.text == "Files"


@pytest.mark.usefixtures("simplemma")
@pytest.mark.parametrize(
    "term",
    [
        Term(("file name",), ("arquivo",)),
        Term(("file",), ("nome do arquivo",)),
        Term(("file",), ("criar",)),
        Term(("file",), ("arquivo",), whole_words=False),
        Term(("Word",), ("Word",)),
    ],
)
def test_other_terms_stay_as_they_are(term):
    assert inflected(term) == (term,)


@pytest.mark.usefixtures("simplemma")
def test_a_form_that_is_a_term_itself_stays_a_term():
    terms = Term(("file",), ("arquivo",)), Term(("files",), ("etapa",))
    assert inflected(*terms)[0].source == ("file",)
    assert inflected(Term(("setting",), ()))[0] == Term(("setting", "settings"), ())


@pytest.mark.usefixtures("simplemma")
def test_a_language_without_a_dictionary_is_an_error():
    with pytest.raises(InputError, match="not known in Thai"):
        inflected(Term(("file",), ("arquivo",)), languages=("en", "th"))


def test_without_the_package_an_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "simplemma", None)
    with pytest.raises(InputError, match="pip install simplemma"):
        inflected(Term(("file",), ("arquivo",)))


def test_the_dictionaries_of_the_package():
    pytest.importorskip("simplemma", reason="simplemma is not installed")
    (term,) = inflected(Term(("setting",), ("configuração",)))
    assert term == Term(("setting", "settings"), ("configuração", "configurações"))
