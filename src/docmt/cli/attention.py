"""`docmt attention`: where a system looks, and what its gates let through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.choices import Precision
from docmt.cli._arguments import DocumentIds, LineBoundaries, RunDirectory, SourceFile, TargetFile
from docmt.cli._terminal import note, output_console, progress_bar
from docmt.errors import InputError


def attention(
    *,
    run: RunDirectory,
    source: SourceFile,
    target: TargetFile = None,
    document: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="The document whose attention is drawn. Default: the first."
        ),
    ] = None,
    instance: Annotated[
        int,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="Which of the instances that the document is cut into is drawn.",
        ),
    ] = 1,
    layer: Annotated[
        list[int] | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="The layer that is drawn, from 0; repeat the option for several. Default: all.",
        ),
    ] = None,
    head: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="The head that is drawn, from 0. Default: the mean of all heads.",
        ),
    ] = None,
    boundaries: LineBoundaries = None,
    docids: DocumentIds = None,
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
    precision: Annotated[Precision, typer.Option(help="Number format; int8 needs a CPU.")] = "fp32",
) -> None:
    """Show where a system looks as it writes given translations: the entropy of its attention in
    bits by kind, layer and scope (Bao et al. 2021, Figures 4, 5 and 8), heat maps of one document,
    and how much context its gates let through.

    Entropies and gates (`attention.json`, `entropy.png`, `gates.png`) are those of all documents;
    the maps (`maps.json`, `map-KIND-SCOPE.png`) have lines between sentences.
    """
    from docmt import corpora
    from docmt.analysis import plots
    from docmt.analysis.analysis_tables import entropy_table, gate_table
    from docmt.analysis.attention_maps import map_attention, measure_attention
    from docmt.analysis.signatures import signature
    from docmt.decoding import Scorer
    from docmt.files import write_together

    if form != "json":
        plots.check_matplotlib("write the numbers alone with --format json")
    if output.is_file():
        raise InputError("is a file", path=output, cure="Name a folder as --output")
    documents = list(
        corpora.read(
            source, target, boundaries=boundaries, docids=docids, allow_empty=boundaries != "blank"
        )
    )
    drawn = next((own for own in documents if document in (None, own.id)), None)
    if drawn is None:
        ids = ", ".join(own.id for own in documents[:5])
        raise InputError(f"there is no document {document!r}", cure=f"Ids are {ids}, …")
    scorer = Scorer.load(run, precision=precision)
    maps = map_attention(scorer, drawn, instance=instance, layers=layer, head=head)
    with progress_bar("Reading") as progress:
        statistics = measure_attention(scorer, documents, progress)

    signed = signature(((d.source, d.target) for d in documents), documents=len(documents))
    values = {"run": str(run), "signature": signed, **statistics.as_dict()}
    files = {
        "attention.json": json.dumps(values, ensure_ascii=False, indent=1).encode(),
        "maps.json": json.dumps(maps.as_dict(), ensure_ascii=False).encode(),
    }
    if form != "json":
        files[f"entropy.{form}"] = plots.plot_entropies(statistics.entropies, form)
        if statistics.gates:
            files[f"gates.{form}"] = plots.plot_gates(statistics.gates, form)
        for name, content in plots.plot_maps(maps, form).items():
            files[f"map-{name}.{form}"] = content
    with write_together([output / name for name in files]) as streams:
        for stream, content in zip(streams, files.values(), strict=True):
            stream.write(content)

    console = output_console()
    console.print(entropy_table(statistics.entropies))
    if statistics.gates:
        console.print(gate_table(statistics.gates))
    console.print(f"signature: {signed}", markup=False, highlight=False, soft_wrap=True)
    note(f"docmt: wrote {', '.join(files)} in {output}")
