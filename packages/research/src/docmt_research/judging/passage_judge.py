"""`Judge`: asks a large language model about passages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_llm.chat_model import ChatMessage, ChatModel, ChatRequest, ContextTooLongError
from docmt_llm.endpoints.event_loop import for_each, run
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.judging.judge_answers import UnreadableAnswerError
from docmt_research.judging.judge_prompts import JudgeMethod, JudgePrompt

Value = TypeVar("Value")

_TOO_LONG = "too long for the model"


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How translations are judged.

    Attributes:
        method: `errors`, `assessment` or `comparison`.
        sentences: the most sentences of a passage.
        context: the number of sentences before a passage read with it.
        repeats: number of times to ask each question, with another seed each time.
        seed: the first seed.
        prompt: the path of a prompt in the place of docmt's.

    Raises:
        InputError: a number is not valid.
    """

    method: JudgeMethod = "errors"
    sentences: int = 10
    context: int = 5
    repeats: int = 1
    seed: int = 0
    prompt: PathLike | None = None

    def __post_init__(self) -> None:
        for name, least in (("sentences", 1), ("context", 0), ("repeats", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(
                    f"`{name}` is {getattr(self, name)}",
                    cure=f"Give a number from {least} on",
                    parameters=(f"{name}",),
                )


@dataclass(frozen=True, slots=True)
class Question(Generic[Value]):
    """A question for a judge.

    Attributes:
        messages: the request.
        seed: of sampling.
        max_tokens: the most tokens of the answer.
        schema: the schema of the answer.
        read: reads the answer; raises `UnreadableAnswerError`.
    """

    messages: tuple[ChatMessage, ...]
    seed: int
    max_tokens: int
    schema: Mapping[str, Any]
    read: Callable[[str], Value]


@dataclass(frozen=True, slots=True)
class Reply(Generic[Value]):
    """A reply of a judge.

    Attributes:
        value: the value read from the answer; None for an unreadable answer.
        problem: why not.
        answer: the answer as it was given.
    """

    value: Value | None
    problem: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Judge:
    """A large language model as a judge.

    Attributes:
        model: the model.
        languages: the codes of the source and of the target language.
        structured: whether it is made to meet schemas where it can be.
        concurrency: the most requests at a time.
    """

    model: ChatModel
    languages: tuple[str, str]
    structured: bool = True
    concurrency: int = 4

    def prompt(self, settings: JudgeSettings) -> JudgePrompt:
        """The prompt of a method.

        Raises:
            InputError: it cannot be used.
        """
        return JudgePrompt(settings.method, self.languages, settings.prompt)

    def ask(
        self, questions: Sequence[Question[Value]], progress: ProgressCallback | None = None
    ) -> list[Reply[Value]]:
        """Ask questions, several at a time.

        Args:
            questions: the questions.
            progress: called with the questions answered so far and the questions in all.

        Raises:
            InputError: the model cannot be asked.
        """
        replies: dict[int, Reply[Value]] = {}

        async def ask(index: int) -> None:
            replies[index] = await self._ask(questions[index])
            if progress is not None:
                progress(len(replies), len(questions))

        run(for_each(ask, range(len(questions)), self.concurrency))
        return [replies[index] for index in range(len(questions))]

    async def _ask(self, question: Question[Value]) -> Reply[Value]:
        schema = question.schema if self.structured else None
        request = ChatRequest(question.messages, question.max_tokens, schema, question.seed)
        try:
            answer = await self.model.answer(request)
        except ContextTooLongError:
            return Reply(None, _TOO_LONG)
        if answer.finish_reason != "stop":
            return Reply(None, f"the answer was ended ({answer.finish_reason})", answer.text)
        try:
            return Reply(question.read(answer.text), answer=answer.text)
        except UnreadableAnswerError as error:
            return Reply(None, str(error), answer.text)
