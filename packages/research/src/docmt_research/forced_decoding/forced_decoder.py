"""`ForcedDecoder`: the interface of whatever gives the log-probability of given translations: a
trained system, or a large language model. Contrastive suites and the value of context know no
other.

In forced decoding a given translation takes the place of the search: each token has a probability
given the source, the context and the tokens before.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.translators.translator import ProgressCallback, Translator


class SentenceProbability(NamedTuple):
    """The log-probability of a target sentence, by token.

    Attributes:
        tokens: the subwords of the sentence, and the token that ends it.
        log_probabilities: of each of them, given the tokens before, in nats.
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
class ForcedDecoder(Protocol):
    """The log-probability of given translations, by a translator's own probabilities."""

    @property
    @abstractmethod
    def translator(self) -> Translator:
        """The translator with the same probabilities: it writes the most probable translations, as
        far as its search finds them."""

    @property
    @abstractmethod
    def max_context(self) -> int | None:
        """The most sentences before a sentence that are read with it; None without a limit but that
        of tokens."""

    @property
    @abstractmethod
    def reads_target(self) -> bool:
        """True if the probability of a sentence depends on the target sentences before it."""

    @abstractmethod
    def log_probabilities(
        self, documents: Sequence[Document], progress: ProgressCallback | None = None
    ) -> list[list[SentenceProbability | None]]:
        """The log-probabilities of the targets of documents, each sentence in the context in which
        it is translated.

        Args:
            documents: the documents, with targets.
            progress: called with the sentences done so far and the sentences in all.

        Returns:
            For each document a result per sentence; None where the source is empty, which is not
            translated.

        Raises:
            InputError: `documents` is not a sequence of documents, or a document has no sentences
                or no target.
        """

    @abstractmethod
    def candidate_log_probabilities(
        self, cases: Sequence[Candidates], progress: ProgressCallback | None = None
    ) -> list[list[SentenceProbability]]:
        """The log-probabilities of candidates for the last sentence of each document, given as much
        of the document before it as is read at once.

        Args:
            cases: the documents and the candidates.
            progress: called with the sentences done so far and the sentences in all.

        Raises:
            InputError: a document's last sentence is empty, or it lacks a target that is read.
        """


def check_case(case: Candidates, *, reads_target: bool) -> None:
    """Check that the candidates of a case have a log-probability.

    Raises:
        InputError: they have none.
    """
    document = case.document
    if not document.source[-1].strip():
        raise InputError(f"document {document.id!r}: the sentence to translate is empty")
    if document.target is None and reads_target and len(document) > 1:
        raise InputError(
            f"document {document.id!r} has no translation of the context, which this run reads"
        )
