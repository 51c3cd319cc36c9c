"""The files of a pretrained model: in a folder, or on the Hugging Face hub."""

from __future__ import annotations

import os
from pathlib import Path

from huggingface_hub import snapshot_download

from docmt.errors import InputError
from docmt.interop.model_formats import MODEL_FORMATS

_FORMAT = MODEL_FORMATS["huggingface"]


def find_model(name: str, *, pickle: bool = False) -> Path:
    """The folder of a model. A model on the hub is downloaded, once.

    Args:
        name: a folder, or a name on the hub such as `Helsinki-NLP/opus-mt-en-de`.
        pickle: whether to download pickled weights too.

    Raises:
        InputError: there is no such folder, and the hub does not have the model, has it as a pickle
            only, or cannot be reached.
    """
    # These are false for what cannot be a path, where those of `Path` raise an error.
    if os.path.isdir(name):  # noqa: PTH112
        return Path(name)
    if os.path.exists(name):  # noqa: PTH110
        raise InputError(
            "is not a folder", path=name, cure="Name the folder that holds config.json"
        )
    patterns = [*_FORMAT["files"], *(_FORMAT["pickles"] if pickle else ())]
    try:
        folder = Path(snapshot_download(name, allow_patterns=patterns))
    except Exception as error:  # networks fail in many ways
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(
            f"{name!r} is not a folder, and cannot be downloaded from the Hugging Face hub "
            f"({reason})",
            cure="Check the name and the network, or download the model elsewhere and name its "
            "folder",
        ) from None
    if not pickle and not any(folder.glob("model*.safetensors*")):
        # Pickles are not downloaded unless asked for, so it is not known whether there are any.
        raise InputError(
            f"{name!r} has no safetensors on the Hugging Face hub",
            cure="Add `pickle` to read the tensors of pytorch_model.bin; no code in it is run",
        )
    return folder
