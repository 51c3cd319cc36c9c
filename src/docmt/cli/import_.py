"""`docmt import`: run directories from checkpoints that other programs trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

importing = typer.Typer(no_args_is_help=True)


@importing.callback()
def importing_from() -> None:
    """Make a run directory of a checkpoint that another program trained."""


@importing.command()
def fairseq(
    *,
    checkpoint: Annotated[
        Path, typer.Option(help="The checkpoint: a Transformer or a G-Transformer.")
    ],
    dictionary: Annotated[
        Path, typer.Option(help="Its shared dictionary, a type and a count a line.")
    ],
    codes: Annotated[
        Path | None, typer.Option(help="The merges of its byte-pair encoding, if it has one.")
    ] = None,
    truecase: Annotated[
        Path | None, typer.Option(help="Its Moses truecasing model, if it has one.")
    ] = None,
    tokenize: Annotated[
        Literal["none", "moses"],
        typer.Option(help="How its text was tokenized; with `--truecase` always `moses`."),
    ] = "none",
    source_language: Annotated[str, typer.Option(help="Language code of the source side.")] = "en",
    target_language: Annotated[str, typer.Option(help="Language code of the target side.")] = "de",
    run: Annotated[Path, typer.Option(help="The run directory to make.")],
) -> None:
    """Import a checkpoint of fairseq, also one of the published G-Transformer code."""
    from docmt.interop.imports import import_fairseq

    import_fairseq(
        checkpoint, dictionary, run, languages=(source_language, target_language),
        codes=codes, truecase=truecase, tokenize="moses" if truecase else tokenize,
    )  # fmt: skip
    typer.echo(f"Imported. Translate with: docmt translate --run {run} INPUT")


@importing.command()
def huggingface(
    model: Annotated[
        str, typer.Argument(help="A folder, or a name on the hub: Helsinki-NLP/opus-mt-en-de.")
    ],
    *,
    source_language: Annotated[
        str | None, typer.Option(help="Language code of the source side, as the tokenizer has it.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(help="Language code of the target side, as the tokenizer has it.")
    ] = None,
    pickle: Annotated[
        bool, typer.Option("--pickle", help="Read pytorch_model.bin if there are no safetensors.")
    ] = False,
    run: Annotated[Path, typer.Option(help="The run directory to make.")],
) -> None:
    """Import a pretrained Marian (OPUS-MT), BART, mBART, M2M100 or NLLB model."""
    from docmt.interop.imports import import_huggingface

    languages = (source_language, target_language)
    import_huggingface(model, run, languages=languages, pickle=pickle)
    typer.echo(f"Imported. Translate with: docmt translate --run {run} INPUT")
