"""Output of `docmt translate`: the input file with text translated, or the sentences with their
translations as a table, JSON, a translation memory or a page; and the paths of outputs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from docmt.output.output_names import OutputFormat, check_name
from docmt_files import AlignSentences, FileSkeleton, Written, format_of, with_writable
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError, name_of
from docmt_files.base.wording import counted
from docmt_files.storage.characters import NO_CHARACTER, NOT_TEXT
from docmt_files.storage.files import PathLike, check_not_an_input, is_stream, resolved, write_text
from docmt_nmt.base.translations import Alternative, TranslatedSentence, Translation

if TYPE_CHECKING:
    from docmt_files.review import Origin, Remarks, Review

_SUFFIXES: dict[OutputFormat, str] = {
    "tsv": ".tsv",
    "jsonl": ".jsonl",
    "tmx": ".tmx",
    "xliff": ".xlf",
    "xliff-1.2": ".xlf",
    "html-review": ".html",
}
"""Forms of the names of output files in a folder; with `same` they keep the suffix of their
input."""

_PACKAGES = frozenset((".docx", ".pptx", ".xlsx", ".odt", ".odp", ".ods", ".epub"))
"""Suffixes of files in none of these formats."""


@dataclass(frozen=True, slots=True)
class Output:
    """Outputs for each input file.

    Raises:
        InputError: the format cannot hold one of these.
    """

    kind: OutputFormat = "same"
    """`same`: the input file, translated. `tsv`: a line per sentence with document, source and
    translation. `jsonl`: a JSON object per document. `tmx`: a translation memory. `xliff`,
    `xliff-1.2` and `html-review`: a file or page to edit, for `docmt merge`."""

    log_probabilities: bool = False
    """Write each sentence's mean log-probability per token (tsv, jsonl)."""

    n_best: Annotated[int, Ge(1)] = 1
    """Number of translations to write per document, with their log-probabilities (jsonl)."""

    positions: bool = False
    """With sliding windows, also write the translations from every position (jsonl), for
    `docmt evaluate` with `positions`."""

    def __post_init__(self) -> None:
        if self.log_probabilities and self.kind not in ("tsv", "jsonl"):
            raise _does_not_fit("log_probabilities", self.kind, "tsv", "jsonl")
        if self.n_best > 1 and self.kind != "jsonl":
            raise _does_not_fit("n_best", self.kind, "jsonl")
        if self.positions and self.kind != "jsonl":
            raise _does_not_fit("positions", self.kind, "jsonl")

    @property
    def added_suffix(self) -> str:
        """Return the suffix added to the name of a file in a translated folder."""
        return _SUFFIXES.get(self.kind, "")

    def paths(
        self, inputs: Sequence[str], output: PathLike | None, file_format: str | None = None
    ) -> list[str]:
        """The path of the translation of each input.

        Args:
            inputs: the paths of the input files; `-` is standard input.
            output: a file or, for several inputs, a folder; None or `-` is standard output. A path
                with `/` at the end is a folder, also if it does not exist yet.
            file_format: the format of the input files, if it differs from the format of their
                names.

        Raises:
            InputError: several inputs but no folder, two outputs of the same name, or an output
                equal to an input, not writable, or with the name of another kind of file.
        """
        if output is None or str(output) == "-":
            if len(inputs) > 1:
                raise InputError(
                    "several input files need an output folder",
                    cure="Add `output=FOLDER`",
                    parameters=("output=FOLDER",),
                )
            self._check_terminal(inputs)
            return ["-"]
        is_folder = len(inputs) > 1 or Path(output).is_dir() or _ends_in_separator(output)
        paths = self._paths_in(Path(output), inputs) if is_folder else [Path(output)]
        for index, path in enumerate(paths):
            if path in paths[:index]:
                raise InputError(
                    "two inputs would be written to this file",
                    path=path,
                    cure="Translate them in two commands, into two folders",
                )
            check_not_an_input(path, inputs)
            if self.kind == "same":
                check_name(inputs[index], path, file_format)
            else:
                self._check_suffix(path)
            _check_writable(path)
        return [str(path) for path in paths]

    def _check_suffix(self, path: Path) -> None:
        """Refuse the suffix of another output format."""
        suffix, expected = path.suffix.lower(), _SUFFIXES[self.kind]
        if suffix != expected and (suffix in _SUFFIXES.values() or suffix in _PACKAGES):
            raise InputError(
                f"has the suffix {suffix}, but the output is {self.kind}",
                path=path,
                cure=f"Choose a name in {expected}, or another `output_format`",
                parameters=("output_format",),
            )

    def _check_terminal(self, inputs: Sequence[str]) -> None:
        """Refuse to write anything but text to a terminal."""
        format_of_input = format_of(inputs[0]) if inputs else None
        if (
            self.kind == "same"
            and format_of_input
            and not format_of_input.is_text
            and sys.stdout.isatty()
        ):
            raise InputError(
                f"is {format_of_input.title}, which a terminal cannot show",
                path=inputs[0],
                cure="Add `output=FILE`",
                parameters=("output=FILE",),
            )

    def _paths_in(self, output: Path, inputs: Sequence[str]) -> list[Path]:
        if "-" in inputs:
            raise InputError(
                "cannot derive an output file name for standard input",
                path=output,
                cure="Name a file as `output`, and translate other files in another command",
                parameters=("output",),
            )
        if output.is_file():
            raise InputError(
                "is a file, but an output folder is needed"
                if len(inputs) == 1
                else "is a file, but several inputs need an output folder",
                path=output,
                cure="Choose another `output`",
                parameters=("output",),
            )
        return [
            output / path.with_suffix(_SUFFIXES.get(self.kind, path.suffix)).name
            for path in map(Path, inputs)
        ]

    def check(self, documents: Iterable[Document]) -> None:
        """Check before translating whether the format can hold the documents.

        Raises:
            InputError: naming a document with a tab, the delimiter of columns in a table.
        """
        if self.kind != "tsv":
            return
        for document in documents:
            if any("\t" in sentence for sentence in document.source):
                raise InputError(
                    f"document {document.id!r} has a tab in a sentence",
                    cure="Choose `output_format=jsonl`, or replace the tab by a space",
                    parameters=("output_format=jsonl",),
                )

    def write(
        self,
        path: PathLike,
        translations: Sequence[Translation],
        skeleton: FileSkeleton,
        align: AlignSentences | None = None,
        languages: tuple[str, str] = ("und", "und"),
        origin: Origin | None = None,
    ) -> Written:
        """Write the translation of a file, whole or not at all.

        Args:
            path: the path to write to; `-` is standard output.
            translations: the translations of the documents of the file.
            skeleton: the file without sentences.
            align: aligns the words of sentences with inline codes. Default: words are linked by
                order and spelling.
            languages: the codes of the source and the target language, for formats with language
                codes.
            origin: the translated file, for a review.

        Raises:
            InputError: the file cannot be written.
        """
        if self.is_review:
            from docmt_files.review import MAX_REVIEW, review_of

            assert origin is not None, "a review is of a file"
            remarks = [list(map(_remarks, each.sentences)) for each in translations]
            documents = [translation.document for translation in translations]
            review, written = review_of(documents, remarks, skeleton, align, languages, origin)
            text = self._review(review)
            if len(text) > MAX_REVIEW:
                raise InputError(
                    f"its review would have more than {MAX_REVIEW:,} characters",
                    path=origin.path,
                    cure="Divide the file into several",
                )
            write_text(path, text)
            return written
        documents = [translation.document for translation in translations]
        if self.kind != "same":
            unwritable = NO_CHARACTER if self.kind == "tmx" else NOT_TEXT
            documents, written = with_writable(documents, unwritable)
            pairs = zip(translations, documents, strict=True)
            shown = [each.with_best(document.target or ()) for each, document in pairs]
            write_text(path, self._view(shown, languages))
            sources = (sentence for document in documents for sentence in document.source)
            if self.kind == "tmx" and (lost := sum(map(bool, map(NO_CHARACTER.search, sources)))):
                note = f"{counted(lost, 'source sentence')} with characters that XML cannot hold"
                notes = (*written.notes, f"{note}: U+FFFD is in their place")
                return written._replace(notes=notes)
            return written
        return skeleton.write(documents, path, align)

    @property
    def is_review(self) -> bool:
        """True for a file that a person edits, for `docmt merge`."""
        return self.kind in ("xliff", "xliff-1.2", "html-review")

    def _review(self, review: Review) -> str:
        """A review in the format."""
        if self.kind == "html-review":
            from docmt_files.review import render_review_page

            return render_review_page(review)
        from docmt_files.review import write_xliff

        return write_xliff(review, "1.2" if self.kind == "xliff-1.2" else "2.0")

    def _view(self, translations: Sequence[Translation], languages: tuple[str, str]) -> str:
        """The documents of a file in a format other than the file's."""
        # What knows languages takes long to load.
        if self.kind == "tmx":
            from docmt_files import write_tmx

            return write_tmx([translation.document for translation in translations], *languages)
        if self.kind == "tsv":
            return "".join(self._tsv_lines(translations))
        positions = max((len(translation.positions) for translation in translations), default=0)
        return "".join(
            json.dumps(self._json_object(translation, positions), ensure_ascii=False) + "\n"
            for translation in translations
        )

    def _tsv_lines(self, translations: Iterable[Translation]) -> Iterable[str]:
        """A line per sentence: document, source, translation and, if asked for, log-probability."""
        for translation in translations:
            document = translation.document
            assert document.target is not None
            sentences = zip(
                document.source, document.target, translation.log_probabilities, strict=True
            )
            for source, target, log_probability in sentences:
                columns = [document.id, source, target]
                if self.log_probabilities:
                    columns.append(f"{log_probability:.4f}")
                yield "\t".join(columns) + "\n"

    def _json_object(self, translation: Translation, positions: int) -> dict[str, Any]:
        """A document: id, source, target; chunks (the sentences in each) and truncated (sentences
        cut off at the maximum length, from 0); warnings (unusual sentences); joined_sentences (the
        number of sentences joined into each text), if they were; matches (of sentences in a
        translation memory), if there are some; contexts (why the sentences before decided), if they
        did; log-probabilities, alternatives and positions if asked for."""
        document = translation.document
        values: dict[str, Any] = {
            "id": document.id,
            "source": document.source,
            "target": document.target,
            "chunks": translation.chunks,
            "truncated": translation.truncated,
            "warnings": [warning._asdict() for warning in translation.warnings],
        }
        if translation.matches:
            matches = sorted(translation.matches.items())
            values["matches"] = [{"sentence": i, **asdict(match)} for i, match in matches]
        if choices := sorted(translation.context_choices.items()):
            values["contexts"] = [{"sentence": i, **each._asdict()} for i, each in choices]
        if document.joined is not None:
            values["joined_sentences"] = document.joined
        if self.log_probabilities:
            values["log_probabilities"] = translation.log_probabilities
        if self.n_best > 1:
            # Without scores, alternatives could not be ranked anew.
            kept = translation.alternatives[: self.n_best]
            values["alternatives"] = _json_list(kept, log_probabilities=True)
        if self.positions:
            several = translation.at_positions(positions)
            values["positions"] = _json_list(several, log_probabilities=self.log_probabilities)
        return values


