"""Every system of the package in small, and batches for them.

Tests that hold for all systems take the fixtures `form` and `settings`; a package with systems of
its own runs the same tests with fixtures of its cases.
"""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import torch

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate, pack_translations
from docmt_nmt.nn.batch import TranslatedSentences
from docmt_nmt.systems import EncoderDecoderSettings, build, system_class, system_names
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.systems.hm_gdc_settings import HMGDCSettings
from docmt_nmt.systems.long_short_settings import LongShortSettings
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings
from docmt_nmt.systems.transformer_settings import TransformerSettings

SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)
VOCABULARY = 23
SIZE = {"preset": "tiny", "layers": 3, "d_model": 16, "heads": 4, "ffn_dim": 32}


def transformer(**keys):
    return TransformerSettings.read({**SIZE, **keys})


def g_transformer(**keys):
    return GTransformerSettings.read({**SIZE, **keys})


def parallel_stack(stack, **keys):
    """A stack of the encoders that `documents` has states or tokens of."""
    kinds = {
        "B": {"kind": "huggingface", "model": "bert", "d_model": 6},
        "P": {"kind": "run", "run": "pegasus", "d_model": 10},
        "D": {"kind": "trained", "layers": 1},
    }
    contexts = {letter: kind for letter, kind in kinds.items() if letter in stack}
    return ParallelStackSettings.read({**SIZE, "stack": stack, "contexts": contexts, **keys})


def hm_gdc(**keys):
    return HMGDCSettings.read({**SIZE, **keys})


def long_short(**keys):
    return LongShortSettings.read({**SIZE, **keys})


AS_BERT = {
    "decoder_layers": 2,
    "activation": "gelu",
    "positions": "learned",
    "max_positions": 128,
    "scale_embeddings": False,
    "normalize_embeddings": True,
    "norm_epsilon": 1e-12,
    "target_embeddings": "sinusoidal",
    "share_embeddings": False,
}
"""The form of an encoder that is BERT, with a decoder of another form."""

CASES = {
    "transformer": transformer(),
    "transformer, pre-norm": transformer(norm="pre"),
    "transformer, output-norm": transformer(norm="output"),
    "transformer, own embeddings": transformer(share_embeddings=False),
    "transformer, every other form": transformer(
        decoder_layers=2,
        activation="gelu",
        positions="learned",
        max_positions=128,
        scale_embeddings=False,
        normalize_embeddings=True,
        share_output=False,
        output_bias=True,
    ),
    "transformer, positions from 0": transformer(
        activation="swish", positions="sinusoidal-from-0", output_bias=True
    ),
    "transformer, as Firefox's models": transformer(
        decoder_layers=2,
        decoder_recurrence="ssru",
        positions="sinusoidal-marian",
        output_bias=True,
        norm_epsilon=1e-9,
    ),
    "g-transformer": g_transformer(),
    "g-transformer, recurrence": g_transformer(decoder_recurrence="ssru"),
    "g-transformer, context by recurrence": g_transformer(
        decoder_recurrence="ssru", recurrence_unit="instance", context_attention="group"
    ),
    "transformer, recurrence in the sentence": transformer(
        decoder_recurrence="ssru", recurrence_unit="sentence"
    ),
    "g-transformer, pre-norm": g_transformer(norm="pre"),
    "g-transformer, all layers": g_transformer(
        encoder_context_layers=3, decoder_context_layers=3, cross_context_layers=3
    ),
    "g-transformer, different K": g_transformer(
        encoder_context_layers=0, decoder_context_layers=1, cross_context_layers=2
    ),
    "g-transformer, group only": g_transformer(context_attention="group"),
    "g-transformer, global on top": g_transformer(context_attention="global"),
    "g-transformer, no source context": g_transformer(source_context=False),
    "g-transformer, no target context": g_transformer(target_context=False),
    "g-transformer, beyond the sentence": g_transformer(sees="beyond"),
    "g-transformer, beyond, two before": g_transformer(sees="beyond", sentences_before=2),
    "g-transformer, beyond, by source": g_transformer(
        sees="beyond", target_context=False, count_positions="sentence"
    ),
    "g-transformer, own sentence twice": g_transformer(sees="sentence"),
    "g-transformer, no language locality": g_transformer(language_locality=False),
    "transformer, positions in the sentence": transformer(count_positions="sentence"),
    "g-transformer, positions in the sentence": g_transformer(count_positions="sentence"),
    "hm-gdc, another form": hm_gdc(decoder_layers=2, activation="gelu", output_bias=True),
    "g-transformer, other forms": g_transformer(
        decoder_layers=2,
        activation="gelu",
        positions="learned",
        max_positions=128,
        normalize_embeddings=True,
        output_bias=True,
    ),
    "g-transformer, no translation locality": g_transformer(translation_locality=False),
    "parallel-stack, empty": parallel_stack(""),
    "parallel-stack": parallel_stack("Bs(c) => Ps(3p,3n)"),
    "parallel-stack, post-norm": parallel_stack("Bs(c) => Bs(c)", norm="post"),
    "parallel-stack, trained encoder": parallel_stack("Ds(p,c)", norm="pre"),
    "g-transformer, as BERT": g_transformer(**AS_BERT, segment_embeddings=True),
    "transformer, segments": transformer(segment_embeddings=True),
    "hm-gdc": hm_gdc(),
    "hm-gdc, pre-norm": hm_gdc(norm="pre", document_layers=2),
    "hm-gdc, all layers": hm_gdc(document_layers=3),
    "hm-gdc, own embeddings": hm_gdc(share_embeddings=False),
    "hm-gdc, encoders apart": hm_gdc(share_encoders=False, document_layers=4),
    "hm-gdc, encoder only": hm_gdc(integration="encoder"),
    "hm-gdc, decoder only": hm_gdc(integration="decoder"),
    "hm-gdc, no context": hm_gdc(integration="none"),
    "long-short": long_short(),
    "long-short, pre-norm": long_short(norm="pre"),
    "long-short, recurrence": long_short(decoder_recurrence="ssru"),
    "long-short, independent, recurrence": long_short(
        short_stream="independent", decoder_recurrence="ssru"
    ),
    "long-short, independent": long_short(short_stream="independent"),
    "long-short, sum": long_short(aggregation="sum"),
    "long-short, own embeddings": long_short(share_embeddings=False, joining_ffn_dim=7),
}


