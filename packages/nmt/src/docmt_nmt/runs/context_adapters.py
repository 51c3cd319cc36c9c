"""`ContextAdapter`: the new attention of a system that was trained over frozen weights, in a file
of its own. It belongs to one base model, which the file knows by a hash, and to what was tuned from
it.

    FILE.safetensors    the new weights; in the metadata, under `context_adapter`, everything else

The base is a sentence-level run, such as an imported model of Firefox. Base and adapter make one
system in memory. A sentence alone has in it the logits of the base, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, equal, float16, float32, uint8

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, whole_path
from docmt_files.storage.json_files import json_text
from docmt_nmt.runs.adapter_descriptions import (
    COPY_AGAIN,
    KEY,
    AdapterDescription,
    read_description,
)
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weight_arrays import keeping_mode
from docmt_nmt.runs.weight_differences import weights_of_base
from docmt_nmt.runs.weights import check_finite, load_weights, read_weights, tied_names
from docmt_nmt.systems import System, build
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.text.context_cues import check_cues


@dataclass(frozen=True, eq=False)
class ContextAdapter:
    """The weights and the description of a context adapter.

    Attributes:
        description: what it is.
        tensors: the new weights by name.
    """

    description: AdapterDescription
    tensors: Mapping[str, Tensor]

    @classmethod
    def of_run(cls, run: SystemRun, base: SystemRun, **described: Any) -> Self:
        """The adapter of a run that was trained over a base with all loaded weights frozen.

        Args:
            run: the trained run.
            base: the run that it was initialized from.
            described: further values of the description, such as `license`.

        Raises:
            InputError: the run is no such run.
        """
        system, state, loaded = run.recipe.system, run.state(), base.state()
        if not isinstance(system, GTransformerSettings) or system.sees != "beyond":
            raise InputError(
                "is not a run of the G-Transformer that sees what lies beyond the sentence",
                path=run.directory,
                cure="Train it with system.name=g-transformer and system.sees=beyond",
            )
        if changed := [n for n in loaded if n not in state or not equal(loaded[n], state[n])]:
            raise InputError(
                f"has other weights than its base ({changed[0]}), so they are no adapter alone",
                path=run.directory,
                cure="Train it with initialize.freeze: [loaded]",
            )
        description = AdapterDescription.read(
            {
                "languages": (run.recipe.data.source_language, run.recipe.data.target_language),
                "base": base_hash(loaded),
                "base_name": base.directory.name,
                "system": system.model_dump(mode="json"),
                "instances": run.recipe.instances.model_dump(mode="json"),
                "seed": run.recipe.training.seed,
                **described,
            }
        )
        new = {name: state[name] for name in _new_names(state, loaded)}
        return cls(description, {name: tensor.to(float16) for name, tensor in new.items()})

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read the file of an adapter.

        Raises:
            InputError: it is missing, damaged or something else.
        """
        description = read_description(path)
        try:
            tensors = load_file(path)
        except (SafetensorError, OSError, ValueError) as error:
            raise InputError(f"is damaged ({error})", path=path, cure=COPY_AGAIN) from None
        check_finite(tensors, path, cure=COPY_AGAIN)
        return cls(description, tensors)

    def write(self, path: PathLike) -> None:
        """Write the file, whole or not at all: the same adapter is the same bytes.

        Raises:
            InputError: it cannot be written.
        """
        check_cues(self.description.cues)
        text = json_text(self.description.model_dump(mode="json"))
        with whole_path(Path(path)) as part, keeping_mode(part):
            tensors = {name: tensor.contiguous() for name, tensor in self.tensors.items()}
            save_file(tensors, part, metadata={KEY: text})

    def described(self, **values: Any) -> ContextAdapter:
        """The adapter with other values of the description, such as `threshold` or `cues`."""
        description = AdapterDescription.read(
            {**self.description.model_dump(mode="json"), **values}
        )
        return ContextAdapter(description, self.tensors)

    @property
    def identity(self) -> str:
        """A hash of weights and description: the same hash, the same translations."""
        digest = sha256(json_text(self.description.model_dump(mode="json")).encode())
        digest.update(base_hash(self.tensors).encode())
        return digest.hexdigest()

    def fits(self, run: SystemRun) -> bool:
        """Return whether a run has the weights of the base, or weights that were tuned from them
        and are stored as a difference: tuning moves weights so little that the new attention finds
        in them what it knows.

        Raises:
            InputError: the weights cannot be read.
        """
        if base_hash(run.state()) == self.description.base:
            return True
        start = weights_of_base(run.weights)
        return start is not None and base_hash(read_weights(start)) == self.description.base

    def check_base(self, run: SystemRun, path: PathLike) -> None:
        """Check that the adapter fits a run.

        Args:
            run: the run.
            path: the run or the adapter, for the message.

        Raises:
            InputError: the run is of another model, or its weights cannot be read.
        """
        if not self.fits(run):
            found, wanted = base_hash(run.state()), self.description
            name = f" {wanted.base_name!r}" if wanted.base_name else ""
            raise InputError(
                f"the context adapter belongs to another model{name} "
                f"({'-'.join(wanted.languages)}, hash {wanted.base[:12]}), and this one has the "
                f"hash {found[:12]}",
                path=path,
                cure="Use the adapter of this model, or the model of this adapter",
            )

    def system(self, base: SystemRun) -> System:
        """Base and adapter as one system, in eval mode on CPU.

        Raises:
            InputError: the adapter does not fit the run, or the weights do not fit together.
        """
        self.check_base(base, base.directory)
        state = base.state()
        pipeline = base.pipeline
        sizes = len(pipeline.source_vocabulary), len(pipeline.target_vocabulary)
        system = build(self.description.system, *sizes, seed=self.description.seed)
        new = {name: tensor.to(float32) for name, tensor in self.tensors.items()}
        load_weights(system, {**state, **new}, base.directory, built_from="the context adapter")
        return system.eval()


def base_hash(state: Mapping[str, Tensor]) -> str:
    """The SHA-256 of weights: their names, shapes, formats and values. It does not depend on the
    file that they are in."""
    digest = sha256()
    for name, tensor in sorted(state.items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        values = tensor.detach().cpu().contiguous().flatten().view(uint8)
        digest.update(values.numpy().tobytes())
    return digest.hexdigest()


def _new_names(state: Mapping[str, Tensor], loaded: Mapping[str, Tensor]) -> list[str]:
    """The weights that the base lacks, one name each."""
    groups = tied_names(state)
    return [names[0] for names in groups if not any(name in loaded for name in names)]
