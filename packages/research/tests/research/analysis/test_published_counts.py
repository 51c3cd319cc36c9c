"""A prepared corpus beside the sizes that Bao et al. 2021 print in Table 1."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_files.base.packaged_tables import read_table
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.preparation import prepare
from docmt_nmt.recipes import load
from docmt_research.analysis import published_counts
from docmt_research.analysis.published_counts import (
    CountCheck,
    PublishedCorpus,
    check_counts,
    require_counts,
)
from toy import write_real_corpus


@pytest.fixture(scope="module")
def overrides(tmp_path_factory) -> list[str]:
    """Changes to `demo-sentence` that make its corpus a few documents of real text."""
    folder = write_real_corpus(tmp_path_factory.mktemp("real") / "corpus", documents=4)
    files = [
        f"data.{split}={{source: {folder / split}.en, target: {folder / split}.de}}"
        for split in ("train", "valid", "test")
    ]
    return ["text.vocabulary_size=400", *files]


@pytest.fixture(scope="module")
def corpus(overrides, tmp_path_factory) -> PreparedCorpus:
    """The same, prepared."""
    folder = tmp_path_factory.mktemp("prepared") / "demo"
    prepare(load("demo-sentence", overrides), folder)
    return PreparedCorpus.load(folder)


@pytest.mark.parametrize(
    ("found", "printed", "verdict"),
    [
        (206_112, "0.21M", "same"),
        (204_999, "0.21M", "within 5 %"),
        (215_000, "0.21M", "same"),
        (199_000, "0.21M", "differs"),
        (8_967, "9K", "same"),
        (8_499, "9K", "differs"),
        (93, "92", "within 5 %"),
        (92, "92", "same"),
        (97, "92", "differs"),
        (18.26, "18.3", "same"),
        (18.2, "18.3", "within 5 %"),
        (18_540, "18.5K", "same"),
    ],
)
def test_a_size_is_the_same_if_it_would_be_printed_so(found, printed, verdict):
    assert CountCheck("A table", "train", "sentences", found, printed).verdict == verdict


def test_a_vocabulary_of_another_size_is_open():
    """The paper does not say how 32,000 merges leave fewer subwords than that."""
    check = CountCheck("A table", "train", "source vocabulary", 36_000, "12273")
    assert check.verdict == "open"


def test_the_sizes_of_vocabularies_are_those_of_the_pipeline(corpus):
    found = {c.what: c.found for c in check_counts(corpus, "iwslt")}
    assert found["source vocabulary"] == len(corpus.pipeline.source_vocabulary)
    assert found["target vocabulary"] == len(corpus.pipeline.target_vocabulary)


def segments(document) -> list[int]:
    """The sentences of each segment of a document, as the published code makes them."""
    found: list[list[int]] = []
    for source, target in zip(document.source, document.target, strict=True):
        tokens = max(len(source), len(target)) + 2
        if found and found[-1][0] + tokens < 512:
            found[-1] = [found[-1][0] + tokens, found[-1][1] + 1]
        else:
            found.append([tokens, 1])
    return [sentences for _, sentences in found]


def test_sizes_are_those_of_the_published_code(corpus):
    found = {(c.split, c.what): c.found for c in check_counts(corpus, "ted")}
    assert len(found) == 15
    for name in ("train", "valid", "test"):
        split = corpus.split(name)
        documents = [split.document(index) for index in range(len(split))]
        expected = [size for document in documents for size in segments(document)]
        tokens = sum(len(s) + 2 for document in documents for s in document.source)
        assert max(expected) > 5
        assert found[name, "documents"] == len(documents)
        assert found[name, "sentences"] == sum(expected)
        assert found[name, "instances"] == len(expected)
        assert found[name, "sentences/instance"] == pytest.approx(sum(expected) / len(expected))
        assert found[name, "source tokens/instance"] == pytest.approx(tokens / len(expected))


def test_every_published_corpus_has_sizes():
    sizes = read_table("docmt_research.analysis", "published_counts.toml")
    assert list(sizes) == list(get_args(PublishedCorpus))
    for row in sizes.values():
        printed = [size for name, each in row.items() if name != "paper" for size in each if size]
        assert printed and all(CountCheck("", "", "", 1.0, size).verdict for size in printed)


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        ("ted", "g-transformer"),
        ("news", "g-transformer"),
        ("europarl", "g-transformer"),
        ("subtitles-pairs", "g-transformer"),
        ("iwslt", "long-short-term-masking"),
        ("subtitles", "long-short-term-masking"),
        ("talks", "hm-gdc"),
        ("talks-de-en", "hm-gdc"),
        ("news-zh-en", "hm-gdc"),
        ("nist", "multi-context"),
        ("iwslt14", "multi-context"),
        ("wmt14", "multi-context"),
        ("wmt14-plus", "multi-context"),
        ("news-commentary-v9", "multi-context"),
        ("news-commentary-v15", "multi-context"),
        ("rapid-2019", "multi-context"),
    ],
)
def test_the_text_of_the_paper_has_each_size(name, paper):
    file = Path(__file__).parents[6] / "shared" / "papers" / f"{paper}.txt"
    if not file.exists():
        pytest.skip("the text of the papers is not part of the repository")
    words = set(re.findall(r"[\d.]+[KM]?", file.read_text(encoding="utf-8").replace(",", "")))
    sizes = read_table("docmt_research.analysis", "published_counts.toml")[name]
    for what, row in sizes.items():
        for size in row if what != "paper" else ():
            assert not size or {size, f"{size}."} & words, (what, size)


def test_the_table_is_that_of_the_paper(corpus):
    printed = {(c.split, c.what): c.printed for c in check_counts(corpus, "news")}
    assert printed["train", "sentences"] == "0.24M"
    assert printed["valid", "documents"] == "80"
    assert printed["test", "instances"] == "263"
    assert printed["test", "source tokens/instance"] == "321"


def test_what_a_table_does_not_print_is_not_compared(corpus):
    train = corpus.split("train")
    sentences = sum(len(train.document(index).source) for index in range(len(train)))
    checks = check_counts(corpus, "news-commentary-v9")
    (check,) = checks
    assert (check.split, check.what, check.found, check.printed) == (
        "train",
        "sentences",
        sentences,
        "200K",
    )
    with pytest.raises(InputError, match=r"off Donato et al. 2021, Table 1: train sentences"):
        require_counts(checks, corpus)


def test_a_corpus_of_the_printed_sizes_passes(corpus):
    own = [
        CountCheck(c.paper, c.split, c.what, c.found, f"{c.found:.1f}")
        for c in check_counts(corpus, "ted")
    ]
    require_counts(own, corpus)
    less = [CountCheck(c.paper, c.split, c.what, c.found * 0.9, c.printed) for c in own]
    with pytest.raises(InputError, match=r"15 sizes more than 5 % off .* train sentences"):
        require_counts(less, corpus)


def test_the_command_prints_both_and_ends_with_code_2_if_they_differ(corpus, monkeypatch):
    command = ["check-counts", str(corpus.directory), "europarl"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    assert "1.67M" in result.stdout and "162K" in result.stdout
    assert "Bao et al. 2021, Table 1: train sentences" in result.stderr
    monkeypatch.setattr(published_counts, "_NEAR", 1e6)
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output


def test_a_corpus_without_a_split_is_refused_where_the_table_has_it(overrides, tmp_path):
    folder = tmp_path / "out"
    recipe = load("demo-sentence", [*overrides, "data.test=null"])
    prepare(recipe, folder)
    with pytest.raises(InputError, match="there is no split 'test'"):
        check_counts(PreparedCorpus.load(folder), "ted")
    assert len(check_counts(PreparedCorpus.load(folder), "news-commentary-v9")) == 1
