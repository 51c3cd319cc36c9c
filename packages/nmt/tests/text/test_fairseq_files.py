"""Pipelines of systems trained with fairseq: their token ids, their subwords, their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.text import Pipeline

GOLDEN = Path(__file__).parents[1] / "golden" / "g_transformer"
DICTIONARY = "the 9\nth@@ 8\nese 7\n&apos;s 5\nmon@@ 4\nks 3\n. 2\nmadeupword0000 0\n"
CODES = (
    "#version: 0.2\nt h\nk s</w>\nth e</w>\ne s\nes e</w>\nm o\nmo n\n"
    "& a\n&a p\n&ap o\n&apo s\n&apos ;\n&apos; s</w>\n"
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "dict.txt").write_text(DICTIONARY)
    (tmp_path / "codes").write_text(CODES)
    (tmp_path / "truecase").write_text("the (9/10) The (1)\nthese (1/1)\n")
    return tmp_path


@pytest.fixture
def published(files) -> Pipeline:
    return Pipeline.from_fairseq(
        ("en", "de"),
        files / "dict.txt",
        codes=files / "codes",
        truecase=files / "truecase",
        tokenize="moses",
        extra=["[en]", "[de]", "<mask>"],
    )


def test_token_ids_are_those_of_fairseq(published):
    tokens = published.source_vocabulary.tokens
    assert tokens[:5] == ("<s>", "<pad>", "</s>", "<unk>", "the")
    assert tokens[-4:] == ("madeupword0000", "[en]", "[de]", "<mask>")
    assert published.source_vocabulary is published.target_vocabulary


def test_text_is_split_as_its_system_was_trained(published):
    assert published.subwords("These monks's.") == ["th@@", "ese", "mon@@", "ks", "&apos;s", "."]
    ids = published.encode_sentence("These monks's.")
    assert ids == [5, 6, 8, 9, 7, 10]
    assert published.decode_sentence(ids, "source") == "These monks's."
    assert published.unknown(Document("d", ("The monk!",))) == {"k": 1, "!": 1}


def test_text_never_becomes_an_extra_special_token(published):
    special_ids = published.source_vocabulary.special_ids
    assert not special_ids.difference({3}).intersection(
        published.encode_sentence("[de] <mask> [en]")
    )
    de = published.target_vocabulary.ids["[de]"]
    assert published.decode_sentence([4, 10, 2, de]) == "The."


def test_a_published_pipeline_is_saved_with_its_run(published, tmp_path):
    published.save(tmp_path / "text")
    loaded = Pipeline.load(tmp_path / "text")
    assert loaded.target_vocabulary.tokens == published.target_vocabulary.tokens
    assert loaded.target_vocabulary.special_ids == published.target_vocabulary.special_ids
    for text in ("These monks's.", "the & [de]"):
        assert loaded.encode_sentence(text) == published.encode_sentence(text)
        assert loaded.subwords(text) == published.subwords(text)


def test_without_codes_the_text_comes_segmented(files):
    pipeline = Pipeline.from_fairseq(("en", "de"), files / "dict.txt")
    assert pipeline.encode_sentence("th@@ ese  mon@@ ks .") == [5, 6, 8, 9, 10]
    assert pipeline.decode_sentence([5, 6]) == "th@@ ese"
    assert pipeline.unknown(Document("d", ("the monk .",))) == {"monk": 1}


def test_the_dictionary_of_the_published_checkpoint_fits_it():
    pipeline = Pipeline.from_fairseq(
        ("en", "de"), GOLDEN / "dict.en.txt", extra=["[en]", "[de]", "<mask>"]
    )
    assert len(pipeline.target_vocabulary) == 67


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("the 5\nof\n", "line 2: not a subword and its count"),
        ("the 5\nof x\n", "line 2: not a subword and its count"),
        (
            "the 5\nof 4\nthe 3\n",
            "line 3: the subword 'the' is in the dictionary already, on line 1",
        ),
        ("<unk> 5\n", "line 1: '<unk>' is one of the special tokens"),
    ],
)
def test_a_line_that_is_not_of_a_dictionary_is_named(tmp_path, content, problem):
    path = tmp_path / "dict.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=problem):
        Pipeline.from_fairseq(("en", "de"), path)


def test_truecasing_needs_tokenized_text(files):
    with pytest.raises(InputError, match="case: truecase needs tokenize: moses"):
        Pipeline.from_fairseq(("en", "de"), files / "dict.txt", truecase=files / "truecase")
