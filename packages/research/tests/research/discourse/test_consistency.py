"""Lexical consistency, on examples worked out by hand."""

from __future__ import annotations

import pytest

from docmt.alignment.links import Alignment
from docmt.alignment.statistical import align_words
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.text.word_splitting import stem
from docmt_research.discourse import Term, Text, lexical_consistency, read_terms, term_accuracy
from docmt_research.discourse.terms import find_terms, repeated_words


def text(*documents: list[tuple[str, str]], languages=("en", "de")) -> Text:
    """Documents of sentence pairs."""
    sides = [
        [
            Document(str(n), tuple(p[side] for p in pairs), tuple(p[side] for p in pairs))
            for n, pairs in enumerate(documents, 1)
        ]
        for side in (0, 1)
    ]
    whole = all(sentence for document in sides[1] for sentence in document.source)
    reference = sides[1] if whole else None
    return Text.of(sides[0], sides[1], reference, languages=languages, tokenized=True)


def word_by_word(text: Text) -> Alignment:
    """The links of text that is translated word by word."""
    return Alignment(
        [
            frozenset((i, i) for i in range(min(len(s.source), len(s.hypothesis))))
            for s in text.sentences
        ],
        "file",
    )


TWO = text(
    # "monk" four times: Mönch, Mönche, Bettelmönch, Mönch; "robe" twice, alike.
    [
        ("the monk", "der Mönch"),
        ("monk robe", "Mönche Robe"),
        ("a monk", "ein Bettelmönch"),
        ("monk , robe", "Mönch , Robe"),
    ],
    # "king" twice: König, Herrscher. "monk" once: not repeated in this document.
    [("the king", "der König"), ("king and monk", "Herrscher und Asket")],
)


def test_ltcr_and_the_share_of_the_most_frequent_translation_by_hand():
    ltcr, frequent = lexical_consistency(TWO, word_by_word(TWO))
    # monk: 3 of 6 pairs (Mönch, Mönche and Mönch have one stem), robe: 1 of 1, king: 0 of 1.
    assert ltcr.score == pytest.approx(100 * 4 / 8)
    assert ltcr.counts == {
        "terms": 3,
        "occurrences": 8,
        "unaligned": 0,
        "pairs alike": 4,
        "pairs alike at most": 8,
    }
    # monk: 3 of 4, robe: 2 of 2, king: 1 of 2.
    assert frequent.score == pytest.approx(100 * 6 / 8)
    assert frequent.parts == {"monk": (75, 4), "robe": (100, 2), "king": (50, 2)}
    assert ltcr.parts["monk"] == (50, 4)


def test_exact_matches_count_inflected_forms_as_different():
    ltcr, frequent = lexical_consistency(TWO, word_by_word(TWO), match="exact")
    # monk: only Mönch and Mönch of 6 pairs.
    assert ltcr.score == pytest.approx(100 * 2 / 8)
    assert frequent.score == pytest.approx(100 * (2 + 2 + 1) / 8)
    assert "match:exact" in ltcr.signature


def test_documents_are_apart():
    apart = text([("king", "König")], [("king", "Herrscher")])
    with pytest.raises(InputError, match="no term occurs twice in a document"):
        lexical_consistency(apart, word_by_word(apart))


def test_function_words_numbers_and_short_words_are_not_terms():
    pairs = text([("the 12 ox because king", "x"), ("the 12 ox because king", "x")])
    assert {o.term for o in repeated_words(pairs)} == {("king",)}


def test_a_word_repeated_within_one_sentence_only_is_not_a_term():
    once = text([("king king", "König König"), ("ruler", "Herrscher")])
    assert repeated_words(once) == []
    also = text([("King king", "König König"), ("king", "König")])
    assert [(o.sentence, o.indices[0]) for o in repeated_words(also)] == [(0, 0), (0, 1), (1, 0)]


def test_function_words_are_taken_off_a_translation_unless_it_has_no_others():
    pairs = text([("king", "dem König ,"), ("king", "König"), ("king", "er"), ("king", "er !")])
    links = Alignment(
        [frozenset((0, j) for j in range(len(s.hypothesis))) for s in pairs.sentences], "file"
    )
    ltcr, _ = lexical_consistency(pairs, links)
    assert [o["translation"] for o in ltcr.occurrences] == ["konig", "konig", "er", "er"]
    assert ltcr.score == pytest.approx(100 * 2 / 6)


def test_occurrences_without_a_translation_are_left_out_and_said():
    pairs = text([("king", "König"), ("king", "König"), ("king", "")])
    ltcr, _ = lexical_consistency(pairs, word_by_word(pairs))
    assert (ltcr.score, ltcr.counts["unaligned"]) == (100, 1)
    assert "1 of 3 occurrences of terms are aligned with no word" in ltcr.notes[0]


