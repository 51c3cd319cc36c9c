"""`with_inflections`: a glossary of words as dictionaries list them, with the other forms of each
word: *file* finds *files*, and *arquivo* may be written as *arquivos*.

The forms are those of the dictionaries of simplemma, a small package without dependencies. Search
chooses among the forms of a translation. Terms of several words stay as they are, as their words
would have to agree, and so do words with many forms: verbs of most languages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.base.extras import naming_extras
from docmt_nmt.text.language_detection import language_name
from docmt_nmt.translators.glossary import Glossary, Term

_MAX_FORMS = 6
"""The most forms of a noun."""
_MAX_ENDING = 3
"""The most letters that a form is longer than the word; diminutives are longer."""
_VERBAL = {"en": ("ed", "ing")}
"""Endings of verbs, in a language whose nouns are verbs, too."""


def with_inflections(glossary: Glossary, languages: tuple[str, str]) -> Glossary:
    """A glossary with the other forms of words.

    Args:
        glossary: the terms.
        languages: the codes of the source and the target language.

    Raises:
        InputError: simplemma is not installed, or does not know one of the languages.
    """
    chosen = [term for term in glossary.terms if _is_of_words(term)]
    if not chosen:
        return glossary
    own = _forms(languages[0], (form for term in chosen for form in term.source))
    theirs = _forms(languages[1], (form for term in chosen for form in term.target))
    taken = {form.lower() for term in glossary.terms for form in term.source}
    terms = []
    for term in glossary.terms:
        sources, targets = (_known(side, forms) for side, forms in zip(
            (term.source, term.target), (own, theirs), strict=True
        ))  # fmt: skip
        if not _is_of_words(term) or sources is None or targets is None:
            terms.append(term)
            continue
        new = [form for form in sources if form.lower() not in taken]
        taken.update(form.lower() for form in new)
        terms.append(replace(term, source=(*term.source, *new), target=(*term.target, *targets)))
    return Glossary(terms, glossary.path)


def _is_of_words(term: Term) -> bool:
    """Return whether a term and its translations are single words."""
    return term.whole_words and all(form.isalpha() for form in (*term.source, *term.target))


def _known(words: Sequence[str], forms: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The other forms of words; None if one has too many."""
    found = [form for word in words for form in forms.get(word.lower(), ())]
    if any(len(forms.get(word.lower(), ())) > _MAX_FORMS for word in words):
        return None
    return [form for form in dict.fromkeys(found) if form not in words]


def _forms(language: str, words: Iterable[str]) -> dict[str, list[str]]:
    """The forms of words in lower case, by the dictionary of a language."""
    with naming_extras():
        from simplemma.strategies.dictionaries import DefaultDictionaryFactory
    code = primary_language(language)
    try:
        dictionary = DefaultDictionaryFactory().get_dictionary(code)
    except ValueError:
        raise InputError(
            f"the forms of words are not known in {language_name(code)}",
            cure="List the forms in the glossary, and leave out `inflected`",
            parameters=("inflected",),
        ) from None
    wanted = {word.lower() for word in words}
    found: dict[str, list[str]] = {}
    for form, lemma in dictionary.items():
        low = lemma.lower()
        if low in wanted and _is_form(form, low, _VERBAL.get(code, ())):
            found.setdefault(low, []).append(form)
    return found


def _is_form(form: str, lemma: str, verbal: Collection[str]) -> bool:
    """Return whether a form of the dictionary is one of a noun or adjective."""
    is_near = form.isalpha() and form.lower() != lemma and len(form) <= len(lemma) + _MAX_ENDING
    return is_near and not any(form.endswith(end) and not lemma.endswith(end) for end in verbal)
