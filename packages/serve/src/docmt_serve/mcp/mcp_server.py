"""A server of the Model Context Protocol: a chat or an editor translates texts and files, looks up
memories and glossaries, and checks translations.

The server reads and writes files below the roots that the client grants and those of the command
line, and no other file. Protocol: https://modelcontextprotocol.io, by the official SDK (`mcp`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Literal

from anyio import from_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ListRootsResult, ToolAnnotations
from pydantic import Field

from docmt import __version__
from docmt.glossaries import read as read_glossary
from docmt.output import Output, output_format_of
from docmt.translating import TermChoices, TextRequest, translate_files, translate_texts
from docmt.translating.checks.checking import Checking, chosen_checks
from docmt.translating.checks.file_checks import CheckSettings, Finding, check_file
from docmt.translating.checks.text_pairs import pair_texts
from docmt.translating.marked_sentences import MarkedSentence
from docmt.translating.source_language import detect_source_language
from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_nmt.base.extras import naming_extras
from docmt_nmt.text.language_detection import language_name, other_language
from docmt_serve.mcp.mcp_files import GrantedFiles
from docmt_serve.mcp.mcp_schemas import (
    ClientRoots,
    Entry,
    FileAnswer,
    GlossaryPath,
    MemoryPath,
    Source,
    Target,
    TextAnswer,
)
from docmt_serve.models.detection import detect
from docmt_serve.models.models import Model, Models

_INSTRUCTIONS = (
    "docmt translates whole documents on this machine, each sentence with the sentences around it: "
    "give a text whole. Show people the sentences to check."
)


@dataclass(frozen=True)
class Tools:
    """The tools of the server. An error of a tool is for the client's model to read.

    Attributes:
        models: translate texts and files, one at a time.
        own_roots: folders of the command line.
    """

    models: Models
    own_roots: tuple[Path, ...] = ()
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def languages(self) -> dict[str, list[str]]:
        """List the target languages of each source language."""
        return self.models.sources

    def translate_text(
        self,
        text: str,
        to: Target,
        roots: ClientRoots,
        source_language: Source = None,
        form: Literal["text", "html"] = "text",
        glossary: GlossaryPath = None,
        memory: MemoryPath = None,
    ) -> TextAnswer:
        """Translate a text as one document."""
        model = self._model(to, source_language, lambda known: detect(text, known)[0].language)
        files = self._files(roots)
        terms = files.glossary(glossary, (model.source, model.target))
        with self._turn, files.over(model.translator, memory) as translator:
            request = TextRequest((text,), form, document=True, glossary=terms)
            (found,) = translate_texts(translator, request)
        to_check = [
            MarkedSentence(f"sentence {n}", f"{w.kind}: {w.detail}", pair.source, pair.target)
            for n, pair in enumerate(found.sentences, start=1)
            for w in pair.warnings
        ]
        notes = list(found.notes)
        if language := other_language([text], model.source):
            notes.append(f"the text is in {language_name(language)}, it seems")
        return TextAnswer(found.text, model.source, to_check, notes)

    def translate_file(
        self,
        path: str,
        to: Target,
        roots: ClientRoots,
        context: Context,
        output: Annotated[str | None, Field(description="Default: guide.de.md of guide.md")] = None,
        overwrite: Annotated[bool, Field(description="Replace a file at the output")] = False,
        source_language: Source = None,
        file_format: Annotated[str | None, Field(description="Default: by the name")] = None,
        glossary: GlossaryPath = None,
        memory: MemoryPath = None,
    ) -> FileAnswer:
        """Translate a file of any format; all but the text stays as it is."""
        files = self._files(roots)
        source, reading = files.file(path), Input(file_format=file_format)
        model = self._model(
            to, source_language, lambda known: detect_source_language([str(source)], reading, known)
        )
        beside = source.with_name(f"{source.stem}.{model.target}{source.suffix}")
        written = files.path(output or str(beside))
        if written.exists() and not overwrite:
            raise InputError(
                "is there already",
                path=written,
                cure="Give another `output`, or `overwrite` if the person agrees",
            )
        form = Output(output_format_of([str(source)], written, file_format))
        (target,) = form.paths([str(source)], written, file_format)
        terms = TermChoices(files.glossary(glossary, (model.source, model.target)))
        notes: list[str] = []
        marked: list[MarkedSentence] = []
        with self._turn, files.over(model.translator, memory) as translator:
            translate_files(
                translator,
                [str(source)],
                [target],
                form=form,
                input_form=reading,
                terms=terms,
                progress=lambda _: nullcontext(partial(_report_progress, context)),
                note=notes.append,
                mark=marked.append,
            )
        return FileAnswer(target, model.source, marked, notes)

    def look_up_memory(
        self,
        memory: str,
        sentence: str,
        roots: ClientRoots,
        threshold: Annotated[float, Field(ge=0, le=1)] = 0.75,
        source_language: Annotated[str, Field(description="Needed for .tmx")] = "",
        to: Annotated[str, Field(description="Needed for .tmx")] = "",
    ) -> list[Entry]:
        """Find a sentence, and sentences like it, in a translation memory."""
        with self._files(roots).memory(memory, (source_language, to)) as opened:
            matches = opened.look_up(sentence, threshold=threshold)
        return [Entry(each.unit.source, [each.unit.target], each.rate) for each in matches]

    def look_up_glossary(
        self, glossary: str, text: str, source_language: str, to: Target, roots: ClientRoots
    ) -> list[Entry]:
        """Find the terms of a text in a glossary, with the translations that it allows."""
        terms = read_glossary(self._files(roots).file(glossary), (source_language, to))
        found = {match.term.source: match for match in terms.find(text)}
        return [Entry(each.text, list(each.term.target or [each.text])) for each in found.values()]

    def check_text(
        self,
        source: str,
        translation: str,
        source_language: str,
        to: Target,
        roots: ClientRoots,
        glossary: GlossaryPath = None,
    ) -> list[MarkedSentence]:
        """List what to look at in the translation of a text, by a machine or a person."""
        languages = source_language, to
        settings = CheckSettings(languages, self._files(roots).glossary(glossary, languages))
        return _listed(check_file(pair_texts(source, translation, languages), settings))

    def check_file(
        self,
        source: str,
        roots: ClientRoots,
        translation: Annotated[str | None, Field(description="None for XLIFF, PO, TMX")] = None,
        source_language: Source = None,
        to: str | None = None,
        glossary: GlossaryPath = None,
    ) -> list[MarkedSentence]:
        """List what to look at in the translation of a file, by a machine or a person."""
        files = self._files(roots)
        terms = None if glossary is None else files.file(glossary)
        languages, checks = (source_language, to), chosen_checks(None, None)
        checking = Checking(Input(), languages, checks, glossary=terms)
        translated = None if translation is None else str(files.file(translation))
        return _listed(checking.check(str(files.file(source)), translated).findings)

    def _files(self, roots: ListRootsResult) -> GrantedFiles:
        return GrantedFiles.below([str(root.uri) for root in roots.roots], self.own_roots)

    def _model(self, to: str, source: str | None, detected: Callable[[list[str]], str]) -> Model:
        """The model into a language; from the detected language, if several are possible."""
        target = self.models.choose(source, to).target
        known = [tag for tag, targets in self.models.sources.items() if target in targets]
        return self.models.choose(source or (detected(known) if known[1:] else known[0]), to)


def make_server(
    models: Models, roots: Sequence[Path] = (), *, names: Mapping[str, str] | None = None
) -> MCPServer:
    """The server of some models.

    Args:
        models: translate texts and files.
        roots: folders with files to read and write, beside those that the client grants.
        names: of parameters in errors, as their users know them.
    """
    server = MCPServer(
        "docmt", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    tools = Tools(models, tuple(roots))
    for tool in (
        tools.languages,
        tools.translate_text,
        tools.translate_file,
        tools.look_up_memory,
        tools.look_up_glossary,
        tools.check_text,
        tools.check_file,
    ):
        reads = tool != tools.translate_file
        hints = ToolAnnotations(read_only_hint=reads, destructive_hint=not reads)
        server.add_tool(_telling(tool, names or {}), annotations=hints)
    return server


def _telling(tool: Callable[..., Any], names: Mapping[str, str]) -> Callable[..., Any]:
    """The tool with errors that the client's model reads; any other error is a bug."""

    @wraps(tool)
    def telling(**arguments: Any) -> Any:
        try:
            with naming_extras():
                return tool(**arguments)
        except InputError as error:
            raise ToolError(error.message.naming(names)) from None

    return telling


def _report_progress(context: Context, done: int, total: int) -> None:
    """Report progress from a thread; ends the thread's work if the client has cancelled it."""
    from_thread.check_cancelled()
    from_thread.run(context.report_progress, done, total)


def _listed(findings: Sequence[Finding]) -> list[MarkedSentence]:
    return [
        MarkedSentence(each.place, f"{each.check}: {each.detail}", each.source, each.target)
        for each in findings
    ]
