"""`PlainSentence`: requests to a model that is made for translating. A message has one sentence in
the form of the model, and the answer is the translation and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docmt_llm.chat_model import ChatAnswer, ChatMessage, ChatRequest
from docmt_llm.endpoints.profiles import Profile
from docmt_llm.endpoints.request_shapes import RequestWriter, Shape
from docmt_llm.prompting.prompt_context import PromptContext
from docmt_llm.prompting.prompts import prompt_language, render
from docmt_llm.prompting.sentence_task import SentenceTask


@dataclass(frozen=True, slots=True)
class PlainSentence(Shape):
    """One sentence per request, without context.

    Attributes:
        writer: writes requests.
        profile: the model.
        languages: the codes of the source and of the target language.
        has_template: whether the server has the chat template of the model.
    """

    writer: RequestWriter
    profile: Profile
    languages: tuple[str, str]
    has_template: bool = True

    @property
    def corrects(self) -> bool:
        return False

    def request(self, tasks: Sequence[SentenceTask], context: PromptContext) -> ChatRequest:
        (task,) = tasks
        del context
        return self._request(task.sentence.text, task.demands.get("terms", ()))

    def trial(self) -> ChatRequest:
        """A request to try the model with."""
        return self._request("Good morning.", ())

    def _request(self, text: str, terms: Sequence[Mapping[str, object]]) -> ChatRequest:
        profile, (source, target) = self.profile, map(prompt_language, self.languages)
        codes = profile.code(self.languages[0]), profile.code(self.languages[1])
        in_content = profile.languages_in == "content" and self.has_template
        content = text
        if profile.prompt and not in_content:
            content = render(
                profile.prompt,
                source=source,
                target=target,
                source_code=codes[0],
                target_code=codes[1],
                target_in_chinese=prompt_language(self.languages[1], "zh"),
                terms=terms,
                text=text,
            )
        message = ChatMessage("user", content, codes if in_content else None)
        request = self.writer.request([message], text)
        if profile.languages_in == "translation_options":
            fields = {"translation_options": {"source_lang": source, "target_lang": target}}
            return ChatRequest(request.messages, request.max_tokens, None, request.seed, fields)
        return request

    def read(self, answer: ChatAnswer, tasks: Sequence[SentenceTask]) -> Mapping[str, str] | None:
        (task,) = tasks
        text = answer.text.strip()
        if not text or "\n" in text or answer.finish_reason != "stop":
            return None
        return {task.id: text}

    def correction(
        self, task: SentenceTask, context: PromptContext, translation: str, faults: Sequence[str]
    ) -> ChatRequest:
        raise NotImplementedError("the model takes no instructions")
