"""multi-BLEU and mteval-v13a are what multi-bleu.perl and mteval-v13a.pl of Moses print.

The expected numbers were computed by these scripts, on the files that the functions below make of
the bundled test set: for multi-bleu.perl tokenized, for mteval-v13a.pl as running text.
"""

from __future__ import annotations

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.text import Pipeline, TextSettings


def _spoiled(number: int, sentence: str) -> str:
    words = sentence.split()
    kept = [w for index, w in enumerate(words) if (index + number) % 7]
    return " ".join(kept if number % 5 else [*kept[::-1], "etwas"])


def _reworded(sentence: str) -> str:
    return " ".join(sentence.replace("nicht", "niemals").split()[:-1]) or sentence


REFERENCE = [d.translated(d.source) for d in corpora.read(corpus_file("test.de.xz"))]
SECOND = [d.translated([_reworded(s) for s in d.source]) for d in REFERENCE]
HYPOTHESIS = [
    d.translated([_spoiled(number, s) for number, s in enumerate(d.source)]) for d in REFERENCE
]


@pytest.mark.by_default(3)
@pytest.mark.parametrize(
    ("references", "lowercase", "bleu", "lengths"),
    [
        ([REFERENCE], False, 57.46, (10072, 11648)),
        ([SECOND], False, 54.29, (10072, 10088)),
        ([REFERENCE, SECOND], False, 64.34, (10072, 10509)),
        ([REFERENCE], True, 57.49, (10072, 11648)),
        ([SECOND], True, 54.32, (10072, 10088)),
        ([REFERENCE, SECOND], True, 64.37, (10072, 10509)),
    ],
)
def test_multi_bleu_is_that_of_the_script(references, lowercase, bleu, lengths):
    (got,) = evaluate(
        HYPOTHESIS,
        references,
        MetricSettings(metrics=["multi-bleu"], language="de", lowercase=lowercase),
    )
    assert round(got.score, 2) == bleu
    assert (got.hypothesis_length, got.reference_length) == lengths
    assert "tok:moses-de|smooth:none" in got.settings


@pytest.mark.by_default(3)
@pytest.mark.parametrize(
    ("references", "lowercase", "bleu", "lengths"),
    [
        ([REFERENCE], False, 57.7502, (9987, 11462)),
        ([SECOND], False, 53.8760, (9987, 9914)),
        ([REFERENCE, SECOND], False, 64.5068, (9987, 10357)),
        ([REFERENCE], True, 57.8180, (9987, 11462)),
        ([SECOND], True, 53.9560, (9987, 9914)),
        ([REFERENCE, SECOND], True, 64.5825, (9987, 10357)),
    ],
)
def test_mteval_v13a_is_that_of_the_script(references, lowercase, bleu, lengths):
    (got,) = evaluate(
        HYPOTHESIS, references, MetricSettings(metrics=["mteval-v13a"], lowercase=lowercase)
    )
    assert round(got.score, 4) == bleu
    assert (got.hypothesis_length, got.reference_length) == lengths
    assert "tok:13a" in got.settings


def test_mteval_v13a_splits_every_language_alike():
    documents = [Document("a", ("我爱你们",), ("我爱你们",))]
    (got,) = evaluate(documents, documents, MetricSettings(metrics=["mteval-v13a"], language="zh"))
    assert "tok:13a" in got.settings


def test_multi_bleu_without_a_match_of_four_words_is_zero():
    ours, theirs = (
        [Document("a", (text,), (text,))] for text in ("a b c x d e f", "a b c y d e f")
    )
    (got,) = evaluate(ours, theirs, MetricSettings(metrics=["multi-bleu"], language="en"))
    assert (got.score, got.notes) == (
        0,
        ("no 4-gram matches a reference, so BLEU is 0 by definition",),
    )


def _pipeline(language: str = "de", **settings: object) -> Pipeline:
    text = ["Das ist (so) gut, oder?", "Es ist so."]
    return Pipeline.fit(
        TextSettings.read({"vocabulary_size": 300, **settings}),
        lambda: text,
        lambda: text,
        languages=("en", language),
    )


def test_multi_bleu_compares_the_words_of_the_runs_pipeline():
    pipeline = _pipeline(normalize="moses", tokenize="moses", case="truecase", subword="words")
    text = "Das ist „so” gut,oder?"
    assert pipeline.words(text) == 'Das ist " so " gut , oder ?'
    documents = [Document("a", (text,), (text,))]
    (got,) = evaluate(
        documents, documents, MetricSettings(metrics=["multi-bleu"], pipeline=pipeline)
    )
    assert got.hypothesis_length == 9
    assert "tok:moses+moses-de|" in got.settings


def test_multi_bleu_of_subwords_of_raw_text_compares_words_of_moses():
    pipeline = _pipeline(subword="words")
    assert pipeline.word_steps() == ""
    documents = [Document("a", ("Gut, so.",), ("Gut, so.",))]
    (got,) = evaluate(
        documents,
        documents,
        MetricSettings(metrics=["multi-bleu"], pipeline=pipeline, language="de"),
    )
    assert got.hypothesis_length == 4
    assert "tok:moses-de|" in got.settings


@pytest.mark.parametrize(
    ("language", "message"),
    [(None, "depends on the language"), ("zh", "the Moses tokenizer cannot split 'zh'")],
)
def test_multi_bleu_without_words_is_an_error(language, message):
    documents = [Document("a", ("x",), ("x",))]
    with pytest.raises(InputError, match=message):
        evaluate(documents, documents, MetricSettings(metrics=["multi-bleu"], language=language))
