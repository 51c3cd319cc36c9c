"""`Scorer`: the interface of whatever gives the log-probability of given translations: a trained
system, or a large language model. Scores, the worth of context and contrastive suites know no
other.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.translators.translator import ProgressCallback, Translator


class SentenceScore(NamedTuple):
    """The score of a target sentence.

    Attributes:
        tokens: its subwords, and the token that ends it.
        log_probabilities: of each of them, given what stands before, in nats.
    """

    tokens: tuple[str, ...]
    log_probabilities: tuple[float, ...]

    @property
    def log_probability(self) -> float:
        """Of the whole sentence, in nats."""
        return sum(self.log_probabilities)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Translations of the last sentence of a document.

    Attributes:
        document: the source sentences, the last of which is translated; its target, if it has one,
            is as long, and gives the translations of the sentences before (that of the last is
            ignored). It may be missing if no target sentences are read.
    """

    document: Document
    targets: tuple[str, ...]


@runtime_checkable
class Scorer(Protocol):
    """Whatever scores given translations: by what translates with the same probabilities."""

    @property
    @abstractmethod
    def translator(self) -> Translator:
        """What writes the translations that are most probable by these scores, as far as its search
        finds them."""

    @property
    @abstractmethod
    def max_context(self) -> int | None:
        """The most sentences before a sentence that are read with it; None without a limit but that
        of tokens."""

    @property
    @abstractmethod
    def reads_target(self) -> bool:
        """True if the score of a sentence depends on the target sentences before it."""

    @abstractmethod
    def score(
        self, documents: Sequence[Document], progress: ProgressCallback | None = None
    ) -> list[list[SentenceScore | None]]:
        """Score the targets of documents, each sentence in the context in which it is translated.

        Args:
            documents: the documents, with targets.
            progress: called with the sentences scored so far and the sentences in all.

        Returns:
            For each document its sentences' scores; None where the source is empty, which is not
            translated.

        Raises:
            InputError: `documents` is not a sequence of documents, or a document has no sentences
                or no target.
        """

    @abstractmethod
    def score_candidates(
        self, cases: Sequence[Candidates], progress: ProgressCallback | None = None
    ) -> list[list[SentenceScore]]:
        """Score candidates for the last sentence of each document, given as much of the document
        before it as is read at once.

        Args:
            cases: the documents and the candidates.
            progress: called with the sentences scored so far and the sentences in all.

        Raises:
            InputError: a document's last sentence is empty, or it lacks a target that is read.
        """


def check_case(case: Candidates, *, reads_target: bool) -> None:
    """Check that a case can be scored.

    Raises:
        InputError: it cannot.
    """
    document = case.document
    if not document.source[-1].strip():
        raise InputError(f"document {document.id!r}: the sentence to translate is empty")
    if document.target is None and reads_target and len(document) > 1:
        raise InputError(
            f"document {document.id!r} has no translation of the context, which this run reads"
        )
