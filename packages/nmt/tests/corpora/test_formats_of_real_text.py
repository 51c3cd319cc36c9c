"""Text of the bundled corpus: its sentences are found, wrapped or not, and files come back as they
were."""

from __future__ import annotations

import lzma
import re
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.text import segmented
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file


def paragraphs(language: str = "en") -> list[str]:
    documents = corpora.read(corpus_file(f"dev.{language}.xz"))
    return [" ".join(" ".join(document.source).split()) for document in documents]


def wrapped(text: str, width: int, indent: str = "") -> str:
    indents = {"initial_indent": indent, "subsequent_indent": indent}
    width += len(indent)
    return textwrap.fill(text, width, break_on_hyphens=False, break_long_words=False, **indents)


def read(folder: Path, text: str, language: str = "en", name: str = "a.txt"):
    (folder / name).write_text(text, encoding="utf-8", newline="\n")
    (document,), skeleton = Input().read(folder / name, language)
    return document, skeleton


def test_paragraphs_on_a_line_each_are_as_they_were(tmp_path):
    documents = corpora.read(corpus_file("dev.en.xz"))
    # Sentences end here where they do for sentencex, as one space is what it leaves.
    text = re.sub(r" +", " ", "\n\n".join("\n".join(d.source) for d in documents) + "\n")
    document, skeleton = read(tmp_path, text)
    assert skeleton.fill([document.translated(document.source)]).split() == text.split()


@pytest.mark.by_default(6)
@pytest.mark.parametrize("width", [50, 65, 80, 100])
@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_wrapped_text_has_the_sentences_of_unwrapped_text(tmp_path, name, language, width):
    texts = paragraphs(language)[:20]
    whole, _ = read(tmp_path, "\n\n".join(texts), language, name)
    found, _ = read(tmp_path, "\n\n".join(wrapped(t, width) for t in texts), language, name)
    assert found.source == whole.source


@given(
    st.integers(40, 100),
    st.lists(st.sampled_from(paragraphs()[:12]), min_size=1, max_size=3),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "    "]),
)
def test_wrapped_paragraphs_keep_line_ends_and_indents(tmp_path_factory, width, texts, end, indent):
    folder = tmp_path_factory.mktemp("in")
    text = (end * 2).join(wrapped(t, width, indent).replace("\n", end) for t in texts) + end
    whole, _ = read(folder, "\n\n".join(texts))
    document, skeleton = read(folder, text)
    assert document.source == whole.source
    assert skeleton.fill([document.translated(whole.source)]) == text


def test_files_of_sentences_are_as_they_were():
    path = corpus_file("dev.de.xz")
    documents, skeleton = segmented.read(path, "de")
    assert len(documents) == 25
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        assert skeleton.fill([d.translated(d.source) for d in documents]) == lines.read()
