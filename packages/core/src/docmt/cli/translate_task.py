"""`TranslationTask`: the files that `docmt translate` translates into one language, checked before
the translator is loaded; `TranslationWork`: a task with the translator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.cli.terminal import inform, note, noting_costs, print_table, progress_bar
from docmt.cli.translate_options import (
    DestinationOptions,
    TableOptions,
    TermOptions,
    input_folder,
    shard_output,
)
from docmt.output import Output, input_format_of, output_format_of
from docmt_files import EmptyShardError, Input, TreeOptions, find_tree

if TYPE_CHECKING:
    from docmt.translating import FileCounts, TermChoices
    from docmt.translating.marked_sentences import MarkedSentence
    from docmt_files import ExclusionRules
    from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True)
class TranslationTask:
    """The files to translate into one language.

    Attributes:
        inputs: the input files.
        outputs: the output files; none for a folder.
        folders: the input and the output folder, if a folder is translated.
        form, input_form, tree, source_language, terms: how they are read and written.
    """

    inputs: list[str]
    outputs: list[str]
    folders: tuple[str, str] | None
    form: Output
    input_form: Input
    tree: TreeOptions
    source_language: str | None
    terms: TermOptions

    @classmethod
    def of(
        cls,
        inputs: list[str],
        destination: DestinationOptions,
        terms: TermOptions,
        reading: Mapping[str, Any],
        tables: TableOptions,
        rules: ExclusionRules | None,
        tree: TreeOptions,
        writing: Mapping[str, Any],
    ) -> TranslationTask:
        """Check the inputs and the outputs of a language.

        Raises:
            InputError: a file cannot be written, or an option does not fit.
        """
        input_form, form = _forms(inputs, destination, reading, tables, writing)
        input_form = replace(input_form, rules=rules)
        output = destination.output
        folders = input_folder(inputs, output, tree)
        outputs = _outputs(inputs, output, form, input_form)
        if folders is not None:
            find_tree(*folders, input_form, tree, form.added_suffix)
        return cls(inputs, outputs, folders, form, input_form, tree, tables.source_language, terms)

    @property
    def is_done(self) -> bool:
        """True if the output of a shard is there already."""
        return self.input_form.shard is not None and Path(self.outputs[0]).exists()

    @property
    def _paths(self) -> list[str]:
        """The files to translate, also of a folder."""
        if self.folders is None:
            return self.inputs
        tree = find_tree(*self.folders, self.input_form, self.tree, self.form.added_suffix)
        return [str(tree.folder / path) for path, _ in tree.translated]

    def print_analysis(self, languages: tuple[str, str]) -> None:
        """Print how much of the files is in the memories."""
        from docmt.translating import analyze_files

        rows = analyze_files(
            self.terms.memories(languages),
            languages,
            self._paths,
            threshold=self.terms.memory_threshold,
            input_form=self.input_form,
            source_language=self.source_language,
            note=note,
        )
        total = max(rows[-1].words, 1)
        print_table(
            ("match", "segments", "words", "share of words"),
            [(row.name, row.segments, row.words, f"{row.words / total:.0%}") for row in rows],
        )

    def with_translator(self, translator: Translator) -> TranslationWork:
        """The work of a translator, with the memories before it.

        Raises:
            InputError: a memory or the glossary cannot be read.
        """
        terms = self.terms.chosen(translator.languages)
        return TranslationWork(self, self.terms.with_memories(translator), terms)


@dataclass(frozen=True)
class TranslationWork:
    """A task, with what translates it."""

    task: TranslationTask
    translator: Translator
    terms: TermChoices

    @property
    def _shared(self) -> dict[str, Any]:
        task = self.task
        return {
            "form": task.form,
            "input_form": task.input_form,
            "source_language": task.source_language,
            "terms": self.terms,
        }

    def run(
        self,
        take_note: Callable[[str], None] = note,
        mark: Callable[[MarkedSentence], None] | None = None,
    ) -> tuple[FileCounts, int] | None:
        """Translate the files. Returns the counts of problems and the number of failed files, or
        None if there is nothing to translate.

        Args:
            take_note: hears of notes.
            mark: hears of suspicious sentences.
        """
        task = self.task
        if task.is_done:
            inform(f"{task.outputs[0]} is there already, and is not translated again")
            return None
        shared = {**self._shared, "progress": progress_bar, "note": take_note}
        if mark is not None:
            shared["mark"] = mark
        try:
            with noting_costs(self.translator):
                if task.folders is None:
                    from docmt.translating import translate_files

                    counts = translate_files(self.translator, task.inputs, task.outputs, **shared)
                    return counts, 0
                from docmt.translating import translate_folder

                result = translate_folder(
                    self.translator, *task.folders, options=task.tree, **shared
                )
                return result.files, len(result.failed)
        except EmptyShardError as error:
            note(str(error))
            return None

    def note_estimated_costs(self) -> None:
        """Print the estimated costs of the translation."""
        from docmt.translating import estimate_file_costs, estimate_folder_costs

        task = self.task
        if task.folders is None:
            costs = estimate_file_costs(self.translator, task.inputs, **self._shared)
        else:
            costs = estimate_folder_costs(
                self.translator, *task.folders, options=task.tree, **self._shared
            )
        for text in costs:
            inform(f"docmt: {text}")


def _outputs(inputs: list[str], output: str | None, form: Output, input_form: Input) -> list[str]:
    """The output files; none if a folder is translated as a whole."""
    if input_form.shard is not None:
        return [shard_output(inputs, output, form, input_form.shard)]
    if any(Path(name).is_dir() for name in inputs):
        return []
    return form.paths(inputs, output, input_form.file_format)


def _forms(
    inputs: list[str],
    destination: DestinationOptions,
    reading: Mapping[str, Any],
    tables: TableOptions,
    writing: Mapping[str, Any],
) -> tuple[Input, Output]:
    """The forms of input and output; without an option, names of files determine the form."""
    columns, output = tables.chosen(), destination.output
    file_format = reading.get("file_format")
    if destination.output_format is None:
        file_format = input_format_of(inputs, output, file_format)
    by_name = "same" if columns else output_format_of(inputs, output, file_format)
    form = Output(destination.output_format or by_name, **writing)
    return Input(**{**reading, "file_format": file_format}, columns=columns), form
