"""Chinese is segmented and joined again, and written in simplified characters."""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.recipes import Recipe
from docmt_nmt.text import Pipeline, TextSettings
from docmt_nmt.text.chinese import JiebaSegmentation, SimplifiedChinese
from docmt_nmt.text.normalization import collapse_whitespace

BESIDE = Path(__file__).parents[5] / "shared" / "data"
"""Corpora that may lie beside the repository."""

ANY = st.characters(exclude_categories=["Cs"])
TEXT = (
    st.lists(ANY | st.sampled_from("中文漢字，。“”␣ ab.-1カ😀\0"))
    .map("".join)
    .map(collapse_whitespace)
)
DONATO = {
    "normalize": "nfkd",
    "quotes": "directional",
    "chinese_script": "simplified",
    "segment": "jieba",
    "case": "first-word",
}
SENTENCES = (
    "要使用此功能，请单击 搜索 图标以显示“搜索”框。",
    "然后，您可以在该框中键入一个或多个词。",
    "抱歉 怎么称呼",
    "使用Office 365的新功能。",
)
ENGLISH = ("To use it, click Search.", "Then you can type words.", "Sorry, Mr.?", "Use Office 365.")


@pytest.fixture(scope="module")
def segmentation() -> JiebaSegmentation:
    return JiebaSegmentation()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我们昨天在图书馆见面。", "我们 昨天 在 图书馆 见面 。"),
        ("抱歉 怎么称呼", "抱歉 ␣ 怎么 称呼"),
        ("使用Office 365的搜索", "使用 Office 365 的 搜索"),
        ("单击 Search, then 确定", "单击 ␣ Search, then ␣ 确定"),
        ("a ␣ b", "a ␣ ␣␣ ␣ b"),
        ("U.S.A. (see it)", "U.S.A. (see it)"),
        ("", ""),
    ],
)
def test_words_stand_between_spaces(segmentation, text, words):
    assert segmentation.apply(text) == words
    assert segmentation.invert(words) == text


def test_any_text_comes_back_of_segmentation(segmentation):
    @given(TEXT)
    def comes_back(text):
        assert segmentation.invert(segmentation.apply(text)) == text

    comes_back()


def test_text_of_any_script_comes_back_of_segmentation(segmentation, any_script):
    text = collapse_whitespace(any_script)
    assert segmentation.invert(segmentation.apply(text)) == text


@pytest.mark.parametrize("name", ["msdocs_en_zh/dev", "tvsub_zh_en_400/train"])
def test_real_chinese_comes_back_of_segmentation(segmentation, name):
    path = BESIDE / f"{name}.zh.xz"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the repository")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        texts = [collapse_whitespace(line) for _, line in zip(range(3000), lines, strict=False)]
    segmented = [segmentation.apply(text) for text in texts]
    assert [segmentation.invert(text) for text in segmented] == texts
    assert sum(a != b for a, b in zip(segmented, texts, strict=True)) > 2000


def test_traditional_characters_become_simplified():
    simplified = SimplifiedChinese()
    assert simplified.apply("漢字轉換，後來的頭髮") == "汉字转换，后来的头发"
    assert simplified.apply("简体 and more\0裡面") == "简体 and more\0里面"
    assert simplified.invert("汉字") == "汉字"


def fitted(values, languages=("zh-TW", "en")) -> Pipeline:
    sides = {True: SENTENCES * 30, False: ENGLISH * 30}
    source, target = (sides[language.startswith("zh")] for language in languages)
    settings = TextSettings.read({"vocabulary_size": 335, **values})
    return Pipeline.fit(settings, lambda: source, lambda: target, languages=languages)


def test_the_pipeline_of_the_paper_gives_back_chinese_and_english(tmp_path):
    pipeline = fitted(DONATO)
    pipeline.save(tmp_path)
    for one in (pipeline, Pipeline.load(tmp_path)):
        for text in ("抱歉 請使用Search。", *SENTENCES):
            simplified = text.replace("請", "请").replace("，", ",")
            straight = simplified.replace("“", '"').replace("”", '"')
            assert one.decode_sentence(one.encode_sentence(text), "source") == straight
        for text in ('The "Word" café.', *ENGLISH):
            assert one.decode_sentence(one.encode_sentence(text, "target")) == text


def test_the_steps_for_chinese_leave_the_other_side_alone():
    values = {"chinese_script": "simplified", "segment": "jieba", "tokenize": "moses"}
    pipeline = fitted(values)
    assert "".join(pipeline.subwords("a, a", "target")) == "▁a▁,▁a"
    for text in SENTENCES:
        assert pipeline.decode_sentence(pipeline.encode_sentence(text), "source") == text


@pytest.mark.parametrize("values", [{"chinese_script": "simplified"}, {"segment": "jieba"}])
def test_steps_for_chinese_need_a_chinese_side(values):
    (key,) = values
    with pytest.raises(InputError, match=f"text.{key}: .* nor data.target_language de is Chinese"):
        fitted(values, ("en", "de"))
    with pytest.raises(InputError, match=f"text.{key}: .*data.source_language en"):
        Recipe.read({"data": {}, "text": values})


@pytest.mark.parametrize(
    ("step", "module", "named"),
    [
        (SimplifiedChinese, "opencc", "chinese_script: simplified needs OpenCC"),
        (JiebaSegmentation, "rjieba", "segment: jieba needs rjieba"),
    ],
)
def test_a_library_that_is_not_installed_is_named(monkeypatch, step, module, named):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"{named}.*pip install 'docmt\[chinese\]'"):
        step()
