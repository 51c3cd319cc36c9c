"""The prompts for a judge, from Jinja templates, one for each method."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, read_lines
from docmt_files.storage.json_files import json_text
from docmt_llm.chat_model import ChatMessage
from docmt_llm.prompting.prompts import prompt_language

if TYPE_CHECKING:
    from jinja2 import Template

JudgeMethod = Literal["errors", "assessment", "comparison"]
"""Ways to judge: error spans with severities, a number from 0 to 100, or which of two translations
is better."""

CATEGORIES = (
    "mistranslation",
    "omission",
    "addition",
    "untranslated",
    "terminology",
    "coherence",
    "grammar",
    "spelling",
    "punctuation",
    "style",
    "other",
)
"""Categories of errors, of MQM and one for errors beyond the sentence."""


class JudgePrompt:
    """The prompt of a method.

    Args:
        method: the method.
        languages: the codes of the source and of the target language.
        path: path of a template in the place of docmt's.

    Raises:
        InputError: the template cannot be read or used.
    """

    def __init__(
        self, method: JudgeMethod, languages: tuple[str, str], path: PathLike | None = None
    ) -> None:
        source, target = map(prompt_language, languages)
        self._values = {"source_language": source, "target_language": target}
        own = files("docmt_research.judging") / "templates" / f"{method}.j2"
        self._path = Path(f"{method}.j2" if path is None else path)
        self.text = own.read_text("utf-8") if path is None else "\n".join(read_lines(path))
        if "A sentence." not in self.messages({"sentences": {"s1": "A sentence."}})[-1].content:
            raise self._error("its block `user` does not show `data`")

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the template and the languages."""
        return sha256(json_text([self._values, self.text]).encode()).hexdigest()

    def messages(self, data: dict[str, Any]) -> tuple[ChatMessage, ...]:
        """The messages of a request.

        Args:
            data: the input of the judge, as plain values.

        Raises:
            InputError: the template fails.
        """
        from jinja2 import TemplateError

        values = {**self._values, "data": data, "categories": CATEGORIES}
        try:
            blocks = {
                name: "".join(render(self._template.new_context(values))).strip()
                for name, render in self._template.blocks.items()
            }
        # The sandbox is the only limit on a template.
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise self._error(str(error)) from None
        system = [ChatMessage("system", blocks["system"])] if blocks.get("system") else []
        return (*system, ChatMessage("user", blocks.get("user", "")))

    @cached_property
    def _template(self) -> Template:
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            autoescape=False, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
        )
        environment.filters["json"] = json_text
        try:
            return environment.from_string(self.text)
        except TemplateError as error:
            raise self._error(str(error)) from None

    def _error(self, problem: str) -> InputError:
        return InputError(
            f"cannot be used as a prompt: {problem}",
            path=self._path,
            cure="Correct it, or leave out `prompt` to use docmt's",
            parameters=("prompt",),
        )
