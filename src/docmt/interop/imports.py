"""Runs made of checkpoints from elsewhere: what is imported translates, scores and can be trained
further like any other run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from docmt.choices import Tokenization
from docmt.data import InstanceSettings
from docmt.data.settings import DataSettings
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.interop import fairseq, hub
from docmt.interop import huggingface_weights as huggingface
from docmt.interop.huggingface_tokenizers import read_text_side
from docmt.interop.sizes import Names, check_sizes
from docmt.recipes.recipe import Recipe
from docmt.recipes.search import SearchSettings
from docmt.runs import Run, check_new, fill
from docmt.systems import GTransformerSettings, TransformerSettings, build
from docmt.text import SIDES, Pipeline, TextSettings
from docmt.text.fitting import fixed_steps


def import_fairseq(
    checkpoint: PathLike,
    dictionary: PathLike,
    run: PathLike,
    *,
    languages: tuple[str, str],
    codes: PathLike | None = None,
    truecase: PathLike | None = None,
    tokenize: Tokenization = "none",
    instances: InstanceSettings | None = None,
) -> Run:
    """Make a run directory of a published checkpoint.

    Args:
        checkpoint: what the training wrote.
        dictionary: the shared dictionary it was trained with, a piece and a count a line.
        run: the directory to make.
        languages: codes of the source and the target language.
        codes: BPE merge operations; without them text is taken to be segmented already.
        truecase: a Moses truecasing model.
        tokenize: whether text is tokenized, and the output detokenised; truecasing needs it.
        instances: what is translated at once; default: 512 tokens for a G-Transformer, a sentence
            for a Transformer.

    Raises:
        InputError: a file is missing or damaged, the checkpoint is of an unsupported kind, or
            dictionary and checkpoint do not belong together.
    """
    check_new(run)
    data = DataSettings.read({"source_language": languages[0], "target_language": languages[1]})
    arguments, weights = fairseq.read_checkpoint(checkpoint)
    settings = fairseq.system_settings(arguments, path=checkpoint)
    special_tokens = [
        f"[{language}]" for language in str(arguments.get("langs", "")).split(",") if language
    ]
    pipeline = Pipeline.from_fairseq(
        languages, dictionary, codes=codes, truecase=truecase, tokenize=tokenize,
        extra=[*special_tokens, "<mask>"],
    )  # fmt: skip
    state = fairseq.rename(weights, shared=settings.share_embeddings, path=checkpoint)
    rows = len(state["target_embedding.table.weight"])
    if rows != len(pipeline.target_vocabulary):
        raise InputError(
            f"holds {len(pipeline.target_vocabulary)} types with special tokens, but the checkpoint {rows}",
            path=dictionary, cure="Give the dictionary that the checkpoint was trained with",
        )  # fmt: skip
    group = isinstance(settings, GTransformerSettings)
    recipe = Recipe(
        description=f"Imported from a published checkpoint, {Path(checkpoint).name}",
        data=data,
        text=pipeline.settings,
        instances=instances or InstanceSettings(kind="tokens" if group else "sentence"),
        system=settings,
        # A sentence of n words gets at most int(1.2 · (n − 1) + 10) there.
        search=SearchSettings(max_length_factor=1.2, max_length_offset=8.8),
    )
    # Before anything is written.
    check_fits(settings, (rows, rows), state, checkpoint, fairseq.SETTINGS)
    imported = Run.create(run, recipe, pipeline)
    imported.save_weights(state)
    return imported


def import_huggingface(
    name: str,
    run: PathLike,
    *,
    languages: tuple[str | None, str | None] = (None, None),
    pickle: bool = False,
) -> Run:
    """Make a run directory of a pretrained encoder-decoder: Marian, BART, mBART, M2M100 or NLLB.

    Args:
        name: a folder, or a name on the Hugging Face hub.
        run: the directory to make.
        languages: codes of the source and the target language; a code's first part is enough where
            it is not ambiguous. None for what the tokenizer's files name.
        pickle: whether to read weights that are no safetensors; nothing in the file is run.

    Raises:
        InputError: a file is missing or damaged, the model is of an unsupported family, a language
            is missing or not known, or tokenizer and weights do not fit.
    """
    check_new(run)  # before what may take long
    folder = hub.find(name, pickle=pickle)
    config = huggingface.read_config(folder)
    weights = huggingface.read_weights(folder, pickle=pickle)
    state = huggingface.rename(weights, config, path=folder)
    settings = huggingface.system_settings(config, state, path=folder)
    rows = tuple(len(state[f"{side}_embedding.table.weight"]) for side in ("source", "target"))
    text = read_text_side(folder, config, (rows[0], rows[1]))
    special_tokens, languages = text.special_tokens(languages)
    data = DataSettings.read({"source_language": languages[0], "target_language": languages[1]})
    keys = TextSettings.read(
        {"normalize": "none", "subword": "pretrained", "joint": settings.share_embeddings}
    )
    steps = {
        side: fixed_steps(keys, language) for side, language in zip(SIDES, languages, strict=True)
    }
    pipeline = Pipeline(keys, languages, steps, text.subwords, special_tokens=special_tokens)
    search = {key: config[key] for key in ("length_penalty",) if key in config}
    if config.get("num_beams", 1) != 1:
        search["beam_size"] = config["num_beams"]
    recipe = Recipe(
        description=f"Imported from the pretrained model {name}",
        data=data,
        text=keys,
        instances=InstanceSettings(kind="sentence"),
        system=settings,
        search=SearchSettings.read(search, path=folder),
    )
    # Before anything is written.
    check_fits(settings, (rows[0], rows[1]), state, folder, huggingface.SETTINGS)
    imported = Run.create(run, recipe, pipeline)
    imported.save_weights(state)
    return imported


def check_fits(
    settings: GTransformerSettings | TransformerSettings,
    rows: tuple[int, int],
    state: Mapping[str, Tensor],
    path: PathLike,
    names: Names,
) -> None:
    """Check that the system that a model's own settings describe is the one its weights are of.

    Args:
        settings: what the model's settings say.
        rows: types of the source and of the target.
        state: its weights, under docmt's names.
        path, names: for the error message: where the model lies, and what it calls its sizes.

    Raises:
        InputError: naming the tensors or sizes that differ.
    """
    # First, or a damaged setting could ask for more memory than there is.
    check_sizes(settings, state, path, names)
    fill(build(settings, *rows), state, path, plan=names.plan, cure=names.cure)
