"""`export_ctranslate2`: the Transformer of a run as a model of CTranslate2, to serve with that
program. Its decoder is a Transformer over one sentence, without terms of glossaries, kept
words or context, so only runs that need none of its own are written; others are refused by name.

    DIR/model.bin, config.json, *vocabulary.json   what CTranslate2 reads
    DIR/text/                                      the text pipeline of the run (`Pipeline.load`)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, whole_directory
from docmt_nmt.base.choices import WeightFormat
from docmt_nmt.base.extras import naming_extras
from docmt_nmt.nn.embeddings import Embedding, sinusoids
from docmt_nmt.runs.run import check_new
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems.transformer import Transformer
from docmt_nmt.systems.transformer_settings import TransformerSettings
from docmt_nmt.text import Pipeline

POSITIONS = 2048
"""Positions with a vector, of embeddings that are computed: the longest sentence in tokens."""

NEVER = -1e4
"""The bias of tokens that docmt never writes. 16-bit numbers hold it."""

_FORMATS = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
_ACTIVATIONS = {"relu": "RELU", "gelu": "GELU", "swish": "SWISH"}


def export_ctranslate2(run: SystemRun, directory: PathLike, weights: WeightFormat = "fp16") -> None:
    """Write the model of a run for CTranslate2, and the text pipeline, all of it or nothing.

    Args:
        run: the run.
        directory: the directory to make.
        weights: the number format of the weights in the file.

    Raises:
        InputError: CTranslate2 is not installed or cannot express the run, the run has no weights,
            or the path is taken or cannot be written.
    """
    settings = run.recipe.system
    reasons = list(_obstacles(run))
    if reasons:
        raise InputError(
            f"CTranslate2 cannot express this run: {reasons[0]}",
            path=run.directory,
            cure="Serve the run with docmt, or export a Transformer of single sentences",
        )
    assert isinstance(settings, TransformerSettings)
    check_new(directory)
    with naming_extras():
        import ctranslate2.specs  # noqa: F401
    system = run.system()
    assert isinstance(system, Transformer)
    never = never_written(run.pipeline, allow_unk=run.recipe.search.allow_unk)
    specification = _specification(system, settings, run.pipeline, never)
    specification.optimize(_FORMATS[weights])
    with whole_directory(Path(directory), replace=False) as part:
        specification.save(str(part))
        run.pipeline.save(part / "text")


def _obstacles(run: SystemRun) -> Iterator[str]:
    """What CTranslate2 lacks for this run, the most important first."""
    settings, instances = run.recipe.system, run.recipe.instances
    if not isinstance(settings, TransformerSettings):
        yield f"it has no system {settings.name}"
        return
    if instances.kind != "sentence":
        yield f"it translates single sentences, and this run instances of kind {instances.kind}"
    if settings.decoder_recurrence != "none":
        yield f"it has no recurrence {settings.decoder_recurrence}"
    if settings.norm == "output":
        yield "it does not normalize the output of sublayers (system.norm output)"
    if settings.segment_embeddings:
        yield "it has no embeddings of segments"
    if not settings.layers_of_decoder:
        yield "the run is an encoder"
    special = run.pipeline.special_tokens
    begin, end = special.source_begin, special.source_end
    if special.target_prefix or len(begin) > 1 or len(end) > 1:
        yield "it sets no tokens of languages around sentences"
    elif end and _token(run.pipeline, "source", end[0]) != _end(run.pipeline):
        yield "it has one token for the end of a sentence, and this run two"


def _token(pipeline: Pipeline, side: Any, number: int) -> str:
    return pipeline.vocabulary(side).tokens[number]


def _end(pipeline: Pipeline) -> str:
    """The token at the end of a target sentence."""
    return _token(pipeline, "target", pipeline.special_tokens.target_end)


def _specification(
    system: Transformer, settings: TransformerSettings, pipeline: Pipeline, never: set[int]
) -> Any:
    """The specification of CTranslate2 with the weights and the vocabulary, of which some tokens
    are never written."""
    from ctranslate2.specs import (
        Activation,
        TransformerDecoderSpec,
        TransformerEncoderSpec,
        TransformerSpec,
    )

    form: dict[str, Any] = {
        "pre_norm": settings.norm == "pre",
        "activation": Activation[_ACTIVATIONS[settings.activation]],
    }
    sides = []
    for make, embedding, layers, norm in (
        (TransformerEncoderSpec, system.source_embedding, system.encoder, system.encoder_norm),
        (TransformerDecoderSpec, system.target_embedding, system.decoder, system.decoder_norm),
    ):
        normalized = isinstance(embedding.norm, nn.LayerNorm)
        side = make(len(layers), settings.heads, layernorm_embedding=normalized, **form)
        _fill_embedding(side, embedding)
        for into, layer in zip(side.layer, layers, strict=True):
            _fill_layer(into, layer)
        if isinstance(norm, nn.LayerNorm):
            _fill_norm(side.layer_norm, norm)
        sides.append(side)
    encoder, decoder = sides
    decoder.projection.weight = _array(system.output_weight)
    decoder.projection.bias = _output_bias(system, never)
    specification = TransformerSpec(encoder, decoder)
    _name_tokens(specification, pipeline)
    specification.config.layer_norm_epsilon = settings.norm_epsilon
    specification.validate()
    return specification


def _name_tokens(specification: Any, pipeline: Pipeline) -> None:
    """The vocabulary, and the tokens around sentences, which CTranslate2 adds itself."""
    special, config = pipeline.special_tokens, specification.config
    specification.register_source_vocabulary(list(pipeline.source_vocabulary.tokens))
    specification.register_target_vocabulary(list(pipeline.target_vocabulary.tokens))
    config.add_source_bos, config.add_source_eos = map(
        bool, (special.source_begin, special.source_end)
    )
    start = _token(pipeline, "target", special.target_begin)
    config.decoder_start_token, config.eos_token = start, _end(pipeline)
    config.bos_token = start
    if special.source_begin:
        config.bos_token = _token(pipeline, "source", special.source_begin[0])
    vocabulary = pipeline.target_vocabulary
    config.unk_token = vocabulary.tokens[vocabulary.unk_id]


def _output_bias(system: Transformer, never: set[int]) -> NDArray[np.float32]:
    """What is added to the scores of tokens, (V,): those never written are improbable."""
    bias = system.output_bias
    size = len(system.output_weight)
    found = np.zeros(size, np.float32) if bias is None else _array(bias).copy()
    found[sorted(never)] = NEVER
    return found


def never_written(pipeline: Pipeline, *, allow_unk: bool = False) -> set[int]:
    """The ids of tokens that a search of docmt writes in no sentence."""
    special, vocabulary = pipeline.special_tokens, pipeline.target_vocabulary
    allowed = {special.target_end, *([vocabulary.unk_id] if allow_unk else [])}
    return {*vocabulary.special_ids, *special.target_opening} - allowed


def _fill_embedding(side: Any, embedding: Embedding) -> None:
    """Tokens and positions of an encoder or a decoder."""
    tokens = side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings
    tokens.weight = _array(embedding.table.weight)
    side.scale_embeddings = embedding.scale != 1.0
    if embedding.learned is None:
        size = embedding.table.embedding_dim
        vectors = sinusoids(torch.arange(POSITIONS), size, embedding.positions)
    else:
        vectors = embedding.learned.weight
    side.position_encodings.encodings = _array(vectors)
    if isinstance(embedding.norm, nn.LayerNorm):
        _fill_norm(side.layernorm_embedding, embedding.norm)


def _fill_layer(into: Any, layer: Any) -> None:
    """The sublayers of a layer of the encoder or the decoder."""
    for name, residual in layer.items():
        part: Any = residual
        if name == "feed_forward":
            _fill_norm(into.ffn.layer_norm, part.norm)
            _fill_linear(into.ffn.linear_0, part.sublayer.inner)
            _fill_linear(into.ffn.linear_1, part.sublayer.outer)
            continue
        attention = part.sublayer.attention
        projections = [[attention.query, attention.key, attention.value], [attention.output]]
        target = into.self_attention
        if name == "cross_attention":
            projections = [[attention.query], [attention.key, attention.value], [attention.output]]
            target = into.attention
        _fill_norm(target.layer_norm, part.norm)
        for linear, own in zip(target.linear, projections, strict=True):
            _fill_linear(linear, *own)


def _fill_linear(into: Any, *layers: nn.Linear) -> None:
    """Layers of the same inputs as one."""
    into.weight = np.concatenate([_array(layer.weight) for layer in layers])
    into.bias = np.concatenate([_array(layer.bias) for layer in layers])


def _fill_norm(into: Any, norm: nn.LayerNorm) -> None:
    into.gamma, into.beta = _array(norm.weight), _array(norm.bias)


def _array(tensor: Tensor) -> NDArray[np.float32]:
    return tensor.detach().float().numpy()
