"""Expected scores come from counts worked out by hand or, on real text, from a second
implementation of BLEU below. sacrebleu, which computes the scores under test, only says which
defaults its users have."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.tokenizers import tokenizer_13a, tokenizer_ja_mecab, tokenizer_re

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.evaluation.metrics import METRICS, metric_kind
from docmt_nmt.evaluation.segments import ParallelDocuments
from docmt_nmt.evaluation.significance import segment_statistics

ALL = tuple(name for name in METRICS if name not in ("multi-bleu", "comet", "doc-comet"))
"""The metrics that need to know nothing but the text."""


def documents(*sides: list[str]) -> list[Document]:
    return [Document(str(i), tuple(side), tuple(side)) for i, side in enumerate(sides, 1)]


def score(hypotheses, references, metric, **settings) -> float:
    return evaluate(hypotheses, references, MetricSettings(metrics=[metric], **settings))[0].score


def from_counts(matched: list[int], total: list[int], translated: int, expected: int) -> float:
    """BLEU from counts: Papineni et al. 2002, section 2.3, with the smoothing of mteval-v13a,
    where the k-th order without a match counts as 1 / 2^k matches."""
    product, halved = 1.0, 1.0
    for match, of in zip(matched, total, strict=True):
        if match == 0:
            halved /= 2
        product *= (match or halved) / of
    brevity = 1.0 if translated >= expected else math.exp(1 - expected / translated)
    return 100 * brevity * product**0.25


# hypothesis, reference, matches and n-grams for n = 1..4, tokens, expected score
SENTENCES = [
    pytest.param(
        "the cat sat on the mat",
        "the cat sat on a mat today",
        [5, 3, 2, 1],
        [6, 5, 4, 3],
        6,
        7,
        45.480190470,
        id="one the too many, and too short: (1/12)^(1/4) · exp(1 - 7/6)",
    ),
    pytest.param(
        "a b c d e",
        "a b x d e",
        [4, 2, 0, 0],
        [5, 4, 3, 2],
        5,
        5,
        30.213753974,
        id="two orders without a match, smoothed: (4/5 · 2/4 · 1/6 · 1/8)^(1/4)",
    ),
    pytest.param(
        "x x x x x x",
        "x y z x",
        [2, 0, 0, 0],
        [6, 5, 4, 3],
        6,
        4,
        9.652434877,
        id="a word counts as often as in the reference: (2/6 · 1/10 · 1/16 · 1/24)^(1/4)",
    ),
    pytest.param(
        "It costs 3.5 euros, no?",
        "It costs 3.5 euros, yes?",
        [6, 4, 3, 2],
        [7, 6, 5, 4],
        7,
        7,
        64.345888416,
        id="13a keeps 3.5 whole and cuts off punctuation: (6/7 · 4/6 · 3/5 · 2/4)^(1/4)",
    ),
]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "matched", "total", "translated", "expected_tokens", "expected"),
    SENTENCES,
)
def test_bleu_is_what_counting_by_hand_gives(
    hypothesis, reference, matched, total, translated, expected_tokens, expected
):
    by_hand = from_counts(matched, total, translated, expected_tokens)
    (got,) = evaluate(
        documents([hypothesis]), documents([reference]), MetricSettings(metrics=["s-bleu"])
    )
    assert got.score == pytest.approx(by_hand, abs=1e-10)
    assert got.score == pytest.approx(expected, abs=1e-9)
    assert (got.hypothesis_length, got.reference_length) == (translated, expected_tokens)


def test_d_bleu_matches_across_the_sentences_of_a_document_and_s_bleu_does_not():
    hypothesis = documents(["the dog barks", "it is loud enough"], ["all is well"])
    reference = documents(["the dog barks", "it was loud enough"], ["all is well"])
    # Within sentences: the 3 | it, loud, enough | 3; the, dog | loud enough | 2; 1 | 0 | 1; 0 of 1.
    by_sentence = from_counts([9, 5, 2, 0], [10, 7, 4, 1], 10, 10)
    # Across: "barks it", "dog barks it" and "the dog barks it" match as well.
    by_document = from_counts([9, 6, 3, 1], [10, 8, 6, 4], 10, 10)
    assert score(hypothesis, reference, "s-bleu") == pytest.approx(by_sentence, abs=1e-10)
    assert score(hypothesis, reference, "d-bleu") == pytest.approx(by_document, abs=1e-10)


def test_d_bleu_forgives_a_word_that_moved_to_the_next_sentence():
    hypothesis, reference = documents(["a b", "c d"]), documents(["a b c", "d"])
    assert score(hypothesis, reference, "d-bleu") == pytest.approx(100)
    assert score(hypothesis, reference, "s-bleu") == 0


def test_bleu_takes_matches_from_any_reference_and_the_length_of_the_closest():
    hypothesis = documents(["a a b c"])
    references = [documents(["a b c d e f"]), documents(["a a b"])]
    # "a a" is in one reference, "b c" in the other, and no 4-gram in either; 3 is closer than 6.
    expected = from_counts([4, 3, 2, 0], [4, 3, 2, 1], 4, 3)
    (got,) = evaluate(hypothesis, references, MetricSettings(metrics=["s-bleu"]))
    assert got.score == pytest.approx(expected, abs=1e-10)
    assert got.settings.startswith("nrefs:2|")


@pytest.mark.parametrize(
    ("hypothesis", "reference", "metric", "expected"),
    [
        # Characters: P 1, R 2/3; pairs: P 1, R 1/2. F2 of P 1 and R 7/12 is 35/55.
        pytest.param(["ab"], ["abc"], "s-chrf", 100 * 35 / 55, id="recall counts four times"),
        pytest.param(["a", "b"], ["a", "c"], "s-chrf", 50.0, id="one of two characters"),
        # "ab" against "ac": characters 1/2, pairs 0/1, so P = R = 1/4.
        pytest.param(["a", "b"], ["a", "c"], "d-chrf", 25.0, id="pairs across sentences"),
        pytest.param(["a b d"], ["a b c d"], "ter", 25.0, id="one word inserted of four"),
        pytest.param(["c a b"], ["a b c"], "ter", 100 / 3, id="one shift of three"),
        pytest.param(["a b x y z"], ["a b"], "ter", 150.0, id="more edits than words"),
    ],
)
def test_chrf_and_ter_are_what_counting_by_hand_gives(hypothesis, reference, metric, expected):
    got = score(documents(hypothesis), documents(reference), metric)
    assert got == pytest.approx(expected, abs=1e-10)


def test_case_counts_by_default_but_in_ter():
    hypothesis, reference = documents(["The Dog Barks Here ."]), documents(["the dog barks here ."])
    for metric in ALL:
        best = 0 if metric == "ter" else 100
        instances = {"instances": [1]}
        (cased,), (lowered,) = (
            evaluate(
                hypothesis,
                reference,
                MetricSettings(metrics=[metric], lowercase=lowercase, **instances),
            )
            for lowercase in (None, True)
        )
        assert lowered.score == pytest.approx(best)
        assert "case:lc" in lowered.settings
        assert (cased.score == pytest.approx(best)) == (metric == "ter")
        assert ("case:lc" in cased.settings) == (metric == "ter")


@pytest.mark.parametrize("lowercase", [None, False, True])
@pytest.mark.parametrize(("name", "metric"), [("s-bleu", BLEU), ("s-chrf", CHRF), ("ter", TER)])
def test_scores_and_signatures_are_those_of_sacrebleu(name, metric, lowercase):
    # sacrebleu's `--lowercase` is of BLEU and chrF.
    theirs = metric(lowercase=True) if lowercase and name != "ter" else metric()
    draw = random.Random(7)
    words = ["The", "the", "dog", "Dog", "barks", ",", ".", "loudly", "LOUDLY", "to", "To", "us"]
    reference = [" ".join(draw.choices(words, k=draw.randint(3, 12))) for _ in range(60)]
    hypothesis = [
        " ".join(
            draw.choice((w, w.swapcase(), "x")) if draw.random() < 0.3 else w for w in s.split()
        )
        for s in reference
    ]
    expected = theirs.corpus_score(hypothesis, [reference])
    settings = MetricSettings(metrics=[name], lowercase=lowercase)
    (found,) = evaluate(documents(hypothesis), documents(reference), settings)
    assert found.score == pytest.approx(expected.score, abs=1e-10)
    assert found.settings == str(theirs.get_signature())


def test_chinese_is_compared_by_character():
    hypothesis, reference = documents(["我爱你们"]), documents(["我爱他们"])
    expected = from_counts([3, 1, 0, 0], [4, 3, 2, 1], 4, 4)
    for language in ("zh", "zh-Hant", "zh_CN", "zho_Hans", "cmn"):
        (got,) = evaluate(
            hypothesis, reference, MetricSettings(metrics=["s-bleu"], language=language)
        )
        assert got.score == pytest.approx(expected, abs=1e-10)
        assert "tok:zh" in got.settings
    # One edit of four characters.
    assert score(hypothesis, reference, "ter", language="zh") == pytest.approx(25)


@pytest.mark.parametrize("text", ["我爱他们", "ฉันรักพวกเขา", "彼らを愛している", "ខ្ញុំស្រលាញ់ពួកគេ"])
@pytest.mark.parametrize("metric", ["s-bleu", "d-bleu", "ter"])
def test_text_without_spaces_needs_a_language_or_a_tokenizer(text, metric):
    both = documents([text])
    settings = MetricSettings(metrics=[metric])
    with pytest.raises(InputError, match="Name the target language"):
        evaluate(both, both, settings)
    with pytest.raises(InputError, match="Name the target language"):
        segment_statistics(metric_kind(metric), ParallelDocuments.of(both, both), settings)
    assert evaluate(both, both, MetricSettings(metrics=["s-chrf"]))[0].score > 99
    settings = MetricSettings(metrics=[metric], tokenize="char")
    assert evaluate(both, both, settings)[0].settings


def test_a_name_in_another_script_is_no_reason():
    both = documents(["Kyoto (京都) is a city."])
    assert evaluate(both, both, MetricSettings(metrics=["s-bleu"]))[0].score > 99


def test_languages_without_spaces_are_compared_by_character():
    thai = documents(["ภาษาไทย"])
    (got,) = evaluate(thai, thai, MetricSettings(metrics=["s-bleu"], language="th"))
    assert got.score == pytest.approx(100)
    assert "tok:char" in got.settings


def test_the_tokenizer_that_is_asked_for_is_used():
    hypothesis, reference = documents(["a,b c,d e"]), documents(["a,b c,d e"])
    (got,) = evaluate(
        hypothesis, reference, MetricSettings(metrics=["s-bleu"], tokenize="none", language="zh")
    )
    assert "tok:none" in got.settings
    assert got.hypothesis_length == 3


def test_a_tokenizer_that_is_not_installed_is_an_error_with_its_package(monkeypatch):
    monkeypatch.setattr(tokenizer_ja_mecab, "MeCab", None)
    with pytest.raises(InputError, match=r"'ja-mecab' cannot be loaded.*sacrebleu\[ja\]"):
        evaluate(documents(["猫"]), documents(["猫"]), MetricSettings(language="ja"))
    # It is needed for BLEU alone.
    assert score(documents(["猫がいる"]), documents(["猫がいる"]), "s-chrf", language="ja") == 100


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"metrics": ["s-blue"]}, "unknown metric 's-blue'. Did you mean 's-bleu'?"),
        ({"metrics": ["apt"]}, "apt is not a metric of `docmt evaluate`. Use `docmt discourse "),
        ({"metrics": ["bleurt"]}, "unknown metric 'bleurt'. Did you mean "),
        ({"metrics": ["xyz"]}, "unknown metric 'xyz'. Known: s-bleu, d-bleu, "),
        ({"tokenize": "13b"}, "unknown tokenizer '13b'. Did you mean '13a'?"),
        ({"metrics": ["instance-bleu"]}, "needs the number of sentences in each instance"),
    ],
)
def test_a_wrong_setting_is_an_error_that_says_what_to_do(wrong, message):
    with pytest.raises(InputError) as caught:
        evaluate(documents(["a"]), documents(["a"]), MetricSettings(**wrong))
    assert message in str(caught.value)


def test_empty_translations_are_scored_and_counted():
    hypothesis = documents(["", "all is well here", " "], ["", ""])
    reference = documents(["one", "all is well here", "three"], ["four", "five"])
    scores = evaluate(hypothesis, reference, MetricSettings(metrics=ALL, instances=[2, 1, 1, 1]))
    assert [s.empty for s in scores] == [4] * len(ALL)
    assert all(" · empty 4 · " in s.signature for s in scores)
    # All n-grams match; 4 tokens against 8.
    by_hand = 100 * math.exp(1 - 8 / 4)
    assert scores[0].score == pytest.approx(by_hand)
    assert scores[1].score == pytest.approx(by_hand)


def test_a_translation_of_nothing_but_empty_sentences_is_worth_nothing():
    scores = evaluate(
        documents(["", ""]), documents(["a b", "c"]), MetricSettings(metrics=ALL, instances=[1, 1])
    )
    assert {s.name: s.score for s in scores if s.name != "TER"} == {
        "s-BLEU": 0,
        "d-BLEU": 0,
        "instance-BLEU": 0,
        "mteval-v13a": 0,
        "s-chrF": 0,
        "d-chrF": 0,
    }
    assert scores[-1].score == 100


def test_a_score_that_misleads_says_so():
    same = "the translation is the same as a reference"
    short = evaluate(documents(["yes"]), documents(["yes"]), MetricSettings(metrics=["s-bleu"]))[0]
    assert short.score == 0
    assert "no translated segment has four tokens" in short.notes[1]
    smoothed = evaluate(
        documents(["a b c d"]), documents(["a b c e"]), MetricSettings(metrics=["s-bleu"])
    )[0]
    assert "smoothed" in smoothed.notes[0]
    cut = documents(["This is the end ."])
    assert "tokenized" in evaluate(cut, cut, MetricSettings(metrics=["s-bleu"]))[0].notes[1]
    assert evaluate(cut, cut, MetricSettings(metrics=["s-bleu"], tokenize="none"))[0].notes == (
        same,
    )
    running = documents(["This is the end."])
    assert evaluate(running, running, MetricSettings(metrics=["s-bleu"]))[0].notes == (same,)
    other = documents(["This is the end of it."])
    assert evaluate(running, other, MetricSettings(metrics=["s-bleu"]))[0].notes == ()


def test_the_signature_says_what_was_compared():
    hypothesis = documents(["all of this is well.", "b"], ["c"])
    d_bleu, by_instance = evaluate(
        hypothesis,
        hypothesis,
        MetricSettings(metrics=["d-bleu", "instance-bleu"], instances=[1, 1, 1]),
    )
    assert str(d_bleu).startswith(
        "d-BLEU 100.00 · docs 2 · sents 3 · unit document · nrefs:1|case:mixed|eff:no|tok:13a|"
        "smooth:exp|version:"
    )
    assert "unit instance · instances 3 · nrefs:1" in str(by_instance)
    assert (d_bleu.segments, by_instance.segments) == (2, 3)


def test_scoring_keeps_no_text():
    hypothesis = documents(["all of this is well.", "so it is"])
    evaluate(hypothesis, hypothesis, MetricSettings(metrics=ALL, instances=[1, 1]))
    for tokenizer in (tokenizer_13a.Tokenizer13a, tokenizer_re.TokenizerRegexp):
        assert tokenizer.__call__.cache_info().currsize == 0


# Real text: the references of the bundled test set, and a translation that spoils them.


@pytest.fixture(scope="module")
def references() -> list[Document]:
    return [d.translated(d.source) for d in corpora.read(corpus_file("test.de.xz"))]


@pytest.fixture(scope="module")
def hypotheses(references) -> list[Document]:
    def spoil(number: int, sentence: str) -> str:
        words = sentence.split()
        kept = [w for index, w in enumerate(words) if (index + number) % 7]
        return " ".join(kept if number % 5 else [*kept[::-1], "etwas"])

    return [d.translated([spoil(n, s) for n, s in enumerate(d.source)]) for d in references]


def reimplemented_bleu(pairs: list[tuple[str, str]]) -> float:
    """BLEU of segments whose tokens stand between spaces (Papineni et al. 2002)."""
    matched, total = [0] * 4, [0] * 4
    for pair in pairs:
        words, expected = (side.split() for side in pair)
        for n in range(1, 5):
            ours = Counter(zip(*(words[i:] for i in range(n)), strict=False))
            theirs = Counter(zip(*(expected[i:] for i in range(n)), strict=False))
            matched[n - 1] += sum((ours & theirs).values())
            total[n - 1] += sum(ours.values())
    return from_counts(
        matched, total, sum(len(a.split()) for a, _ in pairs), sum(len(b.split()) for _, b in pairs)
    )


def test_on_real_text_bleu_of_every_unit_agrees_with_another_implementation(hypotheses, references):
    instances = [n for d in references for n in ([5] * (len(d) // 5) + [len(d) % 5]) if n]
    ours = [s for d in hypotheses for s in d.target]
    theirs = [s for d in references for s in d.target]
    ends = [sum(instances[: i + 1]) for i in range(len(instances))]
    chunks = [slice(end - size, end) for size, end in zip(instances, ends, strict=True)]
    expected = {
        "s-BLEU": list(zip(ours, theirs, strict=True)),
        "d-BLEU": [
            (" ".join(a.target), " ".join(b.target))
            for a, b in zip(hypotheses, references, strict=True)
        ],
        "instance-BLEU": [(" ".join(ours[p]), " ".join(theirs[p])) for p in chunks],
    }
    metrics = [name.lower() for name in expected]
    got = evaluate(
        hypotheses,
        references,
        MetricSettings(metrics=metrics, tokenize="none", instances=instances),
    )
    assert {s.name: s.score for s in got} == pytest.approx(
        {name: reimplemented_bleu(pairs) for name, pairs in expected.items()}, abs=1e-9
    )
    assert [s.segments for s in got] == [len(theirs), len(references), len(instances)]


@pytest.mark.slow
def test_a_perfect_translation_of_real_text_is_worth_a_hundred(references):
    instances = [len(d) for d in references]
    scores = evaluate(references, references, MetricSettings(metrics=ALL, instances=instances))
    assert {s.name: s.score for s in scores} == pytest.approx(
        {s.name: 0 if s.name == "TER" else 100 for s in scores}
    )
