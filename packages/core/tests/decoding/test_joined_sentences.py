"""Whole instances translated freely (`instances.join_sentences`), as by the document-level
Transformer of Bao et al. 2021: from how they are packed to how their translations are scored."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.data import InstanceSettings, cut
from docmt_nmt.data.collate import collate
from docmt_nmt.data.dataset import InstanceDataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, SignificanceTest, compare, evaluate
from docmt_nmt.nn.batch import IGNORED
from docmt_nmt.recipes import Recipe
from docmt_nmt.training import train
from toy import toy_recipe

JOINED = InstanceSettings(kind="tokens", max_tokens=16, join_sentences=True)


def joined_recipe(corpus: Path, **sections: Any) -> Recipe:
    keys = {"kind": "tokens", "max_tokens": 16, "join_sentences": True}
    metrics = {"metrics": ["d-bleu", "instance-bleu"]}
    return toy_recipe(corpus, instances=keys, evaluation=metrics, **sections)


@pytest.fixture(scope="module")
def run(tinier_corpus: Path, tmp_path_factory: pytest.TempPathFactory):
    """A short run whose checkpoints are selected by BLEU, so that validation translates."""
    recipe = joined_recipe(
        tinier_corpus, training={"best_checkpoint_metric": "d-bleu", "max_steps": 60}
    )
    return train(recipe, tmp_path_factory.mktemp("joined") / "run", progress=False)


@pytest.fixture(scope="module")
def documents(tinier_corpus: Path) -> list[Document]:
    return list(corpora.read(tinier_corpus / "test.en", tinier_corpus / "test.de"))


def command(*arguments: object) -> Any:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_the_sentences_of_an_instance_are_packed_as_one(run) -> None:
    corpus = PreparedCorpus.load(run.directory / "data")
    split, special_tokens = corpus.split("train"), run.pipeline.special_tokens
    joined = InstanceDataset(split, JOINED, special_tokens)
    apart = InstanceDataset(
        split, JOINED.model_copy(update={"join_sentences": False}), special_tokens
    )
    assert len(joined) == len(apart)
    assert max(instance.joined for instance in joined) > 1
    for index in range(20):
        one, several = joined[index], apart[index]
        packed, expected = collate([one], special_tokens), collate([several], special_tokens)
        assert (len(packed.source.sentences), len(packed.target.sentences)) == (1, 1)
        assert one.document_sentences == len(several.source) == len(expected.source.sentences)
        assert joined.source_tokens[index] == len(packed.source.tokens)
        assert joined.target_tokens[index] == len(packed.target.tokens)
        special = {special_tokens.target_begin, special_tokens.target_end}
        words = [i for i in expected.target.tokens.tolist() if i not in special]
        begin, *inside, end = packed.target.tokens.tolist()
        assert (begin, inside, end) == (
            special_tokens.target_begin,
            words,
            special_tokens.target_end,
        )
        # Every token is learned, the end of the text among them, and nothing else is.
        assert packed.labels.tolist() == [*words, special_tokens.target_end, IGNORED]


def test_it_is_cut_where_other_systems_cut(run, documents: list[Document]) -> None:
    special_tokens = run.pipeline.special_tokens
    for document in map(run.pipeline.encode, documents):
        apart = cut(document, JOINED.model_copy(update={"join_sentences": False}), special_tokens)
        joined = cut(document, JOINED, special_tokens)
        assert [(i.first, len(i.source)) for i in apart] == [(i.first, i.joined) for i in joined]


def test_a_translation_has_a_text_for_each_instance(run, documents: list[Document]) -> None:
    progress: list[tuple[int, int]] = []
    translator = BeamSearchTranslator.load(run.directory)
    found = translator.translate(
        documents, progress=lambda done, total: progress.append((done, total))
    )
    sentences = sum(map(len, documents))
    assert progress[-1] == (sentences, sentences)
    for document, translation in zip(documents, found, strict=True):
        text = translation.document
        assert text.joined == translation.chunks
        assert sum(translation.chunks) == len(document)
        assert len(text.source) == len(translation.log_probabilities) == len(translation.chunks)
        offsets = np.cumsum([0, *translation.chunks]).tolist()
        assert text.source == tuple(" ".join(document.source[a:b]) for a, b in pairwise(offsets))
    assert any(len(t.chunks) < len(d) for d, t in zip(documents, found, strict=True))


def test_empty_sentences_take_no_part(run) -> None:
    translator = BeamSearchTranslator.load(run.directory)
    full = Document("a", ("one two", "three four five", "six seven eight nine"))
    gaps = Document("a", ("", "one two", " ", "three four five", "six seven eight nine", ""))
    nothing = Document("b", ("", " "))
    (expected,), (found, empty) = (
        translator.translate([full]),
        translator.translate([gaps, nothing]),
    )
    assert found.document.target == expected.document.target
    assert found.document.source == expected.document.source
    assert sum(found.chunks) == 6
    assert (empty.document.target, empty.chunks) == (("",), (2,))


def test_it_is_scored_by_document_and_by_instance(run, documents: list[Document]) -> None:
    found = [t.document for t in BeamSearchTranslator.load(run.directory).translate(documents)]
    by_document, by_instance = evaluate(
        found, documents, MetricSettings(metrics=["d-bleu", "instance-bleu"])
    )
    texts = [" ".join(d.target or ()) for d in found]
    references = [" ".join(d.target or ()) for d in documents]
    assert by_document.score == pytest.approx(sacrebleu.corpus_bleu(texts, [references]).score)
    texts = [text for d in found for text in d.target or ()]
    references = [
        text
        for ours, theirs in zip(found, documents, strict=True)
        for text in theirs.join(ours.joined or ()).target or ()
    ]
    assert by_instance.score == pytest.approx(sacrebleu.corpus_bleu(texts, [references]).score)
    assert by_instance.segments == len(texts)
    assert by_instance.sentences == sum(map(len, documents))
    with pytest.raises(InputError, match="one text for each instance"):
        evaluate(found, documents, MetricSettings(metrics=["s-bleu"]))
    short = [Document(d.id, d.source[1:], (d.target or ())[1:]) for d in documents]
    with pytest.raises(InputError, match=r"'\S+'\) has \d sentences in the translation but \d in"):
        evaluate(found, short, MetricSettings(metrics=["d-bleu"]))


def test_it_is_compared_with_a_translation_by_sentence(run, documents: list[Document]) -> None:
    found = [t.document for t in BeamSearchTranslator.load(run.directory).translate(documents)]
    metrics = ["d-bleu", "instance-bleu"]
    for ours, theirs in ((found, documents), (documents, found)):
        by_document, by_instance = compare(
            ours, theirs, documents, MetricSettings(metrics=metrics), SignificanceTest(trials=10)
        )
        assert 100 in map(round, (by_document.score, by_document.baseline))
        assert by_instance.segments == sum(map(len, found))
    whole = [d.join([len(d)]) for d in documents]
    assert compare(
        found, whole, documents, MetricSettings(metrics=["d-bleu"]), SignificanceTest(trials=10)
    )
    with pytest.raises(InputError, match="cut into other instances"):
        compare(
            found, whole, documents, MetricSettings(metrics=metrics), SignificanceTest(trials=10)
        )


def test_from_the_shell(run, tinier_corpus: Path, tmp_path: Path) -> None:
    source, reference = tinier_corpus / "test.en", tinier_corpus / "test.de"
    output = tmp_path / "out.jsonl"
    translate = ("translate", "--run", run.directory, "--segmented", source)
    for form in ("same", "tsv"):
        refused = command(*translate, "--output-format", form, "-o", tmp_path / "no.de")
        assert refused.exit_code == 2
        assert "whole instances freely (instances.join_sentences)" in refused.stderr
        assert "--output-format jsonl" in refused.stderr
        assert not (tmp_path / "no.de").exists()
    done = command(
        *translate, "--output-format", "jsonl", "--log-probabilities", "--n-best", 2, "-o", output
    )
    assert done.exit_code == 0, done.output
    for line in map(json.loads, output.read_text().splitlines()):
        assert line["joined_sentences"] == line["chunks"]
        assert len(line["target"]) == len(line["source"]) == len(line["log_probabilities"])
    files = ("evaluate", "--hypothesis", output, "--reference", reference, "--json")
    alone, by_run = command(*files), command(*files, "--run", run.directory)
    assert alone.exit_code == by_run.exit_code == 0, alone.output + by_run.output
    names = [score["name"] for score in json.loads(alone.stdout)["scores"]]
    assert names == ["d-BLEU", "instance-BLEU", "d-chrF"]
    split = command(
        "evaluate",
        "--run",
        run.directory,
        "--split",
        "test",
        "--json",
        "-o",
        tmp_path / "split.jsonl",
    )
    both = [json.loads(result.stdout)["scores"] for result in (split, by_run)]
    assert [[score["score"] for score in scores] for scores in both] == [
        [score["score"] for score in both[1]]
    ] * 2
    again = command(
        "evaluate",
        "--hypothesis",
        tmp_path / "split.jsonl",
        "--reference",
        reference,
        "--run",
        run.directory,
        "--json",
    )
    assert again.stdout == by_run.stdout
    refused = command(
        "evaluate", "--run", run.directory, "--split", "test", "-o", tmp_path / "x.de"
    )
    assert (refused.exit_code, (tmp_path / "x.de").exists()) == (2, False)
    refused = command(*files, "--metric", "s-bleu")
    assert refused.exit_code == 2
    assert "d-bleu, d-chrf or instance-bleu" in refused.stderr


@pytest.mark.parametrize("joined", ["1", "[1]", "[2, 0]", "[1.5, 1]", '["1", "1"]', "[true, 1]"])
def test_numbers_of_joined_sentences_in_a_file_are_checked(joined: str, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(
        f'{{"id": "a", "source": ["b", "c"], "target": ["d", "e"], "joined_sentences": {joined}}}'
    )
    with pytest.raises(
        InputError, match="'joined_sentences' is not a list of positive integers"
    ) as error:
        list(corpora.read(path))
    assert (error.value.path, error.value.line) == (path, 1)


def test_a_document_says_of_each_text_what_it_was_joined_from() -> None:
    with pytest.raises(InputError, match="how many sentences it was joined from"):
        Document("a", ("b", "c"), joined=(2,))


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (
            {"system": {"name": "g-transformer"}},
            "needs system.name transformer; g-transformer must",
        ),
        ({"system": {"count_positions": "sentence"}}, "system.count_positions: sentence has no"),
        ({"training": {"best_checkpoint_metric": "s-bleu"}}, "metric s-bleu compares sentences"),
        ({"evaluation": {"metrics": ["d-bleu", "ter"]}}, "evaluation.metrics ter compares"),
        ({"instances": {"kind": "sentence"}}, "join_sentences: true has no effect with kind"),
        ({"instances": {"kind": "masked", "window": 3}}, "join_sentences: true has no effect"),
    ],
)
def test_what_does_not_go_with_it_is_an_error(
    tmp_path: Path, sections: dict[str, Any], message: str
) -> None:
    values = {
        "data": {"train": {"source": "a", "target": "b"}},
        "instances": {"kind": "window", "window": 2, "join_sentences": True},
        "evaluation": {"metrics": ["d-bleu"]},
        "training": {"patience": 1},
    }
    changed = {key: {**values.get(key, {}), **section} for key, section in sections.items()}
    with pytest.raises(InputError, match=message):
        Recipe.read({**values, **changed})


@pytest.mark.parametrize(
    ("section", "keys", "message"),
    [
        ("search", {"windows": "sliding"}, "search.windows sliding takes single sentences"),
        ("training", {"copied_context": 0.5}, "training.copied_context cannot be used"),
    ],
)
def test_neither_do_single_sentences_of_windows(
    section: str, keys: dict[str, Any], message: str
) -> None:
    instances = {"kind": "window", "window": 2, "join_sentences": True}
    values = {"data": {}, "instances": instances, "evaluation": {"metrics": ["d-bleu"]}}
    with pytest.raises(InputError, match=message):
        Recipe.read({**values, section: keys})


def test_it_is_public() -> None:
    assert docmt_nmt.Document("a", ("b", "c"), ("d", "e")).join([2]).target == ("d e",)
