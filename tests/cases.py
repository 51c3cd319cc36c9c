"""Every system in small, as parameters of the tests that hold for all of them."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import torch

from docmt.data import Instance
from docmt.data.collate import collate, pack_translations
from docmt.ground.special_tokens import SpecialTokens
from docmt.nn.batch import TranslatedSentences
from docmt.systems import EncoderDecoderSettings, build, system_class, system_names
from docmt.systems.g_transformer_settings import GTransformerSettings
from docmt.systems.hm_gdc_settings import HMGDCSettings
from docmt.systems.long_short_settings import LongShortSettings
from docmt.systems.parallel_stack_settings import ParallelStackSettings
from docmt.systems.transformer_settings import TransformerSettings
from docmt_research.systems.cache_rnnsearch import CacheRNNSearchSettings
from docmt_research.systems.cache_transformer import CacheTransformerSettings
from docmt_research.systems.cadec import CADecSettings
from docmt_research.systems.context_aware_transformer import ContextAwareTransformerSettings
from docmt_research.systems.cross_sentence_rnn import CrossSentenceRNNSettings
from docmt_research.systems.document_transformer import DocumentTransformerSettings
from docmt_research.systems.flat_transformer import FlatTransformerSettings
from docmt_research.systems.han import HANSettings
from docmt_research.systems.hm_gdc_rnnsearch import HMGDCRNNSearchSettings
from docmt_research.systems.multi_encoder_rnn import MultiEncoderRNNSettings
from docmt_research.systems.rnnsearch import RecurrentSettings, RNNSearchSettings
from docmt_research.systems.san import SANSettings

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


def document_transformer(**keys):
    return DocumentTransformerSettings.read({**SIZE, **keys})


def context_aware_transformer(**keys):
    return ContextAwareTransformerSettings.read({**SIZE, **keys})


def flat_transformer(**keys):
    return FlatTransformerSettings.read({**SIZE, **keys})


def han(**keys):
    return HANSettings.read({**SIZE, "context_sentences": 2, **keys})


def san(**keys):
    return SANSettings.read({**SIZE, **keys})


def cadec(**keys):
    return CADecSettings.read({**SIZE, "context_sentences": 2, **keys})


def hm_gdc(**keys):
    return HMGDCSettings.read({**SIZE, **keys})


RECURRENT = {"preset": "tiny", "d_model": 16}


def rnnsearch(**keys):
    return RNNSearchSettings.read({**RECURRENT, **keys})


def cross_sentence_rnn(**keys):
    return CrossSentenceRNNSettings.read({**RECURRENT, **keys})


def hm_gdc_rnnsearch(**keys):
    return HMGDCRNNSearchSettings.read({**RECURRENT, **keys})


def multi_encoder_rnn(**keys):
    return MultiEncoderRNNSettings.read({**RECURRENT, **keys})


def cache_rnnsearch(**keys):
    return CacheRNNSearchSettings.read({**RECURRENT, "cache_size": 5, **keys})


def cache_transformer(**keys):
    return CacheTransformerSettings.read({**SIZE, "cache_size": 5, **keys})


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
    "g-transformer, no language locality": g_transformer(language_locality=False),
    "transformer, positions in the sentence": transformer(count_positions="sentence"),
    "g-transformer, positions in the sentence": g_transformer(count_positions="sentence"),
    "document-transformer, another form": document_transformer(
        decoder_layers=2, activation="gelu", output_bias=True
    ),
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
    "document-transformer": document_transformer(),
    "document-transformer, pre-norm": document_transformer(norm="pre", context_layers=2),
    "document-transformer, output-norm": document_transformer(norm="output"),
    "document-transformer, own embeddings": document_transformer(share_embeddings=False),
    "document-transformer, encoder only": document_transformer(decoder_context=False),
    "document-transformer, decoder only": document_transformer(encoder_context=False),
    "context-aware-transformer": context_aware_transformer(),
    "context-aware-transformer, pre-norm": context_aware_transformer(norm="pre"),
    "flat-transformer": flat_transformer(),
    "flat-transformer, pre-norm": flat_transformer(norm="pre", top_layers=2),
    "flat-transformer, as BERT": flat_transformer(**AS_BERT, long_context="shorten"),
    "g-transformer, as BERT": g_transformer(**AS_BERT, segment_embeddings=True),
    "flat-transformer, every layer with context": flat_transformer(top_layers=0),
    "transformer, segments": transformer(segment_embeddings=True),
    "han": han(),
    "han, pre-norm": han(norm="pre", context_gradient=True),
    "han, encoder only": han(integration="encoder"),
    "han, decoder only": han(integration="decoder"),
    "han, no context": HANSettings.read({**SIZE, "integration": "none"}),
    "san": san(),
    "san, offline": san(context="offline", word_weights="sparsemax", context_gradient=True),
    "san, decoder": san(integration="decoder"),
    "san, decoder, offline": san(integration="decoder", context="offline", norm="pre"),
    "san, sentences": san(context_attention="sentence", context="offline"),
    "san, words": san(context_attention="word", norm="pre"),
    "san, decoder, sentences": san(integration="decoder", context_attention="sentence"),
    "san, decoder, words": san(
        integration="decoder", context_attention="word", context="offline", decoder_layers=1
    ),
    "cadec": cadec(),
    "cadec, pre-norm": cadec(norm="pre"),
    "cadec, own embeddings": cadec(share_embeddings=False, decoder_layers=2),
    "cadec, another form": cadec(
        activation="gelu",
        positions="learned",
        max_positions=128,
        normalize_embeddings=True,
        share_output=False,
        output_bias=True,
    ),
    "hm-gdc": hm_gdc(),
    "hm-gdc, pre-norm": hm_gdc(norm="pre", document_layers=2),
    "hm-gdc, all layers": hm_gdc(document_layers=3),
    "hm-gdc, own embeddings": hm_gdc(share_embeddings=False),
    "hm-gdc, encoders apart": hm_gdc(share_encoders=False, document_layers=4),
    "hm-gdc, encoder only": hm_gdc(integration="encoder"),
    "hm-gdc, decoder only": hm_gdc(integration="decoder"),
    "hm-gdc, no context": hm_gdc(integration="none"),
    "rnnsearch": rnnsearch(),
    "rnnsearch, one layer": rnnsearch(layers=1),
    "rnnsearch, own embeddings": rnnsearch(layers=3, share_embeddings=False),
    "rnnsearch, of the paper": rnnsearch(
        readout="maxout", share_output=False, scale_embeddings=False, share_embeddings=False
    ),
    "rnnsearch, other sizes": rnnsearch(
        cell="lstm", embedding_dim=10, readout_dim=6, share_output=False, share_embeddings=False
    ),
    "rnnsearch, conditional": rnnsearch(transition="conditional"),
    "multi-encoder-rnn, conditional": multi_encoder_rnn(transition="conditional", layers=1),
    "cross-sentence-rnn, conditional": cross_sentence_rnn(transition="conditional", layers=1),
    "rnnsearch, wide embeddings": rnnsearch(embedding_dim=20, readout="maxout", layers=1),
    "cross-sentence-rnn, other sizes": cross_sentence_rnn(cell="lstm", embedding_dim=10),
    "cross-sentence-rnn": cross_sentence_rnn(),
    "cross-sentence-rnn, plain": cross_sentence_rnn(auxiliary="plain"),
    "cross-sentence-rnn, beginnings only": cross_sentence_rnn(auxiliary="none", layers=1),
    "cross-sentence-rnn, steps only": cross_sentence_rnn(
        initialize_encoder=False, initialize_decoder=False, share_embeddings=False
    ),
    "hm-gdc-rnnsearch": hm_gdc_rnnsearch(),
    "hm-gdc-rnnsearch, encoders apart": hm_gdc_rnnsearch(share_encoders=False, layers=1),
    "hm-gdc-rnnsearch, own output": hm_gdc_rnnsearch(readout="maxout", share_output=False),
    "hm-gdc-rnnsearch, long short-term memory": hm_gdc_rnnsearch(cell="lstm"),
    "hm-gdc-rnnsearch, other sizes": hm_gdc_rnnsearch(share_encoders=False, embedding_dim=10),
    "hm-gdc-rnnsearch, no context": hm_gdc_rnnsearch(integration="none"),
    "multi-encoder-rnn": multi_encoder_rnn(),
    "multi-encoder-rnn, one encoder": multi_encoder_rnn(tied="encoder", layers=1),
    "multi-encoder-rnn, nothing tied": multi_encoder_rnn(tied="none", share_embeddings=False),
    "multi-encoder-rnn, other sizes": multi_encoder_rnn(cell="lstm", embedding_dim=10, tied="none"),
    "cache-rnnsearch, other sizes": cache_rnnsearch(cell="lstm", embedding_dim=10),
    "cache-rnnsearch": cache_rnnsearch(),
    "cache-rnnsearch, another form": cache_rnnsearch(
        layers=1, readout="maxout", share_output=False, cache_size=100
    ),
    "cache-transformer": cache_transformer(),
    "cache-transformer, pre-norm": cache_transformer(norm="pre", cache_size=100),
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


def forms(name):
    """A system in small, for systems that the list above does not have: in its default form, and
    with each other value of each of its own switches."""
    settings = system_class(name).settings_class
    size = {key: value for key, value in SIZE.items() if key in settings.model_fields}
    found = {name: settings.read(size)}
    inherited = {**EncoderDecoderSettings.model_fields, **RecurrentSettings.model_fields}
    for key, field in settings.model_fields.items():
        values = (False, True) if field.annotation is bool else get_args(field.annotation)
        if key in inherited or key == "name" or not set(map(type, values)) <= {bool, str}:
            continue
        for value in values:
            if value != field.default:
                found[f"{name}, {key} {value}"] = settings.read({**size, key: value})
    return found


for new in sorted(set(system_names()) - {case.name for case in CASES.values()}):
    CASES |= forms(new)

SHARED_FORMS = ("pre-norm", "output-norm", "own embeddings", "other sizes", "conditional")
"""Forms by modules that systems share: one system shows them in the default run."""


def _is_slow(name: str) -> bool:
    system, _, form = name.partition(", ")
    return form in SHARED_FORMS and system not in ("transformer", "g-transformer", "rnnsearch")


every_system = pytest.mark.parametrize(
    "settings",
    [
        pytest.param(case, id=name, marks=pytest.mark.slow if _is_slow(name) else ())
        for name, case in CASES.items()
    ],
)

# One form of each system, for properties of the modules that all forms are made of.
ONE_OF_EACH = {name: CASES[name] for name in system_names()}

one_of_each_system = pytest.mark.parametrize(
    "settings", ONE_OF_EACH.values(), ids=ONE_OF_EACH.keys()
)


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