def _remarks(sentence: TranslatedSentence) -> Remarks:
    """What a reviewer is told about a sentence."""
    notes = () if sentence.context is None else (sentence.context.in_words(),)
    from docmt_files.review import Remarks

    return Remarks(sentence.warnings, sentence.match, notes)


def _json_list(
    alternatives: Iterable[Alternative], *, log_probabilities: bool
) -> list[dict[str, Any]]:
    """Alternatives as plain values."""
    return [
        {"target": one.sentences}
        | ({"log_probabilities": one.log_probabilities} if log_probabilities else {})
        for one in alternatives
    ]


def _ends_in_separator(path: PathLike) -> bool:
    """Return whether a path has the form of a folder."""
    return os.fspath(path).endswith(tuple(filter(None, (os.sep, os.altsep))))


def _does_not_fit(option: str, kind: OutputFormat, *others: str) -> InputError:
    """The error about an option without room in a format."""
    cures = [f"output_format={other}" for other in others]
    return InputError(
        f"`{option}` cannot be written with `output_format={kind}`",
        cure=f"Add {' or '.join(f'`{cure}`' for cure in cures)}",
        parameters=(option, f"output_format={kind}", *cures),
    )


def _check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before hours of translating."""
    if is_stream(path):
        return
    if path.exists() and not path.is_dir() and not os.access(path, os.W_OK):
        raise InputError(
            "is there, and may not be written",
            path=path,
            cure="Choose another `output`",
            parameters=("output",),
        )
    folder = next(parent for parent in resolved(path).parents if parent.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise InputError(
            "cannot be written",
            path=path,
            cure=f"Check that {name_of(folder)} is a folder and may be written, or choose another "
            "`output`",
            parameters=("output",),
        )
