"""`compile_run`: make the compiled form of a run, and check it against PyTorch first.

The exporter of graphs fails in silence: it takes two inputs for one, or a size of the example for a
constant. So the graphs translate real documents first: in fp32 with the same tokens as PyTorch, and
in eight bits the same sentences together and one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import whole_directory
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.base.extras import not_installed
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.base.translations import Translation
from docmt_nmt.compiling.compiled_checks import check_alone, documents_to_check
from docmt_nmt.compiling.eight_bits import ByBlocks, ByRows
from docmt_nmt.compiling.graphs import (
    OPSET,
    Graphs,
    check_listable,
    check_traceable,
    without_scores,
)
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.decoding.listed_steps import ListedSteps
from docmt_nmt.decoding.shortlist import BIAS, Shortlist
from docmt_nmt.nn.private_ops import weight_code_limit
from docmt_nmt.runs.attention_choice import aligning_layers
from docmt_nmt.runs.compiled_files import (
    SHORTLIST,
    CompiledPrecision,
    Manifest,
    compile_again,
    compiled_folder,
    keep_recipe,
)
from docmt_nmt.runs.compiled_forms import manifest_of, sealed, write_table
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems import EncoderDecoder

if TYPE_CHECKING:
    from onnx import ModelProto

    from docmt_nmt.nn.embeddings import Embedding

_CLOSE = 1e-3
"""So much may log-probabilities of the same network differ."""


def compile_run(
    run: SystemRun,
    precision: CompiledPrecision,
    documents: Sequence[Document] | None = None,
    shortlist: Path | None = None,
) -> Path:
    """Make the compiled form of a run.

    Args:
        run: the run, on a disk that can be written.
        precision: the number format of products.
        documents: what is translated for the check; default: documents of the bundled corpus.
        shortlist: a lexical shortlist of Marian, for searches over its words alone.

    Returns:
        The folder of the compiled form, which replaces an earlier one.

    Raises:
        InputError: the system cannot be compiled, a package is missing, the shortlist does not fit
            the run, or the compiled form does not translate as PyTorch does.
    """
    _check_packages()
    documents = documents or documents_to_check(run.pipeline.languages[0])
    eager = BeamSearchTranslator.of(
        run, device="cpu", compiled="never", precision="fp32", shortlist=False
    )
    system = run.system("cpu")
    check_traceable(system)
    assert isinstance(system, EncoderDecoder)
    graphs = Graphs(system, aligning_layers(run, len(system.decoder)))
    tables = _tables(system)
    if shortlist is not None:
        check_listable(system)
        Shortlist.read(shortlist, *(len(each.table.weight) for each in _embeddings(system)))
        if system.output is not None:
            tables["output"] = system.output.weight
    models = {"encoder": graphs.encoder(), "step": graphs.step()}
    if shortlist is not None:
        models["listed_step"] = without_scores(models["step"])
    folder = compiled_folder(run.directory, precision)
    cure = compile_again(run.directory, precision)
    with whole_directory(folder) as part:
        _write(part, models, tables, eight_bits=False)
        if shortlist is not None:
            _write_shortlist(part, shortlist, system)
        manifest = _manifest(run, graphs, eager, documents)
        compiled = CompiledSystem.of_folder(part, sealed(part, manifest), cure)
        expected = _check_same(eager, replace(eager, compiled=compiled), documents, run.directory)
        if compiled.listed is not None:
            _check_listed(compiled, run.pipeline.special_tokens, run.directory)
        if precision == "int8":
            limit = weight_code_limit()
            coded_encoder = ByRows(models.pop("encoder"), limit).apply()
            models = {name: ByBlocks(step).apply() for name, step in models.items()}
            models["encoder"] = coded_encoder
            _write(part, models, tables, eight_bits=True)
            coded = {"precision": precision, "weight_code_limit": limit}
            manifest = manifest.model_copy(update=coded)
            compiled = CompiledSystem.of_folder(part, sealed(part, manifest), cure)
            found = check_alone(replace(eager, compiled=compiled), documents, run.directory)
            alike = {"sentences_as_in_fp32": _sentences_alike(expected, found)}
            sealed(part, manifest.model_copy(update=alike))
    keep_recipe(run.directory)
    return folder


def _check_packages() -> None:
    """Check that the packages are installed that make graphs.

    Raises:
        InputError: one is missing.
    """
    from importlib.util import find_spec

    for name in ("onnx", "onnxscript"):
        if find_spec(name) is None:
            raise not_installed(name)


def _tables(system: EncoderDecoder) -> dict[str, Tensor]:
    """The embedding tables by side; the source's alone if both sides share it."""
    source, target = (each.table for each in _embeddings(system))
    tables = {"source": source.weight}
    return tables if source is target else {**tables, "target": target.weight}


