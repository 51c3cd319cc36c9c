"""Preparation: fit the text pipeline on the training split, encode every split, and write the
folder for training, whole or not at all. The corpus is streamed, once per pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import (
    PathLike,
    is_stream,
    open_binary,
    resolved,
    whole_directory,
    write_text,
)
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import resolve
from docmt_nmt.data.corpus_report import Report, SampleReport, SplitCounter, SplitReport
from docmt_nmt.data.data_settings import (
    CorpusSettings,
    DataSettings,
    FilterSettings,
    SampleSettings,
)
from docmt_nmt.data.filters import CorpusFilter
from docmt_nmt.data.overlap import Overlap
from docmt_nmt.data.parallel_corpus import (
    CONTENTS,
    REPORT,
    SETTINGS,
    TEXT,
    THRESHOLDS,
    CorpusRecipe,
    PreparedSettings,
)
from docmt_nmt.data.shifted_pairs import ShiftFinder
from docmt_nmt.data.split import write_split
from docmt_nmt.text import EncodedDocument, Pipeline
from docmt_nmt.translators.checks.threshold_learner import ThresholdLearner

PrepareProgress = Callable[[str, int], None]
"""Called for every document with the current phase (`fit`, or the name of the split to encode) and
the number of documents read so far."""


def prepare(
    recipe: CorpusRecipe,
    directory: PathLike,
    *,
    pipeline: Pipeline | None = None,
    source_side: Pipeline | None = None,
    progress: PrepareProgress | None = None,
) -> Report:
    """Prepare a recipe's corpus. An earlier prepared folder of the same name is replaced.

    Args:
        recipe: the sections `data`, `text` and, for the report, `instances` are used.
        directory: the folder to make.
        pipeline: the text pipeline to encode with; default: one fitted on the training split.
        source_side: a pipeline with the source side to use; the target side is fitted.
        progress: called for every document.

    Raises:
        InputError: the corpus has a fault (see `docmt_nmt.corpora.read`), a document has no
            translation, a sentence has no tokens, there is nothing to train on, or the folder holds
            something else.

    >>> from docmt_nmt import recipes
    >>> report = prepare(recipes.load("demo-sentence"), "prepared")
    >>> report.splits["test"].documents
    25
    """
    directory = resolved(directory)
    progress = progress or _no_progress
    _check_replaceable(directory)
    _check_files(recipe.data, needs_train=pipeline is None)
    overlap = _read_evaluation_splits(recipe.data)
    if pipeline is None:
        pipeline = _fit(recipe, progress, source_side, overlap)
    training_filter = CorpusFilter(recipe.data.filter, overlap)
    learner = ThresholdLearner(recipe.data.source_language)
    splits: dict[str, SplitReport] = {}
    shifted = {}
    with whole_directory(directory) as folder:
        for name in recipe.data.splits:
            counter = SplitCounter(recipe.instances, pipeline)
            is_training = name in recipe.data.training_splits
            corpus_filter = training_filter if is_training else CorpusFilter(FilterSettings())
            shifts = ShiftFinder()
            documents = _encode(
                recipe.data, name, pipeline, corpus_filter, (shifts, counter), progress
            )
            if is_training:
                documents = _learn_from(documents, learner, overlap)
            write_split(folder / f"{name}.parquet", documents)
            splits[name] = counter.report()
            if (found := shifts.report()) is not None:
                shifted[name] = found
        report = Report(
            instances=recipe.instances,
            source_vocabulary=len(pipeline.source_vocabulary),
            target_vocabulary=len(pipeline.target_vocabulary),
            splits=splits,
            filtered=training_filter.counts(),
            overlap=overlap.report(),
            shifted=shifted,
            sample=_sample(recipe.data.sample, splits.get("train")),
        )
        pipeline.save(folder / TEXT)
        write_text(folder / REPORT, report.to_json())
        write_text(folder / SETTINGS, PreparedSettings.of(recipe).to_json())
        if (thresholds := learner.thresholds()) is not None:
            write_text(folder / THRESHOLDS, thresholds.to_json())
    return report


def read_split(data: DataSettings, split: str) -> Iterator[Document]:
    """Documents of a split's corpora, each with a translation.

    Raises:
        InputError: a corpus has a fault (see `docmt_nmt.corpora.read`), or a document has no
            translation.
    """
    for key, corpus in data.corpora(split).items():
        yield from _read_corpus(data, key, corpus)


def _no_progress(what: str, documents: int) -> None:
    """A progress callback without effect."""


def _check_replaceable(directory: Path) -> None:
    """Require that the folder, if it exists, holds only files of preparation."""
    if directory.exists() and not directory.is_dir():
        raise InputError("not a folder", path=directory, cure="Choose another folder")
    names = {path.name for path in directory.iterdir()} if directory.exists() else set()
    if strange := [name for name in names if not CONTENTS.fullmatch(name)]:
        raise InputError(
            f"the folder holds something else, {min(strange)!r}, which would be lost",
            path=directory,
            cure="Choose a new folder",
        )


def _check_files(data: DataSettings, *, needs_train: bool) -> None:
    """Require all splits and files, readable several times."""
    if needs_train and data.train is None:
        raise InputError(
            "key 'data.train' is missing", cure="Name the corpus to fit the text pipeline on"
        )
    named = {key: corpus for name in data.splits for key, corpus in data.corpora(name).items()}
    if not named:
        raise InputError(
            "key 'data' names no split", cure="Set data.train, data.valid or data.test"
        )
    for key, corpus in named.items():
        for path in filter(None, (corpus.source, corpus.target, corpus.docids)):
            if is_stream(path):
                what = "standard input" if path == "-" else path
                raise InputError(
                    f"key 'data.{key}' names {what}, which can be read only once",
                    cure="Write it to a file first",
                )
            # Reports a missing file of the last split before the first split is processed.
            open_binary(resolve(path)).close()


def _read_evaluation_splits(data: DataSettings) -> Overlap:
    """The text of validation and test, to compare the training text with.

    Raises:
        InputError: a corpus has a fault, or overlap is to be filtered and there is none of these
            splits.
    """
    overlap = Overlap()
    names = [name for name in data.splits if name not in data.training_splits]
    if data.training_splits:
        for name in names:
            for document in read_split(data, name):
                overlap.add(name, document)
    for key in ("overlapping_sentences", "overlapping_documents"):
        if getattr(data.filter, key) and not names:
            raise InputError(
                f"key 'data.filter.{key}' needs a split to compare with",
                cure="Set data.valid or data.test, or leave the key out",
            )
    return overlap


def _fit(
    recipe: CorpusRecipe, progress: PrepareProgress, source_side: Pipeline | None, overlap: Overlap
) -> Pipeline:
    """Fit the text pipeline on the training split, filtered by text; only the target side if the
    source side is given."""
    data = recipe.data
    read = 0

    def texts() -> Iterator[Document]:
        nonlocal read
        corpus_filter = CorpusFilter(data.filter, overlap)
        for name in data.training_splits:
            for document in corpus_filter.filter_texts(read_split(data, name)):
                read += 1
                progress("fit", read)
                yield document

    return Pipeline.fit(
        recipe.text,
        lambda: (sentence for document in texts() for sentence in document.source),
        lambda: (sentence for document in texts() for sentence in document.target or ()),
        languages=(data.source_language, data.target_language),
        source_side=source_side,
    )


def _read_corpus(data: DataSettings, key: str, corpus: CorpusSettings) -> Iterator[Document]:
    """Documents of one corpus, each with a translation. The ids of an additional corpus begin with
    the corpus name: no id occurs twice."""
    for name in ("source", "target", "docids"):
        path = getattr(corpus, name)
        if path not in (None, "-") and not Path(resolve(path)).exists():
            raise InputError(
                f"no such file, which the recipe names as data.{key}.{name}",
                path=path,
                cure="Check the path, or put the file there",
            )
    documents = corpora.read(
        resolve(corpus.source),
        None if corpus.target is None else resolve(corpus.target),
        boundaries=corpus.boundaries,
        docids=None if corpus.docids is None else resolve(corpus.docids),
        allow_empty=key not in ("valid", "test") and data.filter.empty,
        languages=(data.source_language, data.target_language),
    )
    prefix = f"{key.removeprefix('additional.')}:" if key.startswith("additional.") else ""
    for document in documents:
        if document.target is None:
            raise InputError(
                f"document {document.id!r} has no target side",
                path=corpus.source,
                cure=f"Set data.{key}.target, or add the translation to the file",
            )
        yield replace(document, id=prefix + document.id) if prefix else document


def _encode(
    data: DataSettings,
    split: str,
    pipeline: Pipeline,
    corpus_filter: CorpusFilter,
    watchers: tuple[ShiftFinder, SplitCounter],
    progress: PrepareProgress,
) -> Iterator[tuple[Document, EncodedDocument]]:
    """The documents of a split and their token ids, filtered, and watched as they pass: all, and
    those that are left."""
    shifts, counter = watchers
    read = 0
    for key, corpus in data.corpora(split).items():
        documents = shifts.watched(_read_corpus(data, key, corpus))
        for document in corpus_filter.filter_texts(documents):
            read += 1
            progress(split, read)
            kept = corpus_filter.filter_tokens(document, pipeline.encode(document))
            if kept is None:
                continue
            _check_tokens(kept[1], corpus.source)
            counter.add(kept[1])
            yield kept
    if counter.documents == 0:
        raise InputError(
            f"data.filter removes every document of the {split} split",
            path=next(iter(data.corpora(split).values())).source,
            cure="Filter less",
        )


def _sample(sample: SampleSettings, train: SplitReport | None) -> SampleReport | None:
    """Return the report on the part of the training split used for training; None if all of it is
    used."""
    if train is None or sample.is_all:
        return None
    total = getattr(train, sample.unit)
    return SampleReport(unit=sample.unit, size=sample.count(total), total=total)


def _learn_from(
    documents: Iterable[tuple[Document, EncodedDocument]],
    learner: ThresholdLearner,
    overlap: Overlap,
) -> Iterator[tuple[Document, EncodedDocument]]:
    """Yield the documents; learn thresholds from them and count overlap as they pass."""
    for document, encoded in documents:
        learner.add(document)
        overlap.count(document)
        yield document, encoded


def _check_tokens(document: EncodedDocument, path: str) -> None:
    """Require tokens in every sentence; a sentence of invisible characters has none."""
    for side, sentences in (("source", document.source), ("target", document.target or ())):
        for number, sentence in enumerate(sentences, start=1):
            if not sentence:
                raise InputError(
                    f"document {document.id!r}, {side} sentence {number} has no tokens, only "
                    "characters that the text pipeline removes",
                    path=path,
                    cure="Remove the pair from both sides, or set data.filter.empty: true",
                )
