"""`docmt attention`: attention maps, entropies and gates of a system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from docmt.cli.arguments import CorpusOptions, ForcedDecodingPrecision, RunDirectory, TableFile
from docmt.cli.options import Options
from docmt.cli.terminal import note, print_lines, progress_bar, write_files, writing_tables
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import json_text

if TYPE_CHECKING:
    from docmt_research.analysis import DocumentMaps
    from docmt_research.analysis.attention_statistics import AttentionStatistics


@dataclass(frozen=True, slots=True)
class MapOptions:
    """Options for the drawn attention."""

    document: Annotated[str | None, typer.Option(metavar="ID")] = None
    """The document for the attention maps. Default: the first."""

    instance: Annotated[int, typer.Option(metavar="NUMBER", min=1)] = 1
    """Number of the drawn instance in the document, from 1."""

    layer: Annotated[tuple[int, ...], typer.Option(metavar="NUMBER", min=0)] = ()
    """The drawn layer, from 0; repeat the option for several. Default: all."""

    head: Annotated[int | None, typer.Option(metavar="NUMBER", min=0)] = None
    """The drawn head, from 0. Default: the mean of all heads."""

    def chosen(self, documents: list[Document]) -> Document:
        """The document to draw.

        Raises:
            InputError: there is none of this id.
        """
        for each in documents:
            if self.document in (None, each.id):
                return each
        ids = ", ".join(each.id for each in documents[:5])
        raise InputError(f"there is no document {self.document!r}", cure=f"Ids are {ids}, …")


def attention(
    *,
    run: RunDirectory,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the files.")
    ],
    form: Annotated[
        Literal["png", "svg", "json"],
        typer.Option(
            "--format",
            help="Format of the plots; `json` writes the numbers alone, which are always written.",
        ),
    ] = "png",
    table: TableFile = None,
    precision: ForcedDecodingPrecision = "fp32",
    corpus: Annotated[CorpusOptions, Options("Corpus")],
    drawn: Annotated[MapOptions, Options("Heat maps")],
) -> None:
    """Show the attention of a system while it writes given translations: the entropy in bits by
    kind, layer and scope (Bao et al. 2021, Figures 4, 5 and 8), heat maps of one document, and the
    share of context passed by gates.

    Entropies and gates (`attention.json`, `entropy.png`, `gates.png`) are over all documents; the
    maps (`maps.json`, `map-KIND-SCOPE.png`) have lines between sentences.
    """
    from docmt.output.table_files import check_table_file
    from docmt_nmt.evaluation.signatures import signature
    from docmt_research.analysis import map_attention, measure_attention
    from docmt_research.analysis.analysis_tables import entropy_table, gate_table
    from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder

    if output.is_file():
        raise InputError(
            "is a file", path=output, cure="Name a folder as `output`", parameters=("output",)
        )
    check_table_file(table, (corpus.source, corpus.target, corpus.docids))
    documents = corpus.documents()
    document = drawn.chosen(documents)
    forced_decoder = SystemForcedDecoder.load(run, precision=precision)
    maps = map_attention(
        forced_decoder,
        document,
        instance=drawn.instance,
        layers=drawn.layer or None,
        head=drawn.head,
    )
    with progress_bar("Reading") as progress:
        statistics = measure_attention(forced_decoder, documents, progress)

    signed = signature(((d.source, d.target) for d in documents), documents=len(documents))
    values = {"run": str(run), "signature": signed, **statistics.as_dict()}
    files = _files(values, statistics, maps, form)
    write_files({output / name: content for name, content in files.items()})

    with writing_tables(table) as console:
        console.print(entropy_table(statistics.entropies))
        if statistics.gates:
            console.print(gate_table(statistics.gates))
        print_lines(console, f"signature: {signed}")
    note(f"docmt: wrote {', '.join(files)} in {output}")


def _files(
    values: dict[str, Any],
    statistics: AttentionStatistics,
    maps: DocumentMaps,
    form: Literal["png", "svg", "json"],
) -> dict[str, bytes]:
    """The content of each file: the numbers, and the plots unless the numbers alone are wanted."""
    from docmt_research.analysis import plots

    files = {
        "attention.json": json_text(values, indent=1).encode(),
        "maps.json": json_text(maps.as_dict()).encode(),
    }
    if form != "json":
        files[f"entropy.{form}"] = plots.plot_entropies(statistics.entropies, form)
        if statistics.gates:
            files[f"gates.{form}"] = plots.plot_gates(statistics.gates, form)
        for name, content in plots.plot_maps(maps, form).items():
            files[f"map-{name}.{form}"] = content
    return files
