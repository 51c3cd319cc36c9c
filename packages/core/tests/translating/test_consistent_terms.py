"""Terms that recur are translated alike: a second pass over the instances that have another
translation than most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from docmt import glossaries
from docmt.translating import TermChoices, consistent_terms, translate_files
from docmt.translating.consistent_terms import ConsistentTerms
from docmt.translating.term_tables import check_term_table, write_term_table
from docmt_files import Input
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import RecurringTerm, TermTranslation, Translation
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.translators import translate
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.lost_words import LostWords
from docmt_nmt.translators.requests import TranslationRequest

LINES = ("one two", "three", "four two six", "seven", "two nine", "two", "three four", "five")


def translator(run, **search: Any) -> BeamSearchTranslator:
    instances = InstanceSettings(kind="window", window=3)
    return BeamSearchTranslator.build(
        run.system(), run.pipeline, instances, SearchSettings(**{"beam_size": 3, **search})
    )


def consistently(
    made: BeamSearchTranslator, documents: Sequence[Document], max_loss: float = math.inf, **keys
) -> list[Translation]:
    request = TranslationRequest(documents, **keys)
    return translate(made, request, (LostWords(), ConsistentTerms(max_loss)))


@pytest.fixture
def terms(monkeypatch: pytest.MonkeyPatch) -> list[RecurringTerm]:
    """What is found after the first pass, in every document, instead of what a tiny system's
    attention would find."""
    found: list[RecurringTerm] = []

    def find(*arguments: Any) -> list[list[RecurringTerm]]:
        return [list(found) for _ in arguments[-1]]

    monkeypatch.setattr(consistent_terms, "_find_terms", find)
    return found


def losing(translation: Translation, winner: str, sentences: Sequence[int]) -> RecurringTerm:
    """A term whose winner is another word than any that sentences have now."""
    target = translation.document.target or ()
    losers = [TermTranslation((target[index].split()[0],), (index,), -1.0) for index in sentences]
    won = TermTranslation((winner,), (1,), -1.0)
    return RecurringTerm("two", (won, *losers))


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    "search",
    [{}, {"beam_size": 1}, {"overlap": 1}, {"windows": "sliding"}],
    ids=["disjoint", "greedy", "overlap", "sliding"],
)
def test_sentences_with_losers_are_changed_and_no_others(
    tiny_run, terms: list[RecurringTerm], search: dict[str, Any]
) -> None:
    made = translator(tiny_run, **search)
    document = Document("d", LINES)
    (before,) = made.translate([document])
    changes = []
    # Which of these the small system can write depends on how it was trained.
    winners, losers = ("eins", "vier", "sechs", "neun"), ([2, 4], [0, 6], [5, 7])
    for winner, sentences in product(winners, losers):
        terms[:] = [losing(before, winner, sentences)]
        (after,) = consistently(made, [document])
        old, new = before.document.target or (), after.document.target or ()
        changed = [index for index, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
        assert tuple(changed) == after.terms[0].changed
        assert set(changed) <= {*sentences}
        assert all(winner in new[index].split() for index in changed)
        assert len(after.log_probabilities) == len(LINES)
        if changed:
            again = consistently(made, [document, Document("e", LINES)])[0]
            assert (again.document, again.terms) == (after.document, after.terms)
        changes += changed
        if len(changes) > 2:
            break
    assert changes


def test_a_change_that_costs_too_much_is_not_made(tiny_run, terms: list[RecurringTerm]) -> None:
    made = translator(tiny_run)
    document = Document("d", LINES)
    (before,) = made.translate([document])
    terms.append(losing(before, "sechs", [2, 4]))
    (after,) = consistently(made, [document], -math.inf)
    assert after.document == before.document
    assert after.terms[0].changed == ()


def test_a_winner_that_cannot_be_written_changes_nothing(
    tiny_run, terms: list[RecurringTerm]
) -> None:
    made = translator(tiny_run)
    document = Document("d", LINES)
    (before,) = made.translate([document])
    terms.append(losing(before, "zwanzig", [2]))
    (after,) = consistently(made, [document])
    assert after.document == before.document


def test_without_terms_it_is_the_first_pass(tiny_run) -> None:
    made = translator(tiny_run)
    documents = [Document("d", LINES[:2]), Document("e", ("", "one"))]
    assert consistently(made, documents) == made.translate(documents)


def test_terms_of_a_glossary_are_left_to_it(tiny_run, monkeypatch: pytest.MonkeyPatch) -> None:
    term = RecurringTerm(
        "two", (TermTranslation(("a",), (0,), 0), TermTranslation(("b",), (1,), 0))
    )
    monkeypatch.setattr(consistent_terms, "recurring_terms", lambda *_: [term])
    made = translator(tiny_run)
    documents = [Document("d", ("one two", "two"))]
    assert [t.source for t in consistently(made, documents)[0].terms] == ["two"]
    glossary = Glossary([Term(("two",), ("sieben",))])
    (found,) = consistently(made, documents, glossary=glossary)
    assert found.terms == ()
    assert all("sieben" in sentence for sentence in found.document.target or ())


def test_sampling_is_refused(tiny_run) -> None:
    with pytest.raises(InputError, match="can be made to write given words"):
        consistently(translator(tiny_run, method="sampling"), [Document("d", LINES)])


def test_joined_sentences_are_refused(tiny_run) -> None:
    instances = InstanceSettings(kind="whole", join_sentences=True)
    made = BeamSearchTranslator.build(
        tiny_run.system(), tiny_run.pipeline, instances, SearchSettings()
    )
    with pytest.raises(InputError, match="need a translation of each sentence"):
        consistently(made, [Document("d", LINES)])


# The table


TERM = RecurringTerm(
    "Mendicant",
    (
        TermTranslation(("Mönch", "Mönchs|x"), (0, 2, 5), -1.0),
        TermTranslation(("Bettler",), (1, 3), -1.0),
    ),
    (3,),
)


def translation(name: str, *terms: RecurringTerm) -> Translation:
    return replace(Translation.of(name, ["a"], ["b"]), terms=terms)


def test_the_table_is_a_glossary(tmp_path: Path) -> None:
    output = tmp_path / "brief.md"
    (note,) = write_term_table(output, [translation("d", TERM)])
    table = tmp_path / "brief.md.terms.tsv"
    assert note == (
        "1 recurring term with several translations; 1 sentence changed to the most frequent one; "
        f"{table} lists them"
    )
    assert table.read_text("utf-8").splitlines() == [
        "source\ttarget\tflags\tsentences\tother translations\tchanged\tunchanged",
        "Mendicant\tMönch|Mönchs\\|x\t\t3\tBettler (2)\t4\t2",
    ]
    (term,) = glossaries.read(table, ("en", "de")).terms
    assert term == Term(("Mendicant",), ("Mönch", "Mönchs|x"), line=2)


def test_a_term_of_several_documents_is_one_row(tmp_path: Path) -> None:
    other = RecurringTerm("mendicant", TERM.translations[::-1])
    write_term_table(tmp_path / "a", [translation("d", TERM), translation("e", other)])
    rows = (tmp_path / "a.terms.tsv").read_text("utf-8").splitlines()
    assert rows[1:] == [
        "Mendicant\tMönch|Mönchs\\|x\t\t5\tBettler (2), Bettler (2)\td:4\td:2, e:1, e:3, e:6"
    ]
    assert len(glossaries.read(tmp_path / "a.terms.tsv", ("en", "de"))) == 1


def test_the_table_of_no_terms_is_a_heading_and_a_stream_has_none(tmp_path: Path) -> None:
    write_term_table(tmp_path / "a", [translation("d")])
    assert len((tmp_path / "a.terms.tsv").read_text("utf-8").splitlines()) == 1
    assert len(write_term_table("-", [translation("d", TERM)])) == 1


def test_the_table_is_not_written_over_the_glossary(tmp_path: Path) -> None:
    table = tmp_path / "a.terms.tsv"
    table.write_text("two\tsieben\n")
    with pytest.raises(InputError, match="would be written over the glossary"):
        check_term_table(tmp_path / "a", glossaries.read(table, ("en", "de")))
    check_term_table(tmp_path / "b", glossaries.read(table, ("en", "de")))
    check_term_table("-", None)


def test_files_get_a_table(tiny_run, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("\n".join(LINES) + "\n")
    notes: list[str] = []
    translate_files(
        translator(tiny_run),
        [str(letter)],
        [str(tmp_path / "brief.txt")],
        input_form=Input(segmented=True),
        terms=TermChoices(consistent=True),
        note=notes.append,
    )
    assert any("with several translations" in note for note in notes)
    assert (tmp_path / "brief.txt.terms.tsv").exists()
