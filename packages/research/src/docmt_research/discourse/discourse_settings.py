"""`DiscourseOptions`: the settings of the metrics of discourse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from docmt_files.base.documents import Boundaries
from docmt_research.discourse.lexical_consistency import Match
from docmt_research.discourse.pronouns import PronounSettings


@dataclass(frozen=True, slots=True)
class DiscourseOptions:
    """Settings of the metrics besides the texts."""

    languages: tuple[str, str]
    """Codes of the source and of the target language."""

    metrics: Sequence[str] | None = None
    """`apt`, `ltcr`, `most-frequent`, `term-accuracy` or `blonde`; repeat the option for several.
    Default: all possible with the files."""

    tokenized: bool = False
    """The words of all files are already divided by spaces."""

    boundaries: Boundaries | None = None
    """Form in which line files show where documents begin (markers, blank, docids, sentences or
    none). Default: by markers if the first line is `<d>`, else by `docids` if it is given, else the
    file is one document."""

    docids: str | None = None
    """For line files, a file with one line per document: the document id, a tab, the number of
    sentences."""

    realign: bool = False
    """The translations are free text: split them into sentences and align these with the first
    reference, as for `docmt evaluate`."""

    encoder: str | None = None
    """With `realign`, sentence encoder as for `docmt evaluate`. Default: words and characters are
    compared."""

    alignment: str | None = None
    """Word alignment of the source and the translation, in the Pharaoh format (`0-0 1-2`); needs
    `tokenized`. Default: docmt aligns."""

    baseline_alignments: Sequence[str] = ()
    """Word alignment of the source and a baseline, one for each `baseline`, in the same order."""

    reference_alignment: str | None = None
    """Word alignment of the source and the reference, for `apt`."""

    alignment_corpus: str | None = None
    """A corpus with both languages (`.tsv`, `.jsonl`, `.parquet`) from which docmt's aligner learns
    as well."""

    pronouns: PronounSettings = field(default_factory=PronounSettings)
    """Settings of `apt`."""

    terms: str | None = None
    """Terms, one on each line, with a tab and the translation if it is known. Default: the content
    words repeated in a document."""

    match: Match = "stem"
    """The way translations of a term are compared: by stems, or word for word."""

    lowercase: bool = False
    """Ignore case in n-grams, of `blonde` and with `where`."""
