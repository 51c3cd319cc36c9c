"""`JsonReport`: what `docmt translate --json` prints about a translation, for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from docmt.cli.terminal import note, print_json, said
from docmt_files.base.errors import InputError, name_of, printable, rename_in_messages

if TYPE_CHECKING:
    from docmt.cli.translate_task import TranslationTask, TranslationWork
    from docmt.translating import FileCounts
    from docmt.translating.marked_sentences import MarkedSentence


@dataclass
class JsonReport:
    """A report on a translation, as a JSON object on standard output. Text that would go there is
    in the object.

    Attributes:
        folder: a folder for this text.
        notes: the notes of the translation, which are on standard error as well.
        marked: the suspicious sentences.
    """

    folder: Path
    notes: list[str] = field(default_factory=list)
    marked: list[MarkedSentence] = field(default_factory=list)
    _translations: list[dict[str, Any]] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def printed(cls) -> Iterator[JsonReport]:
        """Yield a report, and print it at the end."""
        with TemporaryDirectory(prefix="docmt-") as folder:
            report = cls(Path(folder))
            yield report
            report._print()

    def note(self, text: str) -> None:
        """Take a note."""
        self.notes.append(said(text))
        note(text)

    def redirected(self, task: TranslationTask, number: int) -> TranslationTask:
        """The task of a number, with a file in place of standard output."""
        path = str(self.folder / f"{number}.txt")
        rename_in_messages(path, "standard output")
        return replace(task, outputs=[path if one == "-" else one for one in task.outputs])

    def add(self, work: TranslationWork, outcome: tuple[FileCounts, int] | None) -> None:
        """Add what was translated into a language.

        Raises:
            InputError: the translation is not text, and no output is named.
        """
        task = work.task
        source_language, target_language = work.translator.languages
        shared: dict[str, Any] = {
            "source_language": source_language,
            "target_language": target_language,
        }
        files = zip(task.inputs, task.outputs, strict=False)  # A shard has one output.
        for source, target in [task.folders] if task.folders else files:
            is_text = source != "-" and name_of(source) != printable(source)
            values = {"input": None if is_text else source, "output": target, **shared}
            if Path(target).parent == self.folder:
                values |= {"output": None, "text": _text_of(target)}
            self._translations.append(values)
        if outcome is not None:
            counts = outcome[0]._asdict() | {"failed_files": outcome[1]}
            for name, count in counts.items():
                self._counts[name] = self._counts.get(name, 0) + count

    def _print(self) -> None:
        print_json(
            {
                "translations": self._translations,
                "counts": self._counts,
                "suspicious": [asdict(one) for one in self.marked],
                "notes": self.notes,
            }
        )


def _text_of(path: str) -> str:
    """The text of a translated file."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "the translation is not text that JSON can hold",
            cure="Name a file for it as `output`",
            parameters=("output",),
        ) from None