def _embeddings(system: EncoderDecoder) -> tuple[Embedding, Embedding]:
    """The embeddings of both sides."""
    return system.source_embedding, system.target_embedding


def _write_shortlist(folder: Path, shortlist: Path, system: EncoderDecoder) -> None:
    """Write the shortlist, and the bias of scores."""
    (folder / SHORTLIST).write_bytes(read_stored(shortlist))
    biases = [system.score_bias, None if system.output is None else system.output.bias]
    known = [bias.detach().float().numpy() for bias in biases if bias is not None]
    if known:
        np.save(folder / BIAS, sum(known))


def _write(
    folder: Path, models: dict[str, ModelProto], tables: dict[str, Tensor], *, eight_bits: bool
) -> None:
    """Write the graphs and the embedding tables."""
    for name, model in models.items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
    for side, tensor in tables.items():
        write_table(folder, side, tensor.detach().float().numpy(), eight_bits=eight_bits)


def _manifest(
    run: SystemRun, graphs: Graphs, eager: BeamSearchTranslator, documents: Sequence[Document]
) -> Manifest:
    """The manifest of graphs in fp32, without the hashes of files."""
    positions = eager.eager.target_positions
    return manifest_of(
        run,
        precision="fp32",
        opset=OPSET,
        count_from=graphs.system.count_positions,
        max_positions=None if positions is None else positions[0],
        alignment=tuple(graphs.aligning),
        checked_sentences=sum(map(len, documents)),
    )


def _check_same(
    eager: BeamSearchTranslator,
    compiled: BeamSearchTranslator,
    documents: Sequence[Document],
    run: Path,
) -> list[Translation]:
    """Check that both translate alike, and return the translations."""
    expected, found = eager.translate(documents), compiled.translate(documents)
    for one, other in zip(expected, found, strict=True):
        pairs = zip(one.document.target or (), other.document.target or (), strict=True)
        for index, (wanted, got) in enumerate(pairs):
            if wanted != got:
                raise InputError(
                    f"the compiled form translates sentence {index + 1} of {one.document.id!r} as "
                    f"{got!r}, and PyTorch as {wanted!r}; it is not kept",
                    path=run,
                    cure="Translate with the run as it is, and report the error",
                )
    return expected


def _sentences_alike(ones: Sequence[Translation], others: Sequence[Translation]) -> int:
    """The number of sentences with the same translation in both."""
    return sum(
        one == other
        for a, b in zip(ones, others, strict=True)
        for one, other in zip(a.document.target or (), b.document.target or (), strict=True)
    )


def _check_listed(compiled: CompiledSystem, special_tokens: SpecialTokens, run: Path) -> None:
    """Check that the first step over a shortlist has the scores of the step over all words."""
    source = [[[special_tokens.source_end[-1]]]] if special_tokens.source_end else [[[0]]]
    begin = [special_tokens.target_begin]
    states = [compiled.begin(source, 1, special_tokens) for _ in range(2)]
    steps = ListedSteps(compiled, source, special_tokens, None)
    (all_words,), (found,) = compiled.step(begin, states[0]), steps.step(begin, states[1])
    listed = np.isfinite(found)
    difference = all_words[listed] - found[listed]
    if np.ptp(difference) > _CLOSE:
        raise InputError(
            "the compiled form has other scores over the shortlist than over all words; it is not "
            "kept",
            path=run,
            cure="Compile the run without a shortlist, and report the error",
        )
