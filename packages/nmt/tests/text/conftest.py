"""Real text: the bundled corpus, and sentences of many scripts."""

from __future__ import annotations

from itertools import islice

import pytest

from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file

SCRIPTS = {
    "Cyrillic": "Он не знал, что ёлка и ель — одно и то же: «Неужели?»",
    "Chinese": "我们昨天在图书馆见面，他说：“明天再来吧！”",
    "Japanese": "東京では雪が降っていますが、京都はまだ暖かいです。",
    "Arabic": "ذَهَبَ الوَلَدُ إلى المَدرَسةِ صَباحًا، ثُمَّ عادَ؟",
    "Hebrew": "הילד הלך לבית הספר בשעה 8:30.",
    "Devanagari": "क्या आपने हिन्दी की यह किताब पढ़ी है? नहीं।",
    "Thai": "วันนี้อากาศดีมาก เราไปเดินเล่นกันเถอะ",
    "Korean": "어제 친구와 함께 영화를 봤어요.",
    "Vietnamese": "Tôi đã đọc quyển sách này ở Huế.",
    "emoji": "Family 👨‍👩‍👧‍👦, flag 🇩🇪, thumbs 👍🏽 — done ✅",
    "combining marks": "q̃ is no letter of Z̷͎a̷l̶g̷o̸ but o̱ is one of Osage",
    "mathematics": "∀x ∈ ℝ: ⌈x⌉ ≥ x, 𝔸 ≠ 𝒜, ½ ≈ 0.5 µm²",
    "text like tokens": "<s> </s> <unk> <pad> [de] @@ @@x x@@ @-@ &amp; <0x41> ▁▂ a▁b ▁ ⁇",
    "line": "Tabs\tand\u00a0no-break\u3000spaces \u2028and\u200bzero width\u00ad",
}


def sentences(side: str, split: str = "train", count: int | None = None) -> list[str]:
    """Sentences of the bundled corpus."""
    documents = corpora.read(corpus_file(f"{split}.{side}.xz"))
    return list(islice((s for document in documents for s in document.source), count))


@pytest.fixture(scope="session")
def english() -> list[str]:
    return sentences("en", count=4000)


@pytest.fixture(scope="session")
def german() -> list[str]:
    return sentences("de", count=4000)


@pytest.fixture(scope="session")
def unseen() -> list[str]:
    """Sentences of both languages that nothing is fitted on."""
    return sentences("en", "dev") + sentences("de", "dev")


@pytest.fixture(params=SCRIPTS.values(), ids=list(SCRIPTS))
def any_script(request) -> str:
    """A sentence of one script; a test with it runs once per script."""
    return request.param


@pytest.fixture
def all_scripts() -> list[str]:
    """A sentence of each script."""
    return list(SCRIPTS.values())
