"""What makes a system guess on a contrastive suite is said."""

from __future__ import annotations

from docmt_files.base.documents import Document
from docmt_research.analysis.contrastive_suites import ContrastiveCase, Suite
from docmt_research.analysis.suite_cautions import corpus_cautions, suite_cautions

ENGLISH = (
    "She said that she would come tomorrow evening if she managed to finish her work by then. "
    "We waited for her until midnight, and nobody had opened the letter."
)
GERMAN = (
    "Sie sagte, dass sie morgen Abend kommen würde, wenn sie ihre Arbeit bis dahin beenden könnte. "
    "Wir warteten bis Mitternacht auf sie, und niemand hatte den Brief geöffnet."
)
RUSSIAN = (
    "Она сказала, что придёт завтра вечером, если успеет закончить работу. "
    "Мы ждали её до полуночи, и никто не открыл письма."
)


def suite(source: str, target: str) -> Suite:
    case = ContrastiveCase("1", (source,), (), (target, target + "!"), 0)
    return Suite("pronouns.jsonl", (case,) * 6)


def test_a_suite_that_fits_has_no_caution() -> None:
    assert list(suite_cautions(suite(ENGLISH, GERMAN), ("en", "de"))) == []


def test_each_side_in_another_language_is_named() -> None:
    (text,) = suite_cautions(suite(ENGLISH, RUSSIAN), ("en", "de"))
    assert "the translations are in Russian (ru)" in text
    (text,) = suite_cautions(suite(GERMAN, GERMAN), ("en", "de"))
    assert "the sources are in German (de)" in text


def test_a_tokenized_suite_is_named_with_what_helps() -> None:
    tokenized = GERMAN.replace(",", " ,").replace(".", " .")
    (text,) = suite_cautions(suite(ENGLISH, tokenized), ("en", "de"))
    assert "detokenize it" in text


def test_a_corpus_has_the_same_cautions() -> None:
    def cautions(source: str, target: str) -> list[str]:
        return corpus_cautions([Document("1", (source,) * 6, (target,) * 6)], ("en", "de"))

    assert cautions(ENGLISH, GERMAN) == []
    (text,) = cautions(ENGLISH, RUSSIAN)
    assert text.startswith("the corpus: the translations are in Russian (ru)")
    assert "improbable" in text
    (text,) = cautions(ENGLISH.replace(",", " ,").replace(".", " ."), GERMAN)
    assert "looks tokenized" in text
