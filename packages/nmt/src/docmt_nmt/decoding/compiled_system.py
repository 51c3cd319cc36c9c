"""`CompiledSystem`: the graphs of a compiled system in ONNX Runtime, as search calls a system.

It computes the same as the system that it was compiled from, without torch: a process needs a
third of the time to start, a step of one hypothesis a fraction. Threads may share it.

Shapes: U open units with B hypotheses each, R = U · B, L source tokens of the longest instance, V
tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.decoding.compiled_state import CompiledState, Floats, PaddedSource
from docmt_nmt.decoding.limits import TargetPositions
from docmt_nmt.decoding.tables import Table
from docmt_nmt.runs.compiled_files import (
    SHORTLIST,
    CompiledPrecision,
    Manifest,
    compile_again,
    compiled_folder,
    read_manifest,
)
from docmt_nmt.runs.weight_codes import multiplies_bytes_exactly

if TYPE_CHECKING:
    from docmt_nmt.decoding.shortlist import ListedOutput

_EXACT_CODE = 127
"""The largest code of a weight; smaller ones were chosen for processors without VNNI."""


class CompiledSystem:
    """A compiled system.

    Args:
        manifest: what was compiled.
        encoder, step: the graphs, each an `onnxruntime.InferenceSession`.
        source, target: the embedding tables.
        listed: the output layer by rows, if there is a shortlist.
        path: the file with the graph of a step, if it is in one.

    Attributes:
        manifest, listed, path: as given.
        attention: the names of the outputs of a step for `attend`.
    """

    def __init__(
        self,
        manifest: Manifest,
        encoder: Any,
        step: Any,
        source: Table,
        target: Table,
        listed: ListedOutput | None = None,
        path: Path | None = None,
    ) -> None:
        self.manifest, self._encoder, self._step = manifest, encoder, step
        self.listed, self.path = listed, path
        self._source, self._target = source, target
        self._inputs = {each.name: each.shape for each in step.get_inputs()}
        outputs = [each.name for each in step.get_outputs()]
        self._without_weights = [name for name in outputs if not name.startswith("weights.")]
        scores = ("log_probabilities", "states")
        self.attention = [name for name in outputs if name not in scores]

    @classmethod
    def of_run(cls, run: Path, precision: CompiledPrecision) -> Self:
        """Load the compiled form of a run.

        Raises:
            InputError: the files are damaged or do not fit the run or this processor.
        """
        manifest = read_manifest(run, precision)
        cure = compile_again(run, precision)
        return cls.of_folder(compiled_folder(run, precision), manifest, cure)

    @classmethod
    def of_folder(cls, folder: Path, manifest: Manifest, cure: str) -> Self:
        """Load the files of a compiled form, which were checked.

        Args:
            cure: advice if ONNX Runtime cannot load a graph, or the processor does not fit.

        Raises:
            InputError: a graph cannot be loaded, or does not fit this processor.
        """
        if manifest.weight_code_limit == _EXACT_CODE and not multiplies_bytes_exactly():
            raise InputError(
                "was compiled on a processor with products of bytes that this one lacks",
                path=folder,
                cure=cure,
            )
        paths = (folder / f"{name}.onnx" for name in ("encoder", "step"))
        encoder, step = (open_session(path, cure) for path in paths)
        source = target = Table.read(folder, "source", manifest)
        if "target.npy" in manifest.files:
            target = Table.read(folder, "target", manifest)
        listed = None
        if SHORTLIST in manifest.files:
            from docmt_nmt.decoding.shortlist import ListedOutput

            own = "output.npy" in manifest.files
            output = Table.read(folder, "output", manifest) if own else target
            listed_step = open_session(folder / "listed_step.onnx", cure)
            listed = ListedOutput.read(folder, manifest, listed_step, source, target, output)
        return cls(manifest, encoder, step, source, target, listed, folder / "step.onnx")

    @property
    def identity(self) -> list[str]:
        """What translations by this system depend on, besides the run."""
        import onnxruntime

        return ["compiled", *sorted(self.manifest.files.values()), onnxruntime.__version__]

    @property
    def target_positions(self) -> TargetPositions | None:
        """See `System.target_positions`."""
        known = self.manifest.max_positions
        return None if known is None else (known, self.manifest.count_from)

    def begin(
        self,
        instances: Sequence[Sequence[Sequence[int]]],
        beam_size: int,
        special_tokens: SpecialTokens,
    ) -> CompiledState:
        """Encode instances, given as sentences of token ids, and open a unit for each.

        Args:
            instances: at least one, none of them empty.
            beam_size: B.
        """
        source = PaddedSource.of(instances, special_tokens)
        count_from = self.manifest.count_from
        encoded = self._run(
            self._encoder,
            None,
            {
                "embedded": self._source.rows(source.tokens),
                "positions": source.positions(count_from),
                "sentences": source.sentences,
            },
        )
        return CompiledState(source, encoded, self._inputs, beam_size, special_tokens, count_from)

    def step(self, tokens: ArrayLike, state: CompiledState) -> Floats:
        """Log-probabilities, (R, V), after one more token of every open hypothesis.

        Args:
            tokens: (R,) token ids.
            state: the decoding state, which is advanced.
        """
        return self._advance(tokens, state, self._without_weights)["log_probabilities"]

    def states(self, tokens: ArrayLike, state: CompiledState) -> Floats:
        """The states before the output layer, (R, d); arguments as of `step`."""
        assert self.listed is not None
        return self._advance(tokens, state, None, self.listed.step)["states"]

    def attend(
        self, tokens: ArrayLike, state: CompiledState, step: Any = None
    ) -> dict[str, Floats]:
        """The weights, (U, B, H, L), over the source tokens of each attention in
        `manifest.alignment`, for one more token of every open hypothesis; arguments as of `step`.

        Args:
            step: a session of a graph with these outputs alone.
        """
        found = self._advance(tokens, state, self.attention, step)
        return {name: found[f"weights.{name}"] for name in self.manifest.alignment}

    def _advance(
        self, tokens: ArrayLike, state: CompiledState, wanted: list[str] | None, step: Any = None
    ) -> dict[str, Floats]:
        """Outputs of a step, by the graph of the whole step or another."""
        inputs = state.advance(tokens)
        new = np.asarray(tokens).reshape(-1, state.beam_size)
        known = {name: inputs[name] for name in self._inputs if name != "embedded"}
        known["embedded"] = self._target.rows(new)
        outputs = self._run(step or self._step, wanted, known)
        state.read(outputs)
        return outputs

    @staticmethod
    def _run(session: Any, wanted: list[str] | None, inputs: dict[str, Any]) -> dict[str, Floats]:
        names = wanted or [each.name for each in session.get_outputs()]
        return dict(zip(names, session.run(names, inputs), strict=True))


def open_session(path: Path | bytes, cure: str) -> Any:
    """A session of a graph, in a file or in memory, with one thread: callers have threads or
    processes.

    Raises:
        InputError: ONNX Runtime cannot load the graph.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library has many kinds of its own
        problem = str(error).splitlines()[0]
        raise InputError(
            f"onnxruntime {onnxruntime.__version__} cannot load the graph ({problem})",
            path=None if isinstance(path, bytes) else path,
            cure=cure,
        ) from None
