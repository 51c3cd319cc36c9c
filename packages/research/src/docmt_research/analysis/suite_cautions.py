"""`suite_cautions` and `text_cautions`: what makes all that is measured improbable to a system,
said before it is measured.

A suite in another language than the system's, or a tokenized one, has candidates that are all
improbable to the system. Its accuracy is then that of chance, and looks like a result. So do the
log-probabilities of given translations, and the value of context.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docmt_files.base.documents import Document
from docmt_nmt.evaluation.scoring import looks_tokenized
from docmt_nmt.text.language_detection import language_name, other_language
from docmt_research.analysis.contrastive_suites import Suite


def suite_cautions(suite: Suite, languages: tuple[str, str]) -> Iterator[str]:
    """Say what does not fit between a suite and a system.

    Args:
        suite: the suite, as it is to be measured.
        languages: codes of the system's source and target language.

    Yields:
        A sentence for each side in another language, and one for a tokenized suite.
    """
    source = [sentence for case in suite.cases for sentence in case.source]
    target = [case.candidates[case.right] for case in suite.cases]
    chance = "accuracies are chance"
    for text in text_cautions((source, target), languages, consequence=chance):
        yield f"{suite.name}: {text}"


def text_cautions(
    sides: tuple[Sequence[str], Sequence[str]],
    languages: tuple[str, str],
    *,
    consequence: str = "all of it is improbable to the run",
) -> Iterator[str]:
    """Say what does not fit between a text and a system.

    Args:
        sides: the sentences of the source and of the translation.
        languages: codes of the system's source and target language.
        consequence: what a text in another language means for what is measured.

    Yields:
        A sentence for each side in another language, and one for a tokenized text.
    """
    for side, sentences, language in zip(
        ("sources", "translations"), sides, languages, strict=True
    ):
        if other := other_language(sentences, language):
            yield (
                f"the {side} are in {language_name(other)} ({other}), it seems, and "
                f"the run's are in {language_name(language)} ({language}); {consequence}"
            )
    if any(looks_tokenized(sentences) for sentences in sides):
        yield "its text looks tokenized; detokenize it for a run on untokenized text"


def corpus_cautions(documents: Sequence[Document], languages: tuple[str, str]) -> list[str]:
    """Say what does not fit between documents with translations and a system; as for
    `text_cautions`."""
    source = [sentence for document in documents for sentence in document.source]
    target = [sentence for document in documents for sentence in document.target or ()]
    return [f"the corpus: {text}" for text in text_cautions((source, target), languages)]
