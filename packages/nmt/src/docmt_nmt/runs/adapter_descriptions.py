"""`AdapterDescription`: what a context adapter is, beside its weights. It stands in the metadata of
the file. Nothing here needs torch.
"""

from __future__ import annotations

from pydantic import Field
from safetensors import SafetensorError, safe_open

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_files.storage.json_files import parse_json
from docmt_files.storage.stored_files import open_stored
from docmt_nmt.base.settings import Settings
from docmt_nmt.data.data_settings import InstanceSettings
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.text.context_cues import check_cues

KEY = "context_adapter"
"""The metadata key of the file."""

DEFAULT_THRESHOLD = 8.0
"""The threshold of an adapter for which none was chosen, in nats."""

COPY_AGAIN = "Copy it again from its source, or train it again"


class AdapterDescription(Settings):
    """What a context adapter is, beside its weights."""

    version: int = Field(default=1, ge=1, le=1)
    """The version of the format."""

    languages: tuple[str, str]
    """The codes of the source and the target language."""

    base: str = Field(pattern="^[0-9a-f]{64}$")
    """The hash of the weights of the base model (`base_hash`)."""

    base_name: str = ""
    """The name of the base model, for messages."""

    system: GTransformerSettings
    """The settings of base and adapter as one system."""

    instances: InstanceSettings
    """How documents were cut in training."""

    threshold: float = Field(default=DEFAULT_THRESHOLD, ge=0)
    """How much more the context must prefer the translation in context, in nats."""

    cues: tuple[str, ...] = ()
    """The cues of sentences that are translated in context, of `docmt_nmt.text.context_cues`.
    Default: all sentences with another before them."""

    license: str = ""
    """The licence of the adapter."""

    made_from: str = ""
    """What it was trained on, in words."""

    seed: int = 0
    """The seed of the training."""

    @property
    def sentences_before(self) -> int | None:
        """Number of sentences before its own that a sentence sees; None for all."""
        return self.system.sentences_before


def read_description(path: PathLike) -> AdapterDescription:
    """Read what an adapter is.

    Raises:
        InputError: the file is missing, damaged or something else.
    """
    open_stored(path, cure=COPY_AGAIN).close()
    try:
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(KEY)
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(
            f"is damaged, or not an adapter ({error})", path=path, cure=COPY_AGAIN
        ) from None
    if text is None:
        raise InputError("is not a context adapter", path=path, cure="Name the file of one")
    try:
        values = parse_json(text)
    except ValueError as error:
        raise InputError(f"is damaged ({error})", path=path, cure=COPY_AGAIN) from None
    description = AdapterDescription.read(values, path=path)
    check_cues(description.cues)
    return description
