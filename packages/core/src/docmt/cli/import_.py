"""`docmt import`: make a run directory from the checkpoint of another program, or for a translator
of another package. Packages add commands by the entry points `docmt.importers`.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.arguments import ALL_LANGUAGES, Overrides, codes_of, complete_recipes
from docmt.cli.terminal import note
from docmt.interop.importers import import_commands
from docmt_nmt.base.choices import Tokenization
from docmt_nmt.base.extras import TRAIN, has_torch

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _import() -> None:
    """Make a run directory from the checkpoint of another program, or for a translator of another
    package."""


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
    """Import a fairseq checkpoint, including checkpoints of the published G-Transformer code."""
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
    overrides: Overrides = None,
    *,
    source_language: Annotated[
        str | None, typer.Option(help="Source language, by the code of the model's tokenizer.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(help="Target language, by the code of the model's tokenizer.")
    ] = None,
    languages: Annotated[str | None, ALL_LANGUAGES] = None,
    pickle: Annotated[
        bool,
        typer.Option(
            "--pickle", help="Read pytorch_model.bin if the model has no safetensors file."
        ),
    ] = False,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="For a model that is not copied: name or file of a recipe with the other "
            "settings, such as the corpus.",
            autocompletion=complete_recipes,
        ),
    ] = None,
    run: Annotated[Path, typer.Option(help="Run directory to create.")],
) -> None:
    """Import a pretrained Marian (OPUS-MT), BART, mBART, M2M100 or NLLB model, or BERT as an
    encoder.

    A model of docmt-llm is not copied, but named by the run: a decoder-only model such as Llama,
    Qwen or Gemma, which translates as a language model in docmt's own process, or MADLAD-400, a T5.
    """
    from docmt.interop import import_huggingface
    from docmt_nmt.recipes import Recipe

    imported = import_huggingface(
        model,
        run,
        languages=(source_language, target_language),
        all_languages=codes_of(languages),
        pickle=pickle,
        recipe=recipe,
        overrides=overrides or (),
    ).recipe
    if isinstance(imported, Recipe) and imported.instances.kind == "masked":
        path = json.dumps(str(run), ensure_ascii=False)
        typer.echo(f"Imported. Begin a training with: initialize: {{run: {path}, load: encoder}}")
        return
    typer.echo(f"Imported. Translate with: docmt translate --run {shlex.quote(str(run))} INPUT")


@commands.command()
def marian(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Folder with the weights (.bin or .npz), the vocabularies and, if there is one, "
            "the .yml file of the decoder.",
        ),
    ],
    *,
    source_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Source language. Default: from the names of the files."),
    ] = None,
    target_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Target language. Default: from the names of the files."),
    ] = None,
    run: Annotated[Path, typer.Option(help="Run directory to create.")],
) -> None:
    """Import a model of Marian, such as a model of Firefox or an original of OPUS-MT."""
    from docmt.interop import import_marian

    import_marian(folder, run, languages=(source_language, target_language))
    if not has_torch():
        from docmt_nmt.compiling.compile_anywhere import compile_known_run

        if compile_known_run(run) is None:
            note(f"docmt: to translate with this run, install PyTorch: `pip install '{TRAIN}'`")
    typer.echo(f"Imported. Translate with: docmt translate --run {shlex.quote(str(run))} INPUT")


@commands.command()
def translator(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name of a translator of an installed package; `docmt plugins` lists them.",
        ),
    ],
    overrides: Overrides = None,
    *,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="Name or file of a recipe with the other settings, such as the corpus. "
            "Default: none.",
            autocompletion=complete_recipes,
            show_default=False,
        ),
    ] = None,
    run: Annotated[Path, typer.Option(help="Run directory to create.")],
) -> None:
    """Make a run of a translator from another package.

    Keys such as `settings.url=http://127.0.0.1:5000` set the settings of the translator.
    """
    from docmt_nmt.runs.external_runs import import_translator

    import_translator(name, run, recipe=recipe, overrides=overrides or [])
    typer.echo(f"Imported. Translate with: docmt translate --run {shlex.quote(str(run))} INPUT")


for _name, _function in import_commands().items():
    commands.command(_name)(_function)
