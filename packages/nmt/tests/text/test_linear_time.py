"""Every step takes time linear in the length of a line, whatever the line holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import process_time

import pytest

from docmt_files import sentence_spans
from docmt_nmt.text.casing import FirstWordCase, LowerCase, TrueCase
from docmt_nmt.text.normalization import Normalization
from docmt_nmt.text.quotes import DirectionalQuotes
from docmt_nmt.text.tokenization import MosesTokenization

LENGTH = 100_000
MOST_SECONDS = 4
"""Linear steps take less than a second, quadratic ones more than ten."""

PATTERNS = [
    ".",
    "……",
    ". ",
    "a.b. ",
    "A.",
    "DOT",
    "DOTMULTI",
    "DOTDOTMULTI ",
    "...a ",
    "中。",
    "中",
    "<",
    "<>",
    "><",
    "a<",
    '"',
    '."',
    '". ',
    "'",
    "'s ",
    "``",
    "(",
    ")",
    "( ",
    " )",
    " ",
    "\u00a0",
    "-",
    "@",
    "@-@ ",
    "e\u0301\u0323",
    "\u0301\u0323",
    "\u0344\u0f73",
    "a",
    "a ",
    "A ",
    "z. B. ",
    "Dr. ",
    "Mr. A. ",
    "1.",
    "1,",
    "1\u00a0",
    "&amp;",
    "&#",
    "? ",
    "!",
    "?!",
    "«",
    "« ",
    "»",
    "„",
    "“a.” ",
    "|",
    "😀",
    "क्ष। ",
    "http://a.",
    "a@b.",
    "1. ",
    "i. ",
    "\u200d",
    "\u2028",
    "ß",
    ":",
    ";",
    "[",
    "]",
    "{",
    "a\n",
]

moses = cache(MosesTokenization)
LANGUAGES = ("en", "de", "fr", "zh")
TRUECASE = TrueCase({"the": {"the": 2, "The": 1}})
STEPS: dict[str, Callable[[str], object]] = {
    **{f"normalize {kind}": Normalization(kind, "de").apply for kind in ("nfc", "nfkd", "moses")},
    "normalize moses en": Normalization("moses", "en").apply,
    "compose": Normalization("nfkd", "de").invert,
    **{
        f"tokenize {code}": lambda text, code=code: moses(code).apply(text)  # type: ignore[misc]
        for code in LANGUAGES
    },
    **{
        f"detokenize {code}": lambda text, code=code: moses(code).invert(text)  # type: ignore[misc]
        for code in LANGUAGES
    },
    "learn truecase": lambda text: TrueCase.learn([text]),
    "truecase": TRUECASE.apply,
    "detruecase": TRUECASE.invert,
    "learn first words": lambda text: FirstWordCase.learn([text]),
    "first word": FirstWordCase([]).apply,
    "first word inverted": FirstWordCase([]).invert,
    "lowercase": LowerCase().apply,
    "quotes": DirectionalQuotes().apply,
    **{
        f"split {code}": lambda text, code=code: sentence_spans(text, code)  # type: ignore[misc]
        for code in ("en", "de", "zh", "hi")
    },
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.slow
def test_a_long_line_of_anything_takes_a_short_time(step: Callable[[str], object]) -> None:
    slow = {}
    step("a")  # which loads what it needs
    for pattern in PATTERNS:
        start = process_time()
        step((pattern * LENGTH)[:LENGTH])
        if (seconds := process_time() - start) > MOST_SECONDS:
            slow[pattern] = seconds
    assert not slow


@pytest.mark.by_default(4)
@pytest.mark.parametrize(
    ("step", "pattern"),
    [
        ("normalize moses", "."),
        ("normalize moses", "……"),
        ("normalize nfc", "\u0301\u0323"),
        ("normalize nfkd", "\u0301\u0323"),
        ("tokenize en", "DOT"),
        ("tokenize en", "DOTMULTI"),
        ("tokenize de", "a.b. "),
        ("tokenize zh", "<"),
        ("learn truecase", "<"),
        ("split zh", "中。"),
        ("split de", "«"),
    ],
)
def test_lines_that_libraries_take_minutes_for_take_a_short_time(step: str, pattern: str) -> None:
    STEPS[step]("a")  # which loads what it needs
    start = process_time()
    STEPS[step]((pattern * LENGTH)[: LENGTH // 4])
    half = process_time()
    STEPS[step]((pattern * LENGTH)[: LENGTH // 2])
    whole = process_time() - half
    # On a slow machine, twice the length takes twice the time; it would take four times as long.
    assert whole < MOST_SECONDS / 2 or whole < 3 * (half - start)
