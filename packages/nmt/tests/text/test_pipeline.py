"""What is encoded comes back when it is decoded, as the pipeline's docstring promises."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.text import EncodedDocument, Pipeline, TextSettings
from docmt_nmt.text.fitting import SentenceFile, learned_case
from docmt_nmt.text.quotes import DirectionalQuotes

PAPERS = {"tokenize": "moses", "case": "truecase", "subword": "bpe", "merges": 800}
SETTINGS = {
    "default": {"vocabulary_size": 800},
    "two vocabularies": {"vocabulary_size": 800, "joint": False},
    "sentencepiece BPE": {
        "subword": "sentencepiece-bpe",
        "vocabulary_size": 800,
        "normalize": "none",
    },
    "Moses and unigram": {"tokenize": "moses", "vocabulary_size": 800, "normalize": "moses"},
    "the papers'": PAPERS,
    "BPE of raw words": {"subword": "bpe", "merges": 800},
    "NFKD, quotes, first words": {
        "normalize": "nfkd",
        "quotes": "directional",
        "case": "first-word",
        "vocabulary_size": 800,
        "character_coverage": 0.99,
    },
    "words": {"subword": "words", "vocabulary_size": 2000, "case": "lower", "joint": False},
}
SENTENCES = 700
"""As many of each side the pipelines are fitted to."""

TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("  aeinrst.,'<>@▁"))


def fitted(values, english, german) -> Pipeline:
    settings = TextSettings.read(values)
    return Pipeline.fit(settings, lambda: english, lambda: german, languages=("en", "de"))


@pytest.fixture(scope="module", params=SETTINGS)
def pipeline(request, english, german) -> Pipeline:
    return fitted(SETTINGS[request.param], english[:SENTENCES], german[:SENTENCES])


def solid(text: str) -> str:
    """The text without what Moses does not keep: white space and control characters."""
    return re.sub(r"[\x00-\x1f\s]+", "", text)


def expected(pipeline: Pipeline, text: str, side: str) -> str:
    """What a text must come back as, if all of it is known."""
    normal = pipeline.normalize(text, side)
    if pipeline.settings.normalize == "nfkd":
        normal = unicodedata.normalize("NFC", normal)
    if pipeline.settings.quotes == "directional":
        normal = DirectionalQuotes().invert(normal)
    if pipeline.settings.case == "lower":
        normal = normal.lower()
    elif learned_case(pipeline.settings) is not None:
        normal = normal.casefold()
    return solid(normal) if pipeline.settings.tokenize == "moses" else normal


def returned(pipeline: Pipeline, text: str, side: str) -> str:
    """What a text comes back as."""
    back = pipeline.decode_sentence(pipeline.encode_sentence(text, side), side)
    if learned_case(pipeline.settings) is not None:
        back = back.casefold()
    return solid(back) if pipeline.settings.tokenize == "moses" else back


def comes_back_if_known(pipeline: Pipeline, text: str, side: str) -> None:
    if not pipeline.unknown(Document("d", (text,), (text,)), side):
        assert returned(pipeline, text, side) == expected(pipeline, text, side)


@pytest.mark.by_default(3)
def test_known_real_text_comes_back(pipeline, unseen):
    for english, german in zip(unseen[:300], unseen[-300:], strict=True):
        comes_back_if_known(pipeline, english, "source")
        comes_back_if_known(pipeline, german, "target")


def test_known_text_of_any_script_comes_back(pipeline, all_scripts):
    for text in all_scripts:
        comes_back_if_known(pipeline, text, "source")


@pytest.mark.parametrize(
    "pipeline",
    [
        "default",
        "two vocabularies",
        "sentencepiece BPE",
        "Moses and unigram",
        "NFKD, quotes, first words",
    ],
    indirect=True,
)
def test_any_text_comes_back_of_sentencepiece(pipeline):
    @given(TEXT)
    def comes_back(text):
        for side in ("source", "target"):
            assert returned(pipeline, text, side) == expected(pipeline, text, side)

    comes_back()


def test_no_text_becomes_a_special_token(pipeline, all_scripts):
    vocabularies = {"source": pipeline.source_vocabulary, "target": pipeline.target_vocabulary}
    for side, vocabulary in vocabularies.items():
        special_ids = vocabulary.special_ids - {vocabulary.unk_id}
        for text in (*all_scripts, "<s> a</s><pad> <unk> [de] @@ a@@ </w>"):
            assert not special_ids.intersection(pipeline.encode_sentence(text, side))


def test_unknown_characters_and_words_are_reported(pipeline):
    document = Document("d", ("a ✂✂ b ✂", "c"), ("✂", "✄"))
    counts = {
        "unigram": (Counter(), Counter()),
        "sentencepiece-bpe": (Counter(), Counter()),
        "bpe": (Counter({"✂": 3}), Counter({"✂": 1, "✄": 1})),
        "words": (Counter({"✂✂": 1, "✂": 1}), Counter({"✂": 1, "✄": 1})),
    }[pipeline.settings.subword]
    found = pipeline.unknown(document), pipeline.unknown(document, "target")
    if pipeline.settings.subword == "words":
        found = tuple(Counter({w: n for w, n in c.items() if "✂" in w or "✄" in w}) for c in found)
    assert found == counts


def test_a_document_is_encoded_sentence_by_sentence(pipeline):
    document = Document("d", ("The monks were happy.", ""), ("Die Mönche waren zufrieden.", "Ja."))
    encoded = pipeline.encode(document)
    assert encoded == EncodedDocument(
        "d",
        [pipeline.encode_sentence(text) for text in document.source],
        [pipeline.encode_sentence(text, "target") for text in document.target],
    )
    assert encoded.source[1] == []
    assert pipeline.encode(Document("d", ("a",))).target is None


def test_there_is_a_subword_for_each_token_id(pipeline, unseen):
    for text in unseen[:50]:
        subwords = pipeline.subwords(text)
        assert pipeline.source_vocabulary.encode(subwords) == pipeline.encode_sentence(text)


PLAIN = "The monks said so. (no) Mönche „ja“ it's 3.5% well-known"
WORDS = st.lists(st.sampled_from(re.split(" ", PLAIN)))


def test_tokens_have_the_characters_that_they_stand_for(pipeline):
    @given(TEXT, WORDS)
    def have_spans(any_text, words):
        for side in ("source", "target"):
            spans_in_order(pipeline, any_text, side)
            spans_spell_their_tokens(pipeline, " ".join(words), side)

    have_spans()


def spans_in_order(pipeline: Pipeline, text: str, side: str) -> list[tuple[int, int]]:
    """The spans of the tokens of a text, one for each, from its beginning to its end."""
    spans = pipeline.token_spans(text, side)
    assert len(spans) == len(pipeline.encode_sentence(text, side))
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(spans))
    return spans


def spans_spell_their_tokens(pipeline: Pipeline, text: str, side: str) -> None:
    """In text that a pipeline changes little, each character is in the token that spells it."""
    spans = spans_in_order(pipeline, text, side)
    for token, (start, end) in zip(pipeline.subwords(text, side), spans, strict=True):
        spelled = re.sub(r"@@$|▁", "", token).casefold()
        if not spelled.isalnum() or "<" in token:
            continue
        characters = text[start:end].casefold()
        if pipeline.settings.normalize == "nfkd":
            # Several tokens may spell one character, which each of them stands for.
            assert spelled in unicodedata.normalize("NFKD", characters)
            assert len(characters) <= len(spelled)
        else:
            assert characters == spelled
    covered = {i for start, end in spans for i in range(start, end)}
    assert covered >= {i for i, character in enumerate(text) if character.isalnum()}


def test_tokens_of_any_script_have_their_characters(pipeline, all_scripts):
    for text in all_scripts:
        spans = pipeline.token_spans(text)
        assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(spans))
        covered = {i for start, end in spans for i in range(start, end)}
        letters = {i for i, character in enumerate(text) if character.isalnum()}
        assert len(letters - covered) <= len(letters) / 20


def test_special_tokens_are_left_out_of_text_but_unknown_words_are_shown(pipeline):
    vocabulary = pipeline.target_vocabulary
    ids = pipeline.encode_sentence("Die Mönche", "target")
    text = pipeline.decode_sentence(ids)
    assert pipeline.decode_sentence([vocabulary.bos_id, *ids, vocabulary.eos_id, 1]) == text
    assert "unk>" in pipeline.decode_sentence([*ids, vocabulary.unk_id])
    assert pipeline.decode_sentence([]) == ""


@pytest.mark.parametrize("pipeline", ["default"], indirect=True)
def test_a_decoded_sentence_is_one_line(pipeline):
    line_feed = pipeline.target_vocabulary.ids["<0x0A>"]
    ids = pipeline.encode_sentence("a", "target")
    assert pipeline.decode_sentence([*ids, line_feed, *ids, line_feed]) == "a a"


def test_vocabularies_and_special_tokens(pipeline):
    joint = pipeline.source_vocabulary is pipeline.target_vocabulary
    assert joint == pipeline.settings.joint
    special = pipeline.special_tokens
    assert (special.source_begin, special.source_end) == ((0,), (2,))
    assert (special.target_begin, special.target_end) == (0, 2)


def test_a_saved_pipeline_does_the_same(pipeline, unseen, tmp_path):
    pipeline.save(tmp_path / "text")
    loaded = Pipeline.load(tmp_path / "text")
    assert (loaded.settings, loaded.languages) == (pipeline.settings, pipeline.languages)
    assert loaded.target_vocabulary.tokens == pipeline.target_vocabulary.tokens
    joint = loaded.source_vocabulary is loaded.target_vocabulary
    assert joint == pipeline.settings.joint
    for text in unseen[:100]:
        ids = pipeline.encode_sentence(text)
        assert loaded.encode_sentence(text) == ids
        assert loaded.decode_sentence(ids, "source") == pipeline.decode_sentence(ids, "source")


@pytest.mark.by_default(4)
def test_the_same_corpus_gives_the_same_files(pipeline, english, german, tmp_path):
    again = fitted(pipeline.settings.model_dump(), english[:SENTENCES], german[:SENTENCES])
    contents = []
    for name, one in (("a", pipeline), ("b", again)):
        one.save(tmp_path / name)
        contents.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()})
    assert contents[0] == contents[1]


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_side_without_text_is_an_error(side):
    corpora = {"source": ["a b"], "target": ["a b"], side: ["", " "]}
    with pytest.raises(InputError, match=f"no text on the {side} side"):
        Pipeline.fit(
            TextSettings(subword="words"),
            lambda: corpora["source"],
            lambda: corpora["target"],
            languages=("en", "de"),
        )


@pytest.fixture(scope="module")
def small(english, german) -> Pipeline:
    return fitted(
        {"subword": "sentencepiece-bpe", "vocabulary_size": 400}, english[:500], german[:500]
    )


@pytest.fixture
def saved(small, tmp_path):
    small.save(tmp_path / "text")
    return tmp_path / "text"


@pytest.mark.parametrize("name", ["pipeline.json", "joint.vocabulary", "joint.model"])
@pytest.mark.parametrize("content", [None, b"", b'{"settings": {}}', b"\xff\n"])
def test_a_missing_or_damaged_file_is_named(saved, name, content):
    (saved / name).unlink()
    if content is not None:
        (saved / name).write_bytes(content)
    with pytest.raises(InputError, match=re.escape(name)):
        Pipeline.load(saved)


@pytest.mark.parametrize(
    "keys",
    [
        {"subword": "bpe", "tokenize": "moses", "case": "truecase", "merges": 300},
        {"subword": "words", "case": "first-word"},
    ],
)
def test_a_file_that_is_cut_short_is_named_whatever_it_holds(tmp_path, keys, english, german):
    fitted(keys, english[:300], german[:300]).save(tmp_path / "text")
    files = sorted(path for path in (tmp_path / "text").iterdir() if path.suffix != ".json")
    assert len(files) >= 3
    for path in files:
        whole = path.read_bytes()
        path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
        with pytest.raises(InputError, match=re.escape(path.name)):
            Pipeline.load(tmp_path / "text")
        path.write_bytes(whole)
    Pipeline.load(tmp_path / "text")


def test_files_that_do_not_belong_together_are_an_error(saved):
    path = saved / "joint.vocabulary"
    path.write_text(path.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"joint\.vocabulary: has changed since it was written"):
        Pipeline.load(saved)
    state = json.loads((saved / "pipeline.json").read_text())
    del state["files"]
    (saved / "pipeline.json").write_text(json.dumps(state))
    with pytest.raises(InputError, match="not that of"):
        Pipeline.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        {"languages": ["en"]},
        {"escape": 1},
        {"settings": {"case": "up"}},
        {"settings": []},
        {"files": ["joint.model"]},
    ],
)
def test_a_damaged_description_is_an_error(saved, change):
    path = saved / "pipeline.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match=r"pipeline\.json"):
        Pipeline.load(saved)


@pytest.mark.parametrize(
    "name", ["/dev/zero", "../../../etc/passwd", "a\0b", "", "..", "inner/joint.model"]
)
def test_only_files_of_the_own_folder_are_read(saved, name):
    path = saved / "pipeline.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, "files": {name: "0" * 64}}))
    with pytest.raises(InputError, match=r"pipeline\.json: names .* not a file of its own folder"):
        Pipeline.load(saved)


def test_a_device_in_the_place_of_a_file_is_not_read(saved):
    path = saved / "pipeline.json"
    state = json.loads(path.read_text())
    (saved / "joint.model").unlink()
    (saved / "joint.model").symlink_to("/dev/zero")
    for files in (state["files"], {}):
        path.write_text(json.dumps({**state, "files": files}))
        with pytest.raises(InputError, match=r"joint\.model: is not a regular file"):
            Pipeline.load(saved)


def test_a_description_nested_too_deeply_is_an_error(saved):
    (saved / "pipeline.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"pipeline\.json: does not describe"):
        Pipeline.load(saved)


@pytest.mark.parametrize("pipeline", ["default"], indirect=True)
def test_sentencepiece_encodes_tens_of_thousands_of_sentences_a_second(pipeline, english, german):
    document = Document("d", tuple(english), tuple(german))
    started = time.process_time()
    pipeline.encode(document)
    assert 2 * len(document) / (time.process_time() - started) > 20_000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device without room")
def test_a_full_disk_for_the_temporary_copy_is_named(tmp_path):
    (tmp_path / "copy").symlink_to("/dev/full")
    with pytest.raises(InputError, match=r"copy: cannot be written \(No space left"):
        SentenceFile(tmp_path / "copy", ["a b"] * 3)
