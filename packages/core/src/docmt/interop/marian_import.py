"""`import_marian`: a run directory from a model of Marian. Nothing here needs torch; where it is
installed, the weights are checked against the system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from docmt.interop import marian
from docmt.interop.marian_files import SETTINGS, read_model_file
from docmt.interop.marian_folder import MarianFolder, special_tokens
from docmt.interop.pretrained_pipeline import pretrained_pipeline
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.base.extras import has_torch
from docmt_nmt.data import InstanceSettings
from docmt_nmt.data.data_settings import DataSettings
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.runs.run import check_new
from docmt_nmt.runs.trained_run import TrainedRun, TranslationRecipe, create_trained_run
from docmt_nmt.runs.weight_arrays import check_arrays_finite
from docmt_nmt.text import SIDES

if TYPE_CHECKING:
    from docmt_nmt.systems.transformer_settings import TransformerSettings


def import_marian(
    folder: PathLike, run: PathLike, *, languages: tuple[str | None, str | None] = (None, None)
) -> TrainedRun:
    """Make a run directory from a model of Marian, such as the models of Firefox and the originals
    of OPUS-MT. Weights of a byte stay as they are.

    Args:
        folder: the folder with the weights (`.bin` or `.npz`), the vocabularies and, if there is
            one, the `.yml` file of the decoder.
        run: the directory to make.
        languages: codes of the source and the target language; None for those in the names of the
            files.

    Raises:
        InputError: a file is missing, damaged or cut off, the model has a part that docmt does not
            support, a language is missing, or the vocabularies do not fit.

    >>> import_marian("models/enpt", "runs/en-pt")  # doctest: +SKIP
    """
    check_new(run)
    files = MarianFolder.of(Path(folder))
    text, tensors = read_model_file(files.model)
    values = marian.system_values(marian.model_settings(text, files.model), files.model)
    settings = _settings(values, files.model) if has_torch() else None
    weights = marian.rename(tensors, files.model, shares_embeddings=values["share_embeddings"])
    source, target = (
        given or named for given, named in zip(languages, files.languages(), strict=True)
    )
    if source is None or target is None:
        raise InputError(
            "the names of the files do not name the source and the target language",
            path=folder,
            cure="Give `source_language` and `target_language`",
            parameters=("source_language", "target_language"),
        )
    rows = {side: len(weights.arrays[f"{side}_embedding.table.weight"]) for side in SIDES}
    subwords = files.subwords(rows, shared=values["share_embeddings"])
    tokens = special_tokens(subwords, target, files.model)
    pipeline = pretrained_pipeline(
        (source, target), subwords, tokens, joint=values["share_embeddings"]
    )
    sections = {
        "description": f"Imported from the Marian model {files.model.name}",
        "data": DataSettings.read({"source_language": source, "target_language": target}),
        "text": pipeline.settings,
        "instances": InstanceSettings(kind="sentence"),
        "search": SearchSettings.read(marian.search_settings(values) | files.search(), path=folder),
    }
    recipe: Any
    if settings is None:
        recipe = TranslationRecipe(system=values, **sections)
    else:
        from docmt_nmt.recipes.recipe import Recipe

        recipe = Recipe(system=settings, **sections)
        _check_fits(settings, weights.arrays, (rows["source"], rows["target"]), files.model)
    check_arrays_finite(weights.arrays, files.model)
    aligning = marian.aligning_attention(values, files.model)
    made = create_trained_run(
        run,
        recipe,
        pipeline,
        weights.arrays,
        weights.scales,
        None if aligning is None else aligning.to_json(),
    )
    if settings is None:
        return made
    from docmt_nmt.runs.system_run import SystemRun

    return SystemRun(made.directory, recipe, pipeline)


def _settings(values: dict[str, Any], path: Path) -> TransformerSettings:
    """The settings of the system.

    Raises:
        InputError: a setting is not valid.
    """
    from docmt_nmt.systems.transformer_settings import TransformerSettings

    return TransformerSettings.read(values, path=path)


def _check_fits(
    settings: TransformerSettings,
    arrays: Mapping[str, NDArray[np.generic]],
    sizes: tuple[int, int],
    path: Path,
) -> None:
    """Require that weights fit a system of these settings and sizes of vocabularies."""
    import torch

    from docmt.interop.weight_checks import SizeNames, check_fits

    names = SizeNames(
        file=SETTINGS,
        cure="Copy the file again, complete",
        d_model="dim-emb",
        ffn_dim="transformer-dim-ffn",
        encoder_layers="enc-depth",
        decoder_layers="dec-depth",
    )
    tensors = {id(array): torch.from_numpy(array) for array in arrays.values()}
    state = {name: tensors[id(array)] for name, array in arrays.items()}
    check_fits(settings, state, sizes, path, names)
