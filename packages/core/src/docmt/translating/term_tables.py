"""A table of the terms made consistent, beside the translated file: a glossary to edit, and to use
with the next translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import PathLike, is_stream
from docmt_nmt.base.translations import RecurringTerm, Translation
from docmt_nmt.translators.glossary import Glossary, Term

_SUFFIX = ".terms.tsv"


def term_table_path(output: PathLike) -> Path | None:
    """The path of the table of an output file; None if the output is a stream."""
    return None if is_stream(output) else Path(f"{output}{_SUFFIX}")


def check_term_table(output: PathLike, glossary: Glossary | None) -> None:
    """Check that the table does not overwrite the glossary.

    Raises:
        InputError: table and glossary are the same file.
    """
    path = term_table_path(output)
    if path is None or glossary is None or glossary.path is None or not path.exists():
        return
    if path.samefile(glossary.path):
        raise InputError(
            "the table of terms would be written over the glossary",
            path=str(path),
            cure="Give the glossary another name, or leave out `consistent`",
            parameters=("consistent",),
        )


def write_term_table(output: PathLike, translations: Sequence[Translation]) -> list[str]:
    """Write the table of a translated file.

    Args:
        output: the translated file.
        translations: the documents of the file. For a term in several documents, the translation
            with most sentences is used, and the others are listed.

    Returns:
        Notes for a user.

    Raises:
        InputError: the table cannot be written.
    """
    terms_of_translations = [
        (translation, term) for translation in translations for term in translation.terms
    ]
    changed = sum(
        len({index for term in translation.terms for index in term.changed})
        for translation in translations
    )
    note = (
        f"{counted(len(terms_of_translations), 'recurring term')} with several translations; "
        f"{counted(changed, 'sentence')} changed to the most frequent one"
    )
    path = term_table_path(output)
    if path is None:
        return [note]
    by_source: dict[str, list[tuple[Translation, RecurringTerm]]] = {}
    for translation, term in terms_of_translations:
        by_source.setdefault(term.source.lower(), []).append((translation, term))
    terms: list[Term] = []
    notes: dict[str, list[str]] = {
        "sentences": [],
        "other translations": [],
        "changed": [],
        "unchanged": [],
    }
    several = len(translations) > 1
    for uses in by_source.values():
        best = max((term for _, term in uses), key=lambda term: len(term.winner.sentences))
        terms.append(Term((best.source,), best.winner.forms))
        notes["sentences"].append(str(sum(len(term.winner.sentences) for _, term in uses)))
        notes["other translations"].append(", ".join(_others(uses, best)))
        changes = {id(term): set(term.changed) for _, term in uses}
        for name, is_listed in (("changed", True), ("unchanged", False)):
            notes[name].append(
                ", ".join(
                    f"{translation.document.id}:{index + 1}" if several else str(index + 1)
                    for translation, term in uses
                    for index in _with_losers(term)
                    if (index in changes[id(term)]) == is_listed
                )
            )
    from docmt.glossaries import write_tsv

    write_tsv(path, terms, notes)
    return [f"{note}; {path} lists them"]


def _with_losers(term: RecurringTerm) -> list[int]:
    """The sentences first translated otherwise than by the most frequent translation."""
    return sorted({index for loser in term.losers for index in loser.sentences})


def _others(
    uses: Sequence[tuple[Translation, RecurringTerm]], best: RecurringTerm
) -> Iterator[str]:
    """The other translations of a term, with their numbers of sentences."""
    for _, term in uses:
        for translation in term.translations:
            if not set(translation.forms) & set(best.winner.forms):
                yield f"{translation.forms[0]} ({len(translation.sentences):,})"
