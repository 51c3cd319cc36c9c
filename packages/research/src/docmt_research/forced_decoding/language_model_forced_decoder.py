"""`LanguageModelForcedDecoder`: the log-probability of given translations by a large language
model.

The model gets the messages of a translation request for one sentence, and the given translation is
the answer, a JSON string. The log-probability covers each token of the string, the quotation marks
and the end token, in nats. Models divide a text into different numbers of tokens, so compare sums
over a sentence between models, not means per token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import json_text
from docmt_llm.chat_model import ChatMessage, ContextTooLongError
from docmt_llm.documents.document_context import DocumentContext
from docmt_llm.endpoints.event_loop import for_each, run
from docmt_llm.endpoints.request_shapes import OneSentence, RequestWriter
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model.language_model_kind import open_translator
from docmt_llm.prompting.placeholders import Placeholders
from docmt_llm.prompting.sentence_task import SentenceTask
from docmt_nmt.base.choices import Precision
from docmt_nmt.runs.run import Run
from docmt_nmt.translators.requests import TranslationRequest, check_targets
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.forced_decoding.forced_decoder import (
    Candidates,
    ForcedDecoder,
    SentenceProbability,
    check_case,
)


class _Case(NamedTuple):
    """A sentence with the messages of the request, and a translation."""

    document: str
    messages: tuple[ChatMessage, ...]
    target: str


class LanguageModelForcedDecoder(ForcedDecoder):
    """The log-probability of given translations by a large language model.

    Args:
        translator: the model, and the settings of requests.

    Raises:
        InputError: the model does not give log-probabilities of given text, translates several
            sentences per request, or reads summaries, names or sentences that it wrote or chose.
    """

    def __init__(self, translator: LanguageModelTranslator) -> None:
        self._translator = translator
        if not translator.model.gives_log_probabilities:
            raise InputError(
                f"the model {translator.model.identity.get('model')!r} does not give "
                "log-probabilities of given text where it runs",
                cure="Serve it with vLLM (system.dialect: vllm), or run it in this process "
                "(system.dialect: transformers)",
            )
        if translator.request.shape != "sentence":
            raise InputError(
                "log-probabilities are of one translation at a time, and this run asks for several",
                cure="Use a run with request.shape: sentence",
            )
        context = translator.context
        asks = [
            cure
            for cure, is_asked in (
                ("context.summary: off", context.summary != "off"),
                ("context.names_from: counts", context.names and context.names_from == "model"),
                ("context.recalled_sentences: 0", context.recalled_sentences > 0),
            )
            if is_asked
        ]
        if asks:
            raise InputError(
                "translations of this run depend on summaries, names or recalled sentences that "
                "are found on the way, so a given one has no log-probability of its own",
                cure=f"Use a run with {', '.join(asks)}",
            )
        self._shape = OneSentence(
            RequestWriter(
                translator.prompts,
                translator.request.structured,
                translator.request.max_tokens_factor,
                translator.request.seed,
            )
        )

    @property
    def translator(self) -> LanguageModelTranslator:
        """The model, and the settings of requests."""
        return self._translator

    @property
    def max_context(self) -> int:
        """The number of previous sentences in the context of a sentence."""
        return self._translator.context.sentences_before

    @property
    def reads_target(self) -> bool:
        """True if the context has the translations of the previous sentences."""
        return self._translator.context.translations and self.max_context > 0

    def log_probabilities(
        self, documents: Sequence[Document], progress: ProgressCallback | None = None
    ) -> list[list[SentenceProbability | None]]:
        """The log-probabilities of the targets of documents, each sentence after the given
        translations of the previous sentences.

        Raises:
            InputError: as `ForcedDecoder.log_probabilities`, a sentence is too long for the model,
                or one token covers the end of the messages and the beginning of a translation.
        """
        check_targets(documents)
        cases = [list(self._cases(document)) for document in documents]
        found = iter(self._sentences([case for own in cases for case in own if case], progress))
        return [[None if case is None else next(found) for case in own] for own in cases]

    def candidate_log_probabilities(
        self, cases: Sequence[Candidates], progress: ProgressCallback | None = None
    ) -> list[list[SentenceProbability]]:
        """The log-probabilities of candidates for the last sentence of each document.

        Raises:
            InputError: as `ForcedDecoder.candidate_log_probabilities`, and as `log_probabilities`.
        """
        TranslationRequest([case.document for case in cases])
        given = []
        for case in cases:
            check_case(case, reads_target=self.reads_target)
            messages = self._messages(case.document)
            given += [_Case(case.document.id, messages, target) for target in case.targets]
        found = iter(self._sentences(given, progress))
        return [[next(found) for _ in case.targets] for case in cases]

    def _cases(self, document: Document) -> Iterator[_Case | None]:
        """The sentences of a document; None for an empty one."""
        context = self._context(document)
        for index, target in enumerate(document.target or ()):
            if document.source[index].strip():
                yield _Case(document.id, self._asked(document, index, context), target)
            else:
                yield None
            context.add(index, target)

    def _messages(self, document: Document) -> tuple[ChatMessage, ...]:
        """The messages of a request for the last sentence of a document."""
        context, last = self._context(document), len(document) - 1
        for index, target in enumerate((document.target or ())[:last]):
            context.add(index, target)
        return self._asked(document, last, context)

    def _context(self, document: Document) -> DocumentContext:
        translator = self._translator
        return DocumentContext(document.source, {}, None, translator.context, translator.languages)

    def _asked(
        self, document: Document, index: int, context: DocumentContext
    ) -> tuple[ChatMessage, ...]:
        """The messages of a request for a sentence."""
        task = SentenceTask(index, Placeholders.of(document.source[index], ()))
        return self._shape.request([task], context.around(index, index + 1)).messages

    def _sentences(
        self, cases: Sequence[_Case], progress: ProgressCallback | None
    ) -> list[SentenceProbability]:
        """The log-probabilities of cases, with concurrent requests."""
        found: dict[int, SentenceProbability] = {}

        async def decode(index: int) -> None:
            found[index] = await self._sentence(cases[index])
            if progress is not None:
                progress(len(found), len(cases))

        concurrency = self._translator.request.concurrency
        run(for_each(decode, range(len(cases)), concurrency))
        return [found[index] for index in range(len(cases))]

    async def _sentence(self, case: _Case) -> SentenceProbability:
        try:
            tokens = await self._translator.model.log_probabilities(
                case.messages, json_text(case.target)
            )
        except ContextTooLongError as error:
            raise InputError(
                f"document {case.document!r}: a sentence with its context is too long ({error})",
                cure="Give less context (context.sentences_before, context.sentences_after)",
            ) from None
        return SentenceProbability(
            tuple(token.token for token in tokens), tuple(token.log_probability for token in tokens)
        )


def open_forced_decoder(
    run: Run, *, device: str | None = None, precision: Precision | None = None
) -> LanguageModelForcedDecoder:
    """The forced decoder of the run of a language model, for `load_forced_decoder`."""
    return LanguageModelForcedDecoder(open_translator(run, device=device, precision=precision))
