"""`Input`: settings of reading the input files of `docmt translate`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docmt_files.base import entry_points
from docmt_files.base.documents import Boundaries, Document
from docmt_files.base.errors import InputError
from docmt_files.core.skeleton import FileSkeleton
from docmt_files.exclusion.exclusion_rules import ExclusionRules
from docmt_files.format_registry import PLAIN_TEXT, format_named, format_of, plain_suffix
from docmt_files.reading.external import FORMAT_PLUGINS, OWN_SUFFIXES, external_reader
from docmt_files.storage.corpus_names import is_line_file
from docmt_files.storage.files import PathLike
from docmt_files.storage.shards import Shard
from docmt_files.text.columns import TABLE_SUFFIXES, Columns

_CONFIGURATION = re.compile(
    r"(?:package(?:-lock)?|composer|bower|angular|lerna|nx|turbo|vercel|netlify|renovate|deno|biome|"
    r"manifest|(?:ts|js)config.*|.*\.(?:config|schema))\.json"
    r"|(?:requirements|constraints)[\w.-]*\.txt|robots\.txt"
    r"|(?:gradle(?:-wrapper)?|log4j2?|logging|application.*|build|local|project|pom)\.properties"
)
"""Names of files in formats of docmt, but with nothing to read in them."""

_OF_LANGUAGES = re.compile(
    r"(?:.*[._-])?(?:locales?|lang|langs|languages?|i18n|l10n|intl|translations?|messages|strings)"
    r"(?:[._-].*)?|(?:.*\.)?(?:ar|bg|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|nb"
    r"|nl|pl|pt|ro|ru|sk|sl|sr|sv|th|tr|uk|vi|zh|[a-z]{2}[-_](?:[a-z]{2}|han[st]))(?:\..*)?"
)
"""Names of files and folders, in lower case, with texts in a language."""

CorpusReader = Callable[[PathLike, str, Shard | None], tuple[list[Document], FileSkeleton]]
"""Reader of corpora, given a file, the code of the source language and the part to read, None for
all: `docmt_nmt.corpora.corpus_files.read`."""


def is_configuration(path: Path) -> bool:
    """Return whether a file in a format of docmt is the configuration of a tool, by name."""
    return _CONFIGURATION.fullmatch(path.name.lower()) is not None


def is_of_languages(path: Path) -> bool:
    """Return whether the name of a file or of one of the two folders around it tells of a language
    or of translations.

    >>> [is_of_languages(Path(p)) for p in ("lang/en/auth.php", "config/client.en.yml", "a/ci.yml")]
    [True, True, False]
    """
    return any(_OF_LANGUAGES.fullmatch(part.lower()) for part in path.parts[-3:])


@dataclass(frozen=True, slots=True)
class Input:
    """Settings of reading files. The name of a file selects the reader: formats of other packages,
    then the formats of `format_registry`, then corpora (`docmt_files.storage.corpus_names`). Files
    without a suffix, `.txt` and the like (`docmt_files.text.plain_text`) are running text. For
    line files the names of other formats alone are refused.

    Raises:
        InputError: there is no such format, or two of these exclude each other.
    """

    segmented: bool = False
    """The input has one sentence per line, and a `<d>` line before each document if there are
    several. Default: running text, split into sentences."""

    boundaries: Boundaries | None = None
    """Form of the boundaries between documents in line files (markers, blank, docids, sentences or
    none); implies `segmented`. Default: by markers if the first line is `<d>`, else by document ids
    if these are given, else the file is one document."""

    docids: PathLike | None = None
    """For line files, a file with one line per document: id, tab, number of sentences; implies
    `segmented`."""

    file_format: str | None = None
    """Format of the input files, whatever their names. `text` translates any text file as plain
    text. Default: by their names; files of unknown formats are refused, and `.txt` files and files
    without a suffix are plain text."""

    columns: Columns | None = None
    """Columns of tables (`.csv`, `.tsv`, `.tab`) to translate. Default: a `.tsv` file is a corpus,
    and other tables are refused."""

    shard: str | None = None
    """Of a corpus (`.jsonl`, `.parquet`, `.tsv`, `.tmx`), translate one of several equal parts,
    such as `3/64`: the documents 3, 67, 131, … The output is a folder with a file for each part; an
    existing part is not translated again."""

    rules: ExclusionRules | None = None
    """What is left as it is (`docmt_files.exclusion.exclusion_rules`). Default: nothing."""

    every_language: bool = False
    """Translate blocks in another language than the rest of the file, too. Default: such blocks,
    if long enough to be certain, are left as they are, with a note."""

    def __post_init__(self) -> None:
        if self.shard is not None:
            Shard.parse(self.shard)
        if self.columns is not None and (self.file_format is not None or self.for_lines):
            raise InputError(
                "`columns` excludes `file_format`, `segmented`, `boundaries` and `docids`",
                cure="Files with columns are tables: leave them out",
                parameters=("columns", "file_format", "segmented", "boundaries", "docids"),
            )
        if self.file_format in (None, PLAIN_TEXT):
            return
        format_named(self.file_format)
        if self.for_lines:
            raise InputError(
                f"`file_format={self.file_format}` excludes `segmented`, `boundaries` and `docids`",
                cure="Files of this format are split into sentences: leave them out",
                parameters=(f"file_format={self.file_format}", "segmented", "boundaries", "docids"),
            )

    @property
    def for_lines(self) -> bool:
        """True if files have one sentence per line."""
        return self.segmented or self.boundaries is not None or self.docids is not None

    def chooser(self) -> Callable[[Path], bool]:
        """A function for the choice of files to translate in a folder. By default these are files
        with text for readers by their names, so neither corpora nor configurations of tools; with a
        `file_format`, files of the format; with `columns`, tables."""
        external = {f".{name}" for name in entry_points.names(FORMAT_PLUGINS)}
        external -= {f".{name}" for name in OWN_SUFFIXES}

        def chooses(path: Path) -> bool:
            suffix = plain_suffix(path)
            if self.columns is not None:
                return suffix in (".tsv", *TABLE_SUFFIXES)
            if is_configuration(path):
                return False
            if self.file_format == PLAIN_TEXT:
                return suffix == ".txt"
            file_format = format_of(path)
            if self.file_format is not None:
                asked_for = format_named(self.file_format)
                return file_format is asked_for or (
                    not asked_for.by_name and suffix in asked_for.suffixes
                )
            if file_format is not None and file_format.mostly_other:
                return is_of_languages(path)
            return file_format is not None or suffix == ".txt" or path.suffix.lower() in external

        return chooses

    def read(
        self,
        path: PathLike,
        language: str,
        target_language: str | None = None,
        *,
        read_corpus: CorpusReader | None = None,
    ) -> tuple[list[Document], FileSkeleton]:
        """The documents of a file, and the file without their sentences.

        Args:
            path: the file, or `-` for standard input.
            language: the code of the language whose rules split running text into sentences.
            target_language: the code of the language of the output, for files with the name of
                their language in them.
            read_corpus: the reader of corpora. Default: corpora are refused.

        Raises:
            InputError: the file cannot be read in this way, or has no text.
        """
        documents, skeleton = self._read(path, language, target_language, read_corpus)
        if self.rules is None:
            return documents, skeleton
        from docmt_files.exclusion.exclusion import exclude

        return exclude(skeleton, self.rules, path, language)

    def _read(
        self,
        path: PathLike,
        language: str,
        target_language: str | None,
        read_corpus: CorpusReader | None,
    ) -> tuple[list[Document], FileSkeleton]:
        """Read a file without rules."""
        if self.shard is not None:
            return _read_corpus(path, language, Shard.parse(self.shard), read_corpus)
        if self.columns is not None:
            return _read_table(path, language, target_language, self.columns)
        by_name = self.file_format is None and not self.for_lines
        if by_name and (read := external_reader(path)) is not None:
            return read(path, language)
        plain_text = self.file_format == PLAIN_TEXT
        file_format = format_of(path) if by_name else None
        if self.file_format is not None and not plain_text:
            file_format = format_named(self.file_format)
        if file_format is not None:
            documents_and_skeleton: tuple[list[Document], FileSkeleton] = file_format.load().read(
                path, language, target_language
            )
            return documents_and_skeleton
        if by_name and plain_suffix(path) in TABLE_SUFFIXES:
            from docmt_files.text import table

            raise table.needs_columns(path)
        if not (plain_text or is_line_file(path)):
            return _read_corpus(path, language, None, read_corpus)
        if self.for_lines:
            from docmt_files.text import segmented

            return segmented.read(
                path,
                language,
                boundaries=self.boundaries,
                docids=self.docids,
                plain_text=plain_text,
            )
        from docmt_files.text import running  # splitting sentences takes long to load

        return running.read(path, language, plain_text=plain_text)


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], FileSkeleton]:
    """Read a file for translation by any function of strings; the name selects the format.

    Args:
        path: the file, or `-` for standard input.
        language: the code of the source language, whose rules split text into sentences.
        target_language: the code of the target language, for files with the name of their language
            in them.

    Returns:
        The documents, and the file without their sentences: `write` puts translations in.

    Raises:
        InputError: the format is unknown, or the file is damaged, encrypted, too large or without
            text.

    >>> from pathlib import Path
    >>> _ = Path("note.md").write_text("Press the **red button**. Wait.")
    >>> documents, skeleton = read("note.md", "en")
    >>> documents[0].source
    ('Press the red button.', 'Wait.')
    >>> upper = [each.translated(map(str.upper, each.source)) for each in documents]
    >>> _ = skeleton.write(upper, "loud.md")
    >>> Path("loud.md").read_text()
    'PRESS THE **RED BUTTON**. WAIT.'
    """
    return Input().read(path, language, target_language)


def _read_corpus(
    path: PathLike, language: str, shard: Shard | None, read_corpus: CorpusReader | None
) -> tuple[list[Document], FileSkeleton]:
    """Read a corpus, if there is a reader of corpora."""
    if read_corpus is None:
        raise InputError(
            "has the name of a corpus",
            path=path,
            cure="Read corpora with docmt_nmt.corpora.read, and plain text with `file_format=text`",
            parameters=("file_format=text",),
        )
    return read_corpus(path, language, shard)


def _read_table(
    path: PathLike, language: str, target_language: str | None, columns: Columns
) -> tuple[list[Document], FileSkeleton]:
    """Read columns of a table, unless the name of the file is the name of another format."""
    from docmt_files.text import table

    if str(path) != "-" and plain_suffix(path) not in (".tsv", *TABLE_SUFFIXES):
        raise InputError(
            "is not a table, which `columns` is for",
            path=path,
            cure="Leave out `columns`, or name a .csv, .tsv or .tab file",
            parameters=("columns",),
        )
    return table.read(path, language, target_language, columns=columns)
