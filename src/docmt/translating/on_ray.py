"""`translate_on_ray`: corpora in Parquet, translated by many machines with Ray Data, from and to
any file system supported by Ray. It needs the extra `docmt[ray]`.

Each actor of a pool loads a translator once. Documents finished before an interruption are not
translated again. As Ray delivers at least once, a document may then occur twice, with the same
translation: keep one of each id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.bundled import DEFAULT
from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.translators.repairs import translate
from docmt.translators.requests import TranslationRequest
from docmt.translators.translator import Translator

if TYPE_CHECKING:
    import pyarrow as pa


class BatchTranslator:
    """Translates tables of documents. Each actor of Ray makes one.

    Args:
        run: the run directory, or `bundled:NAME`.
        threads: the number of threads of PyTorch.
        search: changed keys of the run's search, such as `beam_size`.
    """

    def __init__(
        self, run: str = DEFAULT, threads: int = 1, search: Mapping[str, Any] | None = None
    ) -> None:
        import torch

        from docmt.runs.open_run import load

        torch.set_num_threads(threads)
        self.translator: Translator = load(run, **(search or {}))

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Translate a table with the columns `id` and `source`, a list of sentences.

        Returns:
            The table with `target` and `error`. For a failed document, `target` is null and `error`
            gives the reason.
        """
        import pyarrow as pa

        ids, sources = (batch.column(name).to_pylist() for name in ("id", "source"))
        targets, errors = self._translate(ids, sources)
        sentences = pa.list_(pa.string())
        for name in ("target", "error"):
            if name in batch.column_names:
                batch = batch.drop_columns([name])
        batch = batch.append_column("target", pa.array(targets, sentences))
        return batch.append_column("error", pa.array(errors, pa.string()))

    def _translate(
        self, ids: Sequence[Any], sources: Sequence[Any]
    ) -> tuple[list[Sequence[str] | None], list[str | None]]:
        """The translations of documents, and the errors of failed documents."""
        try:
            documents = [Document(str(i), tuple(s)) for i, s in zip(ids, sources, strict=True)]
            translations = translate(self.translator, TranslationRequest(documents))
        except Exception as error:
            if len(ids) == 1:
                return [None], [str(error) or type(error).__name__]
            # One of them is the cause: the others must not suffer.
            alone = [self._translate([i], [s]) for i, s in zip(ids, sources, strict=True)]
            return [t[0] for t, _ in alone], [e[0] for _, e in alone]
        return [each.document.target for each in translations], [None] * len(ids)


def translate_on_ray(
    source: str,
    target: str,
    *,
    run: str = DEFAULT,
    checkpoint: str | None = None,
    actors: int = 2,
    threads: int = 1,
    gpus: float = 0,
    batch_documents: int = 64,
    search: Mapping[str, Any] | None = None,
) -> dict[str, int]:
    """Translate Parquet files with the columns `id` and `source` into others.

    Args:
        source: a file or folder of Parquet files, wherever Ray can read.
        target: a folder for the output, in Parquet files.
        run: the run directory, on a file system shared by all machines, or `bundled:NAME`.
        checkpoint: a folder shared by all machines, for the ids of finished documents. Default: no
            ids are kept.
        actors: the number of translators.
        threads: the number of threads per translator.
        gpus: the number of GPUs per translator; a fraction lets several share one.
        batch_documents: the number of documents translated at once.
        search: changed keys of the run's search, such as `beam_size`.

    Returns:
        The numbers of `documents` in the target folder, and of documents with `errors`.

    Raises:
        InputError: Ray is not installed, all cores are taken, or the files have other columns.

    >>> translate_on_ray("s3://news/en", "s3://news/de", actors=64)  # doctest: +SKIP
    {'documents': 1000000, 'errors': 0}
    """
    try:
        import ray
        from ray.data.checkpoint import CheckpointConfig
    except ImportError:
        raise InputError("Ray is not installed", cure="Run `pip install docmt[ray]`") from None
    source, target, run = _everywhere(source), _everywhere(target), _everywhere(run)
    if checkpoint is not None:
        checkpoint = _everywhere(checkpoint)
        ray.data.DataContext.get_current().checkpoint_config = CheckpointConfig(
            id_column="id", checkpoint_path=checkpoint, delete_checkpoint_on_success=False
        )
    if not ray.is_initialized():
        ray.init()
    _check_cores(ray.cluster_resources().get("CPU", 0), actors * threads, checkpoint)
    documents = ray.data.read_parquet(source)
    columns = documents.schema().names
    if missing := {"id", "source"} - set(columns):
        raise InputError(
            f"lacks the column {' and '.join(sorted(missing))}",
            path=source,
            cure="Write it with `docmt.write`, or rename its columns",
        )
    # Only one translator works at a block, and Ray makes one of a file of up to 128 MB.
    blocks = documents.repartition(target_num_rows_per_block=batch_documents)
    translated = blocks.map_batches(
        BatchTranslator,
        batch_size=batch_documents,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=actors),
        num_cpus=threads,
        num_gpus=gpus,
        fn_constructor_kwargs={"run": run, "threads": threads, "search": dict(search or {})},
    )
    translated.write_parquet(target)
    import pyarrow.dataset as pd

    written = pd.dataset(target, format="parquet")
    errors = written.count_rows(filter=pd.field("error").is_valid())
    return {"documents": written.count_rows(), "errors": errors}


def _everywhere(path: str) -> str:
    """A path valid in every process of Ray, whatever the working folder."""
    is_local = "://" not in path and not path.startswith("bundled:")
    return str(Path(path).absolute()) if is_local else path


def _check_cores(cores: float, taken: int, checkpoint: str | None) -> None:
    """Refuse to begin without free cores beside the translators, to read, to write and to skip
    finished documents: Ray would wait forever."""
    others = 1 if checkpoint is None else 2
    if taken + others > cores:
        raise InputError(
            f"the translators take {taken} of {cores:g} cores, and {others} must be left to read "
            "and write",
            cure="Set fewer `actors` or `threads`",
        )
