"""`Prompts`: the messages to a large language model, from templates a user can read and replace.

Each kind of request has one Jinja template in `templates`. The block `system` is the same for all
requests of a run, so endpoints with a prompt cache read it once. The block `user` has the text of
the document as JSON: data cannot end the message or begin another. Templates run in Jinja's
sandbox, and can reach only the values given to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_files.storage.json_files import json_text
from docmt_files.storage.stored_files import open_stored
from docmt_llm.chat_model import ChatMessage
from docmt_nmt.base.choices import Formality
from docmt_nmt.text.language_detection import language_name

if TYPE_CHECKING:
    from jinja2 import Environment, Template

PromptName = Literal["sentence", "batch", "correct", "summary", "names", "recall"]
"""Kinds of requests to a large language model: to translate one sentence, or several; to correct a
translation; to write a summary of the document so far; to list the names of a sentence; to choose
earlier sentences."""

PROMPT_NAMES: tuple[PromptName, ...] = get_args(PromptName)
"""All kinds of requests."""

_MAX_BYTES = 1 << 20
"""Maximum number of bytes of a template."""

_DATA = {"sentence": "A sentence.", "sentences": {"s1": "A sentence."}, "before": [], "after": []}
_SAMPLE: Mapping[PromptName, Mapping[str, Any]] = {
    "sentence": {"data": _DATA},
    "batch": {"data": _DATA, "ids": ["s1"]},
    "correct": {"faults": ["a fault"], "id": "s1"},
    "summary": {"data": {"sentences": []}, "both": True},
    "names": {"data": {"source": "A sentence.", "translation": "A sentence."}},
    "recall": {"data": {"sentences": {"s1": "A sentence."}, "sentence": "B."}, "keys": ["1"]},
}
"""Values to try templates with after reading."""


class Prompts:
    """The prompts of a run.

    Args:
        languages: the codes of the source and of the target language.
        folder: a folder with templates (`sentence.j2`, `batch.j2`, …) to replace docmt's.

    Raises:
        InputError: the folder has no template, or a template cannot be read or used.

    >>> prompts = Prompts(("en", "de"))
    >>> system, user = prompts.messages("sentence", data={"sentence": "Good morning."})
    >>> system.content.partition(",")[0]
    'You translate a document from English into German'
    """

    def __init__(self, languages: tuple[str, str], folder: PathLike | None = None) -> None:
        source, target = map(prompt_language, languages)
        self._languages = {"source_language": source, "target_language": target}
        self._asked = {"instructions": "", "formality": "default"}
        self.texts = prompt_texts(folder)
        self._folder = folder
        for name in PROMPT_NAMES:
            self._try(name)

    def between(self, source: str, target: str) -> Prompts:
        """The same prompts for other languages."""
        return Prompts((source, target), self._folder)

    def with_instructions(self, instructions: str, formality: Formality) -> Prompts:
        """The same prompts with what a person asks of the translation."""
        prompts = copy(self)
        prompts._asked = {"instructions": instructions, "formality": formality}
        return prompts

    def show_instructions(self, shape: PromptName) -> bool:
        """Return whether the template of a shape shows what a person asks of the translation."""
        return all(name in self.texts[shape] for name in ("instructions", "formality"))

    @property
    def digest(self) -> str:
        """A digest of all templates."""
        return sha256(json_text([self._languages, self.texts]).encode()).hexdigest()

    def messages(self, name: PromptName, **values: Any) -> tuple[ChatMessage, ...]:
        """The messages of a request.

        Args:
            name: the kind of request.
            values: the values of the template, explained in the template.

        Raises:
            InputError: the template fails with these values.
        """
        blocks = {}
        template = self._templates[name]
        from jinja2 import TemplateError

        try:
            for block, render in template.blocks.items():
                context = template.new_context({**self._languages, **self._asked, **values})
                blocks[block] = "".join(render(context)).strip()
        # The sandbox does not prevent errors in a template.
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise self._error(name, error) from None
        messages = [ChatMessage("system", blocks["system"])] if blocks.get("system") else []
        return (*messages, ChatMessage("user", blocks.get("user", "")))

    @cached_property
    def _templates(self) -> dict[PromptName, Template]:
        from jinja2 import TemplateError

        environment = _environment()
        made = {}
        for name, text in self.texts.items():
            try:
                made[name] = environment.from_string(text)
            except TemplateError as error:
                raise self._error(name, error) from None
        return made

    def _try(self, name: PromptName) -> None:
        """Render a template, to find mistakes early."""
        message = self.messages(name, **_SAMPLE[name])[-1]
        if not message.content:
            raise self._error(name, "its block `user` is missing or empty")
        if name in ("sentence", "batch") and "A sentence." not in message.content:
            raise self._error(name, "its block `user` does not show `data`")

    def _error(self, name: PromptName, problem: object) -> InputError:
        folder = Path(self._folder) if self._folder is not None else Path("templates")
        return InputError(
            f"cannot be used as a prompt: {problem}",
            path=folder / f"{name}.j2",
            line=getattr(problem, "lineno", None),
            cure="Correct it, or remove it to use docmt's, which `docmt recipes show` shows with "
            f"`prompt={name}`",
            parameters=(f"prompt={name}",),
        )


def render(template: str, **values: Any) -> str:
    """The text of a template of docmt."""
    return _environment().from_string(template).render(**values).strip()


def prompt_texts(folder: PathLike | None = None) -> dict[PromptName, str]:
    """The text of each template.

    Args:
        folder: a folder with templates to replace docmt's.

    Raises:
        InputError: the folder has no template, or a template cannot be read.
    """
    own = files(__package__) / "templates"
    texts: dict[PromptName, str] = {
        name: (own / f"{name}.j2").read_text(encoding="utf-8") for name in PROMPT_NAMES
    }
    if folder is None:
        return texts
    paths = {name: Path(folder) / f"{name}.j2" for name in PROMPT_NAMES}
    replaced = {name: path for name, path in paths.items() if path.exists()}
    if not replaced:
        raise InputError(
            "has no prompts",
            path=folder,
            cure=f"Put {', '.join(path.name for path in paths.values())} into it, or some of them,"
            " or leave out request.prompts",
        )
    for name, path in replaced.items():
        with open_stored(path, max_bytes=_MAX_BYTES, cure="Use a text file") as stream:
            try:
                texts[name] = stream.read(_MAX_BYTES).decode("utf-8-sig")
            except UnicodeDecodeError:
                raise InputError("is not UTF-8 text", path=path, cure="Save it as UTF-8") from None
    return texts


def prompt_language(language: str, named_in: str = "en") -> str:
    """The name of a language, with its script and region where the code has them.

    Args:
        language: code of the language.
        named_in: code of the language of the name.

    >>> prompt_language("de"), prompt_language("pt-BR"), prompt_language("zh_Hant")
    ('German', 'Portuguese (Brazil)', 'Chinese (Traditional)')
    >>> prompt_language("de", "zh")
    '德语'
    """
    from babel import Locale, UnknownLocaleError  # slow to import

    try:
        return str(Locale.parse(language.replace("-", "_")).get_display_name(named_in))
    except (UnknownLocaleError, ValueError):
        return language_name(language)


def _environment() -> Environment:
    """The environment of the templates. Nothing is escaped, as templates do not write HTML."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        autoescape=False, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["json"] = json_text
    return environment