def with_new_systems(cases, package, *bases):
    """The cases and, of each system of a package that they lack, its default form and the form with
    each other value of each of its own switches. Switches of base classes are not its own."""
    inherited = {"name", *(key for base in bases for key in base.model_fields)}
    own = (name for name in system_names() if _package(system_class(name)) == package)
    found = dict(cases)
    for name in sorted(set(own) - {case.name for case in cases.values()}):
        settings = system_class(name).settings_class
        size = {key: value for key, value in SIZE.items() if key in settings.model_fields}
        found[name] = settings.read(size)
        for key, field in settings.model_fields.items():
            values = (False, True) if field.annotation is bool else get_args(field.annotation)
            if key not in inherited and set(map(type, values)) <= {bool, str}:
                for value in values:
                    if value != field.default:
                        found[f"{name}, {key} {value}"] = settings.read({**size, key: value})
    return found


def _package(system) -> str:
    return system.__module__.split(".")[0]


CASES = with_new_systems(CASES, _package(EncoderDecoderSettings), EncoderDecoderSettings)

SHARED_FORMS = ("pre-norm", "output-norm", "own embeddings", "other sizes", "conditional")
"""Forms by modules that systems share: one system shows them in the default run."""


def every_form(cases, name="form"):
    """A fixture: every case."""

    def marks(key: str):
        system, _, form = key.partition(", ")
        shown = form not in SHARED_FORMS or system in ("transformer", "g-transformer", "rnnsearch")
        return () if shown else pytest.mark.slow

    forms = [pytest.param(case, id=key, marks=marks(key)) for key, case in cases.items()]
    return pytest.fixture(params=forms, name=name)(lambda request: request.param)


def one_of_each_system(cases, name="settings"):
    """A fixture: one form of each system, for properties of the modules that all forms
    are made of."""
    chosen = [pytest.param(case, id=key) for key, case in cases.items() if "," not in key]
    return pytest.fixture(params=chosen, name=name)(lambda request: request.param)


def make(settings, seed=1, width_scale=1.0):
    """A system whose weights are large enough that every part shows in its logits."""
    system = build(settings, VOCABULARY, VOCABULARY, seed=seed).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in system.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.add_(0.1 * width_scale * noise)
    return system


def documents(*shapes, seed=0):
    """Instances of random tokens; a shape is the tokens of each sentence. The first has no context
    beside it, the next a sentence, the one after two, and so on."""
    generator = torch.Generator().manual_seed(seed)
    of_context = torch.Generator().manual_seed(seed + 1)
    beside = torch.Generator().manual_seed(seed + 2)

    def words(n, generator=generator):
        return torch.randint(4, VOCABULARY, (n,), generator=generator).tolist()

    def auxiliary(place):
        """What other encoders make of an instance; for the second the context is empty."""
        states = torch.randn(5 + place, 6, generator=beside).numpy()
        context = torch.randn(0 if place == 1 else 3 * place + 2, 10, generator=beside).numpy()
        tokens = np.array(words(4 + place, beside))
        return {"Bs(c)": states, "Ps(3p,3n)": context, "Ds(p,c)": tokens}

    return [
        Instance(
            f"d{i}",
            i,
            [words(n) for n in shape],
            [words(n + (n % 3)) for n in shape],
            [words(3 + k, of_context) for k in range(i)],
            auxiliary(i),
        )
        for i, shape in enumerate(shapes)
    ]


def with_context(instance, *lengths, seed=5):
    """The instance after sentences of these lengths, which stand beside it as context."""
    (other,) = documents(lengths, seed=seed)
    return replace(instance, context=other.source)


def others_shuffled(document):
    """The document with the same second sentence and the others in another order."""
    order = [2, 1, 3, 0]
    sides = {side: [getattr(document, side)[k] for k in order] for side in ("source", "target")}
    return replace(document, **sides)


def encoded(system, packed):
    """The encoded source of a batch, with the states of its translations for a system that reads
    them."""
    memory = system.encode(packed.source)
    if not system.writing_order.reads_translations:
        return memory
    spans = packed.target.sentences
    alone = replace(packed.target, instances=spans)
    states = system.read_translations(alone, memory.sentences_alone(np.arange(len(spans))))
    known = TranslatedSentences(
        states, spans.host_offsets[:-1], spans.host_lengths, packed.target.host_tokens
    )
    return system.with_translations(memory, known)


def batch(*instances):
    """A batch, with drafts for systems that correct them: the source sentences from behind."""
    drafts = [sentence[::-1] for instance in instances for sentence in instance.source]
    return with_drafts(collate(instances, SPECIAL_TOKENS), drafts)


def with_drafts(packed, drafts):
    """A batch with these drafts of its sentences."""
    draft = pack_translations([[sentence] for sentence in drafts], SPECIAL_TOKENS)
    return replace(packed, source=replace(packed.source, draft=draft))