def test_the_reference_can_be_looked_at_too():
    ltcr, _ = lexical_consistency(TWO, word_by_word(TWO), side="reference")
    assert "of:reference" in ltcr.signature


def test_a_list_of_terms_has_words_and_translations(tmp_path):
    path = tmp_path / "terms.tsv"
    path.write_text(
        "Middle Way\tmittlerer Weg\nking|ruler\nmiddle way\tMitte | Mittelweg\n", encoding="utf-8"
    )
    assert read_terms(path, ("en", "de")) == [
        Term(("middle", "way"), (("mittlerer", "weg"), ("mitte",), ("mittelweg",))),
        Term(("king",)),
        Term(("ruler",)),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("king\n\n", "line 2: is not a term"),
        ("a\tb\tc\n", "line 1"),
        ("a\t\n", "line 1"),
        ("|\tb\n", "line 1: has an empty term"),
        ("", "has no terms"),
    ],
)
def test_a_list_of_terms_that_is_none_is_an_error(tmp_path, content, message):
    path = tmp_path / "terms.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_terms(path, ("en", "de"))


def test_the_longest_term_is_found_and_terms_do_not_overlap():
    pairs = text([("the middle way way", "x")])
    terms = [Term(("way",)), Term(("middle",)), Term(("middle", "way"))]
    assert [(o.term, o.indices) for o in find_terms(pairs, terms)] == [
        (("middle", "way"), range(1, 3)),
        (("way",), range(3, 4)),
    ]


def test_consistency_of_listed_terms_of_several_words():
    pairs = text(
        [("middle way", "mittlerer Weg"), ("middle way", "mittlerem Weg"), ("way", "Pfad")]
    )
    ltcr, frequent = lexical_consistency(
        pairs, word_by_word(pairs), terms=[Term(("middle", "way")), Term(("way",))]
    )
    assert (ltcr.score, frequent.score) == (100, 100)
    assert ltcr.parts == {"middle way": (100, 2)}


def test_term_accuracy_by_hand():
    pairs = text(
        [
            ("king and king", "König und Königs"),  # 2 of 2: inflected
            ("king", "Herrscher"),  # 0 of 1
            ("king", "König König"),  # 1 of 1, however often
            ("middle way", "den mittleren Weg"),  # 1 of 1
            ("robe", "Kleid"),  # has no translation in the list
        ]
    )
    terms = [
        Term(("king",), (("könig",),)),
        Term(("middle", "way"), (("mitte",), ("mittlere", "weg"))),
        Term(("robe",)),
    ]
    score = term_accuracy(pairs, terms)
    assert score.score == pytest.approx(100 * 4 / 5)
    assert score.parts == {"king": (75, 4), "middle way": (100, 1)}
    assert term_accuracy(pairs, terms, match="exact").score == pytest.approx(100 * 2 / 5)


def test_term_accuracy_without_terms_to_count_is_an_error():
    with pytest.raises(InputError, match="no term of the list has a translation"):
        term_accuracy(TWO, [Term(("king",))])
    with pytest.raises(InputError, match="none of the terms occurs"):
        term_accuracy(TWO, [Term(("ship",), (("schiff",),))])


def test_a_language_without_function_words_needs_a_list():
    pairs = text([("rājā", "König"), ("rājā", "König")], languages=("pi", "de"))
    with pytest.raises(InputError, match=r"function words of 'pi'.*`terms`"):
        lexical_consistency(pairs, word_by_word(pairs))
    ltcr, _ = lexical_consistency(pairs, word_by_word(pairs), terms=[Term(("rājā",))])
    assert ltcr.score == 100


@pytest.mark.slow
def test_real_text_is_more_consistent_than_with_words_exchanged():
    dev = list(
        corpora.read(corpus_file("dev.en.xz"), corpus_file("dev.de.xz"), boundaries="markers")
    )
    mixed = [
        d.translated(
            [s.replace("Mönche", "Asketen") if i % 2 else s for i, s in enumerate(d.target)]
        )
        for d in dev
    ]
    text = Text.of(dev, mixed, dev, languages=("en", "de"))
    scores = {}
    for side in ("hypothesis", "reference"):
        links = align_words(
            [(stem(s.source, "en"), stem(getattr(s, side), "de")) for s in text.sentences]
        )
        scores[side] = lexical_consistency(text, links, side=side)
    ours, theirs = scores["hypothesis"][0], scores["reference"][0]
    assert 40 < ours.score < theirs.score < 100
    assert ours.parts["mendicants"][0] < theirs.parts["mendicants"][0] - 20
    assert theirs.parts["buddha"][0] > 70
