"""Where the files of a pretrained model lie: in a folder, or on the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import snapshot_download

from docmt.errors import InputError

FILES = (
    "config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json",
    "vocab.json", "target_vocab.json", "*.spm", "sentencepiece.bpe.model", "model*.safetensors",
    "model.safetensors.index.json",
)  # fmt: skip
PICKLES = ("pytorch_model*.bin", "pytorch_model.bin.index.json")


def find(name: str, *, pickle: bool = False) -> Path:
    """The folder of a model; one that is named as on the hub is downloaded, once.

    Args:
        name: a folder, or a name on the hub such as `Helsinki-NLP/opus-mt-en-de`.
        pickle: whether weights that are no safetensors are wanted too.

    Raises:
        InputError: there is no such folder, and the hub does not have it, has it as a pickle only,
            or cannot be reached.
    """
    if Path(name).is_dir():
        return Path(name)
    if Path(name).exists():
        raise InputError("is no folder", path=name, cure="Name the folder that holds config.json")
    try:
        found = Path(snapshot_download(name, allow_patterns=[*FILES, *(PICKLES if pickle else ())]))
    except Exception as error:  # networks fail in many ways
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(
            f"{name!r} is no folder here, and the Hugging Face hub does not give it ({reason})",
            cure="Check the name and the network, or download the model elsewhere and name its "
            "folder",
        ) from None  # fmt: skip
    if not pickle and not any(found.glob("model*.safetensors*")):
        # Pickles are not downloaded unasked, so whether there are any is not seen here.
        raise InputError(
            f"{name!r} has no safetensors on the Hugging Face hub",
            cure="Add --pickle to read pytorch_model.bin, as tensors only",
        )
    return found
