"""`suite_cautions`: what makes a system guess on a contrastive suite, said before it is measured.

A suite in another language than the system's, or a tokenized one, has candidates that are all
improbable to the system. Its accuracy is then that of chance, and looks like a result.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    sides = ("sources", source), ("translations", target)
    for (side, sentences), language in zip(sides, languages, strict=True):
        if other := other_language(sentences, language):
            yield (
                f"{suite.name}: the {side} are in {language_name(other)} ({other}), it seems, and "
                f"the run's are in {language_name(language)} ({language}); accuracies are chance"
            )
    if looks_tokenized(source) or looks_tokenized(target):
        yield (
            f"{suite.name}: its text looks tokenized; detokenize it for a run on untokenized text"
        )
