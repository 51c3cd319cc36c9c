"""Instances of documents are counted as the system cuts them."""

from __future__ import annotations

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data import InstanceSettings, cut
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.evaluation.instance_sizes import instance_sizes
from docmt_nmt.text import Pipeline, TextSettings


def pipeline_of(documents: list[Document]) -> Pipeline:
    settings = TextSettings(subword="words", vocabulary_size=2000)

    def source() -> list[str]:
        return [sentence for d in documents for sentence in d.source]

    return Pipeline.fit(settings, source, source, languages=("en", "en"))


def test_instances_are_those_the_source_is_cut_into():
    documents = [Document("a", ("one two", "three", "four five six")), Document("b", ("seven",))]
    pipeline = pipeline_of(documents)
    # Words and two special tokens per sentence: 4, 3, 5; 3.
    for tokens, expected in ((4, [1, 1, 1, 1]), (7, [2, 1, 1]), (12, [3, 1]), (100, [3, 1])):
        settings = InstanceSettings(kind="tokens", max_tokens=tokens)
        assert instance_sizes(documents, pipeline, settings) == expected
    windows = InstanceSettings(kind="window", window=2)
    assert instance_sizes(documents, pipeline, windows) == [2, 1, 1]


def test_a_long_target_side_does_not_change_the_instances():
    source = Document("a", ("one two", "three"))
    pipeline = pipeline_of([source])
    settings = InstanceSettings(kind="tokens", max_tokens=7)
    assert instance_sizes([source.translated(["a " * 50, "b"])], pipeline, settings) == [2]


def test_real_documents_are_scored_by_instance():
    documents = list(corpora.read(corpus_file("test.en.xz"), corpus_file("test.de.xz")))
    pipeline, settings = pipeline_of(documents), InstanceSettings(kind="tokens", max_tokens=512)
    sizes = instance_sizes(documents, pipeline, settings)
    assert sum(sizes) == sum(len(d) for d in documents)
    assert len(documents) < len(sizes) < len(documents) * 10
    assert len(sizes) == sum(
        len(cut(pipeline.encode(Document(d.id, d.source)), settings, pipeline.special_tokens))
        for d in documents
    )
    (score,) = evaluate(
        documents, documents, MetricSettings(metrics=["instance-bleu"], instances=sizes)
    )
    assert (round(score.score), score.segments) == (100, len(sizes))
