"""`docmt import`: make a run directory from a checkpoint that another program trained."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from docmt.choices import Tokenization

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _import() -> None:
    """Make a run directory from a checkpoint that another program trained."""


@commands.command()
def fairseq(
    *,
    checkpoint: Annotated[
        Path, typer.Option(help="Checkpoint of a Transformer or a G-Transformer.")
    ],
    dictionary: Annotated[
        Path, typer.Option(help="Shared dictionary: one word and its count per line.")
    ],
    codes: Annotated[
        Path | None, typer.Option(help="Merges of the byte-pair encoding, if it has one.")
    ] = None,
    truecase: Annotated[
        Path | None, typer.Option(help="Moses truecasing model, if it has one.")
    ] = None,
    tokenize: Annotated[
        Tokenization,
        typer.Option(help="How the training text was tokenized; `moses` with `--truecase`."),
    ] = "none",
    source_language: Annotated[str, typer.Option(help="Source language code.")] = "en",
    target_language: Annotated[str, typer.Option(help="Target language code.")] = "de",
    run: Annotated[Path, typer.Option(help="Run directory to create.")],
) -> None:
    """Import a fairseq checkpoint, including those of the published G-Transformer code."""
    from docmt.interop import import_fairseq

    import_fairseq(
        checkpoint,
        dictionary,
        run,
        languages=(source_language, target_language),
        codes=codes,
        truecase=truecase,
        tokenize="moses" if truecase else tokenize,
    )
    typer.echo(f"Imported. Translate with: docmt translate --run {shlex.quote(str(run))} INPUT")


@commands.command()
def huggingface(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Folder of a model, or its name on the Hugging Face hub, such as "
            "Helsinki-NLP/opus-mt-en-de.",
        ),
    ],
    *,
    source_language: Annotated[
        str | None, typer.Option(help="Source language, by the code of the model's tokenizer.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(help="Target language, by the code of the model's tokenizer.")
    ] = None,
    pickle: Annotated[
        bool,
        typer.Option(
            "--pickle", help="Read pytorch_model.bin if the model has no safetensors file."
        ),
    ] = False,
    run: Annotated[Path, typer.Option(help="Run directory to create.")],
) -> None:
    """Import a pretrained Marian (OPUS-MT), BART, mBART, M2M100 or NLLB model, or BERT as an
    encoder.

    A decoder-only model, such as Llama, Qwen or Gemma, is not copied: the run names it, and it
    translates as a language model in the process of docmt.
    """
    from docmt.interop import import_huggingface
    from docmt.recipes import Recipe

    languages = (source_language, target_language)
    imported = import_huggingface(model, run, languages=languages, pickle=pickle)
    recipe = imported.recipe
    if isinstance(recipe, Recipe) and recipe.instances.kind == "masked":
        path = json.dumps(str(run), ensure_ascii=False)
        typer.echo(f"Imported. Begin a training with: initialize: {{run: {path}, load: encoder}}")
        return
    typer.echo(f"Imported. Translate with: docmt translate --run {shlex.quote(str(run))} INPUT")
